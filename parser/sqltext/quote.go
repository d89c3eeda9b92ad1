package sqltext

import (
	"strings"

	"github.com/pganalyze/pg_query_go/v5"
)

// QuoteName writes a name for SQL, such as schema and table, each part quoted if
// it needs to be; empty parts are left out.
func QuoteName(parts ...string) string {
	var quoted []string
	for _, p := range parts {
		if p != "" {
			quoted = append(quoted, QuoteIdent(p))
		}
	}
	return strings.Join(quoted, ".")
}

// QuoteIdent writes an identifier for SQL, in double quotes if it needs them:
// reserved words do, and so do words that PostgreSQL allows for types and
// functions only.
func QuoteIdent(s string) string {
	plain := s != ""
	for i, c := range s {
		if !(c >= 'a' && c <= 'z' || c == '_' || i > 0 && c >= '0' && c <= '9') {
			plain = false
		}
	}
	if plain && !reserved(s) {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

// QuoteLiteral writes a text as an SQL string.
func QuoteLiteral(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// reserved reports whether a plain word cannot name a table or column as it is.
func reserved(word string) bool {
	scanned, err := pg_query.Scan(word)
	if err != nil || len(scanned.Tokens) != 1 {
		return true
	}
	kind := scanned.Tokens[0].KeywordKind
	return kind == pg_query.KeywordKind_RESERVED_KEYWORD || kind == pg_query.KeywordKind_TYPE_FUNC_NAME_KEYWORD
}
