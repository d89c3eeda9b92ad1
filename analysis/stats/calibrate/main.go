// Command calibrate measures how often the analysis is wrong: it simulates runs
// of which the truth is known and prints, for every test, interval and verdict,
// how often it erred and how often it may.
//
//	go run ./analysis/stats/calibrate [--runs 200] [--seed 1] [--jobs N]
//
// It exits with 1 if something erred more often than it may.
package main

import (
	"flag"
	"io"
	"log"
	"os"
	"runtime"
)

// options are the flags.
type options struct {
	runs  int    // null runs, and walks
	draws int    // of each test of package stats
	seed  uint64 // of everything
	jobs  int    // runs at a time; the table does not depend on it
	curve bool   // print the power curve
}

func defaultOptions() options {
	return options{runs: 200, draws: 1000, seed: 1, jobs: runtime.GOMAXPROCS(0), curve: true}
}

func main() {
	log.SetFlags(0)
	o := defaultOptions()
	flag.IntVar(&o.runs, "runs", o.runs, "simulated runs without a cause, and as many with a walk")
	flag.IntVar(&o.draws, "draws", o.draws, "draws of each test of package stats")
	flag.Uint64Var(&o.seed, "seed", o.seed, "of the simulation")
	flag.IntVar(&o.jobs, "jobs", o.jobs, "runs at a time")
	flag.BoolVar(&o.curve, "curve", o.curve, "print how many executions and size readings a walk needs")
	flag.Parse()
	if bad := calibrate(os.Stdout, o); bad > 0 {
		log.Fatalf("calibrate: %d of the figures above are worse than they may be", bad)
	}
}

// calibrate prints the tables and counts the figures that are out of bounds.
func calibrate(out io.Writer, o options) int {
	t := &table{out: out}
	t.tests(o)
	t.runs(o)
	if o.curve {
		t.power(o)
	}
	return t.bad
}
