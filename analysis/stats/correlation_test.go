package stats

import (
	"math"
	"testing"
)

func TestPearsonOfAnscombe(t *testing.T) {
	c := Pearson(anscombe[0], anscombe[1])
	near(t, "r", c.R, 0.81642, 1e-5)
	near(t, "p", c.P, 0.00217, 1e-5)
	if c.N != 11 || c.DoF != 9 || c.EffectiveN != 11 {
		t.Errorf("%+v", c)
	}
}

// Hours of television by IQ, the worked example of many texts: ρ −29/165,
// p 0.627188 by the t distribution.
func TestSpearmanByHand(t *testing.T) {
	iq := []float64{106, 100, 86, 101, 99, 103, 97, 113, 112, 110}
	tv := []float64{7, 27, 2, 50, 28, 29, 20, 12, 6, 17}
	c := Spearman(iq, tv)
	near(t, "rho", c.R, -29.0/165, 1e-12)
	near(t, "p", c.P, 0.627188, 1e-6)
}

// Hollander and Wolfe (1973), p. 187: lightness of canned tuna and the panel's
// score; τ 4/9.
func TestKendallOfTuna(t *testing.T) {
	x := []float64{44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1}
	y := []float64{2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8}
	k := Kendall(x, y)
	near(t, "tau", k.Statistic, 4.0/9, 1e-12)
	near(t, "p", k.P, 0.0952, 1e-4) // z = 16/√92
}

func TestKendallCountsTiesLikeTheDefinition(t *testing.T) {
	for seed := range uint64(50) {
		n := 2 + int(seed)
		x, y := normals(n, seed), normals(n, seed+1000)
		for i := range x {
			x[i], y[i] = math.Round(2*x[i]), math.Round(2*y[i])
		}
		var s, tx, ty float64
		for i := range x {
			for j := range i {
				a, b := signOf(x[i]-x[j]), signOf(y[i]-y[j])
				s += a * b
				tx += a * a
				ty += b * b
			}
		}
		near(t, "tau-b", Kendall(x, y).Statistic, s/math.Sqrt(tx*ty), 1e-12)
	}
}

func signOf(v float64) float64 {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

func TestCorrelationsAreInvariant(t *testing.T) {
	x, y := normals(50, 1), normals(50, 2)
	order := source(1).Perm(50)
	for name, f := range map[string]func(x, y []float64) float64{
		"Pearson":  func(x, y []float64) float64 { return Pearson(x, y).R },
		"Spearman": func(x, y []float64) float64 { return Spearman(x, y).R },
		"Kendall":  func(x, y []float64) float64 { return Kendall(x, y).Statistic },
	} {
		r := f(x, y)
		near(t, name+" shifted and scaled", f(affine(1e9, 1e3, x), affine(-5, 0.1, y)), r, 1e-6)
		near(t, name+" turned", f(affine(0, -1, x), y), -r, 1e-12)
		near(t, name+" permuted", f(gather(x, order), gather(y, order)), r, 1e-12)
		near(t, name+" swapped", f(y, x), r, 1e-12)
		near(t, name+" with itself", f(x, x), 1, 1e-12)
		nan(t, name+" with a constant", f(x, make([]float64, 50)))
		nan(t, name+" of nothing", f(nil, nil))
		nan(t, name+" of uneven slices", f(x, y[1:]))
	}
}

func TestEffectiveNWeakensAndRefuses(t *testing.T) {
	c := Pearson(anscombe[0], anscombe[1])
	fewer := c.WithEffectiveN(8)
	if !(fewer.P > c.P) || fewer.DoF != 6 || fewer.R != c.R {
		t.Errorf("%+v", fewer)
	}
	nan(t, "p below MinReadings", c.WithEffectiveN(7.9).P)
	p := PartialCorrelation(normals(30, 1), normals(30, 2), normals(30, 3)).WithEffectiveN(20)
	if p.DoF != 17 {
		t.Errorf("partial dof %v, want 20 − 2 − 1", p.DoF)
	}
}

func TestPValuesAreUniformUnderIndependence(t *testing.T) {
	small := 0
	for r := range uint64(1000) {
		if Pearson(normals(12, 2*r), normals(12, 2*r+1)).P < 0.1 {
			small++
		}
	}
	if small < 70 || small > 130 {
		t.Errorf("%d of 1000 below 0.1", small)
	}
}

func TestPartialCorrelationByFormula(t *testing.T) {
	z := normals(40, 1)
	x, y := sum(z, normals(40, 2)), sum(z, normals(40, 3))
	xy, xz, yz := Pearson(x, y).R, Pearson(x, z).R, Pearson(y, z).R
	c := PartialCorrelation(x, y, z)
	near(t, "r", c.R, (xy-xz*yz)/math.Sqrt((1-xz*xz)*(1-yz*yz)), 1e-12)
	if c.DoF != 37 {
		t.Errorf("dof %v, want 40 − 3", c.DoF)
	}
}

func TestPartialCorrelationDropsControlsThatSayNothing(t *testing.T) {
	x, y, z := normals(40, 1), normals(40, 2), normals(40, 3)
	want := PartialCorrelation(x, y, z)
	got := PartialCorrelation(x, y, make([]float64, 40), z, affine(3, -2, z))
	near(t, "r", got.R, want.R, 1e-9)
	if got.DoF != want.DoF {
		t.Errorf("dof %v, want %v", got.DoF, want.DoF)
	}
	nan(t, "control equal to x", PartialCorrelation(x, y, affine(1, 2, x)).R)
}

func TestCommonCauseVanishesGivenIt(t *testing.T) {
	// A closed loop: pages drive cost, cost drives concurrency.
	pages := affine(5000, 20, count(100))
	cost := sum(affine(2500, 1, pages), affine(0, 30, normals(100, 1)))
	overlap := sum(affine(0, 0.002, pages), normals(100, 2))
	if raw := Pearson(cost, overlap); raw.R < 0.5 {
		t.Errorf("raw r %v", raw.R)
	}
	if c := PartialCorrelation(cost, overlap, pages); math.Abs(c.R) > 0.25 {
		t.Errorf("partial r %v", c.R)
	}
	if c := PartialSpearman(cost, overlap, pages); math.Abs(c.R) > 0.25 {
		t.Errorf("partial rank r %v", c.R)
	}
}

func TestAutocorrelation(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5} // deviations −2 … 2, squares 10
	near(t, "lag 0", Autocorrelation(x, 0), 1, 0)
	near(t, "lag 1", Autocorrelation(x, 1), 0.4, 1e-12)
	near(t, "lag 2", Autocorrelation(x, 2), -0.1, 1e-12)
	nan(t, "lag 5", Autocorrelation(x, 5))
	nan(t, "constant", Autocorrelation([]float64{2, 2, 2}, 1))
	near(t, "AR(1)", Autocorrelation(ar1(20000, 0.6, 1), 1), 0.6, 0.02)
}

func TestEffectiveN(t *testing.T) {
	x := ar1(1000, 0.8, 1)
	y := ar1(1000, 0.8, 2)
	near(t, "two AR(1)", EffectiveN(x, y), 1000*(1-0.64)/(1+0.64), 40)
	near(t, "with a constant", EffectiveN(x, make([]float64, 1000)), 1000, 0)
	near(t, "two trends", EffectiveN(count(10), count(10)), 10*(1-0.49)/(1+0.49), 1e-9)
	near(t, "never above n", EffectiveN([]float64{1, -1, 1, -1, 1, -1}, count(6)), 6, 0)
	near(t, "nothing", EffectiveN(nil, nil), 0, 0)
}
