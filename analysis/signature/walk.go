package signature

import (
	"math"
	"sort"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// walkReading pools the executions between two readings of a size: they are
// one reading of the cost, however many they are.
type walkReading struct {
	From, To record.Time
	Pages    float64 // mean size at the starts of the executions
	Cost     float64 // median buffers per row
	Upper    float64 // median of the executions that walk; NaN without any
	Walking  int     // executions above baseline + half the pages
	N        int     // executions (or calls)
	Rows     float64
	Buffers  float64 // of all executions
}

// walk is a statement whose cost follows the pages of an index.
type walk struct {
	Statement  *dataset.Statement
	Index      *dataset.Index
	Source     walkSource
	Event      *dataset.Vacuum // nil if no vacuum explains the onset
	Onset      record.Time
	Lag        record.Duration // from the end of Event to the onset; 0 if at once
	Before     []walkReading
	Transition []walkReading
	After      []walkReading
	BeforeFit  stats.Fit
	AfterFit   stats.Fit
	Mixed      bool    // the upper component walks, the median does not
	Baseline   float64 // buffers per row just before the onset
	Now        float64 // buffers per row at the end of After
	Offset     float64 // baseline + pages − cost: pages before the walk's start
	Residual   float64 // MAD of the fit after the transition
	Ended      *walkEnd
	HasBefore  bool // readings before the onset: baseline and level
	Quiet      bool // the slope before it lies inside its band
}

// walkEnd is where a walk stopped.
type walkEnd struct {
	Time    record.Time
	Rebuild *dataset.Rebuild // nil: the freed slots were filled
	Cost    float64          // buffers per row after it
}

// walkSource says what the cost per row was read from.
type walkSource int

const (
	fromPlans walkSource = iota
	fromDiffs            // pg_stat_statements
)

// Bands and floors of the page walk. They are declared as thresholds of
// PGA101 and read from there.
type walkLimits struct {
	slopeLo, slopeHi float64
	quietLo, quietHi float64
	minReadings      int
	minStep          float64
	levelTolerance   float64
	minWalkingShare  float64
	maxLag           record.Duration
}

// walkLimitsOf reads the thresholds of PGA101.
func walkLimitsOf(v map[string]float64) walkLimits {
	return walkLimits{
		slopeLo: v["slope_min"], slopeHi: v["slope_max"],
		quietLo: -v["quiet_slope"], quietHi: v["quiet_slope"],
		minReadings: int(v["min_readings"]), minStep: v["min_step"],
		levelTolerance: v["level_tolerance"], minWalkingShare: v["min_walking_share"],
		maxLag: record.Duration(v["max_lag"] * 3600 * float64(record.Second)),
	}
}

// baselineReadings is how many readings before the onset make the baseline.
const baselineReadings = 20

// maxReadings bounds the readings of one fit; beyond it neighbours are pooled.
const maxReadings = 400

// costPoint is the cost of one execution, or of one difference of
// pg_stat_statements.
type costPoint struct {
	At      record.Time
	Rows    float64
	Buffers float64
	N       int
	Exec    *dataset.Execution // nil for a difference
}

// perRow is buffers per row.
func (c costPoint) perRow() float64 { return c.Buffers / c.Rows }

// planCosts are the executions of a write that tell rows and buffers.
func planCosts(s *dataset.Statement) []costPoint {
	var out []costPoint
	for _, e := range s.Executions {
		f := e.Figures
		if f == nil || !f.HasRows || !f.HasBuffers || f.Rows <= 0 || !e.Start.Known() {
			continue
		}
		out = append(out, costPoint{At: e.Start, Rows: f.Rows.Float(), Buffers: float64(f.Own.Shared()), N: 1, Exec: e})
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].At < out[j].At })
	return out
}

// diffCosts are the statement's differences; each stands at its middle.
func diffCosts(s *dataset.Statement) []costPoint {
	var out []costPoint
	for _, d := range s.Diffs {
		if d.Rows > 0 {
			mid := d.From + (d.To-d.From)/2
			out = append(out, costPoint{At: mid, Rows: float64(d.Rows), Buffers: float64(d.Buffers()), N: int(d.Calls)})
		}
	}
	return out
}

// pool groups the points by the intervals of the size readings. A group of
// fewer than three executions joins the next; without a size a point is left
// out.
func pool(points []costPoint, sizes []dataset.Reading) []walkReading {
	x := dataset.Index{Sizes: sizes}
	var out []walkReading
	var group []costPoint
	var pages float64
	flush := func() {
		if len(group) > 0 {
			out = append(out, poolOf(group, pages/float64(len(group))))
		}
		group, pages = nil, 0
	}
	k := 0
	for _, p := range points {
		at, ok := x.PagesAt(p.At)
		if !ok {
			continue
		}
		crossed := false
		for k < len(sizes) && sizes[k].Time <= p.At {
			k++
			crossed = true
		}
		if crossed && enough(group) {
			flush()
		}
		group = append(group, p)
		pages += at
	}
	flush()
	for len(out) > maxReadings {
		out = halve(out)
	}
	return out
}

func enough(group []costPoint) bool {
	n := 0
	for _, p := range group {
		n += p.N
	}
	return n >= 3
}

func poolOf(group []costPoint, pages float64) walkReading {
	r := walkReading{From: group[0].At, To: group[len(group)-1].At, Pages: pages, Upper: math.NaN()}
	costs := make([]float64, len(group))
	for i, p := range group {
		costs[i] = p.perRow()
		r.N += p.N
		r.Rows += p.Rows
		r.Buffers += p.Buffers
	}
	r.Cost = stats.Median(costs)
	return r
}

// halve pools neighbours two by two, weighted by their executions.
func halve(rs []walkReading) []walkReading {
	var out []walkReading
	for i := 0; i < len(rs); i += 2 {
		a := rs[i]
		if i+1 < len(rs) {
			b := rs[i+1]
			wa, wb := float64(a.N), float64(b.N)
			a.Pages = (a.Pages*wa + b.Pages*wb) / (wa + wb)
			a.Cost = (a.Cost*wa + b.Cost*wb) / (wa + wb)
			a.To, a.N, a.Rows, a.Buffers = b.To, a.N+b.N, a.Rows+b.Rows, a.Buffers+b.Buffers
		}
		out = append(out, a)
	}
	return out
}

// walking fills Upper and Walking of each reading: the executions that cost
// more than the baseline and half the index.
func walking(rs []walkReading, points []costPoint, baseline float64) []walkReading {
	out := append([]walkReading(nil), rs...)
	for i := range out {
		r := &out[i]
		lo := sort.Search(len(points), func(k int) bool { return points[k].At >= r.From })
		var upper []float64
		r.Walking = 0
		for _, p := range points[lo:] {
			if p.At > r.To {
				break
			}
			if c := p.perRow(); c > baseline+r.Pages/2 {
				upper = append(upper, c)
				r.Walking += p.N
			}
		}
		r.Upper = stats.Median(upper)
	}
	return out
}

// columns are the readings as x (pages), y (cost) and weights (executions).
func columns(rs []walkReading, upper bool) (x, y, w []float64) {
	for _, r := range rs {
		c, n := r.Cost, r.N
		if upper {
			c, n = r.Upper, r.Walking
		}
		if math.IsNaN(c) {
			continue
		}
		x, y, w = append(x, r.Pages), append(y, c), append(w, float64(n))
	}
	return x, y, w
}
