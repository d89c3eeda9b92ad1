// Package ledger accounts for one plan: what each node cost by itself, how far
// its estimate was off, what was spent outside the tree, and what does not add
// up. It takes its arithmetic from parser/explain and judges nothing.
//
// Next stop: analysis/plandiff, which sets two ledgers side by side.
package ledger

import (
	"math"

	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/record"
)

// Ledger is the account of one plan. Times are milliseconds. The identity is
//
//	sum of Self over all nodes = Root + data-modifying CTEs nobody reads
//
// within Tolerance; what is left is Residual.
type Ledger struct {
	Plan  *record.Plan
	Nodes []Node // one per Plan.Nodes
	// Executed says that the plan has actual figures, Timed that they include
	// times, Buffered that they include buffers.
	Executed, Timed, Buffered bool
	// Root is the root's inclusive time. Whole adds the data-modifying CTEs that
	// ran after the tree: all of what nodes cost, 100 % of the shares.
	Root, Whole float64
	// Self is the sum of the nodes' self times, Residual Self − Whole, Tolerance
	// the printing error of both.
	Self, Residual, Tolerance float64
	// Skew is the sum of the self times that are negative beyond their printing
	// error, at or below 0: workers that outlived a Gather, a late end, a clock.
	Skew float64
	// Execution is what the execution took as a whole: the plan's Execution
	// Time, else what the log says. Valid if HasExecution.
	Execution    float64
	HasExecution bool
	// Outside are the parts of Execution that the root does not contain; they
	// and Root add up to Execution.
	Outside []Outside
	// Blocks is the whole plan's own buffers: the root's and those of
	// data-modifying CTEs.
	Blocks record.Buffers
}

// Node is the account of one node.
type Node struct {
	explain.NodeFigures
	// Shown is Self, or 0 where rounding or skew made it negative.
	Shown float64
	// IsNoise says that Self does not exceed its printing error.
	IsNoise bool
	// Share is Shown ÷ Whole, at most 1; 0 if nothing was timed.
	Share float64
	// Rows is what the node gave in all loops. Of a write without RETURNING,
	// which prints 0, it is what it wrote.
	Rows Range
	// Estimate compares the planner's rows with those of one loop.
	Estimate Estimate
	// Blocks is the accesses to shared and local buffers that the node made by
	// itself; PerRow is Blocks ÷ Rows, NaN if either is not known.
	Blocks int64
	PerRow float64
	// End is the index behind the node's subtree.
	End int
}

// Range is a count with the interval that its printing leaves open.
type Range struct{ Value, Low, High float64 }

// New accounts for p. logged is what the log says the execution took, for plans
// that do not tell it themselves; 0 if unknown.
func New(p *record.Plan, logged record.Duration) *Ledger {
	l := &Ledger{Plan: p, Nodes: make([]Node, len(p.Nodes))}
	figures := explain.Arithmetic(p)
	early := stopsEarly(p.Nodes)
	for i := range p.Nodes {
		n := &p.Nodes[i]
		l.Executed = l.Executed || n.Has(record.HasActual)
		l.Timed = l.Timed || n.Has(record.HasTiming)
		l.Buffered = l.Buffered || n.Has(record.HasBuffers)
		l.Nodes[i] = nodeOf(n, figures[i])
		l.Nodes[i].Estimate = estimate(p.Nodes, i, early[i])
		if i == 0 || figures[i].Outside {
			l.Whole += figures[i].Inclusive
			l.Blocks = l.Blocks.Add(n.Buffers)
		}
	}
	l.wire()
	l.sum()
	l.spentOutside(logged)
	return l
}

func nodeOf(n *record.Node, f explain.NodeFigures) Node {
	o := Node{NodeFigures: f, Shown: max(0, f.Self), PerRow: math.NaN()}
	o.IsNoise = math.Abs(f.Self) <= f.Tolerance
	o.Blocks = f.SelfBuffers.Shared() + f.SelfBuffers.LocalHit + f.SelfBuffers.LocalRead
	o.Rows = rows(n)
	return o
}

// wire sets what a node knows of its subtree, and rows and buffers per row.
func (l *Ledger) wire() {
	nodes := l.Plan.Nodes
	for i := len(nodes) - 1; i >= 0; i-- {
		l.Nodes[i].End = max(l.Nodes[i].End, i+1)
		if parent := nodes[i].Parent; parent >= 0 {
			l.Nodes[parent].End = max(l.Nodes[parent].End, l.Nodes[i].End)
		}
	}
	for i := range nodes {
		n, o := &nodes[i], &l.Nodes[i]
		if n.NodeType == "ModifyTable" {
			l.written(i)
		}
		// An average that was rounded too far gives no figure per row.
		sure := o.Rows.High <= 2*o.Rows.Low
		if n.Has(record.HasBuffers|record.HasActual) && o.Rows.Value > 0 && sure {
			o.PerRow = float64(o.Blocks) / o.Rows.Value
		}
	}
}

// written sets the rows of a ModifyTable: its counters, else what its child
// gave it, where it prints 0 itself.
func (l *Ledger) written(i int) {
	n, o := &l.Plan.Nodes[i], &l.Nodes[i]
	switch {
	case n.ActualRows > 0 || !n.Has(record.HasActual):
	case n.Has(record.HasTuples):
		v := (n.TuplesInserted + n.TuplesUpdated + n.TuplesDeleted + n.ConflictingTuples).Float()
		o.Rows = Range{v, v, v}
	default:
		for k := i + 1; k < o.End; k = l.Nodes[k].End {
			if r := l.Plan.Nodes[k].ParentRelationship; r != "InitPlan" && r != "SubPlan" {
				c := l.Nodes[k].Rows
				o.Rows = Range{o.Rows.Value + c.Value, o.Rows.Low + c.Low, o.Rows.High + c.High}
			}
		}
	}
}

// sum adds up the self times.
func (l *Ledger) sum() {
	for i := range l.Nodes {
		o := &l.Nodes[i]
		l.Self += o.Self
		l.Tolerance += o.Tolerance
		if o.Self < -o.Tolerance {
			l.Skew += o.Self
		}
		if l.Whole > 0 {
			o.Share = min(1, o.Shown/l.Whole)
		}
	}
	if len(l.Nodes) > 0 {
		l.Root = l.Nodes[0].Inclusive
	}
	l.Residual = l.Self - l.Whole
}

// rows are those of all loops: an average, printed as an integer up to
// PostgreSQL 17 and with two decimals from 18 on.
func rows(n *record.Node) Range {
	loops := float64(n.ActualLoops)
	v, e := n.ActualRows.Float()*loops, rounding(n)*loops
	return Range{v, max(0, v-e), v + e}
}

// rounding is half of the last decimal of the rows of one loop.
func rounding(n *record.Node) float64 {
	switch {
	case n.ActualLoops <= 1:
		return 0
	case n.Has(record.HasFractionalRows):
		return 0.005
	}
	return 0.5
}
