package main

import (
	"math/rand/v2"

	"github.com/pgassay/pgassay/analysis/simulation"
)

// kind is a way in which a run may look like a walk without being one.
type kind struct {
	name string
	make func(r *rand.Rand, w *simulation.Workload)
}

// nullKinds are the runs without a cause, each drawn as often as the others.
func nullKinds() []kind {
	return []kind{
		{"autocorrelated noise", func(r *rand.Rand, w *simulation.Workload) {
			w.Drift = simulation.Drift{Share: between(r, 0.05, 0.2), Persistence: between(r, 20, 200)}
		}},
		{"trend without a cause", func(r *rand.Rand, w *simulation.Workload) {
			w.Trend = w.Base * between(r, -0.3, 3) / w.Length
		}},
		{"load swings", func(r *rand.Rand, w *simulation.Workload) {
			w.Swing, w.SwingPeriod = between(r, 0.5, 0.9), between(r, 60, 600)
			w.Contention = between(r, 0, 0.1)
		}},
		{"closed loop under contention", func(r *rand.Rand, w *simulation.Workload) {
			w.Clients, w.Think, w.Ramp = 8, 0.4, between(r, 2, 4)
			w.Contention = between(r, 0.1, 0.3)
		}},
		{"censored log", func(r *rand.Rand, w *simulation.Workload) {
			w.Noise, w.LogFloor = between(r, 0.2, 0.5), between(r, 1, 2)
			w.Trend = w.Base * between(r, 0, 1) / w.Length
		}},
		{"growth of the index", func(r *rand.Rand, w *simulation.Workload) {
			w.Indexes[0].Growth *= between(r, 2, 6)
			w.Vacuums = nil
		}},
		{"vacuum that cleans no index", func(_ *rand.Rand, w *simulation.Workload) { w.Vacuums[0].Cleans = nil }},
		{"vacuums without effect", func(_ *rand.Rand, w *simulation.Workload) {
			for k := range 8 {
				v := w.Vacuums[0]
				v.At = w.Length * float64(k+1) / 9
				w.Vacuums = append(w.Vacuums, v)
			}
		}},
		{"step at the vacuum", func(r *rand.Rand, w *simulation.Workload) {
			w.Step = simulation.Step{At: w.Vacuums[0].At, Buffers: w.Base * between(r, 0.2, 4)}
		}},
		{"step at the vacuum, few captures", func(r *rand.Rand, w *simulation.Workload) {
			w.Step = simulation.Step{At: w.Vacuums[0].At, Buffers: w.Base * between(r, 0.2, 4)}
			w.Snapshots = 40
		}},
		{"trend without a cause, few captures", func(r *rand.Rand, w *simulation.Workload) {
			w.Trend = w.Base * between(r, 0, 3) / w.Length
			w.Snapshots = 40
		}},
		{"heavy rows among light ones", func(r *rand.Rand, w *simulation.Workload) {
			w.Noise, w.Rows = between(r, 0.3, 0.6), []int{1, 5, 10}
			w.Think *= 4
		}},
	}
}

// null is the n-th run without a cause.
func null(seed uint64, n int) (simulation.Workload, string) {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	w := usual(r)
	kinds := nullKinds()
	k := kinds[n%len(kinds)]
	k.make(r, &w)
	return w, k.name
}

// walk is the n-th run with a walk of one buffer per page.
func walk(seed uint64, n int) simulation.Workload {
	r := rand.New(rand.NewPCG(seed, 1_000_000+uint64(n)))
	w := usual(r)
	w.Walks = []simulation.Walk{{Index: w.Indexes[0].Name, From: w.Vacuums[0].At, Settling: between(r, 0, 40),
		Slope: 1, Share: 1, Skip: between(r, 0, 0.3) * w.Indexes[0].Pages}}
	return w
}

// usual is a quarter of an hour of eight clients inserting, a capture every
// five seconds, an index, and a vacuum in the middle that cleans it. The stated
// size: a row costs 500 to 3,000 buffers with 10 to 20 % of noise of its own and
// 0.5 to 2 % of noise that lasts 5 to 20 seconds; during the run the index grows
// by half to twice that cost.
func usual(r *rand.Rand) simulation.Workload {
	const length, clients, think = 900.0, 8, 0.8
	w := simulation.Workload{
		Seed: r.Uint64(), Length: length, Clients: clients, Think: think,
		Base: between(r, 500, 3000), Noise: between(r, 0.1, 0.2), Snapshots: 5,
		Drift: simulation.Drift{Share: between(r, 0.005, 0.02), Persistence: between(r, 5, 20)},
	}
	pages := w.Base * between(r, 0.5, 3)
	growth := w.Base * between(r, 0.5, 2) / (length * clients / think)
	w.Heap = simulation.Index{Pages: pages / 2, Growth: growth / 2}
	w.Indexes = []simulation.Index{
		{Name: "items_hnsw", Method: "hnsw", Class: "sparsevec_l2_ops", Column: "embedding", Pages: pages, Growth: growth},
		{Name: "items_pkey", Method: "btree", Column: "id", Pages: pages / 5, Growth: growth / 5},
	}
	w.Vacuums = []simulation.Vacuum{{At: length * between(r, 0.35, 0.6), Elapsed: between(r, 5, 60), Cleans: []string{"items_hnsw", "items_pkey"}}}
	return w
}

func between(r *rand.Rand, lo, hi float64) float64 { return lo + (hi-lo)*r.Float64() }

// readings shrinks the run to so many readings of the size on each side of the
// vacuum, with so many executions between two of them.
func readings(w simulation.Workload, sizes, executions int) simulation.Workload {
	w.Snapshots = w.Length / float64(2*sizes+2)
	w.Vacuums[0].At = w.Length / 2
	w.Walks[0].From, w.Walks[0].Settling = w.Vacuums[0].At, 0
	rate, before := float64(executions)/w.Snapshots, float64(w.Clients)/w.Think
	w.Think = float64(w.Clients) / rate
	for i := range w.Indexes {
		w.Indexes[i].Growth *= before / rate
	}
	return w
}
