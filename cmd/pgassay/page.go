package main

import (
	"strings"

	"github.com/pgassay/pgassay/report"
	"github.com/pgassay/pgassay/report/view"
)

// hang writes lead, and text in lines of at most width columns beside it, from
// column indent on. A lead that reaches into the text gets its own line.
func hang(b *strings.Builder, lead string, indent, width int, text string) {
	b.WriteString(lead)
	at := view.Width(lead)
	if at > 0 && at >= indent {
		b.WriteByte('\n')
		at = 0
	}
	for i, word := range strings.Fields(text) {
		switch w := view.Width(word); {
		case i > 0 && at+1+w <= width:
			b.WriteByte(' ')
			at += 1 + w
		default:
			if i > 0 {
				b.WriteByte('\n')
				at = 0
			}
			b.WriteString(strings.Repeat(" ", max(indent-at, 0)))
			at = max(indent, at) + w
		}
		b.WriteString(word)
	}
	b.WriteByte('\n')
}

// item writes a line of a list in a help text.
func item(b *strings.Builder, name, doc string) {
	hang(b, "  "+name, 26, report.DefaultOptions().Width, doc)
}
