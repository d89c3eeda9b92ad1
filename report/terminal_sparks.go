package report

import (
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/report/view"
)

// maxSparks is the number of sparklines of one finding, maxLegend that of the
// events it names.
const (
	maxSparks = 6
	maxLegend = 3
)

// sparkRow is one column of a series as a sparkline.
type sparkRow struct {
	label, first, line, last string
}

// sparks draws the time series of a finding, one line each, over one axis.
func (p *page) sparks(f *view.Finding) {
	t := newTimeline(f.Series, min(max(p.width-54, 20), 40))
	rows := sparkRows(f, &t)
	if len(rows) == 0 {
		return
	}
	p.blank()
	p.sparkLines(rows[:min(len(rows), maxSparks)], t.cells)
	if len(rows) > maxSparks {
		p.para(body, plain, "and "+strconv.Itoa(len(rows)-maxSparks)+" more series in the json and xlsx reports", faint)
	}
	if marks := marksOf(f.Series); len(marks) > 0 {
		p.para(body+rule+" ", faint, p.legend(marks, len(t.marks) > 0), faint)
	}
}

func sparkRows(f *view.Finding, t *timeline) []sparkRow {
	var rows []sparkRow
	for _, s := range f.Series {
		if s.Raw.Kind != finding.SeriesTime {
			continue
		}
		for i := range s.Raw.Columns {
			c := &s.Raw.Columns[i]
			if line, first, last, ok := t.spark(c.Points); ok {
				unit := view.Line(c.Unit)
				rows = append(rows, sparkRow{sparkLabel(c, s.Columns[i]), view.Compact(first, unit), line, view.Compact(last, unit)})
			}
		}
	}
	return rows
}

// sparkLabel leaves the unit out where the name says it: "buffers per row".
func sparkLabel(c *finding.Column, named string) string {
	noun, _, _ := strings.Cut(c.Unit, "/")
	if noun != "" && strings.Contains(c.Name, noun) {
		return view.Line(c.Name)
	}
	return named
}

// sparkLines aligns the rows; labels are cut to what the page leaves them.
func (p *page) sparkLines(rows []sparkRow, cells int) {
	label, left, right := 0, 0, 0
	for _, r := range rows {
		label = max(label, view.Width(r.label))
		left, right = max(left, view.Width(r.first)), max(right, view.Width(r.last))
	}
	label = min(label, 28, p.width-len(body)-left-cells-right-4)
	for _, r := range rows {
		p.line(body + pad(view.Shorten(r.label, label), label) + "  " +
			strings.Repeat(" ", left-view.Width(r.first)) + r.first + " " + pad(r.line, cells) + " " + r.last)
	}
}

// legend names the events, or counts them when they are many.
func (p *page) legend(marks []finding.Mark, drawn bool) string {
	named := func(m finding.Mark) string { return p.clock.At(m.Time) + " " + view.Line(m.Text) }
	n := len(marks)
	if n <= maxLegend && drawn {
		parts := make([]string, 0, n)
		for _, m := range marks {
			parts = append(parts, named(m))
		}
		return strings.Join(parts, ", ")
	}
	s := view.Counted(int64(n), "event", "events")
	if !drawn {
		s += " (not drawn)"
	}
	return s + ": first " + named(marks[0]) + ", last " + named(marks[n-1])
}
