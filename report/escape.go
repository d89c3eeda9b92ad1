package report

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// visible escapes in JSON, and in YAML with JSON's strings, what changes how the
// rest is shown, as marks that turn the direction of writing do; JSON itself
// escapes only what stands below the blank. All of it stands in strings, which
// read back as they were.
func visible(text []byte) []byte { return escaped(text, "\\u%04x") }

// spelled writes control characters and marks out, "\x1b" as four characters,
// where the format has no escape for them. Line breaks and tabs stay.
func spelled(text []byte) []byte { return escaped(text, "\\x%02x") }

func escaped(text []byte, form string) []byte {
	var out []byte
	done := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c < 0x7f || c == '\n' || c == '\t' {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r)) && r < 0x10000 {
			as := form
			if r > 0xff {
				as = `\u%04x`
			}
			out = fmt.Appendf(append(out, text[done:i]...), as, r)
			done = i + size
		}
		i += size
	}
	return append(out, text[done:]...)
}
