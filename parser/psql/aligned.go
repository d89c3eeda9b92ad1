package psql

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/pgassay/pgassay/parser/explain"
)

// Characters of psql's frames: ascii, and unicode with single and double lines.
const (
	ruleRunes   = "-─═"
	cornerRunes = "+┼├┤┌┐└┘┬┴╬╠╣╔╗╚╝╦╩╪╞╡╫╟╢╤╧╥╨╒╕╘╛╓╖╙╜"
	barRunes    = "|│║"
)

// segment is where a column of a frame begins and ends, in terminal columns.
type segment struct{ from, to int }

// cutRule tells a rule of a frame, the columns it spans, and whether it has
// corners at its ends.
func cutRule(text []byte) (columns []segment, closed, ok bool) {
	text = bytes.TrimRight(text, " ")
	column, start, lines := 0, -1, 0
	for i, r := range string(text) {
		switch {
		case strings.ContainsRune(ruleRunes, r):
			lines++
			if start < 0 {
				start = column
			}
		case strings.ContainsRune(cornerRunes, r) || r == ' ' && i > 0:
			closed = closed || i == 0
			if start >= 0 {
				columns = append(columns, segment{start, column})
			}
			start = -1
		default:
			return nil, false, false
		}
		column++
	}
	if start >= 0 {
		columns = append(columns, segment{start, column})
	}
	return columns, closed, lines > 0 && len(columns) > 0
}

// isBar tells whether text begins with a vertical line, and its size.
func isBar(text []byte) (size int, ok bool) {
	r, size := utf8.DecodeRune(text)
	return size, len(text) > 0 && strings.ContainsRune(barRunes, r)
}

// alignedFrame is the geometry of a frame.
type alignedFrame struct {
	columns []segment
	border  int
}

// aligned reads a frame of format aligned or wrapped that begins at the first
// line.
func aligned(lines []explain.Line) (table, bool) {
	at := 0
	if _, closed, ok := cutRule(lines[0].Text); ok {
		if !closed {
			return table{}, false
		}
		at = 1
	}
	if at+1 >= len(lines) {
		return table{}, false
	}
	columns, closed, ok := cutRule(lines[at+1].Text)
	if !ok || closed != (at == 1) || len(bytes.TrimSpace(lines[at].Text)) == 0 {
		return table{}, false
	}
	f := alignedFrame{columns: columns, border: 2}
	if !closed {
		f.border = borderOf(lines[at+2:])
	}
	titles := f.titles(lines[at].Text)
	if f.border < 2 && len(titles) == 1 && titles[0] != queryPlan && (f.border == 0 || lines[at].Text[0] != ' ') {
		return table{}, false // a heading with a line under it
	}
	b := newBuilder(titles, "aligned")
	b.size = at + 2 + f.rows(b, lines[at+2:])
	return b.table, true
}

// borderOf tells border 1, which has a column before the text, from 0.
func borderOf(rows []explain.Line) int {
	for i := range rows {
		text := rows[i].Text
		if len(bytes.TrimSpace(text)) == 0 || isFooter(text) {
			break
		}
		if _, ok := leftMark(text); !ok {
			return 0
		}
	}
	return 1
}

// leftMark is what stands in the column before the text: a blank or one of
// psql's marks.
func leftMark(text []byte) (rune, bool) {
	r, _ := utf8.DecodeRune(text)
	switch r {
	case ' ', ':', ';', '.', '…':
		return r, true
	}
	return 0, false
}

func (f *alignedFrame) titles(header []byte) []string {
	titles := make([]string, len(f.columns))
	for i, p := range f.pieces(header) {
		titles[i] = strings.Trim(string(p.text), " "+barRunes)
	}
	if len(f.columns) == 1 {
		titles[0] = strings.Trim(string(header), " "+barRunes)
	}
	return titles
}

// rows reads the rows below the header and counts the lines, footer included.
func (f *alignedFrame) rows(b *builder, lines []explain.Line) int {
	for i := range lines {
		text := lines[i].Text
		_, isRule := isBarOrRule(text)
		switch {
		case isFooter(text):
			return i + 1
		case f.border == 2 && isRule:
			if i+1 == len(lines) {
				return i + 1
			}
			if _, more := isBar(lines[i+1].Text); !more { // border 3 rules each row
				return i + 1 + footer(lines[i+1:])
			}
			continue
		case f.border == 2:
			if _, ok := isBar(text); !ok {
				return i
			}
		case len(bytes.TrimSpace(text)) == 0 && !b.open:
			return i
		case f.border == 1 && !b.open:
			if _, ok := leftMark(text); !ok {
				return i
			}
		case isRecord(text):
			return i
		}
		b.add(f.pieces(text), lines[i])
	}
	return len(lines)
}

// isBarOrRule tells the lines of a frame with outer borders.
func isBarOrRule(text []byte) (bar, rule bool) {
	if _, ok := isBar(text); ok {
		return true, false
	}
	_, closed, ok := cutRule(text)
	return false, ok && closed
}

// pieces cuts a line into what it holds of each column.
func (f *alignedFrame) pieces(text []byte) []piece {
	if f.border == 2 {
		for _, bar := range strings.Split(barRunes, "") {
			if cut, ok := bytes.CutSuffix(bytes.TrimRight(text, " "), []byte(bar)); ok {
				text = cut
				break
			}
		}
	}
	pieces := make([]piece, len(f.columns))
	for i, c := range f.columns {
		from := offsetOf(text, c.from)
		to := len(text)
		if i+1 < len(f.columns) {
			to = offsetOf(text, c.to)
			if f.border == 0 {
				to = min(len(text), offsetOf(text, c.to+1))
			}
		}
		pieces[i] = cutPiece(text[from:max(from, to)], c.to-c.from, f.border)
	}
	return pieces
}

// cutPiece takes the columns before and behind the text of a cell off; wide is
// the width of the frame's column.
func cutPiece(text []byte, wide, border int) piece {
	var pad, mark rune
	at := wide // where the mark stands
	if border > 0 {
		r, size := utf8.DecodeRune(text)
		if len(text) > 0 {
			pad, text = r, text[size:]
		}
		at -= 2
	}
	last, size := utf8.DecodeLastRune(text)
	n := width(text[:len(text)-min(size, len(text))])
	if len(text) > 0 && isMark(last) && (n == at || !isASCII(text[:len(text)-size]) && n > at-3) {
		mark, text = last, text[:len(text)-size]
	} else if n == at && last == ' ' {
		text = text[:len(text)-size] // where a mark would stand
	}
	return cutMarks(text, pad, mark)
}

func isASCII(text []byte) bool {
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isFooter tells the line below a table: "(12 rows)" in any language.
func isFooter(text []byte) bool {
	text = bytes.TrimSpace(text)
	if len(text) < 4 || text[0] != '(' || text[1]-'0' > 9 || text[len(text)-1] != ')' {
		return false
	}
	number, word, ok := bytes.Cut(text[1:len(text)-1], []byte{' '})
	return ok && len(bytes.Trim(number, "0123456789")) == 0 && !bytes.ContainsAny(word, " ()=,:")
}

// footer is 1 if the first line is a footer.
func footer(lines []explain.Line) int {
	if len(lines) > 0 && isFooter(lines[0].Text) {
		return 1
	}
	return 0
}
