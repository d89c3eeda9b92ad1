package signature

import (
	"math"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

var deadEntryWalk = &Signature{
	ID: "PGA108", Name: "dead-entry-walk", Max: finding.Warning,
	Felt: "Taking the next job, or asking for the lowest or highest key, gets slower until each vacuum",
	What: "A LIMIT or a minimum begins at the end of an index where rows were deleted or moved on, and steps over all their entries before it finds a live one.",
	Why: "A DELETE or UPDATE leaves the row's index entry in place until a vacuum removes it. A scan that wants the first row begins where the oldest entries are: in a queue these are the dead ones. " +
		"It reads their index pages, and visits the table for each entry that no scan has marked as dead yet, which an old snapshot forbids. The answer is one row; the cost is everything deleted since the last vacuum.",
	Fix:    "Let the scan begin behind the dead entries (remember the last key taken), drop partitions instead of deleting rows, or vacuum this table more often.",
	Verify: "The last readings before a vacuum come down to those right after one.",
	Needs:  []Need{needPlans, needVacuum},
	Silent: []string{
		"a filter that throws live rows away (PGA302)",
		"rows counted off by OFFSET (PGA312)",
		"a scan that needs its buffers for the rows that it gives",
		"vacuums that are held back (PGA205)",
	},
	Thresholds: []Threshold{
		{"min_ratio", 5, "x", "buffers at the worst ÷ what the rows given need: four blocks of index, and two for each row given or removed"},
		{"min_effect", 1.5, "x", "last reading ÷ first reading of a cycle"},
		{"min_rising", 0.75, "of cycles", "that must rise inside"},
		{"min_resets", 0.75, "of cycles", "that must begin at half of the reading before the vacuum, or less"},
		{"max_p", 0.05, "", "of the sign test over cycles where there are six or more"},
		{"max_slope", 2.2, "buffers/row", "for each dead row: its index entry and its visit to the table, and the slack of the counters"},
		{"floor_ms", 1, "ms", "added time per execution below which the finding stays info"},
	},
	Detect: detectDeadEntryWalk,
}

// deadWalk is a scan that begins at one end of an index, over the vacuums of its
// table.
type deadWalk struct {
	*sawtooth
	Case *planCase
	Scan int // node
	// Need is what the rows given and removed by a filter take at most, in
	// buffers, in the slowest plan.
	Need float64
	// Slope is buffers per row deleted or updated since the last vacuum; without interval
	// where no captures tell the counts.
	Slope stats.Fit
}

// deadBuffers are those of the whole statement, which does little but scan.
func deadBuffers() sawMetric {
	return sawMetric{name: "buffers", unit: "buffers", value: func(e *dataset.Execution) (float64, bool) {
		f := e.Figures
		if f == nil || !f.HasBuffers {
			return 0, false
		}
		return float64(f.Total.Shared()), true
	}}
}

func detectDeadEntryWalk(p *Pass) {
	const minCycles = 2
	buffers, scans, vacuums := false, false, false
	held := heldVacuums(p)
	for _, c := range planCases(p) {
		buffers = buffers || c.buffers > 0
		scan, ok := c.endScan()
		if !ok {
			continue
		}
		scans = true
		r := c.table(scan)
		if r == nil || len(r.Vacuums) <= minCycles {
			continue
		}
		vacuums = true
		w := sawtoothOf(c.Statement, r, deadBuffers(), shapePoints(c), func(v *dataset.Vacuum) bool { return held[v] })
		if len(w.Cycles) < minCycles {
			continue
		}
		d := &deadWalk{sawtooth: w, Case: c, Scan: scan, Need: c.need(scan)}
		if d.Slope = d.slope(); p.walksDead(d) {
			p.Report(d.finding(p), d.Cost.worstMS-d.Cost.freshMS < p.limit("floor_ms"))
		}
	}
	switch {
	case !buffers:
		p.Lacks("no plans with buffers in input", "EXPLAIN (ANALYZE, BUFFERS) output, or a log with auto_explain.log_analyze and log_buffers")
	case scans && !vacuums:
		p.Lacks("no three vacuums of a table that a LIMIT or a minimum reads in input", "log_autovacuum_min_duration = 0, or snapshots of pg_stat_user_tables with captured_at, over several vacuums")
	}
}

// shapePoints are the executions of the case's shape.
func shapePoints(c *planCase) []sawPoint {
	var out []sawPoint
	for _, x := range sawPoints(c.Statement, deadBuffers()) {
		if x.exec.Figures.Shape == c.Shape.ID {
			out = append(out, x)
		}
	}
	return out
}

// endScan is the index scan below a LIMIT that takes what comes first, also of
// min() and max(), which the planner turns into one. The greater part of the
// statement's buffers must be its own.
func (c *planCase) endScan() (int, bool) {
	for i := range c.Plan.Nodes {
		if c.node(i).NodeType != "Limit" || !c.executed(i) || c.node(i).ActualLoops != 1 {
			continue
		}
		k := c.firstOf(i)
		if k < 0 || c.offsets(i, k) {
			continue
		}
		if _, near := c.annScan(k); near {
			continue
		}
		if _, ordered := detail(c.node(k).Extra, "Order By"); ordered {
			continue // by distance
		}
		if n := c.node(k); n.Has(record.HasBuffers) && 2*n.Buffers.Shared() >= c.Plan.Nodes[0].Buffers.Shared() {
			return k, true
		}
	}
	return 0, false
}

// firstOf is the index scan whose rows node i hands on one by one; -1 if what
// is below is anything else.
func (c *planCase) firstOf(i int) int {
	for in := c.inputs(i); len(in) == 1; in = c.inputs(i) {
		i = in[0]
		switch n := c.node(i); n.NodeType {
		case "LockRows", "Result", "Subquery Scan", "ProjectSet":
		case "Index Scan", "Index Only Scan":
			if c.executed(i) {
				return i
			}
			return -1
		default:
			return -1
		}
	}
	return -1
}

// offsets tells a LIMIT that takes more rows from scan k than it gives.
func (c *planCase) offsets(i, k int) bool {
	_, taken, _ := c.rows(k)
	_, _, given := c.rows(i)
	return taken > given
}

// need bounds what scan i takes for the rows that it gives and those that its
// filter removes: two blocks each, and the way down the index.
func (c *planCase) need(i int) float64 {
	_, _, given := c.rows(i)
	n := c.node(i)
	return indexLevels + 2*(given+float64(n.RowsRemovedFilter+n.RowsRemovedRecheck)*float64(n.ActualLoops))
}

// walksDead: far beyond the need, rising inside the cycles, reset by vacuums,
// and no more per dead row than an entry can cost.
func (p *Pass) walksDead(d *deadWalk) bool {
	n := float64(len(d.Cycles))
	switch {
	case d.Worst < p.limit("min_ratio")*d.Need:
	case d.Worst < p.limit("min_effect")*d.Fresh:
	case float64(d.rising()) < p.limit("min_rising")*n:
	case d.Judged == 0 || float64(d.Resets) < p.limit("min_resets")*float64(d.Judged):
	case len(d.Cycles) >= 6 && !(d.P < p.limit("max_p")):
	case d.Slope.Interval.OK() && d.Slope.Interval.Lo > p.limit("max_slope"):
	default:
		return true
	}
	return false
}

// slope fits the buffers over the rows that died since the last vacuum, pooled
// over the cycles.
func (d *deadWalk) slope() stats.Fit {
	died := diedBy(d.Relation)
	var x, y []float64
	for _, c := range d.Cycles {
		from := died(c.From.End)
		for _, pt := range c.Points {
			if v := died(pt.exec.Start) - from; v >= 0 { // neither unknown nor across a reset
				x, y = append(x, v), append(y, pt.y)
			}
		}
	}
	return stats.SlopeInterval(x, y, nil)
}

// diedBy gives the rows deleted or updated up to a time, read between captures;
// NaN outside them.
func diedBy(r *dataset.Relation) func(record.Time) float64 {
	var counts []dataset.Reading
	for i := range r.Points {
		if t := &r.Points[i]; t.Time.Known() && t.Upd.Known && t.Del.Known {
			counts = append(counts, dataset.Reading{Time: t.Time, Pages: float64(t.Upd.N + t.Del.N)})
		}
	}
	return func(t record.Time) float64 {
		if v, ok := dataset.Interpolate(counts, t); ok {
			return v
		}
		return math.NaN()
	}
}
