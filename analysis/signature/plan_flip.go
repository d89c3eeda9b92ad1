package signature

import (
	"math"
	"slices"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/onset"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

var planFlip = &Signature{
	ID: "PGA105", Name: "plan-flip", Max: finding.Critical,
	Felt: "A statement that worked well is suddenly faster or slower",
	What: "A statement goes over to another plan, and costs more, or less, from then on.",
	Why: "The planner chooses by its statistics, the indexes and the settings. New statistics, a dropped or new index, a changed setting or a prepared statement that takes its generic plan " +
		"move the estimates across the point where another plan looks cheaper. If the estimates are wrong, it is not.",
	Fix: "Undo what changed if that was no intention (a dropped index, a setting). Else correct the estimate that the new plan rests on: more detailed or extended statistics, an index that serves condition and order, " +
		"or for a prepared statement plan_cache_mode.",
	Verify: "The statement's plan has its earlier shape again, and its cost per row is back.",
	Needs:  []Need{{"P", "plans with buffers: auto_explain.log_analyze and log_buffers; without them likely at most, from snapshots of pg_stat_statements and of the indexes over time"}},
	Silent: []string{"a flip without a change of cost", "two plans side by side that parameters or sessions choose", "other parameters since a time", "an index dropped that nothing used"},
	Thresholds: []Threshold{
		{"min_ratio", 1.5, "x", "of the cost per row, up or down, that a flip must bring"},
		{"level", 0.01, "", "that the p-value of the change must stay below"},
		{"control_band", 1.3, "x", "by which a quiet control may move"},
		{"floor_ms", 2, "ms", "added per execution below which the finding stays info"},
	},
	Detect: detectPlanFlip,
}

func detectPlanFlip(p *Pass) {
	unseen, measured := p.unseenFlips()
	if !p.anyPlan() && !measured {
		p.Lacks("no logged plans in input", "auto_explain with log_analyze and log_buffers")
		return
	}
	for _, u := range unseen {
		p.Report(u.finding(p), u.Time.Last-u.Time.First < p.limit("floor_ms"))
	}
	for _, s := range p.Model.Statements {
		if c := flipOf(p, s); c != nil {
			p.Report(c.finding(p), !c.worse() || c.added() < p.limit("floor_ms"))
		}
	}
}

// flip is one flip of a statement's plan with what it changed.
type flip struct {
	onset.Flip
	Took, Buffers stats.Step // of ms and of buffers per row; N is 0 if not known
	Cause         *onset.Explanation
}

// flipCase is a statement with its flips, and the one that is told.
type flipCase struct {
	flip
	Statement *dataset.Statement
	All       []flip // that changed the cost, by time
	At        int    // of the flip told in All
	Values    flipParameters
	Controls  []onset.Control
	Generic   bool // the new plan is a generic one
}

// flipOf is the statement's flip to tell: of those that made it dearer the last
// that lasts, else the worst, else the last that made it cheaper. nil if no flip
// changed the cost, or if parameters chose the plan.
func flipOf(p *Pass, s *dataset.Statement) *flipCase {
	if len(s.Shapes) < 2 {
		return nil
	}
	all := costlyFlips(p, s)
	if len(all) == 0 || alternates(all) {
		return nil
	}
	c := &flipCase{Statement: s, All: all}
	for i := range all {
		if all[i].effect() > all[c.At].effect() {
			c.At = i
		}
	}
	if last := len(all) - 1; all[last].effect() > 1 || all[c.At].effect() < 1 {
		c.At = last
	}
	c.flip = all[c.At]
	c.Values = valuesOf(&c.Flip)
	c.Generic = c.goesGeneric()
	if c.Cause == nil && !c.Generic && (c.Values.other() || c.Values.Same == 0 && c.rows().Verdict == finding.NotRuledOut) {
		return nil
	}
	c.Controls = onset.Controls(p.Model, onset.Question{Statement: s, At: c.Flip.Time, Settled: c.Flip.Time,
		Measure: flipMeasure(c.Buffers.N > 0), Band: p.limit("control_band"), MinReadings: minCostReadings})
	return c
}

// effect is the cost per row after ÷ before: of the time if it changed, else of
// the buffers.
func (f *flip) effect() float64 {
	if f.timeDecides() {
		return f.Took.Ratio
	}
	return f.Buffers.Ratio
}

// added is what an execution of the usual size takes longer in ms.
func (c *flipCase) added() float64 {
	rows := measured(c.After, func(e *dataset.Execution) (float64, bool) { return perRow(e), true })
	return c.Took.Difference * stats.Median(rows)
}

func (c *flipCase) worse() bool { return c.effect() > 1 }

// costlyFlips are the flips that changed the cost, each with the happening
// before it.
func costlyFlips(p *Pass, s *dataset.Statement) []flip {
	subject := onset.SubjectOf(s)
	var happened []onset.Happening
	var out []flip
	for _, f := range onset.Flips(s) {
		x := flip{Flip: f, Took: stepOf(f, msPerRow), Buffers: stepOf(f, buffersPerRow)}
		if !x.changed(p.limit("min_ratio"), p.limit("level")) {
			continue
		}
		if happened == nil {
			happened = onset.Of(happenings(p), subject)
		}
		x.Cause = onset.Explain(happened, onset.Began{After: f.LastBefore, By: f.Time, Resolution: f.After[0].Resolution}, onset.PlanChoice())
		out = append(out, x)
	}
	return out
}

// changed reports whether time or buffers per row moved by the ratio beyond
// chance. What buffers say alone, time must not contradict.
func (f *flip) changed(ratio, level float64) bool {
	moved := func(s stats.Step) bool {
		return s.N > 0 && s.P < level && (s.Ratio >= ratio || s.Ratio <= 1/ratio)
	}
	if moved(f.Took) {
		return !f.sameWork() || math.Abs(f.Took.Difference) >= leastWait
	}
	return moved(f.Buffers) && (f.Took.N == 0 || (f.Took.Ratio > 1) == (f.Buffers.Ratio > 1))
}

// leastWait is the change of the time per row in ms that counts by itself where
// both plans access as many buffers.
const leastWait = 0.1

// sameWork reports that the buffers per row did not move.
func (f *flip) sameWork() bool {
	return f.Buffers.N > 0 && f.Buffers.Ratio < 1.1 && f.Buffers.Ratio > 0.9
}

// timeDecides is true where the time moved at least half as far as the buffers,
// or without them.
func (f *flip) timeDecides() bool {
	if f.Buffers.N == 0 {
		return true
	}
	return math.Abs(math.Log(f.Took.Ratio)) >= 0.5*math.Abs(math.Log(f.Buffers.Ratio)) || (f.Took.Ratio > 1) != (f.Buffers.Ratio > 1)
}

// alternates reports a statement that goes to and fro without anything before
// it: parameters or sessions choose the plan.
func alternates(all []flip) bool {
	return len(all) > 2 && !slices.ContainsFunc(all, func(f flip) bool { return f.Cause != nil })
}

// perRow is the divisor of a cost per row: the rows that the execution
// processed, at least one.
func perRow(e *dataset.Execution) float64 {
	if f := e.Figures; f != nil && f.HasRows {
		return max(1, f.Rows.Float())
	}
	return 1
}

func msPerRow(e *dataset.Execution) (float64, bool) {
	return e.Duration.Milliseconds() / perRow(e), e.HasDuration
}

func buffersPerRow(e *dataset.Execution) (float64, bool) {
	f := e.Figures
	return float64(f.Total.Shared()) / perRow(e), f.HasBuffers
}

// flipMeasure is what controls are measured by: buffers, which load does not
// move, or the time.
func flipMeasure(buffers bool) onset.Measure {
	if buffers {
		return onset.Measure{Name: "buffers per row", Unit: "buffers/row", Of: func(e *dataset.Execution) (float64, bool) {
			if e.Figures == nil {
				return 0, false
			}
			return buffersPerRow(e)
		}}
	}
	return onset.Measure{Name: "time per row", Unit: "ms/row", Of: msPerRow}
}

func stepOf(f onset.Flip, measure func(*dataset.Execution) (float64, bool)) stats.Step {
	return stats.StepTest(measured(f.Before, measure), measured(f.After, measure))
}

func measured(execs []*dataset.Execution, measure func(*dataset.Execution) (float64, bool)) []float64 {
	var out []float64
	for _, e := range execs {
		if v, ok := measure(e); ok {
			out = append(out, v)
		}
	}
	return out
}

// ended is when the plan that was told came back or gave way to a better one;
// NoTime while it lasts.
func (c *flipCase) ended() record.Time {
	for _, f := range c.All[c.At+1:] {
		if f.effect() < 1 {
			return f.Flip.Time
		}
	}
	return record.NoTime
}
