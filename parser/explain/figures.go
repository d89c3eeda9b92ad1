package explain

import (
	"math"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// Summarize fills p.Figures, as record.Figures documents them. A plan with
// several ModifyTable nodes (data-modifying CTEs) is charged with all of them.
//
// Facts: a ModifyTable without RETURNING prints 0 rows, so what it wrote comes
// from its child or from its tuple counters; a data-modifying CTE that nobody
// reads runs after the tree, so the root's buffers do not contain it.
func Summarize(p *record.Plan) {
	f := &p.Figures
	*f = record.Figures{Shape: shape(p.Nodes), Planning: p.PlanningTime, HasPlanning: p.HasPlanning}
	if len(p.Nodes) == 0 {
		return
	}
	root := &p.Nodes[0]
	f.Rows, f.RowsErr = rowsTotal(root)
	f.HasRows = root.Has(record.HasActual)
	f.Total, f.HasBuffers = root.Buffers, root.Has(record.HasBuffers)
	f.IOReadTime, f.IOWriteTime = root.IOReadTime, root.IOWriteTime
	f.HasIOTime = root.Has(record.HasIOTime)
	f.WALBytes, f.HasWAL = root.WALBytes, root.Has(record.HasWAL)
	writes := false
	for i := range p.Nodes {
		n := &p.Nodes[i]
		addLoops(f, n)
		switch n.NodeType {
		case "Index Only Scan":
			addIndexOnly(f, n)
		case "Bitmap Index Scan":
			addBitmap(f, n)
		case "ModifyTable":
			writes = true
		}
	}
	f.Own = f.Total
	if writes {
		summarizeWrites(p)
	}
}

func addLoops(f *record.Figures, n *record.Node) {
	if n.RelationName == "" || n.NodeType == "ModifyTable" || !n.Has(record.HasActual) {
		return
	}
	f.Loops = addRows(f.Loops, max(0, n.ActualLoops))
	f.HasLoops = true
}

func addIndexOnly(f *record.Figures, n *record.Node) {
	if !n.Has(record.HasHeapFetches) {
		return
	}
	rows, _ := rowsTotal(n)
	f.HeapFetches = addRows(f.HeapFetches, n.HeapFetches)
	f.IndexOnlyRows = record.Rows(addRows(int64(f.IndexOnlyRows), int64(rows)))
	f.HasHeapFetches = true
}

func addBitmap(f *record.Figures, n *record.Node) {
	if !n.Has(record.HasBuffers) || n.ActualLoops < 1 {
		return
	}
	rows, _ := rowsTotal(n)
	f.BitmapBuffers = addRows(f.BitmapBuffers, n.Buffers.Shared())
	f.BitmapScans = addRows(f.BitmapScans, n.ActualLoops)
	f.BitmapRows = record.Rows(addRows(int64(f.BitmapRows), int64(rows)))
	f.HasBitmap = true
}

// summarizeWrites charges p with its ModifyTable nodes: their buffers less
// those of their children, the rows that the children gave them or that they
// counted. InitPlans and CTEs below a ModifyTable are not taken off: they are
// spent in the node that first needs them, which is a child that counts already.
func summarizeWrites(p *record.Plan) {
	f := &p.Figures
	f.IsWrite = true
	f.Own, f.Rows, f.RowsErr = record.Buffers{}, 0, 0
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.NodeType == "ModifyTable" {
			f.Own = f.Own.Add(n.Buffers)
			counted := n.Has(record.HasTuples)
			if counted {
				sum := n.TuplesInserted + n.TuplesUpdated + n.TuplesDeleted + n.ConflictingTuples
				f.Rows = record.Rows(addRows(int64(f.Rows), max(0, int64(sum))))
			}
			hasChild := i+1 < len(p.Nodes) && int(p.Nodes[i+1].Parent) == i
			f.HasRows = f.HasRows && (counted || hasChild)
			f.HasBuffers = f.HasBuffers && hasChild
		}
		if n.Parent >= 0 && p.Nodes[n.Parent].NodeType == "ModifyTable" {
			chargeChild(f, &p.Nodes[n.Parent], n)
		}
	}
	f.Total = f.Total.Add(afterTree(p.Nodes))
}

// chargeChild takes the child n off the ModifyTable above it.
func chargeChild(f *record.Figures, modify, n *record.Node) {
	if n.ParentRelationship == "InitPlan" {
		return
	}
	f.Own = f.Own.Sub(n.Buffers)
	f.HasBuffers = f.HasBuffers && n.Has(record.HasBuffers)
	if n.ParentRelationship == "SubPlan" || modify.Has(record.HasTuples) {
		return
	}
	rows, rowsErr := rowsTotal(n)
	f.Rows = record.Rows(addRows(int64(f.Rows), int64(rows)))
	f.RowsErr = record.Rows(addRows(int64(f.RowsErr), int64(rowsErr)))
	f.HasRows = f.HasRows && n.Has(record.HasActual)
}

// afterTree is the buffers of the data-modifying CTEs that no scan reads: the
// executor runs them after the tree.
func afterTree(nodes []record.Node) record.Buffers {
	var sum record.Buffers
	var read map[string]bool
	for i := range nodes {
		if !isUnread(nodes, i, &read) {
			continue
		}
		sum = sum.Add(nodes[i].Buffers)
	}
	return sum
}

// isUnread tells a data-modifying CTE without a scan. read is the set of CTEs
// with one, made when it is first needed.
func isUnread(nodes []record.Node, i int, read *map[string]bool) bool {
	name, isCTE := strings.CutPrefix(nodes[i].SubplanName, "CTE ")
	if !isCTE || nodes[i].NodeType != "ModifyTable" {
		return false
	}
	if *read == nil {
		*read = make(map[string]bool)
		for j := range nodes {
			if nodes[j].NodeType == "CTE Scan" {
				(*read)[nodes[j].CTEName] = true
			}
		}
	}
	return !(*read)[name]
}

// rowsTotal is the rows of all loops and the half width of its rounding
// interval: rows are printed as an average, as an integer up to 17 and with two
// decimals from 18 on.
func rowsTotal(n *record.Node) (rows, rowsErr record.Rows) {
	rows = record.Rows(mulRows(int64(n.ActualRows), n.ActualLoops))
	switch {
	case n.ActualLoops <= 1:
		return rows, 0
	case n.Has(record.HasFractionalRows):
		return rows, record.Rows((n.ActualLoops + 1) / 2)
	default:
		return rows, record.Rows(mulRows(50, n.ActualLoops))
	}
}

// mulRows is a×b for counts that are not negative, clamped.
func mulRows(a, b int64) int64 {
	if a <= 0 || b <= 0 {
		return 0
	}
	if a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

// addRows is a+b for counts that are not negative, clamped.
func addRows(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
