package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Stdin is the path and the name of standard input.
const Stdin = "-"

// UsageError is a path or option of the user's that cannot be used.
type UsageError struct {
	Value   string // as the user gave it
	Problem string
}

// Error is the value, quoted, and what is wrong with it.
func (e *UsageError) Error() string { return fmt.Sprintf("%q: %s", e.Value, e.Problem) }

// Input is one file or archive to read, or standard input.
type Input struct {
	// Name is how the user named it, with forward slashes; for a file found in a
	// folder the folder's name and the path below it.
	Name   string
	open   func() (io.ReadCloser, error)
	limits limits // the default if zero
}

// Expand lists the files that paths name, sorted by name, each once however
// often and by whatever link it is named. A path is a file, a folder (walked
// recursively), a glob in the syntax of filepath.Match, or "-" for stdin.
//
// In a folder, hidden files and folders, README* and *.md are passed over, and
// so is what is no file; links to folders are not followed. A file named
// explicitly or by a glob is always read. A path that does not exist, a glob
// without a match, and paths that yield no file at all are a *UsageError.
func Expand(paths []string, stdin io.Reader) ([]Input, error) {
	e := expander{stdin: stdin, seen: make(map[string]bool)}
	for _, p := range paths {
		if err := e.add(p); err != nil {
			return nil, err
		}
	}
	if len(e.inputs) == 0 {
		return nil, &UsageError{strings.Join(paths, " "), "no files to read"}
	}
	slices.SortFunc(e.inputs, func(a, b Input) int { return strings.Compare(a.Name, b.Name) })
	return e.inputs, nil
}

type expander struct {
	stdin  io.Reader
	seen   map[string]bool // by identity
	inputs []Input
}

func (e *expander) add(path string) error {
	if path == Stdin {
		return e.addStdin()
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return e.walk(path)
	case err == nil:
		e.file(path)
		return nil
	case strings.ContainsAny(path, "*?["):
		return e.glob(path)
	case errors.Is(err, fs.ErrNotExist):
		return &UsageError{path, "no such file or folder"}
	}
	return &UsageError{path, err.Error()}
}

func (e *expander) addStdin() error {
	if e.stdin == nil {
		return &UsageError{Stdin, "no standard input to read"}
	}
	if e.seen[Stdin] {
		return nil
	}
	e.seen[Stdin] = true
	open := func() (io.ReadCloser, error) { return io.NopCloser(e.stdin), nil }
	e.inputs = append(e.inputs, Input{Name: Stdin, open: open})
	return nil
}

func (e *expander) glob(pattern string) error {
	names, err := filepath.Glob(pattern)
	if err != nil {
		return &UsageError{pattern, err.Error()}
	}
	if len(names) == 0 {
		return &UsageError{pattern, "no file matches"}
	}
	for _, name := range names {
		info, err := os.Stat(name)
		switch {
		case err != nil:
			return &UsageError{name, err.Error()}
		case !info.IsDir():
			e.file(name)
		default:
			if err := e.walk(name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *expander) walk(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("read folder: %w", err)
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		switch {
		case passedOver(entry.Name()):
		case entry.IsDir():
			if err := e.walk(path); err != nil {
				return err
			}
		case isFile(path, entry):
			e.file(path)
		}
	}
	return nil
}

// passedOver reports whether a folder walk leaves the name out.
func passedOver(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasPrefix(name, ".") || strings.HasPrefix(lower, "readme") ||
		strings.HasSuffix(lower, ".md")
}

// isFile reports whether the entry is a regular file or a link to one.
func isFile(path string, entry fs.DirEntry) bool {
	if entry.Type()&fs.ModeSymlink == 0 {
		return entry.Type().IsRegular()
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func (e *expander) file(path string) {
	id := identity(path)
	if e.seen[id] {
		return
	}
	e.seen[id] = true
	open := func() (io.ReadCloser, error) { return os.Open(path) }
	e.inputs = append(e.inputs, Input{Name: filepath.ToSlash(path), open: open})
}

// identity is the same for every path to one file, hard links apart. What has
// no place in the file system (a pipe handed over as /dev/fd/63) is its path.
func identity(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	return abs
}
