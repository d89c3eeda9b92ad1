package analysis

import (
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser"
	"github.com/pgassay/pgassay/parser/record"
)

// Result is everything a report may show. Writers compute nothing from the
// input; they lay out what stands here.
type Result struct {
	Version    string       // of pgassay
	From, To   record.Time  // span of the timed records; NoTime if none has a time
	Zone       string       // of the log as printed; times are UTC
	ZoneOffset record.Count // seconds that Zone lies east of UTC
	Server     string       // PostgreSQL version if the input tells
	Inputs     []Input      // sorted by name
	Filter     string       // what was asked for, and how much of the input it left; "" without a filter
	Totals     Totals
	// Findings are sorted: severity, then share, then ID, then subject.
	Findings     []finding.Finding
	Suppressed   []Suppressed // taken out of Findings, in their order
	Comparison   *Comparison  // with Options.Baseline; nil without
	Anonymized   bool         // names and fingerprints of findings are not those of the input
	Evaluated    []string     // IDs of the signatures that could be evaluated
	NotEvaluated []NotEvaluated
	Losses       []record.Loss  // sorted by file and line
	Statements   []StatementRow // costliest first
	Relations    []RelationRow
	Indexes      []IndexRow
	Vacuums      []record.Vacuum // by time
	Plans        []PlanExample   // of the findings' statements, then of the costliest
	Triggers     []Trigger       // nearest to their trigger first
	Events       []record.Event  // of interest, by time; EventsLeftOut says how many more there were
	Given        []Given         // series of the user's and what explains them
	Crossings    []Crossing      // of the limits of Options.SLOs
	Notes        []string        // what limits the conclusions: no times, censored log …
	// EventsLeftOut counts the events of interest that a cap kept out of Events.
	EventsLeftOut int64
}

// Input is one file and what was read from it.
type Input struct {
	record.File
	Bytes, Lines, Entries, Understood int64
	Executions, Plans, Vacuums        int64
	Samples, Snapshots                int64           // rows, and distinct capture times
	Interval                          record.Duration // median between snapshots
	Captures                          []record.Time   // one per snapshot, sorted
	First, Last                       record.Time
	Kinds                             []parser.KindCount // records by kind, in a fixed order
	Losses                            []record.Loss      // of this file; Result.Losses has them all
	Unknown                           []record.Pos       // first places of entries not understood, which are no loss
}

// Totals sums the inputs.
type Totals struct {
	Files, Bytes, Lines, Entries, Understood int64
	Executions                               int64 // after pairing: one execution counts once
	Plans, Durations, Vacuums, Snapshots     int64
	ServerTime                               record.Duration // observed
}

// NotEvaluated is a signature whose needs the input does not meet.
type NotEvaluated struct {
	ID, Name string
	Lacks    string // "no plans with buffers in input"
	Add      string // "log plans with auto_explain.log_analyze and log_buffers"
}

// StatementRow is the overview of one statement.
type StatementRow struct {
	Fingerprint, Text, Command string
	Approximate                bool
	Calls                      int64 // executions seen in logs, else calls of pg_stat_statements
	Total                      record.Duration
	Mean, P50, P95, Max        record.Duration
	Share                      float64 // of observed server time
	Rows, Buffers              float64 // per call; NaN if unknown
	BuffersPerRow              float64
	Shapes                     int
	From                       string // "log" or "pg_stat_statements"
}

// RelationRow is the overview of one table over the span.
type RelationRow struct {
	Name                  string
	LiveFirst, LiveLast   record.Count
	DeadLast              record.Count
	PagesFirst, PagesLast record.Count
	Vacuums, Analyzes     int64
	LastVacuum            record.Time
}

// IndexRow is the overview of one index over the span.
type IndexRow struct {
	Name, Relation, AccessMethod, Definition string
	PagesFirst, PagesLast                    record.Count
	Scans                                    record.Count // over the span
	Valid, Ready                             bool
	Rebuilt                                  record.Time // NoTime if not seen
}
