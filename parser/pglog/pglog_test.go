package pglog

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// readSample unpacks a file of testdata.
func readSample(tb testing.TB, name string) []byte {
	tb.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".gz"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// testIntern stands for sqltext: the fingerprint is a hash of the text.
func testIntern(text []byte) *record.Statement {
	h := fnv.New64a()
	h.Write(text)
	return &record.Statement{Fingerprint: fmt.Sprintf("%016x", h.Sum64()), Normalized: string(text)}
}

func headOf(data []byte) *source.Head {
	return &source.Head{
		Name: "sample", Data: data[:min(len(data), source.HeadSize)],
		EOF: len(data) <= source.HeadSize, Intern: testIntern,
	}
}

// parse reads data as one block with what Detect answers for h.
func parse(tb testing.TB, f source.Format, h *source.Head, data []byte) *record.Batch {
	tb.Helper()
	d := f.Detect(h)
	if d == nil {
		tb.Fatalf("%s: not recognised", f.Name)
	}
	if d.Reason != "" {
		tb.Fatalf("%s: %s", f.Name, d.Reason)
	}
	b := new(record.Batch)
	begin := d.Begin(data)
	line := int64(1 + bytes.Count(data[:begin], []byte{'\n'}))
	d.Parse(data[begin:], record.Pos{File: "sample", Line: line, Offset: int64(begin)}, b)
	return b
}

func parseText(tb testing.TB, f source.Format, text string) *record.Batch {
	tb.Helper()
	data := []byte(text)
	return parse(tb, f, headOf(data), data)
}

// golden compares got with a file of testdata, or rewrites it with -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; first difference:\n%s", name, firstDifference(string(want), got))
	}
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range w {
		if i >= len(g) || w[i] != g[i] {
			line := ""
			if i < len(g) {
				line = g[i]
			}
			return fmt.Sprintf("line %d\n- %s\n+ %s", i+1, w[i], line)
		}
	}
	return fmt.Sprintf("%d lines more", len(g)-len(w))
}

// dump writes the records of a batch without what differs between the
// destinations of one server: places, and the line numbers of a session, which
// in stderr count DETAIL and STATEMENT too.
func dump(b *record.Batch) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, x := range b.Executions {
		f := x.Figures
		add("%d exec kind=%d session=%s user=%s db=%s app=%s took=%d,%t name=%q id=%d params=%q nested=%t plan=%t,rows=%d,hit=%d %s",
			x.LogTime, x.Kind, x.Session, x.UserName, x.Database, x.Application, x.Duration, x.HasDuration, x.Name,
			x.QueryID, x.Parameters, x.Nested, x.HasPlan, f.Rows, f.Own.SharedHit, textOf(x.Statement))
	}
	for _, v := range b.Vacuums {
		v.Pos = record.Pos{}
		v.Indexes = append([]record.VacuumIndex(nil), v.Indexes...)
		for i := range v.Indexes {
			v.Indexes[i].Line = 0
		}
		add("%d vacuum %+v", v.LogTime, v)
	}
	for _, e := range b.Events {
		add("%d event kind=%d session=%s user=%s db=%s app=%s object=%q text=%q state=%s n=%d took=%d holders=%v queue=%v %s",
			e.LogTime, e.Kind, e.Session, e.UserName, e.Database, e.Application, e.Object, e.Text, e.SQLState,
			e.Count, e.Duration, e.Holders, e.Queue, textOf(e.Statement))
	}
	for _, l := range b.Losses {
		add("loss %s: %s × %d", l.Kind, l.Text, l.Count)
	}
	add("entries %d understood %d", b.Entries, b.Understood)
	return out
}

func textOf(s *record.Statement) string {
	if s == nil {
		return "-"
	}
	return strconv.Quote(s.Normalized)
}
