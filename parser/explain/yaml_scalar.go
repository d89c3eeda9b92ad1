package explain

import "bytes"

// scalar writes the value that begins with text and may go on in the lines
// that follow.
func (y *yamlScanner) scalar(text []byte) {
	switch c := text[0]; {
	case c == '"' || c == '\'':
		y.quoted(text)
	case c == '[' || c == '{':
		y.out = append(y.out, text...)
	case (c == '|' || c == '>') && len(text) <= 3:
		y.block(c)
	case string(text) == "null" || string(text) == "~":
		y.out = append(y.out, "null"...)
	case isBare(text):
		y.out = append(y.out, text...)
	default:
		y.out = append(y.out, '"')
		y.out = appendQuoted(y.out, text)
		lines := y.fold()
		y.out = append(y.out, '"')
		y.breaks(lines)
	}
}

// breaks writes the line breaks of lines that were folded into a value.
func (y *yamlScanner) breaks(n int) {
	for range n {
		y.out = append(y.out, '\n')
	}
}

// fold appends the lines that continue a plain value, and counts them.
func (y *yamlScanner) fold() int {
	lines := 0
	for y.pos < len(y.data) {
		text, column, end := y.line(y.pos)
		_, _, isKey := cutYAMLKey(text)
		_, isItem := cutDash(text)
		if len(text) == 0 || column <= y.column || isKey || isItem {
			break
		}
		y.out = append(y.out, ' ')
		y.out = appendQuoted(y.out, text)
		y.pos = end
		lines++
	}
	return lines
}

// quoted writes a value in quotes. A line break inside stands for a blank.
func (y *yamlScanner) quoted(text []byte) {
	lines := 0
	whole := text
	end := quotedEnd(whole)
	for end < 0 && y.pos < len(y.data) && lines < maxJoin {
		more, _, next := y.line(y.pos)
		if lines == 0 {
			whole = bytes.Clone(text)
		}
		whole = append(append(whole, ' '), more...)
		if bytes.IndexByte(more, text[0]) >= 0 {
			end = quotedEnd(whole)
		}
		y.pos = next
		lines++
	}
	if end < 0 {
		y.cut = true
		return
	}
	inside := whole[1 : end-1]
	y.out = append(y.out, '"')
	if text[0] == '"' {
		y.out = append(y.out, inside...) // EXPLAIN escapes as JSON does
	} else {
		y.out = appendQuoted(y.out, bytes.ReplaceAll(inside, []byte("''"), []byte{'\''}))
	}
	y.out = append(y.out, '"')
	y.breaks(lines)
}

// block writes a value in lines of their own: '|' keeps the line breaks, '>'
// makes them blanks.
func (y *yamlScanner) block(style byte) {
	y.out = append(y.out, '"')
	lines, indent := 0, -1
	for y.pos < len(y.data) {
		text, column, end := y.line(y.pos)
		if len(text) > 0 && column <= y.column {
			break
		}
		if indent < 0 && len(text) > 0 {
			indent = column
		}
		switch {
		case lines == 0:
		case style == '|':
			y.out = append(y.out, '\\', 'n')
		default:
			y.out = append(y.out, ' ')
		}
		for ; len(text) > 0 && column > indent; column-- {
			y.out = append(y.out, ' ')
		}
		y.out = appendQuoted(y.out, text)
		y.pos = end
		lines++
	}
	y.out = append(y.out, '"')
	y.breaks(lines)
}
