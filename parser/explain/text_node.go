package explain

import (
	"bytes"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// nodeLine is the line of a node cut into its parts.
type nodeLine struct {
	head                      []byte // "Index Scan using i on s.t a"
	cost, actual              []byte // inside their parentheses
	hasCost, hasActual, unrun bool   // unrun: "(never executed)"
	broken                    bool   // a part that is not closed: the line was cut
}

var (
	costPart   = []byte("(cost=")
	actualPart = []byte("(actual ")
	neverPart  = []byte("(never executed)")
)

// cutNodeLine takes the parts off from the end, since a quoted name may hold
// anything that looks like one.
func cutNodeLine(text []byte) nodeLine {
	n := nodeLine{head: text}
	if head, ok := bytes.CutSuffix(n.head, neverPart); ok {
		n.head, n.unrun = bytes.TrimRight(head, " "), true
	} else {
		n.head, n.actual, n.hasActual = cutPart(n.head, actualPart)
	}
	n.head, n.cost, n.hasCost = cutPart(n.head, costPart)
	if !n.hasCost && !n.hasActual && openQuote(text, 0) == 0 {
		i := max(bytes.LastIndex(text, costPart), bytes.LastIndex(text, actualPart))
		n.broken = i >= 0 && bytes.IndexByte(text[i:], ')') < 0
	} else if !n.unrun && !n.hasActual {
		i := bytes.LastIndexByte(text, '(')
		n.broken = i >= 0 && bytes.IndexByte(text[i:], ')') < 0 && openQuote(text, 0) == 0
	}
	return n
}

// cutPart takes "(…)" with this opening off the end of text.
func cutPart(text, opening []byte) (head, part []byte, ok bool) {
	if len(text) == 0 || text[len(text)-1] != ')' {
		return text, nil, false
	}
	i := bytes.LastIndexByte(text, '(') // figures hold no parentheses
	if i < 0 || !bytes.HasPrefix(text[i:], opening) {
		return text, nil, false
	}
	part = text[i+len(opening) : len(text)-1]
	if bytes.IndexByte(part, ')') >= 0 {
		return text, nil, false
	}
	return bytes.TrimRight(text[:i], " "), part, true
}

// isRoot tells a line that could be the root of a tree: a known node type with
// costs or figures, or, if they are not needed, without.
func isRoot(text []byte, needParts bool) bool {
	if len(text) == 0 || text[0] < 'A' || text[0] > 'Z' {
		return false
	}
	n := cutNodeLine(text)
	if needParts && !n.hasCost && !n.hasActual || n.broken {
		return false
	}
	name, rest := cutTypeName(n.head)
	if !needParts && !n.hasCost && !n.hasActual && len(rest) > 0 && openQuote(rest, 0) == 0 && bytes.Count(rest, []byte{' '}) > 4 {
		return false // prose
	}
	var node record.Node
	return setNodeType(&node, string(name)) || isFullCost(n.cost)
}

// isFullCost tells the costs of a node whatever its type: forks and extensions
// have their own.
func isFullCost(cost []byte) bool {
	return bytes.Contains(cost, []byte("..")) && bytes.Contains(cost, []byte(" rows=")) && bytes.Contains(cost, []byte(" width="))
}

// cutTypeName cuts the head before " using " or " on "; node types contain
// neither.
func cutTypeName(head []byte) (name, rest []byte) {
	end := len(head)
	for _, word := range [...]string{" using ", " on "} {
		if i := bytes.Index(head[:end], []byte(word)); i >= 0 {
			end = i
		}
	}
	return head[:end], head[end:]
}

// textNode adds the node of a line; indent is where its content begins.
func (p *Parser) textNode(text []byte, indent, offset int) {
	t := &p.text
	line := cutNodeLine(text)
	if len(t.stack) > 0 && (line.broken || p.lacksFigures(&line, offset)) {
		p.cut = true
		return
	}
	parent, depth := int32(-1), int32(0)
	if len(t.stack) > 0 {
		parent = t.stack[len(t.stack)-1].node
		depth = p.plan.Nodes[parent].Depth + 1
	}
	i := p.addNode(parent, depth, offset)
	if i < 0 {
		return
	}
	node := &p.plan.Nodes[i]
	typeName, rest := cutTypeName(line.head)
	name := p.interns.string(typeName)
	if !setNodeType(node, name) {
		p.foreignType(node, typeName)
	}
	if node.NodeType == "SetOp" {
		_, command, _ := bytes.Cut(typeName, blank)
		p.keep(&node.Extra, "Command", command)
	}
	if bytes.Contains(typeName, []byte("Async ")) {
		p.keep(&node.Extra, "Async Capable", []byte("true"))
	}
	p.target(node, rest)
	p.lineFigures(node, &line)
	if parent >= 0 {
		p.relate(node, indent)
	}
	t.stack = append(t.stack, textLevel{node: i, indent: indent + 2})
	t.label, t.labelIndent = "", -1
}

// lacksFigures tells a node without what the root has: its line was cut. Nodes
// without any, which extensions print, are whole if more lines follow.
func (p *Parser) lacksFigures(line *nodeLine, offset int) bool {
	if line.hasActual || line.unrun || !p.plan.Nodes[0].Has(record.HasActual) {
		return false
	}
	return line.hasCost || p.lineFrom(offset).end == len(p.data)
}

// foreignType sets the type of a fork's or an extension's node. Greenplum adds
// what is no part of it: "Gather Motion 4:1  (slice1; segments: 4)".
func (p *Parser) foreignType(n *record.Node, name []byte) {
	if i := bytes.Index(name, []byte("  (")); i > 0 {
		p.keep(&n.Extra, "Slice", bytes.Trim(name[i:], " ()"))
		name = name[:i]
	}
	if i := bytes.LastIndexByte(name, ' '); i > 0 {
		senders, receivers, ok := bytes.Cut(name[i+1:], []byte{':'})
		_, _, isNumber := fixed(senders, 0)
		if ok && isNumber {
			p.keep(&n.Extra, "Senders", senders)
			p.keep(&n.Extra, "Receivers", receivers)
			name = name[:i]
		}
	}
	n.NodeType = p.interns.string(name)
}

// arrowWidth is the width of "->  " before a node and of the indentation of a
// subplan below its label.
const (
	arrowWidth  = 4
	labelIndent = 2
)

// relate sets the relationship of a node to its parent as JSON names it.
func (p *Parser) relate(node *record.Node, indent int) {
	t := &p.text
	if t.labelIndent >= 0 && t.labelIndent+labelIndent == indent-arrowWidth {
		node.SubplanName = t.label
		node.ParentRelationship = "InitPlan"
		if strings.HasPrefix(t.label, "SubPlan ") {
			node.ParentRelationship = "SubPlan"
		}
		return
	}
	level := &t.stack[len(t.stack)-1]
	level.children++
	switch p.plan.Nodes[level.node].NodeType {
	case "Append", "Merge Append", "BitmapAnd", "BitmapOr":
		node.ParentRelationship = "Member"
	case "Subquery Scan":
		node.ParentRelationship = "Subquery"
	default:
		node.ParentRelationship = "Outer"
		if level.children > 1 {
			node.ParentRelationship = "Inner"
		}
	}
}

// target reads what follows the node type: " using INDEX on RELATION ALIAS".
func (p *Parser) target(n *record.Node, rest []byte) {
	if after, ok := bytes.CutPrefix(rest, []byte(" using ")); ok {
		n.IndexName, rest = p.identifier(after)
	}
	rest, ok := bytes.CutPrefix(rest, []byte(" on "))
	if !ok {
		return
	}
	first, rest := p.identifier(rest)
	if len(rest) > 0 && rest[0] == '.' {
		n.SchemaName = first
		first, rest = p.identifier(rest[1:])
	}
	n.Alias = first
	if len(rest) > 0 && rest[0] == ' ' {
		n.Alias, _ = p.identifier(rest[1:])
	}
	switch n.NodeType {
	case "Bitmap Index Scan":
		n.IndexName, n.Alias = first, ""
	case "CTE Scan", "WorkTable Scan":
		n.CTEName = first
	case "Function Scan", "Table Function Scan":
		n.FunctionName = first
	case "Subquery Scan", "Values Scan", "Named Tuplestore Scan", "Result":
	default:
		n.RelationName = first
	}
}

// identifier reads a name as quote_identifier prints it.
func (p *Parser) identifier(text []byte) (string, []byte) {
	if len(text) == 0 || text[0] != '"' {
		end := bytes.IndexAny(text, " .")
		if end < 0 {
			end = len(text)
		}
		return p.interns.string(text[:end]), text[end:]
	}
	out := p.scratch[:0]
	for i := 1; i < len(text); i++ {
		if text[i] == '"' {
			if i+1 == len(text) || text[i+1] != '"' {
				p.scratch = out
				return p.interns.string(out), text[i+1:]
			}
			i++
		}
		out = append(out, text[i])
	}
	p.scratch = out
	return p.interns.string(out), nil
}

// lineFigures reads "(cost=0.29..8.31 rows=1 width=4)" and "(actual
// time=0.010..0.012 rows=1.00 loops=1)".
func (p *Parser) lineFigures(n *record.Node, line *nodeLine) {
	if line.hasCost {
		assignRange(n, line.cost, keyStartupCost, keyTotalCost)
		assignWords(line.cost, func(name, value []byte) {
			switch string(name) {
			case "rows":
				assign(n, keyPlanRows, fields[keyPlanRows], value)
			case "width":
				assign(n, keyPlanWidth, fields[keyPlanWidth], value)
			}
		})
	}
	if line.unrun {
		n.Fields |= record.HasActual
	}
	if !line.hasActual {
		return
	}
	assignWords(line.actual, func(name, value []byte) {
		switch string(name) {
		case "time":
			assignRange(n, value, keyActualStartupTime, keyActualTotalTime)
		case "rows":
			assign(n, keyActualRows, fields[keyActualRows], value)
		case "loops":
			assign(n, keyActualLoops, fields[keyActualLoops], value)
		}
	})
}

// assignRange sets two figures from "a..b" at the start of text.
func assignRange(n *record.Node, text []byte, low, high key) {
	if i := bytes.IndexByte(text, ' '); i >= 0 {
		text = text[:i]
	}
	if a, b, ok := bytes.Cut(text, []byte("..")); ok {
		assign(n, low, fields[low], a)
		assign(n, high, fields[high], b)
	}
}

// assignWords calls set for each "name=value" among the words of text.
func assignWords(text []byte, set func(name, value []byte)) {
	for len(text) > 0 {
		word := text
		if i := bytes.IndexByte(text, ' '); i >= 0 {
			word, text = text[:i], text[i+1:]
		} else {
			text = nil
		}
		if i := bytes.IndexByte(word, '='); i > 0 {
			set(word[:i], word[i+1:])
		}
	}
}
