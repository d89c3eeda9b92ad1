package signature

import (
	"math"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// slowDisk is the shape of PGA106: from second 600 on a statement takes four
// times as long for the same buffers, and three of four samples wait for reads.
func slowDisk() costLoad {
	return costLoad{pages: constant(4000), live: constant(400_000), buffers: constant(500), ms: stepping(600, 10, 40), rows: constant(10),
		sizes: true, noise: 0.02, waits: func(s int) string {
			if s >= 600 && s/10%4 > 0 {
				return "IO"
			}
			return ""
		}}
}

func TestLatencyRegressionAfterASettingChange(t *testing.T) {
	b := slowDisk().batch()
	b.Events = append(b.Events, record.Event{Pos: record.Pos{File: "log", Line: 5000}, LogTime: sec(598), Kind: record.EventParameterChanged, Object: "effective_io_concurrency", Text: "1"})
	f := only(t, run(b, latencyRegression), "PGA106")
	if f.Severity != finding.Critical || f.Confidence != finding.Confirmed {
		t.Errorf("%s %s: %s", f.Severity, f.Confidence, f.WhyConfidence)
	}
	if f.Effect < 3.8 || f.Effect > 4.2 || f.Onset.Time < sec(590) || f.Onset.Time > sec(615) {
		t.Errorf("%g x since %s", f.Effect, f.Onset.Time.Std())
	}
	wantText(t, "event", f.Onset.Event, "effective_io_concurrency")
	part := figure(t, f, "IO waits")
	if part.Interval == nil || part.Value < 0.9 || part.Value > 1.1 { // 30 ms of waits in place of none, of 30 ms added
		t.Errorf("IO waits %+v", part)
	}
	for _, r := range f.RuledOut {
		if r.Verdict == finding.NotRuledOut {
			t.Errorf("%s is not ruled out: %s", r.Rival, r.Figure)
		}
	}
}

func TestLatencyRegressionWithoutBuffersIsPossible(t *testing.T) {
	l := slowDisk()
	l.buffers, l.waits = nil, nil
	f := only(t, run(l.batch(), latencyRegression), "PGA106")
	if f.Confidence != finding.Possible || f.Severity > finding.Warning {
		t.Errorf("%s %s: %s", f.Severity, f.Confidence, f.WhyConfidence)
	}
	wantText(t, "summary", f.Summary, "does not tell what the added time goes into")
}

func TestTimeThatIsNoRegression(t *testing.T) {
	for name, change := range map[string]func(*costLoad){
		"level": func(l *costLoad) { l.ms = constant(10) },
		"load that swings": func(l *costLoad) {
			l.perSecond = func(s int) int { return int(6 + 4*math.Sin(float64(s)/60)) }
			l.ms = func(s int) float64 { return 10 + 8*math.Sin(float64(s)/60) }
		},
		"load that rises and stays": func(l *costLoad) {
			l.perSecond = func(s int) int { return 4 + 8*(s/600) }
		},
		"a walk with its buffers": func(l *costLoad) { l.buffers = stepping(600, 500, 1500) },
		"more rows":               func(l *costLoad) { l.rows = stepping(600, 10, 30) },
		"another plan":            func(l *costLoad) { l.shape = func(s int) uint64 { return uint64(1 + s/600) } },
		"it comes back":           func(l *costLoad) { l.ms = func(s int) float64 { return 10 + 20*float64(s/400%2) } },
		"it has just come back": func(l *costLoad) {
			l.ms = func(s int) float64 {
				if s >= 600 && s < 1140 {
					return 40
				}
				return 10
			}
		},
		"it gets faster":           func(l *costLoad) { l.ms = stepping(600, 30, 10) },
		"a tenth of a millisecond": func(l *costLoad) { l.ms = stepping(600, 0.05, 0.15) },
		"it creeps":                func(l *costLoad) { l.ms = rising(10, 30) },
		// Ever more calls find nothing and are cheap: the median falls, time ÷ rows
		// rises.
		"a mix that shifts": func(l *costLoad) {
			l.ms, l.rows = rising(0.8, 0.5), rising(20, 2)
		},
	} {
		l := slowDisk()
		change(&l)
		t.Run(name, func(t *testing.T) { silentOn(t, l, latencyRegression) })
	}
}

func TestStatementsThatSlowDownTogetherAreOneFinding(t *testing.T) {
	b := slowDisk().batch()
	other := &record.Statement{Fingerprint: "other", Normalized: "select * from orders where customer = $1", Command: "SELECT", Relations: []string{"orders"}}
	for i := range b.Executions {
		if e := b.Executions[i]; e.Statement == slowSelect {
			e.Statement, e.Plan, e.Duration = other, nil, e.Duration/2
			e.Pos.Line, e.Pos.Offset, e.LogTime = e.Pos.Line+100_000, e.Pos.Offset+100_000, e.LogTime+1000
			b.Executions = append(b.Executions, e)
		}
	}
	f := only(t, run(b, latencyRegression), "PGA106")
	if f.Subject.Fingerprint != "slow" {
		t.Errorf("on %s", f.Subject.Fingerprint)
	}
	wantText(t, "notes", f.Notes, "customer = $1")
}

func TestLatencyNeedsASeries(t *testing.T) {
	p := run(&record.Batch{}, latencyRegression)
	if len(p.NotEvaluated) != 1 {
		t.Fatalf("%+v", p.NotEvaluated)
	}
	wantText(t, "lacks", p.NotEvaluated[0].Lacks, "no series of durations in input")
}

// A simple statement's duration line holds its planning, a plan's duration does
// not.
func TestPlanningIsARivalOnlyOfTimesThatHoldIt(t *testing.T) {
	// planning runs slowDisk and answers how planning is judged. executed is the
	// duration that the plan before each statement's line says; nil: no such line.
	planning := func(executed func(record.Duration) record.Duration) finding.RuledOut {
		b := slowDisk().batch()
		plans := b.Executions
		if executed != nil {
			b.Executions = nil
			for _, plan := range plans {
				line := plan
				line.Kind, line.HasPlan, line.Figures = record.ExecStatement, false, record.Figures{}
				plan.Pos.Offset, line.Pos.Offset = 2*plan.Pos.Offset, 2*plan.Pos.Offset+1
				plan.Duration = executed(plan.Duration)
				b.Executions = append(b.Executions, plan, line)
			}
		}
		f := only(t, run(b, latencyRegression), "PGA106")
		for _, r := range f.RuledOut {
			if r.Rival == "planning" {
				return r
			}
		}
		t.Fatalf("no rival planning among %+v", f.RuledOut)
		return finding.RuledOut{}
	}
	if r := planning(nil); r.Verdict != finding.RuledOutVerdict {
		t.Errorf("durations of plans: %+v", r)
	}
	if r := planning(func(d record.Duration) record.Duration { return d - 100 }); r.Verdict != finding.RuledOutVerdict {
		t.Errorf("statements 0.1 ms longer than their plans: %+v", r)
	}
	if r := planning(func(d record.Duration) record.Duration { return min(d, 10*record.Millisecond) }); r.Verdict != finding.NotRuledOut {
		t.Errorf("plans that take as long as before: %+v", r)
	}
}
