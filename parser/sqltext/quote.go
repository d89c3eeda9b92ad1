package sqltext

import "strings"

// QuoteIdent writes an identifier for SQL, in double quotes if it needs them. It
// does not know reserved words: stand them behind their schema.
func QuoteIdent(s string) string {
	plain := s != ""
	for i, c := range s {
		if !(c >= 'a' && c <= 'z' || c == '_' || i > 0 && c >= '0' && c <= '9') {
			plain = false
		}
	}
	if plain {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}
