package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Test is the outcome of a two-sided test.
type Test struct {
	Statistic float64
	P         float64 // NaN if there was nothing to test
	N, M      int     // readings used; M is 0 for one sample
	Exact     bool    // P is exact, not the normal approximation
}

// normalP is the two-sided p-value of a standard normal statistic; a statistic
// without spread (0/0) is 1.
func normalP(z float64) float64 {
	if math.IsNaN(z) {
		return 1
	}
	return min(1, 2*distuv.UnitNormal.Survival(math.Abs(z)))
}

// toward0 is the continuity correction: d less a half, not beyond 0.
func toward0(d float64) float64 {
	return math.Copysign(max(0, math.Abs(d)-0.5), d)
}

// exactP doubles the smaller tail of a distribution given as counts by value.
func exactP(counts []float64, at int) float64 {
	var total, low, high float64
	for v, c := range counts {
		total += c
		if v <= at {
			low += c
		}
		if v >= at {
			high += c
		}
	}
	return min(1, 2*min(low, high)/total)
}

// doubled turns average ranks, which are multiples of a half, into integers.
func doubled(ranks []float64) (r []int, sum int) {
	r = make([]int, len(ranks))
	for i, v := range ranks {
		r[i] = int(2 * v)
		sum += r[i]
	}
	return r, sum
}
