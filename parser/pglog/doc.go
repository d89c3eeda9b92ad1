// Package pglog reads the logs of PostgreSQL 10 to 18: stderr with any
// log_line_prefix, csvlog and jsonlog, and what syslog, container runtimes and
// cloud services make of them, a file per format.
//
// A format finds the entries in its bytes and fills a record.Entry; message.go
// and the files of its groups (duration.go, vacuum.go, lock.go, event.go …) turn
// the entry into records, the same for every format. A format that only ships
// the lines of another is a carrier: it takes its own text off and hands the rest
// on (carrier.go, shipped.go). Messages in other languages are turned into
// English first (language.go). What PostgreSQL prints is described by the samples
// under testdata and by the functions that read it.
//
// Next stop: stderr.go, then worker.go, then message.go; for carriers carrier.go.
package pglog
