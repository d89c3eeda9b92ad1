package pglog

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/source"
)

// Azure is what Azure Database for PostgreSQL writes through diagnostic
// settings: objects with the message and its parts under properties, on a line
// each or under records, or rows of Log Analytics as JSON.
var Azure = source.Format{
	Name:   "azure",
	Doc:    "Azure Database for PostgreSQL, diagnostic logs and Log Analytics, JSON",
	Detect: detectAzure,
}

// AzureCSV is a csv export of Log Analytics.
var AzureCSV = source.Format{
	Name:   "azure-csv",
	Doc:    "Azure Database for PostgreSQL, Log Analytics, csv",
	Detect: detectAzureCSV,
}

// azureLog is how one file writes messages.
type azureLog struct {
	bare bool // without prefix and severity
}

func detectAzure(h *source.Head) *source.Detection {
	a := new(azureLog)
	return a.detect(h, objectUnits{azureKey, a.read})
}

func detectAzureCSV(h *source.Head) *source.Detection {
	a := new(azureLog)
	rows := newRowUnits(h, azureKey, a.read)
	if rows == nil || rows.columns[jsonSeverity] < 0 {
		return nil
	}
	return a.detect(h, rows)
}

func (a *azureLog) detect(h *source.Head, units units) *source.Detection {
	if units.begin(h.Data, func(c *carried) bool { return c.kind == carriesText }) == len(h.Data) {
		return nil
	}
	u := newUnwrapper()
	labelled, all := 0, 0
	for at := 0; at < len(h.Data) && all < headerSearch; {
		var c carried
		at = units.next(u, h.Data, at, &c)
		if c.kind != carriesText {
			continue
		}
		all++
		if line, _ := cutLine(u.fields.text[jsonText], 0); findLabel(line) >= 0 {
			labelled++
		}
	}
	a.bare = 10*labelled < 9*all && u.fields.text[jsonPrefix] == nil
	c := &carrier{units: units, hasTime: true, hasPID: true, exact: true}
	c.newestFirst = newestFirst(h.Data, units)
	if c.bare = a.bare; a.bare {
		bare := *h
		bare.Prefix = ""
		h = &bare
	}
	d := detectShipped(h, c)
	if d != nil && d.Reason == "" {
		d.Score++ // others read the message alone
	}
	return d
}

// read makes of a message and its parts the lines that PostgreSQL would have
// written to stderr.
func (a *azureLog) read(u *unwrapper, f *jsonFields, c *carried) {
	t := &f.text
	if t[jsonText] == nil || t[jsonSeverity] == nil {
		return
	}
	start := len(u.scratch)
	u.scratch = append(u.scratch, t[jsonPrefix]...)
	u.scratch = append(u.scratch, bytes.TrimRight(t[jsonText], "\r\n")...)
	line, _ := cutLine(u.scratch[start:], 0)
	label := -1
	if !a.bare {
		label = findLabel(line)
	}
	if label < 0 {
		u.scratch = append(append(append(u.scratch[:start], t[jsonSeverity]...), ":  "...), bytes.TrimRight(t[jsonText], "\r\n")...)
		label = 0
	}
	prefix := u.scratch[start : start+label : start+label]
	for _, part := range [...]struct {
		label string
		text  []byte
	}{
		{"DETAIL:  ", t[jsonDetail]}, {"HINT:  ", t[jsonHint]}, {"QUERY:  ", t[jsonInternalQuery]},
		{"CONTEXT:  ", t[jsonContext]}, {"STATEMENT:  ", t[jsonStatement]},
	} {
		if len(part.text) > 0 {
			u.part(prefix, part.label, part.text)
		}
	}
	c.kind, c.text = carriesText, u.scratch[start:len(u.scratch):len(u.scratch)]
	if c.time = u.serviceTime(t[jsonTimestamp]); c.time == nil {
		c.time = u.serviceTime(t[jsonTime])
	}
	if c.pid = t[jsonPID]; isSQLState(t[jsonState]) {
		c.state = t[jsonState]
	}
}

// part appends a labelled part of an entry, with a TAB before each further line.
func (u *unwrapper) part(prefix []byte, label string, text []byte) {
	u.scratch = append(append(append(u.scratch, '\n'), prefix...), label...)
	for i := 0; len(text) > 0; i++ {
		line, next := cutLine(text, 0)
		if i > 0 {
			u.scratch = append(u.scratch, "\n\t"...)
		}
		u.scratch = append(u.scratch, bytes.TrimPrefix(line, []byte("\t"))...)
		text = text[next:]
	}
}

// azureKey knows the keys of diagnostic logs and the columns of Log Analytics,
// which differ in capitals, underscores and suffixes for their type: processId,
// ProcessId, processId_d, "TimeGenerated [UTC]".
func azureKey(key []byte, inner bool) jsonKey {
	var plain [24]byte
	n := 0
	key, _, _ = bytes.Cut(key, []byte(" ["))
	if k := len(key) - 2; k > 0 && key[k] == '_' {
		key = key[:k]
	}
	for _, c := range key {
		if c == '_' {
			continue
		}
		if n == len(plain) {
			return jsonOther
		}
		if c-'A' < 26 {
			c += 'a' - 'A'
		}
		plain[n] = c
		n++
	}
	switch string(plain[:n]) {
	case "properties":
		if !inner {
			return jsonInner
		}
	case "timestamp":
		return jsonTimestamp
	case "time", "timegenerated":
		return jsonTime
	case "processid":
		return jsonPID
	case "errorlevel":
		return jsonSeverity
	case "sqlerrcode", "sqlerrorcode", "sqlstate":
		return jsonState
	case "message":
		return jsonText
	case "prefix":
		return jsonPrefix
	case "detail":
		return jsonDetail
	case "hint":
		return jsonHint
	case "context":
		return jsonContext
	case "internalquery":
		return jsonInternalQuery
	case "statement":
		return jsonStatement
	}
	return jsonOther
}
