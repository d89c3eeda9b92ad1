package signature

import (
	"fmt"
	"math"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// levelRows is how many levels the working shows.
const levelRows = 12

// seriesPoints caps the points of a chart.
const seriesPoints = 500

func onsetAt(t record.Time) *finding.Onset {
	return &finding.Onset{Time: t, EventTime: record.NoTime, End: record.NoTime}
}

// whole writes a count, which has decimals only where it is the median of two.
func whole(n float64) string {
	if n == math.Trunc(n) && math.Abs(n) < 1e15 {
		return thousands(int64(n))
	}
	return num(n)
}

func (g *fanOutGroup) fanOutFigures() []finding.Figure {
	out := []finding.Figure{g.perChildFigure()}
	if g.varies() {
		out = append(out, g.fixedFigure())
	}
	out = append(out, g.levelFigures(func(l requestLevel) string {
		return fmt.Sprintf("p50 %s ms, p95 %s ms, %s requests", num(l.p50), num(l.p95), thousands(int64(l.requests)))
	})...)
	n := make([]float64, len(g.requests))
	for i := range n {
		n[i] = float64(g.requests[i].n)
	}
	out = append(out,
		finding.Figure{What: "children per request (N), median", Value: stats.Median(n),
			Text: fmt.Sprintf("%s, at most %s", whole(stats.Median(n)), whole(stats.Quantile(n, 1)))},
		g.growthFigure(),
		g.rowsRatioFigure(),
		g.ownFigure())
	if g.rows.known() {
		out = append(out, finding.Figure{What: "rows per child (" + g.rows.from + ")", Value: g.rows.perChild, Unit: "rows"})
	}
	return out
}

func (g *fanOutGroup) perChildFigure() finding.Figure {
	b, bound := g.perChild()
	f := finding.Figure{What: "wall time per child (b)", Value: b, Unit: "ms/child"}
	if bound {
		f.Limit, f.Says = "upper bound: wall ÷ N", "not fitted"
		return f
	}
	f.Interval, f.Limit, f.Says = interval(g.fit.bInterval), "above 0", "explains"
	if !g.fit.holds() {
		f.Says = "does not hold"
	}
	return f
}

func (g *fanOutGroup) fixedFigure() finding.Figure {
	f := finding.Figure{What: "wall time without children (a)", Value: g.fit.a, Unit: "ms", Interval: interval(g.fit.aInterval), Limit: "not below 0", Says: "holds", Indent: true}
	if g.fit.aBelowZero() {
		f.Text, f.Says = "not determined", "an error of ours"
	}
	return f
}

// levelFigures is one row per level, thinned evenly to levelRows.
func (g *fanOutGroup) levelFigures(text func(requestLevel) string) []finding.Figure {
	var out []finding.Figure
	shown := min(len(g.levels), levelRows)
	for k := range shown {
		i := 0
		if shown > 1 {
			i = k * (len(g.levels) - 1) / (shown - 1)
		}
		l := g.levels[i]
		name := fmt.Sprintf("N = %d", l.from)
		if l.to > l.from {
			name = fmt.Sprintf("N = %d to %d", l.from, l.to)
		}
		out = append(out, finding.Figure{What: name, Value: l.p50, Unit: "ms", Text: text(l), Indent: true})
	}
	return out
}

func (g *fanOutGroup) growthFigure() finding.Figure {
	gr := g.growth
	f := finding.Figure{What: "N over time", Value: gr.last, Text: fmt.Sprintf("%s at first, %s at last", whole(gr.first), whole(gr.last))}
	switch {
	case math.IsNaN(gr.rank):
		f.Says = "constant"
	case gr.grew():
		f.Says = fmt.Sprintf("grew (rank r %.2f)", gr.rank)
	default:
		f.Says = fmt.Sprintf("no growth (rank r %.2f)", gr.rank)
	}
	return f
}

func (g *fanOutGroup) rowsRatioFigure() finding.Figure {
	f := finding.Figure{What: "child calls ÷ parent's rows", Value: g.rowsRatio, Limit: "in [0.95, 1.05]"}
	switch {
	case math.IsNaN(g.rowsRatio):
		f.Text, f.Says = "unknown", "not measurable: no rows of the parent in plans or pg_stat_statements"
	case oneForEachRow(g.rowsRatio):
		f.Text, f.Says = ratioText(g.rowsRatio)+" ("+g.rowsFrom+")", "one child per row"
	default:
		f.Text, f.Says = ratioText(g.rowsRatio)+" ("+g.rowsFrom+")", "not one per row"
	}
	return f
}

func (g *fanOutGroup) ownFigure() finding.Figure {
	o := g.own
	f := finding.Figure{What: "the child's own time in the server, mean", Value: o.mean, Unit: "ms",
		Text: fmt.Sprintf("%.3f ms (%.3f at the least N, %.3f at the greatest)", o.mean, o.bottom, o.top)}
	switch {
	case o.mixed():
		f.Says = "falls because cheaper children are added: a mix effect, no improvement"
	case o.flat():
		f.Says = "control quiet"
	default:
		f.Says = "rises"
	}
	return f
}

func (g *fanOutGroup) fanOutActions() []finding.Action {
	cost := fmt.Sprintf("one change in the client; saves about %s ms of %s ms per request at N = %s", num(g.top().p50-g.fixedCost()-g.once()), num(g.top().p50), whole(g.top().n))
	if q, term, ok := g.key(); ok && !g.isWrite() {
		return []finding.Action{{Do: q.atOnce(term), SQL: true,
			Cost: cost + "; pass all keys as one array of the column's type; read-only, no locks beyond the child's own"}}
	}
	if g.isWrite() {
		return []finding.Action{{Do: "write all rows of a request with one statement (several VALUES rows, unnest of arrays, or COPY), or pipeline the statements",
			Cost: cost + "; one statement fails or succeeds as a whole"}}
	}
	return []finding.Action{{Do: askOnce(g.child), Cost: cost}}
}

// askOnce is the advice for a child whose key is not known.
func askOnce(child *dataset.Statement) string {
	if q, ok := parseChildQuery(child.Normalized); ok && q.limited {
		return "ask once for all rows of the parent: a lateral join with it, or with unnest of the keys as an array, since each child has its own order, limit or aggregate"
	}
	return "ask once for all rows of the parent: a join with it, or = ANY($1) with the keys as an array"
}

// once is what one statement for all children is taken to cost in ms: a round
// trip and the server's work for all of them.
func (g *fanOutGroup) once() float64 {
	b, _ := g.perChild()
	return min(g.top().p50, b+g.top().n*g.own.top)
}

// willNotHelp is computed; nothing is said where the server does much of the
// work.
func (g *fanOutGroup) willNotHelp() []string {
	top := g.top()
	if top.share() >= outsideShare {
		return nil
	}
	server := top.server / float64(top.requests)
	return []string{fmt.Sprintf("indexes, shared_buffers, more CPU for the server, or search settings such as hnsw.ef_search: a server twice as fast saves at most %s ms of %s ms",
		num(server/2), num(top.wall/float64(top.requests)))}
}

func (g *fanOutGroup) fanOutNotes() []string {
	var notes []string
	if share := g.top().share(); share >= serverBound {
		notes = append(notes, fmt.Sprintf("the server works for %s of a request: make the child cheaper as well, and see the findings on its plan", percent(share)))
	}
	for _, s := range g.others {
		notes = append(notes, fmt.Sprintf("the same loop also runs %q: its time is contained in the figures above", shorten(s.Normalized, 120)))
	}
	if !g.rows.known() {
		notes = append(notes, "it is unknown how many rows the children return: if each does work that is needed, only the round trips can be saved")
	}
	if g.mixed > 0 {
		notes = append(notes, fmt.Sprintf("%s left out: their session held the children of several requests, as poolers do", plural(g.mixed, "request")))
	}
	if g.plansOnly {
		notes = append(notes, "durations are those of plans: parse and bind are missing in the server's time")
	}
	return notes
}

// wallSeries are wall time against N with the fit, both over time, and the
// server's share against N.
func (g *fanOutGroup) wallSeries() []finding.Series {
	var cloud, n, wall []finding.Point
	for _, i := range thinRows(allRows(len(g.requests)), seriesPoints) {
		r := &g.requests[i]
		t := float64(r.start)
		cloud = append(cloud, finding.Point{X: float64(r.n), Y: r.wall()})
		n = append(n, finding.Point{X: t, Y: float64(r.n)})
		wall = append(wall, finding.Point{X: t, Y: r.wall()})
	}
	scatter := finding.Series{
		Name: fmt.Sprintf("A request takes %s per child", g.perChildText()), Kind: finding.SeriesScatter,
		XLabel: "children per request", YLabel: "wall time", Columns: []finding.Column{{Name: "requests", Unit: "ms", Points: cloud}},
	}
	if g.varies() {
		scatter.Fit = &finding.Line{Intercept: g.fit.a, Slope: g.fit.b, From: g.bottom().n, To: g.top().n}
	}
	over := finding.Series{
		Name: "Wall time follows the number of children", Kind: finding.SeriesTime, YLabel: "wall time per request",
		Columns: []finding.Column{{Name: "wall per request", Unit: "ms", Points: wall}, {Name: "children per request", Points: n, Secondary: true}},
	}
	if o := g.onset(); o != nil && o.EventTime.Known() {
		over.Marks = []finding.Mark{{Time: o.EventTime, Text: o.Event}}
	}
	return []finding.Series{over, scatter, g.shareSeries()}
}
