package explain

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/record"
)

// property reads a line below a node: a figure, a condition, or the line of a
// worker.
func (p *Parser) property(n int32, text []byte, indent int) {
	t := &p.text
	if rest, ok := bytes.CutPrefix(text, []byte("Worker ")); ok {
		digits, rest, ok := bytes.Cut(rest, []byte{':'})
		number, _, isNumber := fixed(digits, 0)
		if ok && isNumber {
			t.worker, t.workerAt = number, indent
			p.workerLine(n, bytes.TrimSpace(rest))
			return
		}
	}
	if t.workerAt >= 0 && indent > t.workerAt {
		p.workerLine(n, text)
		return
	}
	t.workerAt = -1
	name, value, ok := cutKey(text)
	node := &p.plan.Nodes[n]
	if !ok {
		p.keep(&node.Extra, targetTable, text) // of an inherited UPDATE
		return
	}
	switch k := names[string(name)]; {
	case fields[k].kind == kindCount, fields[k].kind == kindRows, fields[k].kind == kindBool:
		assign(node, k, fields[k], value)
		if string(value) == "0" && bytes.HasPrefix(name, []byte("Rows Removed ")) {
			p.keep(&node.Extra, p.interns.string(name), value) // an average below one half
		}
	case string(name) == "Buffers":
		readBuffers(&node.Buffers, value)
		node.Fields |= record.HasBuffers
	case string(name) == "I/O Timings":
		p.readIOTimings(node, value)
	case string(name) == "WAL":
		assignNamed(node, value, walNames)
		p.keepWord(&node.Extra, walBuffersFull, value, " full=")
	case string(name) == "Tuples":
		assignNamed(node, value, tupleNames)
		p.keepWord(&node.Extra, tuplesSkipped, value, " skipped=")
	case p.opt.Extras:
		p.details(&node.Extra, node.NodeType, text)
	}
}

// Extras that text prints as part of a line, or that only text prints.
const (
	ioTimings      = "I/O Timings"
	localIORead    = "Local I/O Read Time"
	localIOWrite   = "Local I/O Write Time"
	targetTable    = "Target Table"
	walBuffersFull = "WAL Buffers Full"
	tuplesSkipped  = "Tuples Skipped"
)

// keepWord keeps the number behind a word.
func (p *Parser) keepWord(list *[]record.KeyValue, key string, text []byte, word string) {
	_, number, ok := bytes.Cut(append([]byte{' '}, text...), []byte(word))
	if ok {
		number, _, _ = bytes.Cut(number, blank)
		p.keep(list, key, number)
	}
}

// cutKey cuts "Key: value".
func cutKey(text []byte) (name, value []byte, ok bool) {
	i := bytes.IndexByte(text, ':')
	if i < 0 || i+1 < len(text) && text[i+1] != ' ' {
		return nil, nil, false
	}
	return text[:i], bytes.TrimLeft(text[i+1:], " "), true
}

// workerLine reads what stands behind "Worker N:" or below it.
func (p *Parser) workerLine(n int32, text []byte) {
	w := p.worker(n, p.text.worker)
	if actual, ok := bytes.CutPrefix(text, []byte("actual ")); ok {
		assignWords(actual, func(name, value []byte) {
			switch string(name) {
			case "time":
				if a, b, ok := bytes.Cut(value, []byte("..")); ok {
					assignWorkerActual(w, keyActualStartupTime, fields[keyActualStartupTime], a)
					assignWorkerActual(w, keyActualTotalTime, fields[keyActualTotalTime], b)
				}
			case "rows":
				assignWorkerActual(w, keyActualRows, fields[keyActualRows], value)
			case "loops":
				assignWorkerActual(w, keyActualLoops, fields[keyActualLoops], value)
			}
		})
		return
	}
	name, value, ok := cutKey(text)
	if !ok {
		return
	}
	switch string(name) {
	case "Buffers":
		readBuffers(&w.Buffers, value)
		w.Fields |= record.HasBuffers
	case "Sort Method":
		method, space, _ := bytes.Cut(value, []byte("  "))
		w.SortMethod = p.interns.string(method)
		if kind, size, ok := cutKey(space); ok {
			w.SortSpaceType = p.interns.string(kind)
			w.SortSpaceKB, _, _ = fixed(bytes.TrimSuffix(size, kilobytes), 0)
		}
	default:
		if p.opt.Extras {
			p.details(&w.Extra, p.plan.Nodes[n].NodeType, text)
		}
	}
}

var kilobytes = []byte("kB")

// readBuffers reads "shared hit=8 read=1, temp read=29 written=39".
func readBuffers(b *record.Buffers, text []byte) {
	group := keySharedHit
	for word := range bytes.FieldsSeq(text) {
		word = bytes.TrimSuffix(word, []byte{','})
		name, value, ok := bytes.Cut(word, []byte{'='})
		if !ok {
			switch string(word) {
			case "shared":
				group = keySharedHit
			case "local":
				group = keyLocalHit
			case "temp":
				group = keyTempRead - 1 // temporary files have no hits
			}
			continue
		}
		k := group
		switch string(name) {
		case "hit":
		case "read":
			k++
		case "dirtied":
			k += 2
		case "written":
			k += 3
			if group == keyTempRead-1 {
				k = keyTempWritten
			}
		default:
			continue
		}
		if v, _, ok := fixed(value, 0); ok {
			*blocks(b, k) = v
		}
	}
}

// readIOTimings reads "shared read=15.498, temp read=139.425 write=335.998";
// up to 14 the group is not printed, which is kept.
func (p *Parser) readIOTimings(n *record.Node, text []byte) {
	if bytes.HasPrefix(text, []byte("read=")) || bytes.HasPrefix(text, []byte("write=")) {
		p.keep(&n.Extra, ioTimings, text)
	}
	read, write := keyIORead, keyIOWrite
	for word := range bytes.FieldsSeq(text) {
		word = bytes.TrimSuffix(word, []byte{','})
		name, value, ok := bytes.Cut(word, []byte{'='})
		switch {
		case !ok && string(word) == "temp":
			read, write = keyTempIORead, keyTempIOWrite
		case !ok && string(word) == "local":
			read, write = keyLocalIORead, keyLocalIOWrite
		case !ok:
			read, write = keyIORead, keyIOWrite
		case string(name) == "read":
			p.ioTime(n, read, value)
		case string(name) == "write":
			p.ioTime(n, write, value)
		}
	}
}

// ioTime sets an I/O time. Shared and local blocks share a field; the part of
// the local ones is kept besides.
func (p *Parser) ioTime(n *record.Node, k key, text []byte) {
	assign(n, k, fields[k], text)
	if v, _, ok := fixed(text, 3); !ok || v == 0 {
		return
	}
	switch k {
	case keyLocalIORead:
		p.keep(&n.Extra, localIORead, text)
	case keyLocalIOWrite:
		p.keep(&n.Extra, localIOWrite, text)
	}
}

// walNames and tupleNames are the figures of the lines "WAL: records=402 fpi=1
// bytes=30354" and, of MERGE, "Tuples: inserted=1 updated=100 deleted=2
// skipped=3".
var (
	walNames   = map[string]key{"records": keyWALRecords, "fpi": keyWALFPI, "bytes": keyWALBytes}
	tupleNames = map[string]key{
		"inserted": keyTuplesInserted, "updated": keyTuplesUpdated, "deleted": keyTuplesDeleted,
	}
)

func assignNamed(n *record.Node, text []byte, names map[string]key) {
	assignWords(text, func(name, value []byte) {
		if k, ok := names[string(name)]; ok {
			assign(n, k, fields[k], value)
		}
	})
}
