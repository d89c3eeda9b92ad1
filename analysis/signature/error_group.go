package signature

import (
	"fmt"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// eventCause is how long before a burst a restart or a reload counts as what may
// have brought it on.
const eventCause = 60 * record.Second

// errorGroup is the errors of one SQLSTATE, or of one form of message where the
// log tells no SQLSTATE.
type errorGroup struct {
	key    string
	events []*record.Event
	others []*errorGroup
}

// title names the group: "42703 (undefined column)", "statement timeout".
func (g *errorGroup) title() string {
	if g.key != g.events[0].SQLState {
		return g.key
	}
	return g.key + " (" + conditionName(g.key) + ")"
}

// burstFinding tells of a group's worst burst; what to do is left to the
// signature.
func (l *serverLog) burstFinding(g *errorGroup, list []burst, b *burst, limits burstLimits) finding.Finding {
	apps, statements, forms := l.tally(b.Events), tallyOf(b.Events, statementOf), tallyOf(b.Events, func(e *record.Event) string { return messageForm(e.Text) })
	f := finding.Finding{
		Subject:  finding.Subject{Event: g.key, Database: oneOf(b.Events, func(e *record.Event) string { return e.Database })},
		Title:    fmt.Sprintf("%s statements fail with %s in %s", thousands(int64(len(b.Events))), g.title(), b.lasted()),
		Onset:    &finding.Onset{Time: b.from(), EventTime: b.from(), EventPos: b.Events[0].Pos, Event: "the first of these errors", End: record.NoTime},
		Evidence: eventPlaces(b.Events, b.Worst),
		Effect:   b.ratio(),
		Figures:  b.figures(limits, "errors"),
		Notes:    furtherBursts(list, b),
		Verify:   []string{"run pgassay on a later log: " + g.title() + " is back at " + num(b.Usual) + " errors per " + span(b.Slice.Seconds())},
		N:        fmt.Sprintf("%s of %s errors of this kind in the log", thousands(int64(len(b.Events))), thousands(int64(len(g.events)))),
		Series:   []finding.Series{l.rateSeries("Errors "+g.key+" come in a burst", "errors", g.events, b)},
	}
	if last := b.to(); last.Add(b.Slice) < l.To {
		f.Onset.End = last
	}
	f.Share = l.failedShare(&f, list)
	f.Figures = append(f.Figures, apps.figure("application"), statements.figure("statement"), forms.figure("message"))
	cause := l.before(b.from(), eventCause)
	if cause != nil {
		f.Onset.Event, f.Onset.EventTime, f.Onset.EventPos = eventText(cause), cause.LogTime, cause.Pos
		f.Onset.Lag = b.from().Sub(cause.LogTime)
		f.Evidence = append(f.Evidence, placeOf("event", cause))
	}
	quiet := g.othersQuiet(l, b)
	f.RuledOut = []finding.RuledOut{quiet, l.loadRival(b)}
	f.Confidence = confidenceOf(true, cause != nil, quiet.Verdict == finding.RuledOutVerdict)
	f.WhyConfidence = "equation: " + times(b.ratio()) + " the usual rate; event: " + yes(cause != nil, f.Onset.Event+" just before", "no restart, reload or changed parameter in the minute before") +
		"; control: " + yes(quiet.Verdict == finding.RuledOutVerdict, "other errors stay at their rate", quiet.Figure)
	f.Summary = fmt.Sprintf("From %s on %s errors, %s, came in %s, %s of them in the worst %s; usual are %s. %s", clock(b.from()), thousands(int64(len(b.Events))), g.title(), b.lasted(),
		thousands(int64(b.Peak)), span(b.Slice.Seconds()), num(b.Usual), apps.sentence("They come from"))
	return f
}

// failedShare is the share of all statements that failed in the bursts; where
// the log does not hold all statements, the share of its time that is loud.
func (l *serverLog) failedShare(f *finding.Finding, list []burst) float64 {
	failed, done := 0, 0
	for i := range list {
		failed += len(list[i].Events)
	}
	for _, e := range l.m.Executions {
		if e.ServerTime() > 0 {
			done++
		}
	}
	if done == 0 || l.m.Logging.Censored() {
		f.Notes = append(f.Notes, "the log does not hold all statements: share is that of its time")
		return list[0].loudShare()
	}
	share := float64(failed) / float64(failed+done)
	f.Figures = append(f.Figures, finding.Figure{What: "of all statements in the log", Value: 100 * share, Unit: "%"})
	return share
}

// othersQuiet is the control: errors of other kinds do not come faster during
// the burst.
func (g *errorGroup) othersQuiet(l *serverLog, b *burst) finding.RuledOut {
	const rival = "errors of every kind"
	in, all := 0, 0
	for _, o := range g.others {
		if o.key == g.key {
			continue
		}
		for _, e := range o.events {
			all++
			if e.LogTime >= b.from() && e.LogTime <= b.to() {
				in++
			}
		}
	}
	length := max(b.to().Sub(b.from()), b.Slice)
	expected := float64(all-in) * float64(length) / float64(max(l.Span()-length, b.Slice))
	out := finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict,
		Figure: fmt.Sprintf("%s errors of other kinds meanwhile, %s at their usual rate", thousands(int64(in)), num(expected))}
	if float64(in) > 3+3*expected {
		out.Verdict = finding.NotRuledOut
	}
	return out
}

// loadRival asks whether there were simply more statements.
func (l *serverLog) loadRival(b *burst) finding.RuledOut {
	const rival = "more statements of all kinds"
	in, all := 0, 0
	for _, e := range l.m.Executions {
		if e.ServerTime() > 0 {
			all++
			if e.Time >= b.from() && e.Time <= b.to() {
				in++
			}
		}
	}
	length := max(b.to().Sub(b.from()), b.Slice)
	usual := float64(all-in) / float64(max(l.Span()-length, b.Slice))
	if all == 0 || usual == 0 || l.m.Logging.Censored() {
		return notMeasurable(rival, "the log does not hold all statements")
	}
	r := float64(in) / float64(length) / usual
	out := finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: times(r) + " the usual rate of statements, while these come at " + times(b.ratio())}
	if r > b.ratio()/2 {
		out.Verdict = finding.NotRuledOut
	}
	return out
}
