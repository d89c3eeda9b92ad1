package signature

import (
	"math"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

func TestFanOutThatGrows(t *testing.T) {
	l := bucketLoad().log(newAppLog())
	l.captures(2 * record.Second)
	p := l.evaluate()
	f := only(t, p, "PGA401")
	if f.Severity != finding.Critical || f.Confidence != finding.Confirmed {
		t.Errorf("%s %s: %s", f.Severity, f.Confidence, f.WhyConfidence)
	}
	// A child costs its pause of 2 ms and its own bind and execute.
	if b := figure(t, f, "wall time per child (b)"); b.Value < 1.95 || b.Value > 2.2 || b.Interval == nil {
		t.Errorf("b = %v", b)
	}
	if f.Effect < 4.5 || f.Effect > 6.5 || f.Share < 0.9 {
		t.Errorf("effect %.2f, share %.2f", f.Effect, f.Share)
	}
	wantText(t, "N", f.N, "96 requests", "3,360 child executions", "6 levels")
	wantText(t, "own time", figure(t, f, "the child's own time in the server, mean").Says, "mix effect")
	wantText(t, "action", f.Actions[0].Do, "unnest($2)", "bucket_id = asked.key")
	if f.Onset == nil || !f.Onset.EventTime.Known() || f.Onset.Event != "INSERT into buckets by setup" {
		t.Errorf("onset %+v", f.Onset)
	}
	for _, r := range f.RuledOut {
		if r.Verdict == finding.NotRuledOut {
			t.Errorf("%s: %s", r.Rival, r.Figure)
		}
	}
	if len(f.Evidence) != 3 || f.Evidence[0].Pos.IsZero() {
		t.Errorf("places %+v", f.Evidence)
	}
}

func TestFanOutOfWritesIsNeededWork(t *testing.T) {
	load := bucketLoad()
	load.child = writeRow
	load.rows = func(_, _ int) int64 { return 1 }
	l := load.log(newAppLog())
	l.captures(2 * record.Second)
	p := l.evaluate()
	f := only(t, p, "PGA401")
	if f.Severity != finding.Info {
		t.Errorf("a batch of writes is %s", f.Severity)
	}
	wantText(t, "summary", f.Summary, "Each child writes")
	silent(t, p, "PGA402")
}

func TestFanOutWhoseChildrenAllReturnRowsIsNeededWork(t *testing.T) {
	load := bucketLoad()
	load.rows = func(_, _ int) int64 { return 3 }
	l := load.log(newAppLog())
	l.captures(2 * record.Second)
	p := l.evaluate()
	f := only(t, p, "PGA401")
	if f.Severity != finding.Info {
		t.Errorf("children that each return rows are %s", f.Severity)
	}
	wantText(t, "summary", f.Summary, "Each child returns rows")
	silent(t, p, "PGA402")
	wantEvaluated(t, p, "PGA402")
}

func TestFanOutOfOneLevelGivesOnlyABound(t *testing.T) {
	load := bucketLoad()
	load.levels = []int{40, 40, 40}
	l := load.log(newAppLog())
	l.setting("log_min_duration_statement", "0")
	f := only(t, l.evaluate(), "PGA401")
	if f.Effect != 1 || f.Severity != finding.Info {
		t.Errorf("effect %.2f, %s", f.Effect, f.Severity)
	}
	wantText(t, "title", f.Title, "at most")
	wantText(t, "limit", figure(t, f, "wall time per child (b)").Limit, "upper bound")
}

func TestFanOutWithTwoChildrenAttributesTheWallOnce(t *testing.T) {
	load := bucketLoad()
	load.then = func(l *appLog, session string, k int) {
		if k%2 == 0 {
			l.run(session, otherRead, "$1 = '1'", 50*record.Microsecond, 1)
		}
	}
	l := load.log(newAppLog())
	l.setting("log_min_duration_statement", "0")
	p := l.evaluate()
	f := only(t, p, "PGA401")
	if f.Subject.Fingerprint != "child" || len(f.Notes) == 0 {
		t.Fatalf("%s, notes %q", f.Subject.Fingerprint, f.Notes)
	}
	wantText(t, "note", f.Notes[0], otherRead.Normalized)
	only(t, p, "PGA403")
}

func TestFanOutThatCannotCostLessThanNothingIsOnlyPossible(t *testing.T) {
	load := bucketLoad()
	load.sessions = 1
	l := newAppLog()
	for _, n := range load.levels { // wall grows with the square of N
		load.gap = record.Duration(n) * 100
		for range 12 {
			load.request(l, "s", n)
		}
	}
	l.run("end", addBuckets, "", 1, 1)
	l.setting("log_min_duration_statement", "0")
	f := only(t, l.evaluate(), "PGA401")
	if f.Confidence != finding.Possible || f.Severity == finding.Critical {
		t.Errorf("%s %s", f.Severity, f.Confidence)
	}
	if a := figure(t, f, "wall time without children (a)"); a.Text != "not determined" {
		t.Errorf("a = %+v", a)
	}
}

func TestFanOutOfTenantsOfEverySizeIsFittedOverBins(t *testing.T) {
	load := bucketLoad()
	l := newAppLog()
	for i := range 200 {
		// A stall in every tenth request must not turn the fit.
		n := 5 + l.draw.IntN(150)
		load.request(l, "s", n)
		if i%10 == 0 {
			l.idle("s", 400*record.Millisecond)
			l.run("s", readBucket, "$1 = '1', $2 = '0'", 150*record.Microsecond, 20)
		}
	}
	l.idle("end", 10*record.Second)
	l.run("end", addBuckets, "", 1, 1)
	l.setting("log_min_duration_statement", "0")
	f := only(t, l.evaluate(), "PGA401")
	if b := figure(t, f, "wall time per child (b)"); b.Value < 1.95 || b.Value > 2.2 {
		t.Errorf("b = %v", b.Value)
	}
	wantText(t, "N", f.N, "12 levels")
	if f.Confidence != finding.Likely {
		t.Errorf("without growth it is %s: %s", f.Confidence, f.WhyConfidence)
	}
}

func TestRareButGreatRequestsAreALevel(t *testing.T) {
	var requests []request
	for i := range 100 {
		requests = append(requests, request{n: 5 + i%2})
	}
	for _, n := range []int{400, 510, 620} {
		requests = append(requests, request{n: n})
	}
	if got := levelBounds(requests); len(got) != 3 || got[2] != [2]int{400, 620} {
		t.Errorf("levels %v", got)
	}
}

func TestBucketFanoutSample(t *testing.T) {
	p := Run(sampleModel(t, "bucket-fanout"), fanOutSignatures, nil)
	near := func(what string, got, want, slack float64) {
		t.Helper()
		if !(math.Abs(got-want) <= slack) {
			t.Errorf("%s = %.4g, want %.4g ± %.2g", what, got, want, slack)
		}
	}
	f := only(t, p, "PGA401")
	near("a", figure(t, f, "wall time without children (a)").Value, 4, 2)
	near("b", figure(t, f, "wall time per child (b)").Value, 1.45, 0.03)
	near("child", figure(t, f, "the child's own time in the server, mean").Value, 0.047, 0.001)
	near("effect", f.Effect, 9.6, 0.2)
	wantText(t, "N", f.N, "173 requests", "46,200 child executions", "11 levels")
	e := only(t, p, "PGA402")
	near("empty", figure(t, e, "children that return nothing").Value, 81.3, 0.5)
	near("empty at the end", figure(t, e, "at the greatest N").Value, 90.9, 0.5)
	near("rows", figure(t, e, "rows per request (pg_stat_statements)").Value, 1000, 10)
	if want := "select bucket_id, count(*) from memories where tenant_id = $1 group by bucket_id;"; e.Actions[0].Do != want {
		t.Errorf("advice %q", e.Actions[0].Do)
	}
	o := only(t, p, "PGA403")
	near("server share", 100*(1-o.Share), 4.4, 0.1)
	wantText(t, "first level", figure(t, o, "N = 50").Text, "13 %")
	wantText(t, "last level", figure(t, o, "N = 550").Text, "3.1 %")
	for _, f := range p.Findings {
		if f.Severity != finding.Critical || f.Confidence != finding.Confirmed {
			t.Errorf("%s is %s, %s: %s", f.ID, f.Severity, f.Confidence, f.WhyConfidence)
		}
	}
}

func TestSamplesWithoutALoopStaySilent(t *testing.T) {
	for _, s := range []string{"healthy-shop", "vacuum-sawtooth", "hnsw-page-walk"} {
		t.Run(s, func(t *testing.T) {
			for _, f := range Run(sampleModel(t, s), fanOutSignatures, nil).Findings {
				t.Errorf("%s says: %s", f.ID, f.Title)
			}
		})
	}
}
