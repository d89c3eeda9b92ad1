package pglog

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/source"
)

// Journald is journalctl -o json: one object on a line, with the log's line
// under MESSAGE. Lines of other programs are passed over.
var Journald = source.Format{
	Name:   "journald",
	Doc:    "systemd journal, journalctl -o json",
	Detect: detectJournald,
}

// journal is how one file names the server.
type journal struct{ names [][]byte }

func detectJournald(h *source.Head) *source.Detection {
	j := new(journal)
	u := newUnwrapper()
	all := objectUnits{journaldKey, func(u *unwrapper, f *jsonFields, c *carried) {
		if text := journalText(u, f); text != nil && findLabel(text) >= 0 && len(j.names) < maxTags && !j.ours(f.text[jsonWriter]) {
			j.names = append(j.names, bytes.Clone(f.text[jsonWriter]))
		}
	}}
	for at, n := 0, 0; at < len(h.Data) && (n < headerSearch || len(j.names) > 0); n++ {
		var c carried
		u.scratch = u.scratch[:0]
		at = all.next(u, h.Data, at, &c)
	}
	if len(j.names) == 0 {
		return nil
	}
	return detectShipped(h, &carrier{units: objectUnits{journaldKey, j.read}, hasTime: true, hasPID: true})
}

func (j *journal) ours(name []byte) bool {
	for _, n := range j.names {
		if bytes.Equal(n, name) {
			return true
		}
	}
	return false
}

func (j *journal) read(u *unwrapper, f *jsonFields, c *carried) {
	text := journalText(u, f)
	if text == nil || !j.ours(f.text[jsonWriter]) {
		return
	}
	c.kind, c.writer = carriesText, f.text[jsonWriter]
	if us, ok := parseInt(f.text[jsonTime]); ok && us > 0 {
		c.time = u.epochText(us)
	}
	// What a service prints comes from the process that opened the stream, not
	// from the one that printed it.
	if string(f.text[jsonTag]) != "stdout" {
		c.pid = f.text[jsonPID]
		c.writer = f.text[jsonPID]
	}
	c.chunked(text)
	c.text = u.octal(c.text)
}

// journalText is MESSAGE, which is a list of numbers if it holds bytes that are
// no text.
func journalText(u *unwrapper, f *jsonFields) []byte {
	text := f.text[jsonText]
	if len(text) < 2 || text[0] != '[' || text[len(text)-1] != ']' {
		return text
	}
	if first := bytes.TrimLeft(text[1:], " \t\r\n"); first[0]-'0' >= 10 {
		return text
	}
	start := len(u.scratch)
	for _, word := range bytes.Split(text[1:len(text)-1], []byte(",")) {
		n, ok := parseInt(bytes.TrimSpace(word))
		if !ok || n < 0 || n > 255 {
			u.scratch = u.scratch[:start]
			return text
		}
		u.scratch = append(u.scratch, byte(n))
	}
	return u.scratch[start:len(u.scratch):len(u.scratch)]
}

func journaldKey(key []byte, inner bool) jsonKey {
	if inner {
		return jsonOther
	}
	switch string(key) {
	case "MESSAGE":
		return jsonText
	case "__REALTIME_TIMESTAMP":
		return jsonTime
	case "SYSLOG_IDENTIFIER":
		return jsonWriter
	case "_PID":
		return jsonPID
	case "_TRANSPORT":
		return jsonTag
	}
	return jsonOther
}
