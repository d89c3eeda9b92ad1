package pgstat

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// Other programs export the views under columns of their own, several views to
// a file. Their readers turn each row into fields, give these the canonical
// names, and add the sample with a view and a time that they know.

// scoreTool is above that of a view recognised by its columns: the file says
// which program wrote it.
const scoreTool = 95

// field is one column of a row.
type field struct {
	name  string // of the tool until it is renamed
	value record.Value
}

// fields are the columns of a row.
type fields []field

// text is the value of a column; false if absent or null.
func (f fields) text(name string) (string, bool) {
	for i := range f {
		if f[i].name == name {
			return f[i].value.Text, f[i].value.Valid
		}
	}
	return "", false
}

// names are the columns in order.
func (f fields) names() []string {
	names := make([]string, len(f))
	for i := range f {
		names[i] = f[i].name
	}
	return names
}

// with adds a column.
func (f fields) with(name, text string) fields {
	return append(f, field{name, record.Value{Text: text, Valid: true}})
}

// rename gives the columns that the map names their canonical names.
func (f fields) rename(names map[string]string) {
	for i := range f {
		if n, ok := names[f[i].name]; ok {
			f[i].name = n
		}
	}
}

// null makes null of a value that the tool writes for none.
func (f fields) null(value string, names ...string) {
	for i := range f {
		for _, n := range names {
			if f[i].name == n && f[i].value.Text == value {
				f[i].value = record.Value{}
			}
		}
	}
}

// foreign collects the samples of one file.
type foreign struct {
	rows
	from    record.TimeSource          // of the times
	columns map[string]*record.Columns // by names
	place   record.Pos                 // of s[0] of the text being read
	lines   lineCounter
}

func newForeign(b *record.Batch, s []byte, pos record.Pos) *foreign {
	x := &foreign{from: record.TimeColumn, columns: map[string]*record.Columns{}, place: pos, lines: lineCounter{text: s}}
	x.batch, x.kept = b, map[string]int{}
	return x
}

// pos is the place of s[offset].
func (x *foreign) pos(offset int) record.Pos {
	p := x.place
	p.Offset += int64(offset)
	p.Line += x.lines.before(offset)
	return p
}

// lineCounter counts line ends, each once as long as offsets grow.
type lineCounter struct {
	text  []byte
	at    int
	count int64
}

func (c *lineCounter) before(offset int) int64 {
	if offset < c.at {
		c.at, c.count = 0, 0
	}
	if offset > c.at {
		c.count += int64(bytes.Count(c.text[c.at:offset], []byte{'\n'}))
		c.at = offset
	}
	return c.count
}

// add makes a sample.
func (x *foreign) add(view record.View, at record.Time, pos record.Pos, f fields) {
	names := f.names()
	values := make([]record.Value, len(f))
	for i := range f {
		values[i] = f[i].value
	}
	key := fmt.Sprintf("%q", names)
	columns := x.columns[key]
	if columns == nil {
		columns = record.NewColumns(names)
		x.columns[key] = columns
	}
	s := record.Sample{Pos: pos, View: view, CapturedAt: at, Columns: columns, Values: values}
	if at.Known() {
		s.TimeSource = x.from
	}
	x.batch.Entries++
	x.batch.Understood++
	x.batch.Samples = append(x.batch.Samples, s)
}

// object reads the JSON object at the start of s, keys lower-cased.
func (x *foreign) object(s []byte) (fields, int, error) {
	x.reset()
	keys, n, err := x.jsonRow(s, nil, nil)
	if err != nil {
		return nil, n, err
	}
	f := make(fields, len(keys))
	text, start := string(x.text), 0
	for i, c := range x.cells {
		f[i].name = strings.ToLower(keys[i])
		if c.valid {
			f[i].value = record.Value{Text: text[start:c.end], Valid: true}
		}
		start = c.end
	}
	return f, n, nil
}

// member is a value inside a JSON object or list: s[start:end].
type member struct {
	key        string // "" in a list
	start, end int
}

// members lists what the object or list that opens at s[n] holds. Where it is
// cut short, the last member is what there is of it, to the end of s.
func members(s []byte, n int) (out []member, after int, err error) {
	closing := s[n] + 2
	isObject := s[n] == '{'
	n = skipBlank(s, n+1)
	for more := n < len(s) && s[n] != closing; more; {
		var m member
		if isObject {
			if m.key, n, err = jsonKey(s, n, ""); err != nil {
				return out, n, err
			}
			if n = skipBlank(s, n); n >= len(s) || s[n] != ':' {
				return out, n, errJSON
			}
			n = skipBlank(s, n+1)
		}
		if m.start, m.end = n, valueEnd(s, n); m.end < 0 {
			if n < len(s) && (s[n] == '{' || s[n] == '[') {
				m.end = len(s)
				out = append(out, m)
			}
			return out, n, errJSON
		}
		out = append(out, m)
		n = skipBlank(s, m.end)
		if more = n < len(s) && s[n] == ','; more {
			n = skipBlank(s, n+1)
		}
	}
	if n >= len(s) || s[n] != closing {
		return out, n, errJSON
	}
	return out, n + 1, nil
}

// valueEnd is the offset behind the JSON value at s[n], -1 if there is none.
func valueEnd(s []byte, n int) int {
	if n >= len(s) {
		return -1
	}
	switch s[n] {
	case '"':
		end, _ := jsonString(s, n)
		return end
	case '{', '[':
		return nestedEnd(s, n)
	}
	end := n
	for end < len(s) && isBare(s[end]) {
		end++
	}
	if end == n {
		return -1
	}
	return end
}

// scalar is the text of a JSON value that is no object or list.
func (x *foreign) scalar(s []byte, m member) record.Value {
	x.reset()
	if _, err := x.jsonValue(s, m.start); err != nil || !x.cells[0].valid {
		return record.Value{}
	}
	return record.Value{Text: string(x.text), Valid: true}
}

// whole is the detection of a file that is read in one piece, object by object.
func whole(detail string, from record.TimeSource, parse func(x *foreign, s []byte)) *source.Detection {
	return &source.Detection{
		Score:    scoreTool,
		Detail:   detail,
		TimeFrom: from,
		Whole:    true,
		Begin:    func([]byte) int { return 0 },
		Cut:      func(data []byte) int { return len(data) },
		Parse: func(block []byte, pos record.Pos, b *record.Batch) {
			parse(newForeign(b, block, pos), block)
		},
	}
}

// eachObject calls f with each object of s; what is none is passed over line by
// line and counted.
func (x *foreign) eachObject(s []byte, f func(at, end int)) {
	for at := 0; at < len(s); {
		at += len(s[at:]) - len(bytes.TrimLeft(s[at:], between+"\ufeff"))
		if at >= len(s) {
			return
		}
		if s[at] == '{' {
			if end := nestedEnd(s, at); end > 0 {
				f(at, end)
				at = end
				continue
			}
		}
		x.batch.Entries++
		x.lose(x.pos(at), damagedObject)
		_, n := firstLine(s[at:])
		at += n
	}
}
