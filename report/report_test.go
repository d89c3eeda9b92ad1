package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/report/internal/fixture"
	"github.com/pgassay/pgassay/report/view"
)

var update = flag.Bool("update", false, "rewrite golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs from what was written; run with -update and look at the difference\n%s", name, got)
	}
}

func write(t testing.TB, format string, r *analysis.Result, o Options) []byte {
	t.Helper()
	f, ok := ByName(format)
	if !ok {
		t.Fatalf("no format %q", format)
	}
	var b bytes.Buffer
	if err := f.Write(&b, view.Build(r), o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGoldenReports(t *testing.T) {
	for _, c := range []struct {
		file, format string
		result       *analysis.Result
		options      Options
	}{
		{"incident-80.txt", "terminal", fixture.Incident(), DefaultOptions()},
		{"incident-60.txt", "terminal", fixture.Incident(), Options{Width: 60}},
		{"incident-color.txt", "terminal", fixture.Incident(), Options{Width: 80, Color: true}},
		{"healthy-80.txt", "terminal", fixture.Healthy(), DefaultOptions()},
		{"empty-80.txt", "terminal", fixture.Empty(), DefaultOptions()},
		{"hostile-80.txt", "terminal", shortHostile(), DefaultOptions()},
		{"incident.json", "json", fixture.Incident(), DefaultOptions()},
	} {
		t.Run(c.file, func(t *testing.T) { golden(t, c.file, write(t, c.format, c.result, c.options)) })
	}
}

// shortHostile is Hostile without what would make the golden file large.
func shortHostile() *analysis.Result {
	r := fixture.Hostile()
	r.Findings = r.Findings[:1]
	r.Findings[0].Summary = "short"
	return r
}

func TestNoLineIsWiderThanThePage(t *testing.T) {
	for _, r := range []*analysis.Result{fixture.Incident(), fixture.Healthy(), fixture.Empty(), fixture.Hostile()} {
		for _, width := range []int{0, 60, 61, 72, 80, 100, 132, 200} {
			for line := range strings.SplitSeq(string(write(t, "terminal", r, Options{Width: width})), "\n") {
				if w := view.Width(line); w > max(width, MinWidth) {
					t.Errorf("width %d: line of %d columns: %s", width, w, line)
				}
			}
		}
	}
}

func TestTerminalShowsNoControlCharacterOfTheInput(t *testing.T) {
	out := string(write(t, "terminal", fixture.Hostile(), DefaultOptions()))
	if !utf8.ValidString(out) {
		t.Error("not UTF-8")
	}
	for _, r := range out {
		if r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r == '\u202e' || r == '\u2028' {
			t.Fatalf("%q reached the terminal", r)
		}
	}
}

func TestColorIsOnlyPaint(t *testing.T) {
	colored := string(write(t, "terminal", fixture.Incident(), Options{Width: 80, Color: true}))
	for _, s := range []style{bold, faint, red, yellow, blue} {
		colored = strings.ReplaceAll(colored, "\x1b["+string(s)+"m", "")
	}
	colored = strings.ReplaceAll(colored, "\x1b[0m", "")
	trimmed := strings.Split(colored, "\n")
	for i := range trimmed {
		trimmed[i] = strings.TrimRight(trimmed[i], " ")
	}
	if got := strings.Join(trimmed, "\n"); got != string(write(t, "terminal", fixture.Incident(), DefaultOptions())) {
		t.Error("colour changes the layout")
	}
}

func TestEveryFormatIsDeterministic(t *testing.T) {
	for _, f := range Formats {
		if f.Name == "" || f.Doc == "" || !strings.HasPrefix(f.Extension, ".") {
			t.Errorf("format %q is not complete", f.Name)
		}
		a := write(t, f.Name, fixture.Incident(), DefaultOptions())
		if b := write(t, f.Name, fixture.Incident(), DefaultOptions()); !bytes.Equal(a, b) {
			t.Errorf("%s: two runs differ", f.Name)
		}
	}
}

func TestFormatIsFoundByNameAndExtension(t *testing.T) {
	if f, ok := ByExtension("out/Report.XLSX"); !ok || f.Name != "xlsx" {
		t.Errorf("Report.XLSX: %q", f.Name)
	}
	for _, file := range []string{"report", "report.doc", ""} {
		if f, ok := ByExtension(file); ok {
			t.Errorf("%q: %q", file, f.Name)
		}
	}
	if _, ok := ByName("pdf"); ok {
		t.Error("pdf found")
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("a short text", 10)
	f.Add(strings.Repeat("漢", 50)+" \u0301\u0301", 3)
	f.Fuzz(func(t *testing.T, s string, width int) {
		if width < 2 || width > 500 {
			return
		}
		s = view.Line(s)
		lines := wrap(s, width)
		for _, l := range lines {
			if view.Width(l) > width {
				t.Fatalf("%q is wider than %d", l, width)
			}
		}
		if got := strings.ReplaceAll(strings.Join(lines, ""), " ", ""); got != strings.ReplaceAll(s, " ", "") {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

func BenchmarkTerminal(b *testing.B) { benchmark(b, "terminal") }

func BenchmarkJSON(b *testing.B) { benchmark(b, "json") }

func BenchmarkXLSX(b *testing.B) { benchmark(b, "xlsx") }

func benchmark(b *testing.B, format string) {
	r := fixture.Incident()
	b.SetBytes(int64(len(write(b, format, r, DefaultOptions()))))
	b.ReportAllocs()
	for b.Loop() {
		write(b, format, r, DefaultOptions())
	}
}
