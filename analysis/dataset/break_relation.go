package dataset

import (
	"cmp"
	"slices"
	"sort"

	"github.com/pgassay/pgassay/parser/record"
)

// relationBreaks finds what happened to each table and index from one capture
// to the next, and marks the points at which counters do not go on.
func (b *builder) relationBreaks() {
	b.unexplained()
	sortBreaks(b.m.Breaks)
	var found []Break
	for _, r := range b.m.Relations {
		timedPairs(r.Points, (*TablePoint).at, func(x, y *TablePoint) {
			if br, ok := r.breakBetween(x, y); ok {
				found = append(found, br)
			}
			y.Broken = y.recreated(x) || b.ends(r, x.Time, y.Time)
		})
		for _, x := range r.Indexes {
			timedPairs(x.Points, (*IndexPoint).at, func(p, q *IndexPoint) {
				if br, ok := x.breakBetween(p, q); ok {
					found = append(found, br)
				}
				q.Broken = wentBack(p.Scans, q.Scans) || wentBack(p.TupRead, q.TupRead) || b.ends(r, p.Time, q.Time)
			})
		}
	}
	b.m.Alternating = alternating(b.m.Relations)
	b.m.Breaks = append(b.m.Breaks, found...)
	sortBreaks(b.m.Breaks)
}

func (p *TablePoint) at() record.Time { return p.Time }
func (p *IndexPoint) at() record.Time { return p.Time }

// ends reports whether a known break ends the relation's counters between two
// captures.
func (b *builder) ends(r *Relation, from, to record.Time) bool {
	first := sort.Search(len(b.m.Breaks), func(i int) bool { return b.m.Breaks[i].By >= from })
	for i := first; i < len(b.m.Breaks); i++ {
		br := &b.m.Breaks[i]
		if br.Kind.EndsCounters() && br.of(r) && br.within(from, to) && (br.Kind != BreakTableReset || br.Relation != "") {
			return true
		}
	}
	return false
}

// counters of a table that never go back of themselves; idx_scan and
// idx_tup_fetch do, when an index is dropped.
func (p *TablePoint) counters() [11]record.Count {
	return [...]record.Count{p.Ins, p.Upd, p.Del, p.HotUpd, p.NewpageUpd, p.SeqScan, p.SeqTupRead,
		p.VacuumCount, p.AutovacuumCount, p.AnalyzeCount, p.AutoanalyzeCount}
}

// wentBack reports whether a counter of the table is smaller than at x.
func (p *TablePoint) wentBack(x *TablePoint) bool {
	after := p.counters()
	for i, before := range x.counters() {
		if wentBack(before, after[i]) {
			return true
		}
	}
	return false
}

// wentOn reports whether the counters of the table, some of them above 0, are
// not smaller than at x: they were not reset.
func (p *TablePoint) wentOn(x *TablePoint) bool {
	after := p.counters()
	kept := false
	for i, before := range x.counters() {
		if wentBack(before, after[i]) {
			return false
		}
		kept = kept || keptOn(before, after[i])
	}
	return kept
}

func (p *TablePoint) recreated(x *TablePoint) bool { return differs(x.OID, p.OID) }

// loss is a table whose counters went back though nothing known explains it.
type loss struct {
	relation *Relation
	from, to *TablePoint
}

// unexplained names the tables whose counters went back: if others of the
// database went on, their statistics were reset by themselves, else all were.
func (b *builder) unexplained() {
	var losses []loss
	for _, r := range b.m.Relations {
		timedPairs(r.Points, (*TablePoint).at, func(x, y *TablePoint) {
			if !y.recreated(x) && y.wentBack(x) {
				losses = append(losses, loss{r, x, y})
			}
		})
	}
	slices.SortStableFunc(losses, func(x, y loss) int {
		return cmp.Or(cmp.Compare(x.to.Time, y.to.Time), cmp.Compare(x.relation.Name, y.relation.Name))
	})
	for _, l := range losses {
		if !b.ends(l.relation, l.from.Time, l.to.Time) {
			b.m.Breaks = append(b.m.Breaks, b.lossBreak(l))
			sortBreaks(b.m.Breaks)
		}
	}
	b.m.Breaks = slices.DeleteFunc(b.m.Breaks, func(br Break) bool { return br.Kind == BreakTableReset && br.Relation == "" && b.namesTable(br) })
}

// namesTable reports whether the table that the reset concerns is known.
func (b *builder) namesTable(reset Break) bool {
	return slices.ContainsFunc(b.m.Breaks, func(br Break) bool {
		return br.Kind == BreakTableReset && br.Relation != "" && br.Database == reset.Database && br.By == reset.By
	})
}

func (b *builder) lossBreak(l loss) Break {
	br := Break{Kind: BreakLost, After: l.from.Time, By: l.to.Time, Pos: l.to.Pos, Database: l.relation.Database,
		Known: "counters of the tables went back"}
	for i := range b.m.Breaks {
		if s := &b.m.Breaks[i]; s.Kind == BreakTableReset && s.Relation == "" && s.of(l.relation) && s.within(br.After, br.By) {
			br.Kind, br.Relation, br.After, br.By = BreakTableReset, l.relation.Name, s.After, s.By
			br.Known = "counters of this table went back, and " + s.Known
			return br
		}
	}
	for _, r := range b.m.Relations {
		if r.Database == l.relation.Database && r != l.relation && r.wentOnAt(l.to.Time) {
			br.Kind, br.Relation, br.Known = BreakTableReset, l.relation.Name, "counters of this table went back, those of others did not"
			return br
		}
	}
	return br
}

// wentOnAt reports whether the counters that the relation's captures around t
// show were not reset.
func (r *Relation) wentOnAt(t record.Time) bool {
	i := sort.Search(len(r.Points), func(i int) bool { return !r.Points[i].Time.Known() || r.Points[i].Time >= t.Add(-SameCapture) })
	return i > 0 && i < len(r.Points) && r.Points[i].Time.Known() && r.Points[i].wentOn(&r.Points[i-1])
}

// SameCapture is how far the rows of one capture may stand apart.
const SameCapture = record.Second / 2

// breakBetween tells what happened to the table's file or marks between two captures.
func (r *Relation) breakBetween(x, y *TablePoint) (Break, bool) {
	br := Break{After: x.Time, By: y.Time, Pos: y.Pos, Database: r.Database, Relation: r.Name}
	switch {
	case y.recreated(x):
		br.Kind, br.Known = BreakRecreated, "the OID is another one"
	case differs(x.Relfilenode, y.Relfilenode):
		br.Kind, br.Known = BreakRewrite, "relfilenode is another one: VACUUM FULL, CLUSTER, a rewriting ALTER TABLE, or TRUNCATE and a new load; n_dead_tup is not set back"
		if y.empty() {
			br.Kind, br.Known = BreakTruncate, "relfilenode is another one and the table is empty"
		}
	case !x.Relfilenode.Known && y.shrankUnmarked(x):
		br.Kind, br.Known = BreakRewrite, "the file is smaller and relallvisible 0, without a mark of a vacuum"
	case y.analyzedOnly(x):
		br.Kind, br.Known = BreakVisible, "relallvisible moved with last_analyze or last_autoanalyze, no vacuum between"
	default:
		return br, false
	}
	return br, true
}

// empty reports whether the catalog says that the new file has not been filled
// beyond what came since: TRUNCATE sets relpages to 0 and reltuples to -1 (0 up
// to 13), VACUUM FULL to what it wrote.
func (p *TablePoint) empty() bool {
	return p.RelationSize.Known && p.RelationSize.N == 0 || p.Relpages.Known && p.Relpages.N == 0
}

// vacuumed reports whether a mark of a vacuum moved between x and p; known is
// whether the marks are told.
func (p *TablePoint) vacuumed(x *TablePoint) (vacuumed, known bool) {
	counts := p.VacuumCount.Known && x.VacuumCount.Known && p.AutovacuumCount.Known && x.AutovacuumCount.Known
	return p.LastVacuum != x.LastVacuum || p.LastAutovacuum != x.LastAutovacuum ||
		counts && (p.VacuumCount != x.VacuumCount || p.AutovacuumCount != x.AutovacuumCount), counts
}

func (p *TablePoint) shrankUnmarked(x *TablePoint) bool {
	vacuumed, known := p.vacuumed(x)
	return known && !vacuumed && wentBack(x.RelationSize, p.RelationSize) && p.RelationSize.N > 0 &&
		x.Relallvisible.Known && x.Relallvisible.N > 0 && p.Relallvisible.Known && p.Relallvisible.N == 0
}

func (p *TablePoint) analyzedOnly(x *TablePoint) bool {
	vacuumed, known := p.vacuumed(x)
	analyzed := p.LastAnalyze != x.LastAnalyze || p.LastAutoanalyze != x.LastAutoanalyze
	return known && !vacuumed && analyzed && differs(x.Relallvisible, p.Relallvisible)
}

// breakBetween tells whether the index was built anew between two captures. What the
// rewrite of its table did to it is the table's break.
func (x *Index) breakBetween(p, q *IndexPoint) (Break, bool) {
	br := Break{After: p.Time, By: q.Time, Pos: q.Pos, Database: x.Relation.Database, Relation: x.Relation.Name, Index: x.Name}
	switch {
	case differs(p.OID, q.OID) && (wentBack(p.Scans, q.Scans) || wentBack(p.TupRead, q.TupRead)):
		br.Kind, br.Known = BreakRecreated, "the OID is another one and idx_scan went back"
	case differs(p.OID, q.OID):
		br.Kind, br.Known = BreakReindexConcurrently, "the OID is another one, idx_scan goes on"
	case differs(p.Relfilenode, q.Relfilenode) && !x.Relation.rewrittenIn(p.Time, q.Time):
		br.Kind, br.Known = BreakReindex, "relfilenode is another one, that of the table is not"
	default:
		return br, false
	}
	return br, true
}

// rewrittenIn reports whether the table's own file changed between two captures
// of an index.
func (r *Relation) rewrittenIn(from, to record.Time) bool {
	i := sort.Search(len(r.Points), func(i int) bool { return !r.Points[i].Time.Known() || r.Points[i].Time > from.Add(SameCapture) })
	for ; i > 0 && i < len(r.Points) && r.Points[i].Time.Known() && r.Points[i-1].Time < to.Add(-SameCapture); i++ {
		if differs(r.Points[i-1].Relfilenode, r.Points[i].Relfilenode) {
			return true
		}
	}
	return false
}
