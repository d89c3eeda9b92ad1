// Package report lays out a Result for a person or a program. It computes
// nothing but layout: every number stands in the Result, every text that
// several outputs share in package view.
//
// Formats is the list of outputs. An output is one file here (terminal.go,
// json.go) or, where it needs a library or many files, one package below
// (xlsx), and one line in Formats. Writers do not import each other.
//
// Next stop: report.go, view/view.go, then terminal.go.
package report
