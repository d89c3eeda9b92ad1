package xlsx

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report/view"
	"github.com/xuri/excelize/v2"
)

// The Series sheet has the charts in its first columns, one below the other,
// and the data to the right: for each series its columns of x and y, its events
// and its fit. Row 1 names the finding, row 2 the columns with units.
const (
	chartColumns = 13 // width of the charts in sheet columns
	chartRows    = 18 // rows that a chart takes, with its gap
	pageCharts   = 3  // on a printed page
	firstRow     = 3  // of the data
	maxPoints    = 20_000
	allPoints    = 400_000 // of all columns together
	maxCharts    = 200
	maxColumns   = 16_000 // of the 16,384 that a sheet has
)

// sheetSeries is the Series sheet before it is written: the charts know the
// ranges of their data.
type sheetSeries struct {
	*book
	columns []dataColumn // the first stands behind the charts
	charts  []placed
	limit   int // points of a column
	skipped int // series without room
	// placedAt has the series by title, and where their charts stand: findings
	// that are sides of one mechanism share some.
	placedAt map[string][]placedSeries
}

type placedSeries struct {
	raw *finding.Series
	at  string
}

// dataColumn is a column of the sheet; numbers that are none are empty cells.
type dataColumn struct {
	heading, title string
	width          float64
	style          int
	numbers        []float64
	texts          []string
}

type placed struct {
	at    string
	chart *excelize.Chart
}

// points is a pair of ranges: one line or cloud of a chart.
type points struct {
	name, x, y string
	drawn      drawing
	low, high  finding.Point // corners of what is in them
}

// collect lays out the data and charts of all findings and triggers, and notes
// where each finding's first chart stands.
func (b *book) collect() *sheetSeries {
	s := &sheetSeries{book: b, placedAt: map[string][]placedSeries{}}
	n := 2 * len(b.view.Result.Triggers)
	for i := range b.view.Findings {
		for j := range b.view.Findings[i].Series {
			n += len(b.view.Findings[i].Series[j].Columns)
		}
	}
	s.limit = min(maxPoints, max(2, allPoints/max(n, 1)))
	for i := range b.view.Findings {
		f := &b.view.Findings[i]
		for j := range f.Series {
			if at := s.once(f.ID, &f.Series[j]); b.charts[i] == "" {
				b.charts[i] = at
			}
		}
	}
	for i := range b.view.Result.Triggers {
		if t := &b.view.Result.Triggers[i]; len(t.Points) > 1 {
			b.triggers[t.Relation] = s.add("", triggerSeries(t))
		}
	}
	return s
}

// once adds a series unless an equal one stands there already.
func (s *sheetSeries) once(id string, v *view.Series) string {
	for _, p := range s.placedAt[v.Title] {
		if reflect.DeepEqual(p.raw, v.Raw) {
			return p.at
		}
	}
	at := s.add(id, v)
	if at != "" {
		s.placedAt[v.Title] = append(s.placedAt[v.Title], placedSeries{v.Raw, at})
	}
	return at
}

// add lays out one series: a chart for the columns that share the first scale
// and, since a scatter chart has one scale, another for those that have their
// own. It returns the cell of the first, "" if there is no room.
func (s *sheetSeries) add(id string, v *view.Series) string {
	if len(s.charts)+2 > maxCharts || chartColumns+len(s.columns)+2*len(v.Columns)+6 > maxColumns {
		s.skipped++
		return ""
	}
	from, first := len(s.columns), ""
	for _, secondary := range []bool{false, true} {
		var clouds []points
		title := v.YTitle
		for i := range v.Raw.Columns {
			c := &v.Raw.Columns[i]
			if c.Secondary != secondary || len(c.Points) == 0 {
				continue
			}
			clouds = append(clouds, s.data(v, i))
			if secondary {
				title = v.Columns[i]
			}
		}
		if len(clouds) == 0 {
			continue
		}
		low, high := corners(clouds)
		if p, ok := s.marks(v, low, high); ok {
			clouds = append(clouds, p)
		}
		if p, ok := s.fit(v.Raw.Fit); ok && !secondary {
			clouds = append(clouds, p)
		}
		if at := s.chart(v, title, clouds, low, high); first == "" {
			first = at
		}
	}
	if len(s.columns) > from {
		s.columns[from].heading = view.Shorten(joined(id, " ", v.Title), 200)
		s.columns = append(s.columns, dataColumn{}) // a gap before the next series
	}
	return first
}

// data lays out the points of one column as two columns of the sheet. More than
// the limit are thinned evenly, and the header says so.
func (s *sheetSeries) data(v *view.Series, i int) points {
	c := &v.Raw.Columns[i]
	step := (len(c.Points) + s.limit - 1) / s.limit
	name := v.Columns[i]
	if step > 1 {
		name += fmt.Sprintf(" (every %d. of %s points)", step, view.Count(int64(len(c.Points))))
	}
	style := s.styles.real
	if v.Raw.Kind == finding.SeriesTime {
		style = s.styles.moment
	}
	p, x, y := s.begin(v.XTitle, name, style)
	p.drawn = drawingOf(v.Raw.Kind)
	for k := 0; k < len(c.Points); k += step {
		at := abscissa(c.Points[k].X, v.Raw.Kind)
		x.numbers = append(x.numbers, at)
		y.numbers = append(y.numbers, c.Points[k].Y)
		p.widen(at, c.Points[k].Y)
	}
	return s.end(p, len(x.numbers))
}

// abscissa is x as the workbook counts it.
func abscissa(x float64, k finding.SeriesKind) float64 {
	if k == finding.SeriesTime && !math.IsNaN(x) && !math.IsInf(x, 0) {
		return serial(record.Time(x))
	}
	return x
}

// marks lays out the events as upright strokes from low to high: two rows each
// and an empty one that breaks the line.
func (s *sheetSeries) marks(v *view.Series, low, high finding.Point) (points, bool) {
	if len(v.Raw.Marks) == 0 || v.Raw.Kind != finding.SeriesTime {
		return points{}, false
	}
	name := "events"
	if !slices.ContainsFunc(v.Marks, func(m string) bool { return m != v.Marks[0] }) {
		name = v.Marks[0]
	}
	p, x, y := s.begin("event (UTC)", name, s.styles.moment)
	p.drawn = strokes
	var texts []string
	for i, m := range v.Raw.Marks[:min(len(v.Raw.Marks), s.limit/3+1)] {
		if !view.Known(m.Time) {
			continue
		}
		x.numbers = append(x.numbers, serial(m.Time), serial(m.Time), math.NaN())
		y.numbers = append(y.numbers, min(low.Y, 0), high.Y, math.NaN())
		texts = append(texts, v.Marks[i], v.Marks[i], "")
	}
	p = s.end(p, len(texts))
	s.columns = append(s.columns, dataColumn{title: "what", width: 24, style: s.styles.text, texts: texts})
	return p, len(texts) > 0
}

// fit lays out the ends of the fitted line.
func (s *sheetSeries) fit(l *finding.Line) (points, bool) {
	if l == nil {
		return points{}, false
	}
	p, x, y := s.begin("fit x", fmt.Sprintf("fit: slope %s", view.Quantity(l.Slope, "")), s.styles.real)
	p.drawn = fitted
	x.numbers = []float64{l.From, l.To}
	y.numbers = []float64{l.Intercept + l.Slope*l.From, l.Intercept + l.Slope*l.To}
	return s.end(p, 2), true
}

// begin adds two columns.
func (s *sheetSeries) begin(x, y string, style int) (p points, xs, ys *dataColumn) {
	s.columns = append(s.columns, dataColumn{title: x, width: 23, style: style}, dataColumn{title: y, width: 16, style: s.styles.real})
	inf := math.Inf(1)
	n := len(s.columns)
	return points{low: finding.Point{X: inf, Y: inf}, high: finding.Point{X: -inf, Y: -inf}}, &s.columns[n-2], &s.columns[n-1]
}

// end names the ranges of the last two columns, of which rows are filled.
func (s *sheetSeries) end(p points, rows int) points {
	at := chartColumns + len(s.columns) - 1
	x, err := excelize.ColumnNumberToName(at)
	s.keep(err)
	y, err := excelize.ColumnNumberToName(at + 1)
	s.keep(err)
	last := firstRow + max(rows, 1) - 1
	p.name = fmt.Sprintf("'%s'!$%s$2", seriesSheet, y)
	p.x = fmt.Sprintf("'%s'!$%s$%d:$%s$%d", seriesSheet, x, firstRow, x, last)
	p.y = fmt.Sprintf("'%s'!$%s$%d:$%s$%d", seriesSheet, y, firstRow, y, last)
	return p
}

// widen includes a point in the corners; what is no number is left out.
func (p *points) widen(x, y float64) {
	if math.IsNaN(x+y) || math.IsInf(x, 0) || math.IsInf(y, 0) {
		return
	}
	p.low = finding.Point{X: min(p.low.X, x), Y: min(p.low.Y, y)}
	p.high = finding.Point{X: max(p.high.X, x), Y: max(p.high.Y, y)}
}

func corners(clouds []points) (low, high finding.Point) {
	low, high = clouds[0].low, clouds[0].high
	for _, c := range clouds[1:] {
		low = finding.Point{X: min(low.X, c.low.X), Y: min(low.Y, c.low.Y)}
		high = finding.Point{X: max(high.X, c.high.X), Y: max(high.Y, c.high.Y)}
	}
	return low, high
}
