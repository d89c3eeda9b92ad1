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

// finding tells the walk with its working.
func (w *walk) finding(p *Pass) finding.Finding {
	points := w.points()
	before, after := splitPoints(points, w.Onset, w.settled(), w.end())
	f := finding.Finding{
		Subject: finding.Subject{
			Relation: w.Index.Relation.Name, Index: w.Index.Name,
			Fingerprint: w.Statement.Fingerprint, Statement: w.Statement.Normalized,
		},
		Title:  fmt.Sprintf("Each %s %s walks %s", strings.ToLower(w.Statement.Command), into(w.Statement, w.Index.Relation), w.howMuch()),
		Effect: w.together() / w.Baseline,
		Share:  timeShare(p.Model, w.Statement, w.Source),
		Onset:  w.onset(),
	}
	f.Confidence, f.WhyConfidence = w.confidence(p.Model)
	f.Figures = w.figures(p, before, after)
	f.RuledOut = w.ruledOut(p, before, after)
	f.Attribution = w.attribution(p)
	f.Forecast = w.forecast()
	f.Summary = w.summary(&f)
	f.Evidence = append(w.evidence(points), elementsOf(p.Model, w.Index).evidence()...)
	f.Series = w.series()
	f.N = fmt.Sprintf("%d readings of the index size after the transition and %d before the event; %s executions after, %s before",
		len(w.After), len(w.Before), thousands(int64(len(after))), thousands(int64(len(before))))
	if w.Source == fromDiffs {
		f.N = fmt.Sprintf("%d differences of pg_stat_statements after the transition, %d before the event", len(w.After), len(w.Before))
	}
	w.remedy(p, &f)
	return f
}

func into(s *dataset.Statement, r *dataset.Relation) string {
	if s.Command == "INSERT" {
		return "into " + r.Name
	}
	return "of " + r.Name
}

func (w *walk) method() string {
	if w.Index.AccessMethod == "" {
		return "index " + w.Index.Index
	}
	return strings.ToUpper(w.Index.AccessMethod) + " index"
}

// howMuch says how much of the index a row walks.
func (w *walk) howMuch() string {
	pages := w.After[len(w.After)-1].Pages
	if part := (w.Now - w.Baseline) / pages; part < 0.9 {
		return fmt.Sprintf("%s of the %s", percent(part), w.method())
	}
	return "the whole " + w.method()
}

// points are the executions behind the readings; nil from differences.
func (w *walk) points() []costPoint {
	if w.Source == fromDiffs {
		return diffCosts(w.Statement)
	}
	return planCosts(w.Statement)
}

// settled is when the transition ends and the fit begins.
func (w *walk) settled() record.Time { return w.After[0].From }

// end is the last time that belongs to the walk.
func (w *walk) end() record.Time { return w.After[len(w.After)-1].To }

func splitPoints(points []costPoint, onset, settled, end record.Time) (before, after []costPoint) {
	for _, p := range points {
		switch {
		case p.At < onset:
			before = append(before, p)
		case p.At >= settled && p.At <= end:
			after = append(after, p)
		}
	}
	return before, after
}

func (w *walk) onset() *finding.Onset {
	o := &finding.Onset{Time: w.Onset, Transition: w.settled().Sub(w.Onset), End: record.NoTime, EventTime: record.NoTime}
	if len(w.Transition) == 0 {
		o.Transition = 0
	}
	if w.Event != nil {
		o.Event = w.eventText()
		o.EventTime, o.EventPos = w.Event.End, w.Event.Pos
		if first := w.firstRise(); w.Lag > 0 {
			o.Lag = w.Lag
		} else if first.Known() {
			o.Lag = first.Sub(w.Event.End)
		}
	}
	if !w.HasBefore {
		o.Event = "before the input begins"
	}
	if w.Ended != nil {
		o.End = w.Ended.Time
	}
	return o
}

// firstRise is the start of the first reading after the onset that lies a
// tenth of the walk above the baseline.
func (w *walk) firstRise() record.Time {
	for _, rs := range [][]walkReading{w.Transition, w.After} {
		for _, r := range rs {
			if r.Cost > w.Baseline+0.1*(w.Now-w.Baseline) {
				return max(r.From, w.Onset)
			}
		}
	}
	return record.NoTime
}

func (w *walk) eventText() string {
	if w.named() {
		return fmt.Sprintf("vacuum of %s cleaned %s", w.Index.Relation.Name, w.Index.Index)
	}
	return "vacuum of " + w.Index.Relation.Name
}

// confidence: equation, event and control; differences of pg_stat_statements, an
// event that does not name the index, and elements of one size cap it.
func (w *walk) confidence(m *dataset.Model) (finding.Confidence, string) {
	held := []string{"equation (unit slope and level)"}
	var missing []string
	note := func(ok bool, what string) {
		if ok {
			held = append(held, what)
		} else {
			missing = append(missing, what)
		}
	}
	note(w.Event != nil, "event (a vacuum that cleaned the index)")
	note(w.Quiet, "control (no slope before the onset)")
	c := finding.Confidence(len(held) - 1)
	why := "holds: " + strings.Join(held, ", ")
	if len(missing) > 0 {
		why += "; missing: " + strings.Join(missing, ", ")
	}
	limit := func(to finding.Confidence, because string) {
		if c > to {
			c = to
			why += "; " + because
		}
	}
	if w.Source == fromDiffs {
		limit(finding.Likely, "read from differences of pg_stat_statements, not from executions")
	}
	if w.Lag > 0 && !w.named() {
		limit(finding.Likely, "the walk came later than the vacuum, and no line says that it cleaned this index")
	}
	if w.Event != nil && !w.Event.FromLog {
		limit(finding.Likely, "the vacuum is known from a snapshot, which does not say what it cleaned")
	}
	if same := elementsOf(m, w.Index).oneSize(); same != "" {
		limit(finding.Likely, "elements of one size fit into freed slots, so that pgvector's walk is not to be expected: "+same)
	}
	if w.Source == fromPlans && m.Logging.PlanFloor > 0 {
		limit(finding.Possible, m.Logging.Why)
	}
	return c, why
}

// timeShare is the statement's share of the observed server time; of the time
// of all timed plans where the input holds plans from files alone.
func timeShare(m *dataset.Model, s *dataset.Statement, src walkSource) float64 {
	if src == fromPlans {
		if all := m.ServerTime(); all > 0 {
			return float64(s.Total) / float64(all)
		}
		var own, all record.Duration
		for _, e := range m.Executions {
			all += e.Duration
			if e.Statement == s {
				own += e.Duration
			}
		}
		return float64(own) / float64(max(all, 1))
	}
	var own, all float64
	for _, t := range m.Statements {
		for _, d := range t.Diffs {
			all += d.ExecTime
			if t == s {
				own += d.ExecTime
			}
		}
	}
	if all == 0 {
		return 0
	}
	return own / all
}

func interval(i stats.Interval) *[2]float64 {
	if !i.OK() {
		return nil
	}
	return &[2]float64{i.Lo, i.Hi}
}

func (w *walk) summary(f *finding.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Since %s an inserted row reads %s page by page. ", w.since(), w.Index.Index)
	fmt.Fprintf(&b, "Cost rose from %s to %s buffers per row (%s) and grows with the index", num(w.Baseline), num(w.Now), times(w.Now/w.Baseline))
	if w.Ended != nil {
		fmt.Fprintf(&b, " until %s", clock(w.Ended.Time))
	} else if len(f.Forecast) > 0 {
		fmt.Fprintf(&b, "; at this rate it passes %s", f.Forecast[0].Text)
	}
	b.WriteString(".")
	if w.Mixed {
		fmt.Fprintf(&b, " Only %s of the executions walk: those with rows larger than the freed slots; over all executions a row costs %s buffers (%s).",
			percent(share(w.After)), num(w.together()), times(f.Effect))
	}
	if not := ruledOutNames(f.RuledOut); not != "" {
		fmt.Fprintf(&b, " It is not %s.", not)
	}
	return b.String()
}

func (w *walk) since() string {
	switch {
	case w.Lag > 0:
		return fmt.Sprintf("%s, %s after the %s ended,", clock(w.Onset), span(w.Lag.Seconds()), w.eventText())
	case w.Event != nil && w.named():
		return fmt.Sprintf("the vacuum that ended at %s and cleaned %s", clock(w.Event.End), w.Index.Index)
	case w.Event != nil:
		return fmt.Sprintf("the vacuum that ended at %s", clock(w.Event.End))
	case w.HasBefore:
		return clock(w.Onset)
	}
	return "before the input begins"
}

// ruledOutNames lists the rivals that are ruled out: "load, batch size or the
// disk".
func ruledOutNames(list []finding.RuledOut) string {
	var names []string
	for _, r := range list {
		if r.Verdict == finding.RuledOutVerdict {
			names = append(names, r.Rival)
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// forecast says when the cost will have doubled, by the growth of the index
// after the transition; in a week and a month if the input spans a day.
func (w *walk) forecast() []finding.Figure {
	if w.Ended != nil {
		return nil
	}
	t := make([]float64, len(w.After))
	pages := make([]float64, len(w.After))
	for i, r := range w.After {
		t[i] = r.From.Sub(w.After[0].From).Seconds()
		pages[i] = r.Pages
	}
	growth := stats.SlopeInterval(t, pages, nil)
	perSecond := growth.Slope * w.AfterFit.Slope
	if !(perSecond > 0) || !(growth.Interval.Lo > 0) {
		return nil
	}
	target := math.Round(2*w.Now/pow10(2*w.Now)) * pow10(2*w.Now)
	in := func(rate float64) float64 { return (target - w.Now) / (rate * w.AfterFit.Slope) }
	mid, lo, hi := in(growth.Slope), in(growth.Interval.Hi), in(growth.Interval.Lo)
	out := []finding.Figure{{
		What: "buffers per row pass " + num(target), Value: mid, Unit: "s", Interval: &[2]float64{lo, hi},
		Text: fmt.Sprintf("%s in %s", num(target), spanInterval(mid, lo, hi)),
	}}
	if t[len(t)-1] < 86400 {
		return out
	}
	for _, days := range []float64{7, 30} {
		at := func(rate float64) float64 { return w.Now + rate*w.AfterFit.Slope*days*86400 }
		out = append(out, finding.Figure{
			What: fmt.Sprintf("buffers per row in %g days", days), Value: at(growth.Slope), Unit: "buffers/row",
			Interval: &[2]float64{at(growth.Interval.Lo), at(growth.Interval.Hi)},
		})
	}
	return out
}

func pow10(v float64) float64 { return math.Pow(10, math.Floor(math.Log10(v))) }
