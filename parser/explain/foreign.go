package explain

import "bytes"

// foreignKeys are top-level keys of other databases' plans in JSON.
var foreignKeys = map[string]string{
	"query_block":         "MySQL",
	"json_schema_version": "MySQL",
	"queryPlanner":        "MongoDB",
	"nodeNames":           "CockroachDB",
	"Physical Plan":       "DuckDB",
}

// foreignLines are how lines of other databases' plans in text begin.
var foreignLines = [...]struct{ prefix, database string }{
	{"-> ", "MySQL"},
	{"| -> ", "MySQL"},
	{"EXPLAIN: -> ", "MySQL"},
	{"| id | select_type", "MySQL"},
	{"| id   | select_type", "MariaDB"},
	{"distribution: ", "CockroachDB"},
	{"Plan hash value: ", "Oracle"},
	{"| Id  | Operation", "Oracle"},
	{"StmtText", "SQL Server"},
	{"== Physical Plan ==", "Spark"},
	{"Fragment 0 [", "Trino"},
	{"││    Physical Plan", "DuckDB"},
	{"│┌──", "DuckDB"},
}

// foreignLine names the database that prints such a line, "" if none is known
// to. The line is without indentation. MySQL's arrow tells only as the first
// character of a text: PostgreSQL's stand below a root.
func foreignLine(text []byte, first bool) string {
	if rest, ok := bytes.CutPrefix(text, []byte("|--")); ok && len(rest) > 0 && rest[0] >= 'A' && rest[0] <= 'Z' {
		return "SQLite or SQL Server"
	}
	for i, l := range foreignLines {
		if i == 0 && !first {
			continue
		}
		if bytes.HasPrefix(text, []byte(l.prefix)) {
			return l.database
		}
	}
	return ""
}
