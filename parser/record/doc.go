// Package record is the vocabulary of pgassay: what the parsers read and what
// the analysis folds. It holds values only; it opens nothing and judges
// nothing.
//
// Names are PostgreSQL's own: csvlog columns and EXPLAIN keys in Go case.
// Times are microseconds since the Unix epoch in UTC, durations are
// microseconds, sizes are blocks or bytes as the field says. A value that the
// input did not report is marked absent, never zero.
//
// Next stop: package source (bytes), then explain, pglog and pgstat, which fill
// these records, then analysis/dataset, which folds them.
package record
