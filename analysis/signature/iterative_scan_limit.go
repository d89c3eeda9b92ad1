package signature

import (
	"fmt"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

var iterativeScanLimit = &Signature{
	ID: "PGA603", Name: "iterative-scan-limit", Max: finding.Warning,
	Felt: "A search for similar rows with a filter takes long, and sometimes returns too few",
	What: "An iterative scan of an HNSW index goes through very many elements to find the few that pass the filter, or stops at its limit before the LIMIT is filled.",
	Why: "With hnsw.iterative_scan the search goes on until enough rows pass the filter. A filter that keeps one element in a hundred makes it visit a hundred times as many, each at random in the index and the table. " +
		"It gives up after hnsw.max_scan_tuples (20,000 by default) or when its memory is full, with fewer rows than asked for.",
	Fix:    "Let the index hold only what matches: a partial HNSW index per value of the filter, or a table partitioned by it. A very selective filter is served best by a B-tree on its columns: the few rows are then compared exactly.",
	Verify: "Rows Removed by Filter and the buffers come down by as much.",
	Needs:  []Need{needActual},
	Silent: []string{"searches without iterative scan, which give no more than hnsw.ef_search elements (PGA602)", "IVFFlat indexes", "filters that keep a tenth of the elements or more"},
	Thresholds: planLimits(
		Threshold{"min_removed", 1000, "rows", "removed by the filter, over all loops"},
		Threshold{"min_ratio", 10, "x", "rows removed ÷ rows kept"},
		Threshold{"min_ef", 1.5, "of hnsw.ef_search", "given by the index: fewer need no second step"},
	),
	Detect: detectIterativeScan,
}

func detectIterativeScan(p *Pass) {
	p.detectPlans(analyzed, "no plans with actual rows in input", func(c *planCase) []planSpot {
		var spots []planSpot
		for i := range c.Plan.Nodes {
			if a, ok := c.annScan(i); ok && p.iterates(&a) {
				s := c.at(i)
				s.Cost = c.self(i)
				s.Effect = ratio(a.Seen, max(a.EfSearch.Value, a.Want))
				s.Lost = s.Cost * (1 - 1/s.Effect)
				if !a.iterationProven() {
					s.Weak = a.EfSearch.told() + ", and a value above " + num(a.Seen) + " would explain it without iterative scan"
				}
				s.Tell = a.tellIterativeScan
				spots = append(spots, s)
			}
		}
		return spots
	})
}

func (p *Pass) iterates(a *annScan) bool {
	removed := a.c.removed(a.at, a.c.node(a.at).RowsRemovedFilter)
	_, _, kept := a.c.rows(a.at)
	return removed >= p.limit("min_removed") && removed >= p.limit("min_ratio")*kept && a.Seen >= p.limit("min_ef")*a.EfSearch.Value
}

// iterationProven: no value of hnsw.ef_search, or not the one that is told, lets
// a single step give so many.
func (a *annScan) iterationProven() bool {
	return a.Seen > efSearchMax || a.EfSearch.Known && !a.EfSearch.Varies
}

func (a *annScan) tellIterativeScan(f *finding.Finding) {
	n := a.c.node(a.at)
	short := a.Got < a.Want
	f.Title = fmt.Sprintf("An iterative scan of %s goes through %s elements for %s", n.IndexName, counted(a.Seen), plural(int(a.Kept+0.5), "row"))
	if short {
		f.Title += fmt.Sprintf(", and ends before the LIMIT of %s", num(a.Want))
	}
	f.Summary = fmt.Sprintf("%s took %s elements from the index a search, where hnsw.ef_search alone gives %s; the filter removed %s of them. It cost %s ms.",
		a.c.place(a.at), counted(a.Seen), num(a.EfSearch.Value), percentLong(1-a.Kept/a.Seen), num(a.c.self(a.at)))
	f.Figures = []finding.Figure{
		{What: "elements given by a search", Value: a.Seen, Unit: "elements", Text: counted(a.Seen), Says: times(a.Seen/a.EfSearch.Value) + " of hnsw.ef_search"},
		{What: "rows kept by a search", Value: a.Kept, Unit: "rows"},
		{What: "rows of the LIMIT, as planned", Value: a.Want, Unit: "rows"},
		a.settingFigure(),
	}
	if n.Has(record.HasBuffers) {
		b := float64(a.c.Figures[a.at].SelfBuffers.Shared()) / float64(n.ActualLoops)
		f.Figures = append(f.Figures, finding.Figure{What: "buffers of a search", Value: b, Unit: "buffers", Text: counted(b), Says: num(b/max(1, a.Seen)) + " an element"})
	}
	if short {
		f.Notes = append(f.Notes, a.stopped())
	}
	f.Actions = a.filterActions()
	f.WillNotHelp = []string{"REINDEX or VACUUM: the graph is sound, the filter is what its order knows nothing of", "a larger hnsw.ef_search: the same elements in fewer steps"}
	if short {
		f.WillNotHelp = append(f.WillNotHelp, "a larger hnsw.max_scan_tuples for the time: more rows, and dearer")
	}
	f.Verify = []string{"EXPLAIN (ANALYZE, BUFFERS) again: Rows Removed by Filter is small, and the Limit returns " + num(a.Want) + " rows."}
}

// stopped tells what ended the scan.
func (a *annScan) stopped() string {
	limit := a.c.annSetting("hnsw.max_scan_tuples", maxScanTuplesDefault)
	rows := a.tableRows()
	switch {
	case rows > 0 && a.Seen >= 0.9*rows:
		return "It went through the whole table: there are no more matches."
	case a.Seen >= 0.9*limit.Value && a.Seen <= 1.5*limit.Value:
		return "It stopped at hnsw.max_scan_tuples (" + limit.told() + "): rows may be missing."
	}
	return "What ended it is not in the plan: the end of the index, hnsw.max_scan_tuples (" + limit.told() + ") or its memory (hnsw.scan_mem_multiplier × work_mem)."
}

func (a *annScan) filterActions() []finding.Action {
	x := a.c.indexCandidate(a.at, "")
	table, column := a.c.tableSQL(a.at), a.Near.Operand
	filter, _ := detail(a.c.node(a.at).Extra, "Filter")
	actions := []finding.Action{{Do: fmt.Sprintf("Make an HNSW index of the rows that match: CREATE INDEX CONCURRENTLY ON %s USING hnsw (%s %s) WHERE %s; or partition the table by the filter's column.",
		table, column, distanceClass(&a.Near), conditionText(filter)), Cost: "a graph per value to build, keep in memory and write; only worth it for few values or a few large ones"}}
	if x.usable() {
		x.Sort, x.Include = nil, nil
		actions = append(actions, finding.Action{SQL: true, Do: x.sql(), Cost: "for filters that leave few rows: these are compared exactly, without the HNSW index, and the LIMIT is filled; the planner chooses by its estimate of the filter"})
	}
	return actions
}
