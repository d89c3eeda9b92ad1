package record

// ExecutionKind says which log line an Execution came from.
type ExecutionKind uint8

// The kinds. Parse and Bind are phases of the extended protocol, not
// executions of their own; ExecExplain is a plan from a file, not from a log.
const (
	ExecPlan      ExecutionKind = iota + 1 // "duration: … plan:" of auto_explain
	ExecStatement                          // "duration: … statement:"
	ExecExecute                            // "duration: … execute NAME:"
	ExecFetch                              // "duration: … execute fetch from NAME:"
	ExecParse                              // "duration: … parse NAME:"
	ExecBind                               // "duration: … bind NAME:"
	ExecDuration                           // bare "duration: …" of log_duration
	ExecText                               // "statement:" of log_statement, no duration
	ExecExplain                            // EXPLAIN output
)

// Execution is one logged duration or plan. The dataset pairs the plan and the
// duration line of the same execution; a parser never does.
type Execution struct {
	Pos         Pos
	LogTime     Time     // when it was logged: the end of the execution
	Resolution  Duration // of LogTime
	Kind        ExecutionKind
	Session     string // "%c", else "pid@session start", else "pid"; "" if unknown
	ProcessID   int32
	LineNum     int64 // %l within the session, -1 if not reported
	UserName    string
	Database    string
	Application string
	Host        string   // of the client, without the port; "[local]" of a socket
	Duration    Duration // valid if HasDuration
	HasDuration bool
	Name        string // prepared statement or portal, as logged
	Statement   *Statement
	QueryID     int64 // 0: none
	Parameters  string
	Nested      bool // logged with a CONTEXT: ran inside another statement
	// HasPlan marks a plan that was read; Figures are its figures.
	HasPlan bool
	Figures Figures
	// Plan is the tree. To keep memory small it is kept only for some
	// executions of a batch: of each statement and shape the earliest and the
	// slowest; nil otherwise. Whoever receives the Execution owns the tree.
	Plan *Plan
}
