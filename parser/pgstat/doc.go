// Package pgstat reads exports of PostgreSQL's statistics views into samples:
// CSV with a header and JSON objects, one per row. A view is recognised by its
// columns, in any order and with further columns joined to it (view.go);
// columns get their canonical names when they are read (alias.go), so that
// nobody downstream knows another spelling.
//
// Next stop: views.go, the views; csv.go, ndjson.go and document.go, one format
// each; layout.go is what they share. Files of other programs are read by a
// file for each (pgmetrics.go …); foreign.go is what these share.
package pgstat
