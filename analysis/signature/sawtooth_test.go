package signature

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// sawLoad is a synthetic index-only scan, once a second, of a table that is
// vacuumed every period seconds.
type sawLoad struct {
	seconds, period int
	rows            int64
	decay           float64 // share of the rows fetched from the heap at the end of a cycle
	noReset         bool    // vacuums do not help
	noHeap          bool    // durations only
	held            bool    // vacuums leave dead rows not yet removable, one cutoff
	flat            bool    // no rise inside a cycle
}

func (l sawLoad) batch() *record.Batch {
	r := rand.New(rand.NewPCG(9, 10))
	b := &record.Batch{}
	query := &record.Statement{Fingerprint: "q1", Normalized: "select sum(priority) from queue", Command: "SELECT", Relations: []string{"queue"}}
	for s := range l.seconds {
		phase := float64(s%l.period) / float64(l.period)
		if l.noReset {
			phase = float64(s) / float64(l.seconds)
		}
		if l.flat {
			phase = 0.5
		}
		fetched := int64(float64(l.rows) * l.decay * phase * (1 + 0.02*r.NormFloat64()))
		e := record.Execution{
			Pos: record.Pos{File: "log", Line: int64(s), Offset: int64(s)}, LogTime: sec(float64(s) + 0.5), Kind: record.ExecPlan, Session: "a",
			Duration: record.Duration(21_700 + fetched), HasDuration: true, Statement: query,
		}
		if l.noHeap {
			e.Kind = record.ExecStatement
		} else {
			e.HasPlan = true
			e.Figures = record.Figures{Shape: 1, HasRows: true, Rows: record.WholeRows(1), HasHeapFetches: true, HeapFetches: fetched,
				IndexOnlyRows: record.WholeRows(l.rows), HasBuffers: true, Own: record.Buffers{SharedHit: 500 + fetched}}
		}
		b.Executions = append(b.Executions, e)
		if s > 0 && s%l.period == 0 {
			v := record.Vacuum{Pos: record.Pos{File: "log", Line: int64(s), Offset: int64(s)}, LogTime: sec(float64(s)), Kind: record.KindVacuum, Schema: "public", Relation: "queue",
				IndexScans: 1, HasElapsed: true, Elapsed: 200 * record.Millisecond, TuplesRemoved: record.Some(281), DeadItems: record.Some(10_000), TuplesNotRemovable: record.Some(0)}
			if l.held {
				v.TuplesRemoved, v.DeadItems, v.TuplesNotRemovable, v.RemovableCutoff, v.CutoffAge = record.Some(0), record.Some(0), record.Some(int64(5000+s)), record.Some(700), record.Some(int64(s))
			}
			b.Vacuums = append(b.Vacuums, v)
		}
	}
	return b
}

var tenCycles = sawLoad{seconds: 330, period: 30, rows: 100_000, decay: 0.9}

func TestSawtoothIsFoundWithItsCompleteCycles(t *testing.T) {
	f := only(t, run(tenCycles.batch(), vacuumSawtooth), "PGA201")
	if f.Severity != finding.Critical || f.Confidence != finding.Confirmed {
		t.Errorf("%s %s: %s", f.Severity, f.Confidence, f.WhyConfidence)
	}
	edges := 0
	for _, x := range f.Figures {
		if x.Says == "apart" {
			edges++
		}
		if x.What == "cycles that rise inside" && x.Text != "9 of 9" {
			t.Errorf("%s rise, want all of the 9 between 10 vacuums", x.Text)
		}
	}
	if edges != 2 {
		t.Errorf("%d partial segments listed apart, want the first and the last", edges)
	}
}

func TestSawtoothFromDurationsAloneIsLikely(t *testing.T) {
	l := tenCycles
	l.noHeap = true
	if f := only(t, run(l.batch(), vacuumSawtooth), "PGA201"); f.Confidence != finding.Likely {
		t.Errorf("%s without heap fetches: %s", f.Confidence, f.WhyConfidence)
	}
}

func TestNoSawtooth(t *testing.T) {
	for name, change := range map[string]func(*sawLoad){
		"vacuums that do not reset":  func(l *sawLoad) { l.noReset = true },
		"vacuums that are held back": func(l *sawLoad) { l.held = true },
		"a tuned table":              func(l *sawLoad) { l.decay = 0.05 },
		"a scan of a few rows":       func(l *sawLoad) { l.rows = 20 },
		"a flat cost":                func(l *sawLoad) { l.flat = true },
		"two cycles":                 func(l *sawLoad) { l.seconds = 95 },
	} {
		l := tenCycles
		change(&l)
		t.Run(name, func(t *testing.T) { silent(t, run(l.batch(), vacuumSawtooth), "PGA201") })
	}
}

func TestSawtoothNeedsVacuums(t *testing.T) {
	b := tenCycles.batch()
	b.Vacuums = nil
	p := run(b, vacuumSawtooth)
	if len(p.NotEvaluated) != 1 {
		t.Errorf("not evaluated %+v, want PGA201: no vacuums in input", p.NotEvaluated)
	}
}

func TestSawtoothAddsNoEdgeCyclesToTheFigures(t *testing.T) {
	p := run(tenCycles.batch(), vacuumSawtooth)
	f := only(t, p, "PGA201")
	if want := fmt.Sprintf("%d complete cycles", 9); f.N[:len(want)] != want {
		t.Errorf("N says %q, want %s", f.N, want)
	}
}
