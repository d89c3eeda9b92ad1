package explain

import (
	"bytes"
	"unicode/utf8"
)

// joinText joins the lines of a text plan that a width limit has cut. It joins
// only where EXPLAIN would not have ended the line: inside the figures of a
// node, before them, inside parentheses, behind a comma. Where the cut took a
// blank away is told by the figures, else by the width: a full line was cut
// anywhere, a shorter one at a blank.
func joinText(lines []Line) (mended []Line, count int, first Line) {
	j := textJoiner{lines: lines}
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		if bytes.HasPrefix(bytes.TrimSpace(l.Text), queryLabel) {
			return mended, count, first // auto_explain's message is not cut
		}
		last := l.Text
		inTree := j.isInTree(l.Text)
		for n := 0; inTree && n < maxJoin && i+1 < len(lines); n++ {
			text, ok := j.join(l.Text, last, lines[i+1].Text)
			if !ok {
				break
			}
			if count == 0 {
				first = l
				mended = append(make([]Line, 0, len(lines)), lines[:i]...)
			}
			count++
			i++
			last = lines[i].Text
			l.Text = text
		}
		if count > 0 {
			mended = append(mended, l)
		}
	}
	return mended, count, first
}

type textJoiner struct {
	lines []Line
	width int
	tree  bool // a node came before
}

// isInTree tells a line of a tree, or behind one.
func (j *textJoiner) isInTree(text []byte) bool {
	content := bytes.TrimSpace(text)
	switch {
	case len(content) == 0 || content[0] == '{' || content[0] == '[' || content[0] == '<' || content[0] == '"':
		j.tree = false
	case isNodeText(content):
		j.tree = true
	}
	return j.tree
}

// join joins next to text, whose last piece stood on a line of its own, if next
// continues it.
func (j *textJoiner) join(text, last, next []byte) ([]byte, bool) {
	content, more := bytes.TrimSpace(text), bytes.TrimSpace(next)
	if len(content) == 0 || len(more) == 0 || bytes.HasPrefix(more, arrow) || openQuote(content, 0) != 0 {
		return nil, false
	}
	separator := blank
	if j.width == 0 {
		j.width = widest(j.lines)
	}
	if utf8.RuneCount(last) >= j.width {
		separator = nil
	}
	switch {
	case isNodeText(content):
		return joinNode(text, more, separator)
	case isKnownTextKey(content):
		return nil, false
	}
	name, value, isKey := cutKey(content)
	_, _, moreIsKey := cutKey(more)
	switch {
	case isKey && isCutValue(value) && !isTail(more):
		return concat(text, separator, next[len(next)-len(bytes.TrimLeft(next, " ")):]), true
	case isKey && !moreIsKey && isWordList(name) && bytes.IndexByte(more, '=') > 0:
		return concat(bytes.TrimRight(text, " "), blank, more), true
	case !isKey:
		return joinKey(text, more)
	}
	return nil, false
}

// isNodeText tells the line of a node, whole or cut.
func isNodeText(content []byte) bool {
	if bytes.HasPrefix(content, arrow) || isRoot(content, true) {
		return true
	}
	i := bytes.LastIndex(content, []byte("  ("))
	if j := bytes.LastIndexByte(content, '('); i < 0 || j > i+2 && bytes.HasPrefix(content[i+2:], costPart) {
		i = j
	}
	if i <= 0 || !isFigures(content[i:]) {
		return false
	}
	head, _, _ := cutPart(bytes.TrimRight(content[:i], " "), costPart)
	return isRoot(head, false)
}

// isKnownTextKey tells a figure that is a number and whole.
func isKnownTextKey(content []byte) bool {
	name, value, ok := cutKey(content)
	if !ok {
		return false
	}
	f := fields[names[string(name)]]
	_, _, number := fixed(value, 0)
	return number && f.kind != kindExtra
}

// joinNode joins the line of a node: what is cut inside the figures fits in one
// way only.
func joinNode(text, more, separator []byte) ([]byte, bool) {
	trimmed := bytes.TrimRight(text, " ")
	if bytes.HasPrefix(more, costPart) || bytes.HasPrefix(more, actualPart[:len(actualPart)-1]) || bytes.HasPrefix(more, neverPart[:len("(never")]) {
		return concat(trimmed, blank, more), true
	}
	if i := bytes.LastIndexByte(trimmed, '('); i >= 0 && bytes.IndexByte(trimmed[i:], ')') < 0 && isFigures(trimmed[i:]) {
		for _, s := range [...][]byte{nil, blank} {
			joined := concat(trimmed, s, more)
			if isFigures(joined[i:]) {
				return joined, true
			}
		}
		return nil, false
	}
	if bytes.Contains(trimmed, costPart) || !bytes.Contains(more, costPart) || isRoot(more, true) {
		return nil, false
	}
	if bytes.HasSuffix(trimmed, arrow) || bytes.HasSuffix(trimmed, []byte(" on")) || bytes.HasSuffix(trimmed, []byte(" using")) {
		separator = blank
	}
	return concat(trimmed, separator, more), true
}

// figureWords are the words in the parentheses behind a node.
var figureWords = [...]string{"cost", "rows", "width", "actual", "time", "loops", "never", "executed"}

// isFigures tells the parentheses behind a node, whole or cut at any place,
// with what may follow: more parentheses.
func isFigures(text []byte) bool {
	for len(text) > 0 {
		text = bytes.TrimLeft(text, " ")
		rest, ok := bytes.CutPrefix(text, []byte{'('})
		if !ok {
			return len(text) == 0
		}
		end := bytes.IndexByte(rest, ')')
		whole := end >= 0
		if !whole {
			end = len(rest)
		}
		if !areFigureWords(rest[:end], whole) {
			return false
		}
		text = rest[min(end+1, len(rest)):]
		if !whole {
			return true
		}
	}
	return true
}

// areFigureWords tells words such as "cost=0.00..728.00"; if they are cut, the
// last may be the start of one.
func areFigureWords(text []byte, whole bool) bool {
	for len(text) > 0 {
		word, rest, more := bytes.Cut(text, blank)
		text = rest
		if !isFigureWord(word, !whole && !more) {
			return false
		}
	}
	return true
}

func isFigureWord(word []byte, cut bool) bool {
	name, value, hasValue := bytes.Cut(word, []byte{'='})
	known := false
	for _, w := range figureWords {
		known = known || string(name) == w || cut && !hasValue && bytes.HasPrefix([]byte(w), name)
	}
	if !known || !hasValue {
		takesValue := string(name) != "actual" && string(name) != "never" && string(name) != "executed"
		return known && (cut || !takesValue)
	}
	if len(bytes.Trim(value, "0123456789.")) != 0 || bytes.Count(value, []byte("..")) > 1 {
		return false
	}
	needsRange := string(name) == "cost" || string(name) == "time"
	return cut || len(value) > 0 && needsRange == bytes.Contains(value, []byte(".."))
}

// isCutValue tells an expression that goes on: a parenthesis is open, or a
// comma is the last character.
func isCutValue(value []byte) bool {
	if bytes.HasSuffix(value, []byte{','}) {
		return true
	}
	depth := 0
	quote := byte(0)
	for _, c := range value {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		}
	}
	return depth > 0
}

// isWordList tells the keys whose values are words such as hit=8.
func isWordList(name []byte) bool {
	switch string(name) {
	case "Buffers", "I/O Timings", "WAL", "Heap Blocks", "Tuples":
		return true
	}
	return false
}

// joinKey joins a key that is cut if the joined one is known.
func joinKey(text, more []byte) ([]byte, bool) {
	trimmed := bytes.TrimRight(text, " ")
	for _, s := range [...][]byte{nil, blank} {
		joined := concat(trimmed, s, more)
		name, _, ok := cutKey(bytes.TrimLeft(joined, " "))
		if ok && (isKnownKey(name) || tailNames[string(name)] != keyUnknown) {
			return joined, true
		}
	}
	return nil, false
}
