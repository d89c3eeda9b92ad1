package stats

import "math"

const (
	// minTail is the least number of settled points.
	minTail = 5
	// offLine is how many standard deviations of the settled noise a point may
	// lie off the line.
	offLine = 3
	// transitionRounds bounds the alternation of fit and extension: a tail
	// doubles in each until it stops.
	transitionRounds = 24
)

// TransitionEnd is the index from which y, in order of time, has settled on one
// straight line in x: the first of the points up to the end that lie on their
// own repeated-median line, the one before it being off it. 0 if all do, len(x)
// if no tail of at least 5 points and an eighth of all does.
//
// Tails settle if the median absolute residual is at most tol times the spread
// of all y (its 5 % to 95 % quantile range); 0.1 suits pooled readings. A point
// is off the line if it and most of the four before it are, on the same side, by
// more than 3 standard deviations of the settled residuals (see settledNoise)
// and tol times the settled spread of y. So lone outliers do not end the tail, and a
// line is never held against points across a jump.
func TransitionEnd(x, y []float64, tol float64) int {
	rows, ok := finiteRows(x, y)
	if !ok || len(rows) < minTail {
		return len(x)
	}
	xs, ys := gather(x, rows), gather(y, rows)
	n := len(xs)
	limit := tol * spread(ys)
	from := max(0, n-max(MinReadings, n/4))
	for range transitionRounds {
		slope, intercept := RepeatedMedian(xs[from:], ys[from:])
		line := Line{Slope: slope, Intercept: intercept}
		r := line.Residuals(xs, ys)
		deviation := Median(absolute(r[from:]))
		if !(deviation <= limit) {
			return len(x)
		}
		off := max(offLine*settledNoise(deviation, n-from), tol*spread(ys[from:]))
		// A line is not trusted further back than its own length.
		next := max(runStart(r, off), 2*from-n)
		if n-next < max(minTail, n/8) {
			return len(x)
		}
		if next == from {
			break
		}
		from = next
	}
	if from == 0 {
		return 0
	}
	return rows[from]
}

// settledNoise is the standard deviation behind the median absolute residual of
// a robust line through n points, which is too small for few (the factor of
// Rousseeuw and Leroy, 1987, chapter 5).
func settledNoise(deviation float64, n int) float64 {
	return NormalMAD * (1 + 5/float64(n-2)) * deviation
}

// spread is the range of the middle nine tenths.
func spread(y []float64) float64 { return Quantile(y, 0.95) - Quantile(y, 0.05) }

func absolute(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Abs(v)
	}
	return out
}

// runStart walks back from the end to the first residual of the last run within
// the limit.
func runStart(r []float64, limit float64) int {
	for i := len(r) - 1; i >= 0; i-- {
		if leaves(r, i, limit) {
			return i + 1
		}
	}
	return 0
}

// leaves is true if residual i and most of the four before it are beyond the
// limit on the same side.
func leaves(r []float64, i int, limit float64) bool {
	if math.Abs(r[i]) <= limit {
		return false
	}
	window := r[max(0, i-4) : i+1]
	off := 0
	for _, v := range window {
		if math.Abs(v) > limit && (v > 0) == (r[i] > 0) {
			off++
		}
	}
	return 2*off > len(window)
}
