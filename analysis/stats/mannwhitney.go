package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// exactTwoSample bounds the readings of both samples in an exact test.
const exactTwoSample = 40

// MannWhitney tests whether a reading of a is as likely above as below one of b
// (Mann and Whitney, 1947; Wilcoxon's rank-sum test). The Statistic is U of a:
// the pairs with a above b, ties counted half. Exact, ties included, up to 40
// readings in all; the normal approximation with corrections for ties and
// continuity above. It assumes independent readings.
func MannWhitney(a, b []float64) Test {
	a, b = finite(a), finite(b)
	n, m := len(a), len(b)
	if n == 0 || m == 0 {
		return Test{Statistic: math.NaN(), P: math.NaN(), N: n, M: m}
	}
	r, ties := ranks(slices.Concat(a, b))
	var sum float64
	for _, v := range r[:n] {
		sum += v
	}
	fn, fm := float64(n), float64(m)
	t := Test{Statistic: sum - fn*(fn+1)/2, N: n, M: m, Exact: n+m <= exactTwoSample}
	if t.Exact {
		t.P = exactP(sumsOfSize(r, n), int(2*sum))
		return t
	}
	all := fn + fm
	variance := fn * fm / 12 * (all + 1 - ties/(all*(all-1)))
	t.P = normalP(toward0(t.Statistic-fn*fm/2) / math.Sqrt(variance))
	return t
}

// sumsOfSize counts the subsets of k ranks by twice their sum.
func sumsOfSize(ranks []float64, k int) []float64 {
	values, sum := doubled(ranks)
	counts := make([][]float64, k+1)
	for size := range counts {
		counts[size] = make([]float64, sum+1)
	}
	counts[0][0] = 1
	for i, v := range values {
		for size := min(k, i+1); size > 0; size-- {
			with, without := counts[size], counts[size-1]
			for s := v; s <= sum; s++ {
				with[s] += without[s-v]
			}
		}
	}
	return counts[k]
}

// CliffsDelta is the chance that a reading of a is above one of b less the
// chance that it is below (Cliff, 1993): −1 … 1, NaN if a sample is empty.
func CliffsDelta(a, b []float64) float64 {
	return cliffsDelta(MannWhitney(a, b))
}

func cliffsDelta(t Test) float64 {
	return 2*t.Statistic/(float64(t.N)*float64(t.M)) - 1
}

// Shift is how much one sample lies above another, in their unit.
type Shift struct {
	Estimate float64
	Interval Interval // NaN if the samples are too small for 95 %
}

// HodgesLehmann is the median of the differences a − b over all pairs, and the
// interval between the order statistics of the differences that Mann–Whitney's
// normal approximation picks (Hodges and Lehmann, 1963). It assumes independent
// readings and distributions that differ in place only. A sample of more than
// 1,000 readings is thinned to that many evenly spaced order statistics.
func HodgesLehmann(a, b []float64) Shift {
	a, b = finite(a), finite(b)
	n, m := float64(len(a)), float64(len(b))
	if n == 0 || m == 0 {
		return Shift{Estimate: math.NaN(), Interval: noInterval()}
	}
	d := differences(thinSorted(a), thinSorted(b))
	s := Shift{Estimate: medianInPlace(d), Interval: noInterval()}
	z := distuv.UnitNormal.Quantile(0.975)
	cut := n*m/2 - z*math.Sqrt(n*m*(n+m+1)/12)
	if k := int(cut * (float64(len(d)) / (n * m))); k >= 1 {
		s.Interval = Interval{Lo: selectInPlace(d, k-1), Hi: selectInPlace(d, len(d)-k)}
	}
	return s
}

func differences(a, b []float64) []float64 {
	d := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			d = append(d, x-y)
		}
	}
	return d
}

// thinSorted sorts x and keeps at most 1,000 of it, evenly by rank.
func thinSorted(x []float64) []float64 {
	const limit = 1000
	slices.Sort(x)
	if len(x) <= limit {
		return x
	}
	out := make([]float64, limit)
	for k := range out {
		out[k] = x[(2*k+1)*len(x)/(2*limit)]
	}
	return out
}
