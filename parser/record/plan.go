package record

// Fields says which groups of a node's figures the input reported.
type Fields uint32

// Groups of figures. A group that is not set is absent, not zero.
const (
	HasCosts Fields = 1 << iota
	HasActual
	HasTiming
	HasBuffers
	HasIOTime
	HasHeapFetches
	HasWAL
	HasFractionalRows // PostgreSQL 18: two decimals
	HasTuples         // Tuples Inserted / Updated / Deleted (15 and later)
	HasIndexSearches
	HasDisabled
)

// Buffers counts block accesses. For a node they are totals over loops and
// processes and include its children.
type Buffers struct {
	SharedHit, SharedRead, SharedDirtied, SharedWritten int64
	LocalHit, LocalRead, LocalDirtied, LocalWritten     int64
	TempRead, TempWritten                               int64
}

// Add returns b+c.
func (b Buffers) Add(c Buffers) Buffers { return b.combine(c, 1) }

// Sub returns b−c; negative counts are kept.
func (b Buffers) Sub(c Buffers) Buffers { return b.combine(c, -1) }

func (b Buffers) combine(c Buffers, s int64) Buffers {
	b.SharedHit += s * c.SharedHit
	b.SharedRead += s * c.SharedRead
	b.SharedDirtied += s * c.SharedDirtied
	b.SharedWritten += s * c.SharedWritten
	b.LocalHit += s * c.LocalHit
	b.LocalRead += s * c.LocalRead
	b.LocalDirtied += s * c.LocalDirtied
	b.LocalWritten += s * c.LocalWritten
	b.TempRead += s * c.TempRead
	b.TempWritten += s * c.TempWritten
	return b
}

// Shared is hit + read of shared buffers.
func (b Buffers) Shared() int64 { return b.SharedHit + b.SharedRead }

// Rows is a row count in hundredths, so that the two decimals of PostgreSQL 18
// stay exact.
type Rows int64

// WholeRows makes Rows from an integer count.
func WholeRows(n int64) Rows { return Rows(n * 100) }

// Float is the count as a number.
func (r Rows) Float() float64 { return float64(r) / 100 }

// Worker is the detail of one parallel worker below a node.
type Worker struct {
	Number        int64
	Fields        Fields
	ActualTotal   Duration
	ActualStartup Duration
	ActualRows    Rows
	ActualLoops   int64
	Buffers       Buffers
	SortMethod    string
	SortSpaceKB   int64
	SortSpaceType string
	Extra         []KeyValue
}

// KeyValue is a plan key that has no field of its own: the EXPLAIN key and its
// value as text (raw JSON for lists and objects).
type KeyValue struct {
	Key, Value string
}

// Node is one node of a plan tree. Plans keep their nodes in one slice in
// depth-first order, parents first. Times and ActualRows are averages per loop
// as EXPLAIN prints them; Buffers, HeapFetches and IndexSearches are totals.
type Node struct {
	Parent             int32 // index in Plan.Nodes, −1 for a root
	Depth              int32
	Fields             Fields
	NodeType           string // as in JSON: "Index Only Scan", "ModifyTable"
	Operation          string // Insert, Update, Delete, Merge; or Select
	ParentRelationship string // Outer, Inner, Subquery, Member, InitPlan, SubPlan
	SubplanName        string // "CTE x", "InitPlan 1", "SubPlan 2"
	CTEName            string
	SchemaName         string
	RelationName       string
	Alias              string
	IndexName          string
	FunctionName       string
	JoinType           string
	Strategy           string
	PartialMode        string
	ScanDirection      string
	CustomPlanProvider string
	ParallelAware      bool
	Line               int64 // line of the node in its file, 0 if unknown
	StartupCost        float64
	TotalCost          float64
	PlanRows           float64
	PlanWidth          int64
	ActualStartupTime  Duration // per loop
	ActualTotalTime    Duration // per loop
	ActualRows         Rows     // per loop
	ActualLoops        int64
	RowsRemovedFilter  int64 // per loop
	RowsRemovedJoin    int64 // per loop
	RowsRemovedRecheck int64 // per loop
	HeapFetches        int64 // total
	IndexSearches      int64 // total
	Buffers            Buffers
	IOReadTime         Duration // shared (and local) block reads
	IOWriteTime        Duration
	TempIOReadTime     Duration
	TempIOWriteTime    Duration
	WALRecords         int64
	WALFPI             int64
	WALBytes           int64
	TuplesInserted     Rows // total, ModifyTable of 15 and later
	TuplesUpdated      Rows
	TuplesDeleted      Rows
	ConflictingTuples  Rows
	WorkersPlanned     int64
	WorkersLaunched    int64
	Workers            []Worker
	Extra              []KeyValue // conditions, sort keys, unknown keys …
}

// Has reports whether all of f was reported.
func (n *Node) Has(f Fields) bool { return n.Fields&f == f }

// Plan is one EXPLAIN or auto_explain output.
type Plan struct {
	Nodes           []Node
	QueryText       string
	QueryParameters string
	QueryID         int64 // 0: none
	PlanningTime    Duration
	ExecutionTime   Duration
	HasPlanning     bool
	HasExecution    bool
	PlanningBuffers Buffers
	HasPlanBuffers  bool
	Triggers        []Trigger
	Settings        []KeyValue
	Extra           []KeyValue // JIT, Serialization and unknown top-level keys
	Truncated       bool       // the input ended inside the plan
	Figures         Figures
}

// Trigger is the time of one trigger; After is unknown to EXPLAIN.
type Trigger struct {
	Name, Constraint, Relation string
	Time                       Duration
	Calls                      int64
}
