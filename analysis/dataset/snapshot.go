package dataset

import (
	"math"

	"github.com/pgassay/pgassay/parser/record"
)

func count(s *record.Sample, name string) record.Count {
	n, ok := s.Int(name)
	return record.Count{N: n, Known: ok}
}

func countBool(s *record.Sample, name string) record.Count {
	v, ok := s.Bool(name)
	if !ok {
		return record.Count{}
	}
	if v {
		return record.Some(1)
	}
	return record.Some(0)
}

func timeOf(s *record.Sample, name string) record.Time {
	if t, ok := s.Time(name); ok {
		return t
	}
	return record.NoTime
}

func text(s *record.Sample, name string) string {
	t, _ := s.Text(name)
	return t
}

// snapshots turns rows of the table and index views into points.
func (b *builder) snapshots() {
	for view, rows := range b.d.samples {
		times := map[record.Time]bool{}
		for i := range rows {
			if !rows[i].CapturedAt.Known() {
				b.m.Untimed[view]++
				continue
			}
			times[rows[i].CapturedAt/record.Time(record.Second)] = true
		}
		b.m.SnapshotTimes[view] = len(times)
	}
	b.tablePoints(b.d.samples[record.ViewTables])
	b.indexPoints(b.d.samples[record.ViewIndexes])
}

// tablePoints and indexPoints count before they fill, since points are large and
// a slice that grows would hold a quarter more.
func (b *builder) tablePoints(rows []record.Sample) {
	standby := b.recoveries()
	of, many := make([]*Relation, len(rows)), map[*Relation]int{}
	for i := range rows {
		s := &rows[i]
		if name := text(s, "relname"); name != "" {
			of[i] = b.relation(text(s, "datname"), text(s, "schemaname"), name)
			many[of[i]]++
		}
	}
	for r, n := range many {
		r.Points = make([]TablePoint, 0, n)
	}
	for i, r := range of {
		if r == nil {
			continue
		}
		p := tablePoint(&rows[i])
		if standby.at(&rows[i]) {
			p.onStandby()
		}
		r.Points = append(r.Points, p)
	}
}

func (b *builder) indexPoints(rows []record.Sample) {
	of, many := make([]*Index, len(rows)), map[*Index]int{}
	for i := range rows {
		s := &rows[i]
		if name := text(s, "indexrelname"); name != "" {
			of[i] = b.relation(text(s, "datname"), text(s, "schemaname"), text(s, "relname")).indexNamed(name)
			many[of[i]]++
		}
	}
	for x, n := range many {
		x.Points = make([]IndexPoint, 0, n)
	}
	for i, x := range of {
		if x == nil {
			continue
		}
		s := &rows[i]
		x.Points = append(x.Points, indexPoint(s))
		if am := text(s, "amname"); am != "" {
			x.AccessMethod = am
		}
		if def := text(s, "indexdef"); def != "" {
			x.Definition = def
		}
	}
}

// indexNamed is the relation's index of that name, made if it is new.
func (r *Relation) indexNamed(name string) *Index {
	if x := r.Index(name); x != nil {
		return x
	}
	x := &Index{Name: r.prefix() + name, Schema: r.Schema, Index: name, Relation: r}
	r.Indexes = append(r.Indexes, x)
	return x
}

func tablePoint(s *record.Sample) TablePoint {
	return TablePoint{
		Time: s.CapturedAt, Pos: s.Pos,
		LiveTup: count(s, "n_live_tup"), DeadTup: count(s, "n_dead_tup"),
		InsSinceVacuum: count(s, "n_ins_since_vacuum"), ModSinceAnalyze: count(s, "n_mod_since_analyze"),
		Ins: count(s, "n_tup_ins"), Upd: count(s, "n_tup_upd"), Del: count(s, "n_tup_del"), HotUpd: count(s, "n_tup_hot_upd"),
		SeqScan: count(s, "seq_scan"), IdxScan: count(s, "idx_scan"),
		Relpages: count(s, "relpages"), Reltuples: count(s, "reltuples"), Relallvisible: count(s, "relallvisible"),
		RelationSize: count(s, "relation_size"), Relfilenode: count(s, "relfilenode"),
		VacuumCount: count(s, "vacuum_count"), AutovacuumCount: count(s, "autovacuum_count"),
		LastVacuum: timeOf(s, "last_vacuum"), LastAutovacuum: timeOf(s, "last_autovacuum"),
		LastAnalyze: timeOf(s, "last_analyze"), LastAutoanalyze: timeOf(s, "last_autoanalyze"),
		Reloptions: text(s, "reloptions"), OID: count(s, "relid"), Relallfrozen: count(s, "relallfrozen"),
		NewpageUpd: count(s, "n_tup_newpage_upd"), SeqTupRead: count(s, "seq_tup_read"), IdxTupFetch: count(s, "idx_tup_fetch"),
		AnalyzeCount: count(s, "analyze_count"), AutoanalyzeCount: count(s, "autoanalyze_count"),
		LastSeqScan: timeOf(s, "last_seq_scan"), LastIdxScan: timeOf(s, "last_idx_scan"),
		FrozenXidAge: count(s, "frozenxid_age"), MxidAge: count(s, "mxid_age"),
		TotalSize: count(s, "total_relation_size"), IndexesSize: count(s, "indexes_size"), ToastSize: count(s, "toast_size"),
	}
}

// onStandby takes out what a standby does not maintain: the counters of writes,
// rows and vacuums stay at 0 there.
func (p *TablePoint) onStandby() {
	p.Standby = true
	for _, c := range []*record.Count{&p.LiveTup, &p.DeadTup, &p.InsSinceVacuum, &p.ModSinceAnalyze, &p.Ins, &p.Upd, &p.Del, &p.HotUpd,
		&p.NewpageUpd, &p.VacuumCount, &p.AutovacuumCount, &p.AnalyzeCount, &p.AutoanalyzeCount} {
		*c = record.Count{}
	}
	for _, t := range []*record.Time{&p.LastVacuum, &p.LastAutovacuum, &p.LastAnalyze, &p.LastAutoanalyze} {
		*t = record.NoTime
	}
}

func indexPoint(s *record.Sample) IndexPoint {
	return IndexPoint{
		Time: s.CapturedAt, Pos: s.Pos,
		OID: count(s, "indexrelid"), Relfilenode: count(s, "relfilenode"),
		Scans: count(s, "idx_scan"), Relpages: count(s, "relpages"), Reltuples: count(s, "reltuples"),
		Size: count(s, "index_size"), Valid: countBool(s, "indisvalid"), Ready: countBool(s, "indisready"),
		Unique: countBool(s, "indisunique"), Primary: countBool(s, "indisprimary"), Exclusion: countBool(s, "indisexclusion"),
		ReplicaIdentity: countBool(s, "indisreplident"), Constraint: text(s, "conname"),
		TupRead: count(s, "idx_tup_read"), TupFetch: count(s, "idx_tup_fetch"), LastScan: timeOf(s, "last_idx_scan"),
	}
}

// Pages is the size in pages if the row tells it exactly.
func (p *IndexPoint) Pages(blockSize int64) (float64, bool) {
	if !p.Size.Known {
		return 0, false
	}
	return float64(p.Size.N) / float64(blockSize), true
}

// relationsDone sorts the points and derives sizes, rebuilds and vacuums.
func (b *builder) relationsDone() {
	m := b.m
	for _, r := range b.relations {
		m.Relations = append(m.Relations, r)
	}
	sortBy(m.Relations, func(x, y **Relation) bool { return (*x).Name < (*y).Name })
	for _, r := range m.Relations {
		sortBy(r.Points, func(x, y *TablePoint) bool { return pointLess(x.Time, y.Time, x.Pos, y.Pos) })
		sortBy(r.Indexes, func(x, y **Index) bool { return (*x).Name < (*y).Name })
		for _, x := range r.Indexes {
			sortBy(x.Points, func(p, q *IndexPoint) bool { return pointLess(p.Time, q.Time, p.Pos, q.Pos) })
		}
	}
	m.LeastMajor = leastMajor(m.Relations)
	b.relationBreaks()
	for _, r := range m.Relations {
		b.snapshotVacuums(r)
		for _, x := range r.Indexes {
			x.incarnations(m.BlockSize)
		}
	}
	sortVacuums(m.Vacuums)
}

// leastMajor is Model.LeastMajor.
func leastMajor(relations []*Relation) int {
	implied := 0
	for _, r := range relations {
		for i := range r.Points {
			switch p := &r.Points[i]; {
			case p.Relallfrozen.Known:
				return 18
			case p.InsSinceVacuum.Known:
				implied = 13
			}
		}
	}
	return implied
}

// pointLess sorts by time, rows without one last.
func pointLess(a, b record.Time, p, q record.Pos) bool {
	if a != b {
		return a.Known() && (!b.Known() || a < b)
	}
	return posLess(p, q)
}

// incarnations finds rebuilds and keeps the sizes since the last one.
func (x *Index) incarnations(blockSize int64) {
	since := record.NoTime
	var prev *IndexPoint
	for i := range x.Points {
		p := &x.Points[i]
		if !p.Time.Known() {
			break
		}
		if prev != nil && (differs(prev.Relfilenode, p.Relfilenode) || differs(prev.OID, p.OID) || shrank(prev, p)) {
			before, after := math.NaN(), math.NaN()
			if n, ok := prev.Pages(blockSize); ok {
				before = n
			}
			if n, ok := p.Pages(blockSize); ok {
				after = n
			}
			x.Rebuilt = append(x.Rebuilt, Rebuild{After: prev.Time, By: p.Time, Pos: p.Pos, PagesBefore: before, PagesAfter: after})
			since = p.Time
		}
		prev = p
	}
	x.History = x.sizesSince(record.NoTime, blockSize)
	x.Sizes = x.History
	if since.Known() {
		x.Sizes = x.sizesSince(since, blockSize)
	}
}

// shrank reports a break that relfilenode does not tell: vacuum gives no page
// of an index back, so that a smaller file is another one.
func shrank(a, b *IndexPoint) bool { return a.Size.Known && b.Size.Known && b.Size.N < a.Size.N }

func differs(a, b record.Count) bool { return a.Known && b.Known && a.N != b.N }

// sizesSince collects exact sizes from snapshots and vacuum lines. relpages is
// used only where no size is known, and then only when a vacuum or analyze has
// changed it.
func (x *Index) sizesSince(since record.Time, blockSize int64) []Reading {
	var s []Reading
	relpages := record.Count{}
	for i := range x.Points {
		p := &x.Points[i]
		if !p.Time.Known() || since.Known() && p.Time < since {
			continue
		}
		if n, ok := p.Pages(blockSize); ok {
			s = append(s, Reading{Time: p.Time, Pages: n, Pos: p.Pos})
		} else if p.Relpages.Known && (!relpages.Known || p.Relpages.N != relpages.N) {
			if relpages.Known {
				s = append(s, Reading{Time: p.Time, Pages: float64(p.Relpages.N), Pos: p.Pos})
			}
			relpages = p.Relpages
		}
	}
	for _, v := range x.Relation.Vacuums {
		if !v.FromLog || since.Known() && v.End < since {
			continue
		}
		for _, vi := range v.Indexes {
			if vi.Name == x.Index {
				pos := v.Pos
				if vi.Line > 0 {
					pos.Line = vi.Line
				}
				s = append(s, Reading{Time: v.End, Pages: float64(vi.Pages), Pos: pos, FromVacuum: true})
			}
		}
	}
	sortReadings(s)
	return s
}
