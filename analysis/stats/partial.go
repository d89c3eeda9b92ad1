package stats

import "math"

// collinear is the share of a column's variance left by the columns before it
// below which it says nothing new: 1 − R² of that column on them.
const collinear = 1e-10

// PartialCorrelation is the correlation of what least squares (with intercept)
// on the controls leaves of x and y. Controls that are constant or depend
// linearly on earlier ones are dropped and cost no degree of freedom. R is NaN
// if the controls explain x or y fully: then the two cannot be told apart. It
// assumes linear effects and independent, normal residuals.
func PartialCorrelation(x, y []float64, controls ...[]float64) Correlation {
	c := complete(append([][]float64{x, y}, controls...)...)
	n := len(c[0])
	m := correlations(c)
	kept := 0
	for k := 2; k < len(c); k++ {
		if m.sweep(k) {
			kept++
		}
	}
	return newCorrelation(m.left(0, 1), n, kept)
}

// PartialSpearman is PartialCorrelation on average ranks: monotone effects.
func PartialSpearman(x, y []float64, controls ...[]float64) Correlation {
	c := complete(append([][]float64{x, y}, controls...)...)
	for k := range c {
		c[k] = Ranks(c[k])
	}
	return PartialCorrelation(c[0], c[1], c[2:]...)
}

// correlationMatrix is symmetric, with 1 on the diagonal (0 for a constant)
// until columns are swept.
type correlationMatrix [][]float64

// correlations is the matrix of Pearson correlations of complete columns.
func correlations(columns [][]float64) correlationMatrix {
	unit := make([][]float64, len(columns))
	for i, c := range columns {
		unit[i] = standardized(c)
	}
	m := make(correlationMatrix, len(columns))
	for i := range m {
		m[i] = make([]float64, len(columns))
	}
	for i := range m {
		for j := range i + 1 {
			r := dot(unit[i], unit[j])
			m[i][j], m[j][i] = r, r
		}
		if m[i][i] != 0 {
			m[i][i] = 1
		}
	}
	return m
}

// standardized is x less its mean at length 1; zeros if x is constant.
func standardized(x []float64) []float64 {
	out := make([]float64, len(x))
	m := mean(x)
	var largest float64
	for i, v := range x {
		out[i] = v - m
		largest = max(largest, math.Abs(out[i]))
	}
	// What rounding leaves of a constant is no spread.
	if !(largest > 1e-14*math.Abs(m)) || math.IsInf(largest, 1) {
		clear(out)
		return out
	}
	for i := range out {
		out[i] /= largest
	}
	length := math.Sqrt(dot(out, out))
	for i := range out {
		out[i] /= length
	}
	return out
}

func dot(a, b []float64) float64 {
	var sum float64
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// sweep takes column k out of all others by least squares (the sweep operator;
// Beaton, 1964): afterwards row k holds the coefficients of k for the columns
// not swept. It is false, and nothing changes, if k is constant or depends on
// what was swept before.
func (m correlationMatrix) sweep(k int) bool {
	pivot := m[k][k]
	if !(pivot > collinear) {
		return false
	}
	for j := range m {
		m[k][j] /= pivot
	}
	for i := range m {
		if i == k {
			continue
		}
		f := m[i][k]
		for j := range m {
			m[i][j] -= f * m[k][j]
		}
		m[i][k] = -f / pivot
	}
	m[k][k] = 1 / pivot
	return true
}

// left is the correlation of what is left of columns i and j; NaN if nothing is.
func (m correlationMatrix) left(i, j int) float64 {
	if !(m[i][i] > collinear) || !(m[j][j] > collinear) {
		return math.NaN()
	}
	return max(-1, min(1, m[i][j]/(math.Sqrt(m[i][i])*math.Sqrt(m[j][j]))))
}

// clone copies the matrix.
func (m correlationMatrix) clone() correlationMatrix {
	out := make(correlationMatrix, len(m))
	for i := range m {
		out[i] = append([]float64(nil), m[i]...)
	}
	return out
}
