package pglog

import (
	"bytes"
	"fmt"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// CSVLog is log_destination = csvlog: the 22 columns of the oldest versions,
// backend_type since 13, leader_pid and query_id since 14. Columns that later
// versions may add at the end are passed over.
var CSVLog = source.Format{
	Name:   "csvlog",
	Doc:    "PostgreSQL log, log_destination = csvlog",
	Detect: detectCSV,
}

// Columns of csvlog.
const (
	csvLogTime = iota
	csvUserName
	csvDatabaseName
	csvProcessID
	csvConnectionFrom
	csvSessionID
	csvSessionLineNum
	csvCommandTag
	csvSessionStart
	csvVirtualTxID
	csvTransactionID
	csvErrorSeverity
	csvSQLState
	csvMessage
	csvDetail
	csvHint
	csvInternalQuery
	csvInternalQueryPos
	csvContext
	csvQuery
	csvQueryPos
	csvLocation
	csvApplication
	csvBackendType
	csvLeaderPID
	csvQueryID
	csvColumns
)

// csvLeast is the number of columns that every version prints.
const csvLeast = csvLocation + 1

const (
	csvDetectRows = 50
	csvMaxFields  = 128 // of a row that are kept
)

// csvField is a column as it stands in the file.
type csvField struct {
	text    []byte // without the outer quotes; nil for an empty, unquoted field
	escaped bool   // holds "" for "
}

// csvRow is one row, reused.
type csvRow struct {
	fields [csvMaxFields]csvField
	n      int // columns, those passed over included
}

// read reads the row at offset at and answers the offset behind it; whole is
// false if data ends inside the row or a quote stands where none may.
func (r *csvRow) read(data []byte, at int) (next int, whole bool) {
	r.n = 0
	for {
		var f csvField
		var ok bool
		if f, at, ok = csvRead(data, at); !ok {
			return at, false
		}
		if r.n < csvMaxFields {
			r.fields[r.n] = f
		}
		r.n++
		switch {
		case at == len(data):
			return at, true
		case data[at] == ',':
			at++
		default:
			return at + 1, true
		}
	}
}

// csvRead reads one field; at is then at its comma, its line end or the end of
// data.
func csvRead(data []byte, at int) (f csvField, end int, ok bool) {
	if at >= len(data) || data[at] != '"' {
		start := at
		for at < len(data) && data[at] != ',' && data[at] != '\n' {
			if data[at] == '"' {
				return f, at, false
			}
			at++
		}
		end = at
		if at > start && data[at-1] == '\r' && (at == len(data) || data[at] == '\n') {
			end--
		}
		if end > start {
			f.text = data[start:end]
		}
		return f, at, true
	}
	at++
	start := at
	for {
		i := bytes.IndexByte(data[at:], '"')
		if i < 0 {
			return f, len(data), false
		}
		at += i + 1
		if at == len(data) || data[at] != '"' {
			break
		}
		f.escaped = true
		at++
	}
	f.text = data[start : at-1 : at-1]
	if at+1 < len(data) && data[at] == '\r' && data[at+1] == '\n' {
		at++
	}
	return f, at, at == len(data) || data[at] == ',' || data[at] == '\n'
}

// plausible reports whether the row is an entry: enough columns, a time, a
// session id, a severity and a SQLSTATE. The severity may be in any language.
// Rows of snapshots may begin with a time too.
func (r *csvRow) plausible() bool {
	if r.n < csvLeast || !isSQLState(r.fields[csvSQLState].text) {
		return false
	}
	session := r.fields[csvSessionID].text
	if len(session) == 0 || pairLength(session, '.', hexDigits) != len(session) {
		return false
	}
	severity := r.fields[csvErrorSeverity].text
	if len(severity) == 0 || len(severity) > 40 || severity[0]-'0' < 10 {
		return false
	}
	n, _ := timeLength(r.fields[csvLogTime].text)
	return n > 0 && n == len(r.fields[csvLogTime].text)
}

// csvRowStart reports whether an entry may begin at offset at: a time and a
// comma.
func csvRowStart(data []byte, at int) bool {
	n, _ := timeLength(data[at:])
	return n > 0 && at+n < len(data) && data[at+n] == ','
}

func detectCSV(h *source.Head) *source.Detection {
	begin := csvBegin(h.Data)
	if begin == len(h.Data) {
		return nil
	}
	var row csvRow
	good, columns, zone := 0, 0, ""
	for at, rows := begin, 0; at < len(h.Data) && rows < csvDetectRows; rows++ {
		next, whole := row.read(h.Data, at)
		if !whole {
			break
		}
		if row.plausible() {
			good++
			columns = row.n
			text := row.fields[csvLogTime].text
			if _, z := timeLength(text); zone == "" {
				zone = string(text[z:])
			}
		}
		at = next
	}
	if good == 0 {
		return nil
	}
	c := &csvlog{newWorkers(h)}
	return &source.Detection{
		Score:  98,
		Detail: fmt.Sprintf("%d columns", columns),
		Zone:   zone,
		Begin:  csvBegin,
		Cut:    csvCut,
		Parse:  c.parse,
	}
}

// csvBegin finds the first row that is whole and plausible: what stands before
// may be the rest of a quoted field. A row that data does not hold to its end
// is taken if nothing better follows.
func csvBegin(data []byte) int {
	var row csvRow
	open := -1
	for at := 0; at < len(data); {
		if csvRowStart(data, at) {
			next, whole := row.read(data, at)
			switch {
			case whole && row.plausible():
				return at
			case !whole && next == len(data) && row.n <= csvLocation && open < 0:
				open = at
			}
		}
		i := bytes.IndexByte(data[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	if open >= 0 {
		return open
	}
	return len(data)
}

// csvCut cuts behind the last line end outside quotes; data starts at an entry.
// A stray quote shows in the line that follows not being the start of a row:
// then any line end before the start of a row will do.
func csvCut(data []byte) int {
	quotes := bytes.Count(data, []byte{'"'})
	end := len(data)
	for end > 0 {
		at := bytes.LastIndexByte(data[:end], '\n') + 1
		if at == 0 {
			break
		}
		quotes -= bytes.Count(data[at:end], []byte{'"'})
		if quotes%2 == 0 && (at == len(data) || csvRowStart(data, at) || !wholeTime(data, at)) {
			return at
		}
		end = at - 1
	}
	for end = len(data); end > 0; end-- {
		end = bytes.LastIndexByte(data[:end], '\n') + 1
		if end > 0 && csvRowStart(data, end) {
			return end
		}
	}
	return 0
}

// wholeTime reports whether data holds enough from at on to tell a row's start.
func wholeTime(data []byte, at int) bool {
	return len(data)-at > len("2026-11-30 14:17:31.150 ")+maxZone
}

// csvlog reads rows.
type csvlog struct{ *workers }

func (c *csvlog) parse(block []byte, pos record.Pos, b *record.Batch) {
	w := c.get(b)
	defer c.put(w)
	var row csvRow
	line := pos.Line
	for at := 0; at < len(block); {
		next, whole := row.read(block, at)
		here := record.Pos{File: pos.File, Line: line, Offset: pos.Offset + int64(at)}
		if whole && row.plausible() {
			w.csvEntry(&row, here)
		} else if next = csvResync(block, at); len(bytes.TrimSpace(block[at:next])) > 0 {
			w.loss(record.LossEntry, "row that is not one of csvlog: damaged, or cut off", here, 1)
		}
		line += int64(bytes.Count(block[at:next], []byte{'\n'}))
		at = next
	}
}

// csvResync is the offset of the next line after at that starts like a row.
func csvResync(block []byte, at int) int {
	for {
		i := bytes.IndexByte(block[at:], '\n')
		if i < 0 {
			return len(block)
		}
		at += i + 1
		if at == len(block) || csvRowStart(block, at) {
			return at
		}
	}
}

// csvEntry fills the entry from a row.
func (w *worker) csvEntry(r *csvRow, pos record.Pos) {
	e := w.begin(pos)
	f := &r.fields
	if !w.logTime(e, f[csvLogTime].text) {
		w.loss(record.LossEntry, "row of csvlog without a valid time", pos, 1)
		return
	}
	e.UserName, e.DatabaseName = w.csvText(f[csvUserName]), w.csvText(f[csvDatabaseName])
	e.ProcessID = parsePID(f[csvProcessID].text)
	e.ConnectionFrom = f[csvConnectionFrom].text
	e.SessionID = f[csvSessionID].text
	if n, ok := parseInt(f[csvSessionLineNum].text); ok {
		e.SessionLineNum = n
	}
	e.CommandTag, e.VirtualTxID = f[csvCommandTag].text, f[csvVirtualTxID].text
	e.ErrorSeverity = severityOf(f[csvErrorSeverity].text)
	e.SQLState = f[csvSQLState].text
	e.Message, e.Detail, e.Hint = w.csvText(f[csvMessage]), w.csvText(f[csvDetail]), w.csvText(f[csvHint])
	e.InternalQuery, e.Context = w.csvText(f[csvInternalQuery]), w.csvText(f[csvContext])
	e.Query, e.Location = w.csvText(f[csvQuery]), f[csvLocation].text
	if r.n > csvApplication {
		e.Application = w.csvText(f[csvApplication])
	}
	if r.n > csvBackendType {
		e.BackendType = f[csvBackendType].text
	}
	if r.n > csvQueryID {
		e.LeaderPID = parsePID(f[csvLeaderPID].text)
		e.QueryID, _ = parseInt(f[csvQueryID].text)
		e.HasQueryID = e.QueryID != 0
	}
	w.record(e)
}

// csvText is the field with its quotes undone.
func (r *jsonReader) csvText(f csvField) []byte {
	if !f.escaped {
		return f.text
	}
	start := len(r.scratch)
	for rest := f.text; ; {
		i := bytes.IndexByte(rest, '"')
		if i < 0 {
			r.scratch = append(r.scratch, rest...)
			break
		}
		r.scratch = append(r.scratch, rest[:i+1]...)
		rest = rest[min(i+2, len(rest)):]
	}
	return r.scratch[start:len(r.scratch):len(r.scratch)]
}
