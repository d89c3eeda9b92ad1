package explain

import (
	"bytes"
	"slices"
)

// unescapeText reads a plan that stands in a string of JSON or of a program:
// "[{\"Plan\": …\n".
func unescapeText(lines []Line) (mended []Line, count int, first Line) {
	i := firstText(lines)
	if i < 0 || !bytes.Contains(lines[i].Text, []byte(`\"`)) {
		return nil, 0, Line{}
	}
	text := bytes.TrimSpace(lines[i].Text)
	if text[0] != '"' && !bytes.HasPrefix(text, []byte(`[{\"`)) && !bytes.HasPrefix(text, []byte(`{\"`)) {
		return nil, 0, Line{}
	}
	mended = append(mended, lines[:i]...)
	for _, l := range lines[i:] {
		text := bytes.Trim(bytes.TrimSpace(l.Text), `"`)
		for part := range bytes.SplitSeq(unescape(text), newline) {
			mended = append(mended, Line{part, l.Number, l.Offset})
		}
		count++
	}
	return mended, count, lines[i]
}

// unescape undoes one level of escapes.
func unescape(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		if text[i] != '\\' {
			out = append(out, text[i])
			i++
			continue
		}
		var size int
		if out, size = appendEscape(out, text[i:]); size == 0 {
			return append(out, text[i:]...)
		}
		i += size
	}
	return out
}

// firstText is the index of the first line that is not blank, −1 if there is
// none.
func firstText(lines []Line) int {
	return slices.IndexFunc(lines, func(l Line) bool { return !isBlank(l.Text) })
}

// unquoteCells takes the quotes of CSV off the cells that tools such as pgAdmin
// copy: a plan in one cell, or a line to a cell. Only a text that begins with a
// cell is one.
func unquoteCells(lines []Line) (mended []Line, count int, first Line) {
	start := firstText(lines)
	if start < 0 {
		return nil, 0, Line{}
	}
	first = lines[start]
	if text := bytes.TrimLeft(first.Text, " "); len(text) < 2 || text[0] != '"' || text[1] == '"' || isHeader(bytes.Trim(text, `" `)) {
		return nil, 0, Line{} // or CSV of psql's
	}
	mended = append(mended, lines[:start]...)
	for i := start; i < len(lines); {
		text := bytes.TrimSpace(lines[i].Text)
		if len(text) < 2 || text[0] != '"' {
			mended = append(mended, lines[i])
			i++
			continue
		}
		cell, n, ok := cutCell(lines[i:])
		if !ok {
			return nil, 0, Line{} // no CSV after all
		}
		mended = append(mended, cell...)
		count += n
		i += n
	}
	return mended, count, first
}

// cutCell reads the cell that begins in the first line; it must end at the end
// of a line, or with the text. n is the number of its lines.
func cutCell(lines []Line) (cell []Line, n int, ok bool) {
	_, text, _ := bytes.Cut(lines[0].Text, []byte{'"'})
	cell, n, rest := CutCell(lines, text)
	return cell, n, isBlank(bytes.Trim(rest, ",;"))
}

// CutCell reads a cell of CSV whose text, behind the opening quote, begins with
// text in the first line; a doubled quote is one. n is the number of its lines,
// rest what follows the closing quote. A cell that is not closed ends with the
// lines.
func CutCell(lines []Line, text []byte) (cell []Line, n int, rest []byte) {
	for {
		l := lines[n]
		end := cellEnd(text)
		if end >= 0 {
			rest, text = text[end+1:], text[:end]
		}
		l.Text = bytes.ReplaceAll(text, []byte(`""`), []byte{'"'})
		cell = append(cell, l)
		if n++; end >= 0 || n == len(lines) {
			return cell, n, rest
		}
		text = lines[n].Text
	}
}

// cellEnd is the offset of the quote that closes a cell, −1 if there is none.
func cellEnd(text []byte) int {
	for i := 0; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		if i+1 == len(text) || text[i+1] != '"' {
			return i
		}
		i++
	}
	return -1
}
