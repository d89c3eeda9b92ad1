package ledger

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// Sum is what the nodes of one name cost together.
type Sum struct {
	Name   string
	Nodes  int
	Self   float64 // ms, of what is shown
	Share  float64 // of Whole
	Blocks int64
	Rows   float64
}

// ByNodeType sums per node type, as EXPLAIN (FORMAT JSON) names it, costliest
// first.
func (l *Ledger) ByNodeType() []Sum {
	return l.sums(func(i int) string {
		if n := &l.Plan.Nodes[i]; n.NodeType == "ModifyTable" && n.Operation != "" {
			return n.Operation
		}
		return l.Plan.Nodes[i].NodeType
	})
}

// ByRelation sums per relation; the scan of a bitmap's index belongs to the
// relation of the heap scan above it.
func (l *Ledger) ByRelation() []Sum { return l.sums(l.Relation) }

// ByIndex sums per index.
func (l *Ledger) ByIndex() []Sum {
	return l.sums(func(i int) string { return l.Plan.Nodes[i].IndexName })
}

// Relation is the relation that node i reads or writes, "" if none.
func (l *Ledger) Relation(i int) string {
	nodes := l.Plan.Nodes
	for nodes[i].RelationName == "" && strings.HasPrefix(nodes[i].NodeType, "Bitmap") && nodes[i].Parent >= 0 {
		i = int(nodes[i].Parent)
	}
	return QualifiedRelation(&nodes[i])
}

// QualifiedRelation is "schema.relation" of a node, as far as it is printed.
func QualifiedRelation(n *record.Node) string {
	if n.SchemaName != "" && n.RelationName != "" {
		return n.SchemaName + "." + n.RelationName
	}
	return n.RelationName
}

// sums adds up the nodes whose name is not empty.
func (l *Ledger) sums(name func(i int) string) []Sum {
	at := map[string]int{}
	var out []Sum
	for i := range l.Nodes {
		key := name(i)
		if key == "" {
			continue
		}
		k, ok := at[key]
		if !ok {
			k = len(out)
			at[key] = k
			out = append(out, Sum{Name: key})
		}
		o, s := &l.Nodes[i], &out[k]
		s.Nodes++
		s.Self += o.Shown
		s.Share += o.Share
		s.Blocks += o.Blocks
		s.Rows += o.Rows.Value
	}
	slices.SortStableFunc(out, func(a, b Sum) int {
		return cmp.Or(cmp.Compare(b.Self, a.Self), cmp.Compare(b.Blocks, a.Blocks), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// Order is by what a list of nodes is sorted.
type Order string

// Orders of a list, the greatest first: self time, own buffers, rows given.
const (
	OrderSelf    Order = "self"
	OrderBuffers Order = "buffers"
	OrderRows    Order = "rows"
)

// Sorted are the indexes of the nodes in that order; equal ones stay in the
// order of the plan.
func (l *Ledger) Sorted(by Order) []int {
	key := func(i int) float64 {
		switch o := &l.Nodes[i]; by {
		case OrderBuffers:
			return float64(o.Blocks)
		case OrderRows:
			return o.Rows.Value
		default:
			return o.Self
		}
	}
	order := make([]int, len(l.Nodes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(key(b), key(a)) })
	return order
}
