package plandiff

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/sqltext"
)

// pairing is a match seen from both sides. The nearest ancestors that have a
// counterpart are told by their index in the new plan, −1 if there is none.
type pairing struct {
	toNew, toOld       []int
	aboveOld, aboveNew []int
}

func pairingOf(old, new *record.Plan) *pairing {
	p := &pairing{toNew: Match(old, new), toOld: filled(len(new.Nodes))}
	self := filled(len(new.Nodes))
	for i, k := range p.toNew {
		if k != none {
			p.toOld[k], self[k] = i, k
		}
	}
	p.aboveOld = nearest(old.Nodes, p.toNew)
	p.aboveNew = nearest(new.Nodes, self)
	return p
}

// nearest is, of each node, the mark of the nearest ancestor that has one.
func nearest(nodes []record.Node, marks []int) []int {
	above := filled(len(nodes))
	for i := range nodes {
		parent := nodes[i].Parent
		switch {
		case parent < 0:
		case marks[parent] != none:
			above[i] = marks[parent]
		default:
			above[i] = above[parent]
		}
	}
	return above
}

// changes says what differs in shape between node i of the old plan and its
// counterpart k.
func (c *Comparison) changes(i, k int, p *pairing) []string {
	a, b := &c.Old.Plan.Nodes[i], &c.New.Plan.Nodes[k]
	var out []string
	if kind(a) != kind(b) || a.ParallelAware != b.ParallelAware || isBackward(a) != isBackward(b) {
		out = append(out, "was "+explain.NodeTitle(a))
	}
	if a.SchemaName != "" && b.SchemaName != "" && a.SchemaName != b.SchemaName {
		out = append(out, "was in schema "+a.SchemaName)
	}
	if a.WorkersPlanned != b.WorkersPlanned {
		out = append(out, "workers planned "+strconv.FormatInt(a.WorkersPlanned, 10)+" → "+strconv.FormatInt(b.WorkersPlanned, 10))
	}
	switch {
	case p.aboveOld[i] != p.aboveNew[k] && a.Parent >= 0:
		out = append(out, "was below "+explain.NodeTitle(&c.Old.Plan.Nodes[a.Parent]))
	case a.Parent < 0 || b.Parent < 0 || p.toNew[a.Parent] != int(b.Parent): // another node is between
	case isSide(a) && isSide(b) && a.ParentRelationship != b.ParentRelationship:
		out = append(out, "was the "+strings.ToLower(a.ParentRelationship)+" input, is the "+strings.ToLower(b.ParentRelationship))
	}
	for _, key := range conditionKeys {
		was, is := property(a, key), property(b, key)
		if was != "" && is != "" && withoutValues(was) != withoutValues(is) {
			out = append(out, key+" was "+was)
		}
	}
	return out
}

// isBackward tells a backward scan; text prints no other direction.
func isBackward(n *record.Node) bool { return n.ScanDirection == "Backward" }

func isSide(n *record.Node) bool {
	return n.ParentRelationship == "Outer" || n.ParentRelationship == "Inner"
}

// conditionKeys are the properties whose change is a change of the plan.
var conditionKeys = [...]string{"Index Cond", "Sort Key", "Group Key", "Hash Cond", "Merge Cond"}

// property is the value of a key, a list with commas as text prints it.
func property(n *record.Node, key string) string {
	for _, kv := range n.Extra {
		if kv.Key != key {
			continue
		}
		var list []string
		if strings.HasPrefix(kv.Value, "[") && json.Unmarshal([]byte(kv.Value), &list) == nil {
			return strings.Join(list, ", ")
		}
		return kv.Value
	}
	return ""
}

// withoutValues replaces the constants and parameters of an expression by "?", so
// that two executions with other values compare equal.
func withoutValues(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '\'':
			i += 1 + sqltext.StringEnd(s[i+1:])
			b.WriteByte('?')
		case c == '$' || c >= '0' && c <= '9':
			i++
			for i < len(s) && (s[i] == '.' || isWordByte(s[i])) {
				i++
			}
			b.WriteByte('?')
		case isWordByte(c):
			start := i
			for i < len(s) && isWordByte(s[i]) {
				i++
			}
			b.WriteString(s[start:i])
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
