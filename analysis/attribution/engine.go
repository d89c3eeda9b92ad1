package attribution

import (
	"fmt"
	"math"
	"slices"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/series"
	"github.com/pgassay/pgassay/analysis/stats"
)

// maxPoints bounds the readings of one fit: beyond it neighbours are pooled.
const maxPoints = 100

// engine holds the cost and the clock at the pooled readings.
type engine struct {
	q       Question
	y, w    []float64
	clock   []float64
	pool    int // readings pooled into one
	explain [][]float64
}

func newEngine(q Question, cost *series.Column) *engine {
	e := &engine{q: q, pool: (len(cost.Values) + maxPoints - 1) / maxPoints}
	e.y = e.pooled(cost.Values)
	e.w = make([]float64, len(e.y))
	for i, n := range q.Frame.Executions {
		e.w[i/e.pool] += n
	}
	if clock := q.Frame.Column(series.WallClock); clock != nil {
		e.clock = e.pooled(clock.Values)
	}
	return e
}

// pooled is the mean of neighbours, weighted by their executions.
func (e *engine) pooled(values []float64) []float64 {
	if e.pool <= 1 {
		return values
	}
	out := make([]float64, (len(values)+e.pool-1)/e.pool)
	for i := range out {
		var sum, weight float64
		for k := i * e.pool; k < min(len(values), (i+1)*e.pool); k++ {
			if v := values[k]; !math.IsNaN(v) {
				sum, weight = sum+v*e.q.Frame.Executions[k], weight+e.q.Frame.Executions[k]
			}
		}
		out[i] = sum / weight // NaN without a value
	}
	return out
}

// measure fits the cost against one candidate.
func (e *engine) measure(col *series.Column) Candidate {
	c := Candidate{Column: col, Share: math.NaN(), Offset: math.NaN(), Raw: noCorrelation(), Partial: noCorrelation()}
	if !col.Measured() {
		c.Verdict, c.Why = finding.NotMeasurable, col.Missing
		return c
	}
	c.x = e.pooled(col.Values)
	c.Raw = stats.Pearson(c.x, e.y)
	if c.Raw.N < stats.MinReadings {
		c.Verdict, c.Why = finding.NotMeasurable, fmt.Sprintf("only %d readings beside the cost", c.Raw.N)
		return c
	}
	if math.IsNaN(c.Raw.R) || steady(c.x) {
		c.Verdict, c.Why, c.Share = finding.RuledOutVerdict, "constant", 0
		return c
	}
	c.Fit = stats.SlopeInterval(c.x, e.y, e.w)
	c.Raw = c.Raw.WithEffectiveN(min(stats.EffectiveN(c.x, e.y), float64(c.Readings)))
	c.Share = c.Raw.R * c.Raw.R
	e.equation(&c)
	return c
}

// steadySpread is the spread of a candidate, in shares of its level, that is
// the rounding of its readings and no change.
const steadySpread = 1e-6

// steady reports whether nothing but rounding moves a candidate.
func steady(x []float64) bool {
	known := finite(x)
	return slices.Max(known)-slices.Min(known) < steadySpread*math.Abs(stats.Median(known))
}

func noCorrelation() stats.Correlation { return stats.Correlation{R: math.NaN(), P: math.NaN()} }

// given is the correlation with the cost that the controls leave, tested as the
// independent readings that it rests on.
func (e *engine) given(c *Candidate, controls ...[]float64) stats.Correlation {
	r := stats.PartialCorrelation(c.x, e.y, controls...)
	n := stats.EffectiveN(left(c.x, controls), left(e.y, controls))
	return r.WithEffectiveN(min(n, float64(c.Readings)))
}

// left is what the controls leave of y; NaN where one of them is not known.
func left(y []float64, controls [][]float64) []float64 {
	fit := stats.MultipleRegression(y, controls)
	out := make([]float64, len(y))
	for i, v := range y {
		out[i] = v - fit.Intercept
		for k, b := range fit.Coefficients {
			if !math.IsNaN(b) {
				out[i] -= b * controls[k][i]
			}
		}
	}
	return out
}

// equation holds a size against its mechanism: one buffer for each page, at a
// level that leaves out no less than nothing and no more than all of them.
func (e *engine) equation(c *Candidate) {
	if !isSize(c.Kind) || !inBuffers(e.q.Cost) {
		return
	}
	lim := e.q.Limits
	unit := c.Fit.Interval.Within(lim.SlopeMin, lim.SlopeMax)
	if !math.IsNaN(e.q.Baseline) {
		offsets := make([]float64, len(c.x))
		for i, x := range c.x {
			offsets[i] = e.q.Baseline + x - e.y[i]
		}
		c.Offset = stats.Median(finite(offsets))
	}
	switch {
	case !unit:
		c.Why = fmt.Sprintf("slope not in [%g, %g]", lim.SlopeMin, lim.SlopeMax)
	case math.IsNaN(e.q.Baseline):
		c.Equation, c.Why = true, "unit slope; the level is open without a baseline"
	case c.Offset < -lim.Level*last(e.y) || c.Offset > last(c.x):
		c.Why = fmt.Sprintf("unit slope, but the level misses by %.0f pages", c.Offset)
	default:
		c.Equation, c.Why = true, "unit slope and level hold"
	}
	if !c.Equation && e.proportional(c) {
		c.Proportional, c.Why = true, "grows in proportion to it"
	}
}

// proportional is the equation of a statement that reads a fixed share of what
// it has a size of, several times or in part: the slope relative to cost ÷ size.
// A cost per row has no such share.
func (e *engine) proportional(c *Candidate) bool {
	if e.q.Cost != series.BuffersPerExecution {
		return false
	}
	scale := stats.Median(finite(c.x)) / stats.Median(finite(e.y))
	relative := stats.Interval{Lo: c.Fit.Interval.Lo * scale, Hi: c.Fit.Interval.Hi * scale}
	return relative.Within(e.q.Limits.SlopeMin, e.q.Limits.SlopeMax)
}

// last is the median of the last five values.
func last(v []float64) float64 {
	known := finite(v)
	return stats.Median(known[max(0, len(known)-5):])
}

func finite(v []float64) []float64 {
	var out []float64
	for _, x := range v {
		if !math.IsNaN(x) {
			out = append(out, x)
		}
	}
	return out
}
