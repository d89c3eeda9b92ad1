package pglog

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

var successState = []byte("00000")

// jsonScan walks over JSON.
type jsonScan struct {
	b  []byte
	at int
	// lines says that the text has several lines; then a line end inside a
	// string is damage, which must not swallow the objects that follow.
	lines bool
}

func (s *jsonScan) blank() {
	for s.at < len(s.b) && isBlank(s.b[s.at]) {
		s.at++
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// next passes over blanks and c.
func (s *jsonScan) next(c byte) bool {
	s.blank()
	if s.at < len(s.b) && s.b[s.at] == c {
		s.at++
		return true
	}
	return false
}

// jsonReader reads objects. What it answers is valid until scratch is cut or
// the next object is read.
type jsonReader struct {
	fields  jsonFields
	scratch []byte // what strings were unescaped into
}

// jsonKeyFunc knows the keys of a kind of objects; inner ones stand in the
// object under a key for which it answered jsonInner.
type jsonKeyFunc func(key []byte, inner bool) jsonKey

// jsonObject reads the one object on a line.
func (r *jsonReader) jsonObject(line []byte, keys jsonKeyFunc) (*jsonFields, bool) {
	r.fields = jsonFields{}
	s := jsonScan{b: bytes.TrimPrefix(line, byteOrderMark)}
	if !r.object(&s, keys, false) {
		return nil, false
	}
	s.blank()
	return &r.fields, s.at == len(s.b)
}

// object reads an object and stores the values of its known keys.
func (r *jsonReader) object(s *jsonScan, keys jsonKeyFunc, inner bool) bool {
	if !s.next('{') {
		return false
	}
	for !s.next('}') {
		if !s.next('"') {
			return false
		}
		key, escaped, ok := s.str()
		if !ok || !s.next(':') {
			return false
		}
		k := jsonOther
		if !escaped {
			k = keys(key, inner)
		}
		if k == jsonInner && !inner {
			ok = r.innerObject(s, keys)
		} else {
			ok = r.jsonValue(s, k)
		}
		if !ok || !s.next(',') && (s.at >= len(s.b) || s.b[s.at] != '}') {
			return false
		}
	}
	return true
}

// innerObject reads the object under a key; some exports make a string of it.
func (r *jsonReader) innerObject(s *jsonScan, keys jsonKeyFunc) bool {
	s.blank()
	switch {
	case s.at < len(s.b) && s.b[s.at] == '{':
		return r.object(s, keys, true)
	case s.at < len(s.b) && s.b[s.at] == '"':
		s.at++
		text, escaped, ok := s.str()
		if !ok {
			return false
		}
		if escaped {
			text = r.unescape(text)
		}
		r.object(&jsonScan{b: text}, keys, true)
		return true
	}
	return r.jsonValue(s, jsonOther)
}

// jsonValue reads a value and stores it under its key.
func (r *jsonReader) jsonValue(s *jsonScan, k jsonKey) bool {
	s.blank()
	if s.at == len(s.b) {
		return false
	}
	if s.b[s.at] == '"' {
		s.at++
		text, escaped, ok := s.str()
		if ok && k < jsonKeys && k != jsonOther {
			if escaped {
				text = r.unescape(text)
			}
			r.fields.text[k] = text
		}
		return ok
	}
	start := s.at
	if !s.skip() {
		return false
	}
	if text := s.b[start:s.at]; k < jsonKeys && k != jsonOther && string(text) != "null" {
		r.fields.text[k] = text
	}
	return true
}

// str reads a string whose opening quote has been read, and answers what stands
// between the quotes.
func (s *jsonScan) str() (text []byte, escaped, ok bool) {
	start := s.at
	for {
		i := bytes.IndexByte(s.b[s.at:], '"')
		if i < 0 {
			return nil, false, false
		}
		end := s.at + i
		back := 0
		for end-back > start && s.b[end-back-1] == '\\' {
			back++
		}
		s.at = end + 1
		if back%2 == 0 {
			text = s.b[start:end]
			if s.lines && bytes.IndexByte(text, '\n') >= 0 {
				return nil, false, false
			}
			return text, escaped || bytes.IndexByte(text, '\\') >= 0, true
		}
		escaped = true
	}
}

// skip passes over a value that is no string.
func (s *jsonScan) skip() bool {
	depth := 0
	for s.at < len(s.b) {
		switch s.b[s.at] {
		case '{', '[':
			if depth++; depth > jsonMaxDepth {
				return false
			}
		case '}', ']':
			if depth == 0 {
				return true
			}
			depth--
		case ',':
			if depth == 0 {
				return true
			}
		case ' ', '\t', '\r', '\n':
			if depth == 0 {
				return true
			}
		case '"':
			s.at++
			if _, _, ok := s.str(); !ok {
				return false
			}
			continue
		}
		s.at++
	}
	return false
}

// unescape undoes the escapes of a JSON string, into scratch. An escape that
// JSON does not know stands for itself.
func (r *jsonReader) unescape(text []byte) []byte {
	start := len(r.scratch)
	out := r.scratch
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 || i+1 == len(text) {
			out = append(out, text...)
			break
		}
		out = append(out, text[:i]...)
		c := text[i+1]
		text = text[i+2:]
		switch c {
		case 'n':
			c = '\n'
		case 't':
			c = '\t'
		case 'r':
			c = '\r'
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'u':
			var c rune
			c, text = unicodeEscape(text)
			out = utf8.AppendRune(out, c)
			continue
		}
		out = append(out, c)
	}
	r.scratch = out
	return out[start:len(out):len(out)]
}

// unicodeEscape reads the digits behind \u, and the second half of a surrogate
// pair.
func unicodeEscape(text []byte) (rune, []byte) {
	r, ok := hexRune(text)
	if !ok {
		return utf8.RuneError, text
	}
	text = text[4:]
	if utf16.IsSurrogate(r) && len(text) >= 6 && text[0] == '\\' && text[1] == 'u' {
		if low, ok := hexRune(text[2:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, text[6:]
			}
		}
	}
	return r, text
}

func hexRune(text []byte) (rune, bool) {
	if len(text) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range text[:4] {
		switch {
		case c-'0' < 10:
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
