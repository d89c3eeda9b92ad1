package main

import (
	"bytes"
	"flag"
	"testing"
)

// full runs the calibration at its full size: go test ./analysis/stats/calibrate -full.
var full = flag.Bool("full", false, "calibrate at full size")

// TestCalibration holds all figures against their bounds. Few runs leave chance
// its room: the bounds are as wide as their number asks for.
func TestCalibration(t *testing.T) {
	o := defaultOptions()
	if !*full {
		o.runs, o.draws, o.curve = 20, 60, false
	}
	var out bytes.Buffer
	if bad := calibrate(&out, o); bad > 0 {
		t.Errorf("%d figures out of bounds:\n%s", bad, out.String())
	}
	if testing.Verbose() {
		t.Log(out.String())
	}
}

func TestTableDoesNotDependOnJobs(t *testing.T) {
	var one, many bytes.Buffer
	o := options{runs: 3, draws: 4, seed: 7, jobs: 1}
	calibrate(&one, o)
	o.jobs = 3
	calibrate(&many, o)
	if one.String() != many.String() {
		t.Errorf("one job:\n%s\nthree:\n%s", one.String(), many.String())
	}
}

func TestSameSeedSameRun(t *testing.T) {
	a, _ := null(3, 4)
	b, _ := null(3, 4)
	if len(a.Batch().Executions) != len(b.Batch().Executions) || a.Base != b.Base {
		t.Error("two runs of one seed differ")
	}
	if c, _ := null(4, 4); c.Base == a.Base {
		t.Error("another seed gives the same run")
	}
}
