package stats

import (
	"slices"
	"testing"
)

func TestBlockBootstrapDrawsWholeBlocks(t *testing.T) {
	_, values := BlockBootstrap(20, 5, 50, 1, func(rows []int) float64 {
		if len(rows) != 20 {
			t.Fatalf("%d rows drawn", len(rows))
		}
		for k, r := range rows {
			if r < 0 || r >= 20 || k%5 > 0 && r != rows[k-1]+1 {
				t.Fatalf("not blocks of 5: %v", rows)
			}
		}
		return float64(rows[0])
	})
	if len(values) != 50 || slices.Max(values) > 15 || slices.Min(values) == slices.Max(values) {
		t.Errorf("first rows %v", values)
	}
}

func TestBlockBootstrapRepeatsWithItsSeed(t *testing.T) {
	first := func(rows []int) float64 { return float64(rows[0]) }
	a, va := BlockBootstrap(50, 3, 100, 7, first)
	b, vb := BlockBootstrap(50, 3, 100, 7, first)
	_, vc := BlockBootstrap(50, 3, 100, 8, first)
	if a != b || !slices.Equal(va, vb) {
		t.Error("the same seed gave different draws")
	}
	if slices.Equal(va, vc) {
		t.Error("another seed gave the same draws")
	}
	if i, v := BlockBootstrap(0, 1, 10, 1, first); i.OK() || v != nil {
		t.Error("nothing was drawn from")
	}
}

func TestBlockLengthGrowsWithAutocorrelation(t *testing.T) {
	if b := BlockLength(normals(125, 1)); b != 5 {
		t.Errorf("white noise: %d, want n^(1/3) = 5", b)
	}
	if b := BlockLength(ar1(125, 0.8, 1)); b < 8 || b > 31 {
		t.Errorf("autocorrelated noise: %d", b)
	}
	if b := BlockLength(nil); b != 1 {
		t.Errorf("nothing: %d", b)
	}
	if b := BlockLength(make([]float64, 1000)); b != 10 {
		t.Errorf("constant: %d", b)
	}
}

func TestSlopeIntervalCoversTheTrueSlope(t *testing.T) {
	const runs = 100
	for _, c := range []struct {
		n   int
		phi float64
	}{{20, 0}, {50, 0}, {50, 0.5}, {100, 0.5}} {
		x := count(c.n)
		covered := 0
		for r := range runs {
			y := sum(affine(5, 1, x), ar1(c.n, c.phi, uint64(r)))
			if SlopeInterval(x, y, nil).Interval.Contains(1) {
				covered++
			}
		}
		if covered < 88 {
			t.Errorf("n = %d, φ = %v: covered %d of %d", c.n, c.phi, covered, runs)
		}
	}
}

func TestSlopeIntervalOfAnExactLine(t *testing.T) {
	x := affine(5300, 20, count(56))
	f := SlopeInterval(x, affine(2540, 1, x), nil)
	if f.Slope != 1 || f.Intercept != 2540 || f.Interval != (Interval{1, 1}) || f.N != 56 {
		t.Errorf("%+v", f)
	}
	if !f.Interval.Within(0.8, 1.2) {
		t.Error("not in the band")
	}
}

func TestSlopeIntervalNeedsReadings(t *testing.T) {
	x := count(MinReadings - 1)
	f := SlopeInterval(x, affine(1, 2, x), nil)
	if f.Slope != 2 || f.Interval.OK() || f.Block != 0 {
		t.Errorf("%+v", f)
	}
}

func TestEffectiveNOfSlopeFallsWithAutocorrelation(t *testing.T) {
	x := count(100)
	f := SlopeInterval(x, sum(x, ar1(100, 0.7, 3)), nil)
	if f.EffectiveN > 40 || f.EffectiveN < 8 {
		t.Errorf("effective n = %v", f.EffectiveN)
	}
}

func TestSlopeIntervalHeedsWeights(t *testing.T) {
	x := count(60)
	y, w := affine(0, 1, x), make([]float64, 60)
	for i := range w {
		w[i] = 100
		if i%2 == 1 {
			y[i], w[i] = affine(0, -1, x)[i], 1
		}
	}
	f := SlopeInterval(x, y, w)
	near(t, "slope", f.Slope, 1, 1e-9)
	if !f.Interval.Within(0.99, 1.01) {
		t.Errorf("interval %v", f.Interval)
	}
}

func BenchmarkSlopeInterval100(b *testing.B) {
	x := count(100)
	y := sum(x, normals(100, 1))
	b.SetBytes(16 * 100)
	b.ReportAllocs()
	for b.Loop() {
		SlopeInterval(x, y, nil)
	}
}

func BenchmarkSlopeInterval2000(b *testing.B) {
	x := count(2000)
	y := sum(x, normals(2000, 1))
	b.SetBytes(16 * 2000)
	b.ReportAllocs()
	for b.Loop() {
		SlopeInterval(x, y, nil)
	}
}
