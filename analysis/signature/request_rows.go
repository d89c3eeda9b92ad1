package signature

import (
	"math"
	"sort"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

const (
	// emptyBand is the equivalence band of the rows that an added child
	// returns, as a share of the mean per child at the smallest N.
	emptyBand = 0.10
	// workBand is the share of that mean above which every added child works.
	workBand = 0.80
	// rowsOverlap is how far pg_stat_statements' calls of the child may differ
	// from those of the requests: beyond it others run the statement too.
	rowsOverlap = 0.05
)

// childRows is what is known of the rows that children return.
type childRows struct {
	from       string  // "plans", "pg_stat_statements", or "" if unknown
	perRequest float64 // median over the readings
	perChild   float64 // mean
	mean       float64 // mean per request
	bottom     float64 // mean per child at the smallest N
	// marginal is the rows that one more child adds to a request.
	marginal stats.Fit
	readings int // intervals or requests behind marginal
	// empty is the share of children that returned nothing, over all and at the
	// greatest N; exact if counted from plans, else at least that much.
	empty, emptyTop float64
	exact           bool
	adds            bool // an added child returns nothing
	works           bool // each added child returns rows
}

func (r childRows) known() bool { return r.from != "" }

// decided reports whether the rows tell if an added child returns any.
func (r childRows) decided() bool { return r.exact || r.adds || r.works }

func rowsOf(g *fanOutGroup) childRows {
	r := childRows{empty: math.NaN(), emptyTop: math.NaN(), perRequest: math.NaN(), perChild: math.NaN(), bottom: math.NaN()}
	if n, rows, ok := g.rowsFromPlans(&r); ok {
		r.judge(g, n, rows, nil)
	} else if n, rows, w, ok := g.rowsFromDiffs(); ok {
		r.from = "pg_stat_statements"
		r.judge(g, n, rows, w)
		r.bound(g)
	}
	return r
}

// rowsFromPlans counts rows of each request, where every child has a plan.
func (g *fanOutGroup) rowsFromPlans(r *childRows) (n, rows []float64, ok bool) {
	var calls, empty, topCalls, topEmpty int
	for i := range g.requests {
		q := &g.requests[i]
		var sum float64
		missing := false
		q.children(g.child, func(e *dataset.Execution) {
			if e.Figures == nil || !e.Figures.HasRows {
				missing = true
				return
			}
			calls++
			nothing := e.Figures.Rows == 0
			if nothing {
				empty++
			}
			if q.n >= g.top().from {
				topCalls++
				if nothing {
					topEmpty++
				}
			}
			sum += e.Figures.Rows.Float()
		})
		if !missing {
			n, rows = append(n, float64(q.n)), append(rows, sum)
		}
	}
	if float64(calls) < fanOutCoverage*float64(g.children) || len(n) == 0 {
		return nil, nil, false
	}
	r.from, r.exact = "plans", true
	r.empty = float64(empty) / float64(calls)
	r.emptyTop = float64(topEmpty) / float64(max(1, topCalls))
	return n, rows, true
}

// diffReading is one interval of pg_stat_statements with requests in it.
type diffReading struct {
	at                record.Time
	n, rows, requests float64 // n and rows per request
}

// diffRows gives mean N and rows per request of each interval.
func (g *fanOutGroup) diffRows() []diffReading {
	var out []diffReading
	for _, d := range g.child.Diffs {
		from := sort.Search(len(g.requests), func(i int) bool { return g.requests[i].start > d.From })
		to := sort.Search(len(g.requests), func(i int) bool { return g.requests[i].start > d.To })
		var children float64
		for i := from; i < to; i++ {
			children += float64(g.requests[i].n)
		}
		if w := float64(to - from); w > 0 {
			out = append(out, diffReading{at: d.To, n: children / w, rows: float64(d.Rows) / w, requests: w})
		}
	}
	return out
}

// rowsFromDiffs is diffRows in columns. It is false if pg_stat_statements
// counted other calls of the child than those of the requests: others run it
// too.
func (g *fanOutGroup) rowsFromDiffs() (n, rows, weight []float64, ok bool) {
	var counted, seen float64
	for _, d := range g.child.Diffs {
		counted += float64(d.Calls)
	}
	for _, d := range g.diffRows() {
		n, rows, weight = append(n, d.n), append(rows, d.rows), append(weight, d.requests)
		seen += d.n * d.requests
	}
	ok = len(n) > 0 && math.Abs(seen/counted-1) <= rowsOverlap
	return n, rows, weight, ok
}

// judge fits rows per request on N. An added child returns nothing if the
// interval of the slope lies within emptyBand of the mean at the smallest N.
func (r *childRows) judge(g *fanOutGroup, n, rows, w []float64) {
	var sumN, sumRows, sumW float64
	for i := range n {
		weight := 1.0
		if w != nil {
			weight = w[i]
		}
		sumN += n[i] * weight
		sumRows += rows[i] * weight
		sumW += weight
	}
	r.readings = len(n)
	r.perChild = sumRows / sumN
	r.mean = sumRows / sumW
	r.perRequest = stats.Median(rows)
	r.bottom = r.atBottom(n, rows)
	if !g.varies() {
		r.marginal.Slope, r.marginal.Interval = math.NaN(), stats.Interval{Lo: math.NaN(), Hi: math.NaN()}
		r.works = r.exact && r.empty <= 1-workBand || !r.exact && r.perChild >= 1
		return
	}
	r.marginal = stats.SlopeInterval(n, rows, w)
	r.adds = r.marginal.Interval.Within(-emptyBand*r.bottom, emptyBand*r.bottom)
	r.works = r.marginal.Interval.Lo >= workBand*r.bottom
}

// atBottom is the median of rows per child over the readings near the least N.
func (r *childRows) atBottom(n, rows []float64) float64 {
	limit := variesFactor * stats.Quantile(n, 0)
	var v []float64
	for i := range n {
		if n[i] <= limit {
			v = append(v, rows[i]/n[i])
		}
	}
	return stats.Median(v)
}

// bound says how many children must have returned nothing: a child that did
// return returned at least a row, and where an added child returns nothing,
// no more than the smallest N did.
func (r *childRows) bound(g *fanOutGroup) {
	full := r.mean
	if r.adds {
		full = min(full, g.bottom().n)
	}
	var empty float64
	for i := range g.requests {
		empty += max(0, float64(g.requests[i].n)-full)
	}
	r.empty = empty / float64(g.children)
	r.emptyTop = max(0, 1-full/g.top().n)
}
