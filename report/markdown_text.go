package report

import (
	"html"
	"strings"

	"github.com/pgassay/pgassay/report/view"
)

// markdownPage collects blocks of Markdown.
type markdownPage struct {
	b strings.Builder
}

func (m *markdownPage) heading(level int, text string) {
	m.b.WriteString(strings.Repeat("#", level) + " " + markdownText(text) + "\n\n")
}

// para writes a paragraph of finished Markdown.
func (m *markdownPage) para(text string) {
	if text != "" {
		m.b.WriteString(text + "\n\n")
	}
}

func (m *markdownPage) labelled(label, text string) {
	m.para("**" + label + ":** " + markdownText(view.Shorten(text, maxText)))
}

func (m *markdownPage) item(label, text string) {
	m.b.WriteString("- **" + label + ":** " + markdownText(view.Shorten(text, maxText)) + "\n")
}

// table writes rows of equal length; the first is the header. Cells are cut at
// maxCell.
func (m *markdownPage) table(rows [][]string) {
	for i, row := range rows {
		for _, cell := range row {
			m.b.WriteString("| " + markdownText(view.Shorten(cell, maxCell)) + " ")
		}
		m.b.WriteString("|\n")
		if i == 0 {
			m.b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	m.b.WriteByte('\n')
}

// code writes a fenced block, whose fence no text in it can close. A text that
// a log reader may take for a workflow command cannot be escaped in a fence and
// goes into <pre>.
func (m *markdownPage) code(language, text string) {
	if strings.Contains(text, "::") && hasCommand(text) || strings.Contains(text, "##[") {
		text = strings.NewReplacer("::", ":&#58;", "##[", "#&#35;[").Replace(html.EscapeString(text))
		m.b.WriteString("<pre lang=\"" + language + "\">" + text + "</pre>\n\n")
		return
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	m.b.WriteString(fence + language + "\n" + text + "\n" + fence + "\n\n")
}

// hasCommand reports whether a line begins as a workflow command of GitHub
// Actions does; the runner skips white space before it.
func hasCommand(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "::") {
			return true
		}
	}
	return false
}

// markdownText escapes one line of printable text for any place in Markdown.
// Signs that make mentions, references and links by themselves are followed by
// a space of no width, since they work when escaped, too.
func markdownText(s string) string {
	s = markdownEscapes.Replace(s)
	if n := listMarker(s); n >= 0 {
		return s[:n] + `\` + s[n:]
	}
	return s
}

// listMarker is where a sign stands that would make a line that begins with s a
// list or a rule ("- ", "2. ", "---"), −1 if none does.
func listMarker(s string) int {
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	sign, more := s[digits:], ""
	if sign == "" {
		return -1
	}
	sign, more = sign[:1], sign[1:]
	ends := more == "" || more[0] == ' '
	switch {
	case digits > 0 && ends && (sign == "." || sign == ")"),
		digits == 0 && (ends || more[0] == sign[0]) && strings.Contains("-+=", sign):
		return digits
	}
	return -1
}

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", "&#124;", "~", `\~`, "$", `\$`, "^", `\^`,
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "@", "@&#8203;", "#", `\#&#8203;`, "::", ":&#58;", "://", ":&#8203;//",
	"www.", "www&#8203;.", "!", `\!`,
	"\n", " ",
)
