package signature

import (
	"fmt"

	"github.com/pgassay/pgassay/parser/record"
)

// spill is a node that did not fit into memory and wrote temporary files.
type spill struct {
	Node int
	Kind string  // "sort", "hash join", "hash aggregate", "tuple store"
	Disk float64 // kB on disk in the process that wrote most; 0 if not told
	Need float64 // kB of memory that would have been enough, per process
	Rule string  // how Need was computed
	Work float64 // kB of work_mem that gives Need
	Had  float64 // kB that it had, where the plan tells; 0 if not
	// Blocks counts temporary blocks read and written at the place.
	Blocks int64
	// Processes shared the memory, each with its own work_mem.
	Processes float64
}

// spilled tells whether node i went to disk.
func (c *planCase) spilled(i int) bool {
	_, ok := c.spill(i)
	return ok
}

// spill is what the plan tells of node i's memory; false if it had enough.
func (c *planCase) spill(i int) (spill, bool) {
	if c.spills == nil {
		c.spills = make([]spill, len(c.Plan.Nodes))
		for k := range c.spills {
			if s, ok := c.readSpill(k); ok {
				c.spills[k] = s
			}
		}
	}
	return c.spills[i], c.spills[i].Kind != ""
}

func (c *planCase) readSpill(i int) (spill, bool) {
	if !c.executed(i) {
		return spill{}, false
	}
	b := c.Figures[i].SelfBuffers
	s := spill{Node: i, Blocks: max(0, b.TempRead) + max(0, b.TempWritten), Processes: c.processes(i)}
	switch n := c.node(i); n.NodeType {
	case "Sort", "Incremental Sort":
		ok := c.sortSpill(&s)
		return s, ok
	case "Hash":
		ok := c.hashSpill(&s)
		return s, ok
	case "Aggregate":
		ok := (n.Strategy == "Hashed" || n.Strategy == "Mixed") && c.aggregateSpill(&s)
		return s, ok
	case "Materialize", "CTE Scan", "WindowAgg", "Function Scan", "Table Function Scan", "Recursive Union":
		ok := c.storeSpill(&s)
		return s, ok
	}
	return s, false
}

// sortTuple is what a row takes in memory beyond its bytes on the tape: its
// slot in the sort array and the headers of the tuple and of its allocation.
// Measured on sorts of narrow rows: 13.8 bytes a row on disk, 71 in memory.
const sortTuple = 60

// sortSpill: Memory for a sort in memory = bytes on disk + sortTuple × rows, of
// the process that wrote most.
func (c *planCase) sortSpill(s *spill) bool {
	n := c.node(s.Node)
	if space, _ := detail(n.Extra, "Sort Space Type"); space == "Disk" {
		s.Disk, _ = detailNumber(n.Extra, "Sort Space Used")
	}
	for k := range n.Workers {
		if w := &n.Workers[k]; w.SortSpaceType == "Disk" {
			s.Disk = max(s.Disk, float64(w.SortSpaceKB))
		}
	}
	if s.Disk == 0 && c.Figures[s.Node].SelfBuffers.TempWritten <= 0 {
		return false
	}
	s.Kind = "sort"
	bytes, source := s.Disk, "bytes on disk"
	if bytes == 0 {
		bytes = float64(c.Figures[s.Node].SelfBuffers.TempWritten*c.Model.BlockSize) / 1024 / s.Processes
		source = "temporary blocks written"
	}
	s.Need = bytes + c.inputRows(s.Node)*sortTuple/1024
	s.Work = s.Need
	s.Rule = fmt.Sprintf("%s + %d bytes × rows", source, sortTuple)
	return true
}

// inputRows is the number of rows that one process fed into node i in one loop.
func (c *planCase) inputRows(i int) float64 {
	if in := c.inputs(i); len(in) > 0 {
		return c.node(in[0]).ActualRows.Float()
	}
	return c.node(i).ActualRows.Float()
}

// hashSpill: memory for one batch = batches × peak memory of a batch. The
// batches double until one fits, so that this is the most that is needed. A
// parallel hash is one table that the participants share the memory of.
func (c *planCase) hashSpill(s *spill) bool {
	n := c.node(s.Node)
	batches, ok := detailNumber(n.Extra, "Hash Batches")
	for k := range n.Workers {
		if b, told := detailNumber(n.Workers[k].Extra, "Hash Batches"); told {
			batches, ok = max(batches, b), true
		}
	}
	if !ok && c.Figures[s.Node].SelfBuffers.TempWritten > 0 {
		batches = 0
	} else if batches <= 1 {
		return false
	}
	s.Kind = "hash join"
	if parent := int(n.Parent); parent >= 0 {
		b := c.Figures[parent].SelfBuffers
		s.Blocks += max(0, b.TempRead) + max(0, b.TempWritten)
	}
	if peak, ok := detailNumber(n.Extra, "Peak Memory Usage"); ok && batches > 1 {
		s.Need, s.Had = batches*peak, peak
		s.Rule = fmt.Sprintf("%s batches × %s peak memory: at most", num0(batches), bytesText(peak*1024))
	} else {
		s.Need = c.inputRows(s.Node) * (float64(n.PlanWidth) + hashTuple) / 1024
		s.Rule = fmt.Sprintf("rows × (width + %d bytes)", hashTuple)
	}
	shared := 1.0
	if n.ParallelAware {
		shared = s.Processes
		s.Rule += ", shared by the processes"
	}
	s.Work = s.Need / c.hashMultiplier() / shared
	return true
}

// hashTuple is the overhead of a row in a hash table: header of the entry, of
// the tuple and the bucket's pointer.
const hashTuple = 48

// aggregateSpill: memory for all groups = peak memory + what went to disk. Rows
// of one group went to disk one by one, so that this is the most that is needed.
func (c *planCase) aggregateSpill(s *spill) bool {
	n := c.node(s.Node)
	peak := 0.0
	lists := [][]record.KeyValue{n.Extra}
	for k := range n.Workers {
		lists = append(lists, n.Workers[k].Extra)
	}
	for _, list := range lists {
		disk, _ := detailNumber(list, "Disk Usage")
		memory, _ := detailNumber(list, "Peak Memory Usage")
		if disk > s.Disk {
			s.Disk, peak = disk, memory
		}
	}
	if s.Disk == 0 {
		written := c.Figures[s.Node].SelfBuffers.TempWritten
		if written <= 0 {
			return false
		}
		s.Disk = float64(written*c.Model.BlockSize) / 1024 / s.Processes
	}
	s.Kind = "hash aggregate"
	s.Need, s.Had = peak+s.Disk, peak
	s.Work = s.Need / c.hashMultiplier()
	s.Rule = "peak memory + disk: at most"
	return true
}

// storeSpill: rows kept to be read again. From 18 on the plan tells their size.
func (c *planCase) storeSpill(s *spill) bool {
	n := c.node(s.Node)
	kind, told := detail(n.Extra, "Storage")
	written := c.Figures[s.Node].SelfBuffers.TempWritten
	if told && kind != "Disk" || !told && written <= 0 {
		return false
	}
	s.Kind = "tuple store"
	s.Disk = float64(max(0, written)*c.Model.BlockSize) / 1024 / s.Processes
	if kb, ok := detailNumber(n.Extra, "Maximum Storage"); ok && kb > 0 {
		s.Disk = kb
	}
	s.Need = s.Disk + c.inputRows(s.Node)*storeTuple/1024
	s.Work = s.Need
	s.Rule = fmt.Sprintf("bytes stored + %d bytes × rows", storeTuple)
	return true
}

// storeTuple is the overhead of a row in a tuple store: its pointer and header.
const storeTuple = 32
