package pglog

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/record"
)

// label is the word before ":  " on a line of the stderr log: a severity, or
// the name of a further part of the entry.
type label uint8

const (
	labelNone label = iota
	labelPrimary
	labelDetail
	labelHint
	labelQuery
	labelContext
	labelLocation
	labelBacktrace
	labelStatement
	labelCount
)

// maxLabel is more than the length of the longest label in any language.
const maxLabel = 48

// severityOf is the error_severity in English or in a language of severityIn;
// SeverityUnknown for other words.
func severityOf(word []byte) record.Severity {
	switch string(word) {
	case "LOG":
		return record.SeverityLog
	case "ERROR":
		return record.SeverityError
	case "FATAL":
		return record.SeverityFatal
	case "PANIC":
		return record.SeverityPanic
	case "WARNING":
		return record.SeverityWarning
	case "NOTICE":
		return record.SeverityNotice
	case "INFO":
		return record.SeverityInfo
	case "DEBUG", "DEBUG1", "DEBUG2", "DEBUG3", "DEBUG4", "DEBUG5":
		return record.SeverityDebug
	}
	return severityIn(word)
}

// partOf is the label of a further part of an entry, in English or in a language
// of partIn; labelNone for other words.
func partOf(word []byte) label {
	switch string(word) {
	case "DETAIL":
		return labelDetail
	case "HINT":
		return labelHint
	case "QUERY":
		return labelQuery
	case "CONTEXT":
		return labelContext
	case "LOCATION":
		return labelLocation
	case "BACKTRACE":
		return labelBacktrace
	case "STATEMENT":
		return labelStatement
	}
	return partIn(word)
}

// isLabelByte reports whether c may stand in a label: a capital, a digit, or a
// part of a letter beyond ASCII.
func isLabelByte(c byte) bool { return c-'A' < 26 || c-'0' < 10 || c >= 0x80 }

// readLabel reads "WORD:  " at the start of b: n is its length, 0 if there is
// none. French puts a blank before the colon.
func readLabel(b []byte) (l label, sev record.Severity, n int) {
	i := 0
	for i < len(b) && i < maxLabel && isLabelByte(b[i]) {
		i++
	}
	word := b[:i]
	if i > 2 && i < len(b) && b[i] == ' ' {
		i++
	}
	if i < 3 || len(b) < i+3 || b[i] != ':' || b[i+1] != ' ' || b[i+2] != ' ' {
		return labelNone, record.SeverityUnknown, 0
	}
	word = bytes.TrimSuffix(word, noBreakSpace)
	if sev = severityOf(word); sev != record.SeverityUnknown {
		return labelPrimary, sev, i + 3
	}
	if l = partOf(word); l != labelNone {
		return l, record.SeverityUnknown, i + 3
	}
	return labelNone, record.SeverityUnknown, 0
}

var noBreakSpace = []byte("\u00a0")

// isSQLState reports whether b is a plausible SQLSTATE: five digits and capital
// letters of which two at least are digits.
func isSQLState(b []byte) bool {
	if len(b) != 5 {
		return false
	}
	digits := 0
	for _, c := range b {
		switch {
		case c-'0' < 10:
			digits++
		case c-'A' >= 26:
			return false
		}
	}
	return digits >= 2
}
