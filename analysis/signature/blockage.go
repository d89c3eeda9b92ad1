package signature

import (
	"math"
	"sort"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// vacuumPass is one vacuum of a relation: a log line, or, weaker, two captures
// of pg_stat_user_tables between which a vacuum counter moved.
type vacuumPass struct {
	Start, End  record.Time
	Pos         record.Pos
	Left        float64 // dead rows that stayed; from captures a lower bound
	Gone        float64 // dead rows removed, by pruning or by item identifier
	Live        float64 // NaN if unknown
	Pages       record.Count
	Cutoff, Age record.Count // xids; absent from captures
	Database    string
	FromLog     bool
}

// heldLimits are 205's: what a vacuum must leave to count as held back.
type heldLimits struct {
	rows, share float64
}

// held reports whether the pass left more dead rows than the transactions of
// an ordinary moment explain.
func (l heldLimits) held(v *vacuumPass) bool {
	return v.Left >= l.rows && v.Left >= l.share*(v.Left+v.Gone)
}

// heldRelation is a run of vacuums of one relation that one cutoff held back.
type heldRelation struct {
	Relation *dataset.Relation
	Passes   []vacuumPass // by end
	Last     *vacuumPass  // the pass before the run; nil if the input begins inside
	Next     *vacuumPass  // the pass that ended the run; nil while it lasts
	All      []vacuumPass // every pass of the relation
}

func (h *heldRelation) latest() *vacuumPass { return &h.Passes[len(h.Passes)-1] }

func (h *heldRelation) worst() *vacuumPass {
	w := &h.Passes[0]
	for i := range h.Passes {
		if h.Passes[i].Left > w.Left {
			w = &h.Passes[i]
		}
	}
	return w
}

// blockage is the vacuums of several relations that one horizon held back.
type blockage struct {
	Relations []*heldRelation // most rows left first
	Holder    *horizonHolder  // nil if no sampled backend fits
}

// passesOf are the relation's vacuums by time: the log's, or, where the log has
// none, those that two captures prove.
func passesOf(r *dataset.Relation) []vacuumPass {
	var out []vacuumPass
	for _, v := range r.Vacuums {
		if !v.FromLog || !v.TuplesNotRemovable.Known || !v.End.Known() {
			continue
		}
		p := vacuumPass{Start: v.Start, End: v.End, Pos: v.Pos, Left: float64(v.TuplesNotRemovable.N), Live: math.NaN(),
			Gone: float64(max(v.TuplesRemoved.N, v.DeadItems.N)), Pages: v.PagesRemain,
			Cutoff: v.RemovableCutoff, Age: v.CutoffAge, Database: v.Database, FromLog: true}
		if v.TuplesRemain.Known {
			p.Live = float64(v.TuplesRemain.N) - p.Left
		}
		out = append(out, p)
	}
	if len(out) > 0 {
		return out
	}
	for i := 1; i < len(r.Points); i++ {
		if p, ok := passBetween(&r.Points[i-1], &r.Points[i]); ok {
			out = append(out, p)
		}
	}
	return out
}

// passBetween makes a pass of two captures. n_dead_tup counts rows that died
// after the vacuum too: what stayed is at least n_dead_tup less all that was
// written in between (inserts die when they are rolled back).
func passBetween(a, b *dataset.TablePoint) (vacuumPass, bool) {
	if !a.Time.Known() || !b.Time.Known() || !a.DeadTup.Known || !b.DeadTup.Known || b.Broken || !vacuumCounted(a, b) {
		return vacuumPass{}, false
	}
	written, ok := int64(0), true
	for _, c := range [][2]record.Count{{a.Ins, b.Ins}, {a.Upd, b.Upd}, {a.Del, b.Del}} {
		ok = ok && c[0].Known && c[1].Known && c[1].N >= c[0].N
		written += c[1].N - c[0].N
	}
	if !ok {
		return vacuumPass{}, false
	}
	p := vacuumPass{Start: a.Time, End: b.Time, Pos: b.Pos, Live: math.NaN(), Left: float64(max(0, b.DeadTup.N-written))}
	p.Gone = math.Max(0, float64(a.DeadTup.N)-p.Left)
	if b.LiveTup.Known {
		p.Live = float64(b.LiveTup.N)
	}
	return p, true
}

func vacuumCounted(a, b *dataset.TablePoint) bool {
	moved := func(x, y record.Count) bool { return x.Known && y.Known && y.N > x.N }
	return moved(a.AutovacuumCount, b.AutovacuumCount) || moved(a.VacuumCount, b.VacuumCount)
}

// xidAfter is how many transactions x is younger than y; xids wrap around at
// 2^32 and compare modulo that.
func xidAfter(x, y int64) int64 { return int64(int32(uint32(x) - uint32(y))) }

func sameCutoff(a, b *vacuumPass) bool {
	return a.Cutoff.Known && b.Cutoff.Known && a.Cutoff.N == b.Cutoff.N
}

// sameHorizon reports whether what held back b was there before a began: the
// cutoff did not move, or b's is older than the transactions of a's start.
// Without cutoffs the rows that stayed must not have become fewer than half.
func sameHorizon(a, b *vacuumPass) bool {
	if !a.Cutoff.Known || !b.Cutoff.Known {
		return b.Left >= a.Left/2
	}
	if sameCutoff(a, b) {
		return true
	}
	if !a.Age.Known || !b.Age.Known || b.End <= a.End {
		return false
	}
	nextA, nextB := a.Cutoff.N+a.Age.N, b.Cutoff.N+b.Age.N
	perMicrosecond := float64(xidAfter(nextB, nextA)) / float64(b.End-a.End)
	atStart := nextA - int64(math.Ceil(perMicrosecond*float64(a.End-a.Start)))
	return xidAfter(b.Cutoff.N, atStart) < 0
}

// heldRuns cuts the relation's passes into runs of one horizon, each with at
// least one pass held back. Passes with the very cutoff of a held one belong to
// its run, however little they left.
func heldRuns(r *dataset.Relation, l heldLimits) []*heldRelation {
	all := passesOf(r)
	var out []*heldRelation
	for i := 0; i < len(all); {
		if !l.held(&all[i]) {
			i++
			continue
		}
		from, to := i, i+1
		for from > 0 && sameCutoff(&all[from-1], &all[i]) {
			from--
		}
		for to < len(all) && (sameCutoff(&all[to-1], &all[to]) || l.held(&all[to]) && sameHorizon(&all[to-1], &all[to])) {
			to++
		}
		h := &heldRelation{Relation: r, Passes: all[from:to], All: all}
		if from > 0 {
			h.Last = &all[from-1]
		}
		if to < len(all) {
			h.Next = &all[to]
		}
		out = append(out, h)
		i = to
	}
	return out
}

type cutoffKey struct {
	database string
	cutoff   int64
}

// blockages groups the held runs that share a cutoff. Kept are groups in which
// some relation was vacuumed twice in vain, or whose vacuums of several
// relations stand at least one naptime apart.
func blockages(m *dataset.Model, l heldLimits) []*blockage {
	naptime := 60 * record.Second
	if n, ok := m.SettingInt("autovacuum_naptime"); ok && n > 0 {
		naptime = record.Duration(n) * record.Second
	}
	owner := map[cutoffKey]*blockage{}
	var groups []*blockage
	for _, r := range m.Relations {
		for _, run := range heldRuns(r, l) {
			groups = addRun(groups, owner, run)
		}
	}
	var out []*blockage
	for _, b := range groups {
		if len(b.Relations) > 0 && b.lasting(naptime) {
			sortByLeft(b.Relations)
			out = append(out, b)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].worst().Left > out[j].worst().Left })
	for _, b := range out[:min(len(out), maxBlockages)] {
		b.Holder = holderOf(m, b.passes(), b.all())
	}
	return out[:min(len(out), maxBlockages)]
}

// maxBlockages is how many blockages are looked into, the worst first: each
// search for a holder reads all activity samples.
const maxBlockages = 50

func sortByLeft(hs []*heldRelation) {
	sort.SliceStable(hs, func(i, j int) bool { return hs[i].worst().Left > hs[j].worst().Left })
}

func (b *blockage) worst() *vacuumPass { return b.Relations[0].worst() }

// addRun puts the run into the group that owns one of its cutoffs; groups that
// it links become one.
func addRun(groups []*blockage, owner map[cutoffKey]*blockage, run *heldRelation) []*blockage {
	var into *blockage
	for i := range run.Passes {
		p := &run.Passes[i]
		if b := owner[cutoffKey{p.Database, p.Cutoff.N}]; p.Cutoff.Known && b != nil && b != into {
			if into == nil {
				into = b
				continue
			}
			for _, h := range b.Relations {
				own(owner, h, into)
			}
			into.Relations = append(into.Relations, b.Relations...)
			b.Relations = nil
		}
	}
	if into == nil {
		into = &blockage{}
		groups = append(groups, into)
	}
	own(owner, run, into)
	into.Relations = append(into.Relations, run)
	return groups
}

func own(owner map[cutoffKey]*blockage, h *heldRelation, b *blockage) {
	for i := range h.Passes {
		if p := &h.Passes[i]; p.Cutoff.Known {
			owner[cutoffKey{p.Database, p.Cutoff.N}] = b
		}
	}
}

func (b *blockage) lasting(naptime record.Duration) bool {
	for _, h := range b.Relations {
		if len(h.Passes) > 1 {
			return true
		}
	}
	all := b.passes()
	return len(all) > 1 && all[len(all)-1].Start.Sub(all[0].End) >= naptime
}

// passes are the held passes of all relations, by start.
func (b *blockage) passes() []vacuumPass {
	var out []vacuumPass
	for _, h := range b.Relations {
		out = append(out, h.Passes...)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Start < out[j].Start })
	return out
}

// all are the passes of all relations, held back or not.
func (b *blockage) all() []vacuumPass {
	var out []vacuumPass
	for _, h := range b.Relations {
		out = append(out, h.All...)
	}
	return out
}

// heldNow reports whether the relation's latest vacuum was held back: then its
// indexes hold entries of rows that could not be removed, which is no bloat.
func heldNow(p *Pass, r *dataset.Relation) bool {
	l := heldLimitsOf(p.limits(vacuumBlocked))
	all := passesOf(r)
	return len(all) > 0 && l.held(&all[len(all)-1])
}

// heldLimitsOf reads the thresholds of PGA205.
func heldLimitsOf(v map[string]float64) heldLimits {
	return heldLimits{rows: v["min_rows"], share: v["min_share"]}
}
