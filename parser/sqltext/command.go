package sqltext

import "strings"

// command is the command tag by the first keywords of canonical text, in
// PostgreSQL's spelling; of a WITH its main statement.
func command(s []byte) string {
	t, rest := next(s)
	for t.is("(") {
		t, rest = next(rest)
	}
	if t.kind != tokWord {
		return ""
	}
	second, _ := next(rest)
	switch w := string(t.text); w {
	case "with":
		return mainCommand(rest)
	case "values", "table":
		return "SELECT"
	case "end":
		return "COMMIT"
	case "abort":
		return "ROLLBACK"
	case "start":
		return "START TRANSACTION"
	case "truncate":
		return "TRUNCATE TABLE"
	case "refresh":
		return "REFRESH MATERIALIZED VIEW"
	case "declare", "close":
		return strings.ToUpper(w) + " CURSOR"
	case "create", "alter", "drop":
		return strings.ToUpper(w) + object(rest)
	case "prepare":
		if second.is("transaction") {
			return "PREPARE TRANSACTION"
		}
	case "commit", "rollback":
		if second.is("prepared") {
			return strings.ToUpper(w) + " PREPARED"
		}
	}
	if !verb(string(t.text)) {
		return ""
	}
	return strings.ToUpper(string(t.text))
}

// verb tells the words that begin a statement and are its tag.
func verb(w string) bool {
	switch w {
	case "select", "insert", "update", "delete", "merge", "begin", "commit", "rollback", "savepoint", "release",
		"set", "reset", "show", "discard", "copy", "call", "do", "execute", "prepare", "deallocate", "explain",
		"fetch", "move", "listen", "notify", "unlisten", "lock", "load", "checkpoint", "vacuum", "analyze",
		"cluster", "reindex", "grant", "revoke", "comment", "security", "reassign", "import", "repack":
		return true
	}
	return false
}

// object is the kind of object that CREATE, ALTER or DROP names, with a space
// before it.
func object(s []byte) string {
	for t, rest := next(s); t.kind == tokWord; t, rest = next(rest) {
		switch w := string(t.text); w {
		case "or", "replace", "unique", "temp", "temporary", "unlogged", "global", "local", "recursive",
			"constraint", "trusted", "procedural":
			continue
		case "materialized", "foreign", "event", "text", "default", "access", "operator":
			second, _ := next(rest)
			if second.kind == tokWord {
				return " " + strings.ToUpper(w) + " " + strings.ToUpper(string(second.text))
			}
			return " " + strings.ToUpper(w)
		default:
			return " " + strings.ToUpper(w)
		}
	}
	return ""
}

// mainCommand is the command behind the WITH list.
func mainCommand(s []byte) string {
	depth := 0
	for t, rest := next(s); t.kind != tokEnd; t, rest = next(rest) {
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case depth == 0 && t.kind == tokWord:
			switch w := string(t.text); w {
			case "select", "insert", "update", "delete", "merge":
				return strings.ToUpper(w)
			case "values", "table":
				return "SELECT"
			}
		}
	}
	return ""
}
