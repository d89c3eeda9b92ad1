// Package signature recognises mechanisms: one file each, one line each in
// list.go. A signature reads the dataset.Model of a Pass and answers findings;
// it reads no file and no log line.
//
// Next stop: list.go, then any signature; pass.go for what they share.
package signature

import "github.com/pgassay/pgassay/analysis/finding"

// Signature is one known mechanism with a measurable shape.
type Signature struct {
	ID, Name string
	Max      finding.Severity
	Felt     string // what a user of the database notices, a sentence without a full stop
	What     string // what is happening, one sentence
	Why      string // the mechanism
	Fix      string
	Verify   string
	Needs    []Need
	// Silent names what looks alike and must not be reported.
	Silent []string
	// Thresholds are the limits the claim is held against.
	Thresholds []Threshold
	Detect     func(*Pass)
}

// Need is one kind of input, in the letters of the catalogue.
type Need struct {
	Letter string // P, H, S, s, V, D, L, W
	Doc    string // "plans with buffers"
}

// Threshold is a named limit with its default.
type Threshold struct {
	Name  string
	Value float64
	Unit  string
	Doc   string
}

// The kinds of input that signatures need.
var (
	needPlans     = Need{"P", "plans with buffers: auto_explain.log_analyze and log_buffers, or EXPLAIN (ANALYZE, BUFFERS)"}
	needHeap      = Need{"H", "heap fetches of index-only scans, from plans"}
	needSeries    = Need{"S", "snapshots over time with captured_at"}
	needSnapshot  = Need{"s", "one snapshot"}
	needVacuum    = Need{"V", "vacuum lines: log_autovacuum_min_duration = 0"}
	needDurations = Need{"D", "all durations with their session: log_min_duration_statement = 0"}
	needLog       = Need{"L", "the server log: log_lock_waits = on, log_checkpoints = on, log_temp_files = 0"}
	needActivity  = Need{"W", "pg_stat_activity samples"}
)

// Kinds are the kinds of input, each once, in the order in which signatures name
// them. What one signature needs of a kind may be narrower.
func Kinds() []Need {
	return []Need{needPlans, needSeries, needVacuum, needDurations, needActivity, needHeap, needSnapshot, needLog}
}
