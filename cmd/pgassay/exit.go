package main

import (
	"context"
	"errors"
	"fmt"
)

// Exit codes.
const (
	exitDone   = 0 // losses, if any, are in the report
	exitFound  = 1 // check: a finding at or above the limit
	exitUsage  = 2 // usage, a file that cannot be read, or nothing understood
	exitStrict = 3 // --strict or --require: losses, or signatures that were not evaluated

	exitInterrupted = 130 // by a signal, as shells count: 128 and SIGINT
)

// exit is an outcome other than success. Its text is the reason, in one line.
type exit struct {
	code   int
	reason string
}

// Error is the reason.
func (e *exit) Error() string { return e.reason }

// usage is an error of the command line. The hint names the command whose help
// tells more.
func usage(command, format string, args ...any) error {
	return &exit{exitUsage, fmt.Sprintf(format, args...) + hint(command)}
}

func hint(command string) string { return fmt.Sprintf("; see '%s --help'", command) }

// codeOf is the exit code for what a command returned. What is not an exit
// failed before or while reading.
func codeOf(err error) int {
	var e *exit
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &e):
		return e.code
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitUsage
}
