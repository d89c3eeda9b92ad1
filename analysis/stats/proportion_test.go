package stats

import (
	"math"
	"testing"
)

func TestWilson(t *testing.T) {
	for _, c := range []struct {
		k, n   int
		lo, hi float64
	}{
		{0, 10, 0, 0.2775},
		{10, 10, 0.7225, 1},
		{81, 263, 0.2553, 0.3662}, // Newcombe, 1998, table I
		{15, 148, 0.0624, 0.1605},
		{1, 29, 0.0061, 0.1718},
	} {
		got := Wilson(c.k, c.n)
		if math.Abs(got.Lo-c.lo) > 5e-4 || math.Abs(got.Hi-c.hi) > 5e-4 {
			t.Errorf("%d of %d: %v, want [%g, %g]", c.k, c.n, got, c.lo, c.hi)
		}
	}
	if Wilson(0, 0).OK() || Wilson(3, 2).OK() {
		t.Error("an interval without samples")
	}
}
