package signature

import (
	"fmt"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/record"
)

// finding tells the flip with its working.
func (c *flipCase) finding(p *Pass) finding.Finding {
	f := finding.Finding{
		Subject: finding.Subject{Relation: c.relation(), Fingerprint: c.Statement.Fingerprint, Statement: c.Statement.Normalized},
		Title:   c.title(),
		Effect:  c.effect(),
		Share:   c.share(p.Model),
		Onset:   &finding.Onset{Time: c.Flip.Time, EventTime: record.NoTime, End: record.NoTime, Event: c.event()},
		Figures: c.figures(p),
		N:       fmt.Sprintf("%s executions with the earlier plan, %s with the new one", thousands(int64(len(c.Before))), thousands(int64(len(c.After)))),
	}
	if c.worse() {
		f.Onset.End = c.ended()
	}
	if c.Cause != nil {
		f.Onset.EventTime, f.Onset.EventPos, f.Onset.Lag = c.Cause.End, c.Cause.Pos, c.Cause.Lag
	}
	f.Confidence, f.WhyConfidence = c.confidence(p.Model)
	f.RuledOut = c.ruledOut(p)
	f.Summary = c.summary(&f)
	f.Evidence = c.evidence()
	f.Series = c.series()
	f.Notes = c.notes()
	c.remedy(p, &f)
	return f
}

// relation is the table whose access changed, else the statement's only one.
func (c *flipCase) relation() string {
	if p := c.plan(c.To); p != nil {
		only := ""
		for i := range p.Nodes {
			n := &p.Nodes[i]
			if n.RelationName == "" || n.RelationName == only {
				continue
			}
			if only != "" {
				return ""
			}
			only = n.RelationName
		}
		for _, r := range c.Statement.Relations {
			if r.Relation == only {
				return r.Name
			}
		}
		return only
	}
	return ""
}

func (c *flipCase) title() string {
	on := ""
	if r := c.relation(); r != "" {
		on = " on " + r
	}
	how := "costs " + times(c.effect()) + " as much"
	if !c.worse() {
		how = "costs " + times(1/c.effect()) + " less"
	}
	return fmt.Sprintf("%s%s %s with another plan", statementNoun(c.Statement), on, how)
}

// statementNoun is "A query", "An UPDATE".
func statementNoun(s *dataset.Statement) string {
	switch s.Command {
	case "SELECT", "":
		return "A query"
	case "INSERT", "UPDATE":
		return "An " + s.Command
	}
	return "A " + s.Command
}

// share is the statement's part of the server time while the new plan ruled.
func (c *flipCase) share(m *dataset.Model) float64 {
	s := period{From: c.Flip.Time, To: c.After[len(c.After)-1].Time, Healed: record.NoTime}
	all, fromLog := serverTimeIn(m, s)
	if all <= 0 {
		return 0
	}
	return min(1, timeIn(c.Statement, s, fromLog)/all)
}

// event is what happened before the flip; "" if nothing is known.
func (c *flipCase) event() string {
	switch {
	case c.Generic && c.Cause == nil:
		return "the prepared statement took its generic plan"
	case c.Cause == nil:
		return ""
	}
	text := c.Cause.Text
	for _, h := range c.Cause.Also {
		text += ", or " + h.Text
	}
	return text
}

func (c *flipCase) figures(p *Pass) []finding.Figure {
	var out []finding.Figure
	add := func(what, unit string, s stats.Step) {
		if s.N == 0 {
			return
		}
		out = append(out,
			finding.Figure{What: what + " before", Value: s.Before, Unit: unit, Says: "baseline"},
			finding.Figure{What: what + " since", Value: s.After, Unit: unit, Says: times(s.Ratio), PValue: p.Test(s.P),
				Limit: fmt.Sprintf("at least %gx up or down", p.limit("min_ratio"))},
			finding.Figure{What: "shift", Value: s.Shift.Estimate, Unit: unit, Interval: interval(s.Shift.Interval), Indent: true,
				Says: fmt.Sprintf("Cliff's delta %s", correlationText(s.Delta))})
	}
	if c.timeDecides() {
		add("time per row", "ms/row", c.Took)
		add("buffers per row", "buffers/row", c.Buffers)
	} else {
		add("buffers per row", "buffers/row", c.Buffers)
		add("time per row", "ms/row", c.Took)
	}
	if n := len(c.All); n > 1 {
		out = append(out, finding.Figure{What: "flips that changed the cost", Value: float64(n), Unit: "flips", Text: c.flipsText(), Says: "returns"})
	}
	return append(out, controlFigures(c.Controls)...)
}

// flipsText lists the flips: "2: 20:06:34 (45.1x), 20:06:36 (0.02x)".
func (c *flipCase) flipsText() string {
	const most = 6
	var parts []string
	for i := range c.All[:min(len(c.All), most)] {
		parts = append(parts, fmt.Sprintf("%s (%sx)", clock(c.All[i].Flip.Time), num(c.All[i].effect())))
	}
	if len(c.All) > most {
		parts = append(parts, "…")
	}
	return fmt.Sprintf("%d: %s", len(c.All), strings.Join(parts, ", "))
}

// confidence: the change of cost with the shape, an event before it, and a
// control that stood still.
func (c *flipCase) confidence(m *dataset.Model) (finding.Confidence, string) {
	held, missing := []string{"the cost changes with the shape of the plan"}, []string{}
	note := func(ok bool, what, without string) {
		if ok {
			held = append(held, what)
		} else {
			missing = append(missing, without)
		}
	}
	note(c.Cause != nil || c.Generic, "event ("+c.event()+")", "an event before it that input tells")
	quiet := quietControls(c.Controls)
	note(quiet > 0 && 2*quiet >= len(c.Controls), "control ("+plural(quiet, "control")+" quiet)", "a quiet control")
	level := finding.Confidence(len(held) - 1)
	why := "holds: " + strings.Join(held, ", ")
	if len(missing) > 0 {
		why += "; missing: " + strings.Join(missing, ", ")
	}
	limit := func(to finding.Confidence, because string) {
		if level > to {
			level, why = to, why+"; "+because
		}
	}
	if c.Values.other() {
		limit(finding.Possible, "the parameters are others since")
	}
	if c.Cause == nil && !c.Generic && c.Values.Same == 0 {
		limit(finding.Possible, "input does not tell whether the parameters are others since")
	}
	if c.Cause != nil && len(c.Cause.Also) > 0 {
		limit(finding.Likely, "two happenings before it cannot be told apart")
	}
	if m.Logging.PlanFloor > 0 {
		limit(finding.Possible, m.Logging.Why)
	}
	return level, why
}

func (c *flipCase) summary(f *finding.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "From %s the statement ran with %s instead of %s. ", clock(c.Flip.Time), c.shapeText(c.To, c.From), c.shapeText(c.From, c.To))
	if c.Buffers.N > 0 {
		fmt.Fprintf(&b, "A row costs %s buffers instead of %s, and %s instead of %s. ", num(c.Buffers.After), num(c.Buffers.Before),
			span(c.Took.After/1000), span(c.Took.Before/1000))
	} else {
		fmt.Fprintf(&b, "A row takes %s instead of %s. ", span(c.Took.After/1000), span(c.Took.Before/1000))
	}
	if c.Cause != nil {
		fmt.Fprintf(&b, "Before it: %s, %s. ", c.event(), lagText(c.Cause.Lag))
	} else if c.Generic {
		b.WriteString("The new plan leaves the parameters open: it is the generic plan of a prepared statement. ")
	}
	if end := f.Onset.End; end.Known() {
		fmt.Fprintf(&b, "It ended at %s. ", clock(end))
	}
	if not := ruledOutNames(f.RuledOut); not != "" {
		fmt.Fprintf(&b, "It is not %s.", not)
	}
	return strings.TrimSpace(b.String())
}

func lagText(lag record.Duration) string {
	if lag == 0 {
		return "at the same time"
	}
	return span(lag.Seconds()) + " earlier"
}

// shapeText names the nodes that only the one of two plans has.
func (c *flipCase) shapeText(id, other uint64) string {
	own, not := c.plan(id), c.plan(other)
	if own == nil || not == nil {
		return fmt.Sprintf("plan shape %016x", id)
	}
	left := map[string]int{}
	for i := range not.Nodes {
		left[nodeTitle(&not.Nodes[i])]++
	}
	var only []string
	for i := range own.Nodes {
		t := nodeTitle(&own.Nodes[i])
		if left[t]--; left[t] < 0 {
			only = append(only, t)
		}
	}
	if len(only) == 0 || len(only) > 4 {
		return shorten(explain.ShapeText(own), 160)
	}
	return strings.Join(only, ", ")
}

func (c *flipCase) evidence() []finding.Evidence {
	var out []finding.Evidence
	if c.Cause != nil && c.Cause.Pos.File != "" {
		out = append(out, finding.Evidence{What: "event", Pos: c.Cause.Pos, Time: c.Cause.End, Excerpt: c.Cause.Text})
	}
	at := func(what string, e *dataset.Execution) {
		out = append(out, finding.Evidence{What: what, Pos: e.Pos, Time: e.Time, Value: e.Duration.Milliseconds(), Unit: "ms",
			Limit: "before " + num(c.Took.Before*perRow(e)) + " ms"})
	}
	worst := c.After[0]
	for _, e := range c.After {
		if e.Duration > worst.Duration {
			worst = e
		}
	}
	at("last with the earlier plan", c.Before[len(c.Before)-1])
	at("first", c.After[0])
	at("worst", worst)
	at("latest", c.After[len(c.After)-1])
	return out
}

// series are the times of both plans.
func (c *flipCase) series() []finding.Series {
	column := func(name string, execs []*dataset.Execution) finding.Column {
		col := finding.Column{Name: name, Unit: "ms/row"}
		step := len(execs)/maxReadings + 1
		for i := 0; i < len(execs); i += step {
			v, _ := msPerRow(execs[i])
			col.Points = append(col.Points, finding.Point{X: float64(execs[i].Start), Y: v})
		}
		return col
	}
	marks := []finding.Mark{{Time: c.Flip.Time, Text: "flip of the plan"}}
	if c.Cause != nil {
		marks = append([]finding.Mark{{Time: c.Cause.End, Text: c.Cause.Text}}, marks...)
	}
	return []finding.Series{{Name: "The time per row changes with the plan", Kind: finding.SeriesTime, XLabel: "time", YLabel: "ms per row",
		Columns: []finding.Column{column("earlier plan", c.Before), column("new plan", c.After)}, Marks: marks}}
}

func (c *flipCase) notes() []string {
	var out []string
	for _, side := range []struct {
		name  string
		shape uint64
	}{{"Earlier", c.From}, {"New", c.To}} {
		if p := c.plan(side.shape); p != nil {
			out = append(out, side.name+" plan: "+shorten(explain.ShapeText(p), 300))
		}
	}
	return out
}
