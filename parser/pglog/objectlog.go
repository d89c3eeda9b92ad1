package pglog

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

const objectDetectRows = 50

// objectKind says what an object of a log is.
type objectKind uint8

const (
	objectStrange objectKind = iota // none that the format knows
	objectOther                     // of another program, passed over
	objectEntry
)

// objectLog reads logs whose entries are JSON objects, on one line each or over
// several, in a list or not.
type objectLog struct {
	*workers
	keys jsonKeyFunc
	kind func(f *jsonFields) objectKind
	// fill makes an entry of the object; false if it cannot be.
	fill func(w *worker, e *record.Entry, f *jsonFields) bool
}

// detection is how to read a file that has entries in its head; nil if it has
// none.
func (o *objectLog) detection(h *source.Head) *source.Detection {
	begin := o.begin(h.Data)
	if begin == len(h.Data) {
		return nil
	}
	entries, zone := 0, ""
	walk := objects{r: new(jsonReader), keys: o.keys, data: h.Data, at: begin}
	for range objectDetectRows {
		f, _, _ := walk.next()
		if f == nil {
			break
		}
		if o.kind(f) != objectEntry {
			continue
		}
		entries++
		if n, z := timeLength(f.text[jsonTimestamp]); zone == "" && n > 0 {
			zone = string(f.text[jsonTimestamp][z:n])
		}
	}
	if entries == 0 {
		return nil
	}
	return &source.Detection{Score: 98, Zone: zone, Begin: o.begin, Cut: o.cut, Parse: o.parse, Opening: opensObjects}
}

func (o *objectLog) begin(data []byte) int {
	return beginObjects(data, o.keys, func(f *jsonFields) bool { return o.kind(f) != objectStrange })
}

func (o *objectLog) cut(data []byte) int {
	return cutObjects(data, o.keys, func(int) bool { return true })
}

func (o *objectLog) parse(block []byte, pos record.Pos, b *record.Batch) {
	w := o.get(b)
	defer o.put(w)
	w.oneLine = true
	walk := objects{r: &w.jsonReader, keys: o.keys, data: block}
	lines := lineCounter{data: block, line: pos.Line}
	for {
		w.scratch = w.scratch[:0]
		f, from, start := walk.next()
		if from < start {
			w.loss(record.LossEntry, "object that cannot be read: damaged, or cut off", lines.pos(pos, from), 1)
		}
		if f == nil {
			return
		}
		at := lines.pos(pos, start)
		switch o.kind(f) {
		case objectStrange:
			w.loss(record.LossEntry, "object that is no entry of the log", at, 1)
		case objectEntry:
			if !o.fill(w, w.blank(at), f) {
				w.loss(record.LossEntry, "entry without a valid time", at, 1)
			}
		}
	}
}

// lineCounter turns offsets of a block, which must not decrease, into places.
type lineCounter struct {
	data []byte
	at   int
	line int64
}

// pos is the place of an offset; block is the place of the block.
func (c *lineCounter) pos(block record.Pos, at int) record.Pos {
	c.line += int64(bytes.Count(c.data[c.at:at], []byte{'\n'}))
	c.at = at
	return record.Pos{File: block.File, Line: c.line, Offset: block.Offset + int64(at)}
}
