package parser

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

// sampleLog unpacks a log that pglog is tested with.
func sampleLog(t *testing.T, name string) string {
	t.Helper()
	f, err := os.Open(filepath.Join("pglog", "testdata", name+".gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// facts are what the files of a folder say, without their places.
func facts(t *testing.T, files map[string]string) []string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var all []string
	_, err := Stream(context.Background(), []string{dir}, Options{}, func(b *record.Batch) error {
		for _, x := range b.Executions {
			st := ""
			if x.Statement != nil {
				st = x.Statement.Fingerprint
			}
			all = append(all, fmt.Sprint("execution ", x.LogTime, x.Kind, x.Session, x.UserName, x.Duration, x.Parameters, x.HasPlan, st))
		}
		for _, v := range b.Vacuums {
			all = append(all, fmt.Sprint("vacuum ", v.LogTime, v.Relation, v.BufferHits, v.Elapsed, len(v.Indexes)))
		}
		for _, e := range b.Events {
			all = append(all, fmt.Sprint("event ", e.LogTime, e.Kind, e.Session, e.UserName, e.Text, e.Statement != nil, e.Holders))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

// A log that split cut anywhere says the same as the whole.
func TestHalvesOfALogAreTheLog(t *testing.T) {
	for _, name := range []string{"pg18-extra.log", "pg18-pg.log", "localized.csv", "pg18-pg.json"} {
		text := sampleLog(t, name)
		want := facts(t, map[string]string{"xaa": text})
		for i := 1; i < 12; i++ {
			at := i*len(text)/12 + i*37%101
			got := facts(t, map[string]string{"xaa": text[:at], "xab": text[at:]})
			if !slices.Equal(got, want) {
				t.Errorf("%s cut at %d: %d facts, want %d", name, at, len(got), len(want))
			}
		}
	}
}
