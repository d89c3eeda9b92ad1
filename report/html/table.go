package html

import (
	"math"
	"strconv"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report/view"
)

// What one table shows.
const (
	maxRows  = 500
	cellText = 160     // columns of a text before it folds
	longText = 8_000   // columns of a folded text
	allTexts = 400_000 // bytes of folded texts in all tables; the rest is cut
)

// table is rows that the script makes sortable and filterable.
type table struct {
	ID, Title string
	Note      string // "" or how much is left out
	Columns   []column
	Rows      [][]cell
}

type column struct {
	Head string
	Kind kind
}

// kind says how a column is set and sorted.
type kind string

// The classes of a column in table.css.
const (
	words  kind = "t" // names and short texts
	number kind = "n"
	prose  kind = "w" // long texts
	when   kind = "d"
)

// cell is a text with what it sorts by.
type cell struct {
	Text  string
	Whole string // the text unshortened, if Text is not
	Sort  string // a number; "" sorts by the text, or last if Absent
	Time  moment
	Link  string // anchor in the page
	// Absent marks what is not known. Sorting puts it last either way.
	Absent  bool
	Numeric bool
}

// writer makes cells and keeps count of what texts take.
type writer struct{ left int }

// text folds what is too long for a cell.
func (w *writer) text(s string) cell {
	return w.fold(view.Line(s), func() string { return view.Line(s) })
}

// block is text whose line feeds stay in the folded part.
func (w *writer) block(s string) cell {
	return w.fold(view.Line(s), func() string { return view.Block(s) })
}

func (w *writer) fold(line string, whole func() string) cell {
	short := view.Shorten(line, cellText)
	if short == line {
		return cell{Text: line}
	}
	c := cell{Text: short}
	if s := view.Shorten(whole(), longText); len(s) <= w.left {
		w.left -= len(s)
		c.Whole = s
	}
	return c
}

func whole(n int64) cell {
	return cell{Text: view.Count(n), Sort: strconv.FormatInt(n, 10), Numeric: true}
}

func optional(n record.Count) cell {
	if !n.Known {
		return absent()
	}
	return whole(n.N)
}

func absent() cell { return cell{Text: view.Unknown, Absent: true, Numeric: true} }

func decimal(f float64, unit string) cell {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return absent()
	}
	return cell{Text: view.Quantity(f, unit), Sort: strconv.FormatFloat(f, 'g', -1, 64), Numeric: true}
}

func span(d record.Duration) cell { return decimal(d.Milliseconds(), "ms") }

// at is a time, or missing where there is none.
func at(t record.Time, missing string) cell {
	m := momentOf(t)
	if m.Machine == "" {
		return cell{Text: missing, Absent: true}
	}
	return cell{Text: m.Text, Time: m, Sort: strconv.FormatInt(int64(t), 10)}
}

// notSeen is a time of what may not have happened in the span.
const notSeen = "not seen"

func yesNo(b bool) cell {
	if b {
		return cell{Text: "yes"}
	}
	return cell{Text: "no"}
}

// rows calls row for the first n of a table and notes what is left out.
func (t *table) rows(n int, row func(i int) []cell) {
	for i := range min(n, maxRows) {
		t.Rows = append(t.Rows, row(i))
	}
	if n > maxRows {
		t.Note = "the first " + view.Count(maxRows) + " of " + view.Count(int64(n)) + "; the json report has all"
	}
}
