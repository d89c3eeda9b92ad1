package psql

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/explain"
)

// unaligned reads EXPLAIN's output in format unaligned or csv that begins at the
// first line: the title alone, then the text up to the footer, the next title or
// the end.
func unaligned(lines []explain.Line) (table, bool) {
	title := bytes.TrimSpace(lines[0].Text)
	if string(title) != queryPlan && string(title) != `"`+queryPlan+`"` {
		return table{}, false
	}
	t := table{columns: []column{{title: queryPlan}}, style: "unaligned"}
	t.size = 1
	for t.size < len(lines) {
		l := lines[t.size]
		if isFooter(l.Text) {
			t.size++
			break
		}
		if isTitle(l.Text) || isRecord(l.Text) {
			break
		}
		value, n, isCell := cutValue(lines[t.size:], l.Text)
		if isCell {
			t.style = "csv"
		}
		t.columns[0].cells = append(t.columns[0].cells, value)
		t.size += n
	}
	return t, true
}

func isTitle(text []byte) bool {
	return string(bytes.Trim(bytes.TrimSpace(text), `"`)) == queryPlan
}

// unalignedExpanded reads the same with \x: each record is the title, the field
// separator and the value, and goes on up to a blank line or the next record.
func unalignedExpanded(lines []explain.Line) (table, bool) {
	if _, ok := cutTitle(lines[0].Text); !ok {
		return table{}, false
	}
	t := table{columns: []column{{title: queryPlan}}, style: "unaligned expanded"}
	c := &t.columns[0]
	for t.size < len(lines) {
		text := lines[t.size].Text
		rest, isTitle := cutTitle(text)
		switch {
		case isTitle:
			value, n, _ := cutValue(lines[t.size:], rest)
			c.cells = append(c.cells, value)
			t.size += n
			continue
		case len(bytes.TrimSpace(text)) == 0:
			if t.size+1 == len(lines) {
				return t, true
			}
			if _, more := cutTitle(lines[t.size+1].Text); !more {
				return t, true
			}
		default:
			last := &c.cells[len(c.cells)-1]
			*last = append(*last, lines[t.size])
		}
		t.size++
	}
	return t, true
}

// cutTitle cuts the title and the field separator.
func cutTitle(text []byte) (rest []byte, ok bool) {
	rest, ok = bytes.CutPrefix(text, []byte(queryPlan))
	if !ok || len(rest) == 0 || bytes.IndexByte([]byte("|,;\t~^"), rest[0]) < 0 {
		return nil, false
	}
	return rest[1:], true
}

// cutValue reads one value that begins with text in the first line: all of the
// line, or what the quotes of CSV enclose. n is the number of its lines.
func cutValue(lines []explain.Line, text []byte) (value cell, n int, quoted bool) {
	if len(text) == 0 || text[0] != '"' {
		l := lines[0]
		l.Text = text
		return cell{l}, 1, false
	}
	value, n, _ = explain.CutCell(lines, text[1:])
	return value, n, true
}

// marked reads a cell of format aligned without its header, as with \t: its
// lines end in marks that stand one below the other.
func marked(lines []explain.Line) (table, bool) {
	const least = 2
	wide := width(lines[0].Text)
	n := 0
	for n < len(lines) && isMarked(lines[n].Text, wide) {
		n++
	}
	if n < least {
		return table{}, false
	}
	b := newBuilder([]string{""}, "aligned")
	for _, l := range lines[:n] {
		mark := []byte{'+'}
		if !bytes.HasSuffix(l.Text, mark) {
			mark = []byte("↵")
		}
		b.add([]piece{{text: bytes.TrimRight(bytes.TrimSuffix(l.Text, mark), " "), goesOn: true}}, l)
	}
	if n < len(lines) { // else the text is cut
		b.add([]piece{{text: bytes.TrimRight(lines[n].Text, " ")}}, lines[n])
		n++
	}
	b.size = n
	return b.table, true
}

func isMarked(text []byte, wide int) bool {
	return (bytes.HasSuffix(text, []byte{'+'}) || bytes.HasSuffix(text, []byte("↵"))) && width(text) == wide
}
