package explain

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/source"
)

// Text reads files of EXPLAIN's text output: one or more trees, with or without
// psql's header and row count.
var Text = source.Format{
	Name:   "explain-text",
	Doc:    "EXPLAIN output in text format, one or many plans",
	Detect: detectText,
}

// detectText claims a file that begins with a tree, or, with a low score, one
// that has trees among other text. Logs are not claimed: they have a duration
// line before each plan.
func detectText(h *source.Head) *source.Detection {
	data := bytes.TrimPrefix(h.Data, bom)
	p := NewParser()
	p.reset(data, Options{})
	atStart := true
	for offset := 0; offset < len(data); {
		l := p.lineFrom(offset)
		switch {
		case len(l.text) == 0 || isHeader(l.text):
		case isLogLine(l.text):
			return nil
		case isRoot(l.text, !atStart || l.indent > 1), atStart && (bytes.HasPrefix(l.text, queryLabel) || isFragment(l.text)):
			if atStart {
				return whole(h, 80, "", readAny)
			}
			return whole(h, 30, "plans among other text", readAny)
		case bytes.HasPrefix(l.text, []byte("-> ")) && atStart:
			return foreign(&ForeignError{Database: "MySQL"})
		case bytes.HasPrefix(l.text, []byte("•")) && bytes.HasPrefix(data, []byte("distribution: ")):
			return foreign(&ForeignError{Database: "CockroachDB"})
		default:
			atStart = false
		}
		offset = l.end
	}
	return nil
}

func isFragment(text []byte) bool { _, ok := cutFragment(text); return ok }

var queryLabel = []byte("Query Text:")

// isLogLine tells a log entry's first line. Constants in a plan may hold the
// same words, but a plan's line does not end so, nor have them behind a time.
func isLogLine(text []byte) bool {
	if bytes.HasSuffix(text, []byte(" plan:")) && bytes.Contains(text, []byte("duration: ")) {
		return true
	}
	if len(text) == 0 || text[0]-'0' > 9 {
		return bytes.HasPrefix(text, []byte(`{"timestamp":"`)) // jsonlog
	}
	for _, word := range [...]string{"LOG:  ", "ERROR:  ", ",LOG,0", ",ERROR,"} { // stderr, csvlog
		if bytes.Contains(text, []byte(word)) {
			return true
		}
	}
	return false
}
