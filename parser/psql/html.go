package psql

import (
	"bytes"
	"html"
	"strings"

	"github.com/pgassay/pgassay/parser/explain"
)

// htmlTable reads a table of HTML that begins at the first line and ends where
// it is closed, or with the input.
func htmlTable(lines []explain.Line) (table, bool) {
	if !isTable(lines[0].Text) {
		return table{}, false
	}
	h := htmlReader{b: newBuilder(nil, "html")}
	for i := range lines {
		if i > 0 && isTable(lines[i].Text) {
			break // the one before is not closed
		}
		h.line(lines[i])
		h.b.size = i + 1
		if h.ended {
			break
		}
	}
	return h.b.table, len(h.b.columns) > 0
}

func isTable(text []byte) bool {
	const tag = "<table"
	text = bytes.TrimSpace(text)
	return len(text) >= len(tag) && strings.EqualFold(string(text[:len(tag)]), tag)
}

// htmlReader follows the tags of a table.
type htmlReader struct {
	b      *builder
	text   []byte // of the line being read
	cell   cell
	inside string // "th" or "td" inside a cell
	column int
	title  string // of the row, in expanded output
	titles int    // columns that the header names
	ended  bool
}

// line reads one line of the file.
func (h *htmlReader) line(at explain.Line) {
	text := at.Text
	for len(text) > 0 && !h.ended {
		i := bytes.IndexByte(text, '<')
		if i < 0 {
			h.text = append(h.text, text...)
			break
		}
		h.text = append(h.text, text[:i]...)
		end := bytes.IndexByte(text[i:], '>')
		if end < 0 {
			break
		}
		h.tag(bytes.ToLower(bytes.Trim(text[i+1:i+end], " ")), at)
		text = text[i+end+1:]
	}
	if h.inside == "" || len(bytes.TrimSpace(h.text)) == 0 {
		h.text = h.text[:0] // between tags, or behind a break at the end of the line
		return
	}
	h.endLine(at)
}

// endLine ends a line of the cell. The blanks that psql protects are plain ones
// again.
func (h *htmlReader) endLine(at explain.Line) {
	plain := html.UnescapeString(string(h.text))
	h.text = h.text[:0]
	at.Text = bytes.ReplaceAll([]byte(plain), []byte("\u00a0"), []byte{' '})
	h.cell = append(h.cell, at)
}

func (h *htmlReader) tag(tag []byte, at explain.Line) {
	name, _, _ := bytes.Cut(tag, []byte{' '})
	switch string(bytes.TrimSuffix(name, []byte{'/'})) {
	case "tr":
		h.column, h.title = 0, ""
	case "th", "td":
		if bytes.Contains(tag, []byte("colspan")) {
			return // "Record 1"
		}
		h.inside, h.cell, h.text = string(name), nil, h.text[:0]
	case "br":
		if h.inside != "" {
			h.endLine(at)
		}
	case "/th", "/td":
		if h.inside == "" {
			return
		}
		if len(h.text) > 0 || len(h.cell) == 0 {
			h.endLine(at)
		}
		h.endCell(bytes.Contains(tag, []byte("th")))
	case "/table":
		h.ended = true
	}
}

// endCell puts a cell into its column. Expanded output has the title in the row
// itself, in front of the value.
func (h *htmlReader) endCell(isTitle bool) {
	defer func() { h.inside, h.cell = "", nil }()
	if isTitle {
		h.title = string(bytes.TrimSpace(h.cell[0].Text))
		if h.titles++; !h.has(h.title) {
			h.b.columns = append(h.b.columns, column{title: h.title})
		}
		return
	}
	i := h.column
	if h.title != "" {
		for k := range h.b.columns {
			if h.b.columns[k].title == h.title {
				i = k
			}
		}
	}
	h.column++
	if i < len(h.b.columns) && h.titles > 0 {
		c := &h.b.columns[i]
		c.cells = append(c.cells, h.cell)
	}
}

func (h *htmlReader) has(title string) bool {
	for i := range h.b.columns {
		if h.b.columns[i].title == title {
			return true
		}
	}
	return false
}
