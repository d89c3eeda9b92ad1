package signature

import (
	"fmt"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

var filterDiscard = &Signature{
	ID: "PGA302", Name: "filter-discard", Max: finding.Warning,
	Felt: "A query that returns few rows reads many",
	What: "A scan reads many rows and throws almost all of them away.",
	Why: "A condition that no index serves is tested on every row after it was read (Filter, Join Filter). The time and the buffers go into rows that nobody gets, " +
		"and grow with the table, not with the answer.",
	Fix: "An index whose columns are those of the conditions: equality first, then one range, then the sort, then what may be included. " +
		"Where the condition is an expression, index the expression or rewrite the condition.",
	Verify: "The condition moves from Filter to Index Cond, Rows Removed by Filter is near 0 and the buffers come down to about one per row kept.",
	Needs:  []Need{needActual},
	Silent: []string{
		"scans that keep a tenth of their rows or more",
		"a check on the few rows that a lookup found",
		"an index that leads with the columns of the conditions is known",
		"searches of an HNSW index by distance (PGA603)",
	},
	Thresholds: planLimits(
		Threshold{"min_ratio", 10, "x", "rows removed ÷ rows kept, at the unfavourable ends of their rounding intervals"},
		Threshold{"min_rows", 1000, "rows", "removed over all loops"},
		Threshold{"min_per_loop", 10, "rows", "removed per loop: fewer are a check on what a lookup found"},
	),
	Detect: detectFilterDiscard,
}

func detectFilterDiscard(p *Pass) {
	p.detectPlans(analyzed, "no plans with actual rows in input", func(c *planCase) []planSpot {
		var spots []planSpot
		for i := range c.Plan.Nodes {
			if d, ok := c.discard(i); ok && p.discards(&d) {
				spots = append(spots, d.spot())
			}
		}
		return spots
	})
}

// discard is a place whose condition removes rows.
type discard struct {
	c             *planCase
	at, scan      int // the node that filters; the scan that an index would serve
	key           string
	removed, kept float64 // removed at least, kept at most
	perLoop       int64
	candidate     indexCandidate
}

// discard reads the filter of a scan, or the join filter of a nested loop over
// a scan.
func (c *planCase) discard(i int) (discard, bool) {
	n := c.node(i)
	if _, near := c.annScan(i); near || !c.executed(i) {
		return discard{}, false
	}
	_, _, high := c.rows(i)
	d := discard{c: c, at: i, scan: i, key: "Filter", kept: high}
	switch {
	case n.RowsRemovedFilter > 0 && n.RelationName != "" && isTableScan(n):
		d.perLoop, d.removed = n.RowsRemovedFilter, c.removed(i, n.RowsRemovedFilter)
		d.candidate = c.indexCandidate(i, "")
	case n.RowsRemovedJoin > 0 && n.NodeType == "Nested Loop":
		_, inner, ok := c.joinSides(i)
		if ok && c.node(inner).NodeType == "Materialize" && len(c.inputs(inner)) == 1 {
			inner = c.inputs(inner)[0]
		}
		if !ok || !isTableScan(c.node(inner)) || c.node(inner).RelationName == "" {
			return d, false
		}
		d.scan, d.key = inner, "Join Filter"
		d.perLoop, d.removed = n.RowsRemovedJoin, c.removed(i, n.RowsRemovedJoin)
		text, _ := detail(n.Extra, "Join Filter")
		d.candidate = c.indexCandidate(inner, text)
	default:
		return d, false
	}
	return d, true
}

func isTableScan(n *record.Node) bool {
	switch n.NodeType {
	case "Seq Scan", "Index Scan", "Index Only Scan", "Bitmap Heap Scan":
		return true
	}
	return false
}

func (p *Pass) discards(d *discard) bool {
	switch {
	case d.removed < p.limit("min_rows") || float64(d.perLoop) < p.limit("min_per_loop"):
	case d.removed < p.limit("min_ratio")*max(1, d.kept):
	case d.c.existing(&d.candidate) != nil:
	default:
		return true
	}
	return false
}

func (d *discard) spot() planSpot {
	c := d.c
	s := c.at(d.scan)
	s.Node = d.at
	s.Cost = c.self(d.at)
	if d.at != d.scan {
		s.Cost += c.self(d.scan)
	}
	without := d.without(s.Cost)
	s.Lost, s.Effect = s.Cost-without, ratio(s.Cost, without)
	s.Tell = d.tell
	if !d.candidate.usable() && len(d.candidate.Rest) == 0 {
		s.Weak = "the condition is not in the plan"
	}
	// Without an index to propose it is a fact to know, not one to act on.
	s.Small = !d.candidate.usable()
	return s
}

// without estimates the place's time with an index: a row kept costs what a
// row costs now, and of the time that was read only what one block per row
// kept takes.
func (d *discard) without(cost float64) float64 {
	c, n := d.c, d.c.node(d.at)
	keep := min(1, (d.kept+1)/(d.removed+d.kept))
	read := 0.0
	b := c.Figures[d.at].SelfBuffers
	if n.Has(record.HasIOTime) && b.Shared() > 0 {
		read = min(cost, c.selfReadTime(d.at))
		return (cost-read)*keep + read*min(1, (d.kept+indexLevels)/float64(b.Shared()))
	}
	return cost * keep
}

// indexLevels is how many blocks a B-tree descent reads, about.
const indexLevels = 4

// selfReadTime is the time in ms that node i itself waited for blocks: like
// durations it is divided by the processes that shared it.
func (c *planCase) selfReadTime(i int) float64 {
	t := c.node(i).IOReadTime
	for _, k := range c.children[i] {
		if c.node(k).ParentRelationship != "InitPlan" {
			t -= c.node(k).IOReadTime
		}
	}
	return max(0, t.Milliseconds()) / c.processes(i)
}

func (d *discard) tell(f *finding.Finding) {
	c, n := d.c, d.c.node(d.at)
	relation := c.relationName(d.scan)
	all := d.removed + d.kept
	f.Title = fmt.Sprintf("A %s on %s throws away %s of the %s rows it reads", lower(d.key), relation, percentLong(d.removed/max(1, all)), counted(all))
	f.Summary = fmt.Sprintf("%s tests %s rows and keeps %s. Rows that are thrown away take about %s of its %s ms.",
		c.place(d.at), counted(all), counted(d.kept), percentLong(1-1/max(1, f.Effect)), num(c.self(d.at)))
	f.Figures = []finding.Figure{
		{What: "rows removed, at least", Value: d.removed, Unit: "rows", Text: counted(d.removed), Limit: "10 per row kept or more", Says: times(d.removed/max(1, d.kept)) + " of those kept"},
		{What: "rows kept, at most", Value: d.kept, Unit: "rows", Text: counted(d.kept)},
	}
	if n.Has(record.HasBuffers) {
		b := c.Figures[d.at].SelfBuffers.Shared()
		f.Figures = append(f.Figures, finding.Figure{What: "buffers of the node itself", Value: float64(b), Unit: "buffers",
			Text: fmt.Sprintf("%s (%s)", counted(float64(b)), bytesText(float64(b*c.Model.BlockSize)))})
	}
	for _, text := range append(d.candidate.Rest, c.conditions(d.scan)...) {
		f.Notes = append(f.Notes, "Condition: "+conditionText(text))
		break
	}
	f.Actions = c.indexActions(d.candidate)
	if n.IndexName != "" && c.stopsEarly(d.at) {
		f.Notes = append(f.Notes, "The scan also gives the order of "+n.IndexName+" to a LIMIT above: keep it by appending that index's columns behind the equality columns.")
	}
	f.WillNotHelp = []string{"More work_mem, or more parallel workers: the rows are read all the same.", "VACUUM or REINDEX, unless PGA208 or PGA209 is reported too."}
	f.Verify = []string{"EXPLAIN (ANALYZE, BUFFERS) of the statement again: the condition stands in Index Cond, and Rows Removed by " + d.key + " is gone or small."}
}
