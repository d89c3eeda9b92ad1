package record

// VacuumKind tells vacuum from analyze.
type VacuumKind uint8

// Kinds of maintenance entries.
const (
	KindVacuum VacuumKind = iota + 1
	KindAnalyze
)

// IndexScanState is what the "index scan …:" line of PostgreSQL 14 and later
// says.
type IndexScanState uint8

// States of the index phase. Before version 14 only IndexScans tells.
const (
	IndexScanUnreported IndexScanState = iota
	IndexScanNeeded
	IndexScanNotNeeded
	IndexScanBypassed
	IndexScanBypassedByFailsafe
)

// Count is an optional figure: absent is not zero.
type Count struct {
	N     int64
	Known bool
}

// Some is a reported count.
func Some(n int64) Count { return Count{n, true} }

// VacuumIndex is one "index …: pages: …" line (14 and later; printed only for
// an index that was vacuumed).
type VacuumIndex struct {
	Name                            string
	Pages                           int64 // "in total", after the pass
	NewlyDeleted, Deleted, Reusable int64
	Line                            int64 // line in the file; 0 if unknown
}

// Vacuum is an automatic vacuum or analyze entry with all its figures. The
// operation lasted [LogTime − Elapsed, LogTime].
type Vacuum struct {
	Pos                 Pos
	LogTime             Time
	Kind                VacuumKind
	ProcessID           int32
	Database, Schema    string
	Relation            string
	Aggressive          bool
	ToPreventWraparound bool
	IndexScans          int64
	IndexScan           IndexScanState
	PagesRemoved        Count
	PagesRemain         Count
	PagesScanned        Count // 15 and later
	PagesSkippedPins    Count // before 15
	PagesSkippedFrozen  Count
	PagesEagerlyScanned Count // 18
	TuplesRemoved       Count
	TuplesRemain        Count
	TuplesNotRemovable  Count // "are dead but not yet removable"
	TuplesMissed        Count
	RemovableCutoff     Count // xid, 15 and later; oldest xmin before
	CutoffAge           Count // "which was N XIDs old"
	NewRelfrozenxid     Count
	PagesFrozen         Count // 16 and later
	TuplesFrozen        Count
	PagesSetAllVisible  Count // 18
	PagesSetAllFrozen   Count
	PagesWereAllVisible Count
	DeadItemPages       Count // pages that had dead item identifiers
	DeadItems           Count // dead item identifiers (14 and later)
	Indexes             []VacuumIndex
	BufferHits          Count
	BufferMisses        Count // "misses", from 18 "reads"
	BufferDirtied       Count
	WALRecords, WALFPI  Count
	WALBytes            Count
	IOReadTime          Duration // valid if HasIOTime
	IOWriteTime         Duration
	HasIOTime           bool
	DelayTime           Duration // valid if HasDelay; 18 with track_cost_delay_timing
	HasDelay            bool
	CPUUser, CPUSystem  Duration
	Elapsed             Duration
	HasElapsed          bool
}

// CleanedIndexes reports whether the pass removed entries from indexes.
func (v *Vacuum) CleanedIndexes() bool {
	return v.Kind == KindVacuum && v.IndexScans > 0
}

// QualifiedName is "schema.relation".
func (v *Vacuum) QualifiedName() string { return v.Schema + "." + v.Relation }
