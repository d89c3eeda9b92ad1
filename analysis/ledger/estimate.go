package ledger

import (
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// Estimate is how the rows of one loop compare with the planner's.
type Estimate struct {
	// Factor is actual ÷ estimated: above 1 there were more rows than planned.
	// It is the least that the rounding of the average admits, 1 if the interval
	// holds the estimate.
	Factor float64
	// Why says why there is no Factor: StopsEarly, "never executed" …; "" if there
	// is one.
	Why string
}

// What Why says of a node that may be left before it gave all its rows, below a
// Limit, say; and of one that prints 0 by design: a bitmap, or a write without
// RETURNING.
const (
	StopsEarly   = "stops early"
	PrintsNoRows = "prints no rows"
)

// Error is how many times the estimate was off, whichever way: at least 1.
func (e Estimate) Error() float64 {
	if e.Factor > 0 && e.Factor < 1 {
		return 1 / e.Factor
	}
	return max(1, e.Factor)
}

// estimate judges node i. The planner estimates at least one row, so that none
// is as good as one.
func estimate(nodes []record.Node, i int, early bool) Estimate {
	n := &nodes[i]
	switch {
	case !n.Has(record.HasActual):
		return Estimate{Why: "not executed: no ANALYZE"}
	case n.ActualLoops == 0:
		return Estimate{Why: "never executed"}
	case !n.Has(record.HasCosts):
		return Estimate{Why: "no estimate"}
	case printsNoRows(nodes, i):
		return Estimate{Why: PrintsNoRows}
	case early:
		return Estimate{Why: StopsEarly}
	}
	planned := max(1, n.PlanRows)
	low, high := n.ActualRows.Float()-rounding(n), n.ActualRows.Float()+rounding(n)
	low, high = max(1, low), max(1, high)
	switch {
	case planned < low:
		return Estimate{Factor: low / planned}
	case planned > high:
		return Estimate{Factor: high / planned}
	}
	return Estimate{Factor: 1}
}

// printsNoRows tells the nodes that print 0 by design: a bitmap has no rows, a
// write without RETURNING gives none.
func printsNoRows(nodes []record.Node, i int) bool {
	n := &nodes[i]
	switch n.NodeType {
	case "BitmapAnd", "BitmapOr":
		return true
	case "ModifyTable":
		return n.ActualRows == 0
	case "Bitmap Index Scan":
		return n.Parent >= 0 && nodes[n.Parent].NodeType == "BitmapOr"
	}
	return false
}

// stopsEarly finds the nodes that may be left before they gave all their rows:
// there an estimate of all rows says nothing.
func stopsEarly(nodes []record.Node) []bool {
	early := make([]bool, len(nodes))
	for i := range nodes {
		n := &nodes[i]
		if n.Parent < 0 {
			continue
		}
		parent := &nodes[n.Parent]
		switch {
		case n.ParentRelationship == "InitPlan" && strings.HasPrefix(n.SubplanName, "CTE "):
			early[i] = true // as far as its scans pull
		case n.ParentRelationship == "InitPlan", n.ParentRelationship == "SubPlan":
			early[i] = !readsAll(n)
		case cutsInput(parent, n):
			early[i] = true
		default:
			early[i] = early[n.Parent] && !readsAll(parent)
		}
	}
	return early
}

// cutsInput tells whether parent may stop to read its input n.
func cutsInput(parent, n *record.Node) bool {
	switch parent.NodeType {
	case "Limit", "Merge Join", "Recursive Union":
		return true
	case "Nested Loop":
		semi := strings.HasSuffix(parent.JoinType, "Semi") || strings.HasSuffix(parent.JoinType, "Anti")
		return semi && n.ParentRelationship == "Inner"
	}
	return false
}

// readsAll tells the nodes that take all their input before they give a row.
func readsAll(n *record.Node) bool {
	switch n.NodeType {
	case "Sort", "Hash", "Bitmap Heap Scan", "BitmapOr", "BitmapAnd", "ModifyTable":
		return true
	case "Aggregate":
		return n.Strategy != "Sorted"
	case "SetOp":
		return n.Strategy == "Hashed"
	}
	return false
}
