package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// maxBlock bounds the blocks that BlockLength chooses.
const maxBlock = 256

// BlockBootstrap draws n of n rows reps times, in blocks of consecutive rows
// (moving blocks; Künsch, 1989), and gives the 95 % percentile interval of f
// over the draws, and its values in the order drawn. f is given row numbers,
// which it may not keep. Values that are NaN are left out of the interval, which
// is NaN if they are half or more. It assumes a stationary series whose
// dependence is shorter than a block; with few blocks the interval is too
// narrow.
func BlockBootstrap(n, block, reps int, seed uint64, f func(rows []int) float64) (Interval, []float64) {
	if n <= 0 || reps <= 0 {
		return noInterval(), nil
	}
	block = max(1, min(block, n))
	draw := rand.New(rand.NewPCG(seed, 2))
	rows := make([]int, n)
	values := make([]float64, reps)
	for r := range values {
		for at := 0; at < n; at += block {
			start := draw.IntN(n - block + 1)
			for k := at; k < min(at+block, n); k++ {
				rows[k] = start + k - at
			}
		}
		values[r] = f(rows)
	}
	return percentiles(values), values
}

// percentiles is the range of the middle 95 % of the values.
func percentiles(values []float64) Interval {
	v := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if 2*len(v) <= len(values) {
		return noInterval()
	}
	slices.Sort(v)
	return Interval{Lo: quantileSorted(v, 0.025), Hi: quantileSorted(v, 0.975)}
}

// BlockLength chooses the block of a bootstrap from the residuals of a fit in
// order, as the greatest of n^(1/3), the first lag at which their
// autocorrelation is not significant (below 1.96/√n), and the length that is
// best for an autoregression of first order, (2ρ/(1−ρ²))^(2/3)·n^(1/3)
// (Carlstein, 1986); at most 256 and a quarter of n.
func BlockLength(residuals []float64) int {
	r := complete(residuals)[0]
	n := float64(len(r))
	limit := max(1, min(len(r)/4, maxBlock))
	lag := 1
	for lag < limit && Autocorrelation(r, lag) > 1.96/math.Sqrt(n) {
		lag++
	}
	length := max(1, carlstein(Autocorrelation(r, 1))) * math.Cbrt(n)
	return int(math.Ceil(min(float64(limit), max(float64(lag), length))))
}

// carlstein is the factor by which autocorrelation lengthens a block; 0 if there
// is none.
func carlstein(r float64) float64 {
	if !(r > 0) {
		return 0
	}
	return math.Cbrt(math.Pow(2*r/(1-r*r), 2))
}
