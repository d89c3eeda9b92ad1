package psql

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// TestViewsThatPsqlPrinted holds the rows of views as psql 15 printed them from
// a PostgreSQL 17 against golden files: aligned, expanded, by \watch, without a
// time, and the functions that count a table without naming it.
func TestViewsThatPsqlPrinted(t *testing.T) {
	files, _ := filepath.Glob("testdata/tables/*.txt")
	if len(files) < 5 {
		t.Fatalf("%d files", len(files))
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got := samplesOf(t, filepath.Base(file), data)
		golden := file + ".golden"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, _ := os.ReadFile(golden); got != string(want) {
			t.Errorf("%s differs from %s (-update rewrites it):\n%s", file, golden, got)
		}
	}
}

func samplesOf(t *testing.T, name string, data []byte) string {
	t.Helper()
	d := Table.Detect(&source.Head{Name: name, Data: data, EOF: true})
	if d == nil {
		t.Fatalf("%s is not recognised", name)
	}
	var b record.Batch
	d.Parse(data, record.Pos{File: name, Line: 1}, &b)
	var out strings.Builder
	for i := range b.Samples {
		s := &b.Samples[i]
		at := "-"
		if s.CapturedAt.Known() {
			at = s.CapturedAt.Std().Format("2006-01-02T15:04:05.999999")
		}
		fmt.Fprintf(&out, "%s %s %s from %d\n", s.Pos, s.View, at, s.TimeSource)
		for j, n := range s.Columns.Names {
			if s.Values[j].Valid {
				fmt.Fprintf(&out, "  %s=%q\n", n, s.Values[j].Text)
			}
		}
	}
	for _, e := range b.Events {
		fmt.Fprintf(&out, "%s event %d %s %s %d\n", e.Pos, e.Kind, e.Object, e.Text, e.Count)
	}
	fmt.Fprintf(&out, "losses %v\n", b.Losses)
	return out.String()
}

func TestATableThatIsNoViewIsNoSnapshot(t *testing.T) {
	data := []byte(" id | name \n----+------\n  1 | a\n(1 row)\n")
	if d := Table.Detect(&source.Head{Name: "x.txt", Data: data, EOF: true}); d != nil {
		t.Errorf("claims a table of no view: %s", d.Detail)
	}
}
