package xlsx

import (
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/xuri/excelize/v2"
)

// styles are the identifiers of the cell styles, and of the formats that
// conditions give.
type styles struct {
	header, text, wrapped, whole, real, percent, moment, link int
	title, heading, section, bold, faint, code                int
	severity                                                  [3]int // by finding.Severity
	good, warning, critical                                   int    // conditional formats
}

const (
	fontFamily = "Calibri"
	headerFill = "D9E2F3"
	inkFaint   = "595959"
	barColor   = "9DC3E6"
)

// severityFill are the colours of the severities.
var severityFill = [...]string{finding.Info: "DDEBF7", finding.Warning: "FFE699", finding.Critical: "F4B6B6"}

func (b *book) newStyles() styles {
	top := &excelize.Alignment{Vertical: "top"}
	left := &excelize.Alignment{Vertical: "top", Horizontal: "left"}
	wrap := &excelize.Alignment{Vertical: "top", WrapText: true}
	blue := &excelize.Font{Family: fontFamily, Size: 11, Color: "0563C1", Underline: "single"}
	s := styles{
		header:   b.style(&excelize.Style{Font: font(11, true, ""), Fill: fill(headerFill), Alignment: wrap, Border: underline()}),
		text:     b.style(&excelize.Style{Alignment: top}),
		wrapped:  b.style(&excelize.Style{Alignment: wrap}),
		whole:    b.format("#,##0_)", top),
		real:     b.format("#,##0.000_)", top),
		percent:  b.format("0.0%_)", top),
		moment:   b.format("yyyy-mm-dd hh:mm:ss.000", left),
		link:     b.style(&excelize.Style{Font: blue, Alignment: top}),
		title:    b.style(&excelize.Style{Font: font(14, true, ""), Alignment: wrap}),
		heading:  b.style(&excelize.Style{Font: font(11, true, ""), Alignment: top}),
		section:  b.style(&excelize.Style{Font: font(11, true, ""), Alignment: wrap, Border: underline()}),
		bold:     b.style(&excelize.Style{Font: font(11, true, ""), Alignment: wrap}),
		faint:    b.style(&excelize.Style{Font: font(10, false, inkFaint), Alignment: wrap}),
		code:     b.style(&excelize.Style{Font: &excelize.Font{Family: "Consolas", Size: 10}, Alignment: wrap}),
		good:     b.condition("C6E0B4"),
		warning:  b.condition(severityFill[finding.Warning]),
		critical: b.condition(severityFill[finding.Critical]),
	}
	for i, color := range severityFill {
		s.severity[i] = b.style(&excelize.Style{Font: font(11, true, ""), Fill: fill(color), Alignment: top})
	}
	return s
}

func (b *book) format(numFmt string, a *excelize.Alignment) int {
	return b.style(&excelize.Style{CustomNumFmt: &numFmt, Alignment: a})
}

func (b *book) style(s *excelize.Style) int {
	id, err := b.file.NewStyle(s)
	b.keep(err)
	return id
}

// condition is the format that a condition gives a cell.
func (b *book) condition(color string) int {
	id, err := b.file.NewConditionalStyle(&excelize.Style{Fill: fill(color)})
	b.keep(err)
	return id
}

func font(size float64, bold bool, color string) *excelize.Font {
	return &excelize.Font{Family: fontFamily, Size: size, Bold: bold, Color: color}
}

func fill(color string) excelize.Fill {
	return excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{color}}
}

func underline() []excelize.Border {
	return []excelize.Border{{Type: "bottom", Color: "8EA9DB", Style: 1}}
}
