package stats

// Step compares readings before and after a known event.
type Step struct {
	Before, After float64 // medians
	Difference    float64 // After − Before
	Ratio         float64 // After ÷ Before; NaN or infinite if Before is 0
	N, M          int     // readings before and after
	P             float64 // Mann–Whitney
	Delta         float64 // Cliff's: above 0 if it rose, 1 if every reading after is above every one before
	Shift         Shift   // Hodges–Lehmann, after − before
}

// StepTest tests one known event: no search, so no penalty for one. It assumes
// independent readings; the p-value is too small for autocorrelated ones.
func StepTest(before, after []float64) Step {
	s := Step{Before: Median(before), After: Median(after), Shift: HodgesLehmann(after, before)}
	s.Difference, s.Ratio = s.After-s.Before, s.After/s.Before
	t := MannWhitney(after, before)
	s.N, s.M, s.P, s.Delta = t.M, t.N, t.P, cliffsDelta(t)
	return s
}
