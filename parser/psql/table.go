package psql

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// queryPlan is the title of EXPLAIN's column, in every language.
const queryPlan = "QUERY PLAN"

// table is what stood in one frame.
type table struct {
	columns []column
	size    int // lines of the frame
	style   string
}

// column has one cell for each row.
type column struct {
	title string
	cells []cell
}

// cell is the text of a cell. A line that psql wrapped is one line again.
type cell []explain.Line

// text is the lines of all rows, one after the other: EXPLAIN's text format has
// a row for each line.
func (c *column) text() []explain.Line {
	var lines []explain.Line
	for _, cell := range c.cells {
		lines = append(lines, cell...)
	}
	return lines
}

// hasPlan tells whether a plan may be in the table. A single column of any title
// may be what a function made of EXPLAIN.
func (t *table) hasPlan() bool {
	for i := range t.columns {
		c := &t.columns[i]
		if c.title == queryPlan {
			return true
		}
		for _, cell := range c.cells {
			if explain.IsPlan(cell) {
				return true
			}
		}
	}
	return false
}

// read appends the plans of the table to b.
func (t *table) read(h *source.Head, file string, b *record.Batch) {
	for i := range t.columns {
		c := &t.columns[i]
		if c.title == queryPlan || len(t.columns) == 1 {
			explain.Read(h, c.text(), file, b)
			continue
		}
		for _, cell := range c.cells {
			if explain.IsPlan(cell) {
				explain.Read(h, cell, file, b)
			}
		}
	}
}

// builder collects the cells of a table line by line.
type builder struct {
	table
	open    bool // the row goes on in the next line
	wrapped []bool
}

func newBuilder(titles []string, style string) *builder {
	b := &builder{wrapped: make([]bool, len(titles))}
	b.style = style
	for _, t := range titles {
		b.columns = append(b.columns, column{title: t})
	}
	return b
}

// piece is what one line of the frame holds of a cell.
type piece struct {
	text      []byte
	goesOn    bool // a mark says that the cell has more lines
	wraps     bool // a mark says that the line itself goes on
	continues bool // a mark says that the line goes on with the cell above
	joins     bool // a mark says that it goes on with the line above
}

// add adds one line of the frame: a piece for each column.
func (b *builder) add(pieces []piece, at explain.Line) {
	next := b.open
	b.open = false
	for _, p := range pieces {
		next = next || p.continues || p.joins
		b.open = b.open || p.goesOn || p.wraps
	}
	for i, p := range pieces {
		c := &b.columns[i]
		if !next || len(c.cells) == 0 {
			c.cells = append(c.cells, nil)
		}
		last := &c.cells[len(c.cells)-1]
		if n := len(*last); n > 0 && (b.wrapped[i] || p.joins) {
			l := &(*last)[n-1]
			l.Text = append(bytes.Clone(l.Text), p.text...)
		} else if len(p.text) > 0 || p.goesOn || len(*last) == 0 || !next {
			*last = append(*last, explain.Line{Text: p.text, Number: at.Number, Offset: at.Offset})
		}
		b.wrapped[i] = p.wraps
	}
}

// cutMarks makes the piece of a cell of its text and psql's marks: pad is the
// column before the text, mark the one behind it, 0 if there is none. Blanks at
// the end stay: old-ascii does not mark where it wraps on, so that they may be
// part of the text.
func cutMarks(text []byte, pad, mark rune) piece {
	p := piece{text: text}
	switch mark {
	case '+', '↵':
		p.goesOn = true
	case '.', '…':
		p.wraps = true
	}
	switch pad {
	case ':':
		p.continues = true
	case '.', ';', '…':
		p.joins = true
	}
	if p.goesOn {
		p.text = bytes.TrimRight(p.text, " ")
	}
	return p
}

func isMark(r rune) bool { return r == '+' || r == '↵' || r == '.' || r == '…' }
