package signature

import (
	"fmt"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
)

var toastedVectors = &Signature{
	ID: "PGA605", Name: "toasted-vectors", Max: finding.Warning,
	Felt: "A search for similar rows is slow in a table that looks small",
	What: "An exact search by distance fetches each vector out of line: a sequential scan accesses several buffers per row, many times the pages of its table.",
	Why: "Values that make a row larger than about 2 kB are moved to the TOAST table. Each comparison then looks the vector up through the TOAST index, several buffers a row. " +
		"The planner counts only the pages of the table itself, so that a sequential scan looks cheap to it, too cheap for an index or for parallel workers.",
	Fix:    "Store the vectors in the row: ALTER COLUMN … SET STORAGE PLAIN and rewrite the table, if they fit a page (up to about 2,000 dimensions of vector, 4,000 of halfvec). Or halfvec, or an HNSW index, so that few vectors are read.",
	Verify: "The buffers of the scan come down to the pages of the table.",
	Needs:  []Need{needPlans, {"s", "one snapshot with the size or relpages of the table"}},
	Silent: []string{"scans that access about as many buffers as their table has pages", "tables of which no size is known and that may be bloated: possible at most", "searches through an index"},
	Thresholds: planLimits(
		Threshold{"min_ratio", 3, "x", "buffers of the scan ÷ pages of the table"},
		Threshold{"min_per_row", 1, "buffers/row", "beyond the pages of the table"},
		Threshold{"min_excess", 1000, "buffers", "beyond the pages of the table"},
	),
	Detect: detectToastedVectors,
}

func detectToastedVectors(p *Pass) {
	usable := func(c *planCase) bool { return c.executed(0) && c.Plan.Figures.HasBuffers }
	p.detectPlans(usable, "no plans with buffers in input", func(c *planCase) []planSpot {
		var spots []planSpot
		for i := range c.Plan.Nodes {
			x, ok := c.exactSearch(i)
			if !ok || c.node(x.scan).NodeType != "Seq Scan" || !x.Near.isVector() {
				continue
			}
			if t := x.toasted(); p.isToasted(&t) {
				s := c.at(x.scan)
				s.Cost = c.self(x.scan)
				s.Effect = ratio(t.buffers, t.pages)
				s.Lost = s.Cost * (1 - 1/s.Effect)
				if !t.known {
					s.Weak = "the size of the table: one with many empty pages reads as much"
				}
				s.Tell = t.tell
				spots = append(spots, s)
			}
		}
		return spots
	})
}

// toasted is a scan held against the pages of its table, both per loop.
type toasted struct {
	*exactSearch
	buffers, rows, pages float64
	known                bool                // pages; else they are taken as one per row at most
	sizes                *dataset.ColumnSize // of the vectors, nil if not told
}

func (x *exactSearch) toasted() toasted {
	c, n := x.c, x.c.node(x.scan)
	searches := float64(max(1, n.ActualLoops)) / c.processes(x.scan)
	t := toasted{exactSearch: x, buffers: float64(c.Figures[x.scan].SelfBuffers.Shared()) / searches}
	t.rows = x.rows() + c.removed(x.scan, n.RowsRemovedFilter)/searches
	t.pages, t.known = c.heapPages(x.scan)
	if !t.known {
		t.pages = t.rows
	}
	if r := c.knownRelation(c.relationName(x.scan)); r != nil {
		t.sizes = columnSized(c.Model.ColumnSizes(r), unquoted(x.Near.Column))
	}
	return t
}

// fitsPage reports whether the largest vector known leaves room for itself in a
// page; one that nothing is known of may.
func (t *toasted) fitsPage() bool {
	return t.sizes == nil || t.sizes.Bytes[len(t.sizes.Bytes)-1].Bytes <= float64(t.c.Model.BlockSize-pageOverhead)
}

// pageOverhead is what a page of one row has beside the row's values, in bytes:
// its header and line pointer (32, MaxHeapTupleSize in htup_details.h) and the
// row's header (24).
const pageOverhead = 56

// heapPages is the size of the scanned table's main fork in the last snapshot
// that tells it, in pages.
func (c *planCase) heapPages(i int) (float64, bool) {
	r := c.knownRelation(c.relationName(i))
	if r == nil {
		return 0, false
	}
	for k := len(r.Points) - 1; k >= 0; k-- {
		switch p := &r.Points[k]; {
		case p.RelationSize.Known && p.RelationSize.N > 0:
			return float64(p.RelationSize.N) / float64(c.Model.BlockSize), true
		case p.Relpages.Known && p.Relpages.N > 0:
			return float64(p.Relpages.N), true
		}
	}
	return 0, false
}

func (p *Pass) isToasted(t *toasted) bool {
	excess := t.buffers - t.pages
	return t.buffers >= p.limit("min_ratio")*t.pages && excess >= p.limit("min_excess") && excess >= p.limit("min_per_row")*t.rows
}

func (t *toasted) tell(f *finding.Finding) {
	c := t.c
	name := c.relationName(t.scan)
	f.Title = fmt.Sprintf("A scan of %s accesses %s buffers a row: the vectors lie out of line", name, num(t.buffers/max(1, t.rows)))
	f.Summary = fmt.Sprintf("%s accessed %s buffers for %s rows. ", c.place(t.scan), counted(t.buffers), counted(t.rows))
	if t.known {
		f.Summary += fmt.Sprintf("The table has %s pages: the others are its TOAST table and index.", counted(t.pages))
	} else {
		f.Summary += "A table of rows that are stored whole has at most a page a row."
	}
	size := "at most, one a row"
	if t.known {
		size = "in the last snapshot"
	}
	f.Figures = []finding.Figure{
		{What: "buffers of the scan", Value: t.buffers, Unit: "buffers", Text: counted(t.buffers), Limit: "about the table's pages", Says: times(t.buffers/t.pages) + " of them"},
		{What: "pages of the table", Value: t.pages, Unit: "pages", Text: counted(t.pages), Says: size},
		{What: "buffers a row beyond them", Value: (t.buffers - t.pages) / max(1, t.rows), Unit: "buffers/row", Says: "a lookup in the TOAST table for each"},
	}
	if t.sizes != nil {
		f.Figures = append(f.Figures, finding.Figure{What: "pg_column_size of " + t.sizes.Column, Value: t.sizes.Bytes[len(t.sizes.Bytes)-1].Bytes, Unit: "bytes",
			Text: sizesText(t.sizes), Limit: "about 2,000 bytes a row stay in it"})
		f.Evidence = append(f.Evidence, sizesEvidence(t.sizes))
	}
	f.Actions = t.actions()
	f.WillNotHelp = []string{"VACUUM, or REINDEX of the TOAST table: the lookups stay", "compression: vectors hardly shrink"}
	f.Verify = []string{"EXPLAIN (ANALYZE, BUFFERS) again: the scan's buffers are about the pages of the table.",
		fmt.Sprintf("select attname, attstorage from pg_attribute where attrelid = %s and attnum > 0; ('e' or 'x': may lie out of line, 'p': in the row)", regclass(c.tableSQL(t.scan)))}
}

func (t *toasted) actions() []finding.Action {
	table, column := t.c.tableSQL(t.scan), t.Near.Column
	var out []finding.Action
	if column != "" && t.fitsPage() {
		out = append(out, finding.Action{SQL: true, Do: fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s SET STORAGE PLAIN; VACUUM FULL %s;", table, column, table),
			Cost: "VACUUM FULL locks the table against reads and writes while it rewrites table and indexes, and needs as much free disk as both; a row must then fit a page: an INSERT of a longer vector fails"})
	}
	if column != "" {
		out = append(out, finding.Action{SQL: true, Do: fmt.Sprintf("CREATE INDEX CONCURRENTLY ON %s USING hnsw (%s %s);", table, column, distanceClass(&t.Near)),
			Cost: "results are approximate; if one exists already, the planner's cost of the scan is what hides it: look with SET LOCAL enable_seqscan = off"})
	}
	return append(out, finding.Action{Do: "If all vectors are read anyway and the table is large, give the scan workers: ALTER TABLE … SET (parallel_workers = 4). The planner does not see the TOAST pages and plans none.", Cost: "workers of max_parallel_workers"})
}
