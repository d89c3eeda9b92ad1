package pgstat

import (
	"fmt"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// maxColumns is PostgreSQL's own limit for a query's columns.
const maxColumns = 1664

// layout is how the rows of a file, or of one shape of its objects, become
// samples.
type layout struct {
	view    record.View
	columns *record.Columns
	time    int // column, -1: none
	relkind int // column, -1: none
	names   []string
}

// newLayout recognises the view; nil if no view has these columns.
func newLayout(names []string) *layout {
	lower := make([]string, len(names))
	for i, n := range names {
		lower[i] = strings.ToLower(strings.TrimSpace(n))
	}
	view, canonical, ok := recognise(lower)
	if !ok {
		return nil
	}
	l := &layout{view: view, columns: record.NewColumns(canonical), time: timeColumn(lower), names: names}
	l.relkind = l.columns.Index("relkind")
	return l
}

// timeFrom says where the times of the file's samples come from.
func (l *layout) timeFrom(name string) record.TimeSource {
	if l.time >= 0 {
		return record.TimeColumn
	}
	if _, ok := record.TimeFromName(name); ok {
		return record.TimeFileName
	}
	return record.TimeUnknown
}

func (l *layout) detail() string {
	return fmt.Sprintf("%s, %d columns", l.view, len(l.columns.Names))
}

// cell is one value of a row in the making: the end of its text in rows.text.
type cell struct {
	end   int
	valid bool
}

// rows makes the samples of one block. The texts of a row share one string.
type rows struct {
	batch    *record.Batch
	fileTime record.Time // from the file's name
	text     []byte      // of the row in the making
	cells    []cell
	slab     []record.Value // not yet used
	kept     map[string]int // losses by text
	again    int            // bytes read in vain
}

func newRows(b *record.Batch, fileName string) *rows {
	r := &rows{batch: b, fileTime: record.NoTime, kept: map[string]int{}}
	if t, ok := record.TimeFromName(fileName); ok {
		r.fileTime = t
	}
	return r
}

func (r *rows) reset() { r.text, r.cells = r.text[:0], r.cells[:0] }

// endCell ends a value whose text was appended to r.text.
func (r *rows) endCell(valid bool) { r.cells = append(r.cells, cell{len(r.text), valid}) }

// values copies the row's cells.
func (r *rows) values() []record.Value {
	n := len(r.cells)
	if len(r.slab) < n {
		r.slab = make([]record.Value, max(n, 1024))
	}
	values := r.slab[:n:n]
	r.slab = r.slab[n:]
	text, start := string(r.text), 0
	for i, c := range r.cells {
		if c.valid {
			values[i] = record.Value{Text: text[start:c.end], Valid: true}
		}
		start = c.end
	}
	return values
}

// add makes a sample of the row at pos. Rows of a pg_class join that are no
// tables are passed over.
func (r *rows) add(l *layout, pos record.Pos) {
	r.batch.Entries++
	s := record.Sample{Pos: pos, View: l.view, CapturedAt: record.NoTime, Columns: l.columns, Values: r.values()}
	if l.view == record.ViewTables && l.relkind >= 0 && !isTable(s.Values[l.relkind]) {
		r.batch.Understood++
		return
	}
	switch {
	case l.time >= 0:
		t, ok := parseTime(s.Values[l.time].Text)
		if !ok {
			r.lose(pos, "the time of the row is not understood: export it as timestamptz or as Unix time")
			break
		}
		s.CapturedAt, s.TimeSource = t, record.TimeColumn
	case r.fileTime.Known():
		s.CapturedAt, s.TimeSource = r.fileTime, record.TimeFileName
	}
	r.batch.Samples = append(r.batch.Samples, s)
	r.batch.Understood++
}

// isTable tells tables, partitioned tables, materialized views and toast
// tables by pg_class.relkind.
func isTable(v record.Value) bool {
	return !v.Valid || v.Text == "" || strings.Contains("rpmt", v.Text)
}

// maxPlaces is how many losses of one kind keep their places in a block.
const maxPlaces = 5

// lose counts a row that was lost, wholly or in part.
func (r *rows) lose(pos record.Pos, text string) {
	if n := r.kept[text]; n >= maxPlaces {
		for i := len(r.batch.Losses) - 1; i >= 0; i-- {
			if r.batch.Losses[i].Text == text {
				r.batch.Losses[i].Count++
				return
			}
		}
	}
	r.kept[text]++
	r.batch.Losses = append(r.batch.Losses, record.Loss{Pos: pos, Kind: record.LossRow, Text: text, Count: 1})
}
