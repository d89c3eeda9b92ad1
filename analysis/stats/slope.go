package stats

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"
)

// maxPairs bounds the pairs of points a robust slope looks at: all pairs of
// 2,000 points. Above that many points pairs are drawn at random (an incomplete
// U-statistic), which keeps breakdown point and nearly all of the precision.
const maxPairs = 2000 * 1999 / 2

// maxPoints bounds the points of a RepeatedMedian.
const maxPoints = 1000

// seed of every draw that the caller does not seed.
const seed = 15

// Line is y = Intercept + Slope·x. Both are NaN if no line could be fitted.
type Line struct {
	Slope, Intercept float64
}

func noLine() Line { return Line{Slope: math.NaN(), Intercept: math.NaN()} }

// At is the height of the line at x.
func (l Line) At(x float64) float64 { return l.Intercept + l.Slope*x }

// Residuals are y less the line, in the order of the points.
func (l Line) Residuals(x, y []float64) []float64 {
	r := make([]float64, min(len(x), len(y)))
	for i := range r {
		r[i] = y[i] - l.At(x[i])
	}
	return r
}

// TheilSen is the median of the slopes between all pairs of points with
// different x (Theil, 1950; Sen, 1968), and the median of y − slope·x. It bears
// up to 29 % of outliers. Beyond 2,000 points it takes about two million pairs
// drawn with a fixed seed.
func TheilSen(x, y []float64) (slope, intercept float64) {
	c := complete(x, y)
	x, y = c[0], c[1]
	n := len(x)
	slopes := make([]float64, 0, min(n*(n-1)/2, maxPairs))
	eachSlope(x, y, maxPairs, func(_, _ int, s float64) { slopes = append(slopes, s) })
	slope = medianInPlace(slopes)
	return slope, medianInPlace(Line{Slope: slope}.Residuals(x, y))
}

// TheilSenWeighted is TheilSen with the weighted median of the slopes, a pair
// weighing w[i]·w[j] (the number of executions pooled into each reading), and
// the weighted median of y − slope·x. Points whose weight is not above 0 are
// left out; a nil w weighs all alike.
func TheilSenWeighted(x, y, w []float64) (slope, intercept float64) {
	x, y, w = weighted(x, y, w)
	n := len(x)
	slopes := make([]weightedValue, 0, min(n*(n-1)/2, maxPairs))
	eachSlope(x, y, maxPairs, func(i, j int, s float64) {
		slopes = append(slopes, weightedValue{s, w[i] * w[j]})
	})
	slope = weightedMedian(slopes)
	offsets := make([]weightedValue, 0, n)
	for i, r := range (Line{Slope: slope}).Residuals(x, y) {
		if !math.IsNaN(r) {
			offsets = append(offsets, weightedValue{r, w[i]})
		}
	}
	return slope, weightedMedian(offsets)
}

// weighted drops points that are not finite or have no weight, and scales the
// weights to at most 1, so that their products stay finite.
func weighted(x, y, w []float64) (xs, ys, ws []float64) {
	if w == nil {
		w = make([]float64, len(x))
		for i := range w {
			w[i] = 1
		}
	}
	rows, _ := finiteRows(x, y, w)
	kept, largest := rows[:0], 0.0
	for _, i := range rows {
		if w[i] > 0 {
			kept, largest = append(kept, i), max(largest, w[i])
		}
	}
	ws = gather(w, kept)
	for i := range ws {
		ws[i] /= largest
	}
	return gather(x, kept), gather(y, kept), ws
}

// RepeatedMedian is the median over points of the median slope from that point
// to all others (Siegel, 1982), and the median of y − slope·x. It bears up to
// 50 % of outliers. Beyond 1,000 points it takes 1,000, drawn one from each of
// as many equal stretches with a fixed seed.
func RepeatedMedian(x, y []float64) (slope, intercept float64) {
	c := complete(x, y)
	x, y = thin(c[0], c[1], maxPoints)
	row := make([]float64, 0, len(x))
	medians := make([]float64, 0, len(x))
	for i := range x {
		row = row[:0]
		for j := range x {
			if s := slopeOf(x, y, i, j); !math.IsNaN(s) {
				row = append(row, s)
			}
		}
		if len(row) > 0 {
			medians = append(medians, medianInPlace(row))
		}
	}
	slope = medianInPlace(medians)
	return slope, medianInPlace(finite(Line{Slope: slope}.Residuals(x, y)))
}

// LinearFit is the least-squares line, for comparison with the robust ones. A
// nil w weighs all points alike.
func LinearFit(x, y, w []float64) Line {
	x, y, w = weighted(x, y, w)
	if len(x) < 2 {
		return noLine()
	}
	a, b := stat.LinearRegression(x, y, w, false)
	if math.IsNaN(b) || math.IsInf(b, 0) {
		return noLine()
	}
	return Line{Slope: b, Intercept: a}
}

// eachSlope visits the slope of every pair with different x, or of limit drawn
// pairs where there are more.
func eachSlope(x, y []float64, limit int, visit func(i, j int, slope float64)) {
	n := len(x)
	if n*(n-1)/2 <= limit {
		for i := range n {
			for j := i + 1; j < n; j++ {
				if s := slopeOf(x, y, i, j); !math.IsNaN(s) {
					visit(i, j, s)
				}
			}
		}
		return
	}
	draw := rand.New(rand.NewPCG(seed, 0))
	for range limit {
		i, j := draw.IntN(n), draw.IntN(n)
		if s := slopeOf(x, y, i, j); !math.IsNaN(s) {
			visit(i, j, s)
		}
	}
}

// slopeOf is NaN between points of the same x.
func slopeOf(x, y []float64, i, j int) float64 {
	dx := x[j] - x[i]
	if dx == 0 {
		return math.NaN()
	}
	return (y[j] - y[i]) / dx
}

// thin keeps at most limit points, one from each of as many equal stretches.
func thin(x, y []float64, limit int) (xs, ys []float64) {
	if len(x) <= limit {
		return x, y
	}
	draw := rand.New(rand.NewPCG(seed, 1))
	rows := make([]int, limit)
	for k := range rows {
		from, to := k*len(x)/limit, (k+1)*len(x)/limit
		rows[k] = from + draw.IntN(to-from)
	}
	return gather(x, rows), gather(y, rows)
}
