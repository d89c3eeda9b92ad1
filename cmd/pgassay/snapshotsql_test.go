package main

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/signature"
)

// TestSnapshotScript: every query of the folder is in both forms, every \if is
// closed, and every part is a view that is read.
func TestSnapshotScript(t *testing.T) {
	files, err := fs.Glob(snapshotFiles, "snapshot/*.sql")
	if err != nil || len(files) < len(snapshotParts) {
		t.Fatal(files, err)
	}
	for _, format := range []string{snapshotJSON, snapshotCSV} {
		script := outputOf(t, []string{"snapshot-sql", "--format", format})
		for _, name := range files {
			text, err := fs.ReadFile(snapshotFiles, name)
			if err != nil {
				t.Fatal(err)
			}
			if only := name == "snapshot/csv.sql"; !strings.Contains(script, strings.ReplaceAll(string(text), "{{.Dir}}", "snapshots")) &&
				(!only || format == snapshotCSV) {
				t.Errorf("%s is not in the %s script", name, format)
			}
		}
		opened, closed := strings.Count(script, "\\if "), strings.Count(script, "\\endif\n")
		if opened != closed || opened < len(snapshotParts) {
			t.Errorf("%s: %d \\if and %d \\endif", format, opened, closed)
		}
	}
	for i := range snapshotParts {
		if snapshotParts[i].doc() == "" {
			t.Errorf("%s is not read by parser/pgstat", snapshotParts[i].view)
		}
	}
}

// TestSnapshotChangesNothing: one read-only transaction, and nothing that
// writes or waits for long.
func TestSnapshotChangesNothing(t *testing.T) {
	script := strings.ToLower(outputOf(t, []string{"snapshot-sql"}))
	for _, word := range []string{"insert", "update ", "delete", "create ", "drop", "alter", "grant", "truncate", "reset(", "\\!", "superuser"} {
		for _, line := range strings.Split(script, "\n") {
			if !strings.HasPrefix(line, "--") && strings.Contains(line, word) {
				t.Errorf("%s: %s", word, line)
			}
		}
	}
	for _, line := range []string{"begin transaction isolation level repeatable read, read only;", "set local lock_timeout = ", "set local statement_timeout = "} {
		if strings.Count(script, line) != 1 {
			t.Errorf("not once: %s", line)
		}
	}
}

// TestSnapshotFeedsSignatures: what needs snapshots or activity is named by a
// part, so that --explain tells it.
func TestSnapshotFeedsSignatures(t *testing.T) {
	var fed []string
	for i := range snapshotParts {
		fed = append(fed, strings.Fields(snapshotParts[i].signatures)...)
	}
	for _, s := range signature.List {
		for _, n := range s.Needs {
			if strings.Contains("S s W", n.Letter) && !slices.Contains(fed, s.ID) {
				t.Errorf("%s needs %s: name it in the part of snapshotParts that it reads", s.ID, n.Letter)
			}
		}
	}
}
