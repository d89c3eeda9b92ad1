package pglog

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// JSONLog is log_destination = jsonlog of PostgreSQL 15 and later: one object
// on a line.
var JSONLog = source.Format{
	Name:   "jsonlog",
	Doc:    "PostgreSQL log, log_destination = jsonlog",
	Detect: detectJSON,
}

const (
	jsonDetectLines = 50
	jsonMaxDepth    = 64
)

func detectJSON(h *source.Head) *source.Detection {
	begin := jsonBegin(h.Data)
	if begin == len(h.Data) {
		return nil
	}
	j := &jsonlog{newWorkers(h)}
	var b record.Batch
	w := j.get(&b)
	good, zone := 0, ""
	for at, n := begin, 0; at < len(h.Data) && n < jsonDetectLines; n++ {
		line, next := cutLine(h.Data, at)
		at = next
		if f, ok := w.jsonObject(line, jsonKeyOf); ok && f.isEntry() {
			good++
			if _, z := timeLength(f.text[jsonTimestamp]); zone == "" {
				zone = string(f.text[jsonTimestamp][z:])
			}
		}
	}
	if good == 0 {
		return nil
	}
	return &source.Detection{
		Score: 98,
		Zone:  zone,
		Begin: jsonBegin,
		Cut:   func(data []byte) int { return bytes.LastIndexByte(data, '\n') + 1 },
		Parse: j.parse,
	}
}

// jsonBegin finds the first line that starts an object. Inside a string a quote
// would have a backslash before it.
func jsonBegin(data []byte) int {
	for at := 0; at < len(data); {
		line := bytes.TrimLeft(data[at:min(len(data), at+64)], " \t\r\ufeff")
		if len(line) > 1 && line[0] == '{' && (line[1] == '"' || line[1] == ' ') {
			return at
		}
		i := bytes.IndexByte(data[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	return len(data)
}

// jsonlog reads lines.
type jsonlog struct{ *workers }

func (j *jsonlog) parse(block []byte, pos record.Pos, b *record.Batch) {
	w := j.get(b)
	defer j.put(w)
	w.oneLine = true
	for at := 0; at < len(block); pos.Line++ {
		line, next := cutLine(block, at)
		here := record.Pos{File: pos.File, Line: pos.Line, Offset: pos.Offset + int64(at)}
		at = next
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		e := w.begin(here)
		if f, ok := w.jsonObject(line, jsonKeyOf); !ok || !f.isEntry() || !w.jsonEntry(e, f) {
			w.loss(record.LossEntry, "line that is no entry of jsonlog: damaged, or cut off", here, 1)
		}
	}
}

// jsonKey is a key of jsonlog that is read.
type jsonKey uint8

const (
	jsonOther jsonKey = iota
	jsonTimestamp
	jsonUser
	jsonDatabase
	jsonPID
	jsonRemoteHost
	jsonSessionID
	jsonLineNum
	jsonTag
	jsonVirtualTxID
	jsonSeverity
	jsonState
	jsonMessage
	jsonDetail
	jsonHint
	jsonInternalQuery
	jsonContext
	jsonStatement
	jsonFuncName
	jsonApplication
	jsonBackendType
	jsonLeaderPID
	jsonQueryID
	jsonText   // the line that a shipper carries
	jsonTime   // when the shipper saw it
	jsonWriter // the stream, unit or instance it comes from
	jsonPrefix // log_line_prefix, apart from the message
	jsonKeys
	jsonInner // the object under this key is read too
)

// jsonKeyOf knows the keys of jsonlog.c.
func jsonKeyOf(key []byte, _ bool) jsonKey {
	switch string(key) {
	case "timestamp":
		return jsonTimestamp
	case "user":
		return jsonUser
	case "dbname":
		return jsonDatabase
	case "pid":
		return jsonPID
	case "remote_host":
		return jsonRemoteHost
	case "session_id":
		return jsonSessionID
	case "line_num":
		return jsonLineNum
	case "ps":
		return jsonTag
	case "vxid":
		return jsonVirtualTxID
	case "error_severity":
		return jsonSeverity
	case "state_code":
		return jsonState
	case "message":
		return jsonMessage
	case "detail":
		return jsonDetail
	case "hint":
		return jsonHint
	case "internal_query":
		return jsonInternalQuery
	case "context":
		return jsonContext
	case "statement":
		return jsonStatement
	case "func_name":
		return jsonFuncName
	case "application_name":
		return jsonApplication
	case "backend_type":
		return jsonBackendType
	case "leader_pid":
		return jsonLeaderPID
	case "query_id":
		return jsonQueryID
	}
	return jsonOther
}

// jsonFields are the values of one object by key: strings unescaped, other
// values as they stand, nil for null or absent.
type jsonFields struct {
	text [jsonKeys][]byte
}

// isEntry reports whether the object is an entry of the log. A message may be
// empty, not absent.
func (f *jsonFields) isEntry() bool {
	return f.text[jsonTimestamp] != nil && f.text[jsonSeverity] != nil
}

// jsonEntry fills the entry and records it; false if its time is none.
func (w *worker) jsonEntry(e *record.Entry, f *jsonFields) bool {
	t := &f.text
	if !w.logTime(e, t[jsonTimestamp]) {
		return false
	}
	e.UserName, e.DatabaseName = t[jsonUser], t[jsonDatabase]
	e.ProcessID, e.LeaderPID = parsePID(t[jsonPID]), parsePID(t[jsonLeaderPID])
	e.ConnectionFrom, e.SessionID = t[jsonRemoteHost], t[jsonSessionID]
	if n, ok := parseInt(t[jsonLineNum]); ok {
		e.SessionLineNum = n
	}
	e.CommandTag, e.VirtualTxID = t[jsonTag], t[jsonVirtualTxID]
	e.ErrorSeverity, e.SQLState = severityOf(t[jsonSeverity]), t[jsonState]
	if e.SQLState == nil {
		e.SQLState = successState // left out by PostgreSQL
	}
	e.Message, e.Detail, e.Hint = t[jsonMessage], t[jsonDetail], t[jsonHint]
	e.InternalQuery, e.Context, e.Query = t[jsonInternalQuery], t[jsonContext], t[jsonStatement]
	e.Location = t[jsonFuncName]
	e.Application, e.BackendType = t[jsonApplication], t[jsonBackendType]
	e.QueryID, _ = parseInt(t[jsonQueryID])
	e.HasQueryID = e.QueryID != 0
	w.record(e)
	return true
}
