package analysis

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// sqlReader walks over a statement, whole or cut.
type sqlReader struct {
	d    *dictionary
	rest string
	out  strings.Builder
	last string // last token that is no space, as written
	// ours marks a statement of ours around one of the input: words that name
	// nothing in the input, and numbers, are ours.
	ours bool
}

// sql rewrites a statement of the input, of which nothing is known: every
// identifier that is no word of SQL is replaced, every constant becomes ?,
// comments go. It recognises no grammar, so that pieces may be given to it.
func (d *dictionary) sql(s string) string {
	r := sqlReader{d: d, rest: s}
	for r.rest != "" {
		r.step()
	}
	return r.out.String()
}

// parameter stands in the input's statements, and in no text of ours alone.
var parameter = regexp.MustCompile(`\$\d`)

// rewritten rewrites a statement that was made of one of the input's.
func (d *dictionary) rewritten(s string) string {
	r := sqlReader{d: d, rest: s, ours: true}
	for r.rest != "" {
		r.step()
	}
	return r.out.String()
}

func (r *sqlReader) step() {
	s := r.rest
	switch c := s[0]; {
	case c == ' ' || c == '\n' || c == '\t' || c == '\r':
		r.emit(1, s[:1])
	case strings.HasPrefix(s, "--"):
		r.skip(indexOr(s, "\n", len(s)))
	case strings.HasPrefix(s, "/*"):
		r.comment()
	case c == '\'':
		r.constant(stringLength(s, strings.EqualFold(r.last, "e")))
	case c == '"':
		r.quotedName()
	case c == '$':
		r.dollar()
	case c >= '0' && c <= '9' && r.ours:
		r.token(numberLength(s), s[:numberLength(s)])
	case c >= '0' && c <= '9':
		r.token(numberLength(s), "?")
	case wordLength(s) > 0:
		r.word(s[:wordLength(s)])
	default:
		_, n := utf8.DecodeRuneInString(s)
		r.token(n, s[:n])
	}
}

// emit replaces the next n bytes by text.
func (r *sqlReader) emit(n int, text string) {
	r.out.WriteString(text)
	r.rest = r.rest[n:]
}

func (r *sqlReader) skip(n int) { r.rest = r.rest[n:] }

func (r *sqlReader) token(n int, text string) {
	r.last = r.rest[:n]
	r.emit(n, text)
}

// comment keeps the mark that stands for folded lists.
func (r *sqlReader) comment() {
	const folded = "/*, ... */"
	if strings.HasPrefix(r.rest, folded) {
		r.emit(len(folded), folded)
		return
	}
	r.skip(min(indexOr(r.rest, "*/", len(r.rest))+len("*/"), len(r.rest)))
}

// constant is a string of n bytes.
func (r *sqlReader) constant(n int) {
	if r.d.replaced == nil && n > 2 {
		r.d.literals[strings.Trim(r.rest[:n], "'")] = true
	}
	r.token(n, "'?'")
}

// dollar is a parameter, or a string between $tag$ and $tag$.
func (r *sqlReader) dollar() {
	digits := len(r.rest) - 1 - len(strings.TrimLeft(r.rest[1:], "0123456789"))
	if digits > 0 {
		r.token(1+digits, r.rest[:1+digits])
		return
	}
	tag := 1 + wordLength(strings.ReplaceAll(r.rest[1:min(len(r.rest), 65)], "$", " "))
	if tag >= len(r.rest) || r.rest[tag] != '$' {
		r.token(1, "$")
		return
	}
	mark := r.rest[:tag+1]
	end := indexOr(r.rest[len(mark):], mark, len(r.rest)-2*len(mark))
	r.token(min(max(end, 0)+2*len(mark), len(r.rest)), "'?'")
}

func (r *sqlReader) quotedName() {
	end := 1
	for {
		i := indexOr(r.rest[end:], `"`, -1)
		if i < 0 {
			end = len(r.rest)
			break
		}
		if end += i + 1; !strings.HasPrefix(r.rest[end:], `"`) {
			break
		}
		end++
	}
	name := strings.ReplaceAll(strings.Trim(r.rest[:end], `"`), `""`, `"`)
	r.token(end, r.d.quotedIdentifier(name))
}

// word is a word of SQL, or a name.
func (r *sqlReader) word(w string) {
	lower := strings.ToLower(w)
	after := strings.TrimLeft(r.rest[len(w):], " ")
	kind, known := r.d.kinds[lower]
	text := w
	switch qualified := r.last == "." || strings.HasPrefix(after, "."); {
	case r.prefix(lower):
	case qualified && (known || !r.ours) || known && kind != nameOther && !reserved[lower]:
		text = r.d.identifier(lower)
	case reserved[lower] || structural[lower] || r.ours && !known:
	default:
		text = r.d.identifier(lower)
	}
	r.token(len(w), text)
}

// prefix reports whether the word belongs to the constant that follows. Behind
// a constant it cannot: there the text was cut inside one.
func (r *sqlReader) prefix(lower string) bool {
	if len(lower) != 1 || len(r.rest) < 2 || r.rest[1] != '\'' || strings.HasSuffix(r.last, "'") {
		return false
	}
	return strings.Contains("ebxn", lower)
}

// quotedIdentifier is the replacement of a name in quotes, which needs none; the
// empty one stays.
func (d *dictionary) quotedIdentifier(name string) string {
	if name == "" {
		return `""`
	}
	return d.identifier(name)
}

// stringLength is the length of the string constant that s begins with. One
// without an end reaches to where the text was cut.
func stringLength(s string, escapes bool) int {
	for i := 1; i < len(s); i++ {
		switch {
		case escapes && s[i] == '\\':
			i++
		case s[i] == '\'' && i+1 < len(s) && s[i+1] == '\'':
			i++
		case s[i] == '\'':
			return i + 1
		}
	}
	return len(s)
}

func numberLength(s string) int {
	n := 0
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '.' || s[n] == '_' || s[n] >= 'a' && s[n] <= 'z' || s[n] >= 'A' && s[n] <= 'Z') {
		n++
	}
	return n
}

func indexOr(s, sub string, otherwise int) int {
	if i := strings.Index(s, sub); i >= 0 {
		return i
	}
	return otherwise
}
