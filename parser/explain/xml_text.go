package explain

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// text appends character data as the inside of a JSON string.
func (x *xmlScanner) text(text []byte) {
	const open, close = "<![CDATA[", "]]>"
	for {
		i := bytes.Index(text, []byte(open))
		if i < 0 {
			x.characters(text, true)
			return
		}
		x.characters(text[:i], true)
		text = text[i+len(open):]
		if i = bytes.Index(text, []byte(close)); i < 0 {
			i = len(text)
		}
		x.characters(text[:i], false)
		text = bytes.TrimPrefix(text[i:], []byte(close))
	}
}

func (x *xmlScanner) characters(text []byte, entities bool) {
	for i := 0; i < len(text); {
		plain := i
		for i < len(text) && isPlain(text[i]) {
			i++
		}
		x.out = append(x.out, text[plain:i]...)
		if i == len(text) {
			return
		}
		c := text[i]
		i++
		switch {
		case c == '&' && entities:
			r, size := entity(text[i:])
			i += size
			if r == '\n' {
				x.out = append(x.out, '\\', 'n') // no line break of the file
				continue
			}
			x.out = appendQuoted(x.out, utf8.AppendRune(nil, r))
		case c == '\r' && i < len(text) && text[i] == '\n':
		case c == '\n':
			x.out = append(x.out, c)
			if x.tabs && i < len(text) && text[i] == '\t' {
				i++
			}
		default:
			x.out = appendQuotedByte(x.out, c)
		}
	}
}

// isPlain tells the bytes that stand for themselves in XML and in JSON.
func isPlain(c byte) bool { return c >= ' ' && c != '&' && c != '"' && c != '\\' }

// entity reads what stands behind '&', up to and with the semicolon. What is
// no reference is the character '&' itself.
func entity(text []byte) (r rune, size int) {
	end := bytes.IndexByte(text[:min(len(text), 12)], ';')
	if end < 0 {
		return '&', 0
	}
	switch name := string(text[:end]); name {
	case "lt":
		return '<', end + 1
	case "gt":
		return '>', end + 1
	case "amp":
		return '&', end + 1
	case "quot":
		return '"', end + 1
	case "apos":
		return '\'', end + 1
	case "nbsp":
		return ' ', end + 1
	default:
		return numericEntity(name, end+1)
	}
}

func numericEntity(name string, size int) (rune, int) {
	if len(name) < 2 || name[0] != '#' {
		return '&', 0
	}
	digits, base := name[1:], 10
	if digits[0] == 'x' || digits[0] == 'X' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || !utf8.ValidRune(rune(n)) {
		return '&', 0
	}
	return rune(n), size
}

// appendTagKey appends the EXPLAIN key of a tag: in tags every character that
// XML does not allow has become a hyphen.
func appendTagKey(out, tag []byte, sorts bool) []byte {
	switch string(tag) {
	case sortGroups:
		if sorts {
			return append(out, "Pre-sorted Groups"...)
		}
		return append(out, "Full-sort Groups"...)
	case "One-Time-Filter":
		return append(out, "One-Time Filter"...)
	}
	for i := 0; i < len(tag); i++ {
		switch c := tag[i]; {
		case c != '-':
			out = appendQuotedByte(out, c)
		case i >= 1 && tag[i-1] == 'I' && (i == 1 || tag[i-2] == '-') && bytes.HasPrefix(tag[i:], []byte("-O-")):
			out = append(out, '/')
		default:
			out = append(out, ' ')
		}
	}
	return out
}

// isBare tells a value that JSON prints without quotes.
func isBare(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	if text[0]-'0' > 9 && text[0] != '-' {
		return string(text) == "true" || string(text) == "false"
	}
	_, _, ok := fixed(text, 0)
	return ok && len(text) <= maxBare && text[len(text)-1] != '.'
}

// maxBare is the length of the longest number that is kept as one: estimates
// of 60 digits exist.
const maxBare = 400

// appendQuoted appends text as the inside of a JSON string.
func appendQuoted[T string | []byte](out []byte, text T) []byte {
	plain := 0
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' {
			out = append(out, text[plain:i]...)
			out = appendQuotedByte(out, c)
			plain = i + 1
		}
	}
	return append(out, text[plain:]...)
}

const hexDigits = "0123456789abcdef"

func appendQuotedByte(out []byte, c byte) []byte {
	switch {
	case c == '"' || c == '\\':
		return append(out, '\\', c)
	case c >= ' ':
		return append(out, c)
	case c == '\n':
		return append(out, '\\', 'n')
	case c == '\t':
		return append(out, '\\', 't')
	case c == '\r':
		return append(out, '\\', 'r')
	default:
		return append(out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
}
