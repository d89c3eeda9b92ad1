package pglog

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/record"
)

const maxVacuumIndexes = 4096

// vacuumEntry reads `automatic vacuum of table "db.schema.rel": index scans: N`
// and `automatic analyze of table "db.schema.rel"` of PostgreSQL 10 to 18.
func (w *worker) vacuumEntry(e *record.Entry) bool {
	c := cursor{e.Message}
	v := record.Vacuum{Pos: e.Pos, LogTime: e.LogTime, ProcessID: e.ProcessID, Kind: record.KindVacuum}
	if !c.lit("automatic ") {
		return false
	}
	v.Aggressive = c.lit("aggressive ")
	switch {
	case c.lit("vacuum "):
		v.ToPreventWraparound = c.lit("to prevent wraparound ")
	case c.lit("analyze "):
		v.Kind = record.KindAnalyze
	default:
		return false
	}
	if !c.lit(`of table "`) || !vacuumTable(&c, &v) {
		return false
	}
	w.vacuumLines(e, &v, c.b)
	w.batch.Vacuums = append(w.batch.Vacuums, v)
	return true
}

// vacuumTable reads the name up to its closing quote, and the index scans. A
// dot too many is taken to be the relation's.
func vacuumTable(c *cursor, v *record.Vacuum) bool {
	line := c.b
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	end := lastIndex(line, `": index scans: `)
	if v.Kind == record.KindAnalyze {
		if end = lastIndex(line, `" system usage: `); end < 0 {
			end = bytes.LastIndexByte(line, '"')
		}
	}
	if end < 0 {
		return false
	}
	name := cursor{line[:end]}
	db, _ := name.until(".")
	schema, ok := name.until(".")
	if !ok || len(name.b) == 0 {
		return false
	}
	v.Database, v.Schema, v.Relation = string(db), string(schema), string(name.b)
	c.b = c.b[end+1:]
	if c.lit(": index scans: ") {
		v.IndexScans, ok = c.int()
	}
	return ok
}

// vacuumLines reads the lines of figures, in any order. One that is not
// understood is a loss; the others count.
func (w *worker) vacuumLines(e *record.Entry, v *record.Vacuum, b []byte) {
	for line := int64(0); len(b) > 0; line++ {
		text := b
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			text, b = b[:i], b[i+1:]
		} else {
			b = nil
		}
		text = bytes.Trim(text, " \t\r")
		at := e.Pos
		if !w.oneLine {
			at.Line += line
		}
		if len(text) > 0 && !(*vacuumFigures)(v).read(text, at.Line) {
			w.loss(record.LossVacuum, "line of an automatic vacuum or analyze that is not known", at, 1)
		}
	}
}

// vacuumFigures are the figures of a record, filled line by line.
type vacuumFigures record.Vacuum

// read reads one line of figures.
func (v *vacuumFigures) read(text []byte, line int64) bool {
	c := cursor{text}
	switch {
	case c.lit("pages: "):
		return c.figures(v.page)
	case c.lit("tuples: "):
		return c.figures(v.tuple)
	case c.lit("tuples missed: "):
		return c.count(&v.TuplesMissed)
	case c.lit("removable cutoff: "):
		return c.count(&v.RemovableCutoff) && c.lit(", which was ") && c.count(&v.CutoffAge)
	case c.lit("new relfrozenxid: "):
		return c.count(&v.NewRelfrozenxid)
	case c.lit("frozen: "):
		return c.count(&v.PagesFrozen) && c.after(" had ") && c.count(&v.TuplesFrozen)
	case c.lit("visibility map: "):
		return v.visibilityMap(&c)
	case c.lit("index scan "):
		return v.indexScan(&c)
	case c.lit(`index "`):
		return v.index(&c, line)
	case c.lit("buffer usage: "):
		return c.figures(v.buffer)
	case c.lit("WAL usage: "):
		return c.figures(v.wal)
	}
	return v.times(&c)
}
