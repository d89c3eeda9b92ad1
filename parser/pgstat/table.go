package pgstat

import (
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// Table makes samples of the rows of a table that somebody else has cut into
// cells: psql prints views so.
type Table struct{ layout *layout }

// NewTable recognises the view by the titles of its columns; false if no view
// has them.
func NewTable(titles []string) (Table, bool) {
	if len(titles) > maxColumns {
		return Table{}, false
	}
	l := newLayout(titles)
	return Table{l}, l != nil
}

// View is the view that was recognised.
func (t Table) View() record.View { return t.layout.view }

// Timed reports whether a column tells when each row was read.
func (t Table) Timed() bool { return t.layout.time >= 0 }

// Add makes a sample of a row, whose cells are as many as the titles, and
// appends it to b; blank cells are null. at is the time where no column tells
// it, NoTime if unknown, and from where it was found.
func (t Table) Add(b *record.Batch, pos record.Pos, cells []string, at record.Time, from record.TimeSource) {
	r := newRows(b, "")
	for _, c := range cells {
		c = strings.TrimSpace(c)
		r.text = append(r.text, c...)
		r.endCell(c != "")
	}
	n := len(b.Samples)
	r.add(t.layout, pos)
	if len(b.Samples) > n && !t.Timed() && at.Known() {
		b.Samples[n].CapturedAt, b.Samples[n].TimeSource = at, from
	}
}
