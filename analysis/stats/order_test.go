package stats

import (
	"math"
	"slices"
	"testing"
)

func TestMedianAndMAD(t *testing.T) {
	near(t, "odd median", Median([]float64{5, 1, 3}), 3, 0)
	near(t, "even median", Median([]float64{4, 1, 3, 2}), 2.5, 0)
	near(t, "median without NaN", Median([]float64{math.NaN(), 7, math.Inf(1)}), 7, 0)
	near(t, "MAD", MAD([]float64{1, 1, 2, 2, 4, 6, 9}), 1, 0)
	nan(t, "median of nothing", Median(nil))
	nan(t, "MAD of nothing", MAD([]float64{math.NaN()}))
}

func TestMedianDoesNotReorderItsInput(t *testing.T) {
	x := []float64{3, 1, 2}
	Median(x)
	Quantile(x, 0.5)
	QuantileCI(x, 0.5, 0.5)
	if !slices.Equal(x, []float64{3, 1, 2}) {
		t.Errorf("input reordered: %v", x)
	}
}

func TestMedianAgreesWithSorting(t *testing.T) {
	for n := 1; n < 200; n++ {
		x := affine(0, 1, normals(n, uint64(n)))
		for i := range x {
			x[i] = math.Round(3 * x[i]) // many ties
		}
		near(t, "median", Median(x), Quantile(x, 0.5), 0)
	}
}

func TestQuantileIsType7(t *testing.T) {
	x := []float64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}
	for q, want := range map[float64]float64{0: 1, 0.25: 3.25, 0.5: 5.5, 0.9: 9.1, 1: 10} {
		near(t, "quantile", Quantile(x, q), want, 1e-12)
	}
	nan(t, "quantile above 1", Quantile(x, 1.1))
	nan(t, "quantile NaN", Quantile(x, math.NaN()))
	nan(t, "quantile of nothing", Quantile(nil, 0.5))
}

// Conover, Practical Nonparametric Statistics: the order statistics around the
// median for 95 %.
func TestQuantileCITakesTheTabledOrderStatistics(t *testing.T) {
	for n, want := range map[int]Interval{6: {1, 6}, 10: {2, 9}, 15: {4, 12}, 20: {6, 15}, 25: {8, 18}} {
		x := affine(1, 1, count(n))
		if got, ok := QuantileCI(x, 0.5, 0.95); !ok || got != want {
			t.Errorf("n = %d: %v %v, want %v", n, got, ok, want)
		}
	}
	if i, ok := QuantileCI(count(5), 0.5, 0.95); ok || i.OK() {
		t.Errorf("5 readings gave %v", i)
	}
}

func TestIntervalOfNothingAnswersNo(t *testing.T) {
	i := noInterval()
	if i.OK() || i.Contains(0) || i.Within(math.Inf(-1), math.Inf(1)) {
		t.Error("an interval that was not given said yes")
	}
	band := Interval{0.9, 1.1}
	if !band.Within(0.8, 1.2) || band.Within(0.95, 1.2) || !band.Contains(1) || band.Contains(1.2) {
		t.Error("band of equivalence is wrong")
	}
}

func TestWeightedMedian(t *testing.T) {
	v := func(pairs ...float64) (out []weightedValue) {
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, weightedValue{pairs[i], pairs[i+1]})
		}
		return out
	}
	near(t, "heavy one wins", weightedMedian(v(1, 1, 2, 1, 9, 5)), 9, 0)
	near(t, "exact half", weightedMedian(v(1, 1, 2, 1, 9, 2)), 5.5, 0)
	near(t, "one", weightedMedian(v(4, 0.1)), 4, 0)
	nan(t, "none", weightedMedian(nil))
	for n := 1; n < 100; n++ {
		x := normals(n, uint64(n))
		equal := make([]weightedValue, n)
		for i := range x {
			x[i] = math.Round(4 * x[i])
			equal[i] = weightedValue{x[i], 1}
		}
		near(t, "equal weights", weightedMedian(equal), Median(x), 0)
	}
}
