package signature

import (
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

func TestEmptyChildrenByRowsThatDoNotGrow(t *testing.T) {
	l := bucketLoad().log(newAppLog())
	l.captures(2 * record.Second)
	f := only(t, l.evaluate(), "PGA402")
	if f.Severity != finding.Critical || f.Confidence != finding.Confirmed {
		t.Errorf("%s %s: %s", f.Severity, f.Confidence, f.WhyConfidence)
	}
	// 10 of 60 return rows; over all levels 10 of 35.
	if e := figure(t, f, "at the greatest N"); e.Value < 83 || e.Value > 84 {
		t.Errorf("empty at the end %v", e.Value)
	}
	if e := figure(t, f, "children that return nothing"); e.Value < 71 || e.Value > 72 {
		t.Errorf("empty %v", e.Value)
	}
	if want := "select bucket_id, count(*) from memories where tenant_id = $1 group by bucket_id;"; f.Actions[0].Do != want || !f.Actions[0].SQL {
		t.Errorf("advice %q", f.Actions[0].Do)
	}
	// 50 children at 2 ms, less the aggregate.
	if s := figure(t, f, "saving per request at the greatest N"); s.Value < 90 || s.Value > 110 {
		t.Errorf("saving %v", s.Value)
	}
}

func TestEmptyChildrenCountedFromPlans(t *testing.T) {
	load := bucketLoad()
	load.levels = []int{40, 40, 40}
	l := newAppLog()
	l.plans = true
	l.setting("log_min_duration_statement", "0")
	p := load.log(l).evaluate()
	f := only(t, p, "PGA402")
	if e := figure(t, f, "children that return nothing"); e.Value != 75 || strings.Contains(e.Text, "least") {
		t.Errorf("empty %+v", e)
	}
	notes := strings.Join(f.Notes, "\n")
	wantText(t, "notes", notes, "30 parameters returned no row", "$2 = '10' (48 calls)")
	if strings.Contains(notes, "'9' ") {
		t.Errorf("a parameter with rows is listed: %s", notes)
	}
}

// A parameter that returned a row once, to whomever, is none that never did.
func TestIdleParametersAreThoseOfTheWholeSpan(t *testing.T) {
	load := bucketLoad()
	load.levels = []int{40, 40, 40}
	l := newAppLog()
	l.plans = true
	l.setting("log_min_duration_statement", "0")
	load.log(l)
	l.run("another", readBucket, "$1 = '1', $2 = '10'", 100*record.Microsecond, 3)
	l.idle("end", 10*record.Second)
	notes := strings.Join(only(t, l.evaluate(), "PGA402").Notes, "\n")
	wantText(t, "notes", notes, "29 parameters returned no row", "$2 = '11' (48 calls)")
	if strings.Contains(notes, "'10' ") || strings.Contains(notes, "not measurable") {
		t.Error(notes)
	}
}

func TestIdleParametersNeedParameters(t *testing.T) {
	load := bucketLoad()
	load.levels = []int{40, 40, 40}
	l := newAppLog()
	l.plans = true
	l.setting("log_min_duration_statement", "0")
	b := load.log(l)
	for i := range b.batch.Executions {
		b.batch.Executions[i].Parameters = ""
	}
	f := only(t, b.evaluate(), "PGA402")
	wantText(t, "notes", strings.Join(f.Notes, "\n"), "which parameters returned no row over the whole span is not measurable: no parameters of the child in the log")
}

func TestEmptyChildrenBoundByRowsOfOneLevel(t *testing.T) {
	load := bucketLoad()
	load.levels = []int{40, 40, 40}
	load.rows = func(k, _ int) int64 { return int64(1 - min(1, k/10)) }
	l := load.log(newAppLog())
	l.captures(2 * record.Second)
	f := only(t, l.evaluate(), "PGA402")
	if f.Confidence != finding.Possible {
		t.Errorf("a bound is %s", f.Confidence)
	}
	wantText(t, "title", f.Title, "At least 75 %")
}

func TestRowsUnknownAreNotEvaluated(t *testing.T) {
	l := bucketLoad().log(newAppLog())
	l.setting("log_min_duration_statement", "0")
	p := l.evaluate()
	silent(t, p, "PGA402")
	wantEvaluated(t, p, "PGA401", "PGA403")
	if len(p.NotEvaluated) != 1 || !strings.HasPrefix(p.NotEvaluated[0].Lacks, "rows per child") {
		t.Errorf("not evaluated: %+v", p.NotEvaluated)
	}
}
