package signature

import (
	"fmt"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

var inconsistentPlan = &Signature{
	ID: "PGA314", Name: "inconsistent-plan", Max: finding.Info,
	Felt: "Figures of a plan do not add up",
	What: "The plan's figures contradict each other: children took more than the node above them.",
	Why: "A node's time and buffers contain those of its children. Rounding and the late end of parallel workers explain small differences; " +
		"larger ones come from an edited or damaged plan, lines from two plans, or a clock that was set.",
	Fix:    "Take the plan again, as JSON, and do not edit it.",
	Verify: "The self times of a fresh plan add up to its root.",
	Needs:  []Need{needActual},
	Silent: []string{"rounding of printed averages", "parallel workers that outlive their Gather", "asynchronous children of an Append", "InitPlans and CTEs, which are spent elsewhere"},
	Thresholds: planLimits(
		Threshold{"max_skew", 0.1, "of the node", "by which its children may exceed it, beyond the printing error"},
		Threshold{"max_blocks", 100, "buffers", "by which its children may exceed it besides"},
	),
	Detect: detectInconsistentPlan,
}

func detectInconsistentPlan(p *Pass) {
	p.detectPlans(analyzed, "no plans with actual rows in input", func(c *planCase) []planSpot {
		var spots []planSpot
		for i := range c.Plan.Nodes {
			e := c.excess(i)
			n := c.node(i)
			late := e.ms > e.tolerance+p.limit("max_skew")*c.Figures[i].CPU/c.processes(i)
			more := float64(e.blocks) > p.limit("max_blocks")+p.limit("max_skew")*float64(max(0, n.Buffers.Shared()))
			if !late && !more {
				continue
			}
			s := c.at(i)
			s.Cost, s.Effect = min(c.Total, c.Figures[i].Inclusive), 1
			s.Lost = max(e.ms, p.limit("quiet_ms")) // damage is said however small
			s.Weak = "a second plan of the statement to compare with"
			s.Tell = func(f *finding.Finding) { c.tellInconsistent(f, i, &e, late) }
			spots = append(spots, s)
		}
		return spots
	})
}

// excess is by how much the children of a node exceed it.
type excess struct {
	ms, tolerance float64
	blocks        int64
	children      float64 // ms
}

// excess compares node i with the children whose time and buffers it contains.
// Where workers or asynchronous scans are among them nothing is expected.
func (c *planCase) excess(i int) excess {
	n := c.node(i)
	if !c.executed(i) || c.isAsynchronous(i) {
		return excess{}
	}
	var e excess
	blocks := -n.Buffers.Shared()
	counted := n.Buffers.Shared() > 0 // text leaves out what is 0, and what somebody left out
	for _, k := range c.children[i] {
		if c.node(k).ParentRelationship == "InitPlan" || !c.executed(k) {
			continue
		}
		e.children += c.Figures[k].CPU / c.processes(i)
		e.tolerance += 0.0005 * float64(c.node(k).ActualLoops)
		blocks += c.node(k).Buffers.Shared()
		counted = counted && c.node(k).Has(record.HasBuffers)
	}
	e.tolerance += 0.0005 * float64(n.ActualLoops)
	if n.Has(record.HasTiming) {
		e.ms = e.children - c.Figures[i].CPU/c.processes(i)
	}
	if counted {
		e.blocks = blocks
	}
	return e
}

// isAsynchronous tells nodes whose children need not fit into them: a Gather,
// what stands right above one, and an Append of asynchronous scans.
func (c *planCase) isAsynchronous(i int) bool {
	if strings.HasPrefix(c.node(i).NodeType, "Gather") {
		return true
	}
	for _, k := range c.children[i] {
		if strings.HasPrefix(c.node(k).NodeType, "Gather") {
			return true
		}
		if v, ok := detail(c.node(k).Extra, "Async Capable"); ok && v == "true" {
			return true
		}
	}
	return false
}

func (c *planCase) tellInconsistent(f *finding.Finding, i int, e *excess, late bool) {
	n := c.node(i)
	f.Title = fmt.Sprintf("The plan is not consistent: children of %s exceed it", nodeTitle(n))
	what := fmt.Sprintf("read %s buffers more than it", thousands(e.blocks))
	if late {
		what = fmt.Sprintf("took %s ms, the node itself %s ms", num(e.children), num(c.Figures[i].CPU/c.processes(i)))
	}
	f.Summary = fmt.Sprintf("%s contains its children, but they %s. The plan was edited, cut or put together; figures below this node are not to be trusted.", c.place(i), what)
	f.Figures = []finding.Figure{
		{What: "children beyond the node", Value: e.ms, Unit: "ms", Text: num(e.ms) + " ms", Limit: fmt.Sprintf("printing error %s ms and a tenth of the node", num(e.tolerance))},
	}
	if e.blocks != 0 {
		f.Figures = append(f.Figures, finding.Figure{What: "their buffers beyond the node's", Value: float64(e.blocks), Unit: "buffers", Text: thousands(e.blocks)})
	}
	f.Actions = []finding.Action{{Do: "Take the plan again with EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON), and pass the output on unedited."}}
	f.Verify = []string{"pgassay plan FILE: the self times add up to the root."}
}
