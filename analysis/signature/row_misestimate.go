package signature

import (
	"fmt"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

var rowMisestimate = &Signature{
	ID: "PGA301", Name: "row-misestimate", Max: finding.Warning,
	Felt: "A query is slow because its plan was made for another number of rows",
	What: "The planner expected a very different number of rows, and chose the plan above that place for it.",
	Why: "Join order, join method and memory are chosen from row estimates. Columns that depend on each other, skewed values beyond the statistics, expressions without statistics " +
		"and statistics older than the data make an estimate wrong; the error is passed up, and what was cheap for few rows runs for many.",
	Fix:    "ANALYZE if the table changed since; extended statistics (CREATE STATISTICS) where several columns are tested together; a larger statistics target for a skewed column.",
	Verify: "Planned and actual rows at this node agree within a factor of a few, and the node above changes its method.",
	Needs:  []Need{needActual},
	Silent: []string{
		"an error inside the rounding of the printed rows",
		"below a Limit, a semi join or a merge join, which stop early or read again",
		"nodes that print 0 by design or never ran",
		"a wrong estimate that led to nothing dear",
	},
	Thresholds: planLimits(
		Threshold{"min_ratio", 10, "x", "planned ÷ actual rows or the reverse, at the nearest end of the rounding interval"},
		Threshold{"min_rows", 1000, "rows", "that the estimate is off by, over all loops"},
		Threshold{"min_share", 0.2, "of the plan", "time of what was chosen wrongly"},
	),
	Detect: detectRowMisestimate,
}

func detectRowMisestimate(p *Pass) {
	p.detectPlans(analyzed, "no plans with actual rows in input", func(c *planCase) []planSpot {
		errs := make([]rowError, len(c.Plan.Nodes))
		for i := range errs {
			errs[i] = c.rowError(i)
		}
		var spots []planSpot
		for i := range errs {
			e := &errs[i]
			if !p.isMisestimate(e) || c.inherits(errs, i, p.limit("min_ratio")) || c.stopsEarly(i) {
				continue
			}
			if k, ok := c.consequence(e, p.limit("min_share")); ok && c.off(e) >= p.limit("min_rows") {
				spots = append(spots, c.misestimateSpot(e, k))
			}
		}
		return spots
	})
}

// rowError compares planned and actual rows of one loop.
type rowError struct {
	Node    int
	Planned float64
	// Actual is the end of the rounding interval nearest to Planned.
	Actual float64
	Factor float64 // 1 or more; 1 inside the interval
	Under  bool    // fewer rows planned than came
}

// rowError is the estimate's error at node i. Nodes that do not count rows have
// none: bitmaps of AND and OR and ModifyTable print 0, and a Memoize, a
// Materialize or a Hash repeats its input.
func (c *planCase) rowError(i int) rowError {
	n := c.node(i)
	e := rowError{Node: i, Planned: n.PlanRows, Factor: 1}
	if !c.executed(i) || !n.Has(record.HasCosts) {
		return e
	}
	switch n.NodeType {
	case "BitmapAnd", "BitmapOr", "ModifyTable", "Memoize", "Materialize", "Hash", "Gather", "Gather Merge", "Limit", "Result", "LockRows", "WorkTable Scan":
		return e
	}
	rows, half := n.ActualRows.Float(), c.rounding(i)
	low, high := max(0, rows-half), rows+half
	switch {
	case e.Planned < low:
		e.Actual, e.Under = low, true
		e.Factor = max(1, low/max(1, e.Planned))
	case e.Planned > high:
		e.Actual = high
		e.Factor = max(1, e.Planned/max(1, high))
	default:
		e.Actual = rows
	}
	return e
}

func (p *Pass) isMisestimate(e *rowError) bool {
	return e.Factor >= p.limit("min_ratio")
}

// off is the number of rows that the estimate misses over all loops.
func (c *planCase) off(e *rowError) float64 {
	return max(e.Actual-e.Planned, e.Planned-e.Actual) * float64(c.node(e.Node).ActualLoops)
}

// inherits tells whether an input of node i is already wrong the same way: then
// the error was not made here. What only passes rows on is looked through.
func (c *planCase) inherits(errs []rowError, i int, limit float64) bool {
	for _, k := range c.inputs(i) {
		for len(c.inputs(k)) == 1 && passesOn(c.node(k).NodeType) {
			k = c.inputs(k)[0]
		}
		if errs[k].Factor >= limit && errs[k].Under == errs[i].Under {
			return true
		}
	}
	return false
}

func passesOn(nodeType string) bool {
	switch nodeType {
	case "Hash", "Materialize", "Memoize", "Gather", "Gather Merge", "Limit", "Result", "LockRows":
		return true
	}
	return false
}

// badChoice is what the planner chose above a wrong estimate.
type badChoice struct {
	Node int
	Cost float64 // ms
	What string  // "the nested loop … ran its inner side 40,000 times where 100 were planned"
}

// consequence looks above a misestimate for the first choice that it explains
// and that takes the share of the plan's time.
func (c *planCase) consequence(e *rowError, share float64) (badChoice, bool) {
	for at, from := e.Node, e.Node; at >= 0; at, from = int(c.node(at).Parent), at {
		if c.stopsEarly(at) || at != e.Node && c.node(from).ParentRelationship == "InitPlan" {
			return badChoice{}, false
		}
		k, ok := c.choiceAt(e, at, from)
		if ok && k.Cost >= share*c.Total && k.Cost > 0 {
			return k, true
		}
	}
	return badChoice{}, false
}

// choiceAt judges node at, reached from its child from.
func (c *planCase) choiceAt(e *rowError, at, from int) (badChoice, bool) {
	n := c.node(at)
	if e.Under && c.spilled(at) {
		return badChoice{at, c.self(at), fmt.Sprintf("the %s above had memory for %s rows and went to disk", nodeTitle(n), counted(e.Planned))}, true
	}
	outer, inner, ok := c.joinSides(at)
	if !ok || from == at {
		return badChoice{}, false
	}
	switch {
	case e.Under && n.NodeType == "Nested Loop" && from == outer && c.executed(inner):
		return badChoice{at, c.inclusive(inner), fmt.Sprintf("the nested loop above ran its inner side %s times", thousands(c.node(inner).ActualLoops))}, true
	case e.Under && n.NodeType == "Hash Join" && from == inner && c.executed(inner) && c.executed(outer):
		built, _, _ := c.rows(inner)
		probed, _, _ := c.rows(outer)
		if built > 2*probed {
			return badChoice{at, c.inclusive(inner), fmt.Sprintf("the hash join above built its table from %s rows to look up %s", counted(built), counted(probed))}, true
		}
	case !e.Under && n.NodeType != "Nested Loop":
		other := outer
		if from == outer {
			other = inner
		}
		return c.needlessRead(at, from, other)
	}
	return badChoice{}, false
}

// needlessRead tells a hash or merge join that read one side whole although the
// other gave next to nothing: with so few rows planned a nested loop would have
// looked them up.
func (c *planCase) needlessRead(at, few, many int) (badChoice, bool) {
	if !c.executed(few) || !c.executed(many) {
		return badChoice{}, false
	}
	_, _, got := c.rows(few)
	_, read, _ := c.rows(many)
	if read < 1000 || read < 100*max(1, got) {
		return badChoice{}, false
	}
	return badChoice{at, c.inclusive(many), fmt.Sprintf("the %s above read %s rows to join them with %s", lower(c.node(at).NodeType), counted(read), counted(got))}, true
}

func (c *planCase) misestimateSpot(e *rowError, k badChoice) planSpot {
	s := c.at(e.Node)
	s.Cost = k.Cost
	s.Lost = k.Cost * (1 - 1/e.Factor)
	s.Effect = e.Factor
	copied := *e
	s.Tell = func(f *finding.Finding) { c.tellMisestimate(f, &copied, k) }
	return s
}

func (c *planCase) tellMisestimate(f *finding.Finding, e *rowError, k badChoice) {
	n := c.node(e.Node)
	direction := "more"
	if !e.Under {
		direction = "fewer"
	}
	where := ""
	if r := c.relation(e.Node); r != "" {
		where = " from " + r
	}
	f.Title = fmt.Sprintf("%s %s rows%s than the planner expected", times(e.Factor), direction, where)
	f.Summary = fmt.Sprintf("%s was planned to give %s rows per execution and gave %s; because of it %s. That took %s of the plan's %s ms.",
		c.place(e.Node), counted(e.Planned), counted(n.ActualRows.Float()), k.What, percent(min(1, k.Cost/max(c.Total, 0.001))), num(c.Total))
	f.Figures = []finding.Figure{
		{What: "planned rows per loop", Value: e.Planned, Unit: "rows", Text: counted(e.Planned)},
		{What: "actual rows per loop, nearest end of the rounding interval", Value: e.Actual, Unit: "rows",
			Text: fmt.Sprintf("%s (printed %s, %s)", counted(e.Actual), counted(n.ActualRows.Float()), plural(int(min(n.ActualLoops, 1<<30)), "loop"))},
		{What: "error", Value: e.Factor, Unit: "x", Text: times(e.Factor), Limit: "10x", Says: "explains the choice above"},
		{What: "choice above", Value: k.Cost, Unit: "ms", Text: fmt.Sprintf("%s, %s ms", nodeTitle(c.node(k.Node)), num(k.Cost))},
	}
	f.Actions = c.statisticsActions(e.Node)
	f.WillNotHelp = []string{"An index: the estimate stays wrong. Switching a join method off (enable_nestloop) for all: it hides this statement's error and changes others."}
	f.Verify = []string{fmt.Sprintf("EXPLAIN (ANALYZE, BUFFERS) again: rows= planned and actual of %s agree within a factor of a few.", nodeTitle(n))}
	f.Notes = append(f.Notes, c.analyzeNote(e.Node)...)
}
