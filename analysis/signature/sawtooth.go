package signature

import (
	"math"
	"sort"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// sawMetric is what rises and falls with the vacuum cycle.
type sawMetric struct {
	name, unit string
	value      func(*dataset.Execution) (float64, bool)
	heap       bool
}

// sawMetrics in order of preference: heap fetches are the mechanism itself,
// buffers and time its shadow.
var sawMetrics = []sawMetric{
	{name: "heap fetches", unit: "heap fetches", heap: true, value: func(e *dataset.Execution) (float64, bool) {
		f := e.Figures
		if f == nil || !f.HasHeapFetches {
			return 0, false
		}
		return float64(f.HeapFetches), true
	}},
	{name: "buffers", unit: "buffers", value: func(e *dataset.Execution) (float64, bool) {
		f := e.Figures
		if f == nil || !f.HasBuffers || f.IsWrite {
			return 0, false
		}
		return float64(f.Own.Shared()), true
	}},
	{name: "duration", unit: "ms", value: func(e *dataset.Execution) (float64, bool) {
		return e.Duration.Milliseconds(), e.HasDuration
	}},
}

// sawPoint is one reading.
type sawPoint struct {
	exec *dataset.Execution
	y    float64
}

// sawCycle is the time between two vacuums, with the readings that lie wholly
// inside.
type sawCycle struct {
	From, To    *dataset.Vacuum // nil at the edge of the input
	Points      []sawPoint
	First, Last float64
	Rises       bool
	Held        bool // the opening vacuum was held back: PGA205
}

func (c *sawCycle) complete() bool { return c.From != nil && c.To != nil }

// sawtooth is a statement whose metric follows the vacuums of a relation.
type sawtooth struct {
	Statement        *dataset.Statement
	Relation         *dataset.Relation
	Metric           sawMetric
	Cycles           []*sawCycle // complete, with readings, not held back
	Edges            []*sawCycle // first and last partial segments
	Held             int         // cycles left out since their vacuum was held back
	Resets           int         // of len(Cycles) openings that could be judged
	Judged           int
	Falls            int     // of Judged: openings below the reading before the vacuum
	Sparse           bool    // too few readings a cycle to see the reset itself
	Fresh            float64 // median first reading
	Worst            float64 // median last reading
	FreshLo, FreshHi float64
	WorstLo, WorstHi float64
	Period           float64 // s, median
	P                float64 // sign test of last against first third over cycles
	Rows             float64 // median rows of the index-only scans; 0 without
	Cost             sawCost
}

// sawCost compares the cheap and the dear end of the cycles.
type sawCost struct {
	buffers, duration float64 // worst ÷ fresh; NaN if unknown
	freshMS, worstMS  float64
}

// findSawtooths tries every query, and every DELETE, which may have to look for
// its rows, on every relation it names that was vacuumed often enough.
func findSawtooths(m *dataset.Model, minCycles int, held func(*dataset.Vacuum) bool) []*sawtooth {
	var out []*sawtooth
	for _, s := range m.Statements {
		if s.Target != nil && s.Command != "DELETE" || len(s.Executions) < 3*minCycles {
			continue
		}
		for _, r := range s.Relations {
			if len(r.Vacuums) <= minCycles {
				continue
			}
			for _, metric := range sawMetrics {
				points := sawPoints(s, metric)
				if len(points) < 3*minCycles || 2*len(points) < len(s.Executions) {
					continue
				}
				if w := sawtoothOf(s, r, metric, points, held); len(w.Cycles) >= minCycles {
					out = append(out, w)
				}
				break
			}
		}
	}
	return out
}

func sawPoints(s *dataset.Statement, metric sawMetric) []sawPoint {
	var out []sawPoint
	for _, e := range s.Executions {
		if y, ok := metric.value(e); ok && e.Time.Known() && e.Kind != record.ExecExplain {
			out = append(out, sawPoint{e, y})
		}
	}
	return out
}

func sawtoothOf(s *dataset.Statement, r *dataset.Relation, metric sawMetric, points []sawPoint, held func(*dataset.Vacuum) bool) *sawtooth {
	w := &sawtooth{Statement: s, Relation: r, Metric: metric}
	var before *sawCycle
	for _, c := range sawCycles(r.Vacuums, points) {
		if len(c.Points) == 0 {
			continue
		}
		c.First, c.Last = c.Points[0].y, c.Points[len(c.Points)-1].y
		c.Held = c.From != nil && held(c.From)
		switch {
		case c.Held:
			w.Held++
		case !c.complete():
			w.Edges = append(w.Edges, c)
		case len(c.Points) >= 2:
			w.Cycles = append(w.Cycles, c)
		}
		if !c.Held && c.From != nil && before != nil && before.complete() && before.Last > 0 {
			w.Judged++
			if c.First <= 0.5*before.Last {
				w.Resets++
			}
			if c.First < before.Last {
				w.Falls++
			}
		}
		before = c
	}
	w.measure()
	return w
}

// sawCycles cuts the readings at the vacuums. A reading that overlaps a vacuum
// belongs to no cycle: effects count from a vacuum's end, the worst point is
// looked for up to its start.
func sawCycles(vacuums []*dataset.Vacuum, points []sawPoint) []*sawCycle {
	var out []*sawCycle
	var from *dataset.Vacuum
	for i := 0; i <= len(vacuums); i++ {
		c := &sawCycle{From: from}
		if i < len(vacuums) {
			c.To = vacuums[i]
		}
		for _, p := range points {
			if (from == nil || p.exec.Start >= from.End) && (c.To == nil || p.exec.Time <= c.To.Start) {
				c.Points = append(c.Points, p)
			}
		}
		out = append(out, c)
		from = c.To
	}
	return out
}

// measure fills the figures over the complete cycles.
func (w *sawtooth) measure() {
	var fresh, worst, periods []float64
	rises, falls := 0, 0
	for _, c := range w.Cycles {
		fresh, worst = append(fresh, c.First), append(worst, c.Last)
		periods = append(periods, c.To.End.Sub(c.From.End).Seconds())
		third := max(1, len(c.Points)/3)
		lo, hi := medianY(c.Points[:third]), medianY(c.Points[len(c.Points)-third:])
		c.Rises = hi > lo
		if hi > lo {
			rises++
		} else if hi < lo {
			falls++
		}
	}
	w.Fresh, w.FreshLo, w.FreshHi = stats.Median(fresh), stats.Quantile(fresh, 0), stats.Quantile(fresh, 1)
	w.Worst, w.WorstLo, w.WorstHi = stats.Median(worst), stats.Quantile(worst, 0), stats.Quantile(worst, 1)
	w.Period = stats.Median(periods)
	w.P = stats.SignTest(rises, falls).P
	w.Rows = w.scanRows()
	w.Cost = w.cost()
}

func medianY(points []sawPoint) float64 {
	y := make([]float64, len(points))
	for i, p := range points {
		y[i] = p.y
	}
	return stats.Median(y)
}

func (w *sawtooth) rising() int {
	n := 0
	for _, c := range w.Cycles {
		if c.Rises {
			n++
		}
	}
	return n
}

// scanRows is the median number of rows that the index-only scans returned.
func (w *sawtooth) scanRows() float64 {
	var rows []float64
	for _, c := range w.Cycles {
		for _, p := range c.Points {
			if f := p.exec.Figures; f != nil && f.HasHeapFetches {
				rows = append(rows, f.IndexOnlyRows.Float())
			}
		}
	}
	if len(rows) == 0 {
		return 0
	}
	return stats.Median(rows)
}

// cost compares the first with the last fifth of the readings of each cycle,
// in buffers and in time: single readings of time are noisy.
func (w *sawtooth) cost() sawCost {
	var fb, wb, fd, wd []float64
	for _, c := range w.Cycles {
		fifth := max(1, len(c.Points)/5)
		for _, p := range c.Points[:fifth] {
			fb, fd = p.cost(fb, fd)
		}
		for _, p := range c.Points[len(c.Points)-fifth:] {
			wb, wd = p.cost(wb, wd)
		}
	}
	return sawCost{
		buffers: stats.Median(wb) / stats.Median(fb), duration: stats.Median(wd) / stats.Median(fd),
		freshMS: stats.Median(fd), worstMS: stats.Median(wd),
	}
}

// cost appends the reading's buffers, if it tells them, and its time in ms.
func (p sawPoint) cost(buffers, ms []float64) ([]float64, []float64) {
	if f := p.exec.Figures; f != nil && f.HasBuffers {
		buffers = append(buffers, float64(f.Own.Shared()))
	}
	return buffers, append(ms, p.exec.Duration.Milliseconds())
}

// effect is the dear end of a cycle over the fresh one, in buffers where they
// are known: they do not depend on the machine.
func (c sawCost) effect() float64 {
	if !math.IsNaN(c.buffers) {
		return c.buffers
	}
	return c.duration
}

// shareAbove is the median share of a cycle's time spent above the limit.
func (w *sawtooth) shareAbove(limit float64) float64 {
	var t, y []float64
	cycles := make([]stats.Cycle, len(w.Cycles))
	for i, c := range w.Cycles {
		cycles[i] = stats.Cycle{From: float64(c.From.End), To: float64(c.To.Start)}
		for _, p := range c.Points {
			t, y = append(t, float64(p.exec.Start)), append(y, p.y)
		}
	}
	var shares []float64
	for _, s := range stats.Fold(cycles, t, y) {
		shares = append(shares, s.ShareAbove(limit))
	}
	return stats.Median(shares)
}

// shapes counts the plan shapes over all readings.
func (w *sawtooth) shapes() int {
	seen := map[uint64]bool{}
	for _, c := range w.Cycles {
		for _, p := range c.Points {
			if p.exec.Figures != nil {
				seen[p.exec.Figures.Shape] = true
			}
		}
	}
	return len(seen)
}

// readings are all points of the complete cycles in order of time.
func (w *sawtooth) readings() []sawPoint {
	var out []sawPoint
	for _, c := range w.Cycles {
		out = append(out, c.Points...)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].exec.Time < out[j].exec.Time })
	return out
}
