package pgstat

import (
	"slices"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// Document is a capture as one JSON object that holds a list of rows for each
// view: {"captured_at": …, "views": {"pg_stat_user_tables": [{…}, …], …}}, the
// lists also without "views" around them. A file may hold one object after the
// other. Views are recognised by their columns, whatever the list is called;
// captured_at and datname beside the lists are of every row that has none.
var Document = source.Format{
	Name:   "snapshot-json",
	Doc:    "statistics views as one JSON object of lists of rows",
	Detect: detectDocument,
}

// scoreDocument is below that of a program's own file, which may be of the same
// shape.
const scoreDocument = 85

func detectDocument(h *source.Head) *source.Detection {
	start := objectStart(h.Data)
	if start == len(h.Data) {
		return nil
	}
	d := newDocument(&record.Batch{}, h.Name, h.Data, record.Pos{})
	d.read(start, len(h.Data))
	if len(d.batch.Samples) == 0 {
		return nil
	}
	first := &d.batch.Samples[0]
	return &source.Detection{
		Score:    scoreDocument,
		Detail:   "lists of " + string(first.View) + " and other views",
		View:     first.View,
		TimeFrom: first.TimeSource,
		Begin:    beginObject,
		Cut:      cutObjects,
		Parse: func(block []byte, pos record.Pos, b *record.Batch) {
			newDocument(b, h.Name, block, pos).objects()
		},
	}
}

// inherited are the columns that rows have from the object around their list.
var inherited = []string{"captured_at", "datname"}

// document reads the objects of one block.
type document struct {
	jsonBlock
	whole *foreign
	s     []byte
	have  []record.Value // of each inherited column
}

func newDocument(b *record.Batch, name string, s []byte, pos record.Pos) *document {
	x := newForeign(b, s, pos)
	x.rows = *newRows(b, name)
	return &document{
		jsonBlock: jsonBlock{rows: &x.rows, layout: &layout{}, layoutOf: newLayout, shapes: map[string]*layout{}},
		whole:     x,
		s:         s,
		have:      make([]record.Value, len(inherited)),
	}
}

// objects reads all objects of the block. Of one that is cut short it reads
// what is there.
func (d *document) objects() {
	if at := objectStart(d.s); at < len(d.s) && nestedEnd(d.s, at) < 0 {
		d.read(at, len(d.s))
		return
	}
	d.whole.eachObject(d.s, d.read)
}

// read reads the object s[at:end].
func (d *document) read(at, end int) {
	top, _, err := members(d.s[:end], at)
	clear(d.have)
	for _, m := range top {
		if i := slices.Index(inherited, strings.ToLower(m.key)); i >= 0 {
			d.have[i] = d.whole.scalar(d.s, m)
		}
	}
	d.lists(top)
	if err != nil {
		d.batch.Entries++
		d.lose(d.whole.pos(at), "the JSON object is damaged or ends too early: what stands before is used")
	}
}

// lists reads the lists among the members, and those in an object "views".
func (d *document) lists(all []member) {
	for _, m := range all {
		if d.s[m.start] != '{' || !strings.EqualFold(m.key, "views") {
			d.list(m)
			continue
		}
		views, _, _ := members(d.s[:m.end], m.start) // damage is told by read
		for _, v := range views {
			d.list(v)
		}
	}
}

// list reads the rows of a member that is a list.
func (d *document) list(m member) {
	if d.s[m.start] != '[' {
		return
	}
	rows, _, _ := members(d.s[:m.end], m.start)
	for _, row := range rows {
		d.row(row)
	}
}

// row reads a member of a list. What is no object is not of a view.
func (d *document) row(m member) {
	if d.s[m.start] != '{' {
		return
	}
	pos := d.whole.pos(m.start)
	d.reset()
	var err error
	if d.keys, _, err = d.jsonRow(d.s[m.start:m.end], d.keys[:0], d.layout.names); err != nil {
		d.batch.Entries++
		d.lose(pos, damagedObject)
		return
	}
	for i, name := range inherited {
		if d.have[i].Valid && !slices.Contains(d.keys, name) {
			d.keys = append(d.keys, name)
			d.text = append(d.text, d.have[i].Text...)
			d.endCell(true)
		}
	}
	d.known(pos)
}
