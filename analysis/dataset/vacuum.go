package dataset

import (
	"slices"

	"github.com/pgassay/pgassay/parser/record"
)

// sameVacuum is how far last_autovacuum and the log line of one vacuum may
// stand apart; the log may have a resolution of one second.
const sameVacuum = 2 * record.Second

// vacuumLines takes the vacuums and analyzes of the log. An index named by
// such a line exists, even if no snapshot shows it.
func (b *builder) vacuumLines() {
	lines := onceVacuums(slices.Clone(b.d.vacuums), b.spans)
	for i := range lines {
		v := lines[i]
		r := b.relation(v.Database, v.Schema, v.Relation)
		w := &Vacuum{Vacuum: v, Start: v.LogTime, End: v.LogTime, FromLog: true, Auto: true, Target: r}
		if v.HasElapsed && v.LogTime.Known() {
			w.Start = v.LogTime.Add(-v.Elapsed)
		}
		if v.Kind == record.KindAnalyze {
			r.Analyzes = append(r.Analyzes, w)
		} else {
			r.Vacuums = append(r.Vacuums, w)
			for _, x := range v.Indexes {
				r.indexNamed(x.Name)
			}
		}
		b.m.Vacuums = append(b.m.Vacuums, w)
	}
	for _, r := range b.relations {
		sortVacuums(r.Vacuums)
		sortVacuums(r.Analyzes)
	}
}

// snapshotVacuums adds the vacuums that only last_vacuum and its kin show. One
// that lies before the first capture happened before we looked and is left
// out.
func (b *builder) snapshotVacuums(r *Relation) {
	for i := 1; i < len(r.Points); i++ {
		prev, p := &r.Points[i-1], &r.Points[i]
		if !p.Time.Known() {
			break
		}
		dead := deadBetween(prev, p)
		b.snapshotVacuum(r, record.KindVacuum, true, prev.LastAutovacuum, p.LastAutovacuum, p.Pos, dead)
		b.snapshotVacuum(r, record.KindVacuum, false, prev.LastVacuum, p.LastVacuum, p.Pos, dead)
		b.snapshotVacuum(r, record.KindAnalyze, true, prev.LastAutoanalyze, p.LastAutoanalyze, p.Pos, dead)
		b.snapshotVacuum(r, record.KindAnalyze, false, prev.LastAnalyze, p.LastAnalyze, p.Pos, dead)
	}
	sortVacuums(r.Vacuums)
	sortVacuums(r.Analyzes)
}

// deadBetween is the dead rows of a and those that died from a to b; unknown
// where the counters do not go on.
func deadBetween(a, b *TablePoint) record.Count {
	if b.Broken {
		return record.Count{}
	}
	for _, c := range []record.Count{a.DeadTup, a.Del, a.Upd, b.Del, b.Upd} {
		if !c.Known {
			return record.Count{}
		}
	}
	return record.Some(a.DeadTup.N + max(0, b.Del.N-a.Del.N) + max(0, b.Upd.N-a.Upd.N))
}

func (b *builder) snapshotVacuum(r *Relation, kind record.VacuumKind, auto bool, before, after record.Time, pos record.Pos, dead record.Count) {
	if !after.Known() || before.Known() && after <= before {
		return
	}
	if first := r.Points[0].Time; !first.Known() || after < first {
		return
	}
	list := &r.Vacuums
	if kind == record.KindAnalyze {
		list = &r.Analyzes
	}
	for _, v := range *list {
		if d := v.End.Sub(after); v.End.Known() && -sameVacuum <= d && d <= sameVacuum {
			return
		}
	}
	w := &Vacuum{Start: after, End: after, Auto: auto, Target: r, DeadBefore: dead}
	w.Kind, w.Schema, w.Relation, w.Pos, w.LogTime = kind, r.Schema, r.Relation, pos, after
	*list = append(*list, w)
	b.m.Vacuums = append(b.m.Vacuums, w)
}

func sortVacuums(v []*Vacuum) {
	sortBy(v, func(x, y **Vacuum) bool {
		a, b := *x, *y
		if a.End != b.End {
			return a.End < b.End
		}
		if a.Target.Name != b.Target.Name {
			return a.Target.Name < b.Target.Name
		}
		return posLess(a.Pos, b.Pos)
	})
}
