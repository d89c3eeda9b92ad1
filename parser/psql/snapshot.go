package psql

import (
	"bytes"
	"regexp"
	"strings"
	"time"

	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/pgstat"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// Table reads statistics views as psql prints them, aligned or expanded, once
// or by \watch. Plans between them are read as by Frame.
var Table = source.Format{
	Name:   "psql-table",
	Doc:    "psql output with statistics views: aligned, expanded, \\watch",
	Detect: detectTable,
}

// scoreTable is below that of a plan in a frame: Frame reads tables too.
const scoreTable = 64

// detectTable claims a file with a frame whose columns are those of a view.
func detectTable(h *source.Head) *source.Detection {
	if explain.IsLog(h.Data) {
		return nil
	}
	var dry record.Batch
	lines := explain.Unwrap(explain.SplitLines(h.Data, record.Pos{Line: 1}), "", &dry)
	for i := 0; i < len(lines); {
		t, ok := frameAt(lines[i:])
		if view, isView := t.view(); ok && isView {
			d := detection(h, t.style, scoreTable)
			d.View, d.Detail = view.View(), t.style+" table of "+string(view.View())
			return d
		}
		i += max(t.size, 1)
	}
	return nil
}

// view recognises the view that the table is; false for others.
func (t *table) view() (pgstat.Table, bool) {
	if len(t.columns) < 2 {
		return pgstat.Table{}, false
	}
	return pgstat.NewTable(t.titles())
}

func (t *table) titles() []string {
	titles := make([]string, len(t.columns))
	for i := range t.columns {
		titles[i] = t.columns[i].title
	}
	return titles
}

// snapshot adds the rows of a table that is a view. It is false where the rows
// have no time: in an experiment, only the order of its sizes counts. Those of
// values are none of a relation.
func (t *transcript) snapshot(frame *table) bool {
	view, ok := frame.view()
	if !ok {
		return false
	}
	more := t.counted(view.View(), frame)
	if len(more.titles) > 0 {
		if view, ok = pgstat.NewTable(append(frame.titles(), more.titles...)); !ok {
			return false
		}
	}
	for r := range frame.columns[0].cells {
		cells, at := frame.row(r)
		view.Add(t.b, record.Pos{File: t.file, Line: at.Number, Offset: at.Offset}, append(cells, more.cells...), t.at, t.from)
	}
	return view.Timed() || t.at.Known() || view.View() == record.ViewColumnSizes
}

// row is the texts of a row and its first line.
func (t *table) row(r int) (cells []string, at explain.Line) {
	cells = make([]string, len(t.columns))
	for i := range t.columns {
		if r >= len(t.columns[i].cells) {
			continue
		}
		c := t.columns[i].cells[r]
		cells[i] = c.joined()
		if at.Number == 0 && len(c) > 0 {
			at = c[0]
		}
	}
	return cells, at
}

// joined is the text of a cell, its lines joined.
func (c cell) joined() string {
	lines := make([][]byte, len(c))
	for i := range c {
		lines[i] = c[i].Text
	}
	return string(bytes.Join(lines, []byte{'\n'}))
}

// stamp reads a time that psql or a query prints before its tables: the title
// of \watch, or a table of one row with now().
func (t *transcript) stamp(at record.Time) {
	if at.Known() {
		t.at, t.from = at, record.TimeColumn
	}
}

// watchTitle is the title of \watch: "Mon Nov 30 14:20:14 2026 (every 2s)".
var watchTitle = regexp.MustCompile(`^\s*(.{10,60}?)\s+\(every [\d.]+ ?s(?:econds?)?\)\s*$`)

// watchLayouts are how strftime's %c spells a time where English is spoken.
var watchLayouts = []string{
	"Mon Jan _2 15:04:05 2006", "Mon 02 Jan 2006 03:04:05 PM MST", "Mon 2 Jan 15:04:05 2006", "Mon 02 Jan 2006 15:04:05 MST",
	"Mon Jan _2 15:04:05 MST 2006", "2006-01-02 15:04:05",
}

// watched is the time of a line that is a title of \watch. Without a zone it is
// of the zone given, else UTC.
func (t *transcript) watched(line []byte) bool {
	m := watchTitle.FindSubmatch(line)
	if m == nil {
		return false
	}
	zone := time.UTC
	if z, err := time.LoadLocation(t.head.Timezone); err == nil && t.head.Timezone != "" {
		zone = z
	}
	for _, layout := range watchLayouts {
		if at, err := time.ParseInLocation(layout, strings.Join(strings.Fields(string(m[1])), " "), zone); err == nil {
			t.stamp(record.TimeOf(at))
			return true
		}
	}
	return false
}

// clock reads a table of one row and one column that is a time.
func (t *transcript) clock(frame *table) bool {
	if len(frame.columns) != 1 || len(frame.columns[0].cells) != 1 {
		return false
	}
	switch frame.columns[0].title {
	case "now", "clock_timestamp", "current_timestamp", "statement_timestamp", "transaction_timestamp", "captured_at":
		at, ok := record.ParseTime(frame.columns[0].cells[0].word())
		if ok {
			t.stamp(at)
		}
		return ok
	}
	return false
}

// countingCall is the call of a function that counts one relation.
var countingCall = regexp.MustCompile(`(?i)\b(?:pgstattuple|pgstattuple_approx|pgstatindex|pg_visibility_map_summary)\s*\(\s*'([^']{1,200})'`)

// namedCells are columns that the rows of a table lack.
type namedCells struct{ titles, cells []string }

// counted names the relation that a function counted, from the statement echoed
// last: the function's own columns do not.
func (t *transcript) counted(view record.View, frame *table) namedCells {
	switch view {
	case record.ViewTupleStats, record.ViewIndexStats, record.ViewVisibility:
	default:
		return namedCells{}
	}
	m := countingCall.FindSubmatch(t.sql)
	if m == nil || nameColumn(frame.titles()) >= 0 {
		return namedCells{}
	}
	name := strings.ReplaceAll(string(m[1]), `"`, "")
	if schema, relation, qualified := strings.Cut(name, "."); qualified {
		return namedCells{[]string{"schemaname", "relname"}, []string{schema, relation}}
	}
	return namedCells{[]string{"relname"}, []string{name}}
}
