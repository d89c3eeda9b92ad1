// Package xlsx writes a View as a workbook: Summary is the page to print,
// Findings leads to one sheet for each kind of row behind it and back, and
// Series has native charts beside their data.
//
// Texts are always typed as text, so that nothing from the input becomes a
// formula; numbers are numbers with the unit in the header; times are dates in
// UTC. Rows are streamed, so that a large report does not fill memory. Equal
// views give equal bytes.
//
// Next stop: xlsx.go (the order of the sheets), then table.go and stream.go (how
// rows are written), sheets.go (rows) and series.go (charts).
package xlsx
