package pglog

import (
	"github.com/pgassay/pgassay/parser/source"
)

// CloudNativePG is the log of a CloudNativePG pod: one JSON object on a line,
// whose "record" holds the columns of csvlog, all as strings. Lines of the
// operator's own processes are passed over.
var CloudNativePG = source.Format{
	Name:   "cloudnative-pg",
	Doc:    "CloudNativePG pod log, JSON with csvlog's columns under record",
	Detect: detectCNPG,
}

func detectCNPG(h *source.Head) *source.Detection {
	log := &objectLog{workers: newWorkers(h), keys: cnpgKey, kind: cnpgKind, fill: (*worker).jsonEntry}
	return log.detection(h)
}

// cnpgKind tells entries of PostgreSQL by their columns, and other lines of the
// pod by the "msg" that all have.
func cnpgKind(f *jsonFields) objectKind {
	switch {
	case f.isEntry():
		return objectEntry
	case f.text[jsonText] != nil:
		return objectOther
	}
	return objectStrange
}

// cnpgKey knows the names of csvlog's columns.
func cnpgKey(key []byte, inner bool) jsonKey {
	if !inner {
		switch string(key) {
		case "record":
			return jsonInner
		case "msg":
			return jsonText
		}
		return jsonOther
	}
	switch string(key) {
	case "log_time":
		return jsonTimestamp
	case "user_name":
		return jsonUser
	case "database_name":
		return jsonDatabase
	case "process_id":
		return jsonPID
	case "connection_from":
		return jsonRemoteHost
	case "session_line_num":
		return jsonLineNum
	case "command_tag":
		return jsonTag
	case "virtual_transaction_id":
		return jsonVirtualTxID
	case "sql_state_code":
		return jsonState
	case "query":
		return jsonStatement
	case "location":
		return jsonFuncName
	}
	return jsonKeyOf(key, true)
}
