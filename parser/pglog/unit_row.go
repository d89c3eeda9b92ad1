package pglog

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/source"
)

// rowUnits are the rows of a csv file whose first row names the columns, as log
// services export them.
type rowUnits struct {
	columns [jsonKeys]int // by key, -1 if there is none
	header  []byte        // the first row
	read    func(u *unwrapper, f *jsonFields, c *carried)
}

// newRowUnits reads the header; nil if it does not name a column with the text.
func newRowUnits(h *source.Head, keys jsonKeyFunc, read func(*unwrapper, *jsonFields, *carried)) *rowUnits {
	data := bytes.TrimPrefix(h.Data, byteOrderMark)
	var row csvRow
	next, whole := row.read(data, 0)
	if !whole || row.n < 2 || row.n > csvMaxFields {
		return nil
	}
	r := &rowUnits{header: data[:next], read: read}
	for k := range r.columns {
		r.columns[k] = -1
	}
	for i := range row.n {
		if k := keys(row.fields[i].text, false); k != jsonOther && k < jsonKeys && r.columns[k] < 0 {
			r.columns[k] = i
		}
	}
	if r.columns[jsonText] < 0 {
		return nil
	}
	return r
}

func (r *rowUnits) next(u *unwrapper, data []byte, at int, c *carried) int {
	if at == 0 && bytes.HasPrefix(data, byteOrderMark) {
		at = len(byteOrderMark)
	}
	if bytes.HasPrefix(data[at:], r.header) {
		return at + len(r.header)
	}
	row := &u.row
	next, whole := row.read(data, at)
	if !whole {
		c.kind = carriesDamage
		return nextLine(data, at)
	}
	u.fields = jsonFields{}
	for k, i := range r.columns {
		if i >= 0 && i < row.n && i < csvMaxFields && row.fields[i].text != nil {
			u.fields.text[k] = u.csvText(row.fields[i])
		}
	}
	r.read(u, &u.fields, c)
	return next
}

func (r *rowUnits) begin(data []byte, accept func(c *carried) bool) int {
	return r.walk(data, accept, true, len(data))
}

func (r *rowUnits) opening(data []byte) bool {
	return bytes.Equal(bytes.TrimPrefix(data, byteOrderMark), r.header)
}

func (r *rowUnits) cut(data []byte, accept func(c *carried) bool) int {
	return r.walk(data, accept, false, 0)
}

// walk is the first or last row that accept takes.
func (r *rowUnits) walk(data []byte, accept func(c *carried) bool, first bool, found int) int {
	u := newUnwrapper()
	for at := 0; at < len(data); {
		var c carried
		u.scratch = u.scratch[:0]
		next := r.next(u, data, at, &c)
		if accept(&c) {
			if found = at; first {
				return at
			}
		}
		at = next
	}
	return found
}
