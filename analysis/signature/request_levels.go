package signature

import (
	"math"
	"sort"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

const (
	// levelRequests makes a value of N a level of its own; where such values
	// hold less than levelCoverage of the requests, N is cut into levelBins
	// bins of equal count.
	levelRequests = 3
	levelCoverage = 0.80
	levelMax      = 40
	levelBins     = 12
	// variesFactor is how far apart the levels must lie for a slope.
	variesFactor = 1.2

	fitReplicates = 200
	fitRows       = 150 // requests in one replicate of the intercept
	fitSeed       = 401
	// fitResidual is how far the level medians may lie from the line, at the
	// median, for the line to hold.
	fitResidual = 0.15
)

// requestLevel is the requests of one N, or of a bin of N.
type requestLevel struct {
	n            float64 // median N
	from, to     int     // N
	requests     int
	p50, p95     float64 // wall, ms
	wall, server float64 // sums, ms
}

// share is the server's part of the wall time.
func (l requestLevel) share() float64 { return l.server / l.wall }

// cutLevels fills the levels, by ascending N, and gives each request its
// level, −1 for none.
func (g *fanOutGroup) cutLevels() []int {
	bounds := levelBounds(g.requests)
	of := make([]int, len(g.requests))
	members := make([][]int, len(bounds))
	for i := range g.requests {
		n := g.requests[i].n
		k := sort.Search(len(bounds), func(k int) bool { return bounds[k][1] >= n })
		of[i] = -1
		if k < len(bounds) && n >= bounds[k][0] {
			of[i] = k
			members[k] = append(members[k], i)
		}
	}
	for k, rows := range members {
		g.levels = append(g.levels, levelOf(g.requests, rows, bounds[k]))
	}
	return of
}

func levelOf(requests []request, rows []int, bounds [2]int) requestLevel {
	l := requestLevel{from: bounds[0], to: bounds[1], requests: len(rows)}
	n := make([]float64, len(rows))
	wall := make([]float64, len(rows))
	for k, i := range rows {
		r := &requests[i]
		n[k], wall[k] = float64(r.n), r.wall()
		l.wall += wall[k]
		l.server += r.server.Milliseconds()
	}
	l.n, l.p50, l.p95 = stats.Median(n), stats.Median(wall), stats.Quantile(wall, 0.95)
	return l
}

// levelBounds are the least and the greatest N of each level.
func levelBounds(requests []request) [][2]int {
	sorted := make([]int, len(requests))
	for i := range requests {
		sorted[i] = requests[i].n
	}
	sort.Ints(sorted)
	var out [][2]int
	held := 0
	for from := 0; from < len(sorted); {
		to := sort.SearchInts(sorted, sorted[from]+1)
		if to-from >= levelRequests {
			out = append(out, [2]int{sorted[from], sorted[from]})
			held += to - from
		}
		from = to
	}
	if float64(held) < levelCoverage*float64(len(sorted)) || len(out) > levelMax {
		return levelsOfEqualCount(sorted)
	}
	above := sort.SearchInts(sorted, out[len(out)-1][1]+1)
	if len(sorted)-above >= levelRequests { // rare but great
		out = append(out, [2]int{sorted[above], sorted[len(sorted)-1]})
	}
	return out
}

func levelsOfEqualCount(sorted []int) [][2]int {
	bins := min(levelBins, max(2, len(sorted)/8))
	var out [][2]int
	from := 0
	for b := 1; b <= bins && from < len(sorted); b++ {
		last := max(from, b*len(sorted)/bins-1)
		to := sort.SearchInts(sorted, sorted[last]+1)
		out = append(out, [2]int{sorted[from], sorted[to-1]})
		from = to
	}
	return out
}

// requestFit is wall = a + b·N in ms over the requests, by Theil and Sen's
// method. Least squares is not used: a few disturbed requests would turn it.
type requestFit struct {
	a, b                 float64 // NaN without two values of N
	aInterval, bInterval stats.Interval
	residual             float64 // median over the levels of |p50 − line| ÷ p50
}

// holds reports that wall time grows with N, and in a line.
func (f requestFit) holds() bool { return f.bInterval.Lo > 0 && f.residual <= fitResidual }

// aBelowZero reports that the time for no child comes out negative beyond its
// interval, which cannot be: an error of ours.
func (f requestFit) aBelowZero() bool { return f.aInterval.OK() && f.aInterval.Hi < 0 }

func noFit() requestFit {
	none := stats.Interval{Lo: math.NaN(), Hi: math.NaN()}
	return requestFit{a: math.NaN(), b: math.NaN(), residual: math.NaN(), aInterval: none, bInterval: none}
}

// fitRequests fits the line; its intervals are from block bootstraps over the
// requests in their order.
func fitRequests(requests []request, levels []requestLevel) requestFit {
	x, y := make([]float64, len(requests)), make([]float64, len(requests))
	for i := range requests {
		x[i], y[i] = float64(requests[i].n), requests[i].wall()
	}
	fit := stats.SlopeInterval(x, y, nil)
	f := noFit()
	f.a, f.b, f.bInterval = fit.Intercept, fit.Slope, fit.Interval
	off := make([]float64, len(levels))
	for k, l := range levels {
		off[k] = math.Abs(l.p50-fit.At(l.n)) / l.p50
	}
	f.residual = stats.Median(off)
	if fit.Block > 0 {
		f.aInterval = interceptInterval(x, y, fit)
	}
	return f
}

// interceptInterval fits line by line anew. It thins the requests to
// fitRows, which can only widen the interval.
func interceptInterval(x, y []float64, fit stats.Fit) stats.Interval {
	rows := thinRows(allRows(len(x)), fitRows)
	block := max(1, fit.Block*len(rows)/len(x))
	xs, ys := make([]float64, len(rows)), make([]float64, len(rows))
	i, _ := stats.BlockBootstrap(len(rows), block, fitReplicates, fitSeed, func(drawn []int) float64 {
		for k, d := range drawn {
			xs[k], ys[k] = x[rows[d]], y[rows[d]]
		}
		_, a := stats.TheilSen(xs, ys)
		return a
	})
	return i
}

// thinRows keeps at most limit rows, evenly.
func thinRows(rows []int, limit int) []int {
	if len(rows) <= limit {
		return rows
	}
	out := make([]int, limit)
	for k := range out {
		out[k] = rows[k*len(rows)/limit]
	}
	return out
}

func allRows(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// requestGrowth is how N moved over time.
type requestGrowth struct {
	first, last float64 // median N of the first and the last tenth
	rank        float64 // Spearman's r of N with time; NaN if N is constant
	onset       record.Time
	// event is the last write to a relation of the parent before onset; nil if
	// there is none.
	event *dataset.Execution
	// appeared is when parent or child was first seen, if well after the log
	// began; NoTime otherwise.
	appeared record.Time
}

const (
	grewFactor = 1.5 // last ÷ first
	grewRank   = 0.5
	// appearedShare of the log's span must have passed without the statement,
	// and appearedAfter of time, for it to count as new.
	appearedShare = 0.10
	appearedAfter = 60 * record.Second
	eventLag      = 600 * record.Second
)

// grew reports that N rose over the span.
func (g requestGrowth) grew() bool { return g.last >= grewFactor*g.first && g.rank >= grewRank }

func growthOf(m *dataset.Model, g *fanOutGroup) requestGrowth {
	n, t := make([]float64, len(g.requests)), make([]float64, len(g.requests))
	for i := range g.requests {
		n[i], t[i] = float64(g.requests[i].n), float64(g.requests[i].start)
	}
	tenth := max(1, len(n)/10)
	gr := requestGrowth{
		first: stats.Median(n[:tenth]), last: stats.Median(n[len(n)-tenth:]), rank: stats.Spearman(t, n).R,
		onset: record.NoTime, appeared: record.NoTime,
	}
	for i := range n {
		if gr.grew() && n[i] > 1.1*gr.first {
			gr.onset = g.requests[i].start
			gr.event = writeBefore(m, g.parent, gr.onset)
			break
		}
	}
	seen := max(g.parent.FirstSeen, g.child.FirstSeen)
	after := seen.Sub(m.Executions[0].Time)
	if span := m.To.Sub(m.From); after >= appearedAfter && float64(after) >= appearedShare*float64(span) {
		gr.appeared = seen
	}
	return gr
}

// writeBefore is the last write, within eventLag before t, to a relation that
// the statement reads: what made it return more rows.
func writeBefore(m *dataset.Model, reader *dataset.Statement, t record.Time) *dataset.Execution {
	reads := map[string]bool{}
	for _, r := range reader.Statement.Relations {
		reads[r] = true
	}
	var last *dataset.Execution
	for _, s := range m.Statements {
		if !reads[s.Statement.Target] || s.Statement.Target == "" {
			continue
		}
		i := sort.Search(len(s.Executions), func(i int) bool { return s.Executions[i].Time > t })
		if i == 0 || t.Sub(s.Executions[i-1].Time) > eventLag {
			continue
		}
		if e := s.Executions[i-1]; last == nil || e.Time > last.Time {
			last = e
		}
	}
	return last
}
