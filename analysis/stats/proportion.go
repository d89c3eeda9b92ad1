package stats

import "math"

// Wilson is the 95 % score interval of a share of k in n independent draws
// (Wilson, 1927): it stays within 0..1 and holds for small n. NaN if n is 0.
func Wilson(k, n int) Interval {
	if n <= 0 || k < 0 || k > n {
		return noInterval()
	}
	const z = 1.959964
	p, m := float64(k)/float64(n), float64(n)
	centre := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return Interval{Lo: max(0, centre-half), Hi: min(1, centre+half)}
}
