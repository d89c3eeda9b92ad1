package signature

import (
	"fmt"
	"math"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
)

// finding tells what a row costs in statements of different sizes.
func (c *batches) finding(p *Pass) finding.Finding {
	s := c.Statement
	f := finding.Finding{
		Subject:    finding.Subject{Fingerprint: s.Fingerprint, Statement: s.Normalized},
		Effect:     c.Step.Ratio,
		Share:      timeShare(p.Model, s, fromPlans),
		Confidence: finding.Likely,
		WhyConfidence: "holds: the sizes were used side by side, and the 95 % interval of their difference decides; " +
			"missing: an experiment with nothing else running",
		N: fmt.Sprintf("%s executions of %d sizes, in stretches of time that hold more than one size", thousands(int64(c.N)), len(c.Sizes)),
	}
	if s.Target != nil {
		f.Subject.Relation = s.Target.Name
	}
	if p.Model.Logging.PlanFloor > 0 {
		f.Confidence = finding.Possible
		f.WhyConfidence += "; " + p.Model.Logging.Why
	}
	c.tell(p, &f)
	f.Figures = c.figures(p)
	f.RuledOut = []finding.RuledOut{
		{Rival: "drift over time", Verdict: finding.RuledOutVerdict, Figure: "sizes are compared within the same time"},
		c.load(),
	}
	for _, b := range []struct {
		what string
		of   *batch
	}{{"smallest size", c.smallest()}, {"largest size", c.largest()}} {
		e := b.of.First
		f.Evidence = append(f.Evidence, finding.Evidence{What: b.what, Pos: e.Pos, Time: e.Time, Unit: "buffers/row",
			Value: float64(e.Figures.Own.Shared()) / b.of.Rows, Excerpt: rowsText(b.of.Rows)})
	}
	f.Series = c.series()
	return f
}

func rowsText(rows float64) string { return plural(int(math.Round(rows)), "row") }

// tell fills title, summary, actions and verification.
func (c *batches) tell(p *Pass, f *finding.Finding) {
	on := c.Statement.Command
	if c.Statement.Target != nil {
		on += " " + into(c.Statement, c.Statement.Target)
	}
	small, large := c.smallest(), c.largest()
	levels := fmt.Sprintf("%s buffers in statements of %s and %s in those of %s",
		num(c.Step.After), rowsText(small.Rows), num(c.Step.Before), rowsText(large.Rows))
	switch {
	case !c.depends(p):
		f.Title = fmt.Sprintf("Rows per statement do not change what a row of %s costs", on)
		f.Summary = fmt.Sprintf("A row costs %s: the same. Another batch size would change nothing in the server's work per row.", levels)
		f.Actions = []finding.Action{{Do: "Leave the batch size as far as the server's work is concerned. What a row costs lies in the row: its indexes, triggers and size."}}
		f.WillNotHelp = []string{"larger or smaller batches, beyond the round trips and commits that they save"}
		f.Verify = []string{"the cost per row stays the same in statements of other sizes"}
	case c.Step.Ratio < 1:
		f.Title = fmt.Sprintf("A row of %s costs more in larger statements", on)
		f.Summary = fmt.Sprintf("A row costs %s.", levels)
		f.Actions = []finding.Action{{Do: fmt.Sprintf("Write fewer rows per statement, near %s, and compare.", rowsText(small.Rows))}}
		f.Verify = []string{fmt.Sprintf("a row costs about %s buffers at the smaller size", num(c.Step.After))}
	default:
		f.Title = fmt.Sprintf("A row of %s costs %s as much in statements of %s as in those of %s", on, times(c.Step.Ratio), rowsText(small.Rows), rowsText(large.Rows))
		f.Summary = fmt.Sprintf("A row costs %s. A statement costs %s buffers whatever it writes, and %s more for each row.", levels, num(c.Fixed), num(c.Row))
		c.larger(f)
	}
}

// larger advises the size at which the fixed cost is a tenth of that of the rows.
func (c *batches) larger(f *finding.Finding) {
	if !(c.Row > 0) || !(c.Fixed > 0) {
		f.Actions = []finding.Action{{Do: "Write more rows per statement, and compare."}}
		f.Verify = []string{"the cost per row falls"}
		return
	}
	rows := math.Ceil(c.Fixed / (0.1 * c.Row))
	at := c.Fixed/rows + c.Row
	f.Actions = []finding.Action{{Do: fmt.Sprintf("Write about %s per statement where the smallest write %s: a row then costs about %s buffers instead of %s.",
		rowsText(rows), rowsText(c.smallest().Rows), num(at), num(c.Step.After)),
		Cost: "rows wait until the batch is full; a failed statement loses the whole batch"}}
	f.Verify = []string{fmt.Sprintf("buffers per row ≈ %s ÷ rows + %s", num(c.Fixed), num(c.Row))}
}

func (c *batches) figures(p *Pass) []finding.Figure {
	const most = 6
	says := "the same"
	if c.depends(p) {
		says = "depends"
	}
	out := []finding.Figure{{What: "smallest ÷ largest size", Value: c.Step.Ratio, Unit: "x", PValue: p.Test(c.Step.P),
		Limit: fmt.Sprintf("at least %g to depend", p.limit("depends")), Says: says},
		{What: "difference", Value: c.Step.Shift.Estimate, Unit: "buffers/row", Interval: interval(c.Step.Shift.Interval), Indent: true,
			Limit: fmt.Sprintf("within %s of the cost to be the same", percent(p.limit("same"))), Says: "Cliff's delta " + correlationText(c.Step.Delta)},
		{What: "fixed cost of a statement", Value: c.Fixed, Unit: "buffers", Says: "robust fit"},
		{What: "cost of each row", Value: c.Row, Unit: "buffers/row", Says: "robust fit"}}
	for i := range c.Sizes[:min(len(c.Sizes), most)] {
		b := &c.Sizes[i]
		out = append(out, finding.Figure{What: "statements of " + rowsText(b.Rows), Value: stats.Median(b.PerRow), Unit: "buffers/row", Indent: true,
			Text: fmt.Sprintf("%s buffers/row, %s ms/row (n = %s)", num(stats.Median(b.PerRow)), num(stats.Median(b.MS)), thousands(int64(len(b.PerRow))))})
	}
	return out
}

// load compares how many other executions were in flight at either size.
func (c *batches) load() finding.RuledOut {
	small, large := stats.Median(c.smallest().Others), stats.Median(c.largest().Others)
	out := finding.RuledOut{Rival: "concurrency", Verdict: finding.RuledOutVerdict,
		Figure: fmt.Sprintf("%s other executions in flight at the smallest size, %s at the largest", num(small), num(large))}
	if max(small, large) > 2*max(1, min(small, large)) {
		out.Verdict = finding.NotRuledOut
	}
	return out
}

// series are the costs of the statements against their rows with the fit.
func (c *batches) series() []finding.Series {
	col := finding.Column{Name: "statements", Unit: "buffers"}
	for i := range c.Sizes {
		b := &c.Sizes[i]
		step := len(b.PerRow)/(maxReadings/len(c.Sizes)+1) + 1
		for k := 0; k < len(b.PerRow); k += step {
			col.Points = append(col.Points, finding.Point{X: b.Rows, Y: b.PerRow[k] * b.Rows})
		}
	}
	return []finding.Series{{Name: fmt.Sprintf("%s buffers per statement and %s per row", num(c.Fixed), num(c.Row)), Kind: finding.SeriesScatter,
		XLabel: "rows per statement", YLabel: "buffers per statement", XUnit: "rows", Columns: []finding.Column{col},
		Fit: &finding.Line{Intercept: c.Fixed, Slope: c.Row, From: c.smallest().Rows, To: c.largest().Rows}}}
}
