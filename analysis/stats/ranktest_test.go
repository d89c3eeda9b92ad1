package stats

import (
	"math"
	"slices"
	"testing"
)

func TestRanksShareTies(t *testing.T) {
	got, ties := ranks([]float64{3, 1, 3, 2, 3})
	if !slices.Equal(got, []float64{4, 1, 4, 2, 4}) || ties != 24 {
		t.Errorf("%v, %v", got, ties)
	}
}

// Hollander and Wolfe (1973), p. 29: Hamilton depression scale before and after
// a tranquilizer; V = 40, two-sided p 0.0390625.
func TestWilcoxonOfDepressionScores(t *testing.T) {
	before := []float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30}
	after := []float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29}
	w := WilcoxonSignedRank(sum(before, affine(0, -1, after)))
	if w.Statistic != 40 || !w.Exact || w.N != 9 {
		t.Errorf("%+v", w)
	}
	near(t, "p", w.P, 0.0390625, 1e-12)
}

func TestWilcoxonOfThreeCyclesIsOneInFour(t *testing.T) {
	near(t, "three alike", WilcoxonSignedRank([]float64{5, 6, 7}).P, 0.25, 1e-12)
	near(t, "ten alike", WilcoxonSignedRank(affine(1, 1, count(10))).P, 2.0/1024, 1e-12)
	nan(t, "only zeros", WilcoxonSignedRank([]float64{0, 0}).P)
}

func TestWilcoxonWithTiesAgreesWithEnumeration(t *testing.T) {
	d := []float64{1, -1, 2, 2, -3, 4, 4, 4, 0}
	r := Ranks([]float64{1, 1, 2, 2, 3, 4, 4, 4})
	var low, high int
	observed := WilcoxonSignedRank(d).Statistic
	for mask := range 1 << 8 {
		var w float64
		for i, v := range r {
			if mask>>i&1 == 1 {
				w += v
			}
		}
		if w <= observed {
			low++
		}
		if w >= observed {
			high++
		}
	}
	near(t, "p", WilcoxonSignedRank(d).P, 2*float64(min(low, high))/256, 1e-12)
}

func TestWilcoxonApproximationMeetsTheExactTest(t *testing.T) {
	exact := WilcoxonSignedRank(affine(0.3, 1, normals(25, 5)))
	approximate := WilcoxonSignedRank(affine(0.3, 1, append(normals(25, 5), -0.29)))
	if !exact.Exact || approximate.Exact {
		t.Fatal("wrong side of the bound")
	}
	near(t, "p", approximate.P, exact.P, 0.02)
}

func TestSignTest(t *testing.T) {
	near(t, "8 of 10", SignTest(8, 2).P, 0.109375, 1e-12)
	near(t, "10 of 10", SignTest(10, 0).P, 2.0/1024, 1e-12)
	near(t, "even", SignTest(5, 5).P, 1, 0)
	nan(t, "none", SignTest(0, 0).P)
	nan(t, "negative", SignTest(-1, 3).P)
}

// Hollander and Wolfe (1973), p. 69: permeability of membranes; W = 35, exact
// one-sided p 0.1272, Hodges–Lehmann 0.305.
func TestMannWhitneyOfPermeability(t *testing.T) {
	a := []float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}
	b := []float64{1.15, 0.88, 0.90, 0.74, 1.21}
	m := MannWhitney(a, b)
	if m.Statistic != 35 || !m.Exact {
		t.Errorf("%+v", m)
	}
	near(t, "p", m.P, 2*0.1272, 1e-4)
	near(t, "delta", CliffsDelta(a, b), 0.4, 1e-12)
	near(t, "shift", HodgesLehmann(a, b).Estimate, 0.305, 1e-12)
	swapped := MannWhitney(b, a)
	near(t, "p swapped", swapped.P, m.P, 1e-12)
	near(t, "U + U'", swapped.Statistic+m.Statistic, 50, 0)
}

func TestMannWhitneyWithTiesAgreesWithEnumeration(t *testing.T) {
	a, b := []float64{1, 2, 2, 5}, []float64{2, 3, 5, 5, 6}
	r := Ranks(slices.Concat(a, b))
	observed := MannWhitney(a, b).Statistic + 10
	var low, high, all int
	for mask := range 1 << 9 {
		var w float64
		size := 0
		for i, v := range r {
			if mask>>i&1 == 1 {
				w, size = w+v, size+1
			}
		}
		if size != 4 {
			continue
		}
		all++
		if w <= observed {
			low++
		}
		if w >= observed {
			high++
		}
	}
	near(t, "p", MannWhitney(a, b).P, 2*float64(min(low, high))/float64(all), 1e-12)
}

func TestMannWhitneyApproximationMeetsTheExactTest(t *testing.T) {
	a, b := affine(0.5, 1, normals(20, 1)), normals(20, 2)
	exact, approximate := MannWhitney(a, b), MannWhitney(a, append(b, Median(b)))
	if !exact.Exact || approximate.Exact {
		t.Fatal("wrong side of the bound")
	}
	near(t, "p", approximate.P, exact.P, 0.03)
	near(t, "all equal", MannWhitney(make([]float64, 30), make([]float64, 30)).P, 1, 0)
	near(t, "few, all equal", MannWhitney(make([]float64, 3), make([]float64, 3)).P, 1, 0)
	nan(t, "empty", MannWhitney(a, nil).P)
	nan(t, "delta of empty", CliffsDelta(nil, a))
}

func TestHodgesLehmannIntervalCovers(t *testing.T) {
	covered := 0
	for r := range uint64(300) {
		s := HodgesLehmann(affine(2, 1, normals(12, 2*r)), normals(15, 2*r+1))
		if s.Interval.Contains(2) {
			covered++
		}
	}
	if covered < 275 || covered > 297 {
		t.Errorf("covered %d of 300", covered)
	}
	if s := HodgesLehmann([]float64{1, 2, 3}, []float64{1, 2, 3}); s.Interval.OK() {
		t.Error("three against three gave 95 %")
	}
	if s := HodgesLehmann(count(3000), affine(-5, 1, count(3000))); math.Abs(s.Estimate-5) > 1 || !s.Interval.Contains(5) {
		t.Errorf("thinned: %+v", s)
	}
	nan(t, "shift of nothing", HodgesLehmann(nil, nil).Estimate)
}

func TestStepTestReadsBeforeThenAfter(t *testing.T) {
	s := StepTest([]float64{10, 11, 9, 10}, []float64{30, 29, 31, 30, 32})
	near(t, "difference", s.Difference, 20, 0)
	near(t, "ratio", s.Ratio, 3, 0)
	near(t, "delta", s.Delta, 1, 0)
	near(t, "p", s.P, 2.0/126, 1e-12) // 1 of C(9,4), both sides
	if s.N != 4 || s.M != 5 || !s.Shift.Interval.Contains(20) {
		t.Errorf("%+v", s)
	}
	nan(t, "nothing before", StepTest(nil, []float64{1}).Ratio)
}

func TestHolmAndBenjaminiHochbergByHand(t *testing.T) {
	p := []float64{0.01, math.NaN(), 0.04, 0.03, 0.005}
	for name, c := range map[string][2][]float64{
		"Holm": {Holm(p), {0.03, math.NaN(), 0.06, 0.06, 0.02}},
		"BH":   {BenjaminiHochberg(p), {0.02, math.NaN(), 0.04, 0.04, 0.02}},
	} {
		for i, want := range c[1] {
			near(t, name, c[0][i], want, 1e-12)
		}
	}
	if got := Holm([]float64{0.6, 0.7}); got[0] != 1 || got[1] != 1 {
		t.Errorf("not capped: %v", got)
	}
	if Holm(nil) == nil || len(BenjaminiHochberg(nil)) != 0 {
		t.Error("no p-values")
	}
}

func BenchmarkMannWhitneyExact(b *testing.B) {
	x, y := normals(20, 1), normals(20, 2)
	b.SetBytes(8 * 40)
	b.ReportAllocs()
	for b.Loop() {
		MannWhitney(x, y)
	}
}
