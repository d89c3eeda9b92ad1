package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report"
	"github.com/pgassay/pgassay/report/view"
)

// Each sample's README tells its story and lists the findings that must come
// out, in a table whose rows begin with an ID.

func TestSamplesTellTheirStory(t *testing.T) {
	eachSample(t, func(t *testing.T, dir string) {
		result := analyzed(t, 0, dir)
		same(t, "findings", expectedFindings(t, dir), foundIn(result))
		if result.Totals.Understood == 0 || len(result.Losses) > 0 {
			t.Errorf("%d entries understood, losses %v", result.Totals.Understood, result.Losses)
		}
	})
}

func TestSamplesDoNotDependOnJobs(t *testing.T) {
	eachSample(t, func(t *testing.T, dir string) {
		one, eight := view.Build(analyzed(t, 1, dir)), view.Build(analyzed(t, 8, dir))
		for _, format := range report.Formats {
			same(t, format.Name, written(t, format, one), written(t, format, eight))
		}
	})
}

// TestSamplesDoNotDependOnFiles reads each sample again as another person may
// have exported it: unpacked, the log in pieces that begin inside entries, and
// under names that sort in another order.
func TestSamplesDoNotDependOnFiles(t *testing.T) {
	eachSample(t, func(t *testing.T, dir string) {
		other := t.TempDir()
		scatter(t, dir, other)
		same(t, "report", withoutPlaces(t, analyzed(t, 0, dir)), withoutPlaces(t, analyzed(t, 0, other)))
	})
}

// TestPageWalkFromLess reads the page walk from half of its inputs.
func TestPageWalkFromLess(t *testing.T) {
	t.Chdir("../..")
	for path, most := range map[string]finding.Confidence{
		"samples/hnsw-page-walk/postgresql.log.gz": finding.Likely,
		"samples/hnsw-page-walk/snapshots":         finding.Likely,
	} {
		found := false
		for _, f := range analyzed(t, 0, path).Findings {
			if f.ID == "PGA101" {
				found = true
				if f.Confidence > most {
					t.Errorf("%s: %s is %s, at most %s can be known", path, f.ID, f.Confidence, most)
				}
			}
		}
		if !found {
			t.Errorf("%s: no PGA101", path)
		}
	}
}

// eachSample runs test in the root of the repository, where paths are those of
// the README.
func eachSample(t *testing.T, test func(t *testing.T, dir string)) {
	t.Chdir("../..")
	dirs, err := filepath.Glob("samples/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) { test(t, dir) })
	}
}

func analyzed(t *testing.T, jobs int, path string) *analysis.Result {
	t.Helper()
	o := analysis.DefaultOptions()
	o.Jobs = jobs
	result, err := analysis.Run(context.Background(), []string{path}, o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func foundIn(r *analysis.Result) string {
	var lines []string
	for i := range r.Findings {
		f := &r.Findings[i]
		lines = append(lines, strings.Join([]string{f.ID, f.Severity.String(), f.Confidence.String(), f.Subject.String()}, " | "))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func expectedFindings(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| PGA") {
			lines = append(lines, strings.Trim(line, "| \n"))
		}
	}
	if len(lines) == 0 && !strings.Contains(string(text), "Expected: no finding") {
		t.Fatalf("%s/README.md lists no findings and does not say 'Expected: no finding'", dir)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func written(t *testing.T, format report.Format, v *view.View) string {
	t.Helper()
	var b bytes.Buffer
	if err := format.Write(&b, v, report.DefaultOptions()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// withoutPlaces is the JSON report without what may differ between exports of
// the same facts: places and coverage.
func withoutPlaces(t *testing.T, r *analysis.Result) string {
	t.Helper()
	r.Inputs, r.Losses = nil, nil
	r.Totals.Files, r.Totals.Bytes, r.Totals.Lines, r.Totals.Entries, r.Totals.Understood = 0, 0, 0, 0, 0
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Onset != nil {
			f.Onset.EventPos = record.Pos{}
		}
		for j := range f.Evidence {
			f.Evidence[j].Pos = record.Pos{}
		}
	}
	json, _ := report.ByName("json")
	return written(t, json, view.Build(r))
}

// scatter writes the files of a sample to another folder, unpacked: logs in
// three pieces named against their order, snapshots and transcripts before the
// logs.
func scatter(t *testing.T, dir, other string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) == ".md" {
			return err
		}
		if filepath.Ext(path) == ".txt" {
			text, err := os.ReadFile(path)
			return errors.Join(err, os.WriteFile(filepath.Join(other, "0-"+reversed(filepath.Base(path))), text, 0o600))
		}
		text := unpacked(t, path)
		name := strings.TrimSuffix(filepath.Base(path), ".gz")
		if filepath.Base(filepath.Dir(path)) == "snapshots" {
			return os.WriteFile(filepath.Join(other, "0-"+name), text, 0o600)
		}
		for i, piece := range pieces(text) {
			if err := os.WriteFile(filepath.Join(other, string(rune('z'-i))+"-"+name), piece, 0o600); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// reversed is a name that sorts against name among its like.
func reversed(name string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return '0' + '9' - r
		}
		return r
	}, name)
}

func unpacked(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// pieces cuts a log after lines at about a third and two thirds, inside an
// entry if one of the next lines belongs to an entry of several lines.
func pieces(text []byte) [3][]byte {
	first, second := cutNear(text, len(text)/3), cutNear(text, 2*len(text)/3)
	return [3][]byte{text[:first], text[first:second], text[second:]}
}

func cutNear(text []byte, at int) int {
	fallback := 0
	for range 200 {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
		if fallback == 0 {
			fallback = at
		}
		if at < len(text) && text[at] != '2' && text[at] != '{' {
			return at
		}
	}
	return fallback
}

// same shows the first line in which two texts differ.
func same(t *testing.T, what, want, got string) {
	t.Helper()
	if want == got {
		return
	}
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	i := 0
	for i < min(len(w), len(g))-1 && w[i] == g[i] {
		i++
	}
	show := func(lines []string) string {
		return strings.Join(lines[max(0, min(i-2, len(lines)-1)):min(i+4, len(lines))], "\n")
	}
	t.Errorf("%s differs in line %d\nwant\n%.800s\ngot\n%.800s", what, i+1, show(w), show(g))
}
