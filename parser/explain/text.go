package explain

import (
	"bytes"
	"fmt"

	"github.com/pgassay/pgassay/parser/record"
)

// textState is what the reading of a text plan remembers between lines.
type textState struct {
	tabs  bool // each line starts with the TAB of a log's continuation line
	base  int  // indentation of the root
	stack []textLevel
	// label is the last line that names a subplan ("CTE x", "InitPlan 1"), and
	// labelIndent its indentation; −1 if none is pending.
	label       string
	labelIndent int
	section     key // keyPlanning inside "Planning:", keyWrapper inside "JIT:"
	worker      int64
	workerAt    int // indentation of the worker's line, −1 if none
}

// textLevel is a node that may still get children or properties.
type textLevel struct {
	node     int32
	indent   int // of its properties and of the arrows of its children
	children int // plain ones, not subplans
}

var arrow = []byte("->")

// maxJoin is how many lines a value with line breaks in quotes may span.
const maxJoin = 64

// Text reads one plan in text format: the message of auto_explain after its
// first line ("Query Text: …", the tree, "Settings: …"), which must end with
// data, or the output of EXPLAIN, which ends where the next tree or other text
// begins; headers and other text before the tree are passed over. n is the
// number of bytes consumed. The error is ErrNoPlan if data holds no tree.
func (p *Parser) Text(data []byte, opt Options) (*record.Plan, int, error) {
	p.reset(data, opt)
	stack := p.text.stack[:0]
	p.text = textState{stack: stack, labelIndent: -1, workerAt: -1}
	if bytes.HasPrefix(data, bom) {
		p.pos = len(bom)
	}
	p.text.tabs = p.pos < len(data) && data[p.pos] == '\t'
	message := p.isMessage()
	var found bool
	if message {
		found = p.findTree()
	} else {
		found = p.findRoot()
	}
	if !found {
		return nil, len(data), fmt.Errorf("line %d: %w", opt.fileLine(0), ErrNoPlan)
	}
	p.tree(message)
	if p.err != nil {
		return nil, p.errPos, p.err
	}
	p.inferGroups()
	p.finish()
	return &p.plan, p.pos, nil
}

// line is one line of text.
type line struct {
	start  int    // offset in data
	end    int    // offset of the next line
	indent int    // leading spaces
	text   []byte // without indentation, end of line and trailing spaces
}

// lineFrom reads the line at offset.
func (p *Parser) lineFrom(offset int) line {
	l := line{start: offset, end: len(p.data)}
	text := p.data[offset:]
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		text, l.end = text[:i], offset+i+1
	}
	if p.text.tabs && len(text) > 0 && text[0] == '\t' {
		text = text[1:]
	}
	for l.indent < len(text) && text[l.indent] == ' ' {
		l.indent++
	}
	l.text = text[l.indent:]
	for n := len(l.text); n > 0 && (l.text[n-1] == ' ' || l.text[n-1] == '\r'); n-- {
		l.text = l.text[:n-1]
	}
	return l
}

// logicalLine reads the line at offset and, if it ends inside quotes, the
// lines that follow up to the closing quote: a constant or a name may hold line
// breaks. A quote that is not closed within maxJoin lines is none.
func (p *Parser) logicalLine(offset int) line {
	l := p.lineFrom(offset)
	quote := openQuote(l.text, 0)
	if quote == 0 || bytes.HasPrefix(l.text, []byte("CTE ")) || bytes.HasPrefix(l.text, []byte("Trigger ")) {
		return l // names there are printed without quotes of their own
	}
	joined := append(p.joined[:0], l.text...)
	for end, n := l.end, 0; end < len(p.data) && n < maxJoin; n++ {
		more := p.lineFrom(end)
		joined = append(joined, '\n')
		joined = append(joined, p.data[more.start:more.end]...)
		joined = bytes.TrimRight(joined, "\r\n")
		end = more.end
		if quote = openQuote(p.data[more.start:more.end], quote); quote == 0 {
			p.joined = joined
			l.text, l.end = joined, end
			break
		}
	}
	return l
}

// openQuote is the quote that text ends in, 0 if none; quote is the one that it
// begins in. A doubled quote closes and opens again.
func openQuote(text []byte, quote byte) byte {
	if quote == 0 && bytes.IndexByte(text, '\'') < 0 && bytes.IndexByte(text, '"') < 0 {
		return 0
	}
	for _, c := range text {
		switch {
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case quote == c:
			quote = 0
		}
	}
	return quote
}

// isMessage tells auto_explain's message from the output of EXPLAIN.
func (p *Parser) isMessage() bool {
	return bytes.HasPrefix(p.lineFrom(p.pos).text, queryLabel)
}

// findTree finds where the query text ends and the tree begins. The query may
// quote a plan itself, so the tree begins at the last line that could be a root
// after which everything is indented or belongs behind a tree. If no line is
// followed so, it is the last one that could be a root.
func (p *Parser) findTree() bool {
	query := p.pos
	root, other, parameters := -1, -1, -1
	for offset := query; offset < len(p.data); {
		l := p.lineFrom(offset)
		switch {
		case l.indent > 0 || len(l.text) == 0 || isTail(l.text):
		case isRoot(l.text, true):
			root, other = offset, offset
		case bytes.HasPrefix(l.text, []byte("Query Parameters: ")):
			root, parameters = -1, offset
		default:
			root = -1
		}
		offset = l.end
	}
	if root < 0 {
		root = other
	}
	if root < 0 {
		return false
	}
	end := root
	if parameters >= 0 && parameters < root {
		p.plan.QueryParameters = string(p.body(parameters, root, "Query Parameters: "))
		end = parameters
	}
	p.plan.QueryText = p.interns.string(p.body(query, end, "Query Text:"))
	p.pos = root
	return true
}

// body is the value between two offsets that begins with label, without the
// TABs of continuation lines.
func (p *Parser) body(from, to int, label string) []byte {
	text := p.data[from:to]
	if p.text.tabs {
		out := p.scratch[:0]
		for line := range bytes.Lines(text) {
			out = append(out, bytes.TrimPrefix(line, []byte{'\t'})...)
		}
		p.scratch, text = out, out
	}
	return bytes.TrimSpace(bytes.TrimPrefix(text, []byte(label)))
}

// findRoot finds the next tree of EXPLAIN output. A root without costs and
// figures is believed at the start and after a header only.
func (p *Parser) findRoot() bool {
	bare := true
	for p.pos < len(p.data) {
		l := p.lineFrom(p.pos)
		if isRoot(l.text, !bare) {
			p.text.base, p.start = l.indent, p.pos
			return true
		}
		if rest, ok := cutFragment(l.text); ok && bare {
			p.text.base, p.start = l.indent+len(l.text)-len(rest), p.pos
			return true
		}
		bare = bare && len(l.text) == 0 || isHeader(l.text)
		p.pos = l.end
	}
	return false
}

// cutFragment cuts the arrow off a node that is the root of a part of a tree.
func cutFragment(text []byte) (rest []byte, ok bool) {
	rest, ok = bytes.CutPrefix(text, arrow)
	rest = bytes.TrimLeft(rest, " ")
	return rest, ok && isRoot(rest, true)
}

// isHeader tells psql's "QUERY PLAN" and the rule below it.
func isHeader(text []byte) bool {
	return string(text) == "QUERY PLAN" || len(text) > 0 && len(bytes.Trim(text, "-")) == 0
}

// tree reads the lines from the root at pos to the end of the plan.
func (p *Parser) tree(message bool) {
	first, blank := true, false
	for p.pos < len(p.data) {
		l := p.logicalLine(p.pos)
		indent := l.indent - p.text.base
		switch {
		case len(l.text) == 0:
			blank = true
		case first:
			root, _ := bytes.CutPrefix(l.text, arrow)
			p.textNode(bytes.TrimLeft(root, " "), 0, l.start)
		case indent <= 0 && bytes.HasPrefix(l.text, arrow):
			p.fail("a node that is not indented: its place in the tree is lost")
		case !message && (indent < 0 || indent == 0 && !isTail(l.text) && (blank || !isForeignTail(l.text))):
			return
		case indent <= 0:
			p.tailLine(l.text)
		case p.text.section != keyUnknown:
			p.sectionLine(l.text)
		default:
			p.treeLine(l, indent)
		}
		if p.err != nil {
			return
		}
		first = first && len(l.text) == 0
		p.pos = l.end
	}
}

// treeLine reads an indented line: a node, the label of a subplan, or a
// property of a node or worker.
func (p *Parser) treeLine(l line, indent int) {
	t := &p.text
	if rest, ok := bytes.CutPrefix(l.text, arrow); ok {
		for len(t.stack) > 1 && t.stack[len(t.stack)-1].indent > indent {
			t.stack = t.stack[:len(t.stack)-1]
		}
		t.workerAt = -1
		rest = bytes.TrimLeft(rest, " ")
		p.textNode(rest, indent+len(l.text)-len(rest), l.start)
		return
	}
	if isLabel(l.text) {
		t.label, t.labelIndent, t.workerAt = p.interns.string(l.text), indent, -1
		return
	}
	for len(t.stack) > 1 && t.stack[len(t.stack)-1].indent > indent {
		t.stack = t.stack[:len(t.stack)-1]
	}
	p.property(t.stack[len(t.stack)-1].node, l.text, indent)
}

// isLabel tells the line above a subplan's node.
func isLabel(text []byte) bool {
	for _, prefix := range [...]string{"CTE ", "InitPlan ", "SubPlan "} {
		if bytes.HasPrefix(text, []byte(prefix)) {
			return true
		}
	}
	return false
}
