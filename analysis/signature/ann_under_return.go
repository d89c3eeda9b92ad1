package signature

import (
	"fmt"
	"math"

	"github.com/pgassay/pgassay/analysis/finding"
)

var annUnderReturn = &Signature{
	ID: "PGA602", Name: "ann-under-return", Max: finding.Warning,
	Felt: "A search for similar rows returns too few of them, or none",
	What: "A search by distance returns fewer rows than its LIMIT asks for, though the table has more: the HNSW index gave hnsw.ef_search elements and stopped.",
	Why: "An HNSW index gives at most hnsw.ef_search elements (40 by default). A filter is applied to them afterwards, and nothing is fetched in place of those removed. " +
		"A LIMIT above hnsw.ef_search cannot be filled either. No error is raised: rows are missing in silence.",
	Fix: "hnsw.iterative_scan = strict_order (pgvector 0.8 and later) goes on until the LIMIT is filled; a larger hnsw.ef_search looks at more elements. " +
		"For a filter with few values, a partial index per value or a partitioned table.",
	Verify: "The statement returns as many rows as its LIMIT, or as match.",
	Needs:  []Need{needActual},
	Silent: []string{"a filled LIMIT", "generic plans that returned rows: their LIMIT is not known", "fewer rows than the LIMIT expected by the planner", "iterative scans (PGA603)", "IVFFlat indexes: they give whole lists", "tables with no more rows than that"},
	Thresholds: []Threshold{
		{"quiet_ms", 0, "ms", "lost in the plan: missing rows count however fast the search"},
		{"floor_ms", 0, "ms", "lost in the plan: as above"},
		{"floor_share", 0, "of server time", "lost in the log: as above"},
		{"max_short", 0.1, "of hnsw.ef_search", "that may be missing: dead rows are given by the index, too, and not counted"},
		{"max_filled", 0.9, "of the LIMIT", "returned at most"},
	},
	Detect: detectUnderReturn,
}

func detectUnderReturn(p *Pass) {
	p.detectPlans(analyzed, "no plans with actual rows in input", func(c *planCase) []planSpot {
		var spots []planSpot
		for i := range c.Plan.Nodes {
			if a, ok := c.annScan(i); ok && p.underReturns(&a) {
				s := c.at(i)
				s.Cost = c.inclusive(i)
				s.Lost, s.Effect = s.Cost, ratio(a.Want, max(a.Got, 1))
				s.Tell = a.tellUnderReturn
				spots = append(spots, s)
			}
		}
		return spots
	})
}

// underReturns holds the elements given against hnsw.ef_search. Where its value
// is an assumption, they must be exactly as many.
func (p *Pass) underReturns(a *annScan) bool {
	ef, half := a.EfSearch.Value, math.Max(a.c.rounding(a.at), 0.005)
	if a.c.node(a.at).ActualLoops > 1 && a.c.node(a.at).RowsRemovedFilter > 0 {
		half += 0.5
	}
	low := ef * (1 - p.limit("max_short"))
	if !a.EfSearch.Known {
		low = ef
	}
	iterative := a.c.annSetting("hnsw.iterative_scan", 0)
	switch {
	case a.Got > p.limit("max_filled")*a.Want || a.Seen < low-half || a.Seen > ef+half:
	case iterative.isOn() && !iterative.Varies:
	case a.tableRows() > 0 && a.tableRows() <= ef:
	default:
		return true
	}
	return false
}

// tableRows is the latest known number of rows of the table, 0 if unknown.
func (a *annScan) tableRows() float64 {
	r := a.c.knownRelation(a.c.relationName(a.at))
	if r == nil || len(r.Points) == 0 {
		return 0
	}
	last := &r.Points[len(r.Points)-1]
	return float64(max(last.LiveTup.N, last.Reltuples.N))
}

func (a *annScan) tellUnderReturn(f *finding.Finding) {
	n := a.c.node(a.at)
	removed := float64(n.RowsRemovedFilter)
	f.Title = fmt.Sprintf("A search by distance returns %s of the %s rows of its LIMIT: %s gives %s elements and stops",
		num(a.Got), num(a.Want), n.IndexName, num(math.Round(a.Seen)))
	f.Summary = fmt.Sprintf("%s gave %s elements a search. ", a.c.place(a.at), num(math.Round(a.Seen)))
	if removed > 0 {
		f.Summary += fmt.Sprintf("The filter removed %s of them, and none was fetched in their place. ", num(removed))
	} else {
		f.Summary += "The LIMIT asks for more than that. "
	}
	f.Summary += "This is lost recall, not slowness."
	f.Figures = []finding.Figure{
		{What: "rows of the LIMIT, as planned", Value: a.Want, Unit: "rows"},
		{What: "rows returned by a search", Value: a.Got, Unit: "rows", Says: percent(a.Got/a.Want) + " of the LIMIT"},
		{What: "rows kept and removed by the filter", Value: a.Seen, Unit: "rows", Limit: "= hnsw.ef_search", Says: "the index stopped there"},
		a.settingFigure(),
	}
	f.WhyConfidence = "equation: rows kept and removed are hnsw.ef_search; control: the planner expects " + num(n.PlanRows) + " matching rows; missing: the same statement with a larger value"
	if !a.EfSearch.Known || a.EfSearch.Varies {
		f.WhyConfidence += "; " + a.EfSearch.told()
	}
	f.RuledOut = append(f.RuledOut, a.fewMatches())
	f.Actions = a.recallActions(removed)
	f.WillNotHelp = []string{"REINDEX, or a larger m or ef_construction: the index is not asked for more", "VACUUM or ANALYZE"}
	f.Verify = []string{"EXPLAIN (ANALYZE) again: the Limit returns " + num(a.Want) + " rows. Compare with an exact search: BEGIN; SET LOCAL enable_indexscan = off; and the statement."}
}

// fewMatches is the innocent rival: there may be no more matching rows.
func (a *annScan) fewMatches() finding.RuledOut {
	return finding.RuledOut{Rival: "no more rows match", Verdict: finding.NotRuledOut,
		Figure: fmt.Sprintf("the planner expects %s; only the exact search tells", counted(a.c.node(a.at).PlanRows))}
}

// recallActions computes the hnsw.ef_search that would fill the LIMIT if matches
// lie as dense farther away as they do here, or as the planner expects.
func (a *annScan) recallActions(removed float64) []finding.Action {
	actions := []finding.Action{{SQL: true, Do: "SET LOCAL hnsw.iterative_scan = strict_order;",
		Cost: "pgvector 0.8 and later; in the statement's transaction; a search takes as many steps as the LIMIT needs, up to hnsw.max_scan_tuples (20,000 by default): see PGA603"}}
	share := 1.0
	if removed > 0 {
		share = max(a.Kept, 0.5) / a.Seen
	}
	if need := roundUp(a.Want / share); need <= efSearchMax {
		actions = append(actions, finding.Action{SQL: true, Do: fmt.Sprintf("SET LOCAL hnsw.ef_search = %s;", num0(need)),
			Cost: fmt.Sprintf("a search costs about %s what it does now; no promise that the LIMIT is filled", times(need/a.EfSearch.Value))})
	}
	if removed > 0 {
		actions = append(actions, finding.Action{Do: "If the filter has few values, a partial HNSW index for each (WHERE on its column), or a table partitioned by it: then no element is removed.",
			Cost: "one more graph to build and to write"})
	}
	return actions
}
