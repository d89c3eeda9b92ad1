package signature

import (
	"fmt"
	"math"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// heldVacuums are the vacuums that PGA205 holds to be held back.
func heldVacuums(p *Pass) map[*dataset.Vacuum]bool {
	out := map[*dataset.Vacuum]bool{}
	limits := heldLimitsOf(p.limits(vacuumBlocked))
	for _, r := range p.Model.Relations {
		ends := map[record.Time]bool{}
		for _, run := range heldRuns(r, limits) {
			for _, p := range run.Passes {
				ends[p.End] = true
			}
		}
		for _, v := range r.Vacuums {
			if ends[v.End] {
				out[v] = true
			}
		}
	}
	return out
}

// finding tells the sawtooth with its working.
func (w *sawtooth) finding(p *Pass) finding.Finding {
	f := finding.Finding{
		Subject: finding.Subject{Relation: w.Relation.Name, Fingerprint: w.Statement.Fingerprint, Statement: w.Statement.Normalized},
		Title:   fmt.Sprintf("A query on %s slows down until each vacuum and recovers", w.Relation.Name),
		Effect:  w.Cost.effect(),
		Share:   timeShare(p.Model, w.Statement, fromPlans),
		Onset:   w.onset(),
	}
	f.Confidence, f.WhyConfidence = w.confidence(p)
	f.Figures = w.figures(p)
	f.RuledOut = w.ruledOut(p)
	f.Summary = w.summary(p, f.RuledOut)
	f.Evidence = w.evidence()
	f.Series = w.series()
	f.N = fmt.Sprintf("%d complete cycles, %d readings inside them, %d outside", len(w.Cycles), len(w.readings()), w.outside())
	w.remedy(p, &f)
	return f
}

func (w *sawtooth) onset() *finding.Onset {
	first := w.Cycles[0].From
	return &finding.Onset{Time: first.End, Event: "first complete cycle after the vacuum of " + w.Relation.Name,
		EventTime: first.End, EventPos: first.Pos, End: record.NoTime}
}

func (w *sawtooth) outside() int {
	n := 0
	for _, c := range w.Edges {
		n += len(c.Points)
	}
	return n
}

// confidence: the equation is the rise inside and the reset at the events; the
// events are the vacuums themselves; the control is that the fresh values do
// not drift, so that nothing else grows.
func (w *sawtooth) confidence(p *Pass) (finding.Confidence, string) {
	c, why := finding.Confirmed, "holds: rise inside and reset at every vacuum, events, control (one plan, fresh values without drift)"
	switch {
	case !w.Metric.heap:
		c, why = finding.Likely, "holds: rise inside and reset at every vacuum, events; missing: heap fetches in plans"
	case len(w.Cycles) < 6:
		c, why = finding.Likely, fmt.Sprintf("holds: rise and reset, events; missing: more than %d cycles for a test", len(w.Cycles))
	}
	if w.Sparse {
		c, why = finding.Possible, "holds: rise inside every cycle, lower after every vacuum; missing: readings soon enough after a vacuum to see the reset"
	}
	if p.Model.Logging.Censored() && c > finding.Possible {
		c, why = finding.Possible, why+"; "+p.Model.Logging.Why
	}
	return c, why
}

func (w *sawtooth) figures(p *Pass) []finding.Figure {
	unit := w.Metric.unit
	out := []finding.Figure{
		{What: w.Metric.name + " just after a vacuum", Value: w.Fresh, Unit: unit, Says: "fresh",
			Text: fmt.Sprintf("%s (%s to %s)", num(w.Fresh), num(w.FreshLo), num(w.FreshHi))},
		{What: w.Metric.name + " just before the next", Value: w.Worst, Unit: unit, Says: "worst",
			Text: fmt.Sprintf("%s (%s to %s)", num(w.Worst), num(w.WorstLo), num(w.WorstHi))},
		{What: "cycles that rise inside", Value: float64(w.rising()), Unit: "cycles", PValue: p.Test(w.P),
			Text: fmt.Sprintf("%d of %d", w.rising(), len(w.Cycles)), Limit: fmt.Sprintf("at least %s", percent(p.limit("min_rising"))), Says: "explains"},
		{What: "openings at half the worst or less", Value: float64(w.Resets), Unit: "cycles",
			Text: fmt.Sprintf("%d of %d", w.Resets, w.Judged), Limit: fmt.Sprintf("at least %s", percent(p.limit("min_resets"))), Says: "vacuum resets"},
		{What: "period", Value: w.Period, Unit: "s", Text: span(w.Period)},
		{What: "time per execution, fresh and worst", Value: w.Cost.worstMS, Unit: "ms",
			Text: fmt.Sprintf("%s ms, %s ms (%s)", num(w.Cost.freshMS), num(w.Cost.worstMS), times(w.Cost.duration))},
	}
	if !math.IsNaN(w.Cost.buffers) {
		out = append(out, finding.Figure{What: "buffers, worst ÷ fresh", Value: w.Cost.buffers, Unit: "x", Text: times(w.Cost.buffers)})
	}
	if w.Metric.heap {
		limit := p.limit("tolerated_share") * w.Rows
		above := w.shareAbove(limit)
		out = append(out, finding.Figure{What: fmt.Sprintf("of a cycle above %s heap fetches", num(limit)), Value: above, Unit: "share",
			Text: percent(above), Limit: fmt.Sprintf("%s of %s rows", percent(p.limit("tolerated_share")), num(w.Rows))})
	}
	for _, c := range w.Edges {
		out = append(out, w.edgeFigure(c))
	}
	if w.Held > 0 {
		out = append(out, finding.Figure{What: "cycles behind a vacuum that was held back", Value: float64(w.Held), Unit: "cycles", Says: "left out, see PGA205"})
	}
	return out
}

// edgeFigure lists the partial segment before the first or after the last
// vacuum.
func (w *sawtooth) edgeFigure(c *sawCycle) finding.Figure {
	what := "before the first vacuum (partial)"
	if c.From != nil {
		what = "after the last vacuum (partial)"
	}
	return finding.Figure{What: what, Value: c.Last, Unit: w.Metric.unit, Says: "apart",
		Text: fmt.Sprintf("%s to %s, n = %d", num(c.First), num(c.Last), len(c.Points))}
}

func (w *sawtooth) summary(p *Pass, rivals []finding.RuledOut) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Right after each vacuum of %s the query %s; the period is %s. ", w.Relation.Name, w.change(), span(w.Period))
	if w.Metric.heap {
		fmt.Fprintf(&b, "The plan stays index-only in name while the visibility map decays: %s at the worst point instead of %s. ",
			span(w.Cost.worstMS/1000), span(w.Cost.freshMS/1000))
	}
	if not := ruledOutNames(rivals); not != "" {
		fmt.Fprintf(&b, "It is not %s. ", not)
	}
	if n := w.shapes(); n > 1 {
		fmt.Fprintf(&b, "The plan flips inside the cycle between %d shapes. ", n)
	}
	return strings.TrimSpace(b.String())
}

// change is what the query costs at both ends of a cycle.
func (w *sawtooth) change() string {
	switch {
	case w.Metric.heap:
		return fmt.Sprintf("visits the table for %s of %s rows, just before the next for %s", num(w.Fresh), num(w.Rows), num(w.Worst))
	case w.Metric.unit == "ms":
		return fmt.Sprintf("takes %s, just before the next %s", span(w.Fresh/1000), span(w.Worst/1000))
	}
	return fmt.Sprintf("reads %s %s, just before the next %s", num(w.Fresh), w.Metric.unit, num(w.Worst))
}

func (w *sawtooth) ruledOut(p *Pass) []finding.RuledOut {
	r := &rivals{p: p, statement: w.Statement, name: "the phase of the cycle"}
	for _, c := range w.Cycles {
		length := c.To.Start.Sub(c.From.End).Seconds()
		for _, pt := range c.Points {
			r.points = append(r.points, costPoint{At: pt.exec.Start, Rows: 1, Buffers: pt.y, N: 1, Exec: pt.exec})
			r.cost = append(r.cost, pt.y)
			r.mechanism = append(r.mechanism, saturating(pt.exec.Start.Sub(c.From.End).Seconds()/length))
		}
	}
	out := []finding.RuledOut{r.concurrency(), r.throughput(), w.drift(), w.planVerdict(), reads(r.points)}
	return append(out, w.rowsVerdict(), lockWaits(p.Model, w.Statement, w.Cycles[0].From.End, p.Model.To))
}

// saturating is the shape of visibility decay over a cycle, 1 − e^(−3·phase):
// (1 − 1/N)^k falls to about a twentieth in a cycle that is too long. It only
// takes the phase out of the rivals.
func saturating(phase float64) float64 { return 1 - math.Exp(-3*phase) }

// drift asks whether the fresh values climb from cycle to cycle: then something
// else grows too.
func (w *sawtooth) drift() finding.RuledOut {
	const rival = "growth of table or index"
	var t, y []float64
	for _, c := range w.Cycles {
		t, y = append(t, c.From.End.Sub(w.Cycles[0].From.End).Seconds()), append(y, c.First)
	}
	slope, _ := stats.TheilSen(t, y)
	moved := slope * t[len(t)-1]
	out := finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict,
		Figure: fmt.Sprintf("fresh values moved by %s %s over %d cycles", num(moved), w.Metric.unit, len(w.Cycles))}
	if moved > 0.5*(w.Worst-w.Fresh) {
		out.Verdict = finding.NotRuledOut
	}
	return out
}

func (w *sawtooth) planVerdict() finding.RuledOut {
	const rival = "plan change"
	switch n := w.shapes(); {
	case n == 0:
		return notMeasurable(rival, "no plans in input")
	case n == 1:
		return finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: "one shape in all cycles"}
	default:
		return finding.RuledOut{Rival: rival, Verdict: finding.NotRuledOut, Figure: fmt.Sprintf("%d shapes inside the cycles", n)}
	}
}

// rowsVerdict compares the rows at either end of the cycles.
func (w *sawtooth) rowsVerdict() finding.RuledOut {
	const rival = "rows returned"
	var lo, hi []float64
	for _, c := range w.Cycles {
		first, last := c.Points[0].exec.Figures, c.Points[len(c.Points)-1].exec.Figures
		if first != nil && last != nil && first.HasHeapFetches && last.HasHeapFetches {
			lo, hi = append(lo, first.IndexOnlyRows.Float()), append(hi, last.IndexOnlyRows.Float())
		}
	}
	if len(lo) == 0 {
		return notMeasurable(rival, "no rows of index-only scans in plans")
	}
	a, b := stats.Median(lo), stats.Median(hi)
	out := finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: fmt.Sprintf("%s fresh, %s worst", num(a), num(b))}
	if b > 1.2*a {
		out.Verdict = finding.NotRuledOut
	}
	return out
}

func (w *sawtooth) evidence() []finding.Evidence {
	var worst, fresh sawPoint
	for _, c := range w.Cycles {
		if last := c.Points[len(c.Points)-1]; worst.exec == nil || last.y > worst.y {
			worst = last
		}
		if first := c.Points[0]; fresh.exec == nil || first.y < fresh.y {
			fresh = first
		}
	}
	last := w.Cycles[len(w.Cycles)-1]
	latest := last.Points[len(last.Points)-1]
	at := func(what string, p sawPoint) finding.Evidence {
		return finding.Evidence{What: what, Pos: p.exec.Pos, Time: p.exec.Time, Value: p.y, Unit: w.Metric.unit, Limit: "fresh " + num(w.Fresh)}
	}
	first := w.Cycles[0]
	return []finding.Evidence{
		{What: "event", Pos: first.From.Pos, Time: first.From.End, Excerpt: "vacuum of " + w.Relation.Name},
		at("first", first.Points[0]), at("freshest", fresh), at("worst", worst), at("latest", latest),
	}
}

func (w *sawtooth) series() []finding.Series {
	over := finding.Column{Name: w.Metric.name, Unit: w.Metric.unit}
	folded := finding.Column{Name: w.Metric.name, Unit: w.Metric.unit}
	var marks []finding.Mark
	all := append([]*sawCycle{}, w.Cycles...)
	for _, c := range append(all, w.Edges...) {
		for _, p := range c.Points {
			over.Points = append(over.Points, finding.Point{X: float64(p.exec.Time), Y: p.y})
		}
	}
	sortPoints(over.Points)
	for _, c := range w.Cycles {
		for _, p := range c.Points {
			folded.Points = append(folded.Points, finding.Point{X: p.exec.Start.Sub(c.From.End).Seconds(), Y: p.y})
		}
		marks = append(marks, finding.Mark{Time: c.From.End, Text: "vacuum of " + w.Relation.Name})
	}
	marks = append(marks, finding.Mark{Time: w.Cycles[len(w.Cycles)-1].To.End, Text: "vacuum of " + w.Relation.Name})
	return []finding.Series{
		{Name: "Every vacuum resets the " + w.Metric.name, Kind: finding.SeriesTime, XLabel: "time", YLabel: w.Metric.name,
			Columns: []finding.Column{over}, Marks: marks},
		{Name: "All cycles laid over each other", Kind: finding.SeriesScatter, XLabel: "time since the vacuum", XUnit: "s", YLabel: w.Metric.name,
			Columns: []finding.Column{folded}},
	}
}
