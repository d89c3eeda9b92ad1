package signature

import (
	"fmt"
	"math"
	"strings"

	"github.com/pgassay/pgassay/analysis/attribution"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/series"
	"github.com/pgassay/pgassay/parser/record"
)

func (d *slowdown) finding(p *Pass) finding.Finding {
	added := d.Time.Last - d.Time.First
	where, share := d.Split.main(added)
	f := finding.Finding{
		Subject: finding.Subject{Fingerprint: d.Statement.Fingerprint, Statement: d.Statement.Normalized},
		Title:   fmt.Sprintf("Since %s a statement takes %s as long for the same work", clock(d.began()), times(d.Time.ratio())),
		Effect:  d.Time.ratio(),
		Share:   timeShare(p.Model, d.Statement, walkSource(d.Frame.Source)),
		Onset:   d.onset(),
		N: fmt.Sprintf("%d readings before the change and %d after it; %s executions before, %s after",
			d.Before.Len(), d.After.Len(), thousands(int64(sum(d.Before.Executions))), thousands(int64(sum(d.After.Executions)))),
		Evidence: append(d.eventEvidence(), frameEvidence(d.After, series.TimePerExecution)...),
	}
	f.Confidence, f.WhyConfidence = d.confidence(where)
	f.Figures = d.figures(p, added)
	f.RuledOut = d.ruledOut(p)
	limits := attribution.DefaultLimits()
	_, f.Attribution = p.attribute(attribution.Question{Frame: d.Frame.Since(d.event(), d.Change.After, d.Change.By.Add(d.Change.Transition)), Cost: series.TimePerExecution, Baseline: d.Time.First, Limits: limits})
	f.Series = []finding.Series{d.series()}
	f.Summary = d.summary(&f, where, share)
	d.remedy(&f, where)
	return f
}

func (d *slowdown) onset() *finding.Onset {
	o := &finding.Onset{Time: d.began(), Transition: d.Change.Transition, EventTime: record.NoTime, End: record.NoTime}
	if c := d.Change.Cause; c != nil {
		o.Event, o.EventTime, o.EventPos, o.Lag = d.event(), c.End, c.Pos, c.Lag
	}
	return o
}

// event names the happening before the change, and others as near to it; the
// change itself if there is none.
func (d *slowdown) event() string {
	c := d.Change.Cause
	if c == nil {
		return "the change at " + clock(d.Change.By)
	}
	text := c.Text
	for i := range c.Also {
		text += ", or " + c.Also[i].Text
	}
	return text
}

// began is when it began: at the happening if that lies between the last reading
// of the old level and the first of the new.
func (d *slowdown) began() record.Time {
	if c := d.Change.Cause; c != nil && c.End >= d.Change.After && c.End <= d.Change.By {
		return c.End
	}
	return d.Change.By
}

func (d *slowdown) eventEvidence() []finding.Evidence {
	c := d.Change.Cause
	if c == nil || c.Pos.IsZero() {
		return nil
	}
	return []finding.Evidence{{What: "event", Pos: c.Pos, Time: c.End, Excerpt: c.Text}}
}

func (d *slowdown) summary(f *finding.Finding, where string, share float64) string {
	text := fmt.Sprintf("Since %s it takes %s ms in place of %s ms (%s)", clock(d.began()), num(d.Time.Last), num(d.Time.First), times(d.Time.ratio()))
	if !math.IsNaN(d.Buffers.ratio()) {
		text += fmt.Sprintf(", for %s buffers as before (%s)", num(d.Buffers.Last), num(d.Buffers.First))
	}
	text += "."
	if c := d.Change.Cause; c != nil {
		text += fmt.Sprintf(" Before it, at %s: %s.", clock(c.End), d.event())
	}
	if where != "" {
		text += fmt.Sprintf(" %s of the added time is %s.", percent(min(1, share)), where)
	} else {
		text += " The input does not tell what the added time goes into."
	}
	if n := len(d.Also); n > 0 {
		text += fmt.Sprintf(" %d more statements slowed down at the same time: the cause lies in the server, not in this statement.", n)
	}
	if not := ruledOutNames(f.RuledOut); not != "" {
		text += " It is not " + not + "."
	}
	return text
}

// confidence: the work is measured and the same, an event came before, and the
// added time has a use.
func (d *slowdown) confidence(where string) (finding.Confidence, string) {
	var held, missing []string
	for _, c := range []struct {
		ok   bool
		what string
	}{
		{!math.IsNaN(d.Buffers.ratio()), "equation (more time for as many buffers)"},
		{d.Change.Cause != nil, "event (a happening before it)"},
		{where != "", "split (what the added time goes into)"},
	} {
		if c.ok {
			held = append(held, c.what)
		} else {
			missing = append(missing, c.what)
		}
	}
	c := finding.Confidence(max(0, len(held)-1))
	why := "holds: " + strings.Join(append([]string{"a lasting change of level"}, held...), ", ")
	if len(missing) > 0 {
		why += "; missing: " + strings.Join(missing, ", ")
	}
	limit := func(to finding.Confidence, because string) {
		if c > to {
			c, why = to, why+"; "+because
		}
	}
	if math.IsNaN(d.Buffers.ratio()) {
		limit(finding.Possible, "without buffers more work is not ruled out")
	}
	if d.Frame.Source == series.FromStatements {
		limit(finding.Likely, "read from differences of pg_stat_statements, not from executions")
	}
	if d.Frame.Censored != "" {
		limit(finding.Possible, d.Frame.Censored)
	}
	return c, why
}

func (d *slowdown) figures(p *Pass, added float64) []finding.Figure {
	pValue := p.Test(d.Change.Step.P)
	out := []finding.Figure{
		{What: "time per execution", Value: d.Time.Last, Unit: "ms", Text: change(d.Time) + " ms", Says: times(d.Time.ratio()),
			Limit: fmt.Sprintf("at least %gx", p.limit("min_ratio")), PValue: pValue},
		{What: "readings after above those before", Value: d.Change.Step.Delta, Unit: "Cliff's delta", Limit: fmt.Sprintf("at least %g", p.limit("min_delta")), Indent: true},
	}
	if !math.IsNaN(d.Buffers.ratio()) {
		out = append(out, finding.Figure{What: "buffers per execution", Value: d.Buffers.Last, Unit: "buffers", Text: change(d.Buffers),
			Limit: fmt.Sprintf("within %gx", p.limit("work_band")), Says: "the same work"})
	}
	if d.Change.Transition > 0 {
		out = append(out, finding.Figure{What: "settling after the change", Value: d.Change.Transition.Seconds(), Unit: "s", Text: span(d.Change.Transition.Seconds()), Says: "left out"})
	}
	out = append(out, d.Split.figures(added)...)
	if agreement, ok := series.AgreementOf(d.Statement); ok {
		out = append(out, finding.Figure{What: "calls in the log ÷ in pg_stat_statements", Value: agreement.Calls, Unit: "share", Text: percent(agreement.Calls), Says: "both sources"})
	}
	return out
}

// figures are the parts of the added time.
func (s *timeSplit) figures(added float64) []finding.Figure {
	var out []finding.Figure
	for _, part := range s.Parts {
		out = append(out, finding.Figure{What: part.Name, Value: part.Share, Unit: "share of the added time", Interval: interval(part.Interval), Indent: true,
			Text: fmt.Sprintf("%s ms, %s of the added time [%s, %s]", num(part.Added), percent(part.Share), percent(part.Interval.Lo), percent(part.Interval.Hi)),
			Says: fmt.Sprintf("%d of %d samples, before %d of %d", part.After.Samples, s.Samples[1], part.Before.Samples, s.Samples[0])})
	}
	if io := s.IO.Last - s.IO.First; !math.IsNaN(io) {
		out = append(out, finding.Figure{What: "I/O", Value: io, Unit: "ms", Indent: true,
			Text: fmt.Sprintf("%s ms, %s of the added time", num(io), percent(io/added)), Says: "I/O times of the plans"})
	}
	if !math.IsNaN(s.Reads.Last) && !math.IsNaN(s.Reads.First) {
		out = append(out, finding.Figure{What: "blocks read per execution", Value: s.Reads.Last, Unit: "blocks", Text: change(s.Reads), Indent: true})
	}
	return out
}

func (d *slowdown) ruledOut(p *Pass) []finding.RuledOut {
	out := []finding.RuledOut{d.same("more rows", "rows", d.Rows), d.same("more buffers", "buffers", d.Buffers), d.planChange(), d.planning(), d.load(p)}
	logged := lockWaits(p.Model, d.Statement, d.Change.By, d.After.Between().To)
	return append(out, logged)
}

func (d *slowdown) same(rival, unit string, l levels) finding.RuledOut {
	if math.IsNaN(l.First) || math.IsNaN(l.Last) {
		return notMeasurable(rival, "no "+unit+" per execution in input")
	}
	return finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: change(l) + " " + unit + " per execution"}
}

func (d *slowdown) planChange() finding.RuledOut {
	if d.Frame.Column(series.OtherShapes) == nil {
		return notMeasurable("plan change", "no plans in input")
	}
	return finding.RuledOut{Rival: "plan change", Verdict: finding.RuledOutVerdict, Figure: "the same shapes before and after"}
}

func (d *slowdown) load(p *Pass) finding.RuledOut {
	l := d.levels(series.Throughput)
	out := finding.RuledOut{Rival: "throughput", Verdict: finding.RuledOutVerdict, Figure: change(l) + " executions/s"}
	if l.ratio() > p.limit("load_band") {
		out.Why = "the change shows at the old load as well"
	}
	return out
}

func (d *slowdown) series() finding.Series {
	col := finding.Column{Name: "time per execution", Unit: "ms"}
	for i, v := range d.Frame.Column(series.TimePerExecution).Values {
		if !math.IsNaN(v) {
			col.Points = append(col.Points, finding.Point{X: float64(d.Frame.Spans[i].From), Y: v})
		}
	}
	s := finding.Series{Name: "Time per execution rises and stays up", Kind: finding.SeriesTime, XLabel: "time", YLabel: "ms per execution", Columns: []finding.Column{col}}
	if c := d.Change.Cause; c != nil {
		s.Marks = []finding.Mark{{Time: c.End, Text: c.Text}}
	} else {
		s.Marks = []finding.Mark{{Time: d.Change.By, Text: "it begins"}}
	}
	return s
}
