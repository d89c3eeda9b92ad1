package attribution

import (
	"fmt"
	"math"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/series"
)

// Table is the answer for a finding. register takes each raw p-value and gives
// what will hold the corrected one (Pass.Test).
func (a *Answer) Table(lim Limits, register func(float64) *float64) []finding.Attribution {
	out := make([]finding.Attribution, 0, len(a.Candidates))
	for i := range a.Candidates {
		c := &a.Candidates[i]
		t := finding.Attribution{Candidate: c.label(), Verdict: c.Verdict, Why: c.Why, Share: known(c.Share)}
		if c.Fit.N > 0 { // else not measurable or constant: no figure
			t.N, t.EffectiveN = c.Raw.N, min(c.Fit.EffectiveN, float64(c.Readings))
			t.Raw, t.Partial = known(c.Raw.R), known(c.Partial.R)
			c.tell(&t, a.Cost, lim, register)
		}
		out = append(out, t)
	}
	return out
}

// tell puts the slope of a fit that has one into the row.
func (c *Candidate) tell(t *finding.Attribution, cost series.Kind, lim Limits, register func(float64) *float64) {
	if !c.Fit.Interval.OK() {
		return
	}
	t.Slope = c.slope(cost, lim)
	if p := c.Partial.P; !math.IsNaN(p) {
		t.Slope.PValue = register(p)
	}
}

// label names the candidate as findings do.
func (c *Candidate) label() string {
	switch c.Kind {
	case series.TablePages:
		if c.Table != nil {
			return "pages of the table " + c.Table.Relation
		}
	case series.RowBytes:
		return "row size (" + c.Name + ")"
	case series.ReadsPerExecution:
		return "reads"
	}
	return c.Name
}

func (c *Candidate) slope(cost series.Kind, lim Limits) *finding.Figure {
	g := &finding.Figure{Value: c.Fit.Slope, Unit: perUnit(cost.Unit(), c.Unit), Interval: &[2]float64{c.Fit.Interval.Lo, c.Fit.Interval.Hi}}
	if isSize(c.Kind) && inBuffers(cost) {
		g.Unit = "buffers/page"
		g.Limit = fmt.Sprintf("in [%g, %g]", lim.SlopeMin, lim.SlopeMax)
	}
	return g
}

func perUnit(cost, unit string) string {
	if unit == "" {
		return cost
	}
	// One of them: "per page", but "per ms" and "per execution/s".
	if len(unit) > len("ms") && !strings.Contains(unit, "/") {
		unit = strings.TrimSuffix(unit, "s")
	}
	return cost + " per " + unit
}

func known(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
