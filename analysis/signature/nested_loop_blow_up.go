package signature

import (
	"fmt"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

var nestedLoopBlowUp = &Signature{
	ID: "PGA303", Name: "nested-loop-blow-up", Max: finding.Warning,
	Felt: "A query takes long because it does one small thing far too often",
	What: "A nested loop runs its inner side many times more often than planned, and most of the time goes there.",
	Why: "A nested loop is the cheapest join for a few outer rows: each looks up its partner. Its cost is outer rows × inner cost. " +
		"When the outer side gives a hundred times the rows that were planned, a hash join would have read the inner table once.",
	Fix:    "Correct the estimate of the outer side (PGA301 names its source); give the inner side an index if it has none; or materialize the outer part.",
	Verify: "The plan uses a hash or merge join, or the loops of the inner side come down to what was planned.",
	Needs:  []Need{needActual},
	Silent: []string{"nested loops whose number of loops was planned", "inner sides that cost little", "a Memoize that answers most of the loops"},
	Thresholds: planLimits(
		Threshold{"min_ratio", 10, "x", "outer rows ÷ planned outer rows, at the lower end of the rounding interval"},
		Threshold{"min_loops", 1000, "loops", "of the inner side"},
		Threshold{"min_share", 0.5, "of the plan", "time of the inner side over all loops"},
	),
	Detect: detectNestedLoopBlowUp,
}

func detectNestedLoopBlowUp(p *Pass) {
	p.detectPlans(analyzed, "no plans with actual rows in input", func(c *planCase) []planSpot {
		var spots []planSpot
		for i := range c.Plan.Nodes {
			if s, ok := p.blowUp(c, i); ok {
				spots = append(spots, s)
			}
		}
		return spots
	})
}

// blowUp judges the nested loop at node i.
func (p *Pass) blowUp(c *planCase, i int) (planSpot, bool) {
	outer, inner, ok := c.joinSides(i)
	if !ok || c.node(i).NodeType != "Nested Loop" || !c.executed(outer) || !c.executed(inner) || !c.node(outer).Has(record.HasCosts) {
		return planSpot{}, false
	}
	e := c.rowError(c.through(outer))
	loops := float64(c.node(inner).ActualLoops)
	cost := c.inclusive(inner)
	switch {
	case !e.Under || e.Factor < p.limit("min_ratio") || loops < p.limit("min_loops"):
		return planSpot{}, false
	case cost < p.limit("min_share")*c.Total:
		return planSpot{}, false
	}
	s := c.at(inner)
	s.Node, s.Cost, s.Lost, s.Effect = i, cost, cost*(1-1/e.Factor), e.Factor
	s.Tell = func(f *finding.Finding) { c.tellBlowUp(f, i, outer, inner, e) }
	return s, true
}

// through is the first node below i that counts rows of its own.
func (c *planCase) through(i int) int {
	for passesOn(c.node(i).NodeType) && len(c.inputs(i)) == 1 {
		i = c.inputs(i)[0]
	}
	return i
}

func (c *planCase) tellBlowUp(f *finding.Finding, i, outer, inner int, e rowError) {
	n := c.node(inner)
	loops := float64(n.ActualLoops)
	cost := c.inclusive(inner)
	each := cost * c.processes(inner) / max(1, loops)
	name := nodeTitle(n)
	f.Title = fmt.Sprintf("A nested loop runs %s %s times, %s as often as planned", name, thousands(n.ActualLoops), times(e.Factor))
	f.Summary = fmt.Sprintf("%s takes %s ms (%s of the plan): %s loops of %s each. The outer side (%s) was planned to give %s rows and gave %s.",
		c.place(inner), num(cost), percent(min(1, cost/max(c.Total, 0.001))), counted(loops), span(each/1000), nodeTitle(c.node(outer)), counted(e.Planned), counted(e.Actual))
	f.Figures = []finding.Figure{
		{What: "outer rows planned", Value: e.Planned, Unit: "rows", Text: counted(e.Planned)},
		{What: "outer rows, at least", Value: e.Actual, Unit: "rows", Text: counted(e.Actual), Says: times(e.Factor)},
		{What: "loops of the inner side", Value: loops, Unit: "loops", Text: counted(loops)},
		{What: "time of one loop", Value: each, Unit: "ms", Text: span(each / 1000)},
	}
	f.Actions = c.statisticsActions(c.through(outer))
	if x := c.indexCandidate(inner, c.joinFilter(i)); n.NodeType == "Seq Scan" && x.usable() && c.existing(&x) == nil {
		f.Actions = append(c.indexActions(x), f.Actions...)
	}
	f.WillNotHelp = []string{"enable_nestloop = off for all: other statements need nested loops. For this one it shows what the other join costs: SET LOCAL enable_nestloop = off in a test."}
	f.Verify = []string{"EXPLAIN (ANALYZE, BUFFERS) again: another join method, or loops of the inner side near the planned outer rows."}
}

func (c *planCase) joinFilter(i int) string {
	text, _ := detail(c.node(i).Extra, "Join Filter")
	return text
}
