package explain

import (
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// FNV-1a, 64 bits.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// shape hashes what makes a plan: node types, relationships, relations,
// indexes, join types, operations and strategies in depth-first order. Left out
// is what differs between executions and versions of the same plan: aliases,
// workers, names of subplans, and what ModifyTable calls its child.
func shape(nodes []record.Node) uint64 {
	h := uint64(fnvOffset)
	for i := range nodes {
		n := &nodes[i]
		h = hashByte(h, byte(n.Depth))
		h = hashString(h, n.NodeType)
		h = hashString(h, relationship(nodes, n))
		h = hashString(h, n.RelationName)
		h = hashString(h, n.IndexName)
		h = hashString(h, n.JoinType)
		h = hashString(h, n.Operation)
		h = hashString(h, n.Strategy)
	}
	return h
}

func hashString(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * fnvPrime
	}
	return hashByte(h, 0xff) // no byte of UTF-8: ends the string
}

func hashByte(h uint64, b byte) uint64 { return (h ^ uint64(b)) * fnvPrime }

// relationship of a node to its parent, the same in all versions: up to 13 the
// child of a ModifyTable is a Member, later Outer.
func relationship(nodes []record.Node, n *record.Node) string {
	if n.ParentRelationship == "Member" && n.Parent >= 0 && nodes[n.Parent].NodeType == "ModifyTable" {
		return "Outer"
	}
	return n.ParentRelationship
}

// maxShapeText is about where ShapeText stops, in bytes: what follows is "…".
const maxShapeText = 2000

// ShapeText describes the tree in one line: "Limit > Index Only Scan using
// queue_items_pkey on queue_items". Several children stand in parentheses.
func ShapeText(p *record.Plan) string {
	if len(p.Nodes) == 0 {
		return ""
	}
	w := shapeWriter{nodes: p.Nodes, first: make([]int32, len(p.Nodes)), next: make([]int32, len(p.Nodes))}
	for i := len(p.Nodes) - 1; i > 0; i-- {
		parent := p.Nodes[i].Parent
		w.next[i] = w.first[parent]
		w.first[parent] = int32(i)
	}
	w.write(0)
	return w.b.String()
}

// shapeWriter writes the tree; first and next link the children of a node, 0
// ends a list.
type shapeWriter struct {
	b           strings.Builder
	nodes       []record.Node
	first, next []int32
}

func (w *shapeWriter) write(i int32) {
	w.b.WriteString(nodeText(&w.nodes[i]))
	child := w.first[i]
	switch {
	case child == 0:
		return
	case w.b.Len() > maxShapeText:
		w.b.WriteString(" > …")
		return
	case w.next[child] == 0:
		w.b.WriteString(" > ")
		w.write(child)
		return
	}
	separator := " ("
	for ; child != 0; child = w.next[child] {
		w.b.WriteString(separator)
		if w.b.Len() > maxShapeText {
			w.b.WriteString("…")
			break
		}
		w.write(child)
		separator = ", "
	}
	w.b.WriteString(")")
}

// nodeText names a node about as EXPLAIN's text does.
func nodeText(n *record.Node) string {
	text := n.NodeType
	switch {
	case n.NodeType == "ModifyTable" && n.Operation != "":
		text = n.Operation
	case n.NodeType == "Aggregate":
		text = map[string]string{
			"Sorted": "GroupAggregate", "Hashed": "HashAggregate", "Mixed": "MixedAggregate",
		}[n.Strategy]
		if text == "" {
			text = "Aggregate"
		}
	case n.JoinType != "" && n.JoinType != "Inner":
		text = strings.TrimSuffix(text, " Join") + " " + n.JoinType + " Join"
	}
	if n.IndexName != "" && n.RelationName == "" {
		return text + " on " + n.IndexName
	}
	if n.IndexName != "" {
		text += " using " + n.IndexName
	}
	if n.RelationName != "" {
		text += " on " + n.RelationName
	}
	return text
}
