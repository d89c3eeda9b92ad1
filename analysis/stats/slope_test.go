package stats

import (
	"math"
	"testing"
)

func TestTheilSenByHand(t *testing.T) {
	// Slopes 1, 2, 3, 3, 4, 5 between (0,0) (1,1) (2,4) (3,9).
	slope, intercept := TheilSen([]float64{0, 1, 2, 3}, []float64{0, 1, 4, 9})
	near(t, "slope", slope, 3, 0)
	near(t, "intercept", intercept, -1, 0) // of 0, −2, −2, 0
	slope, _ = TheilSen([]float64{1, 1, 2}, []float64{5, 7, 10})
	near(t, "slope with equal x", slope, 4, 0) // of 5 and 3
}

func TestRobustLinesIgnoreOutliers(t *testing.T) {
	x := count(40)
	y := affine(2540, 1, x)
	for i := 0; i < 40; i += 4 {
		y[i] += 1e6
	}
	for name, fit := range map[string]func(x, y []float64) (float64, float64){
		"TheilSen": TheilSen, "RepeatedMedian": RepeatedMedian,
	} {
		slope, intercept := fit(x, y)
		near(t, name+" slope", slope, 1, 1e-9)
		near(t, name+" intercept", intercept, 2540, 1e-9)
	}
	if LinearFit(x, y, nil).Slope > 0 {
		t.Error("the example misleads least squares no more")
	}
}

func TestRepeatedMedianBears45PercentOfOutliers(t *testing.T) {
	x := count(100)
	y := affine(3, 2, x)
	for i := range 45 {
		y[i] = 5000
	}
	slope, intercept := RepeatedMedian(x, y)
	near(t, "slope", slope, 2, 1e-9)
	near(t, "intercept", intercept, 3, 1e-9)
}

func TestSlopesFollowShiftAndScaleAndIgnoreOrder(t *testing.T) {
	x, y := normals(60, 1), normals(60, 2)
	order := source(3).Perm(60)
	w := make([]float64, 60)
	for i := range w {
		w[i] = float64(1 + i%5)
	}
	ws := func(w []float64) func(x, y []float64) (float64, float64) {
		return func(x, y []float64) (float64, float64) { return TheilSenWeighted(x, y, w) }
	}
	for name, f := range map[string][2]func(x, y []float64) (float64, float64){
		"TheilSen": {TheilSen, TheilSen}, "RepeatedMedian": {RepeatedMedian, RepeatedMedian},
		"weighted": {ws(w), ws(gather(w, order))},
	} {
		slope, intercept := f[0](x, y)
		s2, i2 := f[0](affine(7, 2, x), affine(-1, 3, y))
		near(t, name+" scaled slope", s2, slope*3/2, 1e-9)
		near(t, name+" scaled intercept", i2, 3*intercept-1-7*slope*1.5, 1e-9)
		s3, i3 := f[1](gather(x, order), gather(y, order))
		near(t, name+" permuted slope", s3, slope, 1e-12)
		near(t, name+" permuted intercept", i3, intercept, 1e-12)
	}
}

func TestWeightOneIsPlainAndWeightTwoIsTwice(t *testing.T) {
	x, y := normals(30, 4), normals(30, 5)
	slope, intercept := TheilSen(x, y)
	ws, wi := TheilSenWeighted(x, y, nil)
	near(t, "slope", ws, slope, 0)
	near(t, "intercept", wi, intercept, 0)

	w := make([]float64, 30)
	for i := range w {
		w[i] = 1
	}
	w[3], w[8] = 2, 0
	ws, _ = TheilSenWeighted(x, y, w)
	xs, ys := append(x[:8:8], x[9:]...), append(y[:8:8], y[9:]...)
	slope, _ = TheilSen(append(xs, x[3]), append(ys, y[3]))
	near(t, "slope with a repeated and a dropped point", ws, slope, 1e-12)
}

func TestSlopesOfManyPointsAreDrawnAndRepeat(t *testing.T) {
	n := 5000
	x := count(n)
	y := sum(affine(10, 0.5, x), normals(n, 6))
	a, ai := TheilSen(x, y)
	b, bi := TheilSen(x, y)
	if a != b || ai != bi {
		t.Error("two runs differ")
	}
	near(t, "TheilSen", a, 0.5, 1e-4)
	c, _ := RepeatedMedian(x, y)
	near(t, "RepeatedMedian", c, 0.5, 1e-4)
	d, _ := TheilSenWeighted(x, y, nil)
	near(t, "weighted", d, a, 1e-12)
}

func TestLinearFitOfAnscombe(t *testing.T) {
	l := LinearFit(anscombe[0], anscombe[1], nil)
	near(t, "slope", l.Slope, 0.50009, 1e-5)
	near(t, "intercept", l.Intercept, 3.00009, 1e-5)
	nan(t, "fit of one point", LinearFit([]float64{1}, []float64{1}, nil).Slope)
}

func TestNoSlopeWithoutSpreadOfX(t *testing.T) {
	x, y := []float64{3, 3, 3}, []float64{1, 2, 3}
	for _, f := range []func(x, y []float64) (float64, float64){TheilSen, RepeatedMedian} {
		slope, intercept := f(x, y)
		nan(t, "slope", slope)
		nan(t, "intercept", intercept)
		slope, _ = f(nil, nil)
		nan(t, "slope of nothing", slope)
		slope, _ = f([]float64{1}, nil)
		nan(t, "slope of uneven slices", slope)
	}
	nan(t, "least squares", LinearFit(x, y, nil).Slope)
	nan(t, "weighted", SlopeInterval(x, y, []float64{0, math.NaN(), 1}).Slope)
}

func BenchmarkTheilSen1000(b *testing.B) {
	x, y := normals(1000, 1), normals(1000, 2)
	b.SetBytes(16 * 1000)
	b.ReportAllocs()
	for b.Loop() {
		TheilSen(x, y)
	}
}

func BenchmarkTheilSenWeighted1000(b *testing.B) {
	x, y := normals(1000, 1), normals(1000, 2)
	b.SetBytes(16 * 1000)
	b.ReportAllocs()
	for b.Loop() {
		TheilSenWeighted(x, y, nil)
	}
}
