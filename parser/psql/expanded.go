package psql

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/pgassay/pgassay/parser/explain"
)

// isRecord tells the line above a record of expanded output: "-[ RECORD 1 ]--",
// "* Record 1", or with outer borders, the word in any language.
func isRecord(text []byte) bool {
	_, ok := recordBorder(text)
	return ok
}

// recordBorder is the border that a record's line belongs to.
func recordBorder(text []byte) (border int, ok bool) {
	text = bytes.TrimRight(text, " ")
	if rest, ok := bytes.CutPrefix(text, []byte("* ")); ok {
		word, number, ok := bytes.Cut(rest, []byte{' '})
		return 0, ok && len(word) > 0 && isNumber(number)
	}
	border = 1
	r, size := utf8.DecodeRune(text)
	if strings.ContainsRune(cornerRunes, r) {
		border, text = 2, text[size:]
		r, size = utf8.DecodeRune(text)
	}
	if len(text) == 0 || !strings.ContainsRune(ruleRunes, r) {
		return 0, false
	}
	rest, isOpen := bytes.CutPrefix(text[size:], []byte("[ "))
	inside, _, isClosed := bytes.Cut(rest, []byte(" ]"))
	i := bytes.LastIndexByte(inside, ' ')
	return border, isOpen && isClosed && i > 0 && isNumber(inside[i+1:])
}

func isNumber(text []byte) bool {
	return len(text) > 0 && len(bytes.Trim(text, "0123456789")) == 0
}

// expanded reads a frame of expanded output that begins at the first line.
func expanded(lines []explain.Line) (table, bool) {
	border, ok := recordBorder(lines[0].Text)
	if !ok {
		return table{}, false
	}
	e := expandedFrame{border: border, columns: make(map[string]int)}
	e.style = "expanded"
	i := 0
	for ; i < len(lines); i++ {
		text := lines[i].Text
		if isRecord(text) {
			if i > 0 && e.column < 0 {
				break // a record without content
			}
			e.begin(text)
			continue
		}
		if _, rule := isBarOrRule(text); border == 2 && rule || isFooter(text) {
			i++
			break
		}
		if !e.line(lines[i]) {
			break
		}
	}
	e.size = i
	return e.table, len(e.columns) > 0
}

// expandedFrame collects the records of one frame.
type expandedFrame struct {
	table
	border    int
	wide      int // columns of the record's line
	separator int // terminal column of the line between name and value, −1 before it is known
	columns   map[string]int
	column    int // being read
	wrapped   bool
}

// begin begins a record.
func (e *expandedFrame) begin(text []byte) {
	e.wide, e.separator, e.column, e.wrapped = width(text), -1, -1, false
}

// line reads one line of a record; false if it is none.
func (e *expandedFrame) line(at explain.Line) bool {
	name, value, ok := e.cut(at.Text)
	if !ok || name == "" && e.column < 0 {
		return false
	}
	p := e.piece(value)
	if name != "" {
		e.begins(name)
	}
	c := &e.table.columns[e.column]
	last := &c.cells[len(c.cells)-1]
	if n := len(*last); n > 0 && name == "" && (e.wrapped || p.joins) {
		l := &(*last)[n-1]
		l.Text = append(bytes.Clone(l.Text), p.text...)
	} else {
		*last = append(*last, explain.Line{Text: p.text, Number: at.Number, Offset: at.Offset})
	}
	e.wrapped = p.wraps
	return true
}

// begins begins the value of a column.
func (e *expandedFrame) begins(name string) {
	i, ok := e.columns[name]
	if !ok {
		i = len(e.table.columns)
		e.columns[name] = i
		e.table.columns = append(e.table.columns, column{title: name})
	}
	e.column = i
	e.table.columns[i].cells = append(e.table.columns[i].cells, nil)
}

// cut cuts a line into the name, "" if the line continues a value, and what
// stands behind the separator.
func (e *expandedFrame) cut(text []byte) (name string, value []byte, ok bool) {
	if e.border == 2 {
		size, ok := isBar(text)
		if !ok {
			return "", nil, false
		}
		text = append([]byte{' '}, text[size:]...) // the bar may be wider in bytes
		for _, bar := range strings.Split(barRunes, "") {
			text = bytes.TrimSuffix(text, []byte(bar))
		}
	}
	if e.separator < 0 {
		if e.separator = e.findSeparator(text); e.separator < 0 {
			return "", nil, false
		}
	}
	i := offsetOf(text, e.separator)
	if i >= len(text) {
		return "", nil, false
	}
	if e.border > 0 {
		r, size := utf8.DecodeRune(text[i:])
		if !strings.ContainsRune(barRunes+":;", r) {
			return "", nil, false
		}
		value = text[i+size:]
		if r == ':' || r == ';' { // old-ascii marks the separator itself
			value = append([]byte(string(r)), bytes.TrimPrefix(value, []byte{' '})...)
		}
	} else {
		value = text[i:]
	}
	return string(bytes.TrimSpace(text[:i])), value, true
}

// findSeparator is the terminal column of the separator in the first line of a
// record. Without borders nothing separates the name, so it must be known.
func (e *expandedFrame) findSeparator(text []byte) int {
	if e.border == 0 {
		if bytes.HasPrefix(text, []byte(queryPlan+" ")) {
			return len(queryPlan)
		}
		return -1
	}
	for i, r := range string(text) {
		if strings.ContainsRune(barRunes, r) {
			return width(text[:i])
		}
	}
	return -1
}

// piece takes the marks off what stands behind the separator.
func (e *expandedFrame) piece(value []byte) piece {
	var pad, mark rune
	if r, size := utf8.DecodeRune(value); len(value) > 0 {
		pad, value = r, value[size:]
	}
	at := e.markColumn()
	if e.border > 0 {
		at--
	}
	at -= e.separator + 1 // of the value
	last, size := utf8.DecodeLastRune(value)
	n := width(value[:len(value)-min(size, len(value))])
	switch {
	case len(value) == 0:
	case isMark(last) && (n == at || !isASCII(value[:len(value)-size]) && n > at-3):
		mark, value = last, value[:len(value)-size]
	case last == ' ' && n == at:
		value = value[:len(value)-size]
	}
	return cutMarks(value, pad, mark)
}

// markColumn is the terminal column where marks stand. The line of a record is
// shorter than its values without outer borders, and includes them otherwise.
func (e *expandedFrame) markColumn() int {
	switch e.border {
	case 0:
		return e.wide + 1
	case 1:
		return e.wide
	default:
		return e.wide - 2
	}
}
