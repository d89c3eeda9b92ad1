package xlsx

import (
	"fmt"

	"github.com/xuri/excelize/v2"
)

// maxHeight is the format's limit for the height of a row, in points.
const maxHeight = 409.0

// stream is a sheet while it is written: rows ascend and do not stay in memory.
type stream struct {
	*book
	name  string
	w     *excelize.StreamWriter
	links int
}

// stream begins the sheet; the first is there already. What it says of its size
// and its pages comes before its rows.
func (b *book) stream(name, orientation string, columns, rows int) *stream {
	if name != summarySheet {
		_, err := b.file.NewSheet(name)
		b.keep(err)
	}
	last, err := excelize.CoordinatesToCellName(max(columns, 1), max(rows, 1))
	b.keep(err)
	b.keep(b.file.SetSheetDimension(name, "A1:"+last))
	b.pageLayout(name, orientation)
	s := &stream{book: b, name: name}
	if b.err == nil {
		s.w, err = b.file.NewStreamWriter(name)
		b.keep(err)
	}
	return s
}

// row writes a row of prepared values; height 0 leaves it to the program.
func (s *stream) row(at int, height float64, values []any) {
	if s.err == nil {
		s.keep(s.w.SetRow(fmt.Sprintf("A%d", at), values, excelize.RowOpts{Height: height}))
	}
}

// link makes the cell lead to l's target.
func (s *stream) link(col, row int, l link) {
	if l.target == "" || s.links >= maxLinks {
		return
	}
	s.links++
	cell, err := excelize.CoordinatesToCellName(col, row)
	s.keep(err)
	s.keep(s.file.SetCellHyperLink(s.name, cell, l.target, "Location"))
}

func (s *stream) widths(columns []column) {
	for i, c := range columns {
		if s.err == nil && c.width > 0 {
			s.keep(s.w.SetColWidth(i+1, i+1, c.width))
		}
	}
}

// freeze keeps the first rows in sight.
func (s *stream) freeze(rows int) {
	if s.err == nil {
		s.keep(s.w.SetPanes(&excelize.Panes{
			Freeze: true, YSplit: rows, TopLeftCell: fmt.Sprintf("A%d", rows+1), ActivePane: "bottomLeft",
		}))
	}
}

func (s *stream) close() {
	if s.err == nil {
		s.keep(s.w.Flush())
	}
}

// printName sets one of the names by which a sheet says what is printed.
func (b *book) printName(sheet, name, cells string) {
	b.keep(b.file.SetDefinedName(&excelize.DefinedName{
		Name: "_xlnm." + name, RefersTo: fmt.Sprintf("'%s'!%s", sheet, cells), Scope: sheet,
	}))
}

// pageLayout sets A4 with narrow margins, as wide as one page.
func (b *book) pageLayout(sheet, orientation string) {
	size, wide, tall, fit, height := 9, 1, 0, true, lineHeight
	side, end, footer := 0.3, 0.5, 0.25 // inches
	b.keep(b.file.SetSheetProps(sheet, &excelize.SheetPropsOptions{FitToPage: &fit, DefaultRowHeight: &height, CustomHeight: &fit}))
	b.keep(b.file.SetPageLayout(sheet, &excelize.PageLayoutOptions{
		Size: &size, Orientation: &orientation, FitToWidth: &wide, FitToHeight: &tall,
	}))
	b.keep(b.file.SetPageMargins(sheet, &excelize.PageLayoutMarginsOptions{
		Left: &side, Right: &side, Top: &end, Bottom: &end, Header: &footer, Footer: &footer,
	}))
	b.keep(b.file.SetHeaderFooter(sheet, &excelize.HeaderFooterOptions{OddFooter: "&Lpgassay &A&R&P / &N"}))
}
