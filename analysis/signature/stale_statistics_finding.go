package signature

import (
	"fmt"
	"math"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

func (s *stale) finding(p *Pass) finding.Finding {
	c, r := s.Case, s.Relation
	f := finding.Finding{
		Subject:  finding.Subject{Relation: r.Name},
		Title:    fmt.Sprintf("The planner knows %s as it was before a bulk change: %s of %s rows changed since", r.Name, num(float64(s.Changed.ModSinceAnalyze.N)), num(float64(s.Changed.LiveTup.N))),
		Effect:   s.effect(),
		Share:    c.Share,
		Figures:  s.figures(p),
		RuledOut: s.rivals(),
		Evidence: s.evidence(),
		N:        c.counts(),
		WillNotHelp: []string{
			"an index, or other planner costs: the estimate stays wrong until the table is analyzed",
			"a larger statistics target: the sample is old, not small",
		},
		Verify: []string{
			fmt.Sprintf("EXPLAIN (ANALYZE, BUFFERS) of the statement again: rows= planned and actual of %s agree within a factor of a few", nodeTitle(c.node(s.Node))),
			fmt.Sprintf("select n_mod_since_analyze, last_analyze, last_autoanalyze from pg_stat_user_tables where relid = %s;", regclass(r.SQL())),
		},
	}
	if b, _ := s.bulk(); b != nil {
		f.Onset = &finding.Onset{Time: b.Time, Event: "bulk change of " + r.Name, EventTime: b.Time, EventPos: b.Pos, End: record.NoTime}
		if s.After != nil {
			f.Onset.End = s.Later.End
		}
	}
	f.Confidence, f.WhyConfidence = s.confidence()
	f.Actions = s.actions()
	f.Summary = s.summary()
	if s.gain() > 0 {
		f.Notes = append(f.Notes, "effect is the plan's time before ÷ after the analyze; share is that of this plan's executions")
	}
	return f
}

// effect is what the analyze brought, else how far the estimate is off where
// something dear was chosen for it.
func (s *stale) effect() float64 {
	switch {
	case s.gain() > 0:
		return s.gain()
	case s.chosen():
		return min(maxPlanEffect, s.Error.Factor)
	}
	return 1
}

func (s *stale) summary() string {
	var t strings.Builder
	c := s.Case
	fmt.Fprintf(&t, "%s was %s; at %s %s rows had changed since, of %s. ", s.Relation.Name, s.analyzedText(), clock(s.Changed.Time),
		num(float64(s.Changed.ModSinceAnalyze.N)), num(float64(s.Changed.LiveTup.N)))
	fmt.Fprintf(&t, "%s was planned to give %s rows and gave %s. ", c.place(s.Node), counted(s.Error.Planned), counted(c.node(s.Node).ActualRows.Float()))
	if s.chosen() {
		fmt.Fprintf(&t, "Because of it %s: %s ms of the plan's %s ms. ", s.Choice.What, num(s.Choice.Cost), num(c.Total))
	}
	if s.After != nil {
		fmt.Fprintf(&t, "After the analyze at %s the estimate is off by %s, and the plan takes %s ms.", clock(s.Later.End), times(s.Better), num(s.After.Total))
	}
	return strings.TrimSpace(t.String())
}

func (s *stale) figures(p *Pass) []finding.Figure {
	changed, live := float64(s.Changed.ModSinceAnalyze.N), float64(s.Changed.LiveTup.N)
	fs := []finding.Figure{
		{What: "error of the estimate", Value: s.Error.Factor, Unit: "x", Text: times(s.Error.Factor), Limit: fmt.Sprintf(">= %g", p.limit("min_ratio")), Says: "explained by the change"},
		{What: "planned rows", Value: s.Error.Planned, Unit: "rows", Indent: true, Text: counted(s.Error.Planned)},
		{What: "actual rows, nearest end of the rounding interval", Value: s.Error.Actual, Unit: "rows", Indent: true, Text: counted(s.Error.Actual)},
		{What: "rows changed since the last analyze", Value: changed, Unit: "rows", Limit: fmt.Sprintf(">= %s of the rows", percent(p.limit("min_changed"))), Text: fmt.Sprintf("%s of %s", num(changed), num(live))},
	}
	if s.After != nil {
		fs = append(fs, finding.Figure{What: "error after the analyze", Value: s.Better, Unit: "x", Text: times(s.Better), Says: "mended"},
			finding.Figure{What: "time of the plan before ÷ after", Value: s.gain(), Unit: "x", Text: fmt.Sprintf("%s ms to %s ms", num(s.Case.Total), num(s.After.Total))})
	}
	return fs
}

// mended is the error up to which an estimate counts as right again.
const mended = 3

// confidence: the equation is that at least as many rows changed as the estimate
// is off by; the event, the captures that show the change; the control, the same
// statement after an analyze, whose estimate is right.
func (s *stale) confidence() (finding.Confidence, string) {
	off := math.Abs(s.Error.Actual - s.Error.Planned)
	equation := float64(s.Changed.ModSinceAnalyze.N) >= off
	b, rows := s.bulk()
	control := s.After != nil && s.Better <= mended
	why := "equation: " + yes(equation, fmt.Sprintf("%s rows changed, the estimate is off by %s", num(float64(s.Changed.ModSinceAnalyze.N)), num(off)), "fewer rows changed than the estimate is off by")
	why += "; event: " + yes(b != nil, "the captures show the change of "+num(rows)+" rows", "the change lies before the captures")
	why += "; control: " + yes(control, "after an analyze the estimate of the same statement is right", "no plan of the statement after an analyze, with a right estimate")
	return confidenceOf(equation, b != nil, control), why
}

func (s *stale) rivals() []finding.RuledOut {
	depend := finding.RuledOut{Rival: "columns that depend on each other, skew (301)", Verdict: finding.NotRuledOut, Figure: "they would show after an analyze too"}
	if s.After != nil && s.Better <= mended {
		depend.Verdict, depend.Figure = finding.RuledOutVerdict, "the error is gone after an analyze: "+times(s.Better)
	}
	return []finding.RuledOut{depend, s.Case.reads(s.Node), s.Case.typical()}
}

func (s *stale) evidence() []finding.Evidence {
	c := s.Case
	pos := c.Example.Pos
	if n := c.node(s.Node); n.Line > 0 {
		pos.Line = n.Line
	}
	out := []finding.Evidence{
		{What: "worst", Pos: pos, Time: c.Example.Time, Value: s.Error.Factor, Unit: "x", Excerpt: c.excerpt(s.Node)},
		{What: "changed", Pos: s.Changed.Pos, Time: s.Changed.Time, Value: float64(s.Changed.ModSinceAnalyze.N), Unit: "rows"},
	}
	if b, rows := s.bulk(); b != nil {
		out = append(out, finding.Evidence{What: "event", Pos: b.Pos, Time: b.Time, Value: rows, Unit: "rows"})
	}
	if s.After != nil {
		out = append(out, finding.Evidence{What: "after the analyze", Pos: s.After.Example.Pos, Time: s.After.Example.Time, Value: s.Better, Unit: "x"})
	}
	return out
}

func (s *stale) actions() []finding.Action {
	table := s.Relation.SQL()
	analyze := "reads a sample of at most 300 × the statistics target rows, blocks nobody; plans that sessions keep are made anew"
	out := []finding.Action{
		{SQL: true, Do: "analyze " + table + ";", Cost: analyze},
		{Do: "Put ANALYZE " + table + " at the end of what made the change: before its rows are read, not a minute later."},
	}
	if strings.Contains(s.Changed.Reloptions, "autovacuum_enabled=false") || strings.Contains(s.Changed.Reloptions, "autovacuum_enabled=off") {
		out = append(out, finding.Action{SQL: true, Do: fmt.Sprintf("alter table %s reset (autovacuum_enabled);", table),
			Cost: "autovacuum is off for this table: nobody else analyzes or vacuums it; a short lock (share update exclusive)"})
	}
	return out
}
