package xlsx

import (
	"archive/zip"
	"bytes"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report/internal/fixture"
	"github.com/pgassay/pgassay/report/view"
	"github.com/xuri/excelize/v2"
)

func written(t *testing.T, r *analysis.Result) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, view.Build(r)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func opened(t *testing.T, data []byte) *excelize.File {
	t.Helper()
	f, err := excelize.OpenReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// parts are the files of the package.
func parts(t *testing.T, data []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name] = string(b)
	}
	return out
}

func raw(t *testing.T, f *excelize.File, sheet, cell string) string {
	t.Helper()
	s, err := f.GetCellValue(sheet, cell, excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWorkbookBytesAreReproducible(t *testing.T) {
	for range 5 {
		if !bytes.Equal(written(t, rich()), written(t, rich())) {
			t.Fatal("two runs differ")
		}
	}
	core := parts(t, written(t, fixture.Incident()))["docProps/core.xml"]
	if strings.Count(core, "2026-11-30T14:22:51Z") != 2 {
		t.Errorf("not dated by its data: %s", core)
	}
}

func TestSheetsAreInOrderAndEmptyOnesStayOut(t *testing.T) {
	for _, c := range []struct {
		result *analysis.Result
		want   string
	}{
		{rich(), "Summary Findings Figures Attribution Evidence Statements Tables Indexes Plans Vacuum timeline Events Series Inputs Losses Signatures"},
		{fixture.Empty(), "Summary Findings Series Inputs Losses Signatures"},
	} {
		if got := strings.Join(opened(t, written(t, c.result)).GetSheetList(), " "); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

func TestEachSeriesHasANativeChartWithItsTitleAndRanges(t *testing.T) {
	p := parts(t, written(t, fixture.Incident()))
	var all strings.Builder
	n := 0
	for name, text := range p {
		if strings.HasPrefix(name, "xl/charts/chart") {
			n++
			all.WriteString(text)
		}
	}
	if n != 4 {
		t.Errorf("%d charts, want 4: one for each scale of each series", n)
	}
	for _, s := range []string{
		"Cost per row follows the index size since the vacuum", "One buffer per page", "Heap fetches fall at each vacuum",
		"time (UTC)", "index size (pages)", "buffers per row", "&apos;Series&apos;!$N$3:$N$48", "scatterChart",
	} {
		if !strings.Contains(all.String(), s) && !strings.Contains(all.String(), strings.ReplaceAll(s, "&apos;", "&#39;")) {
			t.Errorf("no chart has %q", s)
		}
	}
}

// cellOf is the cell below a title.
func cellOf(t *testing.T, f *excelize.File, sheet, title string, row int) string {
	t.Helper()
	rows, err := f.GetRows(sheet)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.Index(rows[0], title)
	if at < 0 {
		t.Fatalf("%s has no column %q", sheet, title)
	}
	cell, err := excelize.CoordinatesToCellName(at+1, row)
	if err != nil {
		t.Fatal(err)
	}
	return cell
}

func TestNumbersAndTimesAreNumbersAndAbsentIsEmpty(t *testing.T) {
	f := opened(t, written(t, rich()))
	for _, c := range []struct {
		sheet, title string
		row          int
		want         string
	}{
		{findingsSheet, "Effect (cost ÷ baseline)", 2, "3.93"},
		{findingsSheet, "Share of time", 2, "0.62"},
		{findingsSheet, "Since (UTC)", 2, "46356.5973842593"},
		{findingsSheet, "Ended (UTC)", 2, ""},
		{findingsSheet, "Effect (cost ÷ baseline)", 4, ""},
		{statementsSheet, "Buffers per call (8 kB)", 2, ""},
		{statementsSheet, "Total (ms)", 2, "200000"},
		{tablesSheet, "Dead rows, last", 2, "0"},
		{tablesSheet, "Dead ÷ trigger, worst", 2, "1.5"},
		{tablesSheet, "Vacuum trigger, last (dead rows)", 2, "1000"},
		{vacuumsSheet, "Tuples remain", 2, ""},
		{vacuumsSheet, "Began (UTC)", 2, "46356.596400463"},
		{inputsSheet, "Size (bytes)", 2, "18045337"},
		{eventsSheet, "Time (UTC)", 5, ""},
		{eventsSheet, "Duration (ms)", 3, "1000.123"},
		{eventsSheet, "Duration (ms)", 2, ""},
		{eventsSheet, "Count", 4, "1073741824"},
		{eventsSheet, "Count", 3, ""},
		{plansSheet, "Self (ms)", 2, "49"},
		{plansSheet, "Own buffers (8 kB)", 2, "9020"},
		{plansSheet, "Own buffers (8 kB)", 3, ""},
		{plansSheet, "Rows ÷ planned", 3, "10"},
		{plansSheet, "Operation", 3, "  Seq Scan on staging"},
	} {
		if got := raw(t, f, c.sheet, cellOf(t, f, c.sheet, c.title, c.row)); got != c.want {
			t.Errorf("%s, %s, row %d: %q, want %q", c.sheet, c.title, c.row, got, c.want)
		}
	}
	s, err := f.GetCellValue(findingsSheet, cellOf(t, f, findingsSheet, "Since (UTC)", 2))
	if err != nil || s != "2026-11-30 14:20:14.000" {
		t.Errorf("the time reads %q (%v)", s, err)
	}
}

func TestHostileTextStaysText(t *testing.T) {
	p := parts(t, written(t, fixture.Hostile()))
	formula := regexp.MustCompile(`<f[ >]`)
	for name, text := range p {
		if !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\x07\x1b") {
			t.Errorf("%s has characters that XML does not allow", name)
		}
		if strings.HasPrefix(name, "xl/worksheets/") && formula.MatchString(text) {
			t.Errorf("%s has a formula", name)
		}
	}
	for name, text := range parts(t, written(t, rich())) {
		if strings.HasPrefix(name, "xl/worksheets/") && formula.MatchString(text) {
			t.Errorf("%s has a formula from an event or a plan", name)
		}
	}
	f := opened(t, written(t, fixture.Hostile()))
	title := cellOf(t, f, findingsSheet, "Title", 2)
	got := raw(t, f, findingsSheet, title)
	if !strings.HasPrefix(got, "=cmd|' /C calc'!A0\\x1b[31m") || !strings.HasSuffix(got, "_x0041_") {
		t.Errorf("the title became %q", got)
	}
	if kind, err := f.GetCellType(findingsSheet, title); err != nil || kind != excelize.CellTypeInlineString {
		t.Errorf("the title is of type %v (%v)", kind, err)
	}
	long := raw(t, f, findingsSheet, cellOf(t, f, findingsSheet, "Summary", 2))
	if n := len([]rune(long)); n > excelize.TotalCellChars || !strings.Contains(long, "[cut: ") {
		t.Errorf("the long text has %d characters and ends in %q", n, long[len(long)-40:])
	}
}

func TestIdentifiersKeepTheirDigits(t *testing.T) {
	r := fixture.Healthy()
	r.Statements[0].Fingerprint = "9007199254740993"
	f := opened(t, written(t, r))
	cell := cellOf(t, f, statementsSheet, "Fingerprint", 2)
	if got := raw(t, f, statementsSheet, cell); got != "9007199254740993" {
		t.Errorf("%q", got)
	}
	if kind, _ := f.GetCellType(statementsSheet, cell); kind != excelize.CellTypeInlineString {
		t.Errorf("type %v", kind)
	}
}

func TestManyPointsAreThinnedAndSaySo(t *testing.T) {
	r := fixture.Healthy()
	column := finding.Column{Name: "latency", Unit: "ms"}
	for i := range 3*maxPoints + 1 {
		column.Points = append(column.Points, finding.Point{X: float64(r.From) + float64(i)*1000, Y: 1})
	}
	r.Findings[0].Series = []finding.Series{{Name: "long", Columns: []finding.Column{column}}}
	f := opened(t, written(t, r))
	if got := raw(t, f, seriesSheet, "O2"); got != "latency (ms) (every 4. of 60,001 points)" {
		t.Errorf("%q", got)
	}
}

func TestCappedCountsUTF16Units(t *testing.T) {
	for _, s := range []string{strings.Repeat("x", excelize.TotalCellChars), "short"} {
		if capped(s) != s {
			t.Error("cut though it fits")
		}
	}
	got := capped(strings.Repeat("\U0001F600", 20000))
	units := 0
	for _, r := range got {
		units += utf16Len(r)
	}
	if units > excelize.TotalCellChars || !strings.Contains(got, "20,000 characters") {
		t.Errorf("%d units, %q", units, got[len(got)-80:])
	}
}

func TestSerialNeverShowsTheSecondBefore(t *testing.T) {
	start, _ := record.ParseTime("2026-11-30 00:00:00")
	f := excelize.NewFile()
	defer func() { _ = f.Close() }()
	for s := range record.Time(86400) / 61 {
		at := start + s*61*record.Time(record.Second)
		if err := f.SetCellFloat("Sheet1", "A1", serial(at), -1, 64); err != nil {
			t.Fatal(err)
		}
		v, err := f.GetCellValue("Sheet1", "A1")
		if err != nil {
			t.Fatal(err)
		}
		got, err := excelize.ExcelDateToTime(mustFloat(t, v), false)
		if err != nil || got.Unix() != at.Std().Unix() {
			t.Fatalf("%v became %v (%v)", at.Std(), got, err)
		}
	}
}

func mustFloat(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func FuzzCellHoldsAnyText(f *testing.F) {
	f.Add("=1+1")
	f.Add("_xD800__x0041_\x00\u202e")
	f.Add(strings.Repeat("\U0001F600", 20_000))
	f.Fuzz(func(t *testing.T, s string) {
		got := capped(kept(view.Line(s)))
		units := 0
		for _, r := range got {
			units += utf16Len(r)
		}
		if units > excelize.TotalCellChars || !utf8.ValidString(got) || surrogate.MatchString(strings.ReplaceAll(got, "_x005F_", "")) {
			t.Fatalf("%d units, %q", units, got)
		}
	})
}
