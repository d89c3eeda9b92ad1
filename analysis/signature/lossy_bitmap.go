package signature

import (
	"fmt"
	"math"

	"github.com/pgassay/pgassay/analysis/finding"
)

var lossyBitmap = &Signature{
	ID: "PGA305", Name: "lossy-bitmap", Max: finding.Warning,
	Felt: "A query reads far more rows of its table than it needs",
	What: "A bitmap did not fit into work_mem and remembers whole blocks instead of rows.",
	Why: "A bitmap scan notes each matching row. When the bitmap exceeds work_mem it forgets the rows of some blocks and keeps only the block; " +
		"every row of such a block is then fetched and tested again (Recheck Cond).",
	Fix:    "Raise work_mem for this statement to what the bitmap's blocks need; it is little.",
	Verify: "Heap Blocks shows exact only, and Rows Removed by Index Recheck is 0.",
	Needs:  []Need{needActual},
	Silent: []string{"bitmaps with few lossy blocks", "rows removed by recheck of an inexact index (GiST, GIN, BRIN) whose blocks are exact"},
	Thresholds: planLimits(
		Threshold{"min_lossy", 1000, "blocks", "lossy heap blocks of the process that tells"},
		Threshold{"min_ratio", 1, "x", "lossy ÷ exact heap blocks"},
	),
	Detect: detectLossyBitmap,
}

// bitmapEntry is what one block takes in a bitmap: an entry of 48 bytes and two
// pointers, as tbm_calculate_entries reckons. When the bitmap is full, half of
// the entries are made lossy.
const bitmapEntry = 64

func detectLossyBitmap(p *Pass) {
	p.detectPlans(analyzed, "no plans with actual rows in input", func(c *planCase) []planSpot {
		var spots []planSpot
		for i := range c.Plan.Nodes {
			exact, lossy := c.heapBlocks(i)
			if lossy < p.limit("min_lossy") || lossy < p.limit("min_ratio")*exact {
				continue
			}
			s := c.at(i)
			s.Cost = c.self(i)
			kept, removed := c.rechecked(i)
			s.Effect = ratio(kept+removed, max(1, kept))
			s.Lost = s.Cost * removed / max(1, kept+removed)
			if s.Lost < p.limit("quiet_ms") && s.Cost >= p.limit("floor_ms") {
				s.Lost = p.limit("quiet_ms") // tested again, though little was removed: said, as info
			}
			s.Tell = func(f *finding.Finding) { c.tellLossy(f, i, exact, lossy) }
			spots = append(spots, s)
		}
		return spots
	})
}

// heapBlocks are the exact and lossy blocks of all processes that tell theirs:
// up to 17 only the leader does.
func (c *planCase) heapBlocks(i int) (exact, lossy float64) {
	n := c.node(i)
	if n.NodeType != "Bitmap Heap Scan" || !c.executed(i) {
		return 0, 0
	}
	exact, _ = detailNumber(n.Extra, "Exact Heap Blocks")
	lossy, _ = detailNumber(n.Extra, "Lossy Heap Blocks")
	for k := range n.Workers {
		e, _ := detailNumber(n.Workers[k].Extra, "Exact Heap Blocks")
		l, _ := detailNumber(n.Workers[k].Extra, "Lossy Heap Blocks")
		exact, lossy = exact+e, lossy+l
	}
	return exact, lossy
}

// rechecked are the rows kept and removed by the recheck, over all loops.
func (c *planCase) rechecked(i int) (kept, removed float64) {
	rows, _, _ := c.rows(i)
	return rows, float64(c.node(i).RowsRemovedRecheck) * float64(c.node(i).ActualLoops)
}

func (c *planCase) tellLossy(f *finding.Finding, i int, exact, lossy float64) {
	relation := c.relationName(i)
	kept, removed := c.rechecked(i)
	loops := max(1, float64(c.node(i).ActualLoops)/c.processes(i))
	need := math.Ceil((exact + lossy) / loops * bitmapEntry / 1024)
	had, told := c.workMem()
	was := "work_mem is not in the input"
	if told {
		was = "was " + bytesText(had*1024)
	}
	f.Title = fmt.Sprintf("A bitmap on %s does not fit into work_mem: %s of %s blocks are lossy", relation, counted(lossy), counted(exact+lossy))
	f.Summary = fmt.Sprintf("%s tests every row of %s blocks again and removes %s of them; %s rows are kept. It takes %s of the plan's %s ms.",
		c.place(i), counted(lossy), counted(removed), counted(kept), num(c.self(i)), num(c.Total))
	f.Figures = []finding.Figure{
		{What: "lossy heap blocks", Value: lossy, Unit: "blocks", Text: counted(lossy), Limit: "more than exact ones"},
		{What: "exact heap blocks", Value: exact, Unit: "blocks", Text: counted(exact)},
		{What: "rows removed by recheck", Value: removed, Unit: "rows", Text: counted(removed)},
		{What: "memory for an exact bitmap", Value: need, Unit: "kB", Text: bytesText(need * 1024), Limit: fmt.Sprintf("%d bytes × blocks", bitmapEntry), Says: was},
	}
	f.Actions = []finding.Action{{Do: "SET LOCAL work_mem = '" + memorySetting(need) + "';", SQL: true, Cost: "only for this transaction; other nodes of the plan may use as much each"}}
	f.WillNotHelp = []string{"VACUUM, REINDEX or another index: the bitmap has one entry per block whatever the index."}
	f.Verify = []string{"EXPLAIN (ANALYZE, BUFFERS) in the same transaction: Heap Blocks without lossy."}
	if removed < kept/10 {
		f.Notes = append(f.Notes, "Most rows of the lossy blocks match anyway, so that the second test costs little here.")
	}
}
