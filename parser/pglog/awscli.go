package pglog

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/source"
)

// declineAWS recognises outputs of the AWS CLI that do not hold a log as it was
// written, and says which does; nil for anything else.
func declineAWS(h *source.Head) *source.Detection {
	data := bytes.TrimPrefix(h.Data, byteOrderMark)
	reason := ""
	switch {
	case isQueryResults(data):
		reason = "output of aws logs get-query-results: its rows are in no order and may be cut; " +
			"export with aws logs filter-log-events --output json"
	case isCLIText(data):
		reason = "output of aws logs with --output text: its columns cannot be told from the messages; " +
			"export with aws logs filter-log-events --output json"
	default:
		return nil
	}
	return &source.Detection{Score: 100, Reason: reason}
}

// isQueryResults recognises {"results": [[{"field": …, "value": …}, also behind
// other keys of the object.
func isQueryResults(data []byte) bool {
	data = bytes.TrimLeft(data, " \t\r\n")
	if len(data) == 0 || data[0] != '{' {
		return false
	}
	i := bytes.Index(data, []byte(`"results"`))
	if i < 0 || bytes.Contains(data[:i], []byte(`"message"`)) {
		return false
	}
	s := jsonScan{b: data, at: i + len(`"results"`)}
	if !s.next(':') || !s.next('[') || !s.next('[') || !s.next('{') {
		return false
	}
	s.blank()
	return bytes.HasPrefix(data[s.at:], []byte(`"field"`)) || bytes.HasPrefix(data[s.at:], []byte(`"value"`))
}

// isCLIText recognises the rows of --output text, in which a TAB is between the
// columns: EVENTS and numbers, or RESULTS and the name of a field. The tokens of
// the pages may stand before them.
func isCLIText(data []byte) bool {
	for at, n := 0, 0; at < len(data) && n < 3; n++ {
		line, next := cutLine(data, at)
		at = next
		kind, rest, ok := bytes.Cut(line, []byte{'\t'})
		switch {
		case !ok:
		case string(kind) == "EVENTS":
			number, _, _ := bytes.Cut(rest, []byte{'\t'})
			return len(number) >= 13 && digits(number) == len(number)
		case string(kind) == "RESULTS":
			return len(rest) > 0 && rest[0] == '@'
		}
	}
	return false
}
