package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// fitPairs bounds the pairs of points that an interval looks at: all pairs of
// 400 points.
const fitPairs = 400 * 399 / 2

// Fit is a robust line with the uncertainty of its slope.
type Fit struct {
	Line
	Interval   Interval // of the slope; NaN below MinReadings
	N          int      // points
	EffectiveN float64  // independent points they are worth
	Block      int      // points to draw together in a bootstrap of the line; 0 without an interval
}

// SlopeInterval is TheilSenWeighted with the 95 % interval of the slope: every
// slope that leaves residuals whose Kendall score against x is no greater than
// chance makes it (Sen, 1968). How great chance makes it allows for
// autocorrelated residuals (see scoreDeviation). A nil w weighs all alike. It
// assumes that the points, in their order (time), are independent readings of x
// (see MinReadings) with stationary residuals. Beyond 400 points the ends rest
// on about 80,000 drawn pairs of them.
//
// go run ./analysis/stats/calibrate measures how often it holds the true slope.
func SlopeInterval(x, y, w []float64) Fit {
	x, y, w = weighted(x, y, w)
	fit := Fit{Interval: noInterval(), N: len(x)}
	fit.Slope, fit.Intercept = TheilSenWeighted(x, y, w)
	residuals := fit.Residuals(x, y)
	fit.EffectiveN = EffectiveN(x, residuals)
	if math.IsNaN(fit.Slope) || fit.N < MinReadings {
		return fit
	}
	fit.Block = BlockLength(residuals)
	deviation, dof := scoreDeviation(x, residuals, w)
	t := distuv.StudentsT{Sigma: 1, Nu: dof}.Quantile(0.975)
	fit.Interval = slopesWithin(x, y, w, t*deviation/pairWeight(x, w))
	if fit.Interval.OK() {
		fit.Interval = Interval{Lo: min(fit.Interval.Lo, fit.Slope), Hi: max(fit.Interval.Hi, fit.Slope)}
	}
	return fit
}

// scoreDeviation is the standard deviation of the score Σ wᵢ·wⱼ·sgn(xⱼ−xᵢ)·
// sgn(rⱼ−rᵢ) over pairs if the residuals r do not depend on x, and the degrees
// of freedom it is known with.
//
// The score is close to Σ uᵢ·bᵢ with u the weighted ranks of x and b those of
// the residuals (its Hájek projection). The variance of b is 1/3, or what it is
// where u is large, if that is more (readings of unequal noise). Autocorrelated
// residuals multiply it by 1 + 2·Σ ρₖ·cₖ, with c the autocorrelation of u and ρ
// that of b: the idea of Hamed and Rao (1998), for any x.
func scoreDeviation(x, residuals, w []float64) (deviation, dof float64) {
	n := float64(len(x))
	u, b := balances(x, w), balances(residuals, w)
	var all float64
	for i := range w {
		all += w[i]
		u[i] *= w[i]
	}
	var even, uneven float64
	for i := range u {
		b[i] /= all
		even += u[i] * u[i] / 3
		uneven += u[i] * u[i] * b[i] * b[i]
	}
	inflation := 1.0
	for k, r := range memory(b) {
		inflation += 2 * r * lagged(u, k+1)
	}
	inflation = max(1, inflation)
	small := (2*n + 5) / (2*n + 2) // exact variance ÷ the projection's, at equal weights
	return math.Sqrt(max(even, uneven) * small * inflation), max(3, n/inflation-2)
}

// balances are, for each value, the weight of the smaller ones less that of the
// greater ones: weighted ranks about 0.
func balances(v, w []float64) []float64 {
	order := sortedBy(v)
	out := make([]float64, len(v))
	var below, all float64
	for _, x := range w {
		all += x
	}
	for from := 0; from < len(order); {
		to, same := from, 0.0
		for to < len(order) && v[order[to]] == v[order[from]] {
			same += w[order[to]]
			to++
		}
		for _, i := range order[from:to] {
			out[i] = below - (all - below - same)
		}
		below += same
		from = to
	}
	return out
}

// memory is the autocorrelation of residuals x from lag 1 on, as it would fade
// if they were slow noise (an autoregression of first order) with readings'
// own noise upon it: ρₖ = ρ₁·φᵏ⁻¹. What was measured is corrected for the bias
// of a short series about a line or two levels, (2+4ρ₁)/n (after Marriott and
// Pope, 1954). Nil if x remembers nothing.
func memory(x []float64) []float64 {
	n := float64(len(x))
	first := Autocorrelation(x, 1)
	bias := (2 + 4*first) / n
	if first = min(first+bias, 0.98); !(first > 0) {
		return nil
	}
	fading := first
	var early, late float64
	for k := 1; k <= memoryLags && k+1 < len(x); k++ {
		early += Autocorrelation(x, k) + bias
		late += Autocorrelation(x, k+1) + bias
	}
	if early > 1.5*math.Sqrt(memoryLags/n) {
		fading = max(first, min(late/early, 0.95))
	}
	var out []float64
	for k, r := 1, first; k < len(x) && r > 0.01; k, r = k+1, r*fading {
		out = append(out, r)
	}
	return out
}

// memoryLags is how many autocorrelations tell how fast noise fades.
const memoryLags = 4

// lagged is Σ uᵢ·uᵢ₊ₖ ÷ Σ uᵢ².
func lagged(u []float64, k int) float64 { return dot(u[:len(u)-k], u[k:]) / dot(u, u) }

// pairWeight is the weight of all pairs with different x.
func pairWeight(x, w []float64) float64 {
	order := sortedBy(x)
	var all, same, pairs float64 // weight so far, and of it at the same x
	for k, i := range order {
		if k > 0 && x[i] != x[order[k-1]] {
			same = 0
		}
		pairs += w[i] * (all - same)
		all, same = all+w[i], same+w[i]
	}
	return pairs
}

// slopesWithin is the range of the pairwise slopes whose weight from the middle
// is at most a share of the whole on either side; none if that is all.
func slopesWithin(x, y, w []float64, share float64) Interval {
	slopes := make([]weightedValue, 0, min(len(x)*(len(x)-1)/2, fitPairs))
	eachSlope(x, y, fitPairs, func(i, j int, s float64) {
		slopes = append(slopes, weightedValue{s, w[i] * w[j]})
	})
	slices.SortFunc(slopes, func(a, b weightedValue) int { return cmp.Compare(a.value, b.value) })
	total := weightOf(slopes)
	lo, hi := total*(1-share)/2, total*(1+share)/2
	if !(lo > 0) {
		return noInterval()
	}
	out, sum := noInterval(), 0.0
	for _, s := range slopes {
		if sum <= lo {
			out.Lo = s.value
		}
		sum += s.weight
		if out.Hi = s.value; sum >= hi {
			break
		}
	}
	return out
}
