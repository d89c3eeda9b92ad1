package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Correlation is a correlation coefficient and its test against 0.
type Correlation struct {
	R          float64 // −1 … 1; NaN if x or y is constant or fully explained by the controls
	N          int     // pairs of readings
	EffectiveN float64 // independent pairs the test assumes; N unless told otherwise
	DoF        float64 // of the t distribution: EffectiveN − 2 − controls
	P          float64 // NaN if R is, or if DoF < 1
}

// WithEffectiveN tests the same coefficient as n independent pairs, for
// autocorrelated readings (see EffectiveN). P is NaN if n is below MinReadings.
func (c Correlation) WithEffectiveN(n float64) Correlation {
	c.DoF += n - c.EffectiveN
	c.EffectiveN = n
	c.P = math.NaN()
	if n >= MinReadings {
		c.P = correlationP(c.R, c.DoF)
	}
	return c
}

func newCorrelation(r float64, n, controls int) Correlation {
	dof := float64(n - 2 - controls)
	return Correlation{R: r, N: n, EffectiveN: float64(n), DoF: dof, P: correlationP(r, dof)}
}

// correlationP tests r by t = r·√(dof/(1−r²)).
func correlationP(r, dof float64) float64 {
	if math.IsNaN(r) || !(dof >= 1) {
		return math.NaN()
	}
	if math.Abs(r) >= 1 {
		return 0
	}
	t := math.Abs(r) * math.Sqrt(dof/(1-r*r))
	return min(1, 2*distuv.StudentsT{Sigma: 1, Nu: dof}.Survival(t))
}

// Pearson is the product-moment correlation. The p-value assumes independent,
// jointly normal readings: two counters that both grow always correlate.
func Pearson(x, y []float64) Correlation {
	return PartialCorrelation(x, y)
}

// Spearman is Pearson on average ranks: monotone association. The p-value is
// the approximation by the t distribution.
func Spearman(x, y []float64) Correlation {
	return PartialSpearman(x, y)
}

// Kendall is Kendall's τ-b (Kendall, 1945), which allows for ties, in
// O(n log n) (Knight, 1966). The Statistic is τ; the p-value is the normal
// approximation with tie correction.
func Kendall(x, y []float64) Test {
	c := complete(x, y)
	x, y = c[0], c[1]
	n := len(x)
	t := Test{Statistic: math.NaN(), P: math.NaN(), N: n}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(x[a], x[b]), cmp.Compare(y[a], y[b]), a-b)
	})
	byX, ys := gather(x, order), gather(y, order)
	tx, joint := tieGroups(byX, nil), tieGroups(byX, ys)
	swaps := float64(mergeSwaps(ys, make([]float64, n)))
	ty := tieGroups(ys, nil) // sorted by now
	pairs := float64(n) * float64(n-1) / 2
	s := pairs - tx.pairs - ty.pairs + joint.pairs - 2*swaps
	if spread := math.Sqrt(pairs-tx.pairs) * math.Sqrt(pairs-ty.pairs); spread > 0 {
		t.Statistic = max(-1, min(1, s/spread))
		t.P = normalP(s / math.Sqrt(kendallVariance(float64(n), tx, ty)))
	}
	return t
}

// ties sums over groups of t equal values.
type ties struct {
	pairs   float64 // t(t−1)/2
	triples float64 // t(t−1)(t−2)
	weight  float64 // t(t−1)(2t+5)
}

// tieGroups counts runs of equal a, and equal b where b is given.
func tieGroups(a, b []float64) ties {
	var g ties
	for from := 0; from < len(a); {
		to := from + 1
		for to < len(a) && a[to] == a[from] && (b == nil || b[to] == b[from]) {
			to++
		}
		t := float64(to - from)
		g.pairs += t * (t - 1) / 2
		g.triples += t * (t - 1) * (t - 2)
		g.weight += t * (t - 1) * (2*t + 5)
		from = to
	}
	return g
}

// kendallVariance is the variance of concordant less discordant pairs when x
// and y are independent (Kendall, Rank Correlation Methods, 1970, 4.5).
func kendallVariance(n float64, x, y ties) float64 {
	v := (n*(n-1)*(2*n+5) - x.weight - y.weight) / 18
	v += 2 * x.pairs * y.pairs / (n * (n - 1))
	if n > 2 {
		v += x.triples * y.triples / (9 * n * (n - 1) * (n - 2))
	}
	return v
}

// mergeSwaps sorts y and counts the pairs that stood in the wrong order.
func mergeSwaps(y, buffer []float64) int {
	n := len(y)
	if n < 2 {
		return 0
	}
	half := n / 2
	swaps := mergeSwaps(y[:half], buffer[:half]) + mergeSwaps(y[half:], buffer[half:])
	copy(buffer, y)
	left, right := buffer[:half], buffer[half:n]
	for k := range y {
		if len(right) == 0 || len(left) > 0 && left[0] <= right[0] {
			y[k], left = left[0], left[1:]
			continue
		}
		y[k], right = right[0], right[1:]
		swaps += len(left)
	}
	return swaps
}
