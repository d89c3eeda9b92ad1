package signature

import (
	"fmt"
	"math"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// planSpot is one place in a plan where a mechanism was seen.
type planSpot struct {
	Case *planCase
	Node int // index in the plan
	// Cost is what the place takes of the plan in ms, Lost what of it the
	// mechanism costs at most.
	Cost, Lost float64
	// Of is what Cost is a share of, in ms; 0 means Case.Total.
	Of      float64
	Outside bool    // Cost lies outside the plan: Case.Whole counts, not Share
	Effect  float64 // as finding.Finding.Effect
	Subject finding.Subject
	// Small keeps the finding at info whatever its cost.
	Small bool
	// Weak says what is missing for more than a possible finding; "" if nothing.
	Weak string
	// Tell fills in title, summary, figures, actions and verification.
	Tell func(*finding.Finding)
}

// share is the part of the observed server time that the place takes.
func (s *planSpot) share() float64 {
	of := s.Of
	if of == 0 {
		of = s.Case.Total
	}
	if of <= 0 {
		return 0
	}
	base := s.Case.Share
	if s.Outside {
		base = s.Case.Whole
	}
	return base * min(1, s.Cost/of)
}

// lostShare is the part of a log's server time that the mechanism costs.
func (s *planSpot) lostShare() float64 {
	if !s.Case.Logged || s.Cost <= 0 {
		return 0
	}
	return s.share() * min(1, s.Lost/s.Cost)
}

// at makes a spot of node i about its relation.
func (c *planCase) at(i int) planSpot {
	n := c.node(i)
	s := planSpot{Case: c, Node: i, Subject: finding.Subject{
		Relation: c.relation(i), Fingerprint: c.Statement.Fingerprint, Statement: c.Statement.Normalized}}
	if n.IndexName != "" {
		s.Subject.Index = n.IndexName
		if schema, ok := strings.CutSuffix(s.Subject.Relation, c.node(c.scanOf(i)).RelationName); ok {
			s.Subject.Index = schema + n.IndexName
		}
	}
	return s
}

// planLimits are the thresholds that keep tiny plans quiet, before the
// signature's own.
func planLimits(own ...Threshold) []Threshold {
	return append([]Threshold{
		{"quiet_ms", 2, "ms", "lost in the plan below which nothing is said, unless it is floor_share of a log's server time"},
		{"floor_ms", 10, "ms", "lost in the plan below which the finding stays info, unless it is floor_share of a log's server time"},
		{"floor_share", 0.01, "of server time", "lost in the log, however short the single execution"},
	}, own...)
}

var (
	needActual   = Need{"P", "plans with actual rows and times: EXPLAIN (ANALYZE, BUFFERS), or auto_explain.log_analyze"}
	needPlanning = Need{"P", "plans with planning time: EXPLAIN (ANALYZE)"}
)

const addPlans = "EXPLAIN (ANALYZE, BUFFERS) output, or a log with auto_explain.log_analyze, log_buffers and log_timing"

// detectPlans looks for spots in every plan that usable accepts. lacks says
// what the plans are without where none is usable.
func (p *Pass) detectPlans(usable func(*planCase) bool, lacks string, find func(*planCase) []planSpot) {
	cases := planCases(p)
	if len(cases) == 0 {
		p.Lacks("no plans in input", addPlans)
		return
	}
	seen, analyzed := false, false
	var spots []planSpot
	for _, c := range cases {
		analyzed = analyzed || c.executed(0)
		if usable(c) {
			seen = true
			spots = append(spots, find(c)...)
		}
	}
	switch {
	case seen:
		p.reportSpots(spots)
	case !analyzed:
		p.Lacks("not available: no plans with actual figures in input, all are EXPLAIN without ANALYZE", addPlans)
	default:
		p.Lacks(lacks, addPlans)
	}
}

// analyzed accepts a plan that was executed.
func analyzed(c *planCase) bool { return c.executed(0) }

// reportSpots reports the costliest spot of each subject and counts the others.
func (p *Pass) reportSpots(spots []planSpot) {
	best := map[finding.Subject]int{}
	others := map[finding.Subject]int{}
	var order []finding.Subject
	for i := range spots {
		s := &spots[i]
		if p.isQuiet(s) {
			continue
		}
		at, ok := best[s.Subject]
		switch {
		case !ok:
			order = append(order, s.Subject)
			best[s.Subject] = i
			continue
		case s.share() > spots[at].share():
			best[s.Subject] = i
		}
		others[s.Subject]++
	}
	for _, subject := range order {
		p.reportSpot(&spots[best[subject]], others[subject])
	}
}

func (p *Pass) isQuiet(s *planSpot) bool {
	return s.Lost < p.limit("quiet_ms") && s.lostShare() < p.limit("floor_share")
}

// isSmall keeps at info what costs little, and what a single plan without node
// times cannot show to cost much.
func (p *Pass) isSmall(s *planSpot) bool {
	single := !s.Case.Logged || s.Case.Shape.Executions <= 1
	return s.Small || single && !s.Case.Timed || s.Lost < p.limit("floor_ms") && s.lostShare() < p.limit("floor_share")
}

// maxPlanEffect caps a ratio to a time without the problem that is next to
// nothing.
const maxPlanEffect = 1000

func (p *Pass) reportSpot(s *planSpot, others int) {
	c := s.Case
	f := finding.Finding{Subject: s.Subject, Effect: min(maxPlanEffect, s.Effect), Share: s.share(), N: c.counts(),
		Confidence:    finding.Likely,
		WhyConfidence: "holds: the plan's own arithmetic, and its time lies at this place; missing: an execution without it to compare with"}
	if !c.Timed && s.Weak == "" {
		s.Weak = "times of the nodes (TIMING OFF): the time is shared out by buffers"
	}
	if s.Weak != "" {
		f.Confidence, f.WhyConfidence = finding.Possible, "holds: the plan's own figures; missing: "+s.Weak
	}
	s.Tell(&f)
	f.Figures = append(f.Figures, c.costFigures(s)...)
	f.RuledOut = append(f.RuledOut, c.reads(s.Node), c.typical())
	f.Evidence = append(f.Evidence, c.evidence(s))
	if len(f.Verify) == 0 {
		f.Verify = []string{"Run EXPLAIN (ANALYZE, BUFFERS) of the statement with the same parameters again and compare: pgassay diff OLD NEW."}
	}
	if others > 0 {
		f.Notes = append(f.Notes, "The same at "+plural(others, "more place")+" of this statement's plans; the costliest is shown.")
	}
	if c.Plan.Truncated {
		f.Notes = append(f.Notes, "The plan ends early in the input: what is missing was not judged.")
	}
	p.Report(f, p.isSmall(s))
}

// counts says how many executions stand behind the plan.
func (c *planCase) counts() string {
	if c.Shape.Executions <= 1 {
		return "1 plan"
	}
	text := fmt.Sprintf("the slowest of %s executions of this plan shape", thousands(c.Shape.Executions))
	if n := len(c.Statement.Shapes); n > 1 {
		text += fmt.Sprintf("; the statement has %d shapes", n)
	}
	return text
}

func (c *planCase) costFigures(s *planSpot) []finding.Figure {
	of, what := s.Of, "of the plan's"
	if of == 0 {
		of = c.Total
	}
	switch {
	case s.Outside:
		what = "outside the plan, of"
	case s.Of != 0:
		what = "of planning and execution,"
	}
	text := fmt.Sprintf("%s ms %s %s ms", num(s.Cost), what, num(of))
	if !c.Timed {
		text += ", by its buffers: the nodes have no times"
	}
	return []finding.Figure{{What: "time at this place", Value: s.Cost, Unit: "ms", Text: text,
		Says: percent(min(1, s.Cost/max(of, s.Cost, 0.001)))}}
}

// reads tells whether the place waited for blocks.
func (c *planCase) reads(i int) finding.RuledOut {
	if !c.node(i).Has(record.HasBuffers) {
		return notMeasurable("reads", "no buffers in the plan")
	}
	b := c.Figures[i].SelfBuffers
	if b.Shared() <= 0 {
		b = c.node(i).Buffers
	}
	return readsOf(max(0, b.SharedHit), max(0, b.SharedRead))
}

func (c *planCase) evidence(s *planSpot) finding.Evidence {
	n, pos := c.node(s.Node), c.Example.Pos
	if n.Line > 0 {
		pos.Line = n.Line
	}
	at := c.Example.Time
	if c.Example.Pos.IsZero() {
		at = record.NoTime
	}
	return finding.Evidence{What: "worst", Pos: pos, Time: at, Value: s.Cost, Unit: "ms", Excerpt: c.excerpt(s.Node)}
}

// excerpt is the node as EXPLAIN's text shows it, without conditions.
func (c *planCase) excerpt(i int) string {
	n := c.node(i)
	text := nodeTitle(n)
	if n.Has(record.HasCosts) {
		text += fmt.Sprintf(" (rows=%s planned)", num0(n.PlanRows))
	}
	if !c.executed(i) {
		return text
	}
	text += " (actual"
	if n.Has(record.HasTiming) {
		text += fmt.Sprintf(" time=%.3f..%.3f", n.ActualStartupTime.Milliseconds(), n.ActualTotalTime.Milliseconds())
	}
	return text + fmt.Sprintf(" rows=%s loops=%d)", num0(n.ActualRows.Float()), n.ActualLoops)
}

// knownRelation is the model's relation of a name, nil if snapshots and logs do
// not tell of it.
func (c *planCase) knownRelation(name string) *dataset.Relation {
	if name == "" {
		return nil
	}
	return c.Model.Relation(name)
}

// ratio is a÷b, capped, for effects; 1 where it says nothing.
func ratio(a, b float64) float64 {
	r := a / b
	if math.IsNaN(r) || r < 1 {
		return 1
	}
	return min(r, maxPlanEffect)
}
