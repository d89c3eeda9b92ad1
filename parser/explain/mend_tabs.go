package explain

import "bytes"

// expandTabs gives text plans the indentation that TABs stand for. Their width
// is the one for which each node stands where PostgreSQL puts it; if there is
// none, the lines stay, and what the tree's reader cannot place is an error.
// The TAB of a log's continuation lines stays: the reader knows it.
func expandTabs(lines []Line) (mended []Line, count int, first Line) {
	if !needsTabs(lines) {
		return nil, 0, Line{}
	}
	for _, width := range [...]int{8, 4, 2, 6} {
		mended, count, first = edit(lines, func(text []byte) ([]byte, bool) {
			return expand(text, width)
		})
		if indentsFit(mended) {
			return mended, count, first
		}
	}
	mended, count, first = edit(lines, levels)
	if indentsFit(mended) {
		return mended, count, first
	}
	return nil, 0, Line{}
}

// levels takes one TAB for one level of the tree, as an editor's reindenting
// leaves it.
func levels(text []byte) ([]byte, bool) {
	content := bytes.TrimLeft(text, "\t")
	n := len(text) - len(content)
	if n == 0 {
		return nil, false
	}
	const below, further = 2, 6 // columns: of the root's children, of each level more
	return append(bytes.Repeat(blank, below+further*(n-1)), content...), true
}

// needsTabs tells lines of a tree of which some, but not all, begin with a TAB.
func needsTabs(lines []Line) bool {
	tabs, tree, all := false, false, true
	for i := range lines {
		text := lines[i].Text
		content := bytes.TrimLeft(text, " \t")
		if len(content) == 0 {
			continue
		}
		tree = tree || bytes.HasPrefix(content, arrow)
		tabs = tabs || bytes.IndexByte(text[:len(text)-len(content)], '\t') >= 0
		all = all && text[0] == '\t'
	}
	return tabs && tree && !all
}

// expand replaces the TABs of the indentation by blanks up to the next tab
// stop, and those behind an arrow.
func expand(text []byte, width int) ([]byte, bool) {
	content := bytes.TrimLeft(text, " \t")
	indent := text[:len(text)-len(content)]
	rest, isNode := bytes.CutPrefix(content, arrow)
	if isNode && len(rest) > 0 && rest[0] == '\t' {
		content = append([]byte("->  "), bytes.TrimLeft(rest, " \t")...)
	} else if bytes.IndexByte(indent, '\t') < 0 {
		return nil, false
	}
	out := make([]byte, 0, len(text)+width*len(indent))
	for _, c := range indent {
		out = append(out, ' ')
		for c == '\t' && len(out)%width != 0 {
			out = append(out, ' ')
		}
	}
	return append(out, content...), true
}

// indentsFit tells whether each node's arrow stands where a child of an open
// node may stand: two columns behind the content of its parent, four below a
// subplan's label.
func indentsFit(lines []Line) bool {
	var open []int // columns of the content of the open nodes
	label := false // the line before names a subplan
	for i := range lines {
		content := bytes.TrimLeft(lines[i].Text, " ")
		column := len(lines[i].Text) - len(content)
		switch rest, isNode := bytes.CutPrefix(content, arrow); {
		case isNode:
			for len(open) > 1 && open[len(open)-1] >= column {
				open = open[:len(open)-1]
			}
			if len(open) == 0 {
				continue // the root is elsewhere
			}
			if d := column - open[len(open)-1]; d != 2 && (d != 4 || !label) {
				return false
			}
			open = append(open, column+len(content)-len(bytes.TrimLeft(rest, " ")))
		case isRoot(content, true):
			open = append(open[:0], column)
		}
		label = isLabel(content)
	}
	return true
}
