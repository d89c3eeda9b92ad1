package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > within {
		t.Errorf("%s = %v, want %v ± %v", what, got, want, within)
	}
}

func nan(t *testing.T, what string, got float64) {
	t.Helper()
	if !math.IsNaN(got) {
		t.Errorf("%s = %v, want NaN", what, got)
	}
}

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 99)) }

func normals(n int, seed uint64) []float64 { return ar1(n, 0, seed) }

// ar1 is a stationary autoregression of first order with unit innovations.
func ar1(n int, phi float64, seed uint64) []float64 {
	draw := source(seed)
	out := make([]float64, n)
	v := draw.NormFloat64() / math.Sqrt(1-phi*phi)
	for i := range out {
		v = phi*v + draw.NormFloat64()
		out[i] = v
	}
	return out
}

func count(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(i)
	}
	return out
}

// affine is a + b·x.
func affine(a, b float64, x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = a + b*v
	}
	return out
}

func sum(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] + b[i]
	}
	return out
}

// anscombe is the first of Anscombe's quartet (1973): r 0.81642, p 0.00217,
// y = 3.0001 + 0.5001·x.
var anscombe = [2][]float64{
	{10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5},
	{8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68},
}
