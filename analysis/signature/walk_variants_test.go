package signature

import (
	"fmt"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/simulation"
)

// insertLoad is twenty minutes of eight clients, captures every five seconds,
// an HNSW index that grows from 1,000 to 3,000 pages, and a vacuum in the
// middle that cleans it and starts a walk of one buffer per page.
func insertLoad() simulation.Workload {
	const length, clients, think = 1200.0, 8, 0.8
	growth := 2000 / (length * clients / think)
	return simulation.Workload{
		Seed: 11, Length: length, Clients: clients, Think: think, Base: 1000, Noise: 0.15, Snapshots: 5,
		Drift: simulation.Drift{Share: 0.01, Persistence: 10},
		Heap:  simulation.Index{Pages: 600, Growth: growth / 2},
		Indexes: []simulation.Index{
			{Name: "items_sparse", Method: "hnsw", Class: "sparsevec_l2_ops", Column: "terms", Pages: 1000, Growth: growth},
			{Name: "items_pkey", Method: "btree", Column: "id", Pages: 100, Growth: growth / 10},
		},
		Vacuums: []simulation.Vacuum{{At: 600, Elapsed: 30, Cleans: []string{"items_sparse", "items_pkey"}}},
		Walks:   []simulation.Walk{{Index: "items_sparse", From: 600, Settling: 15, Slope: 1, Share: 1}},
	}
}

// slower stretches the load to days: as many inserts in more time.
func slower(w *simulation.Workload, times float64) {
	w.Length *= times
	w.Think *= times
	w.Drift.Persistence *= times
	for i := range w.Vacuums {
		w.Vacuums[i].At *= times
	}
	for i := range w.Walks {
		w.Walks[i].From *= times
		w.Walks[i].To *= times
		w.Walks[i].Settling *= times
	}
}

// dense adds an index on a fixed-size column that grows alike.
func dense(w *simulation.Workload) {
	x := w.Indexes[0]
	x.Name, x.Class, x.Column, x.Pages = "items_dense", "vector_l2_ops", "embedding", 1400
	w.Indexes = append(w.Indexes, x)
	w.Vacuums[0].Cleans = append(w.Vacuums[0].Cleans, "items_dense")
}

func TestWalkIsRecognisedInAllItsVariants(t *testing.T) {
	for _, v := range []struct {
		name   string
		change func(*simulation.Workload)
		least  finding.Confidence
		noted  string // rival that must not be ruled out
	}{
		{"as it is", func(*simulation.Workload) {}, finding.Confirmed, ""},
		{"concurrency rises at the same time", func(w *simulation.Workload) { w.Ramp = 3 }, finding.Confirmed, ""},
		{"load swings", func(w *simulation.Workload) { w.Swing, w.SwingPeriod = 0.8, 300 }, finding.Confirmed, ""},
		{"half of the rows are small", func(w *simulation.Workload) { w.Walks[0].Share = 0.5 }, finding.Likely, ""},
		{"a fifth of the rows is large: the median does not move", func(w *simulation.Workload) { w.Walks[0].Share = 0.2 }, finding.Likely, ""},
		{"a fixed-size column has an index that grows alike", dense, finding.Confirmed, ""},
		{"captures every five minutes of a day", func(w *simulation.Workload) {
			slower(w, 72)
			w.Snapshots = 300
		}, finding.Confirmed, ""},
		{"twice the noise", func(w *simulation.Workload) { w.Noise, w.Drift.Share = 0.3, 0.02 }, finding.Likely, ""},
		{"plans below 1.6 ms are not logged", func(w *simulation.Workload) { w.LogFloor, w.Noise = 1.6, 0.4 }, finding.Possible, ""},
		{"pages are read, not hit", func(w *simulation.Workload) { w.ReadShare = 0.9 }, finding.Confirmed, "reads"},
		{"rows come by 1, 5 and 10", func(w *simulation.Workload) {
			w.Rows = []int{1, 5, 10}
			for i := range w.Indexes {
				w.Indexes[i].Growth /= 16. / 3
			}
		}, finding.Confirmed, ""},
		{"the walk begins behind a third of the index", func(w *simulation.Workload) { w.Walks[0].Skip = 300 }, finding.Confirmed, ""},
		{"the vacuum is known from snapshots alone", func(w *simulation.Workload) { w.Vacuums[0].Unlogged = true }, finding.Likely, ""},
		{"vacuums before it cleaned without effect", func(w *simulation.Workload) {
			for _, at := range []float64{150, 300, 450} {
				v := w.Vacuums[0]
				v.At = at
				w.Vacuums = append(w.Vacuums, v)
			}
		}, finding.Confirmed, ""},
	} {
		t.Run(v.name, func(t *testing.T) {
			w := insertLoad()
			v.change(&w)
			f := only(t, run(w.Batch(), linearPageWalk), "PGA101")
			wantWalk(t, &f, "items_sparse", w.Walks[0].From, w.Snapshots)
			if f.Confidence < v.least {
				t.Errorf("%s: %s", f.Confidence, f.WhyConfidence)
			}
			for _, r := range f.RuledOut {
				if r.Verdict == finding.NotRuledOut && r.Rival != v.noted {
					t.Errorf("%s not ruled out: %s", r.Rival, r.Figure)
				}
			}
		})
	}
}

// wantWalk holds a walk of one buffer per page against its index and its event,
// which a snapshot knows but to the next capture.
func wantWalk(t *testing.T, f *finding.Finding, index string, from, within float64) {
	t.Helper()
	if f.Subject.Index != "public."+index {
		t.Errorf("index %s, want %s", f.Subject.Index, index)
	}
	if f.Onset == nil || f.Onset.EventTime < simulation.At(from) || f.Onset.EventTime > simulation.At(from+within) {
		t.Errorf("event %+v, want the vacuum at %s", f.Onset, simulation.At(from).Std())
	}
	if v := f.Figures[0]; v.Value < 0.93 || v.Value > 1.07 {
		t.Errorf("slope %g %v, want 1", v.Value, v.Interval)
	}
}

func TestWalkADayAfterItsVacuum(t *testing.T) {
	w := insertLoad()
	slower(&w, 360) // five days
	w.Snapshots = 1800
	w.Vacuums[0].At -= 86400
	f := only(t, run(w.Batch(), linearPageWalk), "PGA101")
	wantWalk(t, &f, "items_sparse", w.Vacuums[0].At, 0)
	if lag := f.Onset.Lag.Seconds() / 3600; lag < 20 || lag > 29 {
		t.Errorf("lag %.1f hours, want about 24", lag)
	}
}

func TestSecondWalkOfARebuiltIndexIsToldApart(t *testing.T) {
	w := insertLoad()
	w.Walks[0].To, w.Noise = 800, 0.05
	w.Indexes[0].Rebuilds = []float64{800}
	second := w.Vacuums[0]
	second.At = 1000
	w.Vacuums = append(w.Vacuums, second)
	w.Walks = append(w.Walks, simulation.Walk{Index: "items_sparse", From: 1000, Slope: 1, Share: 1})
	p := run(w.Batch(), linearPageWalk, walkEnded)
	walk, ended := only(t, p, "PGA101"), only(t, p, "PGA102")
	wantWalk(t, &walk, "items_sparse", 1000, 0)
	if end := ended.Onset.Time; end < simulation.At(795) || end > simulation.At(810) {
		t.Errorf("the first ended at %s", end.Std())
	}
}

func TestWalkThatEndsQuickly(t *testing.T) {
	w := insertLoad()
	w.Walks[0].To, w.Noise = 750, 0.05
	w.Indexes[0].Growth *= 2
	p := run(w.Batch(), linearPageWalk, walkEnded)
	f := only(t, p, "PGA101")
	wantWalk(t, &f, "items_sparse", 600, 0)
	if end := only(t, p, "PGA102").Onset.Time; end < simulation.At(740) || end > simulation.At(770) {
		t.Errorf("ended at %s", end.Std())
	}
}

func TestNoWalkInNullVariants(t *testing.T) {
	for name, change := range map[string]func(*simulation.Workload){
		"the vacuum has no effect":          func(*simulation.Workload) {},
		"the index grows ten times as fast": func(w *simulation.Workload) { w.Indexes[0].Growth *= 10 },
		"only fixed-size columns": func(w *simulation.Workload) {
			dense(w)
			w.Indexes = w.Indexes[1:]
			w.Vacuums[0].Cleans = []string{"items_dense", "items_pkey"}
		},
		"concurrency costs":           func(w *simulation.Workload) { w.Ramp, w.Contention = 4, 0.3 },
		"cost rises with the clock":   func(w *simulation.Workload) { w.Trend = 0.5 },
		"cost steps up at the vacuum": func(w *simulation.Workload) { w.Step = simulation.Step{At: 600, Buffers: 2000} },
		"half of the log is cut":      func(w *simulation.Workload) { w.LogFloor, w.Noise = 1.4, 0.4 },
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(3) {
				w := insertLoad()
				w.Walks, w.Seed = nil, seed
				change(&w)
				t.Run(fmt.Sprint(seed), func(t *testing.T) { silent(t, run(w.Batch(), linearPageWalk), "PGA101") })
			}
		})
	}
}
