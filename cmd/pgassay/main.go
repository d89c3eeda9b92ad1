// Pgassay says why a PostgreSQL got slow, from exported files.
//
// Each subcommand is one file: flags become analysis.Options, analysis.Run
// makes a Result, report lays it out. Next stop: analyze.go.
package main

import (
	"os"
	_ "time/tzdata" // for machines without zones
)

func main() {
	os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
}
