package view

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line makes untrusted text safe for one line: every run of white space is one
// space, everything that does not print (control characters, escape sequences,
// direction overrides, invalid UTF-8) is shown as \x1b or \u202e.
func Line(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	space := false
	for i, r := range s {
		if unicode.IsSpace(r) {
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		writeVisible(&b, s, i, r)
	}
	return b.String()
}

// Block is Line for text of several lines: line feeds and indentation stay.
func Block(s string) string {
	if !strings.ContainsAny(s, "\n\r") && plain(s) {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\n':
			b.WriteByte('\n')
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		default:
			writeVisible(&b, s, i, r)
		}
	}
	return strings.TrimRight(b.String(), " \n")
}

// plain reports that s is printable ASCII with single inner spaces.
func plain(s string) bool {
	last := byte(' ')
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c > '~' || c == ' ' && last == ' ' {
			return false
		}
		last = c
	}
	return s == "" || last != ' '
}

func writeVisible(b *strings.Builder, s string, i int, r rune) {
	switch {
	case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
		fmt.Fprintf(b, `\x%02x`, s[i])
	case unicode.IsPrint(r):
		b.WriteRune(r)
	case r < 0x100:
		fmt.Fprintf(b, `\x%02x`, r)
	default:
		fmt.Fprintf(b, `\u%04x`, r)
	}
}

// Shorten cuts s in the middle, marked with "…", so that it is at most width
// columns wide.
func Shorten(s string, width int) string {
	if Width(s) <= width {
		return s
	}
	head := (width - 1) * 2 / 3
	tail := width - 1 - head
	return prefix(s, head) + "…" + suffix(s, tail)
}

func prefix(s string, width int) string {
	w := 0
	for i, r := range s {
		if w += RuneWidth(r); w > width {
			return s[:i]
		}
	}
	return s
}

func suffix(s string, width int) string {
	w, i := 0, len(s)
	for i > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		if w += RuneWidth(r); w > width {
			break
		}
		i -= n
	}
	return s[i:]
}

// Width is the number of terminal columns of s.
func Width(s string) int {
	w := 0
	for _, r := range s {
		w += RuneWidth(r)
	}
	return w
}

// wide are the blocks that terminals show two columns wide (East Asian Width W
// and F, Unicode 15, in whole blocks).
var wide = [][2]rune{
	{0x1100, 0x115F}, {0x2E80, 0x303E}, {0x3041, 0x33FF}, {0x3400, 0x4DBF},
	{0x4E00, 0x9FFF}, {0xA000, 0xA4CF}, {0xA960, 0xA97F}, {0xAC00, 0xD7A3},
	{0xF900, 0xFAFF}, {0xFE30, 0xFE6F}, {0xFF00, 0xFF60}, {0xFFE0, 0xFFE6},
	{0x1B000, 0x1B2FF}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF},
	{0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD},
}

// RuneWidth is 0 for combining marks, 2 for wide characters, else 1.
func RuneWidth(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	for _, b := range wide {
		if r >= b[0] && r <= b[1] {
			return 2
		}
	}
	return 1
}
