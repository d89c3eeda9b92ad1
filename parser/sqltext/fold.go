package sqltext

import "bytes"

// listKind says what a bracket opens.
type listKind uint8

const (
	listNone listKind = iota
	listValues
	listIn
	listArray
)

// listAfter is the list that a bracket after the word w opens.
func listAfter(w []byte) listKind {
	switch len(w) {
	case 2:
		if w[0] == 'i' && w[1] == 'n' {
			return listIn
		}
	case 5:
		if w[0] == 'a' && string(w) == "array" {
			return listArray
		}
	case 6:
		if w[0] == 'v' && string(w) == "values" {
			return listValues
		}
	}
	return listNone
}

// await is what the innermost VALUES waits for between two rows.
type await uint8

const (
	awaitNothing await = iota
	awaitComma
	awaitRow
)

// list is an open list. Offsets are into the canonical form.
type list struct {
	kind       listKind
	depth      int // brackets around an element
	firstStart int
	firstEnd   int // 0 before the first element is complete
	prevStart  int
	prevEnd    int
	elemStart  int
	folded     bool
}

// lists are the open lists of a text; of lists nested deeper than the array
// the inner ones are not folded.
type lists struct {
	open    [8]list
	n       int
	depth   int
	pending listKind
	await   await
}

func (l *lists) top() *list {
	if l.n == 0 {
		return nil
	}
	return &l.open[l.n-1]
}

func (l *lists) push(kind listKind, depth, start int) {
	if l.n < len(l.open) {
		l.open[l.n] = list{kind: kind, depth: depth, elemStart: start}
		l.n++
	}
}

func (l *lists) leaveValues() {
	l.await = awaitNothing
	l.n--
}

// marked notes that the text itself says that the list was folded; false
// outside a list.
func (l *lists) marked() bool {
	t := l.top()
	if t == nil || t.kind == listValues || t.depth != l.depth {
		return false
	}
	t.folded = true
	return true
}

func (c *canonizer) open(b byte) {
	l := &c.lists
	kind, row := l.pending, l.await == awaitRow && b == '('
	if row {
		l.await = awaitNothing
	}
	if b == '[' && kind == listNone && c.nestedArray() {
		kind = listArray
	}
	c.start()
	at := len(c.out)
	c.out = append(c.out, b)
	l.depth++
	switch {
	case row:
		l.top().elemStart = at
	case b == '(' && kind == listValues:
		l.push(kind, l.depth-1, at)
	case b == '(' && kind == listIn, b == '[' && kind == listArray:
		l.push(kind, l.depth, at+1)
	}
}

// nestedArray tells whether a bracket opens an element of an array.
func (c *canonizer) nestedArray() bool {
	t := c.lists.top()
	if t == nil || t.kind != listArray || t.depth != c.lists.depth || len(c.out) == 0 {
		return false
	}
	last := c.out[len(c.out)-1]
	return last == '[' || last == ','
}

func (c *canonizer) close(b byte) {
	l := &c.lists
	if l.await != awaitNothing {
		l.leaveValues()
	}
	if t := l.top(); t != nil && t.kind != listValues && t.depth == l.depth {
		c.element(t)
		if t.folded {
			c.out = append(c.out, ' ')
			c.out = append(c.out, moreMark...)
		}
		l.n--
	}
	c.start()
	c.out = append(c.out, b)
	l.depth = max(l.depth-1, 0)
	for t := l.top(); t != nil && t.depth > l.depth; t = l.top() {
		l.n--
	}
	if t := l.top(); t != nil && t.kind == listValues && t.depth == l.depth {
		c.element(t)
		l.await = awaitComma
	}
}

func (c *canonizer) comma() {
	l := &c.lists
	between := l.await == awaitComma
	if between {
		l.await = awaitNothing
	}
	if t := l.top(); t != nil && t.kind != listValues && t.depth == l.depth {
		c.element(t)
		c.start()
		c.out = append(c.out, ',')
		t.elemStart = len(c.out)
		return
	}
	c.start()
	c.out = append(c.out, ',')
	if between {
		l.await = awaitRow
	}
}

// element ends an element of t: it is dropped, with the comma before it, if an
// earlier one has its shape.
func (c *canonizer) element(t *list) {
	start, end := t.elemStart, len(c.out)
	elem := c.out[start:end]
	switch {
	case t.firstEnd == 0:
		t.firstStart, t.firstEnd = start, end
	case sameShape(c.out[t.firstStart:t.firstEnd], elem),
		t.kind == listValues && sameShape(c.out[t.prevStart:t.prevEnd], elem):
		c.out = c.out[:t.prevEnd]
		t.folded = true
		return
	}
	t.prevStart, t.prevEnd = start, end
}

// sameShape compares two pieces of canonical text, taking any constant for any
// other.
func sameShape(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	for {
		a, b = skipSpace(a), skipSpace(b)
		if len(a) == 0 || len(b) == 0 {
			return len(a) == len(b)
		}
		ca, cb := constantLen(a), constantLen(b)
		if (ca > 0) != (cb > 0) {
			return false
		}
		if ca == 0 {
			ca = unitLen(a)
			cb = ca
			if len(b) < cb || !bytes.Equal(a[:ca], b[:cb]) || isWord(a[0]) && cb < len(b) && isWord(b[cb]) {
				return false
			}
		}
		a, b = a[ca:], b[cb:]
	}
}

func skipSpace(s []byte) []byte {
	for len(s) > 0 && s[0] == ' ' {
		s = s[1:]
	}
	return s
}

// unitLen is the length of the word, quoted identifier or byte at the start.
func unitLen(s []byte) int {
	if s[0] == '"' {
		if n := bytes.IndexByte(s[1:], '"'); n >= 0 {
			return n + 2
		}
		return len(s)
	}
	return max(wordLen(s), 1)
}

func wordLen(s []byte) int {
	n := 0
	for n < len(s) && isWord(s[n]) {
		n++
	}
	return n
}

// constantLen is the length of the constant at the start of canonical text, 0
// if there is none. NULL, true, false and DEFAULT count: they stand where
// values stand.
func constantLen(s []byte) int {
	switch s[0] {
	case '\'':
		return min(2, len(s))
	case '-', '+':
		if n := wordLen(s[1:]); n > 0 && s[1] == '1' {
			return 1 + n
		}
	case '$', '1':
		return wordLen(s)
	case 'n', 't', 'f', 'd':
		n := wordLen(s)
		switch string(s[:n]) {
		case "null", "true", "false", "default":
			return n
		}
	}
	return 0
}
