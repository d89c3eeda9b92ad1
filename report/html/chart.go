package html

import (
	"math"
	"slices"
	"strconv"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report/view"
)

const (
	// maxPoints is what a column keeps: two for each of the 1,000 places that a
	// wide screen has for it.
	maxPoints = 2_000
	minPoints = 100
	// pagePoints bounds the points of all charts, about 20 bytes each.
	pagePoints = 30_000
	maxColumns = 12 // of one chart
	// drawable is the largest value that can be drawn: spans and margins of
	// larger ones overflow.
	drawable = 1e300
)

// chart is the data of a chart as the script reads it.
type chart struct {
	Title   string       `json:"title"`
	Time    bool         `json:"time"` // x in ms since the epoch, UTC
	X       string       `json:"x"`
	Y       string       `json:"y"`
	Columns []chartLine  `json:"columns"`
	Marks   []chartMark  `json:"marks,omitempty"`
	Fit     *[2][2]value `json:"fit,omitempty"` // ends of the fitted line
}

type chartLine struct {
	Name      string  `json:"name"`
	Unit      string  `json:"unit"`
	Secondary bool    `json:"secondary,omitempty"`
	X         []value `json:"x"`
	Y         []value `json:"y"`
}

type chartMark struct {
	X    value  `json:"x"`
	Text string `json:"text"`
}

// value prints a number with eight digits, or whole if it is an integer that
// JavaScript keeps.
type value float64

// MarshalJSON implements json.Marshaler.
func (v value) MarshalJSON() ([]byte, error) {
	f := float64(v)
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return strconv.AppendInt(nil, int64(f), 10), nil
	}
	return strconv.AppendFloat(nil, f, 'g', 8, 64), nil
}

// pointLimit shares the points of the page among its columns.
func pointLimit(v *view.View) int {
	columns, charts := 0, 0
	for i := range v.Findings {
		for j := range v.Findings[i].Series {
			if charts++; charts <= maxCharts {
				columns += min(maxColumns, len(v.Findings[i].Series[j].Columns))
			}
		}
	}
	return min(maxPoints, max(minPoints, pagePoints/max(1, columns)))
}

// chartOf makes the data and the text of a series with at most limit points in
// a column.
func chartOf(s *view.Series, limit int) (chart, figure) {
	raw := s.Raw
	title := view.Shorten(s.Title, 300)
	c := chart{Title: title, Time: raw.Kind == finding.SeriesTime, X: s.XTitle, Y: s.YTitle, Columns: []chartLine{}}
	g := figure{Title: title}
	for i := range raw.Columns[:min(len(raw.Columns), maxColumns)] {
		column := &raw.Columns[i]
		name := view.Shorten(s.Columns[i], 120)
		points := drawn(column.Points)
		if n := len(column.Points) - len(points); n > 0 {
			g.Notes = append(g.Notes, name+": "+view.Counted(int64(n), "point", "points")+" without a finite value not drawn")
		}
		g.Columns = append(g.Columns, textOf(name, view.Line(column.Unit), points))
		kept := thin(points, limit)
		if len(kept) < len(points) {
			g.Notes = append(g.Notes, name+": "+view.Count(int64(len(kept)))+" of "+view.Count(int64(len(points)))+
				" points drawn, the least and greatest of each stretch")
		}
		c.Columns = append(c.Columns, lineOf(column, name, kept, c.Time))
	}
	if n := len(raw.Columns) - maxColumns; n > 0 {
		g.Notes = append(g.Notes, more(n, "columns"))
	}
	marks(s, &c, &g)
	fit(raw.Fit, &c, &g)
	return c, g
}

func lineOf(column *finding.Column, name string, points []finding.Point, time bool) chartLine {
	l := chartLine{
		Name: name, Unit: view.Line(column.Unit), Secondary: column.Secondary,
		X: make([]value, 0, len(points)), Y: make([]value, 0, len(points)),
	}
	for _, p := range points {
		x := p.X
		if time {
			x = math.Round(x / 1000)
		}
		l.X, l.Y = append(l.X, value(x)), append(l.Y, value(p.Y))
	}
	return l
}

// marks takes the events of a chart over time.
func marks(s *view.Series, c *chart, g *figure) {
	for i, m := range s.Raw.Marks {
		if !c.Time || !view.Known(m.Time) {
			continue
		}
		if len(g.Marks) >= maxListed {
			g.MoreMark++
		} else {
			g.Marks = append(g.Marks, markText{momentOf(m.Time), view.Shorten(s.Marks[i], 200)})
		}
		if len(c.Marks) < maxPoints {
			c.Marks = append(c.Marks, chartMark{value(m.Time / 1000), view.Shorten(s.Marks[i], 200)})
		}
	}
}

func fit(l *finding.Line, c *chart, g *figure) {
	if l == nil {
		return
	}
	ends := []finding.Point{{X: l.From, Y: l.Intercept + l.Slope*l.From}, {X: l.To, Y: l.Intercept + l.Slope*l.To}}
	if len(drawn(ends)) < 2 || l.From > l.To {
		return
	}
	c.Fit = &[2][2]value{{value(ends[0].X), value(ends[0].Y)}, {value(ends[1].X), value(ends[1].Y)}}
	g.Fit = "fitted line: y = " + view.Quantity(l.Intercept, "") + " + " + view.Quantity(l.Slope, "") + " · x, for x from " +
		view.Quantity(l.From, "") + " to " + view.Quantity(l.To, "")
}

// drawn keeps the points that can be drawn, in the order of x.
func drawn(points []finding.Point) []finding.Point {
	out := make([]finding.Point, 0, len(points))
	for _, p := range points {
		if math.Abs(p.X) <= drawable && math.Abs(p.Y) <= drawable {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b finding.Point) int {
		switch {
		case a.X < b.X:
			return -1
		case a.X > b.X:
			return 1
		}
		return 0
	})
	return out
}

// thin keeps the least and the greatest point of each of limit/2 equal
// stretches of x, so that no peak is lost.
func thin(points []finding.Point, limit int) []finding.Point {
	if len(points) <= limit {
		return points
	}
	first, last := points[0].X, points[len(points)-1].X
	stretches := limit / 2
	stretch := func(p finding.Point) int {
		if last <= first {
			return 0
		}
		return min(stretches-1, int((p.X-first)/(last-first)*float64(stretches)))
	}
	out := make([]finding.Point, 0, limit)
	for i := 0; i < len(points); {
		low, high, at := i, i, stretch(points[i])
		for ; i < len(points) && stretch(points[i]) == at; i++ {
			if points[i].Y < points[low].Y {
				low = i
			}
			if points[i].Y > points[high].Y {
				high = i
			}
		}
		out = append(out, points[min(low, high)])
		if low != high {
			out = append(out, points[max(low, high)])
		}
	}
	return out
}

func textOf(name, unit string, points []finding.Point) columnText {
	if len(points) == 0 {
		return columnText{name, view.Unknown, view.Unknown, view.Unknown, view.Unknown}
	}
	low, high := points[0].Y, points[0].Y
	for _, p := range points {
		low, high = min(low, p.Y), max(high, p.Y)
	}
	say := func(y float64) string { return view.Quantity(y, unit) }
	return columnText{name, say(points[0].Y), say(points[len(points)-1].Y), say(low), say(high)}
}

// moment is a time that the script can show in another zone.
type moment struct {
	Machine string // RFC 3339
	Text    string // UTC
	Millis  int64
}

// momentOf is the zero moment for a time that is not known.
func momentOf(t record.Time) moment {
	if !view.Known(t) {
		return moment{}
	}
	return moment{view.RFC3339(t), t.Std().Format("2006-01-02 15:04:05"), int64(t / 1000)}
}
