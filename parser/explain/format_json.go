package explain

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/pgassay/pgassay/parser/source"
)

// JSON reads files of EXPLAIN (FORMAT JSON) output: lists and objects of plans,
// one after the other or one to a line.
var JSON = source.Format{
	Name:   "explain-json",
	Doc:    "EXPLAIN (FORMAT JSON) output, one or many plans, also one to a line",
	Detect: detectJSON,
}

// maxProbes is how many objects of a head Detect looks into.
const maxProbes = 4

// detectJSON claims a file whose first object with content holds a plan. A log
// or snapshot in JSON has no "Plan" at that place.
func detectJSON(h *source.Head) *source.Detection {
	data := bytes.TrimSpace(bytes.TrimPrefix(h.Data, bom))
	if len(data) == 0 || data[0] != '{' && data[0] != '[' {
		return nil
	}
	p := NewParser()
	for range maxProbes {
		i := nextObject(data)
		if i < 0 {
			return nil
		}
		_, n, err := p.JSON(data[i:], Options{})
		switch {
		case err == nil:
			return whole(h, 90, "", readJSON)
		case isForeign(err):
			return foreign(err)
		}
		data = data[i+max(n, 1):]
	}
	return nil
}

// nextObject finds the next opening brace outside objects, −1 if there is none
// or something other than list punctuation stands before it.
func nextObject(data []byte) int {
	for i, c := range data {
		switch c {
		case '{':
			return i
		case '[', ']', ',', ' ', '\t', '\r', '\n', ';':
		default:
			return -1
		}
	}
	return -1
}

func readJSON(r *reader) {
	r.mend(breaks[:1])
	for {
		i := nextObject(r.block[r.offset:])
		if i < 0 {
			if len(bytes.TrimLeft(r.block[r.offset:], "[], \t\r\n;")) == 0 {
				break
			}
			r.lose(fmt.Errorf("line %d: text that is no plan in JSON", r.pos.Line))
			r.resume()
			continue
		}
		r.moveTo(r.offset + i)
		rest := r.block[r.offset:]
		plan, n, err := r.parser.JSON(rest, r.options())
		if err != nil || plan.Truncated {
			if end := nextLine(rest, "[", `{"`); end < len(rest) && end <= n { // it ran into the next one
				plan, n, err = r.parser.JSON(rest[:end], r.options())
			}
		}
		if err == nil {
			r.add(plan)
			r.moveTo(r.offset + n)
			continue
		}
		r.lose(err)
		if errors.Is(err, ErrNoPlan) || isForeign(err) {
			r.moveTo(r.offset + max(n, 1))
			continue
		}
		r.moveTo(r.offset + max(n, 1)) // the object is damaged, not just another one
		r.resume()
	}
}

// resume moves to the next line that begins a list or an object at its first
// column, or to the end.
func (r *reader) resume() { r.moveTo(r.offset + nextLine(r.block[r.offset:], "[", "{")) }

// nextLine is where, behind the first line of data, a line begins with one of
// starts at its first column; the end of data if none does.
func nextLine(data []byte, starts ...string) int {
	for offset := 0; ; {
		i := bytes.IndexByte(data[offset:], '\n')
		if i < 0 {
			return len(data)
		}
		offset += i + 1
		for _, s := range starts {
			if bytes.HasPrefix(data[offset:], []byte(s)) {
				return offset
			}
		}
	}
}
