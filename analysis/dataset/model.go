package dataset

import (
	"sort"

	"github.com/pgassay/pgassay/parser/record"
)

// Model is what signatures read. Everything in it is sorted and final.
type Model struct {
	Statements []*Statement   // by fingerprint
	Executions []*Execution   // by end, then session and place; one per execution
	Sessions   []*Session     // by name
	Relations  []*Relation    // by name
	Vacuums    []*Vacuum      // by time: log and snapshot merged
	Events     []record.Event // of logs, by time
	// Stretches are the runs of entries without a silence in all log files
	// together, by time: between them no file tells anything. ClockSteps are the
	// places where the time of a log goes back.
	Stretches, ClockSteps []record.Stretch
	// Transcripts are psql sessions saved to files, by file.
	Transcripts []Transcript
	Activity    []ActivityPoint // by time
	External    []External      // given by the user, by file and name
	Marks       []Mark          // given by the user, by time
	Settings    map[string][]Setting
	From, To    record.Time // span of everything timed
	Server      string      // version, "" if not told
	Database    string      // name of the main database, "" if not told
	Servers     []string    // major versions told; several mean several servers
	BlockSize   int64       // bytes; 8192 unless settings say otherwise
	// Sampled is the share of executions kept, 1 unless a limit was hit.
	Sampled float64
	Capped  map[string]int64
	Logging Logging
	Kept    *Kept // what a filter left; nil without a filter
	// Breaks are the points of the snapshots that no difference or rate may
	// cross, or that explain what changed, by time.
	Breaks []Break
	// Alternating names the tables of which captures of two servers or databases
	// are mixed, since nothing tells these apart.
	Alternating []string
	// SnapshotTimes counts the distinct capture times of each view; Untimed the
	// rows of each view that have none.
	SnapshotTimes map[record.View]int
	Untimed       map[record.View]int

	// LeastMajor is the major version that the columns of pg_stat_user_tables imply
	// at least: relallfrozen came with 18, n_ins_since_vacuum with 13. 0 if none.
	LeastMajor int

	byFingerprint map[string]*Statement
	byRelation    map[string]*Relation
	serverTime    record.Duration
	rows          map[record.View][]record.Sample
}

// Rows are the rows of a view as read, by time, those without one last: for
// views that have no points of their own in the Model, such as pg_stat_wal,
// pg_prepared_xacts or pg_stat_progress_vacuum.
func (m *Model) Rows(view record.View) []record.Sample { return m.rows[view] }

// Statement returns the statement with this fingerprint, or nil.
func (m *Model) Statement(fingerprint string) *Statement { return m.byFingerprint[fingerprint] }

// Relation resolves a name as a statement or plan writes it: "schema.table",
// or "table" if only one schema has it (public wins). nil if unknown.
func (m *Model) Relation(name string) *Relation { return m.byRelation[name] }

// relationIn resolves a name in a database; "" is the main one. Where no table
// of the main one has that name, it may be that of another.
func (m *Model) relationIn(database, name string) *Relation {
	if database != "" {
		return m.byRelation[database+"."+name]
	}
	return m.Relation(name)
}

// ServerTime is the summed duration of all top-level executions.
func (m *Model) ServerTime() record.Duration { return m.serverTime }

// Setting is the value of a parameter at a time.
type Setting struct {
	Time  record.Time
	Value string
	Unit  string
}

// Setting is the latest known value of a parameter.
func (m *Model) Setting(name string) (Setting, bool) {
	s := m.Settings[name]
	if len(s) == 0 {
		return Setting{}, false
	}
	return s[len(s)-1], true
}

// Execution is one execution of a statement: its plan line and its duration
// line are one.
type Execution struct {
	*Exec
	Statement *Statement
	// Start is Time − Duration. Both carry the log's resolution.
	Start record.Time
	// Duration is the duration line's if there is one, else the plan's; it
	// hides Exec.Duration. PlanDuration is the plan's own, 0 if there is none.
	Duration     record.Duration
	PlanDuration record.Duration
	// Bind is what the Bind line before this Execute says, valid if HasBind.
	Bind    record.Duration
	HasBind bool
	// Concurrency is the number of other executions in flight at Start.
	Concurrency int
}

// ServerTime is what the execution adds to the observed server time: nothing
// if it ran inside another statement.
func (e *Execution) ServerTime() record.Duration {
	if e.Nested || !e.HasDuration || e.Kind == record.ExecExplain {
		return 0
	}
	return e.Duration
}

// Planning is how long planning took: what EXPLAIN says, else the Bind step of
// the extended protocol, which reads the parameters and plans (or takes a kept
// plan, in no time). False where the input does not tell it: auto_explain does
// not log it, and a simple statement's duration line holds it unseparated.
func (e *Execution) Planning() (record.Duration, bool) {
	if e.Figures != nil && e.Figures.HasPlanning {
		return e.Figures.Planning, true
	}
	return e.Bind, e.HasBind
}

// Statement is everything known of one fingerprint: the executions of the log,
// and the differences of one database.
type Statement struct {
	*record.Statement
	// Database is where pg_stat_statements counted it, "" for the main one. The
	// executions are all with that one.
	Database   string
	Executions []*Execution // by end; top-level and nested
	Diffs      []Diff       // differences of pg_stat_statements, by time
	Calls      int64        // executions in the log
	Total      record.Duration
	Shapes     []Shape     // most frequent first
	Target     *Relation   // of a write, nil if unknown; see Targets
	Relations  []*Relation // known relations that it names, and their partitions
	FirstSeen  record.Time

	logFrom, logTo record.Time   // span of all executions of the log
	complete       *completeness // of the whole log, if part of it was kept
}

// Shape is one plan shape of a statement.
type Shape struct {
	ID             uint64
	Executions     int64
	First, Slowest Example
}

// Session is the time line of one backend.
type Session struct {
	Name, Application, User, Database string
	Steps                             []Step // by end
}

// Step is one phase in a session: parse, bind or an execution.
type Step struct {
	Kind       record.ExecutionKind
	Start, End record.Time
	Duration   record.Duration
	Statement  *Statement
	Execution  *Execution // nil for parse and bind
	Pos        record.Pos

	line *Exec
}

// Diff is what pg_stat_statements counted for a statement between two
// captures, summed over its query ids.
type Diff struct {
	From, To                        record.Time
	Pos                             record.Pos // of the later row
	Calls, Rows                     int64
	ExecTime                        float64 // ms
	Plans                           int64   // 0 unless pg_stat_statements.track_planning is on
	PlanTime                        float64 // ms, of Plans; not part of ExecTime
	Hit, Read, Dirtied, Written     int64
	TempRead, TempWritten, WALBytes int64
}

// Buffers is hit + read of shared buffers.
func (d Diff) Buffers() int64 { return d.Hit + d.Read }

// ActivityPoint is one row of pg_stat_activity.
type ActivityPoint struct {
	Time                                record.Time
	Pos                                 record.Pos
	PID                                 int64
	Database, User, Application         string
	State, WaitEventType, WaitEvent     string
	Query, BackendType                  string
	BackendStart, XactStart, QueryStart record.Time
	StateChange                         record.Time
	BackendXmin, BackendXid             record.Count
	Fingerprint                         string // of Query
}

// index makes what is looked up by name, and sums that are asked for often.
func (m *Model) index() {
	m.serverTime = 0
	for _, e := range m.Executions {
		m.serverTime += e.ServerTime()
	}
	m.byFingerprint = make(map[string]*Statement, len(m.Statements))
	for _, s := range m.Statements {
		if _, ok := m.byFingerprint[s.Fingerprint]; !ok {
			m.byFingerprint[s.Fingerprint] = s
		}
	}
	m.byRelation = map[string]*Relation{}
	for _, r := range m.Relations {
		m.byRelation[r.Name] = r
		short := []string{r.Relation}
		if r.Database != "" {
			short = append(short, r.Database+"."+r.Relation)
		}
		for _, name := range short {
			if other, ok := m.byRelation[name]; !ok || r.precedes(other) {
				m.byRelation[name] = r
			}
		}
	}
}

// precedes orders the tables that one unqualified name may mean: those of the
// main database first, then schema public, then by name.
func (r *Relation) precedes(o *Relation) bool {
	if (r.Database == "") != (o.Database == "") {
		return r.Database == ""
	}
	if (r.Schema == "public") != (o.Schema == "public") {
		return r.Schema == "public"
	}
	return r.Name < o.Name
}

// sortBy sorts a slice by a strict order.
func sortBy[T any](s []T, less func(a, b *T) bool) {
	sort.SliceStable(s, func(i, j int) bool { return less(&s[i], &s[j]) })
}
