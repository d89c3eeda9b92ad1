package stats

import "math"

// MinReadings is the least number of independent readings from which an
// interval of a fit, or a p-value under an effective n, is given. With fewer
// the answer is NaN.
const MinReadings = 8

// finiteRows lists the rows at which every column is finite. It is false if the
// columns differ in length.
func finiteRows(columns ...[]float64) ([]int, bool) {
	if len(columns) == 0 {
		return nil, true
	}
	n := len(columns[0])
	for _, c := range columns {
		if len(c) != n {
			return nil, false
		}
	}
	rows := make([]int, 0, n)
	for i := range n {
		if rowFinite(columns, i) {
			rows = append(rows, i)
		}
	}
	return rows, true
}

func rowFinite(columns [][]float64, i int) bool {
	for _, c := range columns {
		if math.IsNaN(c[i]) || math.IsInf(c[i], 0) {
			return false
		}
	}
	return true
}

// complete returns the columns without the rows that are not finite in all of
// them; columns without such rows are returned as they are, not copied. Columns
// of different length come back empty.
func complete(columns ...[]float64) [][]float64 {
	rows, ok := finiteRows(columns...)
	if ok && len(columns) > 0 && len(rows) == len(columns[0]) {
		return columns
	}
	out := make([][]float64, len(columns))
	for c := range columns {
		out[c] = gather(columns[c], rows)
	}
	return out
}

// gather returns x at the rows.
func gather(x []float64, rows []int) []float64 {
	out := make([]float64, len(rows))
	for k, i := range rows {
		out[k] = x[i]
	}
	return out
}

// finite returns a copy of x without what is not finite.
func finite(x []float64) []float64 {
	rows, _ := finiteRows(x)
	return gather(x, rows)
}
