package stats

import "math"

// Holm adjusts p-values so that the chance of any false rejection stays at the
// level (Holm, 1979), whatever the dependence between the tests. The result is
// in the order of p; a NaN stays NaN and counts as no test.
func Holm(p []float64) []float64 {
	return adjust(p, false, func(rank, tests int) float64 { return float64(tests - rank + 1) })
}

// CorrectHolm puts the adjusted values in the place of the p-values.
func CorrectHolm(tests []*float64) {
	raw := make([]float64, len(tests))
	for i, t := range tests {
		raw[i] = *t
	}
	for i, v := range Holm(raw) {
		*tests[i] = v
	}
}

// BenjaminiHochberg adjusts p-values so that the expected share of false ones
// among the rejections stays at the level (Benjamini and Hochberg, 1995), for
// tests that are independent or positively dependent. The result is in the order
// of p; a NaN stays NaN and counts as no test.
func BenjaminiHochberg(p []float64) []float64 {
	return adjust(p, true, func(rank, tests int) float64 { return float64(tests) / float64(rank) })
}

// adjust multiplies each p-value by a factor of its rank from 1, then keeps the
// result in the order of p: from the greatest down by the running minimum, or
// from the least up by the running maximum.
func adjust(p []float64, down bool, factor func(rank, tests int) float64) []float64 {
	out := nans(len(p))
	rows, _ := finiteRows(p)
	order := sortedBy(gather(p, rows))
	bound := 0.0
	if down {
		bound = 1
	}
	for k := range order {
		rank := k + 1
		if down {
			rank = len(order) - k
		}
		i := rows[order[rank-1]]
		v := min(1, p[i]*factor(rank, len(order)))
		if down {
			bound = math.Min(bound, v)
		} else {
			bound = math.Max(bound, v)
		}
		out[i] = bound
	}
	return out
}
