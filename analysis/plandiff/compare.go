// Package plandiff compares plans: two plans node by node, two sets of plans
// statement by statement, and two reports finding by finding. It says what
// differs beyond the noise of printing and of clocks, and judges nothing else.
//
// Next stop: package report, which lays the comparisons out.
package plandiff

import (
	"math"

	"github.com/pgassay/pgassay/analysis/ledger"
	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/record"
)

// Noise floors: differences at or below are none. Printing adds its own error:
// 0.0005 ms × loops for times, half a row × loops for rows.
const (
	// TimeNoise is the part of the greater time that two executions of the same
	// plan differ by on a busy machine, and TimeNoiseMS the least in ms.
	TimeNoise   = 0.2
	TimeNoiseMS = 0.1
	// BlockNoise is the blocks that a first execution after connecting reads more
	// than the next, from the catalogs.
	BlockNoise = 5
)

// Delta is one figure of a node before and after.
type Delta struct {
	Old, New float64 // NaN if not reported
	Noise    float64 // what the difference must exceed
}

// Known reports whether both sides have the figure.
func (d Delta) Known() bool { return !math.IsNaN(d.Old) && !math.IsNaN(d.New) }

// Differs reports whether the difference exceeds the noise.
func (d Delta) Differs() bool { return d.Known() && math.Abs(d.New-d.Old) > d.Noise }

// Ratio is New ÷ Old; NaN if Old is not above 0.
func (d Delta) Ratio() float64 {
	if !(d.Old > 0) {
		return math.NaN()
	}
	return d.New / d.Old
}

// Node is a node of one plan, of the other, or of both.
type Node struct {
	Old, New int // index in the plan's nodes, −1 if it has none
	// Title is EXPLAIN's name of the new node, or of the old one that is gone.
	Title string
	// Changes say what differs in shape, in words: "was Seq Scan on t".
	Changes []string
	// Self is time in ms, Rows of all loops, Buffers and PerRow its own.
	Self, Rows, Buffers, PerRow Delta
}

// Shape reports whether the node differs in shape.
func (n *Node) Shape() bool { return len(n.Changes) > 0 }

// Differs reports whether anything differs beyond noise.
func (n *Node) Differs() bool {
	return n.Shape() || n.Self.Differs() || n.Rows.Differs() || n.Buffers.Differs()
}

// Comparison is two plans side by side.
type Comparison struct {
	Old, New *ledger.Ledger
	// Nodes are those of New in its order; behind each of its counterparts stand
	// the old nodes that are gone and stood below it.
	Nodes []Node
	// Execution is the execution time, else the root's, Planning the planning
	// time, both in ms; Buffers those of the whole plan.
	Execution, Planning, Buffers, Rows Delta
	// SameShape says that no node was added, removed or changed.
	SameShape bool
}

// Differs reports whether anything differs beyond noise.
func (c *Comparison) Differs() bool {
	for i := range c.Nodes {
		if c.Nodes[i].Differs() {
			return true
		}
	}
	return c.Execution.Differs() || c.Buffers.Differs() || c.Rows.Differs()
}

// Compare sets two plans side by side.
func Compare(old, new *ledger.Ledger) *Comparison {
	c := &Comparison{Old: old, New: new, SameShape: true}
	p := pairingOf(old.Plan, new.Plan)
	gone := map[int][]int{} // by the new node that the nearest ancestor became
	for i, k := range p.toNew {
		if k == none {
			gone[p.aboveOld[i]] = append(gone[p.aboveOld[i]], i)
		}
	}
	for k := range new.Nodes {
		c.add(p.toOld[k], k, p)
		for _, i := range gone[k] {
			c.add(i, none, p)
		}
	}
	for _, i := range gone[none] {
		c.add(i, none, p)
	}
	c.totals()
	return c
}

// add appends a node; i or k is −1 where it has no counterpart.
func (c *Comparison) add(i, k int, p *pairing) {
	n := Node{Old: i, New: k}
	if k == none {
		n.Title = explain.NodeTitle(&c.Old.Plan.Nodes[i])
		n.Changes = []string{"gone"}
	} else {
		n.Title = explain.NodeTitle(&c.New.Plan.Nodes[k])
	}
	switch {
	case i == none:
		n.Changes = []string{"new"}
	case k != none:
		n.Changes = c.changes(i, k, p)
	}
	c.SameShape = c.SameShape && len(n.Changes) == 0
	n.Self = timeDelta(c.Old, c.New, i, k)
	n.Rows = delta(i, k, c.Old, c.New, record.HasActual, rowsOf)
	n.Buffers = delta(i, k, c.Old, c.New, record.HasBuffers, blocksOf)
	n.PerRow = delta(i, k, c.Old, c.New, record.HasBuffers, perRowOf)
	c.Nodes = append(c.Nodes, n)
}

// value is a figure of a node, and half of what its printing leaves open.
type value func(*ledger.Node) (v, noise float64)

func rowsOf(n *ledger.Node) (v, noise float64) { return n.Rows.Value, (n.Rows.High - n.Rows.Low) / 2 }

func blocksOf(n *ledger.Node) (v, noise float64) { return float64(n.Blocks), BlockNoise / 2.0 }

func perRowOf(n *ledger.Node) (v, noise float64) {
	if n.Rows.Value <= 0 {
		return math.NaN(), 0
	}
	return n.PerRow, BlockNoise / 2.0 / n.Rows.Value
}

// delta is a figure of both sides, NaN where a side does not report it.
func delta(i, k int, old, new *ledger.Ledger, fields record.Fields, of value) Delta {
	d := Delta{Old: math.NaN(), New: math.NaN()}
	if i != none && old.Plan.Nodes[i].Has(fields) {
		v, noise := of(&old.Nodes[i])
		d.Old, d.Noise = v, d.Noise+noise
	}
	if k != none && new.Plan.Nodes[k].Has(fields) {
		v, noise := of(&new.Nodes[k])
		d.New, d.Noise = v, d.Noise+noise
	}
	return d
}

// timeDelta is the self time; a clock is noisier than a counter.
func timeDelta(old, new *ledger.Ledger, i, k int) Delta {
	d := delta(i, k, old, new, record.HasTiming, func(n *ledger.Node) (v, noise float64) { return n.Shown, n.Tolerance })
	d.Noise += timeNoise(d)
	return d
}

func timeNoise(d Delta) float64 {
	if !d.Known() {
		return 0
	}
	return max(TimeNoiseMS, TimeNoise*max(d.Old, d.New))
}

// totals compares the plans as a whole.
func (c *Comparison) totals() {
	nan := math.NaN()
	c.Execution = Delta{Old: elapsed(c.Old), New: elapsed(c.New)}
	c.Execution.Noise = timeNoise(c.Execution)
	c.Planning, c.Buffers, c.Rows = Delta{Old: nan, New: nan}, Delta{Old: nan, New: nan, Noise: BlockNoise}, Delta{Old: nan, New: nan}
	if c.Old.Plan.HasPlanning && c.New.Plan.HasPlanning {
		c.Planning = Delta{Old: c.Old.Plan.PlanningTime.Milliseconds(), New: c.New.Plan.PlanningTime.Milliseconds()}
		c.Planning.Noise = timeNoise(c.Planning)
	}
	if c.Old.Buffered && c.New.Buffered {
		c.Buffers.Old, c.Buffers.New = float64(blocks(c.Old)), float64(blocks(c.New))
	}
	if c.Old.Executed && c.New.Executed && len(c.Old.Nodes) > 0 && len(c.New.Nodes) > 0 {
		c.Rows = delta(0, 0, c.Old, c.New, record.HasActual, rowsOf)
	}
}

func blocks(l *ledger.Ledger) int64 {
	return l.Blocks.Shared() + l.Blocks.LocalHit + l.Blocks.LocalRead
}

// elapsed is what the execution took in ms, NaN if nothing tells.
func elapsed(l *ledger.Ledger) float64 {
	switch {
	case l.HasExecution:
		return l.Execution
	case l.Timed:
		return l.Whole
	case l.Plan.HasExecution:
		return l.Plan.ExecutionTime.Milliseconds()
	}
	return math.NaN()
}
