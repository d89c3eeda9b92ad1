package autovacuum

import (
	"math"
	"testing"
)

// testdata/tuned-18 is a table on PostgreSQL 18.4 with 400,000 rows on 10,500
// pages, frozen at first, of which about 250 a second are deleted and inserted
// anew; 200 s before and 200 s after the setting that is advised for 25 %.
// autovacuum_naptime is 1 s.

// The insert trigger of 18 begins at its base of 1,000, since all pages are
// frozen, and rises as they no longer are, until dead rows come first.
func TestRealInsertTriggerCountsPagesThatAreNotFrozen(t *testing.T) {
	m := read(t, "testdata/tuned-18/before")
	passes := Passes(m, m.Relation("public.jobs"))
	if len(passes) != 9 {
		t.Fatalf("%d vacuums, want 9", len(passes))
	}
	before := 0.0
	for i, p := range passes {
		want := ByInsertedRows
		if i >= 5 {
			want = ByDeadRows
		}
		if p.Cause != want {
			t.Errorf("vacuum %d: %s (%s), dead %.0f of %.0f, inserted %.0f of %.0f, want %s", i, p.Cause, p.Why, p.Dead, p.DeadLimit, p.Inserted, p.InsertedLimit, want)
		}
		if want == ByInsertedRows && p.InsertedLimit < before {
			t.Errorf("vacuum %d: limit %.0f after %.0f", i, p.InsertedLimit, before)
		}
		before = p.InsertedLimit
	}
}

func TestRealSettingKeepsWhatWasPromised(t *testing.T) {
	m := read(t, "testdata/tuned-18/before")
	a := Advise(m, m.Relation("public.jobs"), 0.25)
	if !a.Reachable || a.Knob != KnobDead || a.Set[1].Value != 1200 {
		t.Fatalf("advised %v, set on the server were 1,200 dead rows", a.Set)
	}
	m = read(t, "testdata/tuned-18/after")
	got := Advise(m, m.Relation("public.jobs"), 0.25)
	if len(got.Set) > 0 || !got.Reachable {
		t.Errorf("after it, %v is advised", got.Set)
	}
	n := len(got.Passes)
	period := got.Passes[n-1].Vacuum.End.Sub(got.Passes[0].Vacuum.End).Seconds() / float64(n-1)
	// The writes were a fifth slower after it than before.
	expected := a.Then.Period * a.Activity.Dead.PerSecond / got.Activity.Dead.PerSecond
	if n < 30 || math.Abs(period-expected) > 0.1*expected {
		t.Errorf("%d vacuums, one every %.2f s, predicted %.2f", n, period, expected)
	}
	for _, c := range got.Cycles {
		for _, x := range c.Worst {
			if x.What == ByVacuumLine && x.Lost > 0.25+bandSlack {
				t.Errorf("%s: %.3f of the pages lost, promised at most 0.25", c.From.End.Std(), x.Lost)
			}
		}
	}
	for _, d := range got.Decays {
		if d.Between != d.Cycles {
			t.Errorf("%s: %d of %d between the bounds", d.What, d.Between, d.Cycles)
		}
	}
}
