package explain

import (
	"bytes"
	"fmt"

	"github.com/pgassay/pgassay/parser/record"
)

// XML reads one plan: the <Query> of EXPLAIN (FORMAT XML), or the <explain> of
// auto_explain, which has no <Query> but <Query-Text>. n is the number of bytes
// consumed; after an error it is the place of the damage. Cut input and errors
// are as for JSON.
//
// The elements are rewritten as JSON, line by line, and read by the JSON
// reader, so that both formats give the same plan.
func (p *Parser) XML(data []byte, opt Options) (plan *record.Plan, n int, err error) {
	x := xmlScanner{data: data, out: p.converted[:0]}
	x.tabs = startsWithTab(data)
	err = x.convert()
	p.converted = x.out
	switch {
	case x.foreign != "":
		return nil, x.pos, &ForeignError{x.foreign, opt.fileLine(0)}
	case err != nil:
		line := opt.fileLine(bytes.Count(data[:x.pos], newline))
		return nil, x.pos, fmt.Errorf("line %d: %w", line, err)
	}
	plan, _, err = p.JSON(p.converted, opt)
	return plan, x.pos, err
}

// startsWithTab tells the continuation lines of a log entry: the line of the
// first character begins with a TAB.
func startsWithTab(data []byte) bool {
	content := len(data) - len(bytes.TrimLeft(data, " \t\r\n"))
	line := bytes.LastIndexByte(data[:content], '\n') + 1
	return line < len(data) && data[line] == '\t'
}

// maxElements is how deep elements may nest: two to a node.
const maxElements = 2*maxDepth + 100

// xmlScanner rewrites one plan as JSON. Line breaks keep their places, so that
// lines can be counted in either.
type xmlScanner struct {
	data    []byte
	pos     int
	out     []byte
	tabs    bool
	foreign string
	stack   []xmlElement
	value   int // where the content of the innermost element begins
}

// xmlElement is an open element. Its bracket is written when its first child
// tells whether it is a list: 0 before.
type xmlElement struct {
	name     []byte
	bracket  byte
	children bool
	item     bool // of a list
	sorts    bool // has the full-sort groups of an incremental sort
}

// sortGroups is the tag of both groups of an incremental sort, which JSON tells
// apart: first the full-sort groups, then the pre-sorted ones.
const sortGroups = "Incremental-Sort-Groups"

// convert reads up to the end of the plan's element. Input that ends before
// leaves the JSON open.
func (x *xmlScanner) convert() error {
	if !x.root() {
		return ErrNoPlan
	}
	for len(x.stack) > 0 {
		i := bytes.IndexByte(x.data[x.pos:], '<')
		if i < 0 {
			x.pos = len(x.data)
			return nil
		}
		x.pos += i
		if x.skipMarkup() {
			continue
		}
		tag, closing, empty := x.tag()
		var err error
		switch {
		case tag == nil:
			x.pos = len(x.data) // the input ends inside a tag
			return nil
		case closing:
			err = x.close(tag)
		default:
			err = x.open(tag, empty)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// root finds the element that holds the plan and opens its object.
func (x *xmlScanner) root() bool {
	for {
		i := bytes.IndexByte(x.data[x.pos:], '<')
		if i < 0 {
			return false
		}
		x.lines(x.pos, x.pos+i)
		x.pos += i
		start := x.pos
		if x.skipMarkup() {
			x.lines(start, x.pos)
			continue
		}
		tag, closing, _ := x.tag()
		switch {
		case tag == nil:
			return false
		case closing:
			continue
		case string(tag) == "explain" && x.next() == "Query":
			continue
		case string(tag) == "explain", string(tag) == "Query", string(tag) == "Plan":
			x.stack = append(x.stack, xmlElement{name: tag, bracket: '{'})
			x.out = append(x.out, '{')
			x.value = x.pos
			return true
		case string(tag) == "ShowPlanXML":
			x.foreign = "SQL Server"
			return false
		default:
			return false
		}
	}
}

// next is the name of the next element, "" if none begins.
func (x *xmlScanner) next() string {
	y := xmlScanner{data: x.data, pos: x.pos}
	for {
		i := bytes.IndexByte(y.data[y.pos:], '<')
		if i < 0 {
			return ""
		}
		y.pos += i
		if !y.skipMarkup() {
			tag, _, _ := y.tag()
			return string(tag)
		}
	}
}

// skipMarkup passes over a comment, a character section, an instruction or a
// declaration at pos; what is not closed ends the input.
func (x *xmlScanner) skipMarkup() bool {
	rest := x.data[x.pos:]
	if len(rest) < 2 || rest[1] != '!' && rest[1] != '?' {
		return false
	}
	for _, m := range [...]struct{ open, close string }{
		{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}, {"<!", ">"},
	} {
		if !bytes.HasPrefix(rest, []byte(m.open)) {
			continue
		}
		end := bytes.Index(rest, []byte(m.close))
		if end < 0 {
			x.pos = len(x.data)
		} else {
			x.pos += end + len(m.close)
		}
		return true
	}
	return false
}

// tag reads the tag at pos and returns its name without prefix; nil if the
// input ends inside it.
func (x *xmlScanner) tag() (name []byte, closing, empty bool) {
	end := bytes.IndexByte(x.data[x.pos:], '>')
	if end < 0 {
		return nil, false, false
	}
	inside := x.data[x.pos+1 : x.pos+end]
	x.pos += end + 1
	inside, closing = bytes.CutPrefix(inside, []byte{'/'})
	inside, empty = bytes.CutSuffix(inside, []byte{'/'})
	start := 0
	for i, c := range inside {
		if c <= ' ' {
			inside = inside[:i]
			break
		}
		if c == ':' {
			start = i + 1
		}
	}
	inside = inside[start:]
	if len(inside) == 0 {
		inside = []byte{'_'} // no name of EXPLAIN's
	}
	return inside, closing, empty
}

// open begins an element inside another one.
func (x *xmlScanner) open(tag []byte, empty bool) error {
	if len(x.stack) >= maxElements {
		return fmt.Errorf("more than %d elements in each other", maxElements)
	}
	parent := &x.stack[len(x.stack)-1]
	if parent.bracket == 0 { // on the line of its own tag
		parent.bracket = '{'
		if string(tag) == "Item" || string(parent.name) == string(tag)+"s" {
			parent.bracket = '['
		}
		x.out = append(x.out, parent.bracket)
	}
	x.lines(x.value, x.pos)
	if parent.children {
		x.out = append(x.out, ',')
	}
	parent.children = true
	if parent.bracket == '{' {
		x.out = append(x.out, '"')
		x.out = appendTagKey(x.out, tag, parent.sorts)
		x.out = append(x.out, '"', ':')
		parent.sorts = parent.sorts || string(tag) == sortGroups
	}
	x.value = x.pos
	if empty {
		x.out = append(x.out, "null"...)
		return nil
	}
	x.stack = append(x.stack, xmlElement{name: tag, item: parent.bracket == '['})
	return nil
}

// close ends the innermost element.
func (x *xmlScanner) close(tag []byte) error {
	top := x.stack[len(x.stack)-1]
	if string(top.name) != string(tag) {
		return fmt.Errorf("<%.40s> is closed by </%.40s>", top.name, tag)
	}
	x.stack = x.stack[:len(x.stack)-1]
	end := bytes.LastIndexByte(x.data[:x.pos], '<')
	switch text := x.data[x.value:end]; {
	case top.bracket == 0 && len(bytes.TrimSpace(text)) == 0 && bytes.IndexByte(text, '\n') >= 0:
		x.out = append(x.out, '[', ']')
		x.lines(x.value, end)
	case top.bracket == 0 && !top.item && isBare(text):
		x.out = append(x.out, text...)
	case top.bracket == 0:
		x.out = append(x.out, '"')
		x.text(text)
		x.out = append(x.out, '"')
	default:
		x.lines(x.value, end)
		x.out = append(x.out, top.bracket+2) // '{' and '}', '[' and ']'
	}
	x.value = x.pos
	return nil
}

// lines copies the line breaks between two offsets.
func (x *xmlScanner) lines(from, to int) {
	for range bytes.Count(x.data[from:to], newline) {
		x.out = append(x.out, '\n')
	}
}
