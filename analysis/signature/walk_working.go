package signature

import (
	"fmt"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// figures are the working: slope after, slope before, level, transition, and
// the other things of the table that grew meanwhile.
func (w *walk) figures(p *Pass, before, after []costPoint) []finding.Figure {
	lim := walkLimitsOf(p.limits(p.now))
	out := []finding.Figure{{
		What: fmt.Sprintf("index pages (%s)", w.Index.Index), Value: w.AfterFit.Slope, Unit: "buffers/page",
		Interval: interval(w.AfterFit.Interval), Limit: fmt.Sprintf("in [%g, %g]", lim.slopeLo, lim.slopeHi), Says: "explains",
	}}
	if w.HasBefore {
		control := "control quiet"
		if !w.Quiet {
			control = "control open: too few readings"
		}
		out = append(out, finding.Figure{
			What: "before the onset", Value: w.BeforeFit.Slope, Unit: "buffers/page", Indent: true,
			Interval: interval(w.BeforeFit.Interval), Limit: fmt.Sprintf("in [%g, %g]", lim.quietLo, lim.quietHi), Says: control,
		}, finding.Figure{
			What: "baseline + pages − cost", Value: w.Offset, Unit: "pages", Indent: true,
			Limit: fmt.Sprintf("at least −%g of the cost, at most the index", lim.levelTolerance), Says: "holds",
			Text: fmt.Sprintf("%s + pages = cost, off by %s", num(w.Baseline), num(w.Offset)),
		})
	}
	if w.Lag > 0 {
		out = append(out, w.waiting())
	}
	if len(w.Transition) > 0 {
		out = append(out, finding.Figure{What: w.settling(), Value: w.settled().Sub(w.Onset).Seconds(), Unit: "s",
			Text: fmt.Sprintf("%s, index at %s to %s pages", span(w.settled().Sub(w.Onset).Seconds()),
				num(w.Transition[0].Pages), num(w.Transition[len(w.Transition)-1].Pages)), Says: "left out"})
	}
	out = append(out,
		finding.Figure{What: "buffers per row before", Value: w.Baseline, Unit: "buffers/row", Says: "baseline"},
		finding.Figure{What: "buffers per row now", Value: w.Now, Unit: "buffers/row", Says: times(w.Now / w.Baseline)})
	if w.Mixed {
		out = append(out, finding.Figure{What: "executions that walk", Value: share(w.After), Unit: "share", Says: "upper component fitted"})
		out = append(out, finding.Figure{What: "buffers per row over all executions", Value: w.together(), Unit: "buffers/row", Says: times(w.together() / w.Baseline), Indent: true})
	}
	out = append(out, w.collinear(p, after)...)
	out = append(out, elementsOf(p.Model, w.Index).figures()...)
	return append(out, w.scans()...)
}

// waiting is the time from the vacuum to the walk: the cost stayed while the index
// grew.
func (w *walk) waiting() finding.Figure {
	text := span(w.Lag.Seconds()) + " at the baseline"
	x := dataset.Index{Sizes: w.Index.History}
	from, known := x.PagesAt(w.Event.End)
	if to, ok := x.PagesAt(w.Onset); ok && known {
		text += fmt.Sprintf(", index from %s to %s pages", num(from), num(to))
	}
	return finding.Figure{What: "from the vacuum to the rise", Value: w.Lag.Seconds(), Unit: "s", Text: text, Says: "lag"}
}

func (w *walk) settling() string {
	if w.Lag > 0 {
		return "settling after the rise"
	}
	return "settling after the vacuum"
}

// collinear holds the other sizes of the table against the same equation:
// they grow together, so that only slope and level tell them apart.
func (w *walk) collinear(p *Pass, after []costPoint) []finding.Figure {
	var out []finding.Figure
	for _, x := range w.Index.Relation.Indexes {
		if x != w.Index {
			out = append(out, w.rivalSize(x.Index, x.History, after, walkLimitsOf(p.limits(p.now)))...)
		}
	}
	return append(out, w.rivalSize("heap of "+w.Index.Relation.Relation, w.Index.Relation.HeapSizes(p.Model.BlockSize), after, walkLimitsOf(p.limits(p.now)))...)
}

func (w *walk) rivalSize(name string, sizes []dataset.Reading, after []costPoint, lim walkLimits) []finding.Figure {
	rs := pool(after, sizes)
	if len(rs) < 5 || rs[len(rs)-1].Pages-rs[0].Pages < 2 {
		return nil
	}
	x, y, _ := columns(rs, false)
	slope, _ := stats.TheilSen(x, y)
	level := make([]float64, len(x))
	for i := range x {
		level[i] = w.Baseline + x[i] - y[i]
	}
	offset := stats.Median(level)
	says, why := "no: slope", fmt.Sprintf("%s buffers/page", num(slope))
	if slope >= lim.slopeLo && slope <= lim.slopeHi {
		if offset >= -lim.levelTolerance*w.Now {
			says = "not told apart"
		} else {
			says = "no: level"
		}
		why += fmt.Sprintf(", baseline + pages − cost = %s", num(offset))
	}
	return []finding.Figure{{What: name, Value: slope, Unit: "buffers/page", Text: why, Says: says, Indent: true}}
}

// scans of the index are those of its capture counters.
func (w *walk) scans() []finding.Figure {
	scanned := w.Index.Scanned()
	if len(scanned) == 0 {
		return nil
	}
	n, _ := dataset.Total(scanned)
	return []finding.Figure{{What: "scans of the index meanwhile", Value: float64(n), Unit: "scans", Says: "the writes pay, " + scansSay(n)}}
}

func scansSay(n int64) string {
	if n == 0 {
		return "no query reads it"
	}
	return "queries read it"
}

// ruledOut are the rivals with their figures.
func (w *walk) ruledOut(p *Pass, before, after []costPoint) []finding.RuledOut {
	if w.Source == fromDiffs {
		return w.ruledOutOfDiffs(p)
	}
	r := &rivals{p: p, statement: w.Statement, name: "the index pages"}
	x := dataset.Index{Sizes: w.Index.History}
	for _, c := range w.points() {
		pages, ok := x.PagesAt(c.At)
		if !ok || c.At < w.Onset || c.At > w.end() || w.Mixed && c.perRow() <= w.Baseline+pages/2 {
			continue
		}
		if c.At < w.settled() {
			r.settling++
		}
		r.points = append(r.points, c)
		r.cost = append(r.cost, c.perRow())
		r.mechanism = append(r.mechanism, pages)
	}
	return []finding.RuledOut{
		r.concurrency(), r.throughput(), r.rowsPerStatement(w.AfterFit.Line),
		planChange(before, after), reads(after),
		rowSize(w.Index.Relation, w.Onset),
		lockWaits(p.Model, w.Statement, w.Onset, w.end()),
		{Rival: "checkpoints", Verdict: finding.RuledOutVerdict, Figure: "the cost is counted in buffers, which no checkpoint changes"},
	}
}

func (w *walk) ruledOutOfDiffs(p *Pass) []finding.RuledOut {
	var hit, read int64
	var calls, cost, pages []float64
	x := dataset.Index{Sizes: w.Index.History}
	for _, d := range w.Statement.Diffs {
		mid := d.From + (d.To-d.From)/2
		at, ok := x.PagesAt(mid)
		if !ok || mid < w.settled() || mid > w.end() || d.Rows == 0 {
			continue
		}
		hit, read = hit+d.Hit, read+d.Read
		calls = append(calls, float64(d.Calls)/d.To.Sub(d.From).Seconds())
		cost = append(cost, float64(d.Buffers())/float64(d.Rows))
		pages = append(pages, at)
	}
	r := &rivals{p: p, statement: w.Statement, cost: cost, mechanism: pages, name: "the index pages"}
	return []finding.RuledOut{
		notMeasurable("concurrency", "no executions in input"),
		r.correlated("throughput", calls),
		notMeasurable("rows per statement", "no executions in input"),
		notMeasurable("plan change", "no plans in input"),
		readsOf(hit, read),
		rowSize(w.Index.Relation, w.Onset),
		lockWaits(p.Model, w.Statement, w.Onset, w.end()),
	}
}

// evidence are the event, and the first, worst and latest execution.
func (w *walk) evidence(points []costPoint) []finding.Evidence {
	var out []finding.Evidence
	if w.Event != nil {
		out = append(out, finding.Evidence{What: "event", Pos: w.Event.Pos, Time: w.Event.End, Excerpt: w.eventText()})
	}
	limit := fmt.Sprintf("baseline %s", num(w.Baseline))
	return append(out, costEvidence(points, w.Onset, w.end(), w.Baseline*1.2, limit)...)
}

// costEvidence are the first execution above a floor, the worst and the latest
// in a span.
func costEvidence(points []costPoint, from, to record.Time, floor float64, limit string) []finding.Evidence {
	var first, worst, last *costPoint
	for i := range points {
		c := &points[i]
		if c.Exec == nil || c.At < from || c.At > to {
			continue
		}
		if first == nil && c.perRow() > floor {
			first = c
		}
		if worst == nil || c.perRow() > worst.perRow() {
			worst = c
		}
		last = c
	}
	var out []finding.Evidence
	for _, e := range []struct {
		what string
		c    *costPoint
	}{{"first", first}, {"worst", worst}, {"latest", last}} {
		if e.c != nil {
			out = append(out, finding.Evidence{What: e.what, Pos: e.c.Exec.Pos, Time: e.c.Exec.Time,
				Value: e.c.perRow(), Unit: "buffers/row", Limit: limit})
		}
	}
	return out
}

// series are the cost and the size over time, and the cost against the size
// with our fit.
func (w *walk) series() []finding.Series {
	cost := finding.Column{Name: "buffers per row", Unit: "buffers/row"}
	pages := finding.Column{Name: "pages of " + w.Index.Index, Unit: "pages", Secondary: true}
	cloud := finding.Column{Name: "after the event", Unit: "buffers/row"}
	quiet := finding.Column{Name: "before the event", Unit: "buffers/row"}
	settling := finding.Column{Name: "settling, left out", Unit: "buffers/row"}
	for _, part := range []struct {
		rs  []walkReading
		col *finding.Column
	}{{w.Before, &quiet}, {w.Transition, &settling}, {w.After, &cloud}} {
		for _, r := range part.rs {
			y := r.Cost
			if w.Mixed && part.col == &cloud {
				y = r.Upper
			}
			t := float64(r.From)
			cost.Points = append(cost.Points, finding.Point{X: t, Y: y})
			pages.Points = append(pages.Points, finding.Point{X: t, Y: r.Pages})
			part.col.Points = append(part.col.Points, finding.Point{X: r.Pages, Y: y})
		}
	}
	var marks []finding.Mark
	if w.Event != nil {
		marks = append(marks, finding.Mark{Time: w.Event.End, Text: "vacuum of " + w.Index.Relation.Name})
	}
	if w.Ended != nil {
		marks = append(marks, finding.Mark{Time: w.Ended.Time, Text: "walk ends"})
	}
	fit := &finding.Line{Intercept: w.AfterFit.Intercept, Slope: w.AfterFit.Slope,
		From: w.After[0].Pages, To: w.After[len(w.After)-1].Pages}
	return []finding.Series{
		{Name: "Buffers per inserted row follow the index from the vacuum on", Kind: finding.SeriesTime,
			XLabel: "time", YLabel: "buffers per row", Columns: []finding.Column{cost, pages}, Marks: marks},
		{Name: fmt.Sprintf("%.2f buffers per page of %s", w.AfterFit.Slope, w.Index.Index), Kind: finding.SeriesScatter,
			XLabel: "index pages", YLabel: "buffers per row", XUnit: "pages",
			Columns: []finding.Column{quiet, settling, cloud}, Fit: fit},
	}
}
