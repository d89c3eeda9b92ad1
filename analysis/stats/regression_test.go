package stats

import "testing"

func TestRegressionRecoversExactCoefficients(t *testing.T) {
	a, b := normals(50, 1), affine(1e6, 100, normals(50, 2))
	y := sum(affine(7, 2, a), affine(0, -3, b))
	f := MultipleRegression(y, [][]float64{a, b})
	near(t, "intercept", f.Intercept, 7, 1e-4)
	near(t, "a", f.Coefficients[0], 2, 1e-8)
	near(t, "b", f.Coefficients[1], -3, 1e-10)
	near(t, "R²", f.R2, 1, 1e-12)
}

func TestRegressionOfOneCandidateIsTheLine(t *testing.T) {
	f := MultipleRegression(anscombe[1], [][]float64{anscombe[0]})
	near(t, "slope", f.Coefficients[0], 0.50009, 1e-5)
	near(t, "intercept", f.Intercept, 3.00009, 1e-5)
	near(t, "standardized", f.Standardized[0], Pearson(anscombe[0], anscombe[1]).R, 1e-12)
	near(t, "R²", f.R2, 0.66654, 1e-5)
	near(t, "share", f.Shares[0], f.R2, 1e-12)
}

func TestSharesOfTwoByFormula(t *testing.T) {
	a := normals(80, 1)
	b := sum(affine(0, 0.7, a), normals(80, 2))
	y := sum(sum(a, affine(0, 2, b)), normals(80, 3))
	f := MultipleRegression(y, [][]float64{a, b})
	ra, rb := Pearson(y, a).R, Pearson(y, b).R
	near(t, "a", f.Shares[0], (ra*ra+f.R2-rb*rb)/2, 1e-12)
	near(t, "b", f.Shares[1], (rb*rb+f.R2-ra*ra)/2, 1e-12)
}

func TestSharesSumToR2AndEqualCandidatesShareEqually(t *testing.T) {
	a := normals(60, 1)
	y := sum(a, normals(60, 2))
	f := MultipleRegression(y, [][]float64{a, affine(5, 3, a), make([]float64, 60), normals(60, 3)})
	near(t, "twins", f.Shares[0], f.Shares[1], 1e-9)
	near(t, "constant", f.Shares[2], 0, 1e-12)
	near(t, "sum", f.Shares[0]+f.Shares[1]+f.Shares[2]+f.Shares[3], f.R2, 1e-9)
	nan(t, "coefficient of the second twin", f.Coefficients[1])
	nan(t, "coefficient of the constant", f.Coefficients[2])
}

func TestRegressionSaysNothingWithoutReadings(t *testing.T) {
	for name, f := range map[string]Regression{
		"empty":       MultipleRegression(nil, [][]float64{nil}),
		"too few":     MultipleRegression([]float64{1, 2}, [][]float64{{1, 3}}),
		"uneven":      MultipleRegression([]float64{1, 2, 3}, [][]float64{{1, 3}}),
		"y constant":  MultipleRegression([]float64{1, 1, 1, 1}, [][]float64{{1, 3, 2, 5}}),
		"x and y NaN": MultipleRegression(nans(9), [][]float64{nans(9)}),
	} {
		nan(t, name+": R²", f.R2)
		nan(t, name+": intercept", f.Intercept)
		nan(t, name+": standardized", f.Standardized[0])
	}
}

func TestSharesOfMoreThanSixAreNotGiven(t *testing.T) {
	x := make([][]float64, MaxCandidates+1)
	for i := range x {
		x[i] = normals(40, uint64(i))
	}
	if f := MultipleRegression(normals(40, 50), x); f.Shares != nil || !(f.R2 > 0) {
		t.Errorf("%+v", f)
	}
}
