package xlsx

import (
	"fmt"

	"github.com/pgassay/pgassay/report/view"
	"github.com/xuri/excelize/v2"
)

// kind says how the cells of a column are shown.
type kind uint8

const (
	text kind = iota
	wrapped
	whole
	real
	percent
	moment // date and time, UTC
	// The following are coloured by their values.
	share  // percent with a bar
	excess // a ratio to a limit: near 1, and from 1 on
	heat   // real, from pale to dark
	alarm  // whole: more than none
	state  // text: "no" and "not evaluated"
)

// column is one column of a sheet: a header with the unit, a width in
// characters, a kind.
type column struct {
	title string
	width float64
	kind  kind
}

// table is a sheet of rows under a frozen, filtered header.
type table struct {
	name     string
	columns  []column
	rows     int
	row      func(i int) []any
	lines    int    // that a row may be high; 0 for defaultLines
	printed  int    // columns that are printed; 0 for all
	note     string // for a last row; "" for none
	optional bool   // left out without rows
}

const (
	// maxRows is the number of rows of a sheet; what is beyond is counted in a
	// last row. The format's own limit is 1,048,576.
	maxRows = 1_000_000
	// maxLinks is how many cells of a sheet lead elsewhere. The format's own
	// limit is 65,529; the library compares each with all before it.
	maxLinks = 5_000
	// lineHeight is the height of a line of text in points.
	lineHeight   = 15.0
	defaultLines = 10
)

// table writes a sheet, row by row.
func (b *book) table(t *table) {
	if t.optional && t.rows == 0 {
		return
	}
	shown := t.shown()
	s := b.stream(t.name, "landscape", len(t.columns), shown+1)
	s.widths(t.columns)
	s.freeze(1)
	s.header(t.columns)
	for i := range shown {
		if b.err != nil {
			return
		}
		s.data(t, i+2, t.row(i))
	}
	if t.note != "" {
		s.row(shown+2, 0, []any{b.value(t.note, b.styles.heading)})
	}
	b.decorate(t, shown+1)
	s.close()
}

// shown is how many rows the sheet has; the note tells of the others.
func (t *table) shown() int {
	n := min(t.rows, maxRows)
	if left := t.rows - n; left > 0 {
		t.note = view.Count(int64(left)) + " more rows are not shown"
	}
	return n
}

// header writes the titles, in as many lines as the longest needs.
func (s *stream) header(columns []column) {
	values, lines := make([]any, len(columns)), 1
	for i, c := range columns {
		values[i] = s.value(c.title, s.styles.header)
		lines = max(lines, linesOf(c.title, c.width-1)) // bold
	}
	s.row(1, lineHeight*float64(lines), values)
}

// data writes one row of t.
func (s *stream) data(t *table, at int, values []any) {
	lines := 1
	for c, v := range values {
		col := t.columns[c]
		switch x := v.(type) {
		case string:
			if col.kind == wrapped {
				lines = max(lines, linesOf(x, col.width))
			}
		case link:
			s.link(c+1, at, x)
		}
		values[c] = s.value(v, s.styleOf(col.kind))
	}
	limit := t.lines
	if limit == 0 {
		limit = defaultLines
	}
	height := 0.0 // the program's own
	if lines > 1 {
		height = min(lineHeight*float64(min(lines, limit)), maxHeight)
	}
	s.row(at, height, values)
}

// decorate sets what belongs to the whole sheet: the filter, the colours, what
// is printed on each page.
func (b *book) decorate(t *table, last int) {
	cell, err := excelize.CoordinatesToCellName(len(t.columns), last)
	b.keep(err)
	b.keep(b.file.AutoFilter(t.name, "A1:"+cell, nil))
	b.printName(t.name, "Print_Titles", "$1:$1")
	if t.printed > 0 {
		name, err := excelize.ColumnNumberToName(t.printed)
		b.keep(err)
		b.printName(t.name, "Print_Area", fmt.Sprintf("$A$1:$%s$%d", name, last))
	}
	if last < 2 {
		return
	}
	for i, c := range t.columns {
		if rules := b.rules(c.kind); rules != nil {
			name, err := excelize.ColumnNumberToName(i + 1)
			b.keep(err)
			b.keep(b.file.SetConditionalFormat(t.name, fmt.Sprintf("%s2:%s%d", name, name, last), rules))
		}
	}
}

// rules are the colours of a column by its values.
func (b *book) rules(k kind) []excelize.ConditionalFormatOptions {
	cell := func(criteria, value string, format int) excelize.ConditionalFormatOptions {
		return excelize.ConditionalFormatOptions{Type: "cell", Criteria: criteria, Value: value, Format: &format}
	}
	switch k {
	case share:
		return []excelize.ConditionalFormatOptions{{Type: "data_bar", Criteria: "=", MinType: "num", MinValue: "0", MaxType: "num", MaxValue: "1", BarColor: "#" + barColor}}
	case excess:
		return []excelize.ConditionalFormatOptions{cell(">=", "1", b.styles.critical), cell(">=", "0.8", b.styles.warning)}
	case heat:
		return []excelize.ConditionalFormatOptions{{Type: "2_color_scale", Criteria: "=", MinType: "min", MaxType: "max", MinColor: "#FFFFFF", MaxColor: "#F8CBAD"}}
	case alarm:
		return []excelize.ConditionalFormatOptions{cell(">", "0", b.styles.warning)}
	case state:
		return []excelize.ConditionalFormatOptions{cell("==", `"no"`, b.styles.critical), cell("==", `"not evaluated"`, b.styles.warning), cell("==", `"evaluated"`, b.styles.good)}
	}
	return nil
}

func (b *book) styleOf(k kind) int {
	switch k {
	case wrapped:
		return b.styles.wrapped
	case whole, alarm:
		return b.styles.whole
	case real, excess, heat:
		return b.styles.real
	case percent, share:
		return b.styles.percent
	case moment:
		return b.styles.moment
	}
	return b.styles.text
}
