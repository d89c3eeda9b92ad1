package dataset

import (
	"math"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// ColumnSize is what one capture of pg_column_size says of a column: the bytes
// that its values take as stored, compressed or not, without the TOAST pointer.
type ColumnSize struct {
	Column string
	Time   record.Time // NoTime if not told
	Pos    record.Pos
	Rows   record.Count // looked at
	// Bytes are the sizes that the capture tells, from small to large.
	Bytes []SizeAt
}

// SizeAt is a percentile of a size in bytes: "p10", "min".
type SizeAt struct {
	Name  string
	Bytes float64
}

// sizeNames are the columns of record.ViewColumnSizes with sizes, from small to
// large.
var sizeNames = [...]string{"min", "p10", "p50", "p90", "p99", "max"}

// sameSize is the bytes by which sizes may differ that PostgreSQL rounds to one:
// MAXIMUM_ALIGNOF, to which an index rounds its entries.
const sameSize = 8

// ColumnSizes are the sizes of the table's columns, of each column those of the
// latest capture, in the order of the captures.
func (m *Model) ColumnSizes(r *Relation) []ColumnSize {
	var out []ColumnSize
	rows := m.rows[record.ViewColumnSizes]
	for i := range rows {
		if !r.named(&rows[i], m.Database) {
			continue
		}
		if c := columnSize(&rows[i]); len(c.Bytes) > 0 {
			out = latestOfColumn(out, c)
		}
	}
	return out
}

// latestOfColumn appends c in the place of an earlier capture of its column; of
// two that tell no time the first counts.
func latestOfColumn(list []ColumnSize, c ColumnSize) []ColumnSize {
	for i := range list {
		if list[i].Column != c.Column {
			continue
		}
		if !c.Time.Known() {
			return list
		}
		list = append(list[:i], list[i+1:]...)
		break
	}
	return append(list, c)
}

// named reports whether a row that names its table as it likes means this one. A
// main database that nothing else names may be any.
func (r *Relation) named(s *record.Sample, main string) bool {
	schema, name := text(s, "schemaname"), text(s, "relname")
	if first, last, qualified := strings.Cut(name, "."); qualified && schema == "" {
		schema, name = first, last
	}
	database := text(s, "datname")
	ours := database == r.Database || r.Database == "" && (database == main || main == "")
	return ours && strings.Trim(name, `"`) == r.Relation && (schema == "" || strings.Trim(schema, `"`) == r.Schema)
}

// columnSize reads a row; what is no size of a value, or smaller than one that
// must be below it, voids the row.
func columnSize(s *record.Sample) ColumnSize {
	c := ColumnSize{Column: strings.Trim(text(s, "attname"), `"`), Time: s.CapturedAt, Pos: s.Pos, Rows: count(s, "n")}
	least := 0.0
	for _, name := range sizeNames {
		v, ok := s.Float(name)
		if !ok {
			continue
		}
		if !(v >= least) || math.IsInf(v, 0) || v > 1<<30 { // the limit of a value
			return ColumnSize{}
		}
		least = v
		c.Bytes = append(c.Bytes, SizeAt{name, v})
	}
	return c
}

// At is the size of that name; false if the capture does not tell it.
func (c *ColumnSize) At(name string) (float64, bool) {
	for _, s := range c.Bytes {
		if s.Name == name {
			return s.Bytes, true
		}
	}
	return 0, false
}

// Spread are the sizes that tell how far the values differ: p10 and p90, or those
// next to them that are known. False if the capture tells but one size.
func (c *ColumnSize) Spread() (low, high SizeAt, ok bool) {
	pick := func(names ...string) (SizeAt, bool) {
		for _, n := range names {
			if v, known := c.At(n); known {
				return SizeAt{n, v}, true
			}
		}
		return SizeAt{}, false
	}
	low, _ = pick("p10", "min", "p50")
	high, _ = pick("p90", "p99", "max", "p50")
	return low, high, low.Name != "" && high.Name != "" && low.Name != high.Name
}

// Varies reports that the values are of several sizes.
func (c *ColumnSize) Varies() bool {
	n := len(c.Bytes)
	return n > 1 && c.Bytes[n-1].Bytes-c.Bytes[0].Bytes >= sameSize
}

// Fixed reports that all but the last hundredth of the values have one size. A
// capture that ends at p90 cannot tell: the tenth above may be of any size.
func (c *ColumnSize) Fixed() bool {
	last := c.Bytes[len(c.Bytes)-1].Name
	first := c.Bytes[0].Name
	return (last == "p99" || last == "max") && (first == "min" || first == "p10") && !c.Varies()
}
