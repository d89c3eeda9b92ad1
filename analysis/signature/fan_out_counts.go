package signature

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/stats"
)

// Limits of a loop that only calls show.
const (
	countedRuns  = 10   // runs of the parent in the median interval, at least: batch jobs have few
	countedWhole = 0.1  // distance of calls per run from a whole number
	countedNoise = 0.05 // of the scatter that independent statements have
)

// countedLoop is a parent and a child as pg_stat_statements over time shows
// them: for each run of the one so many of the other, whatever the load. No
// request can be timed by it.
type countedLoop struct {
	parent, child *dataset.Statement
	others        []*countedLoop // further children of the same parent, most calls first
	readings      []countedReading
	totals        countedReading
	// eachRow: the child's calls are the parent's rows; else they are a whole
	// number for each run.
	eachRow bool
	// noise is the squared deviation from what the parent makes expect, as a
	// share of what two independent statements of these rates would have: the
	// variance of c − R·p is then R·p·(1 + R), both being Poisson counts. A loop
	// deviates only by the requests that a capture cuts.
	noise float64
}

// countedReading is one interval, or a sum of them.
type countedReading struct {
	runs, rows, calls, childRows, ms, seconds float64
	diff                                      dataset.Diff // of the child
}

// per is the child's calls for each run of the parent.
func (l *countedLoop) per() float64 { return l.totals.calls / l.totals.runs }

// mean is the child's time in the server, ms per call.
func (l *countedLoop) mean() float64 { return l.totals.ms / l.totals.calls }

// countedLoops finds the loops, one for each parent, those that take most time
// first.
func countedLoops(p *Pass) []*countedLoop {
	byParent := map[*dataset.Statement]*countedLoop{}
	var out []*countedLoop
	for _, c := range countedChildren(p) {
		l := bestParent(p.Model, c)
		if l == nil {
			continue
		}
		if first := byParent[l.parent]; first != nil {
			first.others = append(first.others, l)
			continue
		}
		byParent[l.parent] = l
		out = append(out, l)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].time() > out[j].time() })
	return out
}

// time is what the children take in the server, in ms.
func (l *countedLoop) time() float64 {
	sum := l.totals.ms
	for _, o := range l.others {
		sum += o.totals.ms
	}
	return sum
}

// countedChildren are the small and quick SELECTs that run most often.
func countedChildren(p *Pass) []*dataset.Statement {
	calls := map[*dataset.Statement]int64{}
	var out []*dataset.Statement
	for _, s := range p.Model.Statements {
		var rows int64
		var ms float64
		for _, d := range s.Diffs {
			calls[s] += d.Calls
			rows += d.Rows
			ms += d.ExecTime
		}
		n := float64(calls[s])
		if s.Command == "SELECT" && len(s.Diffs) >= minPollIntervals && n > 0 && float64(rows)/n <= p.limit("counted_rows") && ms/n < p.limit("counted_mean") {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b *dataset.Statement) int {
		return cmp.Or(cmp.Compare(calls[b], calls[a]), cmp.Compare(a.Fingerprint, b.Fingerprint), cmp.Compare(a.Database, b.Database))
	})
	return out[:min(len(out), fanOutChildren)]
}

// bestParent is the loop with the statement that explains the child's calls
// best: by its rows before a whole number, then the outermost one.
func bestParent(m *dataset.Model, child *dataset.Statement) *countedLoop {
	var best *countedLoop
	for _, s := range m.Statements {
		if s == child || s.Command != "SELECT" || s.Database != child.Database || len(s.Diffs) < minPollIntervals {
			continue
		}
		l := &countedLoop{parent: s, child: child}
		l.read()
		if l.shown() && (best == nil || l.before(best)) {
			best = l
		}
	}
	return best
}

func (l *countedLoop) before(o *countedLoop) bool {
	if l.eachRow != o.eachRow {
		return l.eachRow
	}
	return cmp.Or(cmp.Compare(l.totals.runs, o.totals.runs), cmp.Compare(l.parent.Fingerprint, o.parent.Fingerprint)) < 0
}

// read pairs the intervals of parent and child.
func (l *countedLoop) read() {
	k := 0
	for _, c := range l.child.Diffs {
		for k < len(l.parent.Diffs) && l.parent.Diffs[k].To < c.To {
			k++
		}
		if k == len(l.parent.Diffs) {
			return
		}
		p := l.parent.Diffs[k]
		seconds := c.To.Sub(c.From).Seconds()
		if p.To != c.To || p.From != c.From || seconds <= 0 || p.Calls == 0 && c.Calls == 0 {
			continue
		}
		r := countedReading{runs: float64(p.Calls), rows: float64(p.Rows), calls: float64(c.Calls), childRows: float64(c.Rows), ms: c.ExecTime, seconds: seconds, diff: c}
		l.readings = append(l.readings, r)
		l.totals.add(&r)
	}
}

func (t *countedReading) add(r *countedReading) {
	t.runs += r.runs
	t.rows += r.rows
	t.calls += r.calls
	t.childRows += r.childRows
	t.ms += r.ms
	t.seconds += r.seconds
}

// shown reports whether the calls of the two are tied to each other, and not
// only to the same load or each to a timer.
func (l *countedLoop) shown() bool {
	if len(l.readings) < minPollIntervals || !(l.per() >= fanOutFactor-countedWhole) || stats.Median(l.column(func(r *countedReading) float64 { return r.runs })) < countedRuns || !l.loadVaries() {
		return false
	}
	if oneForEachRow(l.totals.calls / l.totals.rows) {
		l.noise = l.scatter(func(r *countedReading) float64 { return r.rows })
		if l.eachRow = l.noise <= countedNoise; l.eachRow {
			return true
		}
	}
	l.noise = l.scatter(func(r *countedReading) float64 { return math.Round(l.per()) * r.runs })
	return math.Abs(l.per()-math.Round(l.per())) <= countedWhole && l.noise <= countedNoise
}

// scatter is noise against what the parent makes expect.
func (l *countedLoop) scatter(expected func(*countedReading) float64) float64 {
	var squares, independent float64
	for i := range l.readings {
		r := &l.readings[i]
		d := r.calls - expected(r)
		squares += d * d
		independent += l.per() * r.runs * (1 + l.per())
	}
	return squares / independent
}

func (l *countedLoop) column(value func(*countedReading) float64) []float64 {
	out := make([]float64, len(l.readings))
	for i := range l.readings {
		out[i] = value(&l.readings[i])
	}
	return out
}

// rate are the runs of the parent per second: the least and greatest tenth.
func (l *countedLoop) rate() (low, median, high float64) {
	v := l.column(func(r *countedReading) float64 { return r.runs / r.seconds })
	return stats.Quantile(v, 0.1), stats.Median(v), stats.Quantile(v, 0.9)
}

// loadVaries reports whether the parent's rate varies: two timers have a fixed
// ratio too.
func (l *countedLoop) loadVaries() bool {
	low, median, high := l.rate()
	return median > 0 && (high-low)/median >= minLoadSpread
}
