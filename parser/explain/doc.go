// Package explain reads EXPLAIN output into record.Plan: one file per format
// (json.go, text.go, xml.go, yaml.go), the same tree whichever format the
// server printed. XML and YAML are rewritten as JSON line by line and read by
// its reader.
//
// A Parser serves auto_explain's plans inside log entries (package pglog calls
// it once per entry) as well as files of EXPLAIN output (format_*.go).
// mend*.go undo what chats, mails and terminals do to plans; format_any.go reads
// plans of any format among other text, also for package psql, which takes the
// frames off. write*.go print a plan in each format again.
//
// figures.go says what a plan means as a whole, arithmetic.go what each node
// cost by itself.
//
// Next stop: package pglog, which finds the plans in logs.
package explain
