package xlsx

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report/internal/fixture"
	"github.com/pgassay/pgassay/report/view"
)

func TestFindingsLeadToTheirRowsAndBack(t *testing.T) {
	f := opened(t, written(t, rich()))
	for _, c := range []struct {
		sheet, title string
		row          int
		want         string
	}{
		{findingsSheet, "ID", 2, "'Figures'!A2"},
		{findingsSheet, "Row", 2, "'Indexes'!A2"},
		{findingsSheet, "Chart", 2, "'Series'!A3"},
		{findingsSheet, "Chart", 3, "'Series'!A57"},
		{findingsSheet, "Chart", 4, ""},
		{findingsSheet, "Plan", 2, "'Plans'!A2"},
		{figuresSheet, "ID", 2, "'Findings'!A2"},
		{evidenceSheet, "ID", 2, "'Findings'!A2"},
		{statementsSheet, "Finding", 2, "'Findings'!A2"},
		{statementsSheet, "Finding", 3, ""},
		{indexesSheet, "Finding", 2, "'Findings'!A2"},
		{tablesSheet, "Chart", 2, "'Series'!A75"},
		{plansSheet, "Finding", 2, "'Findings'!A2"},
		{vacuumsSheet, "Finding", 2, "'Findings'!A2"},
		{summarySheet, "", 0, "'Findings'!A2"},
	} {
		cell := "A4"
		if c.sheet != summarySheet {
			cell = cellOf(t, f, c.sheet, c.title, c.row)
		}
		_, target, err := f.GetCellHyperLink(c.sheet, cell)
		if err != nil || target != c.want {
			t.Errorf("%s!%s leads to %q (%v), want %q", c.sheet, cell, target, err, c.want)
		}
	}
}

func TestLinksEndWhereTheFormatDoes(t *testing.T) {
	r := fixture.Healthy()
	finding := r.Findings[0]
	for i := range maxLinks + 10 {
		finding.Subject.Fingerprint = fmt.Sprint(i)
		r.Findings = append(r.Findings, finding)
	}
	sheet := parts(t, written(t, r))["xl/worksheets/sheet2.xml"]
	if n := strings.Count(sheet, "<hyperlink "); n > maxLinks {
		t.Errorf("%d links", n)
	}
}

func TestFindingsThatShareASeriesShareItsChart(t *testing.T) {
	r := fixture.Incident()
	r.Findings[1].Series = append(r.Findings[1].Series, r.Findings[0].Series...)
	n := 0
	for name := range parts(t, written(t, r)) {
		if strings.HasPrefix(name, "xl/charts/chart") {
			n++
		}
	}
	if n != 4 {
		t.Errorf("%d charts, want 4", n)
	}
}

func TestPartsAreSortedAndWellFormed(t *testing.T) {
	data := written(t, rich())
	names := partNames(t, data)
	if !slices.IsSorted(names) || names[0] != "[Content_Types].xml" {
		t.Errorf("%v", names)
	}
	for name, text := range parts(t, data) {
		d := xml.NewDecoder(strings.NewReader(text))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// unescaped reads a text as ECMA-376 22.4.2.4 says, without the library.
func unescaped(s string) string {
	return bstr.ReplaceAllStringFunc(s, func(e string) string {
		var r rune
		if _, err := fmt.Sscanf(e, "_x%04X_", &r); err != nil {
			return e
		}
		return string(r)
	})
}

func TestTextThatLooksLikeAnEscapeIsUnharmed(t *testing.T) {
	texts := []string{"_x0041_", "a_x000D_b", "_x005F_", "_x005F_x0041_", "__x0041__", "x_y"}
	r := fixture.Healthy()
	for _, s := range texts {
		r.Losses = append(r.Losses, record.Loss{Text: s})
	}
	var sheet struct {
		Text []string `xml:"sheetData>row>c>is>t"`
	}
	p := parts(t, written(t, r))
	for name, text := range p {
		if strings.HasPrefix(name, "xl/worksheets/sheet") && strings.Contains(text, "What was expected") {
			if err := xml.Unmarshal([]byte(text), &sheet); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, s := range sheet.Text {
		sheet.Text[i] = unescaped(s)
	}
	for _, s := range texts {
		if !slices.Contains(sheet.Text, s) {
			t.Errorf("%q is not among %q", s, sheet.Text)
		}
	}
	if got := kept("_xD800_"); got != "_x005F_xD800_" {
		t.Errorf("%q: the library drops half characters", got)
	}
}

func TestColoursAndPrintedPages(t *testing.T) {
	f := opened(t, written(t, rich()))
	for _, sheet := range []string{findingsSheet, statementsSheet, tablesSheet, indexesSheet, plansSheet, vacuumsSheet, signaturesSheet} {
		if formats, err := f.GetConditionalFormats(sheet); err != nil || len(formats) == 0 {
			t.Errorf("%s has no colours (%v)", sheet, err)
		}
	}
	layout, err := f.GetPageLayout(findingsSheet)
	if err != nil || *layout.Orientation != "landscape" || *layout.FitToWidth != 1 {
		t.Errorf("%+v (%v)", layout, err)
	}
	var names []string
	for _, n := range f.GetDefinedName() {
		names = append(names, n.Name+" "+n.RefersTo)
	}
	for _, want := range []string{"_xlnm.Print_Titles 'Findings'!$1:$1", "_xlnm.Print_Area 'Findings'!$A$1:$K$5"} {
		if !slices.Contains(names, want) {
			t.Errorf("%q is not among %q", want, names)
		}
	}
	panes, err := f.GetPanes(findingsSheet)
	if err != nil || !panes.Freeze || panes.YSplit != 1 {
		t.Errorf("%+v (%v)", panes, err)
	}
}

// TestManyStatementsAreStreamed writes a sheet of the size that a busy server
// fills. The bound is far above what it takes (see BenchmarkStatements) and far
// below what rows in memory would.
func TestManyStatementsAreStreamed(t *testing.T) {
	if testing.Short() {
		t.Skip("large")
	}
	v := view.Build(many(50_000))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	var out bytes.Buffer
	if err := Write(&out, v); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if held := after.HeapSys - before.HeapSys; after.HeapSys > before.HeapSys && held > 200<<20 {
		t.Errorf("the heap grew by %d MB", held>>20)
	}
	t.Logf("%d kB in %v", out.Len()>>10, time.Since(start))
	for name, text := range parts(t, out.Bytes()) {
		if strings.Contains(text, "Plan shapes") && !strings.Contains(text[len(text)-4000:], fmt.Sprintf("%016x", 49_999)) {
			t.Errorf("%s does not end with the last row", name)
		}
	}
}

// many is a result with n statements.
func many(n int) *analysis.Result {
	r := fixture.Healthy()
	row := r.Statements[0]
	row.Rows, row.BuffersPerRow = 1.5, math.Pi
	r.Statements = make([]analysis.StatementRow, n)
	for i := range r.Statements {
		row.Fingerprint = fmt.Sprintf("%016x", i)
		row.Text = fmt.Sprintf("SELECT a%d, b, c FROM table_%d JOIN other USING (id) WHERE id = ANY ($1) AND state = $2 ORDER BY created_at LIMIT $3", i, i%97)
		row.Calls = int64(i)
		r.Statements[i] = row
	}
	return r
}

func BenchmarkStatements(b *testing.B) {
	v := view.Build(many(300_000))
	b.ReportAllocs()
	for b.Loop() {
		n := &counter{}
		if err := Write(n, v); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(n.bytes)
	}
	b.ReportMetric(300_000*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

type counter struct{ bytes int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.bytes += int64(len(p))
	return len(p), nil
}

func TestRowsBeyondTheSheetAreCounted(t *testing.T) {
	b := table{rows: maxRows + 3}
	if n := b.shown(); n != maxRows || b.note != "3 more rows are not shown" {
		t.Errorf("%d rows, note %q", n, b.note)
	}
}
