package dataset

import (
	"sort"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/sqltext"
)

// Relation is a table over time.
type Relation struct {
	Database         string // "" for the database that most of the input speaks of
	Name             string // schema.relation, behind the database if it is not the main one
	Schema, Relation string
	Points           []TablePoint // by time; untimed rows last, with NoTime
	Indexes          []*Index     // by name
	Vacuums          []*Vacuum    // vacuums, by end
	Analyzes         []*Vacuum    // analyzes, by end
	Parent           *Relation    // the partitioned table that it is a partition of; nil if none or not told
	Partitions       []*Relation  // of a partitioned table, by name
}

// prefix is what stands before the names of the relation and its indexes: the
// schema, and the database if it is not the main one.
func (r *Relation) prefix() string {
	if r.Database == "" {
		return r.Schema + "."
	}
	return r.Database + "." + r.Schema + "."
}

// SQL is the table's name for SQL that runs in its own database, with what needs
// quotes in quotes.
func (r *Relation) SQL() string { return sqltext.QuoteName(r.Schema, r.Relation) }

// Index returns the index with this name, schema-qualified or not; nil if
// unknown.
func (r *Relation) Index(name string) *Index {
	for _, i := range r.Indexes {
		if i.Name == name || i.Index == name {
			return i
		}
	}
	return nil
}

// TablePoint is one row of pg_stat_user_tables, joined with pg_class or not.
type TablePoint struct {
	Time record.Time
	Pos  record.Pos
	// Broken says that the counters do not go on from the point before: see
	// Model.Breaks.
	Broken bool
	// Standby says that the server was in recovery. It maintains no counters of
	// writes, rows and vacuums there: these are unknown.
	Standby                                           bool
	LiveTup, DeadTup, InsSinceVacuum, ModSinceAnalyze record.Count
	Ins, Upd, Del, HotUpd                             record.Count
	SeqScan, IdxScan                                  record.Count
	Relpages, Reltuples, Relallvisible                record.Count
	RelationSize                                      record.Count // bytes of the main fork
	Relfilenode                                       record.Count
	VacuumCount, AutovacuumCount                      record.Count
	LastVacuum, LastAutovacuum                        record.Time
	LastAnalyze, LastAutoanalyze                      record.Time
	Reloptions                                        string
	OID, Relallfrozen                                 record.Count
	NewpageUpd, SeqTupRead, IdxTupFetch               record.Count
	AnalyzeCount, AutoanalyzeCount                    record.Count
	LastSeqScan, LastIdxScan                          record.Time
	// FrozenXidAge and MxidAge are age(relfrozenxid) and mxid_age(relminmxid).
	FrozenXidAge, MxidAge record.Count
	// TotalSize, IndexesSize and ToastSize are bytes.
	TotalSize, IndexesSize, ToastSize record.Count
}

// Reading is a size known at a time.
type Reading struct {
	Time  record.Time
	Pages float64
	Pos   record.Pos
	// FromVacuum marks a reading of a vacuum's "index …: pages" line.
	FromVacuum bool
}

// Index is an index over time.
type Index struct {
	Name          string // schema.index
	Schema, Index string
	Relation      *Relation
	AccessMethod  string // "" if not told
	Definition    string
	Points        []IndexPoint // by time; untimed rows last
	Sizes         []Reading    // by time, of the incarnation that is last in the input
	History       []Reading    // by time, of all incarnations
	Rebuilt       []Rebuild    // by time
}

// SQL is the index's name for SQL that runs in its own database.
func (x *Index) SQL() string { return sqltext.QuoteName(x.Schema, x.Index) }

// IndexPoint is one row of pg_stat_user_indexes, joined with pg_class and
// pg_index or not.
type IndexPoint struct {
	Time record.Time
	Pos  record.Pos
	// Broken says that the counters do not go on from the point before.
	Broken              bool
	OID, Relfilenode    record.Count
	Scans               record.Count
	Relpages, Reltuples record.Count
	Size                record.Count // bytes
	Valid, Ready        record.Count // 1 or 0
	Unique              record.Count
	// Primary, Exclusion and ReplicaIdentity are 1 or 0 as in pg_index;
	// Constraint names the constraint that uses the index, "" if none or unknown.
	Primary, Exclusion, ReplicaIdentity record.Count
	Constraint                          string
	TupRead, TupFetch                   record.Count
	LastScan                            record.Time
}

// Rebuild is a change of relfilenode or OID between two captures: REINDEX,
// REINDEX CONCURRENTLY, VACUUM FULL or TRUNCATE.
type Rebuild struct {
	After, By   record.Time // it happened in (After, By]
	Pos         record.Pos  // of the first row that shows it
	PagesBefore float64     // NaN if unknown
	PagesAfter  float64
}

// PagesAt interpolates the size at t between two readings; false outside them.
func (x *Index) PagesAt(t record.Time) (float64, bool) { return Interpolate(x.Sizes, t) }

// Interpolate is the value at t on the line between two readings; false outside
// them. Readings are by time.
func Interpolate(s []Reading, t record.Time) (float64, bool) {
	i := sort.Search(len(s), func(i int) bool { return s[i].Time >= t })
	switch {
	case i < len(s) && s[i].Time == t:
		return s[i].Pages, true
	case i == 0 || i == len(s):
		return 0, false
	}
	a, b := s[i-1], s[i]
	return a.Pages + (b.Pages-a.Pages)*float64(t-a.Time)/float64(b.Time-a.Time), true
}

// Since is the time from which the present incarnation of the index is known:
// the last rebuild's, else NoTime.
func (x *Index) Since() record.Time {
	if len(x.Rebuilt) == 0 {
		return record.NoTime
	}
	return x.Rebuilt[len(x.Rebuilt)-1].By
}

// HeapSizes are the sizes of the table's main fork in pages.
func (r *Relation) HeapSizes(blockSize int64) []Reading {
	var s []Reading
	for _, p := range r.Points {
		if p.Time.Known() && p.RelationSize.Known {
			s = append(s, Reading{Time: p.Time, Pages: float64(p.RelationSize.N) / float64(blockSize), Pos: p.Pos})
		}
	}
	for _, v := range r.Vacuums {
		if v.FromLog && v.PagesRemain.Known {
			s = append(s, Reading{Time: v.End, Pages: float64(v.PagesRemain.N), Pos: v.Pos, FromVacuum: true})
		}
	}
	sortReadings(s)
	return s
}

func sortReadings(s []Reading) {
	sortBy(s, func(a, b *Reading) bool {
		if a.Time != b.Time {
			return a.Time < b.Time
		}
		return !a.FromVacuum && b.FromVacuum
	})
}

// Vacuum is a vacuum or analyze of one relation, from the log, from a snapshot
// (last_vacuum and so on moved between two captures), or from both.
type Vacuum struct {
	record.Vacuum // zero figures if FromLog is false
	Start, End    record.Time
	FromLog       bool
	Auto          bool
	// DeadBefore is, for a vacuum known from snapshots, the dead rows of the
	// capture before it and those that died up to the capture after it: 0 means
	// that it had nothing to remove.
	DeadBefore record.Count
	Target     *Relation
}

// CleanedIndex reports whether the pass is known to have removed entries from
// the index, and whether the input can tell at all. A log line names the
// indexes from version 14; before, and in snapshots, it stays unknown.
func (v *Vacuum) CleanedIndex(name string) (cleaned, known bool) {
	if !v.FromLog {
		return false, v.DeadBefore.Known && v.DeadBefore.N == 0
	}
	if !v.CleanedIndexes() {
		return false, true
	}
	if len(v.Indexes) == 0 {
		return true, false
	}
	for _, x := range v.Indexes {
		if x.Name == name {
			return true, true
		}
	}
	return false, true
}
