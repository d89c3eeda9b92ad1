// Package view is the one reading of a Result that every output shares: the
// verdicts, figures, times and coverage as text, beside the raw values they
// were made of. It formats and orders; it computes no finding.
//
// All texts of a View are safe to print: names, statements and file names come
// from untrusted files, so control characters, escape sequences, direction
// overrides and invalid UTF-8 are made visible (Line and Block). Markup is the
// writer's own business.
//
// It is a package of its own, below report, so that report.Formats can list
// writers that live in packages of their own (report/xlsx).
//
// Next stop: view.go, then package report, whose files write a View.
package view
