package pglog

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/record"
)

// count reads a figure.
func (c *cursor) count(to *record.Count) bool {
	n, ok := c.int()
	if ok {
		*to = record.Some(n)
	}
	return ok
}

// figures reads "N label, N label, …" and reports whether every label was
// known.
func (c *cursor) figures(set func(label []byte, n int64) bool) bool {
	known := true
	for len(c.b) > 0 {
		item := cursor{c.b}
		if i := bytes.Index(c.b, []byte(", ")); i >= 0 {
			item.b, c.b = c.b[:i], c.b[i+2:]
		} else {
			c.b = nil
		}
		item.lit("oldest xmin: ")
		n, ok := item.int()
		item.lit(" ")
		known = ok && set(item.b, n) && known
	}
	return known
}

func hasStart(label []byte, start string) bool { return bytes.HasPrefix(label, []byte(start)) }

func (v *vacuumFigures) page(label []byte, n int64) bool {
	to := (*record.Count)(nil)
	switch {
	case hasStart(label, "removed"):
		to = &v.PagesRemoved
	case hasStart(label, "remain"):
		to = &v.PagesRemain
	case hasStart(label, "scanned"):
		to = &v.PagesScanned
	case hasStart(label, "eagerly scanned"):
		to = &v.PagesEagerlyScanned
	case hasStart(label, "skipped due to pins"):
		to = &v.PagesSkippedPins
	case hasStart(label, "skipped frozen"):
		to = &v.PagesSkippedFrozen
	}
	return set(to, n)
}

func (v *vacuumFigures) tuple(label []byte, n int64) bool {
	to := (*record.Count)(nil)
	switch {
	case hasStart(label, "removed"):
		to = &v.TuplesRemoved
	case hasStart(label, "remain"):
		to = &v.TuplesRemain
	case hasStart(label, "are dead but not yet removable"):
		to = &v.TuplesNotRemovable
	case len(label) == 0:
		to = &v.RemovableCutoff // "oldest xmin: N", before version 15
	}
	return set(to, n)
}

func (v *vacuumFigures) buffer(label []byte, n int64) bool {
	to := (*record.Count)(nil)
	switch {
	case hasStart(label, "hits"):
		to = &v.BufferHits
	case hasStart(label, "misses"), hasStart(label, "reads"):
		to = &v.BufferMisses
	case hasStart(label, "dirtied"):
		to = &v.BufferDirtied
	}
	return set(to, n)
}

func (v *vacuumFigures) wal(label []byte, n int64) bool {
	to := (*record.Count)(nil)
	switch {
	case hasStart(label, "records"):
		to = &v.WALRecords
	case hasStart(label, "full page images"):
		to = &v.WALFPI
	case hasStart(label, "bytes"):
		to = &v.WALBytes
	case hasStart(label, "buffers full"):
		return true // since 18; says nothing about the vacuum itself
	}
	return set(to, n)
}

func set(to *record.Count, n int64) bool {
	if to == nil {
		return false
	}
	*to = record.Some(n)
	return true
}

// visibilityMap reads the line of version 18: "A pages set all-visible, B pages
// set all-frozen (C were all-visible)".
func (v *vacuumFigures) visibilityMap(c *cursor) bool {
	return c.count(&v.PagesSetAllVisible) && c.lit(" pages set all-visible, ") &&
		c.count(&v.PagesSetAllFrozen) && c.lit(" pages set all-frozen (") &&
		c.count(&v.PagesWereAllVisible)
}

// indexScan reads "needed: P pages from table (x% of total) had D dead item
// identifiers removed" and its like.
func (v *vacuumFigures) indexScan(c *cursor) bool {
	switch {
	case c.lit("needed: "):
		v.IndexScan = record.IndexScanNeeded
	case c.lit("not needed: "):
		v.IndexScan = record.IndexScanNotNeeded
	case c.lit("bypassed: "):
		v.IndexScan = record.IndexScanBypassed
	case c.lit("bypassed by failsafe: "):
		v.IndexScan = record.IndexScanBypassedByFailsafe
	default:
		return false
	}
	return c.count(&v.DeadItemPages) && (c.after(") had ") || c.after(") have ")) && c.count(&v.DeadItems)
}

// index reads `i": pages: T in total, N newly deleted, C currently deleted, R
// reusable`.
func (v *vacuumFigures) index(c *cursor, line int64) bool {
	end := lastIndex(c.b, `": pages: `)
	if end < 0 {
		return false
	}
	ix := record.VacuumIndex{Name: string(c.b[:end]), Line: line}
	c.b = c.b[end+len(`": pages: `):]
	known := c.figures(func(label []byte, n int64) bool {
		switch {
		case hasStart(label, "in total"):
			ix.Pages = n
		case hasStart(label, "newly deleted"):
			ix.NewlyDeleted = n
		case hasStart(label, "currently deleted"):
			ix.Deleted = n
		case hasStart(label, "reusable"):
			ix.Reusable = n
		default:
			return false
		}
		return true
	})
	if len(v.Indexes) < maxVacuumIndexes {
		v.Indexes = append(v.Indexes, ix)
	}
	return known
}

// times reads the lines about time and rates.
func (v *vacuumFigures) times(c *cursor) bool {
	var ok bool
	switch {
	case c.lit("I/O timings: "):
		v.HasIOTime = true
		if c.lit("read: ") {
			v.IOReadTime, ok = c.decimal(record.Millisecond)
		}
		if c.after("write: ") {
			v.IOWriteTime, ok = c.decimal(record.Millisecond)
		}
		return ok
	case c.lit("avg read rate: "):
		return true // follows from pages and time
	case c.lit("delay time: "):
		v.DelayTime, v.HasDelay = c.decimal(record.Millisecond)
		return v.HasDelay
	case c.lit("new relminmxid: "):
		return true
	case c.lit("system usage: "):
		return v.usage(c)
	}
	return false
}

// usage reads "CPU: user: U s, system: S s, elapsed: E s".
func (v *vacuumFigures) usage(c *cursor) bool {
	var ok bool
	if !c.lit("CPU: user: ") {
		return false
	}
	if v.CPUUser, ok = c.decimal(record.Second); !ok || !c.lit(" s, system: ") {
		return false
	}
	if v.CPUSystem, ok = c.decimal(record.Second); !ok || !c.lit(" s, elapsed: ") {
		return false
	}
	v.Elapsed, v.HasElapsed = c.decimal(record.Second)
	return v.HasElapsed
}
