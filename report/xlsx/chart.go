package xlsx

import (
	"fmt"
	"math"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/report/view"
	"github.com/xuri/excelize/v2"
)

// drawing is how points appear in a chart.
type drawing uint8

const (
	lines   drawing = iota // values over time
	cloud                  // points in a plane
	strokes                // events
	fitted                 // the fitted line
)

func drawingOf(k finding.SeriesKind) drawing {
	if k == finding.SeriesScatter {
		return cloud
	}
	return lines
}

// chart places a native chart below the last one and returns its cell with the
// sheet's name.
func (s *sheetSeries) chart(v *view.Series, yTitle string, clouds []points, low, high finding.Point) string {
	at := fmt.Sprintf("A%d", firstRow+len(s.charts)*chartRows)
	c := &excelize.Chart{
		Type:         excelize.Scatter,
		Title:        title(view.Shorten(v.Title, 160), 12, true),
		XAxis:        excelize.ChartAxis{Title: title(v.XTitle, 10, false), Font: *font(9, false, inkFaint), MajorGridLines: true},
		YAxis:        excelize.ChartAxis{Title: title(yTitle, 10, false), Font: *font(9, false, inkFaint), MajorGridLines: true},
		Legend:       excelize.ChartLegend{Position: "bottom"},
		ShowBlanksAs: "gap",
		Dimension:    excelize.ChartDimension{Width: 800, Height: 340},
		Format:       excelize.GraphicOptions{Positioning: "oneCell", OffsetY: 4, AltText: view.Shorten(v.Title, 250), Name: fmt.Sprintf("chart %d", len(s.charts)+1)},
	}
	c.YAxis.NumFmt.CustomNumFmt = yFormat(high.Y)
	if v.Raw.Kind == finding.SeriesTime {
		timeAxis(&c.XAxis, low.X, high.X)
	} else {
		c.XAxis.NumFmt.CustomNumFmt = yFormat(high.X)
	}
	for i, p := range clouds {
		c.Series = append(c.Series, p.series(i))
	}
	s.charts = append(s.charts, placed{at, c})
	return "'" + seriesSheet + "'!" + at
}

func title(text string, size float64, bold bool) excelize.ChartTitle {
	return excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: text, Font: font(size, bold, "262626")}}}
}

// yFormat has decimals only where the largest value is small.
func yFormat(high float64) string {
	switch {
	case math.Abs(high) < 1:
		return "0.000"
	case math.Abs(high) < 10:
		return "0.0"
	}
	return "#,##0"
}

// palette are the colours of lines and clouds, apart also for the
// colour-blind; events and fits have their own.
var palette = [...]string{"1F4E79", "C55A11", "548235", "7F6000", "7030A0", "3B3838"}

func (p *points) series(i int) excelize.ChartSeries {
	color := palette[i%len(palette)]
	s := excelize.ChartSeries{Name: p.name, Categories: p.x, Values: p.y}
	switch p.drawn {
	case cloud:
		s.Marker = excelize.ChartMarker{Symbol: "circle", Size: 3, Fill: glass(color)}
	case strokes:
		color = "C00000"
		s.Line = excelize.LineOptions{Type: excelize.LineSolid, Dash: excelize.LineDashDash, Width: 1.25}
		s.Marker.Symbol = "none"
	case fitted:
		color = "C00000"
		s.Line = excelize.LineOptions{Type: excelize.LineSolid, Width: 3}
		s.Marker.Symbol = "none"
	default:
		s.Line = excelize.LineOptions{Type: excelize.LineSolid, Width: 1.75}
		s.Marker = excelize.ChartMarker{Symbol: "circle", Size: 3, Fill: fill(color)}
	}
	s.Fill = fill(color)
	return s
}

// glass is a fill through which a line behind the points can be seen.
func glass(color string) excelize.Fill {
	f := fill(color)
	f.Transparency = 60
	return f
}

// timeAxis spans low to high, in days, and labels them as finely as the span
// asks for. The library cannot set the distance of labels on this axis, so that
// they fall on any second.
func timeAxis(a *excelize.ChartAxis, low, high float64) {
	if !(low < high) || math.IsInf(low, 0) {
		return
	}
	a.Minimum, a.Maximum = &low, &high
	switch span := high - low; {
	case span > 30:
		a.NumFmt.CustomNumFmt = "yyyy-mm-dd"
	case span > 1:
		a.NumFmt.CustomNumFmt = "mm-dd hh:mm"
	case span > 0.25:
		a.NumFmt.CustomNumFmt = "hh:mm"
	default:
		a.NumFmt.CustomNumFmt = "hh:mm:ss"
	}
}
