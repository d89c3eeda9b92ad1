package signature

import (
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

func TestTimeOutsideTheServerLeavesThinkTimeOut(t *testing.T) {
	load := bucketLoad()
	load.own = func(_, _ int) record.Duration { return 160 * record.Microsecond } // 0.2 ms with bind
	l := load.log(newAppLog())
	l.captures(2 * record.Second)
	f := only(t, l.evaluate(), "PGA403")
	if f.Severity != finding.Critical {
		t.Errorf("%s: %s", f.Severity, f.WhyConfidence)
	}
	// 0.2 of 2.2 ms; with the think time it would be a tenth of that.
	if share := 1 - f.Share; share < 0.08 || share > 0.12 {
		t.Errorf("server share %.3f", share)
	}
	wantText(t, "title", f.Title, "not your bottleneck")
	wantText(t, "will not help", f.WillNotHelp[0], "twice as fast saves at most")
}

func TestSlowServerIsTheBottleneck(t *testing.T) {
	load := bucketLoad()
	load.gap = 300 * record.Microsecond
	load.own = func(_, _ int) record.Duration { return 8 * record.Millisecond }
	l := load.log(newAppLog())
	l.captures(10 * record.Second)
	p := l.evaluate()
	wantEvaluated(t, p, "PGA403")
	silent(t, p, "PGA403")
	f := only(t, p, "PGA401")
	wantText(t, "summary", f.Summary, "its own work counts too")
	if len(f.WillNotHelp) > 0 {
		t.Errorf("a faster server does help here: %q", f.WillNotHelp)
	}
}

func TestShortRequestsAreNotReported(t *testing.T) {
	load := bucketLoad()
	load.gap = 100 * record.Microsecond
	load.own = func(_, _ int) record.Duration { return 4 * record.Microsecond }
	l := load.log(newAppLog())
	l.captures(2 * record.Second)
	p := l.evaluate()
	silent(t, p, "PGA403")
	if f := only(t, p, "PGA401"); f.Severity != finding.Info {
		t.Errorf("a request of 7 ms is %s", f.Severity)
	}
}

func TestPlansAloneDoNotTellTheServersTime(t *testing.T) {
	l := newAppLog()
	l.plans = true
	l.setting("log_min_duration_statement", "0")
	bucketLoad().log(l)
	kept := l.batch.Executions[:0]
	for _, e := range l.batch.Executions {
		if e.Kind == record.ExecExecute {
			e.Kind = record.ExecPlan
			kept = append(kept, e)
		}
	}
	l.batch.Executions = kept
	p := l.evaluate()
	only(t, p, "PGA401")
	silent(t, p, "PGA403")
	wantEvaluated(t, p, "PGA401", "PGA402")
	if len(p.NotEvaluated) != 1 || p.NotEvaluated[0].ID != "PGA403" {
		t.Errorf("not evaluated: %+v", p.NotEvaluated)
	}
}
