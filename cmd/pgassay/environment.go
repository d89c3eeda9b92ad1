package main

import (
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/report"
)

// environment is what a command is connected to.
type environment struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	variables      []string // "NAME=value", as os.Environ gives them
}

// getenv is the value of a variable, "" if it is not set.
func (e *environment) getenv(name string) string {
	for _, v := range slices.Backward(e.variables) {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// width is the page in columns: as asked, else as COLUMNS says, else the
// default.
func (e *environment) width(asked int) int {
	if asked > 0 {
		return asked
	}
	if n, err := strconv.Atoi(e.getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return report.DefaultOptions().Width
}

// Values of --color.
const (
	colorAuto   = "auto"
	colorAlways = "always"
	colorNever  = "never"
)

// color decides whether to colour a page on a terminal or elsewhere: an
// explicit wish counts; auto follows NO_COLOR (no-color.org) and TERM.
func (e *environment) color(mode string, terminal bool) bool {
	if mode != colorAuto {
		return mode == colorAlways
	}
	return terminal && e.getenv("NO_COLOR") == "" && e.getenv("TERM") != "dumb"
}

// isTerminal reports whether w is a character device.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
