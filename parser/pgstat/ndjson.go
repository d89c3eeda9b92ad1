package pgstat

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// NDJSON is a statistics view as JSON objects, one per row: a line each (select
// to_jsonb(t) from (select now() as captured_at, * from pg_stat_user_tables) t)
// or in a list (jsonb_agg). Objects of several views may be mixed.
var NDJSON = source.Format{
	Name:   "snapshot-ndjson",
	Doc:    "statistics views as JSON objects, a line each or in a list",
	Detect: func(h *source.Head) *source.Detection { return detectNDJSON(h, newLayout, noView) },
}

// jsonFile is how one file of objects is read.
type jsonFile struct {
	name     string
	layout   *layout // of the first object
	layoutOf func(keys []string) *layout
}

// detectNDJSON recognises a file by the keys of its first object, as detectCSV
// does by the header.
func detectNDJSON(h *source.Head, layoutOf func([]string) *layout, refusal func(what string, keys []string) string) *source.Detection {
	start := beginObject(h.Data)
	if start == len(h.Data) {
		return nil
	}
	var r rows
	keys, n, err := r.jsonRow(h.Data[start:], nil, nil)
	if err != nil || len(keys) == 0 {
		return nil
	}
	l := layoutOf(keys)
	score := scoreView
	if objectStart(h.Data) != start { // a title of psql's, or something else
		score = scoreLate
		if l == nil {
			return nil
		}
	}
	if l == nil {
		return &source.Detection{Score: scoreNoMatch, Reason: refusal("JSON whose keys", keys)}
	}
	f := &jsonFile{name: h.Name, layout: l, layoutOf: layoutOf}
	cut := cutObjects
	if oneLineEach(h.Data[start:], n) {
		cut = cutLines
	}
	detail := l.detail()
	if f.mixed(h.Data[start:]) {
		detail = string(l.view) + " and other views"
	}
	return &source.Detection{
		Score:    score,
		Detail:   detail,
		View:     l.view,
		TimeFrom: l.timeFrom(h.Name),
		Begin:    beginObject,
		Cut:      cut,
		Parse:    f.parse,
	}
}

// mixed reports whether the objects of a head are of several views.
func (f *jsonFile) mixed(head []byte) bool {
	b := &record.Batch{}
	f.parse(head, record.Pos{}, b)
	for i := range b.Samples {
		if b.Samples[i].View != f.layout.view {
			return true
		}
	}
	return false
}

// between is what may stand between objects: list marks, white space and the
// record separator of JSON text sequences.
const between = " \t\r\n,[]\x1e"

// objectStart is the offset of the first object; len(s) if something else comes
// first.
func objectStart(s []byte) int {
	n := len(s) - len(bytes.TrimLeft(s, between))
	if n < len(s) && s[n] != '{' {
		return len(s)
	}
	return n
}

// oneLineEach tells whether the first object, of n bytes, has its line to
// itself.
func oneLineEach(s []byte, n int) bool {
	if bytes.IndexByte(s[:n], '\n') >= 0 {
		return false
	}
	after := s[n:]
	gap := after[:len(after)-len(bytes.TrimLeft(after, between))]
	return len(gap) == len(after) || bytes.IndexByte(gap, '\n') >= 0
}

// beginObject is the first object of the data, or of a later line.
func beginObject(data []byte) int {
	for at := 0; at < len(data); {
		if n := objectStart(data[at:]); at+n < len(data) {
			return at + n
		}
		n := bytes.IndexByte(data[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
	}
	return len(data)
}

// cutLines cuts before the last line.
func cutLines(data []byte) int { return bytes.LastIndexByte(data, '\n') + 1 }

// cutObjects cuts before the last object that is not inside another one.
func cutObjects(data []byte) int {
	cut, depth := 0, 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			end, _ := jsonString(data, i)
			if end < 0 {
				continue // damaged, or goes on behind the data
			}
			i = end - 1
		case '{':
			if depth == 0 {
				cut = i
			}
			depth++
		case '}':
			depth = max(depth-1, 0)
		}
	}
	return cut
}

const (
	damagedObject = "damaged JSON: a line that belongs to no readable object"
	unknownObject = "a JSON object whose keys match no statistics view known"
)

// parse reads the objects of a block. What is no object is passed over line by
// line.
func (f *jsonFile) parse(block []byte, pos record.Pos, b *record.Batch) {
	p := jsonBlock{rows: newRows(b, f.name), layout: f.layout, layoutOf: f.layoutOf, shapes: map[string]*layout{}}
	base := pos.Offset
	for at := 0; at < len(block); {
		rest := block[at:]
		n := len(rest) - len(bytes.TrimLeft(rest, between))
		if n == 0 {
			n = p.object(rest, pos)
		}
		pos.Line += int64(bytes.Count(rest[:n], []byte{'\n'}))
		at += n
		pos.Offset = base + int64(at)
	}
}

// jsonBlock is the reading of one block.
type jsonBlock struct {
	*rows
	layout   *layout // of the last object
	layoutOf func(keys []string) *layout
	shapes   map[string]*layout // by keys; nil for no view
	keys     []string
}

// object reads what stands at the start of s and returns its length: an object,
// or a line that is none.
func (p *jsonBlock) object(s []byte, pos record.Pos) int {
	p.reset()
	n, err := 0, errJSON
	if s[0] == '{' {
		p.keys, n, err = p.jsonRow(s, p.keys[:0], p.layout.names)
	}
	if err != nil {
		line, after := firstLine(s)
		if !isFooter(line) {
			p.batch.Entries++
			p.lose(pos, damagedObject)
		}
		return after
	}
	p.known(pos)
	return n
}

// known adds the object that was read if its keys are a view's.
func (p *jsonBlock) known(pos record.Pos) {
	if l := p.shape(); l != nil {
		p.add(l, pos)
	} else {
		p.batch.Entries++
		p.lose(pos, unknownObject)
	}
}

// shape is the layout of the object's keys.
func (p *jsonBlock) shape() *layout {
	if len(p.keys) > 0 && slices.Equal(p.layout.names, p.keys) {
		return p.layout
	}
	id := strings.Join(p.keys, "\x00")
	l, known := p.shapes[id]
	if !known {
		l = p.layoutOf(slices.Clone(p.keys))
		p.shapes[id] = l
	}
	if l != nil {
		p.layout = l
	}
	return l
}
