package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Step compares readings before and after a known event.
type Step struct {
	Before, After float64 // medians
	Difference    float64 // After − Before
	Ratio         float64 // After ÷ Before; NaN or infinite if Before is 0
	N, M          int     // readings before and after
	P             float64 // Mann–Whitney, allowing for autocorrelation
	Delta         float64 // Cliff's: above 0 if it rose, 1 if every reading after is above every one before
	Shift         Shift   // Hodges–Lehmann, after − before; for independent readings
}

// StepTest tests one known event: no search, so no penalty for one. Both
// samples are in order of time. Readings that remember the one before have a
// greater p-value than Mann–Whitney's: its normal deviate is divided by the
// square root of 1 + 2·Σ ρₖ·(1 − k/n) with ρ the autocorrelation about the two
// medians.
func StepTest(before, after []float64) Step {
	s := Step{Before: Median(before), After: Median(after), Shift: HodgesLehmann(after, before)}
	s.Difference, s.Ratio = s.After-s.Before, s.After/s.Before
	t := MannWhitney(after, before)
	s.N, s.M, s.Delta = t.M, t.N, cliffsDelta(t)
	s.P = widened(t.P, lasting(before, after, s.Before, s.After))
	return s
}

// lasting is the factor by which autocorrelation multiplies the variance of a
// comparison of two samples; 1 if there is none.
func lasting(before, after []float64, b, a float64) float64 {
	var r []float64
	for _, v := range finite(before) {
		r = append(r, v-b)
	}
	for _, v := range finite(after) {
		r = append(r, v-a)
	}
	factor := 1.0
	for k, m := range memory(Ranks(r)) {
		factor += 2 * m * (1 - float64(k+1)/float64(len(r)))
	}
	return factor
}

// widened is the p-value of a normal deviate whose variance is factor times
// what the test took it for.
func widened(p, factor float64) float64 {
	if !(p > 0 && p < 1) || factor == 1 {
		return p
	}
	return normalP(distuv.UnitNormal.Quantile(p/2) / math.Sqrt(factor))
}
