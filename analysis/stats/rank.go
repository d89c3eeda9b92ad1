package stats

import (
	"cmp"
	"slices"
)

// Ranks are the ranks of x from 1, ties sharing the average of theirs. All
// values must be finite.
func Ranks(x []float64) []float64 {
	r, _ := ranks(x)
	return r
}

// ranks also sums t³ − t over the groups of t ties, the term by which ties
// lower the variance of a rank test.
func ranks(x []float64) (r []float64, ties float64) {
	order := sortedBy(x)
	r = make([]float64, len(x))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && x[order[to]] == x[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			r[i] = float64(from+to+1) / 2
		}
		t := float64(to - from)
		ties += t*t*t - t
		from = to
	}
	return r, ties
}

// sortedBy lists the indexes of x by value, equal values in order.
func sortedBy(x []float64) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(x[a], x[b]), a-b)
	})
	return order
}
