package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pgassay/pgassay/report"
	"github.com/pgassay/pgassay/report/view"
)

// goldenTexts are the formats kept whole, one file for each sample; of the
// larger ones a digest is kept, of archives the digests of their parts.
var goldenTexts = []string{"terminal", "markdown", "junit", "github"}

const goldens = "cmd/pgassay/testdata/goldens"

// TestSamplesLookAsBefore writes every sample in every format. After a change
// that is meant, look at the diff of a run with -update.
func TestSamplesLookAsBefore(t *testing.T) {
	eachSample(t, func(t *testing.T, dir string) {
		v := view.Build(analyzed(t, 0, dir))
		digests := ""
		for _, format := range report.Formats {
			text := written(t, format, v)
			if slices.Contains(goldenTexts, format.Name) {
				golden(t, filepath.Join(goldens, filepath.Base(dir), format.Name+".txt"), text)
				continue
			}
			digests += format.Name + "\n" + digest(t, text)
		}
		golden(t, filepath.Join(goldens, filepath.Base(dir), "digests.txt"), digests)
	})
}

// golden compares text with the file, or writes it with -update.
func golden(t *testing.T, name, text string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("%v: run with -update", err)
	}
	same(t, name, string(want), text)
}

// digest is a line for the text, or one for each part of a zip archive, whose
// compression may change with the library.
func digest(t *testing.T, text string) string {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader([]byte(text)), int64(len(text)))
	if err != nil {
		return fmt.Sprintf("  %x\n", sha256.Sum256([]byte(text)))
	}
	out := ""
	for _, part := range archive.File {
		r, err := part.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out += fmt.Sprintf("  %x %s\n", sha256.Sum256(content), part.Name)
	}
	return out
}
