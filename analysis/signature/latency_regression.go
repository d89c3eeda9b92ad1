package signature

import (
	"math"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/onset"
	"github.com/pgassay/pgassay/analysis/series"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

var latencyRegression = &Signature{
	ID: "PGA106", Name: "latency-regression", Max: finding.Critical,
	Felt: "A statement is suddenly slower, though it does the same work",
	What: "A statement takes longer than before for the same work: as many rows and as many buffers.",
	Why: "Time that does not go into buffers goes into waiting or into the processor: a lock, reads that no longer come from the cache, a slower disk, WAL that is flushed more slowly, processors that are shared with something else. " +
		"A change that lasts and follows an event (a setting, a restart, a deploy) has a cause that can be undone.",
	Fix:    "Undo or repair what the added time goes into: the finding splits it into I/O, waits by kind, and processor time, as far as the input tells.",
	Verify: "The time per execution is back at the level before the change, at the same load.",
	Needs:  []Need{needDurations, needActivity},
	Silent: []string{
		"more rows or more buffers (PGA101, PGA103, PGA105, PGA201)",
		"load that rises and falls",
		"a mean that moves with the mix of calls",
		"changes of a fraction of a millisecond",
	},
	Thresholds: []Threshold{
		{"min_ratio", 1.5, "x", "median time per execution after ÷ before"},
		{"min_readings", 8, "readings", "on either side of the change"},
		{"min_delta", 0.8, "", "Cliff's delta: how surely a reading after the change lies above one before"},
		{"level", 0.05, "", "corrected p-value of the change, which allows for readings that remember the one before"},
		{"work_band", 1.2, "x", "by which rows and buffers per execution may differ"},
		{"work_slack", 10, "", "rows or buffers per execution by which they may differ whatever the ratio"},
		{"load_band", 1.2, "x", "by which the throughput may rise before only readings at the old load are compared"},
		{"quiet_ms", 0.2, "ms", "added per execution, below which nothing is said"},
		{"floor_ms", 1, "ms", "added per execution, below which the finding stays info"},
	},
	Detect: detectLatencyRegression,
}

// slowdown is a statement that takes longer from a time on.
type slowdown struct {
	Statement     *dataset.Statement
	Frame         *series.Frame
	Before, After *series.Frame // transition left out
	Change        onset.Change
	Time          levels // ms per execution, medians
	Buffers       levels // NaN if not measured
	Rows          levels
	Split         timeSplit
	// Also are other statements that slowed down at that time.
	Also []*slowdown
}

// slowing is the mechanism of a latency: what acts on the whole server, then
// what a deploy brings.
func slowing() onset.Mechanism {
	const within = 300 * record.Second
	return onset.Mechanism{{Kind: onset.SettingChange, Within: within}, {Kind: onset.Crash, Within: within}, {Kind: onset.Restart, Within: within},
		{Kind: onset.UserMark, Within: within}, {Kind: onset.NewApplication, Within: within}, {Kind: onset.NewStatement, Within: within}}
}

func detectLatencyRegression(p *Pass) {
	measured := false
	var found []*slowdown
	happenings := onset.Happenings(p.Model)
	for _, s := range p.costly() {
		f := p.frame(s)
		if f == nil || f.Len() < 2*int(p.limit("min_readings")) || f.Column(series.TimePerExecution) == nil {
			continue
		}
		measured = true
		if d := p.slowdownOf(f, happenings); d != nil {
			found = append(found, d)
		}
	}
	if !measured {
		p.Lacks("no series of durations in input", "log_min_duration_statement = 0 or auto_explain.log_analyze, or snapshots of pg_stat_statements with captured_at")
		return
	}
	for _, d := range p.together(found) {
		p.Report(d.finding(p), d.Time.Last-d.Time.First < p.limit("floor_ms"))
	}
}

// slowdownOf is the last change for the worse that lasts to the end of the
// input; nil if there is none, or if more work or more load comes with it.
func (p *Pass) slowdownOf(f *series.Frame, happenings []onset.Happening) *slowdown {
	cost := f.Column(series.TimePerExecution)
	var points []onset.Point
	for i, v := range cost.Values {
		if !math.IsNaN(v) {
			// A reading counts from its end: what happened within it came before.
			pos, _ := f.Place(i)
			points = append(points, onset.Point{Time: f.Spans[i].To, Value: v, Pos: pos})
		}
	}
	changes := onset.Find(onset.Series{Points: points}, happenings, slowing(), onset.Options{
		MinReadings: int(p.limit("min_readings")), MinRatio: p.limit("min_ratio"), Level: p.limit("level")})
	if len(changes) == 0 {
		return nil
	}
	d := &slowdown{Statement: f.Statement, Frame: f, Change: changes[len(changes)-1]}
	if d.Change.Step.Ratio < 1 || d.Change.Step.Delta < p.limit("min_delta") {
		return nil
	}
	d.split()
	if d.Before.Len() < int(p.limit("min_readings")) || d.After.Len() < int(p.limit("min_readings")) || !d.lasts() {
		return nil
	}
	d.Time, d.Buffers, d.Rows = d.levels(series.TimePerExecution), d.levels(series.BuffersPerExecution), d.levels(series.RowsPerExecution)
	if d.Time.Last-d.Time.First < p.limit("quiet_ms") || !p.sameWork(d) || !p.sameLoad(d) {
		return nil
	}
	d.Split = p.splitOf(d)
	return d
}

// split cuts the frame at the change and leaves the transition out.
func (d *slowdown) split() {
	i := 0
	for i < d.Frame.Len() && d.Frame.Spans[i].To < d.Change.By {
		i++
	}
	k := i
	for k < d.Frame.Len() && d.Frame.Spans[k].To < d.Change.By.Add(d.Change.Transition) {
		k++
	}
	d.Before, d.After = d.Frame.Slice(0, i), d.Frame.Slice(k, d.Frame.Len())
}

// levels are the medians of a measure before and after.
func (d *slowdown) levels(k series.Kind) levels {
	return levels{medianOf(d.Before, k), medianOf(d.After, k)}
}

// medianOf is NaN where the frame does not tell the measure.
func medianOf(f *series.Frame, k series.Kind) float64 {
	c := f.Column(k)
	if c == nil {
		return math.NaN()
	}
	return stats.Median(known(c.Values))
}

func known(values []float64) []float64 {
	var out []float64
	for _, v := range values {
		if !math.IsNaN(v) {
			out = append(out, v)
		}
	}
	return out
}

// lasts reports that the last readings are still three quarters of the way up.
func (d *slowdown) lasts() bool {
	return levelsOf(d.After.Column(series.TimePerExecution)).Last >= d.Change.Step.Before+0.75*d.Change.Step.Difference
}

// sameWork reports as many rows and buffers as before, in the same plans; what
// is not measured does not speak against it.
func (p *Pass) sameWork(d *slowdown) bool {
	band, slack := p.limit("work_band"), p.limit("work_slack")
	for _, l := range []levels{d.Buffers, d.Rows} {
		if r := l.ratio(); (r > band || r < 1/band) && math.Abs(l.Last-l.First) > slack {
			return false
		}
	}
	shapes := d.levels(series.OtherShapes)
	return !(math.Abs(shapes.Last-shapes.First) > 0.5)
}

// sameLoad reports that the change shows at the load that was there before.
// Where clients wait for their statements a lower throughput is its effect.
func (p *Pass) sameLoad(d *slowdown) bool {
	load := d.levels(series.Throughput)
	if !(load.ratio() > p.limit("load_band")) {
		return true
	}
	most := stats.Quantile(known(d.Before.Column(series.Throughput).Values), 0.95)
	var at []float64
	cost := d.After.Column(series.TimePerExecution).Values
	for i, v := range d.After.Column(series.Throughput).Values {
		if v <= most && !math.IsNaN(cost[i]) {
			at = append(at, cost[i])
		}
	}
	return len(at) >= int(p.limit("min_readings")) && stats.Median(at) >= p.limit("min_ratio")*d.Time.First
}

// together keeps of the statements that slowed down at one time the one that
// takes most of the server; the others are told with it.
func (p *Pass) together(found []*slowdown) []*slowdown {
	var out []*slowdown
	for _, d := range found {
		joined := false
		for i, o := range out {
			if !d.sameTime(o) {
				continue
			}
			if joined = true; d.added() > o.added() {
				d.Also, o.Also = append(o.Also, o), nil
				out[i] = d
			} else {
				o.Also = append(o.Also, d)
			}
			break
		}
		if !joined {
			out = append(out, d)
		}
	}
	return out
}

// sameTime reports that the times in which both changes began touch.
func (d *slowdown) sameTime(o *slowdown) bool {
	return d.Change.After <= o.Change.By && o.Change.After <= d.Change.By
}

// added is the time that the change has cost since, in ms.
func (d *slowdown) added() float64 {
	return (d.Time.Last - d.Time.First) * sum(d.After.Executions)
}
