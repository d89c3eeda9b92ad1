package sqltext

import "bytes"

// kind is the kind of a token of canonical text.
type kind uint8

const (
	tokEnd kind = iota
	tokWord
	tokQuoted // quoted identifier, quotes included
	tokString
	tokNumber
	tokParam
	tokOperator
	tokPunct // ( ) [ ] , . ; :
)

// token is one token of canonical text. It borrows the text.
type token struct {
	kind  kind
	text  []byte
	space bool // white space before it
}

// is compares with a word or punctuation mark.
func (t token) is(s string) bool {
	return (t.kind == tokWord || t.kind == tokPunct) && string(t.text) == s
}

// next reads the first token of canonical text and returns what follows it.
func next(s []byte) (token, []byte) {
	var t token
	for len(s) > 0 {
		if s[0] == ' ' {
			s = s[1:]
		} else if s[0] == '/' && bytes.HasPrefix(s, []byte(moreMark)) {
			s = s[len(moreMark):]
		} else {
			break
		}
		t.space = true
	}
	if len(s) == 0 {
		return t, nil
	}
	n := 1
	switch b := s[0]; classes[b] {
	case clsWord, clsUpper:
		t.kind, n = tokWord, wordLen(s)
		if n == 1 && len(s) > 2 && b == 'u' && s[1] == '&' && s[2] == '"' {
			t.kind, n = tokQuoted, 2+unitLen(s[2:])
		}
	case clsDigit:
		t.kind = tokNumber
	case clsQuote:
		t.kind, n = tokString, min(2, len(s))
	case clsIdent:
		t.kind, n = tokQuoted, unitLen(s)
	case clsDollar:
		t.kind, n = tokParam, wordLen(s)
	case clsOpen, clsClose, clsComma, clsDot:
		t.kind = tokPunct
	default:
		if b == ';' || b == ':' && (len(s) < 2 || s[1] != ':') {
			t.kind = tokPunct
			break
		}
		t.kind, n = tokOperator, operatorLen(s)
	}
	t.text = s[:n]
	return t, s[n:]
}

func operatorLen(s []byte) int {
	n := 1
	for n < len(s) && bytes.IndexByte([]byte("+-*/<>=~!@#%^&|`?:"), s[n]) >= 0 {
		n++
	}
	return n
}
