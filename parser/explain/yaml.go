package explain

import (
	"bytes"
	"fmt"

	"github.com/pgassay/pgassay/parser/record"
)

// YAML reads one plan: an element "- Plan:" of EXPLAIN (FORMAT YAML), or the
// mapping of auto_explain, which has no hyphen. n is the number of bytes
// consumed: up to the next element or to the first line that is not YAML of
// this plan. Cut input and errors are as for JSON.
//
// The lines are rewritten as JSON and read by the JSON reader, so that both
// formats give the same plan. Of YAML it knows what EXPLAIN prints and what
// common libraries make of it: quoted, plain, folded and block scalars, lists
// indented or not, one-line lists and objects in JSON's notation.
func (p *Parser) YAML(data []byte, opt Options) (plan *record.Plan, n int, err error) {
	y := yamlScanner{data: data, out: p.converted[:0], tabs: startsWithTab(data)}
	err = y.convert()
	p.converted = y.out
	if err != nil {
		line := opt.fileLine(bytes.Count(data[:y.pos], newline))
		return nil, y.pos, fmt.Errorf("line %d: %w", line, err)
	}
	plan, _, err = p.JSON(p.converted, opt)
	return plan, y.pos, err
}

// yamlScanner rewrites one plan as JSON. Line breaks keep their places.
type yamlScanner struct {
	data  []byte
	pos   int // of the line to be read next
	out   []byte
	tabs  bool
	stack []yamlLevel
	// pending marks a key or list item that has no value yet, column where it
	// begins.
	pending bool
	column  int
	cut     bool // the input ends inside a value
	dash    bool // the plan is a list element
	seen    bool // "Plan" was read
}

// yamlLevel is an open mapping or list.
type yamlLevel struct {
	column  int
	bracket byte
	filled  bool
}

// convert reads lines up to the end of the plan.
func (y *yamlScanner) convert() error {
	for y.pos < len(y.data) && !y.cut {
		text, column, end := y.line(y.pos)
		switch {
		case len(text) == 0 || text[0] == '#' || len(y.stack) == 0 && isDocumentMark(text):
			y.pos = end
			y.out = append(y.out, '\n')
			continue
		case len(y.stack) == 0:
			if err := y.begin(text, column); err != nil {
				return err
			}
		case y.ends(text, column):
			y.closeAll()
			return nil
		}
		start := y.pos
		y.pos = end
		if err := y.content(text, column); err != nil {
			y.pos = start
			return err
		}
		y.out = append(y.out, '\n')
	}
	if len(y.stack) == 0 {
		return ErrNoPlan
	}
	if !y.cut {
		y.closeAll()
	}
	return nil
}

func isDocumentMark(text []byte) bool {
	return bytes.HasPrefix(text, []byte("---")) || bytes.HasPrefix(text, []byte("%YAML"))
}

// line is the content of the line at offset, its column, and where the next
// line begins.
func (y *yamlScanner) line(offset int) (text []byte, column, end int) {
	text, end = y.data[offset:], len(y.data)
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		text, end = text[:i], offset+i+1
	}
	if y.tabs && len(text) > 0 && text[0] == '\t' {
		text = text[1:]
	}
	for column < len(text) && text[column] == ' ' {
		column++
	}
	return bytes.TrimRight(text[column:], " \t\r"), column, end
}

// begin opens the object of the plan.
func (y *yamlScanner) begin(text []byte, column int) error {
	if rest, ok := cutDash(text); ok {
		y.dash = true
		column += len(text) - len(rest)
		text = rest
	}
	if key, _, ok := cutYAMLKey(text); !ok || len(key) == 0 {
		return ErrNoPlan
	}
	y.stack = append(y.stack, yamlLevel{column, '{', false})
	y.out = append(y.out, '{')
	return nil
}

// ends tells a line behind the plan.
func (y *yamlScanner) ends(text []byte, column int) bool {
	base := y.stack[0].column
	if column > base {
		return false
	}
	if column < base {
		return true
	}
	key, _, ok := cutYAMLKey(text)
	_, dash := cutDash(text)
	switch name := unquoteKey(key); {
	case dash && y.pending && len(y.stack) == 1, dash && len(y.stack) > 1 && y.stack[1].column == base:
		return false // a list that is not indented
	case !ok:
		return true
	default:
		return y.seen && (string(name) == "Plan" || string(name) == "Query Text")
	}
}

// cutDash cuts the hyphen of a list item.
func cutDash(text []byte) (rest []byte, ok bool) {
	if len(text) == 0 || text[0] != '-' || len(text) > 1 && text[1] != ' ' {
		return text, false
	}
	return bytes.TrimLeft(text[1:], " "), true
}

// cutYAMLKey cuts "Key: value" and "Key:"; the key may be quoted.
func cutYAMLKey(text []byte) (key, value []byte, ok bool) {
	if len(text) == 0 || bytes.IndexByte([]byte("[{|>#"), text[0]) >= 0 {
		return nil, nil, false
	}
	at := 0
	if text[0] == '"' || text[0] == '\'' {
		end := quotedEnd(text)
		if end < 0 {
			return nil, nil, false
		}
		at = end
	}
	i := bytes.IndexByte(text[at:], ':')
	for i >= 0 && at+i+1 < len(text) && text[at+i+1] != ' ' {
		at += i + 1
		i = bytes.IndexByte(text[at:], ':')
	}
	if i < 0 || at > 0 && i > 0 && (text[0] == '"' || text[0] == '\'') {
		return nil, nil, false
	}
	return text[:at+i], bytes.TrimLeft(text[at+i+1:], " "), true
}

// quotedEnd is the offset behind the string at the start of text, −1 if it is
// not closed.
func quotedEnd(text []byte) int {
	quote := text[0]
	for i := 1; i < len(text); i++ {
		switch {
		case quote == '"' && text[i] == '\\':
			i++
		case text[i] != quote:
		case quote == '\'' && i+1 < len(text) && text[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return -1
}

// unquoteKey takes the quotes off a key; EXPLAIN's have no escapes.
func unquoteKey(key []byte) []byte {
	if n := len(key); n >= 2 && (key[0] == '"' || key[0] == '\'') {
		return key[1 : n-1]
	}
	return key
}

// content reads one line: hyphens, a key, a value. y.pos is at the next line.
func (y *yamlScanner) content(text []byte, column int) error {
	if y.dash && len(y.stack) == 1 && !y.stack[0].filled {
		text, column = y.afterDash(text, column)
	}
	for {
		rest, ok := cutDash(text)
		if !ok {
			break
		}
		if !y.enter(column, '[') {
			return fmt.Errorf("a list item that belongs to no list")
		}
		y.pending, y.column = true, column
		column += len(text) - len(rest)
		text = rest
	}
	if len(text) == 0 {
		return nil
	}
	key, value, ok := cutYAMLKey(text)
	if ok {
		if !y.enter(column, '{') {
			return fmt.Errorf("a key at column %d that belongs to no object", column+1)
		}
		y.out = append(y.out, '"')
		y.out = appendQuoted(y.out, unquoteKey(key))
		y.out = append(y.out, '"', ':')
		y.pending, y.column = true, column
		text = value
		y.seen = y.seen || len(y.stack) == 1 && string(key) == "Plan"
	}
	if len(text) == 0 {
		return nil
	}
	if !y.pending {
		if y.pos >= len(y.data) {
			y.cut = true // the last line ends inside a key
			return nil
		}
		return fmt.Errorf("expected a key")
	}
	y.scalar(text)
	y.pending = false
	return nil
}

// afterDash passes over the hyphen of the plan itself.
func (y *yamlScanner) afterDash(text []byte, column int) ([]byte, int) {
	rest, _ := cutDash(text)
	return rest, column + len(text) - len(rest)
}

// enter makes the mapping or list at this column the innermost one and begins
// a member of it. It is false if there is none and none can begin.
func (y *yamlScanner) enter(column int, bracket byte) bool {
	for {
		top := &y.stack[len(y.stack)-1]
		if top.column == column && top.bracket == bracket {
			y.absent()
			if top.filled {
				y.out = append(y.out, ',')
			}
			top.filled = true
			return true
		}
		opens := column > top.column || column == top.column && bracket == '[' && top.bracket == '{'
		if opens && y.pending {
			if len(y.stack) >= maxElements {
				return false
			}
			y.stack = append(y.stack, yamlLevel{column, bracket, true})
			y.out = append(y.out, bracket)
			y.pending = false
			return true
		}
		if column > top.column || len(y.stack) == 1 {
			return false
		}
		y.pop()
	}
}

// absent writes the value of a key that has none: EXPLAIN prints empty lists
// so.
func (y *yamlScanner) absent() {
	if y.pending {
		y.out = append(y.out, '[', ']')
		y.pending = false
	}
}

func (y *yamlScanner) pop() {
	y.absent()
	top := y.stack[len(y.stack)-1]
	y.stack = y.stack[:len(y.stack)-1]
	y.out = append(y.out, top.bracket+2) // '{' and '}', '[' and ']'
}

func (y *yamlScanner) closeAll() {
	for len(y.stack) > 0 {
		y.pop()
	}
}
