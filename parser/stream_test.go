package parser

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// folder writes files and enters their folder.
func folder(t testing.TB, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

// seen is what a run delivered, without the division into batches.
type seen struct {
	Executions []record.Execution
	Events     []record.Event
	Samples    []record.Sample
	Losses     []record.Loss
	Report     *Report
}

// texts are the entries, sorted.
func (s seen) texts() []string {
	var all []string
	for _, e := range s.Executions {
		all = append(all, e.Parameters)
	}
	slices.Sort(all)
	return all
}

func run(t testing.TB, opt Options, paths ...string) seen {
	t.Helper()
	if opt.Formats == nil {
		opt.Formats = fakes
	}
	var s seen
	var err error
	s.Report, err = Stream(context.Background(), paths, opt, func(b *record.Batch) error {
		s.Executions = append(s.Executions, b.Executions...)
		s.Events = append(s.Events, b.Events...)
		s.Samples = append(s.Samples, b.Samples...)
		s.Losses = append(s.Losses, b.Losses...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// randomLog is a log of n entries with continuation lines.
func randomLog(r *rand.Rand, n int, quoted bool) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "@%d ", 1000+i)
		text := fmt.Sprintf("entry %d", i)
		for range r.IntN(4) {
			text += "\n\t" + strings.Repeat("x", r.IntN(30))
		}
		if quoted {
			text = `"` + strings.ReplaceAll(text, "\t", "") + `"`
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

func TestJobsAndBlockSizeChangeNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	folder(t, map[string]string{
		"in/a.log":      randomLog(r, 60, false),
		"in/b.csv":      randomLog(r, 60, true),
		"in/broken.csv": randomLog(r, 5, true) + "@2000 \"unfinished\nrow",
		"in/bad.log":    strings.Repeat("@1 bad\n@2 good\n", 20),
		"in/c.log":      "\tof another\n" + randomLog(r, 3, false),
		"in/d.tsv":      "relname\na\nb\nc",
		"in/e.json":     "[1,\n2]",
		"in/f.bin":      "\x00\x01",
		"in/g.txt":      "prose\n",
		"in/h.log":      "",
	})
	want := run(t, Options{Jobs: 1, BlockSize: 1 << 20}, "in")
	if len(want.Executions) != 60+60+5+20+3+1 || len(want.Samples) != 3 {
		t.Fatalf("%d executions and %d samples", len(want.Executions), len(want.Samples))
	}
	for _, jobs := range []int{1, 2, 8} {
		for _, size := range []int{1, 2, 3, 7, 16, 64, 1000} {
			got := run(t, Options{Jobs: jobs, BlockSize: size}, "in")
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%d jobs with blocks of %d: %d executions, losses %v, want %d, %v",
					jobs, size, len(got.Executions), got.Losses, len(want.Executions), want.Losses)
			}
		}
	}
}

func TestReportCountsWhatWasRead(t *testing.T) {
	folder(t, map[string]string{
		"in/a.log":  "@1 start\n@2 select\n\tmore\n@3 bad",
		"in/b.tsv":  "relname\na\nb\n",
		"in/c.json": "[]",
		"in/d.json": "[xml",
		"in/e.bin":  "ab\x00",
		"in/f.txt":  "prose\n",
		"in/g.log":  "\n \n",
	})
	start := func(name, text string) []record.Loss {
		return []record.Loss{{Pos: record.Pos{File: name, Line: 1}, Kind: record.LossFile, Text: text, Count: 1}}
	}
	want := []FileReport{
		{
			File:  record.File{Name: "in/a.log", Format: "line-log", Version: "17.5"},
			Bytes: 31, Lines: 4, Entries: 3, Understood: 3, Executions: 1,
			Losses: []record.Loss{{Pos: record.Pos{File: "in/a.log", Line: 4, Offset: 25}, Kind: record.LossPlan, Text: "bad plan", Count: 1}},
			Kinds:  []KindCount{{"other executions", 1}, {"server starts", 1}},
		},
		{
			File:  record.File{Name: "in/b.tsv", Format: "row-table", Detail: "1 column", View: record.ViewTables, TimeFrom: record.TimeFileName},
			Bytes: 12, Lines: 3, Samples: 2, Kinds: []KindCount{{"snapshot rows", 2}},
		},
		{
			File:  record.File{Name: "in/c.json", Format: "plan-file"},
			Bytes: 2, Lines: 1, Entries: 1, Understood: 1, Executions: 1, Plans: 1,
			Kinds: []KindCount{{"EXPLAIN plans", 1}},
		},
		{File: record.File{Name: "in/d.json"}, Losses: start("in/d.json", "XML plans are not read")},
		{File: record.File{Name: "in/e.bin"}, Losses: start("in/e.bin", "binary data, not text")},
		{File: record.File{Name: "in/f.txt"}, Losses: start("in/f.txt", `no input format fits: it begins with "prose", which is none of line-log, quote-log, row-table, plan-file`)},
		{File: record.File{Name: "in/g.log", Format: FormatEmpty}},
	}
	got := run(t, Options{}, "in").Report.Files
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("file %d:\ngot  %+v\nwant %+v", i, got[min(i, len(got)-1)], want[min(i, len(want)-1)])
		}
	}
}

func TestHighestScoreWinsThenUsableThenEarlier(t *testing.T) {
	format := func(name string, score int, reason string) source.Format {
		return source.Format{Name: name, Detect: func(*source.Head) *source.Detection {
			return &source.Detection{Score: score, Reason: reason, Whole: true, Parse: func([]byte, record.Pos, *record.Batch) {}}
		}}
	}
	folder(t, map[string]string{"a": "text"})
	tests := []struct {
		name    string
		formats []source.Format
		want    string
	}{
		{"higher score", []source.Format{format("a", 1, ""), format("b", 2, "")}, "b"},
		{"tie", []source.Format{format("a", 2, ""), format("b", 2, "")}, "a"},
		{"tie with an unusable one", []source.Format{format("a", 2, "why"), format("b", 2, "")}, "b"},
		{"unusable with the highest score", []source.Format{format("a", 3, "why"), format("b", 2, "")}, ""},
	}
	for _, tt := range tests {
		if got := run(t, Options{Formats: tt.formats}, "a").Report.Files[0].Format; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestLossesKeepTheirFirstPlacesAndCountAll(t *testing.T) {
	folder(t, map[string]string{"a.log": "of nothing\n" + strings.Repeat("@1 bad\n", 50)})
	losses := run(t, Options{BlockSize: 30}, "a.log").Report.Files[0].Losses
	if len(losses) != 1+placesOf(record.LossPlan) || losses[0].Kind != record.LossLine {
		t.Fatalf("got %+v", losses)
	}
	total := int64(0)
	for i, l := range losses[1:] {
		total += l.Count
		if l.Pos.Line != int64(i+2) {
			t.Errorf("place %d is line %d", i, l.Pos.Line)
		}
	}
	if total != 50 || losses[5].Count != 46 {
		t.Errorf("counts %d losses: %+v", total, losses)
	}
}

func TestLateLossWithAnEarlyPlaceIsKept(t *testing.T) {
	var r FileReport
	for _, offset := range []int64{20, 30, 40, 50, 60, 70, 10, 80} {
		r.lose(record.Loss{Kind: record.LossPlan, Pos: record.Pos{Offset: offset}, Count: 2})
	}
	var places, counts []int64
	for _, l := range r.Losses {
		places, counts = append(places, l.Pos.Offset), append(counts, l.Count)
	}
	if !slices.Equal(places, []int64{10, 20, 30, 40, 50}) || !slices.Equal(counts, []int64{2, 2, 2, 2, 8}) {
		t.Errorf("places %v, counts %v", places, counts)
	}
}

// What lacks in the prefix and what language is not understood is told once, and
// never counted under another text.
func TestLossOfTheWholeFileIsToldOnce(t *testing.T) {
	var r FileReport
	for i := range int64(14) {
		r.lose(record.Loss{Kind: record.LossLanguage, Text: string(rune('a' + i%7)), Pos: record.Pos{Offset: 100 - i}, Count: i})
	}
	if len(r.Losses) != 7 {
		t.Fatalf("%+v", r.Losses)
	}
	for _, l := range r.Losses {
		i := int64(l.Text[0] - 'a')
		if l.Count != 2*i+7 || l.Pos.Offset != 93-i {
			t.Errorf("%+v", l)
		}
	}
}

func TestTruncatedGzipGivesItsEntriesAndALoss(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := io.WriteString(w, randomLog(rand.New(rand.NewPCG(1, 1)), 20_000, false)); err != nil {
		t.Fatal(err)
	}
	folder(t, map[string]string{"a.log.gz": packed.String()[:packed.Len()/2], "b.gz": "\x1f\x8b"})
	got := run(t, Options{}, "a.log.gz", "b.gz")
	for _, f := range got.Report.Files {
		if len(f.Losses) != 1 || f.Losses[0].Kind != record.LossTruncated {
			t.Errorf("%s: losses %+v", f.Name, f.Losses)
		}
	}
	if n := len(got.Executions); n < 5000 || n == 20_000 {
		t.Errorf("%d entries", n)
	}
}

func TestStandardInput(t *testing.T) {
	got := run(t, Options{Stdin: strings.NewReader("@1 one\n")}, "-")
	if len(got.Executions) != 1 || got.Executions[0].Pos.String() != "-:1" {
		t.Errorf("got %+v", got.Executions)
	}
}

func TestErrorsStopTheRun(t *testing.T) {
	folder(t, map[string]string{"a.log": randomLog(rand.New(rand.NewPCG(1, 1)), 2000, false)})
	opt := Options{Formats: fakes, Jobs: 2, BlockSize: 64}
	ignore := func(*record.Batch) error { return nil }
	var usage *UsageError
	if _, err := Stream(context.Background(), []string{"missing"}, opt, ignore); !errors.As(err, &usage) {
		t.Errorf("missing file: %v", err)
	}
	full := errors.New("disk full")
	calls := 0
	refuse := func(*record.Batch) error { calls++; return full }
	if _, err := Stream(context.Background(), []string{"a.log"}, opt, refuse); !errors.Is(err, full) || calls != 1 {
		t.Errorf("fold: %v after %d calls", err, calls)
	}
	ctx, cancel := context.WithCancel(context.Background())
	stop := func(*record.Batch) error { cancel(); return nil }
	if _, err := Stream(ctx, []string{"a.log"}, opt, stop); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	silent, w := io.Pipe()
	defer w.Close()
	opt.Stdin = silent
	if _, err := Stream(ctx, []string{"-"}, opt, ignore); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled while standard input is silent: %v", err)
	}
}

func TestProgress(t *testing.T) {
	folder(t, map[string]string{"a.log": "@1 one\n", "b.log": "@2 two\n"})
	var last Progress
	run(t, Options{OnProgress: func(p Progress) { last = p }}, ".")
	if last != (Progress{File: "b.log", Number: 2, All: 2, Bytes: 14, Read: 14, Size: 14}) {
		t.Errorf("got %+v", last)
	}
}

// FuzzStream reads anything as any format: nothing may panic or become an
// error, and every byte of a recognised file is accounted for.
func FuzzStream(f *testing.F) {
	for _, name := range []string{"logs/postgresql-2.log", "logs/postgresql.csv", "logs/postgresql.json", "plans/heapfetch.json", "plans/heapfetch.txt", "snapshots/indexes.csv"} {
		data, err := os.ReadFile("testdata/day/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:min(len(data), 2000)], uint16(100))
	}
	f.Fuzz(func(t *testing.T, data []byte, size uint16) {
		opt := Options{Stdin: bytes.NewReader(data), BlockSize: 1 + int(size), Jobs: 2}
		report, err := Stream(t.Context(), []string{"-"}, opt, func(*record.Batch) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		r := report.Files[0]
		if r.Format == "" && len(r.Losses) == 0 {
			t.Error("not recognised, and not said")
		}
		plain := bytes.IndexByte(data, 0) < 0 && !bytes.HasPrefix(data, []byte("\xef\xbb\xbf"))
		if plain && r.Format != "" && r.Format != FormatEmpty && r.Bytes != int64(len(data)) {
			t.Errorf("%s: %d bytes of %d accounted for", r.Format, r.Bytes, len(data))
		}
	})
}
