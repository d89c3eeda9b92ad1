package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// exactSigned bounds the differences of an exact signed-rank test.
const exactSigned = 25

// WilcoxonSignedRank tests whether paired differences are symmetric about 0
// (Wilcoxon, 1945). Zeros are left out and N counts the rest; the Statistic is
// the sum of the ranks of positive differences. Exact, ties included, up to 25
// differences; the normal approximation with corrections for ties and
// continuity above. It assumes independent differences.
func WilcoxonSignedRank(d []float64) Test {
	sizes, positive := magnitudes(d)
	n := len(sizes)
	if n == 0 {
		return Test{Statistic: math.NaN(), P: math.NaN()}
	}
	r, ties := ranks(sizes)
	var w float64
	for i, v := range r {
		if positive[i] {
			w += v
		}
	}
	t := Test{Statistic: w, N: n, Exact: n <= exactSigned}
	if t.Exact {
		t.P = exactP(subsetSums(r), int(2*w))
		return t
	}
	m := float64(n)
	variance := m*(m+1)*(2*m+1)/24 - ties/48
	t.P = normalP(toward0(w-m*(m+1)/4) / math.Sqrt(variance))
	return t
}

// magnitudes are the sizes and signs of differences other than 0.
func magnitudes(d []float64) (sizes []float64, positive []bool) {
	for _, v := range finite(d) {
		if v != 0 {
			sizes, positive = append(sizes, math.Abs(v)), append(positive, v > 0)
		}
	}
	return sizes, positive
}

// subsetSums counts the subsets of ranks by twice their sum.
func subsetSums(ranks []float64) []float64 {
	values, sum := doubled(ranks)
	counts := make([]float64, sum+1)
	counts[0] = 1
	for _, v := range values {
		for s := sum; s >= v; s-- {
			counts[s] += counts[s-v]
		}
	}
	return counts
}

// SignTest tests whether positive and negative outcomes are equally likely, by
// the exact binomial distribution. The Statistic is the number of positive ones.
// It assumes independent outcomes.
func SignTest(positive, negative int) Test {
	n := positive + negative
	t := Test{Statistic: float64(positive), P: math.NaN(), N: n, Exact: true}
	if positive < 0 || negative < 0 || n == 0 {
		return t
	}
	b := distuv.Binomial{N: float64(n), P: 0.5}
	t.P = min(1, 2*b.CDF(float64(min(positive, negative))))
	return t
}
