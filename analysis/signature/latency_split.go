package signature

import (
	"math"

	"github.com/pgassay/pgassay/analysis/series"
	"github.com/pgassay/pgassay/analysis/stats"
)

// timePart is what one use of the time added to an execution.
type timePart struct {
	Name          string // "Lock waits", "CPU", "I/O"
	Added         float64
	Share         float64 // of the added time
	Interval      stats.Interval
	Before, After series.WaitShare // of the samples
}

// timeSplit is where the added time goes: what the plans' I/O times say, and
// what samples of pg_stat_activity say. Each part is of the whole added time.
type timeSplit struct {
	IO      levels // ms per execution
	Reads   levels // blocks per execution
	Samples [2]int // before and after
	Parts   []timePart
}

// minWaitSamples is how many active samples of a statement a share rests on at
// least, on either side.
const minWaitSamples = 20

func (p *Pass) splitOf(d *slowdown) timeSplit {
	s := timeSplit{IO: d.levelsOfMean(series.IOTimePerExecution), Reads: d.levelsOfMean(series.ReadsPerExecution)}
	before := series.WaitsOf(p.Model, d.Statement.Fingerprint, d.Before.Between())
	after := series.WaitsOf(p.Model, d.Statement.Fingerprint, d.After.Between())
	s.Samples = [2]int{before.Samples, after.Samples}
	if before.Samples < minWaitSamples || after.Samples < minWaitSamples {
		return s
	}
	for _, w := range after.Types() {
		s.Parts = append(s.Parts, d.part(before.Of(w.Type), w))
	}
	return s
}

// part is the time of one kind of wait after the change, less that before it.
func (d *slowdown) part(before, after series.WaitShare) timePart {
	added := d.Time.Last - d.Time.First
	of := func(share float64) float64 { return share*d.Time.Last - before.Share*d.Time.First }
	name := after.Type + " waits"
	if after.Type == "" {
		name = "CPU"
	}
	return timePart{Name: name, Added: of(after.Share), Share: of(after.Share) / added, Before: before, After: after,
		Interval: stats.Interval{Lo: of(after.Interval.Lo) / added, Hi: of(after.Interval.Hi) / added}}
}

// levelsOfMean are the means of a measure before and after, which add up.
func (d *slowdown) levelsOfMean(k series.Kind) levels {
	mean := func(f *series.Frame) float64 {
		c := f.Column(k)
		if c == nil {
			return math.NaN()
		}
		total, n := 0.0, 0.0
		for i, v := range c.Values {
			if !math.IsNaN(v) {
				total, n = total+v*f.Executions[i], n+f.Executions[i]
			}
		}
		return total / n
	}
	return levels{mean(d.Before), mean(d.After)}
}

// main is the use that the greater part of the added time goes into, and its
// share: by the samples, else by the I/O times; "" if none is known.
func (s *timeSplit) main(added float64) (name string, share float64) {
	for _, part := range s.Parts {
		if part.Share > share {
			name, share = part.Name, part.Share
		}
	}
	if io := (s.IO.Last - s.IO.First) / added; io > share {
		name, share = "I/O", io
	}
	if share < mainShare {
		return "", share
	}
	return name, share
}

// mainShare is the part of the added time from which one use explains it.
const mainShare = 0.5
