package xlsx

import (
	"archive/zip"
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/report/internal/fixture"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var bstr = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

func partNames(t *testing.T, data []byte) []string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
	}
	return names
}

// dump shows every sheet as its cells read, without the columns of chart data
// beyond their first rows.
func dump(t *testing.T, data []byte) string {
	t.Helper()
	f := opened(t, data)
	var out strings.Builder
	for _, sheet := range f.GetSheetList() {
		rows, err := f.GetRows(sheet)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "== %s, %d rows\n", sheet, len(rows))
		for i, row := range rows[:min(len(rows), 80)] {
			if sheet == seriesSheet && i > 4 {
				break
			}
			for c, text := range row {
				row[c] = strings.ToValidUTF8(strings.ReplaceAll(text[:min(len(text), 300)], "\n", "⏎"), "…")
			}
			fmt.Fprintln(&out, strings.TrimRight(strings.Join(row, "|"), "|"))
		}
	}
	return out.String()
}

// TestSheets compares what the cells of each sheet read with a golden file.
func TestSheets(t *testing.T) {
	for name, r := range map[string]*analysis.Result{"rich": rich(), "healthy": fixture.Healthy(), "empty": fixture.Empty()} {
		got := dump(t, written(t, r))
		file := filepath.Join("testdata", name+".txt")
		if *update {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs: see with -update\n%s", file, got)
		}
	}
}
