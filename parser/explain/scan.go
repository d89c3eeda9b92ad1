package explain

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// The scanner of JSON. It reads PostgreSQL's output and what tools make of it,
// so it is lenient: bare words such as Infinity are values, a comma may trail.
// When the input ends, cut is set and every call returns at once; after fail
// the same happens with err set.

// peek skips white space and returns the next byte, 0 at the end.
func (p *Parser) peek() byte {
	for p.pos < len(p.data) {
		c := p.data[p.pos]
		if c > ' ' {
			return c
		}
		p.pos++
	}
	p.cut = p.cut || p.err == nil
	return 0
}

// member advances to the next member of an object and reads its key; false at
// the closing brace and at the end. The key is valid until the next string.
func (p *Parser) member() ([]byte, bool) {
	c := p.peek()
	if c == ',' {
		p.pos++
		c = p.peek()
	}
	switch c {
	case '}':
		p.pos++
		return nil, false
	case '"':
	case 0:
		return nil, false
	default:
		p.fail("expected a key in quotes")
		return nil, false
	}
	p.key = p.pos
	name, ok := p.quoted()
	if !ok {
		return nil, false
	}
	p.keyEnd = p.pos
	if c = p.peek(); c != ':' {
		if c != 0 {
			p.fail("expected a colon after a key")
		}
		return nil, false
	}
	p.pos++
	return name, p.peek() != 0
}

// element advances to the next element of a list; false at the closing
// bracket and at the end.
func (p *Parser) element() bool {
	c := p.peek()
	if c == ',' {
		p.pos++
		c = p.peek()
	}
	if c == ']' {
		p.pos++
		return false
	}
	return c != 0
}

// quoted reads the string at pos. The result is valid until the next string.
func (p *Parser) quoted() ([]byte, bool) {
	rest := p.data[p.pos+1:]
	end := bytes.IndexByte(rest, '"')
	if end < 0 {
		p.pos, p.cut = len(p.data), true
		return nil, false
	}
	if bytes.IndexByte(rest[:end], '\\') < 0 {
		p.pos += end + 2
		return rest[:end], true
	}
	return p.unescape()
}

// unescape reads the string at pos into scratch.
func (p *Parser) unescape() ([]byte, bool) {
	out := p.scratch[:0]
	start := p.pos + 1
	for i := start; i < len(p.data); {
		c := p.data[i]
		if c != '"' && c != '\\' {
			i++
			continue
		}
		out = append(out, p.data[start:i]...)
		if c == '"' {
			p.pos, p.scratch = i+1, out
			return out, true
		}
		var size int
		if out, size = appendEscape(out, p.data[i:]); size == 0 {
			break
		}
		i += size
		start = i
	}
	p.pos, p.scratch, p.cut = len(p.data), out, true
	return nil, false
}

// appendEscape decodes the escape sequence at the start of b and returns its
// size, 0 if b ends inside it. Half a surrogate pair becomes U+FFFD; an escape
// that JSON does not know stands for its own letter.
func appendEscape(out, b []byte) ([]byte, int) {
	if len(b) < 2 {
		return out, 0
	}
	switch c := b[1]; c {
	case 'n':
		return append(out, '\n'), 2
	case 't':
		return append(out, '\t'), 2
	case 'r':
		return append(out, '\r'), 2
	case 'b':
		return append(out, '\b'), 2
	case 'f':
		return append(out, '\f'), 2
	case 'u':
		if len(b) < 6 {
			return out, 0
		}
		r, ok := hex4(b)
		if !ok {
			return utf8.AppendRune(out, utf8.RuneError), 2
		}
		if utf16.IsSurrogate(r) {
			if low, ok := hex4(b[6:]); ok {
				if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
					return utf8.AppendRune(out, pair), 12
				}
			}
		}
		return utf8.AppendRune(out, r), 6
	default:
		return append(out, c), 2
	}
}

// hex4 reads "\uXXXX" at the start of b.
func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case c-'0' <= 9:
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// scalar reads a string, number or word; numbers may come quoted. A list or an
// object is skipped and gives nil. A number that touches the end of the input
// may be cut and gives nil.
func (p *Parser) scalar() []byte {
	switch p.peek() {
	case '"':
		s, _ := p.quoted()
		return s
	case '{', '[':
		p.skip()
		return nil
	}
	start := p.pos
	for ; p.pos < len(p.data); p.pos++ {
		switch c := p.data[p.pos]; c {
		case ',', '}', ']', '"', ':', '{', '[':
			if p.pos == start {
				p.fail("expected a value")
				return nil
			}
			return p.data[start:p.pos]
		default:
			if c <= ' ' {
				return p.data[start:p.pos]
			}
		}
	}
	p.cut = p.cut || p.err == nil
	return nil
}

// skip passes over any value and returns its text; nested values cost no
// stack. nil if the input ends inside it.
func (p *Parser) skip() []byte {
	c := p.peek()
	start := p.pos
	if c != '{' && c != '[' {
		if p.scalar() == nil {
			return nil
		}
		return p.data[start:p.pos]
	}
	depth := 0
	for p.pos < len(p.data) {
		switch p.data[p.pos] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				p.pos++
				return p.data[start:p.pos]
			}
		case '"':
			if !p.passString() {
				return nil
			}
			continue
		}
		p.pos++
	}
	p.cut = p.cut || p.err == nil
	return nil
}

// passString moves behind the string at pos without reading it.
func (p *Parser) passString() bool {
	for i := p.pos + 1; ; {
		n := bytes.IndexByte(p.data[i:], '"')
		if n < 0 {
			p.pos, p.cut = len(p.data), true
			return false
		}
		i += n + 1
		slashes := 0
		for p.data[i-2-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			p.pos = i
			return true
		}
	}
}
