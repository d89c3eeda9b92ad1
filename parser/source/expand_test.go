package source

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree makes files with their names as content and enters their folder.
func tree(t *testing.T, names ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, name := range names {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func names(inputs []Input) []string {
	var all []string
	for _, in := range inputs {
		all = append(all, in.Name)
	}
	return all
}

func TestExpand(t *testing.T) {
	tree(t, "b.log", "a.log", "README", "notes.md", ".hidden",
		"logs/2.log", "logs/1.log", "logs/deep/x.csv", "logs/README.txt", "logs/notes.MD",
		"logs/.git/config", "logs/.cache", "[odd].log")
	if err := os.Symlink("1.log", "logs/current.log"); err != nil {
		t.Skip("no symbolic links here")
	}
	if err := os.Symlink("..", "logs/loop"); err != nil {
		t.Fatal(err)
	}
	walked := []string{"logs/1.log", "logs/2.log", "logs/deep/x.csv"}
	tests := []struct {
		name        string
		paths, want []string
	}{
		{"files are sorted", []string{"b.log", "a.log"}, []string{"a.log", "b.log"}},
		{"a folder is walked", []string{"logs"}, walked},
		{"a slash behind the folder is not doubled", []string{"logs/"}, walked},
		{"a file named explicitly is read", []string{"README", ".hidden", "notes.md"}, []string{".hidden", "README", "notes.md"}},
		{"a file named twice is read once", []string{"a.log", "./a.log", "logs/../a.log"}, []string{"a.log"}},
		{"a folder and a file in it", []string{"logs/2.log", "logs"}, walked},
		{"a link to a file that is named too", []string{"logs/current.log", "logs/1.log"}, []string{"logs/current.log"}},
		{"a glob", []string{"*.log"}, []string{"[odd].log", "a.log", "b.log"}},
		{"a glob that matches a folder", []string{"log?"}, walked},
		{"a name that looks like a glob", []string{"[odd].log"}, []string{"[odd].log"}},
		{"standard input once", []string{"-", "a.log", "-"}, []string{"-", "a.log"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Expand(tt.paths, strings.NewReader(""))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(names(got), tt.want) {
				t.Errorf("got %q, want %q", names(got), tt.want)
			}
		})
	}
}

func TestExpandNamesWhatCannotBeUsed(t *testing.T) {
	tree(t, "a.log", "empty/.hidden")
	tests := []struct {
		name, path string
		stdin      io.Reader
	}{
		{"missing file", "missing.log", nil},
		{"nothing named", "", nil},
		{"unmatched glob", "*.csv", nil},
		{"malformed glob", "[a", nil},
		{"file taken for a folder", "a.log/x", nil},
		{"folder without files", "empty", nil},
		{"no standard input", "-", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Expand([]string{tt.path}, tt.stdin)
			var usage *UsageError
			if !errors.As(err, &usage) || usage.Value != tt.path {
				t.Errorf("got %v, want a usage error that names %q", err, tt.path)
			}
		})
	}
}
