package stats

import "math"

// Autocorrelation is the sample autocorrelation at a lag, with the usual
// divisor n (Box and Jenkins). NaN if x is constant or has no such lag.
func Autocorrelation(x []float64, lag int) float64 {
	x = complete(x)[0]
	n := len(x)
	if lag < 0 || lag >= n {
		return math.NaN()
	}
	m := mean(x)
	var product, square float64
	for i, v := range x {
		square += (v - m) * (v - m)
		if i >= lag {
			product += (v - m) * (x[i-lag] - m)
		}
	}
	return product / square // 0/0 for a constant
}

// EffectiveN is the number of independent pairs that n autocorrelated pairs are
// worth for their correlation: n·(1−rx·ry)/(1+rx·ry) with the autocorrelations
// at lag 1 (Bretherton and others, 1999), within [2, n]. It assumes both to be
// autoregressive of first order and free of trend. For a slope give the
// regressor and the residuals. A constant counts as not autocorrelated. It is 0
// without pairs.
func EffectiveN(x, y []float64) float64 {
	c := complete(x, y)
	n := float64(len(c[0]))
	r := Autocorrelation(c[0], 1) * Autocorrelation(c[1], 1)
	if math.IsNaN(r) {
		r = 0
	}
	return min(n, max(2, n*(1-r)/(1+r)))
}

// mean does not overflow; NaN if x is empty.
func mean(x []float64) float64 {
	var m float64
	for i, v := range x {
		m += v/float64(i+1) - m/float64(i+1)
	}
	if len(x) == 0 {
		return math.NaN()
	}
	return m
}
