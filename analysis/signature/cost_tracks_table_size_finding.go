package signature

import (
	"fmt"
	"math"
	"strings"

	"github.com/pgassay/pgassay/analysis/attribution"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/series"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

func (t *sizeTracking) finding(p *Pass) finding.Finding {
	f := finding.Finding{
		Subject: finding.Subject{Relation: t.Table.Name, Fingerprint: t.Statement.Fingerprint, Statement: t.Statement.Normalized},
		Title:   fmt.Sprintf("Each %s reads %s of %s, which grows", strings.ToLower(t.Statement.Command), t.howMuch(), t.Table.Name),
		Effect:  t.Time.ratio(),
		Share:   timeShare(p.Model, t.Statement, walkSource(t.Frame.Source)),
		Onset:   &finding.Onset{Time: t.Frame.Spans[0].From, Event: "before the input begins", EventTime: record.NoTime, End: record.NoTime},
		N:       fmt.Sprintf("%d readings of the table's size, %s executions", t.Pages.Raw.N, thousands(int64(sum(t.Frame.Executions)))),
	}
	f.Confidence, f.WhyConfidence = t.confidence()
	f.Figures = t.figures()
	f.RuledOut = t.ruledOut()
	f.Attribution = t.Answer.Table(t.Limits, p.Test)
	f.Forecast = t.forecast()
	f.Evidence = frameEvidence(t.Frame, series.BuffersPerExecution)
	f.Series = []finding.Series{t.series()}
	f.Summary = t.summary(&f)
	t.remedy(&f)
	return f
}

func sum(v []float64) float64 {
	total := 0.0
	for _, x := range v {
		total += x
	}
	return total
}

// howMuch is "all" where one buffer is read for each page.
func (t *sizeTracking) howMuch() string {
	if t.Pages.Equation {
		return "all"
	}
	return "a fixed share"
}

func (t *sizeTracking) summary(f *finding.Finding) string {
	text := fmt.Sprintf("%s grew from %s to %s pages (%s), and the statement followed: from %s to %s buffers and from %s to %s ms per execution (%s), for %s rows as before. ",
		t.Table.Name, num(t.Size.First), num(t.Size.Last), times(t.Size.ratio()), num(t.Buffers.First), num(t.Buffers.Last),
		num(t.Time.First), num(t.Time.Last), times(t.Time.ratio()), num(t.Rows.Last))
	text += fmt.Sprintf("Nothing broke: it reads %s of the table whatever it returns.", t.howMuch())
	if len(f.Forecast) > 0 {
		text += " " + f.Forecast[0].Text + "."
	}
	if not := ruledOutNames(f.RuledOut); not != "" {
		text += " It is not " + not + "."
	}
	return text
}

// confidence: the equation, the plan that shows the scan, and a control.
func (t *sizeTracking) confidence() (finding.Confidence, string) {
	equation := "equation (in proportion to the pages)"
	if t.Pages.Equation {
		equation = "equation (one buffer per page)"
	}
	held, missing := []string{equation}, []string(nil)
	for _, c := range []struct {
		ok   bool
		what string
	}{{t.Scan != nil, "plan (a scan of the whole table)"}, {t.Control != nil, "control (another statement on the table stays level)"}} {
		if c.ok {
			held = append(held, c.what)
		} else {
			missing = append(missing, c.what)
		}
	}
	why := "holds: " + strings.Join(held, ", ")
	if len(missing) > 0 {
		why += "; missing: " + strings.Join(missing, ", ")
	}
	c := finding.Confidence(len(held) - 1)
	if t.Frame.Source == series.FromStatements && c > finding.Likely {
		c, why = finding.Likely, why+"; read from differences of pg_stat_statements, not from executions"
	}
	if t.Frame.Censored != "" {
		c, why = finding.Possible, why+"; "+t.Frame.Censored
	}
	return c, why
}

func (t *sizeTracking) figures() []finding.Figure {
	limit := fmt.Sprintf("in [%g, %g]", t.Limits.SlopeMin, t.Limits.SlopeMax)
	slope := finding.Figure{What: "pages of " + t.Table.Name, Value: t.Pages.Fit.Slope, Unit: "buffers/page", Interval: interval(t.Pages.Fit.Interval), Limit: limit, Says: "explains"}
	if !t.Pages.Equation {
		slope.Limit = limit + " of cost ÷ pages"
		slope.Says = "in proportion"
	}
	out := []finding.Figure{slope, {What: "pages", Value: t.Size.Last, Unit: "pages", Text: change(t.Size), Says: times(t.Size.ratio()), Indent: true},
		{What: "buffers per execution", Value: t.Buffers.Last, Unit: "buffers", Text: change(t.Buffers), Says: times(t.Buffers.ratio())},
		{What: "time per execution", Value: t.Time.Last, Unit: "ms", Text: change(t.Time) + " ms", Says: times(t.Time.ratio())},
		{What: "rows per execution", Value: t.Rows.Last, Unit: "rows", Text: change(t.Rows), Says: "does not grow alike"}}
	if c := t.Control; c != nil {
		out = append(out, finding.Figure{What: "control: " + shorten(c.Statement.Normalized, 60), Value: c.Buffers.Last, Unit: "buffers", Text: change(c.Buffers) + " buffers", Says: "quiet"})
	}
	return out
}

func change(l levels) string { return num(l.First) + " → " + num(l.Last) }

func (t *sizeTracking) ruledOut() []finding.RuledOut {
	out := []finding.RuledOut{
		{Rival: "more rows returned", Verdict: finding.RuledOutVerdict, Figure: change(t.Rows) + " rows per execution"},
		t.deadRows(),
		loadOf(t.Answer.Of(series.Concurrency), "concurrency"), loadOf(t.Answer.Of(series.Throughput), "throughput"),
	}
	if t.Frame.Column(series.OtherShapes) == nil {
		return append(out, notMeasurable("plan change", "no plans in input"))
	}
	return append(out, finding.RuledOut{Rival: "plan change", Verdict: finding.RuledOutVerdict, Figure: "the same shapes at both ends"})
}

func (t *sizeTracking) deadRows() finding.RuledOut {
	const rival = "dead rows"
	for i := range t.Frame.Columns {
		if c := &t.Frame.Columns[i]; c.Kind == series.LiveRows && c.Table == t.Table && c.Measured() {
			return finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: change(levelsOf(c)) + " live rows"}
		}
	}
	return notMeasurable(rival, "no n_live_tup in input")
}

// loadOf is a candidate of the attribution as a rival.
func loadOf(c *attribution.Candidate, rival string) finding.RuledOut {
	switch {
	case c == nil:
		return notMeasurable(rival, "no executions in input")
	case c.Verdict == finding.NotMeasurable:
		return notMeasurable(rival, c.Why)
	}
	out := finding.RuledOut{Rival: rival, Verdict: c.Verdict, Why: c.Why, Figure: "constant"}
	if !math.IsNaN(c.Raw.R) {
		raw := c.Raw.R
		out.Raw, out.Figure = &raw, "raw r "+correlationText(raw)
	}
	if !math.IsNaN(c.Partial.R) {
		partial := c.Partial.R
		out.Partial, out.Figure = &partial, fmt.Sprintf("partial r %s (raw %s)", correlationText(partial), correlationText(c.Raw.R))
	}
	return out
}

// forecast is the cost when the table has doubled, and when that is.
func (t *sizeTracking) forecast() []finding.Figure {
	clock := t.Frame.Column(series.WallClock).Values
	growth := stats.SlopeInterval(clock, t.Pages.Values, nil)
	if !(growth.Interval.Lo > 0) {
		return nil
	}
	in := func(rate float64) float64 { return t.Size.Last / rate }
	mid, lo, hi := in(growth.Slope), in(growth.Interval.Hi), in(growth.Interval.Lo)
	out := []finding.Figure{{What: "the table has doubled", Value: mid, Unit: "s", Interval: &[2]float64{lo, hi},
		Text: fmt.Sprintf("At this growth it costs twice as much in %s", spanInterval(mid, lo, hi))}}
	if clock[len(clock)-1] < 86400 {
		return out
	}
	for _, days := range []float64{7, 30} {
		at := func(rate float64) float64 { return t.Buffers.Last * (1 + rate*days*86400/t.Size.Last) }
		out = append(out, finding.Figure{What: fmt.Sprintf("buffers per execution in %g days", days), Value: at(growth.Slope), Unit: "buffers",
			Interval: &[2]float64{at(growth.Interval.Lo), at(growth.Interval.Hi)}})
	}
	return out
}

func (t *sizeTracking) series() finding.Series {
	cloud := finding.Column{Name: "buffers per execution", Unit: "buffers"}
	cost := t.Frame.Column(series.BuffersPerExecution).Values
	for i, x := range t.Pages.Values {
		if !math.IsNaN(x) && !math.IsNaN(cost[i]) {
			cloud.Points = append(cloud.Points, finding.Point{X: x, Y: cost[i]})
		}
	}
	return finding.Series{Name: fmt.Sprintf("%s buffers per page of %s", num(t.Pages.Fit.Slope), t.Table.Name), Kind: finding.SeriesScatter,
		XLabel: "pages of " + t.Table.Name, XUnit: "pages", YLabel: "buffers per execution", Columns: []finding.Column{cloud},
		Fit: &finding.Line{Intercept: t.Pages.Fit.Intercept, Slope: t.Pages.Fit.Slope, From: t.Size.First, To: t.Size.Last}}
}

func (t *sizeTracking) remedy(f *finding.Finding) {
	if t.Scan != nil {
		f.Actions = t.Scan.indexActions(t.Scan.indexCandidate(t.Node, ""))
	} else {
		f.Actions = []finding.Action{{Do: "Run EXPLAIN (ANALYZE, BUFFERS) of the statement: the node whose buffers are the pages of " + t.Table.Name + " tells which condition has no index.",
			Cost: "ANALYZE executes the statement"}}
	}
	f.Actions = append(f.Actions, finding.Action{Do: "If it needs all rows: partition " + t.Table.SQL() + " by what the condition bounds, archive old rows, or keep a summary that is updated with the table.",
		Cost: "a change of the schema; dropping a partition is cheap, deleting its rows is not"})
	f.WillNotHelp = []string{"VACUUM or REINDEX: the pages hold live rows.", "More shared_buffers: the blocks are visited all the same."}
	f.Verify = []string{fmt.Sprintf("Buffers per execution fall far below the %s pages of %s and stay level while it grows; run pgassay on a later span.", num(t.Size.Last), t.Table.Name)}
}

// frameEvidence are the first, the worst and the latest place of a cost.
func frameEvidence(f *series.Frame, kind series.Kind) []finding.Evidence {
	values := f.Column(kind).Values
	first, worst, last := -1, -1, -1
	for i, v := range values {
		if math.IsNaN(v) {
			continue
		}
		if first < 0 {
			first = i
		}
		if worst < 0 || v > values[worst] {
			worst = i
		}
		last = i
	}
	var out []finding.Evidence
	for _, e := range []struct {
		what string
		at   int
	}{{"first", first}, {"worst", worst}, {"latest", last}} {
		if e.at < 0 {
			continue
		}
		if pos, at := f.Place(e.at); !pos.IsZero() {
			out = append(out, finding.Evidence{What: e.what, Pos: pos, Time: at, Value: values[e.at], Unit: kind.Unit()})
		}
	}
	return out
}
