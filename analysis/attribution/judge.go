package attribution

import (
	"fmt"
	"math"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/series"
	"github.com/pgassay/pgassay/analysis/stats"
)

// significant is the level at which a movement beyond the trend counts, before
// the correction over the whole run.
const significant = 0.01

// judge gives every measured candidate its verdict.
func (e *engine) judge(cs []Candidate) {
	chosen := e.byEquation(cs)
	if len(chosen) == 0 {
		chosen = e.byMovement(cs)
	}
	if len(chosen) == 0 {
		chosen = e.byClock(cs)
	}
	e.shares(chosen)
	for i := range cs {
		if c := &cs[i]; c.Verdict == "" {
			e.rival(c)
		}
	}
}

// byEquation chooses among the sizes whose equation holds: the index that the
// event names, else all of them, told apart or not.
func (e *engine) byEquation(cs []Candidate) []*Candidate {
	sizes := holding(cs, func(c *Candidate) bool { return c.Equation })
	if len(sizes) == 0 { // a unit slope comes before
		return named(holding(cs, func(c *Candidate) bool { return c.Proportional }))
	}
	if len(sizes) > 1 && e.q.Named != nil {
		for _, c := range sizes {
			if c.Index == e.q.Named {
				c.Why += "; the event names it"
				e.exclude(sizes, c)
				sizes = []*Candidate{c}
				break
			}
		}
	}
	return named(sizes)
}

// holding are the candidates that hold.
func holding(cs []Candidate, holds func(*Candidate) bool) []*Candidate {
	var out []*Candidate
	for i := range cs {
		if holds(&cs[i]) {
			out = append(out, &cs[i])
		}
	}
	return out
}

func (e *engine) exclude(all []*Candidate, chosen *Candidate) {
	for _, c := range all {
		if c != chosen {
			c.Equation, c.Why = false, "its slope and level hold too, but the event names "+chosen.Name
		}
	}
}

// named sets the verdict of what explains: alone, or not told apart.
func named(cs []*Candidate) []*Candidate {
	for _, c := range cs {
		c.Verdict = finding.Explains
		if len(cs) > 1 {
			c.Verdict = finding.NotToldApart
		}
	}
	return cs
}

// byMovement chooses what moves with the cost beyond the common trend: two
// things that grow correlate, whatever the cause. Load is not chosen: it may be
// the effect.
func (e *engine) byMovement(cs []Candidate) []*Candidate {
	var best *Candidate
	for i := range cs {
		c := &cs[i]
		if c.Verdict != "" || c.Kind == series.WallClock || isLoad(c.Kind) || isSize(c.Kind) && inBuffers(e.q.Cost) || !e.worsens(c) || c.Share < e.q.Limits.Strong {
			continue
		}
		beyond := e.given(c, e.clock)
		if math.IsNaN(beyond.R) || beyond.R*c.Raw.R <= 0 || !(beyond.P < significant) {
			continue
		}
		if best == nil || c.Share > best.Share {
			best = c
		}
	}
	if best == nil {
		return nil
	}
	best.Why = "moves with the cost beyond the common trend"
	chosen := []*Candidate{best}
	for i := range cs {
		if c := &cs[i]; c != best && c.Verdict == "" && !isLoad(c.Kind) && math.Abs(stats.Pearson(c.x, best.x).R) > inseparable {
			c.Why = "moves as " + best.Name + " does"
			chosen = append(chosen, c)
		}
	}
	return named(chosen)
}

// inseparable is the correlation of two candidates above which no cost can tell
// them apart.
const inseparable = 0.98

// worsens reports whether the sign of the slope is the mechanism's: fewer
// visible pages, but more of everything else, cost more.
func (e *engine) worsens(c *Candidate) bool {
	if c.Kind == series.VisibleShare {
		return c.Fit.Slope < 0
	}
	return c.Fit.Slope > 0
}

// byClock is the last resort: the cost has a trend, and nothing but the clock,
// and what grows as evenly, follows it.
func (e *engine) byClock(cs []Candidate) []*Candidate {
	var chosen []*Candidate
	for i := range cs {
		c := &cs[i]
		if c.Verdict != "" || isLoad(c.Kind) || c.Share < e.q.Limits.Strong || !e.worsens(c) || !(c.Fit.Interval.Lo > 0) {
			continue
		}
		if c.Kind == series.WallClock {
			c.Why = "grows with time"
			chosen = append(chosen, c)
		} else if !(isSize(c.Kind) && inBuffers(e.q.Cost)) && math.Abs(stats.Pearson(c.x, e.clock).R) > inseparable {
			c.Why = "grows as evenly as the clock"
			chosen = append(chosen, c)
		}
	}
	if len(chosen) > 0 && chosen[len(chosen)-1].Kind != series.WallClock {
		return nil // the clock comes last among the columns: it does not follow
	}
	return named(chosen)
}

// shares splits what the chosen explain together.
func (e *engine) shares(chosen []*Candidate) {
	for _, c := range chosen {
		e.explain = append(e.explain, c.x)
	}
	if len(chosen) < 2 || len(chosen) > stats.MaxCandidates {
		return
	}
	for i, v := range stats.MultipleRegression(e.y, e.explain).Shares {
		chosen[i].Share = v
	}
}

// rival is what is left of a candidate given what explains the cost.
func (e *engine) rival(c *Candidate) {
	c.Verdict = finding.NotRuledOut
	if len(e.explain) == 0 {
		e.unexplained(c)
		return
	}
	c.Partial = e.given(c, e.explain...)
	c.Share = e.gain(c)
	switch {
	case c.Why != "": // its own equation has failed
		c.Verdict = finding.RuledOutVerdict
	case math.IsNaN(c.Partial.R):
		c.Why = "cannot be told from what explains the cost"
	case math.Abs(c.Partial.R) <= e.q.Limits.Weak:
		c.Verdict, c.Why = finding.RuledOutVerdict, "given what explains the cost"
	case c.Share <= e.q.Limits.WeakShare:
		c.Verdict, c.Why = finding.RuledOutVerdict, fmt.Sprintf("adds %.1f %% of the variance", 100*c.Share)
	default:
		c.Why = fmt.Sprintf("adds %.0f %% of the variance", 100*c.Share)
	}
}

// gain is what the candidate adds to the explained share of the variance.
func (e *engine) gain(c *Candidate) float64 {
	columns := append([][]float64{c.x}, e.explain...)
	without := stats.MultipleRegression(e.y, e.explain).R2
	return max(0, stats.MultipleRegression(e.y, columns).R2-without)
}

// unexplained judges a candidate by itself where nothing explains the cost.
func (e *engine) unexplained(c *Candidate) {
	weak := c.Share <= e.q.Limits.WeakShare
	switch {
	case c.Why != "":
		c.Verdict = finding.RuledOutVerdict
	case weak:
		c.Verdict, c.Why = finding.RuledOutVerdict, "the cost does not follow it"
	case c.Kind == series.Throughput && c.Fit.Slope < 0:
		c.Verdict, c.Why = finding.RuledOutVerdict, "falls as the cost rises: an effect, not a cause"
	case isLoad(c.Kind):
		c.Why = "moves with the cost: cause or effect"
	default:
		c.Why = "moves with the cost in part"
	}
}
