package signature

import (
	"fmt"
	"math"

	"github.com/pgassay/pgassay/analysis/autovacuum"
	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// pagesPerItem is the cost of a dead item that is advised: pages of table and
// indexes read for each.
const pagesPerItem = 2

// littleGain finds vacuums that read far more pages than they remove dead items.
// Those held back (205), for the age of the table, or for inserted rows are not
// judged: they were not after dead rows.
func (p *Pass) littleGain(r *dataset.Relation, all []*dataset.Vacuum) *trouble {
	var vs []*dataset.Vacuum
	var per, pages []float64
	forDead := afterDeadRows(p.Model, r)
	for _, v := range all {
		w, ok := workOf(v)
		if !ok || v.IndexScans == 0 || !forDead(v) || float64(v.TuplesNotRemovable.N) > removedItems(v) {
			continue
		}
		vs = append(vs, v)
		pages = append(pages, w.explained())
		per = append(per, w.explained()/math.Max(1, removedItems(v)))
	}
	if float64(len(vs)) < p.limit("min_vacuums") || stats.Median(per) < p.limit("min_pages_per_item") {
		return nil
	}
	ran, during := elapsedOf(vs), vs[len(vs)-1].End.Sub(vs[0].Start).Seconds()
	cost := stats.Median(pages)
	threshold := math.Ceil(cost / pagesPerItem)
	t := &trouble{From: vs[0].Start, To: vs[len(vs)-1].End, Pos: vs[0].Pos, Seconds: ran,
		Title:    fmt.Sprintf("read %s pages for each dead item that they remove", num(stats.Median(per))),
		Effect:   ratio(stats.Median(per), p.limit("min_pages_per_item")),
		Evidence: places(vs, "items", removedItems),
		N:        fmt.Sprintf("%d of %s of the table", len(vs), plural(len(all), "vacuum")),
		Not:      []string{"a higher cost limit: the same pages are read sooner", "VACUUM FULL"},
		Verify:   fmt.Sprintf("the next vacuum lines of %s remove at least %s dead items each", r.Name, num(threshold)),
	}
	t.Summary = fmt.Sprintf("%s from %s to %s read about %s pages of table and indexes each, and removed %s dead items (median), \"tuples removed\" or item identifiers, whichever is more. That is one about every %s.",
		plural(len(vs), "vacuum"), clock(t.From), clock(t.To), num(cost), num(medianRemoved(vs)), span(during/float64(len(vs))))
	t.Figures = []finding.Figure{
		{What: "pages read per dead item removed", Value: stats.Median(per), Unit: "pages", Limit: fmt.Sprintf(">= %g", p.limit("min_pages_per_item")), Says: "median"},
		{What: "pages of table and indexes", Value: cost, Unit: "pages", Indent: true},
		{What: "dead items removed", Value: medianRemoved(vs), Unit: "items", Indent: true},
		{What: "running time of all", Value: ran, Unit: "s", Text: fmt.Sprintf("%s of %s", span(ran), span(during))},
	}
	t.Equation, t.Event, t.Control = true, true, false
	t.Why = [3]string{"pages and dead items are those of the vacuum lines", "each line tells an index pass", "missing: no vacuum of the table with more to remove"}
	for _, v := range all {
		if w, ok := workOf(v); ok && v.IndexScans > 0 && w.explained() < p.limit("min_pages_per_item")*removedItems(v) {
			t.Control, t.Why[2] = true, "a vacuum of the table that removed more was worth its pages"
		}
	}
	t.RuledOut = []finding.RuledOut{
		{Rival: "dead rows held back (205)", Verdict: finding.RuledOutVerdict, Figure: "vacuums that left more than they removed are not counted"},
		{Rival: "freezing", Verdict: finding.RuledOutVerdict, Figure: "aggressive vacuums are not counted"},
	}
	t.Actions = []finding.Action{{SQL: true,
		Do:   fmt.Sprintf("alter table %s set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = %.0f);", r.SQL(), threshold),
		Cost: fmt.Sprintf("a vacuum reads %d pages for each dead item; dead rows stay longer, so index-only scans go to the heap more often between vacuums (201, 202): take the higher of what those allow", pagesPerItem)}}
	return t
}

// afterDeadRows tells the vacuums of a table that dead rows started. Where the
// captures do not tell, from 14 on an index pass does: it is left out while less
// than 2 % of the pages have dead items.
func afterDeadRows(m *dataset.Model, r *dataset.Relation) func(*dataset.Vacuum) bool {
	causes := map[*dataset.Vacuum]autovacuum.Cause{}
	for _, x := range autovacuum.Passes(m, r) {
		causes[x.Vacuum] = x.Cause
	}
	return func(v *dataset.Vacuum) bool {
		switch causes[v] {
		case autovacuum.ByDeadRows, autovacuum.ByBoth:
			return !v.Aggressive
		case autovacuum.ByUnknown:
			return !v.Aggressive && !v.ToPreventWraparound && v.IndexScan == record.IndexScanNeeded
		}
		return false
	}
}

func medianRemoved(vs []*dataset.Vacuum) float64 {
	items := make([]float64, len(vs))
	for i, v := range vs {
		items[i] = removedItems(v)
	}
	return stats.Median(items)
}
