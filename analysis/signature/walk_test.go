package signature

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// walkLoad is a synthetic insert workload over an index that grows by a page
// every other row, with a vacuum in the middle.
type walkLoad struct {
	walks      float64 // share of rows that walk after the vacuum
	transition int     // seconds during which freed slots fill
	cleaned    bool    // the vacuum removed entries from the index
	logged     bool    // its line is in the log
	rebuild    int     // second at which the index is rebuilt; 0 never
	slope      float64 // buffers per page of a walking row
	method     string
	lag        int  // seconds from the vacuum to the walk
	gradual    bool // the walk begins at the last page, not at the first
}

const walkStart = record.Time(1_800_000_000_000_000)

func sec(s float64) record.Time { return walkStart + record.Time(s*1e6) }

// batch makes 600 s: snapshots every 5 s, ten single-row inserts per second,
// a vacuum at 300 s.
func (l walkLoad) batch() *record.Batch {
	r := rand.New(rand.NewPCG(7, 8))
	b := &record.Batch{}
	pages, walked, filenode := 1000.0, 0.0, 1
	columns := record.NewColumns([]string{"captured_at", "schemaname", "relname", "indexrelname", "indexrelid", "relfilenode", "index_size", "amname", "indexdef"})
	insert := &record.Statement{Fingerprint: "f1", Normalized: "insert into items (embedding) values ($1)", Command: "INSERT", Target: "items", Relations: []string{"items"}}
	for s := range 600 {
		if l.rebuild > 0 && s == l.rebuild {
			pages, filenode = pages*0.8, 2
		}
		if s%5 == 0 {
			v := []string{sec(float64(s)).Std().Format("2006-01-02 15:04:05.999999Z07:00"), "public", "items", "items_hnsw", "9", fmt.Sprint(filenode),
				fmt.Sprint(int64(pages) * 8192), l.method, "CREATE INDEX items_hnsw ON public.items USING hnsw (embedding sparsevec_l2_ops)"}
			sample := record.Sample{View: record.ViewIndexes, Columns: columns, CapturedAt: sec(float64(s)), Pos: record.Pos{File: "indexes.csv", Line: int64(s), Offset: int64(s)}}
			for _, t := range v {
				sample.Values = append(sample.Values, record.Value{Text: t, Valid: true})
			}
			b.Samples = append(b.Samples, sample)
		}
		begun := 300 + l.lag
		filling := s >= begun && s < begun+l.transition
		if s == begun {
			walked = pages
		}
		for k := range 10 {
			cost := 500 + 20*r.NormFloat64()
			after := s >= begun && (l.rebuild == 0 || s < l.rebuild)
			if after && r.Float64() < l.walks {
				part := 1.0
				if filling {
					part = float64(s-begun) / float64(l.transition)
				}
				if cost += l.slope * pages * part; l.gradual {
					cost -= walked
				}
			}
			b.Executions = append(b.Executions, record.Execution{
				Pos: record.Pos{File: "log", Line: int64(s*10 + k), Offset: int64(s*10 + k)}, LogTime: sec(float64(s) + float64(k)/10),
				Kind: record.ExecPlan, Session: fmt.Sprint(k % 3), Duration: record.Duration(cost * 2), HasDuration: true, Statement: insert, HasPlan: true,
				Figures: record.Figures{Shape: 1, IsWrite: true, HasRows: true, Rows: record.WholeRows(1), HasBuffers: true, Own: record.Buffers{SharedHit: int64(cost)}},
			})
		}
		if !filling {
			pages += 5
		}
		if s == 300 && l.logged {
			v := record.Vacuum{Pos: record.Pos{File: "log", Line: 99}, LogTime: sec(300), Kind: record.KindVacuum, Schema: "public", Relation: "items", HasElapsed: true, Elapsed: record.Second}
			if l.cleaned {
				v.IndexScans, v.Indexes = 1, []record.VacuumIndex{{Name: "items_hnsw", Pages: int64(pages)}}
			}
			b.Vacuums = append(b.Vacuums, v)
		}
	}
	return b
}

func run(b *record.Batch, list ...*Signature) *Pass {
	d := dataset.New(dataset.DefaultLimits(), func(t []byte) *record.Statement {
		return &record.Statement{Fingerprint: string(t), Normalized: string(t)}
	})
	d.Fold(b)
	return Run(d.Build(), list, nil)
}

// only returns the finding with the ID; the test fails if there is not exactly
// one.
func only(t *testing.T, p *Pass, id string) finding.Finding {
	t.Helper()
	var found []finding.Finding
	for _, f := range p.Findings {
		if f.ID == id {
			found = append(found, f)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d findings of %s, want one: %+v", len(found), id, p.Findings)
	}
	return found[0]
}

func silent(t *testing.T, p *Pass, id string) {
	t.Helper()
	for _, f := range p.Findings {
		if f.ID == id {
			t.Errorf("%s must stay silent, but says: %s", id, f.Title)
		}
	}
}

var fullWalk = walkLoad{walks: 1, transition: 20, cleaned: true, logged: true, slope: 1, method: "hnsw"}

func TestWalkAfterVacuumIsConfirmed(t *testing.T) {
	f := only(t, run(fullWalk.batch(), linearPageWalk), "PGA101")
	if f.Severity != finding.Critical || f.Confidence != finding.Confirmed || f.Subject.Index != "public.items_hnsw" {
		t.Errorf("%s %s on %s: %s", f.Severity, f.Confidence, f.Subject.Index, f.WhyConfidence)
	}
	if s := f.Onset.Transition.Seconds(); s < 15 || s > 30 {
		t.Errorf("transition %g s, want about 20", s)
	}
	if v := f.Figures[0].Value; v < 0.95 || v > 1.05 {
		t.Errorf("slope %g, want 1", v)
	}
}

func TestWalkOfMixedRowSizesFitsTheUpperComponent(t *testing.T) {
	l := fullWalk
	l.walks, l.transition = 0.2, 0
	f := only(t, run(l.batch(), linearPageWalk), "PGA101")
	if v := f.Figures[0].Value; v < 0.9 || v > 1.1 {
		t.Errorf("slope of the upper component %g, want 1", v)
	}
	now, all := figure(t, f, "buffers per row now"), figure(t, f, "buffers per row over all executions")
	if all.Value < 0.15*now.Value || all.Value > 0.65*now.Value {
		t.Errorf("%g buffers per row over all executions, want the mean of a fifth at %g and the rest at the baseline", all.Value, now.Value)
	}
	if baseline := figure(t, f, "buffers per row before").Value; f.Effect != all.Value/baseline {
		t.Errorf("effect %g, want that of all executions, %g", f.Effect, all.Value/baseline)
	}
}

func TestWalkWithoutVacuumLineIsLikelyAtMost(t *testing.T) {
	l := fullWalk
	l.logged = false
	if f := only(t, run(l.batch(), linearPageWalk), "PGA101"); f.Confidence > finding.Likely {
		t.Errorf("%s without its event: %s", f.Confidence, f.WhyConfidence)
	}
}

// The index grows all the time; only after the lag does the cost follow it.
func TestWalkThatBeginsLaterThanItsVacuum(t *testing.T) {
	for name, lag := range map[string]int{"half of the readings after it": 150, "most of the readings after it": 210} {
		t.Run(name, func(t *testing.T) {
			l := fullWalk
			l.lag = lag
			f := only(t, run(l.batch(), linearPageWalk), "PGA101")
			if f.Confidence != finding.Confirmed {
				t.Errorf("%s: %s", f.Confidence, f.WhyConfidence)
			}
			if got := f.Onset.Lag.Seconds(); got < float64(lag)-10 || got > float64(lag)+10 || f.Onset.EventTime != sec(300) {
				t.Errorf("lag %g s after %s, want %d s after second 300", got, f.Onset.EventTime.Std(), lag)
			}
			if s := f.Onset.Transition.Seconds(); s < 10 || s > 30 {
				t.Errorf("transition %g s, want about 20, the lag left out", s)
			}
			wantText(t, "summary", f.Summary, "after the vacuum of public.items cleaned items_hnsw ended")
			wantText(t, "figure", figure(t, f, "from the vacuum to the rise").Text, "at the baseline, index from 2,500 to")
		})
	}
}

// A walk that begins at the end of the index costs nothing at first: it comes in
// sight as the index grows.
func TestWalkThatGrowsFromNothing(t *testing.T) {
	l := fullWalk
	l.gradual, l.transition = true, 0
	f := only(t, run(l.batch(), linearPageWalk), "PGA101")
	if f.Confidence != finding.Confirmed || f.Onset.Time != sec(300) {
		t.Errorf("%s since %s: %s", f.Confidence, f.Onset.Time.Std(), f.WhyConfidence)
	}
	if v := figure(t, f, "baseline + pages − cost").Value; v < 2400 || v > 2600 {
		t.Errorf("%g pages before the walk's start, want 2,500", v)
	}
	if f.Onset.Lag < 5*record.Second {
		t.Errorf("in sight after %g s, want later", f.Onset.Lag.Seconds())
	}
}

func TestVacuumTooLongBeforeTheWalkIsNotItsEvent(t *testing.T) {
	l := fullWalk
	l.lag = 210
	b := l.batch()
	d := dataset.New(dataset.DefaultLimits(), func(t []byte) *record.Statement { return &record.Statement{} })
	d.Fold(b)
	p := Run(d.Build(), []*Signature{linearPageWalk}, Thresholds{"PGA101.max_lag": 0.01})
	if f := only(t, p, "PGA101"); f.Onset.Event != "" || f.Confidence > finding.Likely {
		t.Errorf("%s after %q, which was over 210 s before", f.Confidence, f.Onset.Event)
	}
}

func TestNoWalk(t *testing.T) {
	for name, change := range map[string]func(*walkLoad){
		"flat inserts":                     func(l *walkLoad) { l.walks = 0 },
		"half a buffer per page":           func(l *walkLoad) { l.slope = 0.5 },
		"two buffers per page":             func(l *walkLoad) { l.slope = 2 },
		"a b-tree, which cannot walk":      func(l *walkLoad) { l.method = "btree" },
		"one row in a hundred is dear too": func(l *walkLoad) { l.walks = 0.01 },
	} {
		l := fullWalk
		change(&l)
		t.Run(name, func(t *testing.T) { silent(t, run(l.batch(), linearPageWalk), "PGA101") })
	}
}

func TestRebuildEndsTheWalk(t *testing.T) {
	l := fullWalk
	l.rebuild = 500
	p := run(l.batch(), linearPageWalk, walkEnded)
	only(t, p, "PGA101")
	f := only(t, p, "PGA102")
	if f.Confidence != finding.Confirmed || f.Severity != finding.Info {
		t.Errorf("%s %s: %s", f.Severity, f.Confidence, f.WhyConfidence)
	}
	if end := f.Onset.Time; end < sec(495) || end > sec(510) {
		t.Errorf("ended at %s, want about second 500", end.Std())
	}
}

func TestWalkThatGoesOnHasNotEnded(t *testing.T) {
	silent(t, run(fullWalk.batch(), linearPageWalk, walkEnded), "PGA102")
}

func TestWalkNeedsSizes(t *testing.T) {
	b := fullWalk.batch()
	b.Samples, b.Vacuums = nil, nil
	p := run(b, linearPageWalk)
	if len(p.NotEvaluated) != 1 {
		t.Fatalf("not evaluated %+v, want PGA101: no sizes in input", p.NotEvaluated)
	}
}
