// Package psql reads what psql prints: it takes the frames off tables, in every
// style that \pset knows, and hands the plans in them to package explain. A
// transcript may hold many frames and other text between them.
//
// format.go finds the frames, table.go is what is inside one, and aligned.go,
// expanded.go, unaligned.go and html.go each know one layout. transcript.go makes
// events of what stands between the plans: headings, command tags (command.go)
// and sizes of relations (size.go).
//
// Next stop: package parser, which lists all formats.
package psql
