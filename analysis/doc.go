// Package analysis turns input files into a Result: it streams records into a
// dataset, runs the signatures over it and sums up what was read.
//
// Next stop: Run; then packages dataset and signature; then package report,
// which lays a Result out.
package analysis
