package signature

import (
	"fmt"

	"github.com/pgassay/pgassay/analysis/finding"
)

var sortOrHashSpill = &Signature{
	ID: "PGA304", Name: "sort-or-hash-spill", Max: finding.Warning,
	Felt: "A query is slow and writes to disk, though it only reads",
	What: "A sort, a hash table or a stored result did not fit into work_mem and went through temporary files.",
	Why: "Each such node may use work_mem (hash tables: × hash_mem_multiplier), per process. Beyond it a sort writes runs and merges them, a hash join or hash aggregate " +
		"cuts its input into batches, and rows are written and read once or several times.",
	Fix: "Raise work_mem for this statement only (SET LOCAL in its transaction) to the computed need; or give the node less: fewer and narrower rows, an index that " +
		"delivers the order, a LIMIT that reaches the sort.",
	Verify: "Sort Method says quicksort or top-N heapsort, Batches is 1, no temp blocks are left.",
	Needs:  []Need{needPlans},
	Silent: []string{"sorts and hashes in memory", "temporary blocks of a node below", "a spill of less than a megabyte"},
	Thresholds: planLimits(
		Threshold{"min_blocks", 128, "blocks", "temporary blocks written and read at the place, or as much on disk"},
		Threshold{"max_setting", 1 << 20, "kB", "of work_mem beyond which memory is no advice"},
	),
	Detect: detectSortOrHashSpill,
}

func detectSortOrHashSpill(p *Pass) {
	p.detectPlans(analyzed, "no plans with actual rows in input", func(c *planCase) []planSpot {
		var spots []planSpot
		for i := range c.Plan.Nodes {
			s, ok := c.spill(i)
			blocks := max(float64(s.Blocks), s.Disk*1024/float64(c.Model.BlockSize))
			if ok && blocks >= p.limit("min_blocks") {
				spots = append(spots, p.spillSpot(c, s))
			}
		}
		return spots
	})
}

func (p *Pass) spillSpot(c *planCase, s spill) planSpot {
	out := c.at(s.Node)
	out.Cost = c.self(s.Node)
	nodes := []int{s.Node}
	if parent := int(c.node(s.Node).Parent); s.Kind == "hash join" && parent >= 0 {
		out.Cost += c.self(parent)
		nodes = append(nodes, parent)
	}
	io := 0.0
	for _, i := range nodes {
		io += c.selfTempTime(i)
	}
	out.Lost = out.Cost
	if io > 0 {
		out.Lost = min(out.Cost, io)
	}
	out.Effect = c.spillEffect(&s, out.Cost, io)
	out.Tell = func(f *finding.Finding) { p.tellSpill(f, c, s, out.Cost, io) }
	return out
}

// spillEffect is time now ÷ time without temporary files where their time is
// told, else memory needed ÷ memory that the node had.
func (c *planCase) spillEffect(s *spill, cost, io float64) float64 {
	had, told := c.workMem()
	switch {
	case io > 0:
		return ratio(cost, cost-min(cost, io))
	case s.Had > 0:
		return ratio(s.Need, s.Had)
	case !told && s.Work <= had:
		return 2 // it did not fit, so that work_mem is below the need
	}
	return ratio(s.Work, had)
}

// selfTempTime is the time in ms that node i itself waited for temporary files,
// 0 where it is not told (before 15, or without track_io_timing).
func (c *planCase) selfTempTime(i int) float64 {
	t := c.node(i).TempIOReadTime + c.node(i).TempIOWriteTime
	for _, k := range c.children[i] {
		if c.node(k).ParentRelationship != "InitPlan" {
			t -= c.node(k).TempIOReadTime + c.node(k).TempIOWriteTime
		}
	}
	return max(0, t.Milliseconds()) / c.processes(i)
}

func (p *Pass) tellSpill(f *finding.Finding, c *planCase, s spill, cost, io float64) {
	setting := memorySetting(s.Work)
	f.Title = fmt.Sprintf("A %s writes %s to temporary files for want of work_mem", s.Kind, bytesText(s.written(c)))
	f.Summary = fmt.Sprintf("%s did not fit into memory: it needs about %s per process to stay there. The place takes %s of the plan's %s ms.",
		c.place(s.Node), bytesText(s.Need*1024), num(cost), num(c.Total))
	f.Figures = []finding.Figure{
		{What: "temporary blocks read and written", Value: float64(s.Blocks), Unit: "blocks", Text: fmt.Sprintf("%s (%s)", counted(float64(s.Blocks)), bytesText(float64(s.Blocks*c.Model.BlockSize)))},
		{What: "memory needed per process", Value: s.Need, Unit: "kB", Text: bytesText(s.Need * 1024), Limit: s.Rule},
		{What: "work_mem that gives it", Value: s.Work, Unit: "kB", Text: setting, Says: c.hadText(&s)},
	}
	if s.Disk > 0 {
		f.Figures = append(f.Figures, finding.Figure{What: "on disk, per process", Value: s.Disk, Unit: "kB", Text: bytesText(s.Disk * 1024)})
	}
	if io > 0 {
		f.Figures = append(f.Figures, finding.Figure{What: "time in temporary files", Value: io, Unit: "ms", Text: num(io) + " ms per process"})
	}
	f.Actions = p.memoryActions(c, s, setting)
	f.WillNotHelp = []string{"shared_buffers: temporary files do not go through it.", "A larger work_mem for the whole server: every sort and hash of every session may use it."}
	f.Verify = []string{"EXPLAIN (ANALYZE, BUFFERS) in the same transaction: no temp read or written at this node."}
	if rows := c.typicalMisplan(s.Node); rows != "" {
		f.Notes = append(f.Notes, rows)
	}
}

func (s *spill) written(c *planCase) float64 {
	if s.Disk > 0 {
		return s.Disk * 1024 * s.Processes
	}
	return float64(s.Blocks*c.Model.BlockSize) / 2
}

func (c *planCase) hadText(s *spill) string {
	had, told := c.workMem()
	switch {
	case told:
		return "was " + bytesText(had*1024)
	case s.Had > 0:
		return "the node had " + bytesText(s.Had*1024)
	}
	return "work_mem is not in the input; the default is " + bytesText(had*1024)
}

func (p *Pass) memoryActions(c *planCase, s spill, setting string) []finding.Action {
	less := finding.Action{Do: "Or give the node less to hold: select only the columns that are needed, aggregate before joining, or let an index deliver the order."}
	if s.Work > p.limit("max_setting") {
		return []finding.Action{{Do: fmt.Sprintf("%s per process is too much for work_mem: reduce the input of the node instead.", bytesText(s.Need*1024))}, less}
	}
	cost := "only for this transaction"
	if s.Processes > 1 {
		cost += fmt.Sprintf("; each of the %s processes may use it", num0(s.Processes))
	}
	if s.Kind == "hash join" || s.Kind == "hash aggregate" {
		cost += fmt.Sprintf("; computed for hash_mem_multiplier = %s", num0(c.hashMultiplier()))
	}
	return []finding.Action{{Do: "SET LOCAL work_mem = '" + setting + "';", SQL: true, Cost: cost + "; other sorts and hashes of the plan may use as much each"}, less}
}

// typicalMisplan says whether the planner knew how much was coming.
func (c *planCase) typicalMisplan(i int) string {
	in := c.inputs(i)
	if len(in) == 0 {
		return ""
	}
	if e := c.rowError(in[0]); e.Under && e.Factor >= 3 {
		return fmt.Sprintf("The planner expected %s rows here and got %s: see PGA301 for the estimate.", counted(e.Planned), counted(e.Actual))
	}
	return ""
}
