package sqltext

import "bytes"

// maxCanonical bounds the canonical form of a text. What follows does not take
// part in the identity; folding happens before, so that lists of values of any
// length fit.
const maxCanonical = 64 << 10

// moreMark is how PostgreSQL 18 marks a folded list in pg_stat_statements.
const moreMark = "/*, ... */"

type class uint8

const (
	clsOther class = iota // operators, dots and what is no SQL
	clsSpace
	clsWord
	clsUpper // a word character that folds
	clsDigit
	clsQuote
	clsIdent // double quote
	clsDollar
	clsDash
	clsSlash
	clsDot
	clsOpen
	clsClose
	clsComma
)

// classes follows PostgreSQL's scanner: bytes from 0x80 are letters.
var classes = func() (t [256]class) {
	for b := range t {
		switch {
		case b == ' ', b >= '\t' && b <= '\r':
			t[b] = clsSpace
		case b >= 'A' && b <= 'Z':
			t[b] = clsUpper
		case b >= 'a' && b <= 'z', b == '_', b >= 0x80:
			t[b] = clsWord
		case b >= '0' && b <= '9':
			t[b] = clsDigit
		}
	}
	for b, c := range map[byte]class{'\'': clsQuote, '"': clsIdent, '$': clsDollar, '-': clsDash,
		'/': clsSlash, '.': clsDot, '(': clsOpen, '[': clsOpen, ')': clsClose, ']': clsClose, ',': clsComma} {
		t[b] = c
	}
	return t
}()

// folded is a word's byte in lower case, 0 for a byte that ends the word.
var folded = func() (t [256]byte) {
	for b, c := range classes {
		switch c {
		case clsWord, clsDigit, clsDollar:
			t[b] = byte(b)
		case clsUpper:
			t[b] = byte(b) | 0x20
		}
	}
	return t
}()

func isWord(b byte) bool { return folded[b] != 0 }

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// canonizer writes the canonical form of one text:
//
//   - a string of any kind becomes the empty string, a number 1; $n stays
//   - words are lower-cased, quoted identifiers stay
//   - white space and comments become one space, or none at the ends
//   - rows of VALUES and elements of IN (…) and ARRAY[…] that have the shape of
//     an earlier one are dropped; a folded list ends in moreMark
//   - a text that ends inside a literal or comment keeps the lone opening mark,
//     so that it does not parse
type canonizer struct {
	out         []byte
	gap         bool // white space before the next token
	afterString bool // the last token is a string literal
	lists       lists
}

// canonical appends the canonical form of text to dst, which must be empty.
func canonical(dst, text []byte) []byte {
	c := canonizer{out: dst}
	for i := 0; i < len(text) && len(c.out) < maxCanonical; {
		b := text[i]
		switch classes[b] {
		case clsSpace:
			c.gap = true
			i++
		case clsWord, clsUpper:
			i = c.word(text, i)
		case clsDigit:
			i = c.number(text, i)
		case clsQuote:
			i = c.str(text, i, false)
		case clsIdent:
			i = c.quoted(text, i)
		case clsDollar:
			i = c.dollar(text, i)
		case clsOpen:
			c.open(b)
			i++
		case clsClose:
			c.close(b)
			i++
		case clsComma:
			c.comma()
			i++
		default:
			i = c.other(text, i)
		}
	}
	return trimEnd(c.out)
}

// trimEnd drops semicolons and spaces at the end.
func trimEnd(s []byte) []byte {
	for len(s) > 0 && (s[len(s)-1] == ';' || s[len(s)-1] == ' ') {
		s = s[:len(s)-1]
	}
	return s
}

// start writes the pending space and settles what the last token left open.
func (c *canonizer) start() {
	if c.gap {
		c.gap = false
		if len(c.out) > 0 {
			c.out = append(c.out, ' ')
		}
	}
	c.afterString = false
	c.lists.pending = listNone
	if c.lists.await != awaitNothing {
		c.lists.leaveValues()
	}
}

// put copies a token, up to the cap.
func (c *canonizer) put(tok []byte) {
	c.out = append(c.out, tok[:min(len(tok), max(maxCanonical+1-len(c.out), 0))]...)
}

func (c *canonizer) word(s []byte, i int) int {
	if i+1 < len(s) && (s[i+1] == '\'' || s[i+1] == '&') {
		if next, ok := c.prefixed(s, i, i+1); ok {
			return next
		}
	}
	c.start()
	out, from := c.out, len(c.out)
	s = s[:min(len(s), i+maxCanonical)]
	for i < len(s) {
		b := folded[s[i]]
		if b == 0 {
			break
		}
		out = append(out, b)
		i++
	}
	c.out = out
	c.lists.pending = listAfter(out[from:])
	return i
}

// prefixed reads E'…', B'…', X'…', N'…', U&'…' and U&"…".
func (c *canonizer) prefixed(s []byte, i, j int) (next int, ok bool) {
	switch s[i] | 0x20 {
	case 'e':
		if s[j] == '\'' {
			return c.str(s, j, true), true
		}
	case 'b', 'x', 'n':
		if s[j] == '\'' {
			return c.str(s, j, false), true
		}
	case 'u':
		if s[j] != '&' || j+1 >= len(s) {
			break
		}
		if s[j+1] == '\'' {
			return c.str(s, j+1, false), true
		}
		if s[j+1] == '"' {
			c.start()
			c.put([]byte("u&"))
			return c.quoted(s, j+1), true
		}
	}
	return 0, false
}

func (c *canonizer) number(s []byte, i int) int {
	j := i
	for j < len(s) {
		switch b := s[j]; {
		case isWord(b) && b != '$':
			j++
			if b|0x20 == 'e' && j+1 < len(s) && (s[j] == '+' || s[j] == '-') && isDigit(s[j+1]) {
				j++
			}
		case b == '.' && (j+1 >= len(s) || s[j+1] != '.'):
			j++
		default:
			c.start()
			c.out = append(c.out, '1')
			return j
		}
	}
	c.start()
	c.out = append(c.out, '1')
	return j
}

// str reads a string literal that opens at i. Two literals in a row are one:
// PostgreSQL joins them across lines.
func (c *canonizer) str(s []byte, i int, escapes bool) int {
	end := stringEnd(s, i+1, escapes)
	c.literal(end < 0)
	if end < 0 {
		return len(s)
	}
	return end
}

func (c *canonizer) literal(unterminated bool) {
	if c.afterString && !unterminated {
		c.gap = false
		return
	}
	c.start()
	c.out = append(c.out, '\'')
	if !unterminated {
		c.out = append(c.out, '\'')
		c.afterString = true
	}
}

// stringEnd is the offset behind the closing quote, -1 if there is none.
func stringEnd(s []byte, i int, escapes bool) int {
	for i < len(s) {
		n := 0
		if escapes {
			n = quoteOrBackslash(s[i:])
		} else {
			n = bytes.IndexByte(s[i:], '\'')
		}
		if n < 0 {
			return -1
		}
		i += n + 1
		if s[i-1] == '\'' && (i >= len(s) || s[i] != '\'') {
			return i
		}
		i++
	}
	return -1
}

// StringEnd is the offset behind the closing quote of a string constant, given
// what stands behind its opening one; len(s) if it is not closed. Two quotes are
// one of the string.
func StringEnd(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] != '\'' {
			continue
		}
		if i+1 == len(s) || s[i+1] != '\'' {
			return i + 1
		}
		i++
	}
	return len(s)
}

func quoteOrBackslash(s []byte) int {
	for n, b := range s {
		if b == '\'' || b == '\\' {
			return n
		}
	}
	return -1
}

// quoted copies a quoted identifier that opens at i.
func (c *canonizer) quoted(s []byte, i int) int {
	j := i + 1
	for j < len(s) {
		n := bytes.IndexByte(s[j:], '"')
		if n < 0 {
			j = len(s)
			break
		}
		j += n + 1
		if j >= len(s) || s[j] != '"' {
			break
		}
		j++
	}
	c.start()
	c.put(s[i:j])
	return j
}

// dollar reads $1, or a dollar-quoted string; a lone $ is copied.
func (c *canonizer) dollar(s []byte, i int) int {
	j := i + 1
	for j < len(s) && isDigit(s[j]) {
		j++
	}
	if j == i+1 {
		if end, ok := dollarEnd(s, i); ok {
			c.literal(end < 0)
			if end < 0 {
				return len(s)
			}
			return end
		}
	}
	c.start()
	c.put(s[i:j])
	return j
}

// dollarEnd finds the end of the dollar-quoted string that opens at i; -1 if it
// is not closed, not ok if none opens.
func dollarEnd(s []byte, i int) (end int, ok bool) {
	j := i + 1
	for j < len(s) && s[j] != '$' && isWord(s[j]) {
		j++
	}
	if j >= len(s) || s[j] != '$' {
		return 0, false
	}
	tag := s[i : j+1]
	n := bytes.Index(s[j+1:], tag)
	if n < 0 {
		return -1, true
	}
	return j + 1 + n + len(tag), true
}

// other copies one byte of an operator or punctuation, and skips comments.
func (c *canonizer) other(s []byte, i int) int {
	var next byte
	if i+1 < len(s) {
		next = s[i+1]
	}
	switch {
	case s[i] == '-' && next == '-':
		return c.lineComment(s, i)
	case s[i] == '/' && next == '*':
		return c.blockComment(s, i)
	case s[i] == '.' && isDigit(next):
		return c.number(s, i)
	}
	c.start()
	c.out = append(c.out, s[i])
	return i + 1
}

func (c *canonizer) lineComment(s []byte, i int) int {
	c.gap = true
	n := bytes.IndexByte(s[i:], '\n')
	if n < 0 {
		return len(s)
	}
	return i + n + 1
}

// blockComment skips a comment; comments nest.
func (c *canonizer) blockComment(s []byte, i int) int {
	if bytes.HasPrefix(s[i:], []byte(moreMark)) && c.lists.marked() {
		c.gap = false // the mark is written at the end of the list
		return i + len(moreMark)
	}
	depth := 1
	for j := i + 2; j+1 < len(s); j++ {
		switch {
		case s[j] == '*' && s[j+1] == '/':
			depth--
			j++
			if depth == 0 {
				c.gap = true
				return j + 1
			}
		case s[j] == '/' && s[j+1] == '*':
			depth++
			j++
		}
	}
	c.start()
	c.out = append(c.out, '/', '*')
	return len(s)
}
