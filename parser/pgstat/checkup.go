package pgstat

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// Checkup is one check of postgres_ai checkup (or of its predecessor
// postgres-checkup) as JSON: {"checkId": …, "timestamptz": …, "results": {node:
// {"data": …}}}. Its lists of objects are read by the columns of each.
var Checkup = source.Format{
	Name:   "postgres-ai-checkup",
	Doc:    "a check of postgres_ai checkup",
	Detect: detectCheckup,
}

const checkupLacks = "is one look at the server, by check: no series, no relallvisible, no counters over time"

func detectCheckup(h *source.Head) *source.Detection {
	start := objectStart(h.Data)
	if start == len(h.Data) || !bytes.Contains(h.Data, []byte(`"checkId"`)) && !bytes.Contains(h.Data, []byte(`"check_id"`)) {
		return nil
	}
	return whole(checkupLacks, record.TimeColumn, (*foreign).checkup)
}

func (x *foreign) checkup(s []byte) {
	x.eachObject(s, func(at, end int) {
		f, _, err := x.object(s[at:end])
		if err != nil {
			x.batch.Entries++
			x.lose(x.pos(at), damagedObject)
			return
		}
		c := check{foreign: x, s: s, at: record.NoTime}
		for _, name := range []string{"checkid", "check_id"} {
			if v, ok := f.text(name); ok {
				c.id = v
			}
		}
		for _, name := range []string{"timestamptz", "timestamp"} {
			if v, ok := f.text(name); ok && !c.at.Known() {
				if t, ok := parseTime(v); ok {
					c.at = t
				}
			}
		}
		c.walk(member{start: at, end: end}, "", 0)
	})
}

// check is one file of the checkup.
type check struct {
	*foreign
	s  []byte
	at record.Time
	id string
}

// maxCheckDepth is how deep the lists of a check lie: results, node, data,
// database, list, object.
const maxCheckDepth = 12

// walk looks for objects that are rows: those of a view by their keys, and
// settings, whose name is the key of the object.
func (c *check) walk(m member, database string, depth int) {
	if depth > maxCheckDepth || c.s[m.start] != '{' && c.s[m.start] != '[' {
		return
	}
	inside, _, _ := members(c.s[:m.end], m.start)
	if c.s[m.start] == '{' && depth > 0 && c.row(m, database) {
		return
	}
	for _, one := range inside {
		db := database
		if depth == 3 && one.key != "" { // results, node, data: by database
			db = one.key
		}
		c.walk(one, db, depth+1)
	}
}

// row adds the object as a row; false if no view has its keys.
func (c *check) row(m member, database string) bool {
	f, _, err := c.object(c.s[m.start:m.end])
	if err != nil {
		return false
	}
	if _, ok := f.text("setting"); ok && m.key != "" {
		if _, named := f.text("name"); !named {
			f = f.with("name", m.key)
		}
		c.add(record.ViewSettings, c.at, c.pos(m.start), f)
		return true
	}
	view, names, ok := recognise(f.names())
	if !ok {
		return false
	}
	for i := range f {
		f[i].name = names[i]
	}
	if c.id == "H001" && view == record.ViewIndexes {
		f = f.with("indisvalid", "false")
	}
	if _, told := f.text("datname"); !told && database != "" {
		f = f.with("datname", database)
	}
	c.add(view, c.at, c.pos(m.start), f)
	return true
}
