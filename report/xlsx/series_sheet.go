package xlsx

import (
	"fmt"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/report/view"
)

// write writes the sheet.
func (s *sheetSeries) write() {
	rows := firstRow - 1
	for i := range s.columns {
		rows = max(rows, firstRow-1+len(s.columns[i].numbers), firstRow-1+len(s.columns[i].texts))
	}
	out := s.stream(seriesSheet, "portrait", chartColumns+len(s.columns), rows)
	widths := make([]column, chartColumns+len(s.columns))
	for i := range s.columns {
		widths[chartColumns+i].width = s.columns[i].width
	}
	out.widths(widths)
	out.freeze(firstRow - 1)
	for row := 1; row <= rows && s.err == nil; row++ {
		out.row(row, lineHeight, s.rowAt(row))
	}
	for i := pageCharts; i < len(s.charts) && s.err == nil; i += pageCharts {
		s.keep(out.w.InsertPageBreak(s.charts[i].at))
	}
	for _, c := range s.charts {
		s.keep(s.file.AddChart(seriesSheet, c.at, c.chart))
	}
	s.printName(seriesSheet, "Print_Area", fmt.Sprintf("$A$1:$M$%d", firstRow+max(len(s.charts), 1)*chartRows))
	out.close()
}

// rowAt is one row over all columns.
func (s *sheetSeries) rowAt(row int) []any {
	values := make([]any, chartColumns+len(s.columns))
	switch row {
	case 1:
		values[0] = s.value("Charts; their data stand to the right", s.styles.heading)
	case 2:
		values[0] = s.value(s.note(), s.styles.heading)
	}
	for i := range s.columns {
		c, k := &s.columns[i], row-firstRow
		switch {
		case row == 1:
			values[chartColumns+i] = s.value(c.heading, s.styles.heading)
		case row == 2:
			values[chartColumns+i] = s.value(c.title, s.styles.header)
		case k < len(c.numbers):
			values[chartColumns+i] = number(c.numbers[k], c.style)
		case k < len(c.texts):
			values[chartColumns+i] = s.value(c.texts[k], c.style)
		}
	}
	return values
}

func (s *sheetSeries) note() string {
	switch {
	case s.skipped > 0:
		return fmt.Sprintf("%d more series are not shown: see the json report", s.skipped)
	case len(s.charts) == 0:
		return "no finding has a series"
	}
	return ""
}

// triggerSeries is a table's dead rows and the limit beyond which autovacuum
// vacuums it, with its vacuums as events.
func triggerSeries(t *analysis.Trigger) *view.Series {
	raw := &finding.Series{
		Name: "Dead rows of " + t.Relation + " against their vacuum trigger", Kind: finding.SeriesTime, YLabel: "rows",
		Columns: []finding.Column{{Name: "dead rows", Unit: "rows"}, {Name: "vacuum trigger", Unit: "rows"}},
	}
	out := &view.Series{Raw: raw, Title: view.Line(raw.Name), XTitle: "time (UTC)", YTitle: raw.YLabel}
	for i := range raw.Columns {
		c := &raw.Columns[i]
		for _, p := range t.Points {
			y := float64(p.Dead)
			if i == 1 {
				y = p.Limit
			}
			c.Points = append(c.Points, finding.Point{X: float64(p.Time), Y: y})
		}
		out.Columns = append(out.Columns, c.Name)
	}
	for _, at := range t.Vacuums {
		raw.Marks = append(raw.Marks, finding.Mark{Time: at, Text: "vacuum"})
		out.Marks = append(out.Marks, "vacuum")
	}
	return out
}
