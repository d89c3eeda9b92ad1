package view

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser"
	"github.com/pgassay/pgassay/parser/record"
)

func TestQuantityHasThreeFiguresAndItsUnit(t *testing.T) {
	for _, c := range []struct {
		v    float64
		unit string
		want string
	}{
		{2550, "", "2,550"},
		{2547.3, "buffers/row", "2,550 buffers/row"},
		{5486, "pages", "5,486 pages"},
		{3.93, "x", "3.9x"},
		{85100, "ms", "85.1 s"},
		{85.1, "s", "85.1 s"},
		{0.0468, "ms", "0.0468 ms"},
		{0.2, "s", "200 ms"},
		{1.4567, "ms/row", "1.46 ms/row"},
		{750, "s", "12.5 min"},
		{3 * 86400, "s", "3 days"},
		{18454937, "bytes", "17.6 MB"},
		{512, "bytes", "512 bytes"},
		{0.129, "fraction", "12.9 %"},
		{0, "%", "0 %"},
		{-0.00000001, "", "-1e-08"},
		{0.05, "", "0.05"},
		{12345678, "buffers", "12.3 million buffers"},
		{4.2e9, "", "4.2 billion"},
		{-2547.3, "", "-2,550"},
		{math.NaN(), "ms", Unknown},
		{math.Inf(1), "x", Unknown},
	} {
		if got := Quantity(c.v, c.unit); got != c.want {
			t.Errorf("Quantity(%v, %q) = %q, want %q", c.v, c.unit, got, c.want)
		}
	}
}

func TestIntervalDecidesTheDigits(t *testing.T) {
	for _, c := range []struct {
		v, low, high float64
		unit, want   string
	}{
		{0.9812, 0.967, 0.998, "buffers/page", "0.981 buffers/page [0.967 0.998]"},
		{17.2, 15.1, 19.4, "min", "17 min [15 19]"},
		{2547, 2481, 2612, "", "2,550 [2,480 2,610]"},
		{1.45, 1.39, 1.52, "ms/bucket", "1.45 ms/bucket [1.39 1.52]"},
		{2550, 100, 5000, "", "2,600 [100 5,000]"},
		{85100, 80000, 90000, "ms", "85 s [80 90]"},
		{0, 0, 0, "", "0 [0 0]"},
		{1, math.Inf(-1), 2, "x", "1x"},
	} {
		if got := QuantityInterval(c.v, c.low, c.high, c.unit); got != c.want {
			t.Errorf("QuantityInterval(%v %v %v %q) = %q, want %q", c.v, c.low, c.high, c.unit, got, c.want)
		}
	}
}

func TestCompactFitsTheEndOfASparkline(t *testing.T) {
	for _, c := range []struct {
		v    float64
		unit string
		want string
	}{
		{2432, "buffers/row", "2.4k"}, {10020, "pages", "10.0k"}, {271904, "", "272k"}, {12.345, "", "12.3"},
		{99960, "", "100k"}, {1.5e9, "", "1.5G"}, {89128960, "bytes", "85 MB"}, {1500, "ms", "1.5 s"},
	} {
		if got := Compact(c.v, c.unit); got != c.want {
			t.Errorf("Compact(%v, %q) = %q, want %q", c.v, c.unit, got, c.want)
		}
	}
}

func TestClockShowsTheDateOnlyWhereItIsNeeded(t *testing.T) {
	at := func(s string) record.Time {
		v, ok := record.ParseTime(s)
		if !ok {
			t.Fatal(s)
		}
		return v
	}
	day := NewClock(at("2026-11-30 14:17:34"), at("2026-11-30 14:22:51"))
	night := NewClock(at("2026-11-30 23:59:00"), at("2026-12-01 00:10:00"))
	for _, c := range []struct{ got, want string }{
		{day.Span(), "2026-11-30 14:17:34–14:22:51 UTC"},
		{day.At(at("2026-11-30 14:20:14")), "14:20:14"},
		{day.At(at("2026-11-29 14:20:14")), "2026-11-29 14:20:14"},
		{day.At(record.NoTime), Unknown},
		{night.Span(), "2026-11-30 23:59:00 – 2026-12-01 00:10:00 UTC"},
		{night.At(at("2026-12-01 00:01:00")), "2026-12-01 00:01:00"},
		{NewClock(record.NoTime, record.NoTime).Span(), "no times in input"},
		{RFC3339(at("2026-11-30 14:20:14.123456")), "2026-11-30T14:20:14.123456Z"},
		{RFC3339(0), ""},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestUntrustedTextIsMadeVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain text":          "plain text",
		"  two  spaces ":      "two spaces",
		"a\r\n\tb":            "a b",
		"\x1b[31mred\x1b[0m":  `\x1b[31mred\x1b[0m`,
		"bell\x07 nul\x00":    `bell\x07 nul\x00`,
		"\u202egnp.exe":       `\u202egnp.exe`,
		"bad \xff utf8":       `bad \xff utf8`,
		"\uFFFD stays":        "\uFFFD stays",
		"\u009b31m":           `\x9b31m`,
		"Größe 漢字 \U0001F600": "Größe 漢字 \U0001F600",
		"zero\u200bwidth":     `zero\u200bwidth`,
	} {
		if got := Line(in); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
	if got := Block("SELECT 1,\r\n  2;\x1b\n"); got != "SELECT 1,\n  2;\\x1b" {
		t.Errorf("Block: %q", got)
	}
}

func TestShortenKeepsBothEnds(t *testing.T) {
	if got := Shorten("SELECT a FROM t WHERE x = 1", 15); got != "SELECT a …x = 1" || Width(got) > 15 {
		t.Errorf("%q", got)
	}
	if got := Shorten("漢字漢字漢字漢字", 7); Width(got) > 7 || !strings.Contains(got, "…") {
		t.Errorf("%q is %d wide", got, Width(got))
	}
}

func TestFilesOfOneKindAreToldAsOne(t *testing.T) {
	r := &analysis.Result{}
	for i, name := range []string{"snap/a.csv", "snap/b.csv", "snap/c.csv", "other/a.csv", "log.1"} {
		at := record.Time(i/2) * record.Time(30*record.Second) // a and b are of one capture
		in := analysis.Input{File: record.File{Name: name, Format: "csv", View: record.ViewTables}, Samples: 1, Snapshots: 1, Captures: []record.Time{at}}
		if name == "log.1" {
			in = analysis.Input{File: record.File{Name: name, Format: "stderr"}, Entries: 2, Understood: 1}
		}
		r.Inputs = append(r.Inputs, in)
	}
	r.Losses = []record.Loss{{Pos: record.Pos{File: "snap/b.csv", Line: 3}, Kind: record.LossRow, Count: 4}}
	var got []string
	for _, in := range Build(r).Inputs {
		got = append(got, in.Name+": "+in.Read)
	}
	want := []string{
		"snap/*.csv: 3 files, 0 bytes, 2 snapshots, every 30 s, 4 losses",
		"other/a.csv: 0 bytes, 1 snapshot, all understood",
		"log.1: 0 bytes, 1 of 2 entries understood",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", got)
	}
}

func TestNothingEvaluatedIsNotHealthy(t *testing.T) {
	v := Build(&analysis.Result{From: record.NoTime, To: record.NoTime})
	if strings.Contains(v.Healthy, "No finding") || v.Healthy == "" {
		t.Errorf("%q", v.Healthy)
	}
}

func TestPlacesNameAFileOnce(t *testing.T) {
	f := &finding.Finding{
		Onset: &finding.Onset{EventPos: record.Pos{File: "a", Line: 1}},
		Evidence: []finding.Evidence{
			{What: "first", Pos: record.Pos{File: "a", Line: 2}}, {What: "no place"},
			{What: "worst", Pos: record.Pos{File: "b", Line: 3}}, {Pos: record.Pos{File: "b", Line: 4}},
		},
	}
	if got, want := strings.Join(places(f), ", "), "a:1 (event), :2 (first), b:3 (worst), :4"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzLine(f *testing.F) {
	f.Add("\x1b]0;title\x07")
	f.Add("a\xc3(\u0301\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		for _, out := range []string{Line(s), strings.ReplaceAll(Block(s), "\n", "")} {
			if !utf8.ValidString(out) {
				t.Fatalf("%q is not UTF-8", out)
			}
			for _, r := range out {
				if !unicode.IsPrint(r) {
					t.Fatalf("%q of %q does not print", r, s)
				}
			}
		}
		if again := Line(Line(s)); again != Line(s) {
			t.Fatalf("%q changes again to %q", Line(s), again)
		}
		if short := Shorten(Line(s), 20); Width(short) > 20 {
			t.Fatalf("%q is too wide", short)
		}
	})
}

func FuzzQuantity(f *testing.F) {
	f.Add(1e300, 1.0, 2.0, "bytes")
	f.Add(-0.0001, -1e-320, 5.0, "ms")
	f.Fuzz(func(t *testing.T, v, low, high float64, unit string) {
		for _, out := range []string{Quantity(v, unit), QuantityInterval(v, low, high, unit), Compact(v, unit)} {
			if out == "" || strings.Contains(out, "NaN") && !strings.Contains(unit, "NaN") {
				t.Fatalf("%v %v %v %q: %q", v, low, high, unit, out)
			}
		}
	})
}

func TestSnapshotsOfOneArchiveAreToldAsOne(t *testing.T) {
	const hour = 3600_000_000
	input := func(name string, from, to record.Time) analysis.Input {
		return analysis.Input{
			File: record.File{Name: name, Format: "csv", View: record.ViewTables}, Bytes: 10, Samples: 1, Snapshots: 1,
			Captures: []record.Time{hour}, First: from, Last: to, Kinds: []parser.KindCount{{Kind: "snapshot rows", Count: 1}},
		}
	}
	r := &analysis.Result{
		From: hour, To: 5 * hour, Filter: "database shop: 1 of 2 executions kept",
		Inputs: []analysis.Input{
			input("a.zip!1.csv", hour, 2*hour), input("a.zip!2.csv", 3*hour, 4*hour), input("a.zip!sub/1.csv", hour, hour),
			input("b.tar.gz!1.csv", record.NoTime, record.NoTime), input("b.tar.gz!sub/1.csv.gz", hour, 2*hour), input("b.tar.gz!sub/2.csv.gz", 4*hour, 5*hour),
		},
	}
	v := Build(r)
	var got []string
	for _, in := range v.Inputs {
		got = append(got, in.Name+" | "+in.Read+" | "+in.Kinds)
	}
	want := []string{
		"a.zip!*.csv | 2 files, 20 bytes, 1 snapshot, 01:00:00 to 04:00:00, all understood | snapshot rows 2",
		"a.zip!sub/1.csv | 10 bytes, 1 snapshot, 01:00:00 to 01:00:00, all understood | snapshot rows 1",
		"b.tar.gz!1.csv | 10 bytes, 1 snapshot, all understood | snapshot rows 1",
		"b.tar.gz!sub/*.csv.gz | 2 files, 20 bytes, 1 snapshot, 01:00:00 to 05:00:00, all understood | snapshot rows 2",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !strings.HasSuffix(v.Head, " · filter: "+r.Filter) {
		t.Errorf("head %q", v.Head)
	}
}

func TestListsOfPhrasesAndOfSentences(t *testing.T) {
	for want, in := range map[string][]string{
		"":          nil,
		"a":         {"a"},
		"a, b":      {"a", "b"},
		"One. Two.": {"One.", "Two."},
		"a, Two. c": {"a", "Two.", "c"},
	} {
		if got := joinLines(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
