package parser

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

var update = flag.Bool("update", false, "write the golden files")

// TestFolderOfRealFiles reads what PostgreSQL 18 and psql wrote: logs in three
// destinations, of which stderr is cut inside a plan, plans and snapshots.
func TestFolderOfRealFiles(t *testing.T) {
	report, err := Stream(t.Context(), []string{"testdata/day"}, Options{}, func(*record.Batch) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, f := range report.Files {
		fmt.Fprintf(&got, "%s: %s %s\n", f.Name, f.Format, strings.TrimSpace(string(f.View)+" "+f.Version))
		fmt.Fprintf(&got, "\t%d bytes, %d lines, %d entries, %d understood\n", f.Bytes, f.Lines, f.Entries, f.Understood)
		fmt.Fprintf(&got, "\t%d executions, %d plans, %d vacuums, %d samples\n", f.Executions, f.Plans, f.Vacuums, f.Samples)
		for _, l := range f.Losses {
			fmt.Fprintf(&got, "\t%d × %s at %d\n", l.Count, l.Kind, l.Pos.Line)
		}
	}
	const golden = "testdata/day.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

func TestFormatsAreListedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Formats {
		if f.Name == "" || f.Doc == "" || f.Detect == nil || seen[f.Name] || f.Name == FormatEmpty {
			t.Errorf("format %+v is incomplete or listed twice", f)
		}
		seen[f.Name] = true
	}
}
