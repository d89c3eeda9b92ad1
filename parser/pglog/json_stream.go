package pglog

import "bytes"

// scanAllowance is how many bytes of a text may be looked at in vain, as a
// multiple of its length: damaged objects must not make reading quadratic.
const scanAllowance = 8

// wrappers are the keys of objects that do no more than hold a list of entries.
var wrappers = [...]string{`"records"`, `"events"`, `"entries"`, `"value"`}

// betweenObjects passes over what stands between the elements of a list, and
// over the object that holds the list.
func betweenObjects(data []byte, at int) int {
	for at < len(data) {
		switch c := data[at]; {
		case isBlank(c) || c == ',' || c == '[' || c == ']' || c == '}':
			at++
		case c == '{' && listBegin(data[at:]) > 0:
			at += listBegin(data[at:])
		case c == '"' && keyValue(data[at:]) > 0:
			at += keyValue(data[at:])
		case bytes.HasPrefix(data[at:], byteOrderMark):
			at += len(byteOrderMark)
		default:
			return at
		}
	}
	return at
}

// listBegin is the length of `{"records": [` at the start of b, 0 if b is
// another object.
func listBegin(b []byte) int {
	s := jsonScan{b: b, at: 1}
	s.blank()
	for _, key := range wrappers {
		if bytes.HasPrefix(b[s.at:], []byte(key)) {
			s.at += len(key)
			if s.next(':') && s.next('[') {
				return s.at
			}
			return 0
		}
	}
	return 0
}

// opensObjects reports whether data is no more than what opens a list: the end
// of an object, which an earlier file began, is none.
func opensObjects(data []byte) bool {
	begin := bytes.TrimLeft(bytes.TrimPrefix(data, byteOrderMark), " \t\r\n")
	return len(begin) > 0 && (begin[0] == '[' || begin[0] == '{') && betweenObjects(data, 0) == len(data)
}

// keyValue is the length of `"nextToken": "x"`, which the object that holds the
// list may have behind it; 0 if b is something else.
func keyValue(b []byte) int {
	s := jsonScan{b: b, at: 1, lines: true}
	if _, _, ok := s.str(); !ok || !s.next(':') {
		return 0
	}
	if s.blank(); s.at < len(b) && b[s.at] == '"' {
		s.at++
		if _, _, ok := s.str(); !ok {
			return 0
		}
		return s.at
	}
	if s.at < len(b) && b[s.at] == '[' {
		if end := bytes.IndexAny(b[s.at:], "]{"); end > 0 && b[s.at+end] == ']' {
			return s.at + end + 1
		}
		return 0
	}
	if s.at == len(b) || b[s.at] == '{' || !s.skip() {
		return 0
	}
	return s.at
}

// objects walks over the objects of a text: one on a line, or in a list.
type objects struct {
	r    *jsonReader
	keys jsonKeyFunc
	data []byte
	at   int // behind the last object
	vain int // bytes looked at without finding one
}

// next reads the next object that can be read: start is its place. What was
// passed over and is no blank was damaged: from is where it begins, start if
// there is none. Without a further object f is nil and start is len(data).
func (o *objects) next() (f *jsonFields, from, start int) {
	from = -1
	for {
		start = betweenObjects(o.data, o.at)
		if from < 0 {
			from = start
		}
		if start == len(o.data) || o.vain > scanAllowance*len(o.data) {
			o.at = len(o.data)
			return nil, from, len(o.data)
		}
		s := jsonScan{b: o.data, at: start, lines: true}
		o.r.fields = jsonFields{}
		if o.data[start] == '{' && o.r.object(&s, o.keys, false) {
			o.at = s.at
			return &o.r.fields, from, start
		}
		o.vain += s.at - start
		o.at = nextObjectLine(o.data, start)
	}
}

// nextObjectLine is the offset of the next line behind at that begins with an
// object.
func nextObjectLine(data []byte, at int) int {
	for {
		i := bytes.IndexByte(data[at:], '\n')
		if i < 0 {
			return len(data)
		}
		at += i + 1
		if begin, ok := lineObject(data, at); ok {
			return begin
		}
	}
}

// lineObject is the offset of the brace that the line at offset at begins with.
func lineObject(data []byte, at int) (int, bool) {
	for at < len(data) && (data[at] == ' ' || data[at] == '\t') {
		at++
	}
	return at, at < len(data) && data[at] == '{'
}

// beginObjects is the offset of the line with the first object that accept
// takes. One that data does not hold to its end is taken if nothing better
// follows.
func beginObjects(data []byte, keys jsonKeyFunc, accept func(f *jsonFields) bool) int {
	r := new(jsonReader)
	open, vain := len(data), 0
	for at := 0; at < len(data) && vain <= scanAllowance*len(data); at = nextLine(data, at) {
		start := betweenObjects(data[:nextLine(data, at)], at)
		if start == nextLine(data, at) || data[start] != '{' {
			continue
		}
		r.fields, r.scratch = jsonFields{}, r.scratch[:0]
		s := jsonScan{b: data, at: start, lines: true}
		switch whole := r.object(&s, keys, false); {
		case whole && accept(&r.fields):
			return at
		case !whole && s.at >= len(data) && open == len(data):
			open = at
		}
		vain += s.at - start
	}
	return open
}

// cutObjects is the offset of the last object in data, which starts at one, that
// accept takes by its offset. A list written on one line is walked through.
func cutObjects(data []byte, keys jsonKeyFunc, accept func(at int) bool) int {
	indent := objectIndent(data, 0)
	for end := len(data); end > 0; {
		at := bytes.LastIndexByte(data[:end], '\n') + 1
		if at == 0 {
			break
		}
		if start, ok := lineObject(data, at); ok && start-at <= indent && accept(start) {
			return at
		}
		end = at - 1
	}
	o, last := objects{r: new(jsonReader), keys: keys, data: data}, 0
	for {
		f, _, start := o.next()
		if f == nil {
			return last
		}
		if accept(start) {
			last = start
		}
		o.r.scratch = o.r.scratch[:0]
	}
}

// objectIndent is how far the object at the start of data is indented: those
// below it are further.
func objectIndent(data []byte, at int) int {
	start, _ := lineObject(data, at)
	if start < len(data) && data[start] == '[' {
		start, at = nextObjectLine(data, at), bytes.IndexByte(data, '\n')+1
	}
	return max(start-at, 0)
}
