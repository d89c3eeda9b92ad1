package psql

import (
	"unicode"
	"unicode/utf8"
)

// runeWidth is the number of columns a terminal gives to r, as far as plans
// need it: psql aligns by it.
func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me) || r == 0x200b:
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60,
		r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	default:
		return 1
	}
}

// width is the number of columns of text.
func width(text []byte) int {
	n := 0
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			n++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		i += size
		n += runeWidth(r)
	}
	return n
}

// offsetOf is the offset of the first character at or behind a column, len(text)
// if the text is shorter.
func offsetOf(text []byte, column int) int {
	n := 0
	for i := 0; i < len(text); {
		if n >= column {
			return i
		}
		r, size := utf8.DecodeRune(text[i:])
		i += size
		n += runeWidth(r)
	}
	return len(text)
}
