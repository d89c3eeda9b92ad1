package signature

import (
	"fmt"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

var coldRead = &Signature{
	ID: "PGA311", Name: "cold-read", Max: finding.Warning,
	Felt: "A query is slow the first time and fast when repeated",
	What: "Most of a node's time goes into reading blocks that were not in shared_buffers.",
	Why: "A block that is not cached is read from the operating system or the disk, one after the other. " +
		"It is a cold cache if it happens once; if it happens every time, the node touches more than fits: too many blocks for its rows (bloat, a walk, a missing index), or a cache that is too small.",
	Fix:    "First make the node touch fewer blocks (PGA302, PGA208, PGA209, PGA101 name the reasons that are known). Then look at shared_buffers and at the storage's latency per block.",
	Verify: "Repeat the statement: reads that stay are not a cold cache. I/O Timings and Buffers read come down.",
	Needs:  []Need{{"P", "plans with buffers and I/O times: EXPLAIN (ANALYZE, BUFFERS) with track_io_timing = on"}},
	Silent: []string{"reads that take little of the node's time", "temporary files (PGA304)", "statements whose other executions do not read"},
	Thresholds: planLimits(
		Threshold{"min_share", 0.5, "of the node's time", "that it waits for blocks"},
		Threshold{"min_reads", 100, "blocks", "read by the node itself"},
		Threshold{"usual_reads", 0.1, "of buffers", "read in the median execution below which a single cold run stays info"},
	),
	Detect: detectColdRead,
}

func detectColdRead(p *Pass) {
	usable := func(c *planCase) bool { return c.executed(0) && c.Timed && c.Plan.Figures.HasIOTime }
	p.detectPlans(usable, "no plans with I/O times in input: set track_io_timing = on", func(c *planCase) []planSpot {
		var spots []planSpot
		for i := range c.Plan.Nodes {
			b := c.Figures[i].SelfBuffers
			wait, cost := c.selfReadTime(i), c.self(i)
			if float64(b.SharedRead+b.LocalRead) < p.limit("min_reads") || wait < p.limit("min_share")*cost || cost <= 0 {
				continue
			}
			s := c.at(i)
			s.Cost, s.Lost = cost, min(wait, cost)
			s.Effect = ratio(cost, cost-s.Lost)
			s.Small = c.readings >= minTypical && c.usualReads < p.limit("usual_reads")
			s.Tell = func(f *finding.Finding) { c.tellColdRead(f, i, s.Lost, s.Small) }
			spots = append(spots, s)
		}
		return spots
	})
}

func (c *planCase) tellColdRead(f *finding.Finding, i int, wait float64, once bool) {
	node := c.node(i)
	b := c.Figures[i].SelfBuffers
	read := float64(b.SharedRead + b.LocalRead)
	each := wait * c.processes(i) / max(1, read)
	f.Title = fmt.Sprintf("%s waits %s of its time for %s blocks that are not cached", nodeTitle(node), percent(wait/max(c.self(i), 0.001)), counted(read))
	f.Summary = fmt.Sprintf("%s read %s (%s of its buffers) and waited %s of its %s ms for them, %s a block.", c.place(i), bytesText(read*float64(c.Model.BlockSize)),
		percent(read/max(1, float64(b.Shared()+b.LocalHit+b.LocalRead))), num(wait), num(c.self(i)), span(each/1000))
	f.Figures = []finding.Figure{
		{What: "blocks read by the node itself", Value: read, Unit: "blocks", Text: fmt.Sprintf("%s (%s)", counted(read), bytesText(read*float64(c.Model.BlockSize)))},
		{What: "time waiting for them", Value: wait, Unit: "ms", Text: num(wait) + " ms", Limit: "below half of the node's time"},
		{What: "time per block", Value: each, Unit: "ms", Text: span(each / 1000), Says: latencyText(each)},
	}
	rows, _, _ := c.rows(i)
	if rows > 0 && node.RelationName != "" {
		f.Figures = append(f.Figures, finding.Figure{What: "buffers per row", Value: float64(b.Shared()) / rows, Unit: "buffers/row", Text: num(float64(b.Shared()) / rows)})
	}
	f.RuledOut = append(f.RuledOut, c.coldOnce(once))
	if v, ok := c.setting("shared_buffers"); ok {
		f.Notes = append(f.Notes, "shared_buffers = "+v)
	}
	f.Actions = c.coldActions(i)
	f.WillNotHelp = []string{"More work_mem: the blocks are the table's, not temporary files.", "More workers, if the storage is what is busy."}
	f.Verify = []string{"EXPLAIN (ANALYZE, BUFFERS) twice in a row: what the second one still reads does not fit into the cache."}
}

// coldOnce tells a cache that was cold once from reads that come every time.
func (c *planCase) coldOnce(once bool) finding.RuledOut {
	const rival = "a cold cache, once"
	if c.readings < minTypical {
		return notMeasurable(rival, "fewer than 5 executions with buffers in input")
	}
	out := finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict,
		Figure: fmt.Sprintf("the median of %d executions reads %s of its buffers", c.readings, percent(c.usualReads))}
	if once {
		out.Verdict = finding.NotRuledOut
	}
	return out
}

// latencyText says where a block came from, by the time it took.
func latencyText(ms float64) string {
	switch {
	case ms < 0.05:
		return "from the operating system's cache"
	case ms < 0.5:
		return "a fast disk, or partly cached"
	}
	return "a disk or network storage"
}

func (c *planCase) coldActions(i int) []finding.Action {
	n := c.node(i)
	first := finding.Action{Do: "Read fewer blocks: an index for the condition, fewer columns through an index-only scan, or a table and index without bloat."}
	if n.NodeType == "Index Scan" || n.NodeType == "Bitmap Heap Scan" {
		first.Do = "Read fewer blocks: rows that are wanted together lie apart in " + c.relationName(i) + ". CLUSTER or an index that covers the query brings them together."
		first.Cost = "CLUSTER locks the table while it rewrites it; a covering index is written by every INSERT"
	}
	size := finding.Action{Do: "If the statement reads the same blocks again and again, give them room: a larger shared_buffers, or pg_prewarm after a restart.",
		Cost: "shared_buffers needs a restart; memory that the operating system's cache then lacks"}
	if n.Has(record.HasBuffers) && c.Figures[i].SelfBuffers.SharedHit == 0 && n.NodeType == "Seq Scan" {
		size.Do += " A sequential scan of more than a quarter of shared_buffers goes through a small ring and stays uncached by design."
	}
	return []finding.Action{first, size}
}
