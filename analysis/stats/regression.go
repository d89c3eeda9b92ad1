package stats

import "math"

// MaxCandidates bounds the regressors whose shares MultipleRegression gives.
const MaxCandidates = 6

// Regression is a least-squares fit of y on several candidates with intercept.
type Regression struct {
	N            int
	Intercept    float64
	Coefficients []float64 // unit of y per unit of the candidate; NaN if dropped
	Standardized []float64 // standard deviations of y per standard deviation; NaN if dropped
	R2           float64   // explained share of the variance of y; NaN if y is constant
	// Shares split R2 among the candidates: the mean gain in R2 over all orders
	// of entry (LMG; Lindeman, Merenda and Gold, 1980: the Shapley value). They
	// are at least 0, sum to R2, and two equal candidates get equal shares. Nil
	// with more than MaxCandidates.
	Shares []float64
}

// MultipleRegression fits y on the columns of x, each as long as y. Candidates
// that are constant, or depend linearly on earlier ones, are dropped from the
// fit, but still get their share. Figures are NaN if there are not more readings
// than candidates kept. It assumes linear effects that add up.
func MultipleRegression(y []float64, x [][]float64) Regression {
	c := complete(append([][]float64{y}, x...)...)
	p := len(x)
	fit := Regression{N: len(c[0]), Intercept: math.NaN(), R2: math.NaN(),
		Coefficients: nans(p), Standardized: nans(p)}
	m := correlations(c)
	full := m.clone()
	kept := 0
	for k := 1; k <= p; k++ {
		if full.sweep(k) {
			kept++
			fit.Standardized[k-1] = 0 // filled below, when all are swept
		}
	}
	if m[0][0] == 0 || fit.N < kept+2 {
		fit.Standardized = nans(p)
		return fit
	}
	fit.R2 = explained(full)
	fit.Intercept = mean(c[0])
	for k := range p {
		if math.IsNaN(fit.Standardized[k]) {
			continue
		}
		fit.Standardized[k] = full[k+1][0]
		fit.Coefficients[k] = full[k+1][0] * deviation(c[0]) / deviation(c[k+1])
		fit.Intercept -= fit.Coefficients[k] * mean(c[k+1])
	}
	if p <= MaxCandidates {
		fit.Shares = shapley(p, subsetR2(m))
	}
	return fit
}

// explained is R² of column 0 after the sweeps.
func explained(m correlationMatrix) float64 { return max(0, min(1, 1-m[0][0])) }

// subsetR2 is R² of column 0 on every subset of the others, by bit mask.
func subsetR2(m correlationMatrix) []float64 {
	r2 := make([]float64, 1<<(len(m)-1))
	for s := range r2 {
		swept := m.clone()
		for k := 1; k < len(m); k++ {
			if s>>(k-1)&1 == 1 {
				swept.sweep(k)
			}
		}
		r2[s] = explained(swept)
	}
	return r2
}

// shapley is each player's mean gain over all orders of entry; value is by bit
// mask of players.
func shapley(players int, value []float64) []float64 {
	weight := make([]float64, players) // by players entered before
	for s := range weight {
		weight[s] = factorial(s) * factorial(players-s-1) / factorial(players)
	}
	gain := make([]float64, players)
	for s := range value {
		size := 0
		for k := range players {
			size += s >> k & 1
		}
		for k := range players {
			if s>>k&1 == 0 {
				gain[k] += weight[size] * (value[s|1<<k] - value[s])
			}
		}
	}
	for k := range gain {
		gain[k] = max(0, gain[k]) // rounding
	}
	return gain
}

func factorial(n int) float64 {
	f := 1.0
	for k := 2; k <= n; k++ {
		f *= float64(k)
	}
	return f
}

// deviation is the square root of the sum of squares about the mean.
func deviation(x []float64) float64 {
	m := mean(x)
	var length float64
	for _, v := range x {
		length = math.Hypot(length, v-m)
	}
	return length
}

func nans(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.NaN()
	}
	return out
}
