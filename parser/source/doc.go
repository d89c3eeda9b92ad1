// Package source turns what the user named into blocks of whole entries: it
// expands files, folders, globs and standard input ([Expand]), unpacks and
// decodes them to UTF-8 texts ([Input.Each]; a file for each compression and
// archive, and budget.go against bombs), and cuts each text where the
// recognised format says that an entry begins ([Cutter]). It knows formats only
// by their contract, [Format].
//
// Next stop: packages explain, pglog and pgstat, which fill that contract, and
// package parser, which drives this one.
package source
