package autovacuum

import (
	"math"
	"math/rand/v2"
	"testing"
)

// What PostgreSQL 17 had left all-visible of 3,279 and of 3,637 pages (fillfactor
// 90, all updates HOT) after random single-row updates.
var measuredDecay = []struct {
	touches            float64
	fillfactor100, hot float64
	model100, modelHot float64
}{
	{100, .9701, .9720, .9700, .9729},
	{500, .8622, .8738, .8586, .8715},
	{1000, .7353, .7660, .7371, .7596},
	{2000, .5465, .5826, .5433, .5770},
	{4000, .2888, .3308, .2952, .3329},
	{8000, .0884, .1158, .0871, .1108},
}

func TestVisibleAgreesWithTheServer(t *testing.T) {
	for _, x := range measuredDecay {
		for _, c := range []struct{ pages, real, model float64 }{{3279, x.fillfactor100, x.model100}, {3637, x.hot, x.modelHot}} {
			got := Visible(1, c.pages, x.touches)
			if math.Abs(got-c.real) > 0.01 || math.Abs(got-c.model) > 0.0001 {
				t.Errorf("%g touches of %g pages: %.4f, the server had %.4f", x.touches, c.pages, got, c.real)
			}
		}
	}
}

// At the default trigger e^(−0.2 · rows per page) is left, whatever the size.
func TestVisibleAtTheDefaultTriggerDependsOnRowsPerPageAlone(t *testing.T) {
	for perPage, want := range map[float64]float64{5: 0.37, 10: 0.14, 61: 5e-6} {
		for _, rows := range []float64{1e6, 1e9} {
			if got := Visible(1, rows/perPage, 50+0.2*rows); math.Abs(got-want) > 0.01 {
				t.Errorf("%g rows per page, %g rows: %.4f, want %.4f", perPage, rows, got, want)
			}
		}
	}
}

func TestTouchesIsTheInverseOfVisible(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		start, pages, k := 0.01+0.99*r.Float64(), math.Exp(12*r.Float64()+1), 0.0
		k = 5 * pages * r.Float64()
		v := Visible(start, pages, k)
		if v < 0 || v > start {
			t.Fatalf("visible(%g, %g, %g) = %g", start, pages, k, v)
		}
		if got := Touches(start, pages, v); math.Abs(got-k) > 1e-6*(k+1) {
			t.Fatalf("touches(%g, %g, %g) = %g, want %g", start, pages, v, got, k)
		}
	}
	for name, c := range map[string]struct{ got, want float64 }{
		"already there":   {Touches(0.5, 100, 0.6), 0},
		"all":             {Touches(1, 100, 0), math.Inf(1)},
		"one page":        {Touches(1, 1, 0.5), 1},
		"one page, gone":  {Visible(1, 1, 1), 0},
		"untouched":       {Visible(0.7, 10, 0), 0.7},
		"negative counts": {Visible(0.7, 10, -5), 0.7},
	} {
		if c.got != c.want {
			t.Errorf("%s: %g, want %g", name, c.got, c.want)
		}
	}
	if v := Visible(1, 0, 5); !math.IsNaN(v) {
		t.Errorf("a table of no size: %g", v)
	}
}

func TestLostRisesBetweenItsBoundsAndWithinIsItsInverse(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		w := Workload{Pages: math.Exp(1 + 14*r.Float64()), Visible: 0.8 + 0.2*r.Float64(), Low: 100 * r.Float64(), Growth: r.Float64() * float64(r.IntN(2))}
		w.High = w.Low * (1 + 3*r.Float64())
		before := 0.0
		for _, s := range []float64{0, 1, 60, 3600, 86400, 1e7} {
			lo, hi := w.Lost(s)
			if lo > hi || lo < 0 || hi > 1 || hi < before {
				t.Fatalf("%+v after %g s: %g to %g, before %g", w, s, lo, hi, before)
			}
			before = hi
		}
		tolerated := 0.05 + 0.9*r.Float64()
		s := w.Within(tolerated)
		if _, hi := w.Lost(s); s > 0 && hi > tolerated {
			t.Fatalf("%+v within %g s loses %g, tolerated %g", w, s, hi, tolerated)
		}
		if _, hi := w.Lost(s*1.001 + 1e-6); s < longest && hi < tolerated {
			t.Fatalf("%+v: %g s is not the longest for %g", w, s, tolerated)
		}
	}
}

// Only the newest rows are read: the share is what was inserted of them.
func TestLostOfAWindowIsWhatWasInsertedOfIt(t *testing.T) {
	w := Workload{Pages: 1e6, Visible: 1, Growth: 1, Inserts: 10, Window: 1000}
	for seconds, want := range map[float64]float64{0: 0, 10: 0.1, 50: 0.5, 1000: 1} {
		if _, hi := w.Lost(seconds); math.Abs(hi-want) > 1e-9 {
			t.Errorf("after %g s: %g, want %g", seconds, hi, want)
		}
	}
}
