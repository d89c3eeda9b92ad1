package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/pgassay/pgassay/report"
	"github.com/pgassay/pgassay/report/view"
)

// reportFile is a report that goes into a file.
type reportFile struct {
	name   string // of a file, or of a folder that the format fills
	format report.Format
	// baseline is for later runs: it is not replaced by a report that knows
	// nothing.
	baseline bool
}

// reportFiles finds the formats of the files before anything is read: a long
// run must not end in a typing error.
//
// said is how the user named the option.
func reportFiles(command, said string, targets []string) ([]reportFile, error) {
	var files []reportFile
	for _, target := range targets {
		format, name, err := report.Target(target)
		if err != nil {
			return nil, usage(command, "%s %s", said, err)
		}
		dir, err := os.Stat(filepath.Dir(filepath.Clean(name)))
		if err != nil || !dir.IsDir() {
			return nil, usage(command, "%s %q: no such folder", said, name)
		}
		old, err := os.Stat(name)
		switch {
		case err != nil:
		case format.ToFolder(name) && !old.IsDir():
			return nil, usage(command, "%s %q: not a folder", said, name)
		case !format.ToFolder(name) && !old.Mode().IsRegular():
			return nil, usage(command, "%s %q: not a regular file", said, name)
		}
		files = append(files, reportFile{name: name, format: format})
	}
	return files, nil
}

// write makes the file whole or not at all: the report is written beside it and
// renamed.
//
// A folder is filled file by file.
func (f reportFile) write(v *view.View, o report.Options) error {
	if f.format.ToFolder(f.name) {
		if err := f.format.WriteDir(f.name, v, o); err != nil {
			return fmt.Errorf("write report %s: %w", f.name, err)
		}
		return nil
	}
	temporary := filepath.Join(filepath.Dir(f.name), "."+filepath.Base(f.name)+"."+strconv.Itoa(os.Getpid())+".tmp")
	err := f.writeTo(temporary, v, o)
	if err == nil {
		err = os.Rename(temporary, f.name)
	}
	if err == nil {
		return nil
	}
	if gone := os.Remove(temporary); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return fmt.Errorf("write report %s: %w", f.name, err)
}

func (f reportFile) writeTo(name string, v *view.View, o report.Options) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	if err := errors.Join(f.format.Write(w, v, o), w.Flush()); err != nil {
		return errors.Join(err, file.Close())
	}
	return file.Close()
}
