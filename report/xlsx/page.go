package xlsx

import (
	"fmt"
	"strings"

	"github.com/pgassay/pgassay/report/view"
	"github.com/xuri/excelize/v2"
)

// pageWidths are the columns of the page in characters: label, what, figure,
// says. A paragraph spans the last three.
var pageWidths = [...]float64{15, 44, 36, 30}

// maxParagraph is what the page shows of one text; the sheets have all of it.
const maxParagraph = 8000

// page is the Summary sheet while it is written from top to bottom.
type page struct {
	*stream
	row int // the next
}

func (b *book) page() *page {
	hide := false
	b.keep(b.file.SetSheetView(summarySheet, 0, &excelize.ViewOptions{ShowGridLines: &hide}))
	p := &page{stream: b.stream(summarySheet, "portrait", len(pageWidths), 1), row: 1}
	var columns []column
	for _, w := range pageWidths {
		columns = append(columns, column{width: w})
	}
	p.widths(columns)
	return p
}

func (p *page) blank() { p.row++ }

// put writes the next row, high enough for its lines.
func (p *page) put(lines, style int, values ...any) {
	height := lineHeight
	if style == p.styles.title {
		height = 20
	}
	p.stream.row(p.row, min(height*float64(lines), maxHeight), values)
	p.row++
}

// wide writes a paragraph over the whole width; nothing if it is empty.
func (p *page) wide(text string, style int) {
	if text == "" {
		return
	}
	text = view.Shorten(text, maxParagraph)
	p.merge(1)
	p.put(p.linesFrom(1, text), style, p.value(text, style))
}

// para writes a label and a paragraph; nothing if the paragraph is empty.
func (p *page) para(label, text string, style int) {
	if text != "" {
		p.labelled(label, text, style)
	}
}

// labelled writes any label beside a paragraph.
func (p *page) labelled(label any, text string, style int) {
	text = view.Shorten(text, maxParagraph)
	p.merge(2)
	p.put(p.linesFrom(2, text), style, p.value(label, p.styles.faint), p.value(text, style))
}

// leading writes a paragraph that is a link.
func (p *page) leading(l link) {
	p.merge(2)
	p.link(2, p.row, l)
	p.put(1, p.styles.link, nil, p.value(l, p.styles.text))
}

// merge joins the next row's cells from a column to the last. Programs do not
// fit the height of merged cells, so that put sets it.
func (p *page) merge(from int) {
	if p.err == nil {
		p.keep(p.w.MergeCell(fmt.Sprintf("%c%d", 'A'+from-1, p.row), fmt.Sprintf("%c%d", 'A'+len(pageWidths)-1, p.row)))
	}
}

func (p *page) linesFrom(column int, text string) int {
	width := 0.0
	for _, w := range pageWidths[column-1:] {
		width += w
	}
	return linesOf(text, width)
}

// cells writes a row of the four columns.
func (p *page) cells(label, what, figure, says string, style int) {
	lines := 1
	values := make([]any, 0, len(pageWidths))
	for i, s := range [...]string{label, what, figure, says} {
		s = view.Shorten(s, maxParagraph)
		lines = max(lines, linesOf(s, pageWidths[i]))
		values = append(values, p.value(s, style))
	}
	p.put(lines, style, values...)
}

// linesOf estimates how many lines text takes in a cell of width characters.
func linesOf(text string, width float64) int {
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		n += 1 + int(float64(view.Width(line))/width)
	}
	return n
}
