package signature

import "strings"

// tokenKind classifies the pieces of a condition as EXPLAIN prints it.
type tokenKind uint8

const (
	tokenWord     tokenKind = iota + 1 // identifier or keyword; quotes kept
	tokenNumber                        //
	tokenString                        // 'literal'
	tokenParam                         // $1
	tokenOperator                      // = <> ~~ @> …
	tokenCast                          // ::
	tokenPunct                         // ( ) [ ] , .
)

type token struct {
	kind tokenKind
	text string
	// span is the distance to the parenthesis or bracket that closes this one; 0
	// if this opens none or nothing closes it.
	span int
}

// maxCondition bounds the conditions that are taken apart, in bytes.
const maxCondition = 16 << 10

// tokens cuts a condition; nil if it is too long or ends inside a quote.
func tokens(text string) []token {
	if len(text) > maxCondition {
		return nil
	}
	var out []token
	for i := 0; i < len(text); {
		if text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r' {
			i++
			continue
		}
		kind, end := nextToken(text, i)
		if end < 0 {
			return nil
		}
		out = append(out, token{kind: kind, text: text[i:end]})
		i = end
	}
	matchParens(out)
	return out
}

// matchParens sets the spans.
func matchParens(list []token) {
	var open []int
	for i, t := range list {
		switch t.text {
		case "(", "[":
			open = append(open, i)
		case ")", "]":
			if n := len(open); n > 0 {
				list[open[n-1]].span = i - open[n-1]
				open = open[:n-1]
			}
		}
	}
}

// nextToken is the kind and the end of the token at i; −1 inside a quote that
// does not end.
func nextToken(text string, i int) (tokenKind, int) {
	b := text[i]
	switch {
	case b == '\'':
		return tokenString, quotedEnd(text, i)
	case b == '"':
		return tokenWord, quotedEnd(text, i)
	case b == 'E' && strings.HasPrefix(text[i+1:], "'"):
		return tokenString, quotedEnd(text, i+1)
	case isWordByte(b) && !isDigit(b):
		return tokenWord, spanEnd(text, i, isWordByte)
	case isDigit(b):
		return tokenNumber, spanEnd(text, i, func(b byte) bool { return isWordByte(b) || b == '.' })
	case b == '$':
		return tokenParam, spanEnd(text, i+1, isDigit)
	case strings.HasPrefix(text[i:], "::"):
		return tokenCast, i + 2
	case strings.IndexByte("()[],.:;", b) >= 0:
		return tokenPunct, i + 1
	case isOperatorByte(b):
		return tokenOperator, spanEnd(text, i, isOperatorByte)
	}
	return tokenPunct, i + 1
}

// quotedEnd is the offset behind a quoted text; a doubled quote is part of it.
func quotedEnd(text string, i int) int {
	quote := text[i]
	for i++; i < len(text); i++ {
		if text[i] != quote {
			continue
		}
		if i+1 == len(text) || text[i+1] != quote {
			return i + 1
		}
		i++
	}
	return -1
}

func spanEnd(text string, i int, in func(byte) bool) int {
	for i < len(text) && in(text[i]) {
		i++
	}
	return i
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func isWordByte(b byte) bool {
	return isDigit(b) || b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

func isOperatorByte(b byte) bool { return strings.IndexByte("+-*/<>=~!@#%^&|`?", b) >= 0 }

// conditionText is a condition as printed, its literals replaced: they may be
// anybody's data.
func conditionText(text string) string {
	list := tokens(text)
	if list == nil {
		return "a condition too long to show"
	}
	var b strings.Builder
	for i, t := range list {
		if i > 0 && needsSpace(list[i-1], t) {
			b.WriteByte(' ')
		}
		if t.kind == tokenString {
			b.WriteString("'…'")
			continue
		}
		b.WriteString(t.text)
	}
	return shorten(b.String(), 300)
}

func needsSpace(before, t token) bool {
	return before.text != "(" && before.text != "[" && before.text != "." && before.kind != tokenCast &&
		t.text != ")" && t.text != "]" && t.text != "[" && t.text != "." && t.text != "," && t.kind != tokenCast &&
		(t.text != "(" || before.kind != tokenWord || isKeyword(before.text))
}

// isKeyword tells the words after which EXPLAIN prints a space before "(".
func isKeyword(word string) bool {
	switch word {
	case "AND", "OR", "NOT", "ANY", "ALL", "IN", "THEN", "WHEN", "ELSE":
		return true
	}
	return false
}
