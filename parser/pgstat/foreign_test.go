package pgstat

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// tools are the formats of other programs.
var tools = []source.Format{PgMetrics, PgWatch, PgCenter, PgGather, PgProfile, Checkup}

// readTool reads a file as the tool that claims it.
func readTool(t *testing.T, name string, data []byte) (string, *record.Batch) {
	t.Helper()
	head := &source.Head{Name: name, Data: data, EOF: true}
	for _, f := range tools {
		if d := f.Detect(head); d != nil {
			b := &record.Batch{}
			d.Parse(data, record.Pos{File: name, Line: 1}, b)
			return f.Name, b
		}
	}
	return "", nil
}

// TestFilesOfOtherTools holds every value of a small file of each tool, with
// its place, against a golden file. The files are written for this test.
func TestFilesOfOtherTools(t *testing.T) {
	files, _ := filepath.Glob("testdata/foreign/*.*[a-z]v")
	more, _ := filepath.Glob("testdata/foreign/*.json")
	files = append(files, more...)
	if len(files) < 7 {
		t.Fatalf("%d files", len(files))
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tool, b := readTool(t, filepath.Base(file), data)
		if b == nil {
			t.Errorf("%s is not recognised", file)
			continue
		}
		got := "read as " + tool + "\n" + dump(b)
		golden := file + ".golden"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, _ := os.ReadFile(golden)
		if got != string(want) {
			t.Errorf("%s differs from %s (-update rewrites it):\n%s", file, golden, got)
		}
	}
}

func TestOwnSnapshotsAreNoFilesOfOtherTools(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.ndjson")
	for _, file := range files {
		data, _ := os.ReadFile(file)
		if tool, _ := readTool(t, file, data); tool != "" {
			t.Errorf("%s is taken for a file of %s", file, tool)
		}
	}
}

func FuzzFilesOfOtherTools(f *testing.F) {
	addFiles(f, "foreign/*.json")
	addFiles(f, "foreign/*.*[a-z]v")
	f.Add([]byte(`{"meta":{"collected_dbs":[],"at":1},"tables":[{"a":"\ud800"},{}],"settings":{"x":{}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, format := range tools {
			fuzzOne(t, source.Format{Detect: func(h *source.Head) *source.Detection {
				h.Name = "tables.20261130T142014.123.json"
				return format.Detect(h)
			}}, data)
		}
	})
}

func TestAReportThatIsCutShortIsUsedUpToThere(t *testing.T) {
	data, err := os.ReadFile("testdata/foreign/pgmetrics.json")
	if err != nil {
		t.Fatal(err)
	}
	cut := bytes.Index(data, []byte(`"n_ins_since_vacuum": 5`))
	_, b := readTool(t, "pgmetrics.json", data[:cut])
	tables := 0
	for i := range b.Samples {
		if b.Samples[i].View == record.ViewTables {
			tables++
		}
	}
	if tables != 1 || len(b.Losses) == 0 {
		t.Errorf("%d tables before the cut, losses %v; want 1 table and a loss", tables, b.Losses)
	}
}
