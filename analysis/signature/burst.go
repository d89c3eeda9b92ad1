package signature

import (
	"fmt"
	"slices"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// Bursts are looked for in slices of the log: a sixtieth of it, but no shorter
// than a second and no longer than a minute.
const (
	burstSlices   = 60
	shortestSlice = record.Second
	longestSlice  = 60 * record.Second
	mostSlices    = 100_000 // longer logs have longer slices
)

// fewestSlices is how many slices a usual rate needs.
const fewestSlices = 10

// burst is a time in which events came far more often than the log's usual.
type burst struct {
	Events []*record.Event
	Slice  record.Duration
	Usual  float64 // events a slice: the median over the log
	Peak   int     // events of the worst slice
	Worst  *record.Event
	Slices int // of the log
	Loud   int // slices of the log that belong to a burst like this one
}

// burstLimits are what a slice is held against: at least so many events, and so
// many times the usual.
type burstLimits struct{ least, factor float64 }

func (l burstLimits) holds(n int, usual float64) bool {
	return float64(n) >= l.least && float64(n) >= l.factor*usual
}

func (p *Pass) burstLimits() burstLimits { return burstLimits{p.limit("least"), p.limit("factor")} }

// burstThresholds are the limits every signature of bursts has.
func burstThresholds(least float64, what string) []Threshold {
	return []Threshold{
		{"least", least, what, "in the worst slice of the log (a sixtieth of it, 1 to 60 s)"},
		{"factor", 10, "times the usual", "that they must come: the median of all slices"},
	}
}

// bursts finds them: neighbouring loud slices are one burst, with what of it
// fell into the slice before and after. events are by time. nil for a log too
// short to have a usual rate.
func (l *serverLog) bursts(events []*record.Event, limits burstLimits) []burst {
	slice, counts := l.sliced(events)
	n := len(counts)
	if n < fewestSlices || len(events) == 0 {
		return nil
	}
	at := func(e *record.Event) int { return int(e.LogTime.Sub(l.From) / slice) }
	usual := stats.Median(counts)
	loud := func(k int) bool { return k >= 0 && k < n && limits.holds(int(counts[k]), usual) }
	var out []burst
	total, last := 0, -2
	for i := 0; i < len(events); {
		k := at(events[i])
		next := i + int(counts[k])
		if loud(k) {
			total++
		}
		if loud(k) || counts[k] > 2*usual && (loud(k-1) || loud(k+1)) {
			if last < k-1 {
				out = append(out, burst{Slice: slice, Usual: usual, Slices: n})
			}
			out[len(out)-1].add(events[i:next])
			last = k
		}
		i = next
	}
	for i := range out {
		out[i].Loud = total
	}
	return out
}

// sliced counts the events of each slice of the log.
func (l *serverLog) sliced(events []*record.Event) (slice record.Duration, counts []float64) {
	slice = max(min(max(l.Span()/burstSlices, shortestSlice), longestSlice), l.Span()/mostSlices)
	counts = make([]float64, int(l.Span()/slice)+1)
	for _, e := range events {
		counts[e.LogTime.Sub(l.From)/slice]++
	}
	return slice, counts
}

// quietShare of a log's slices must be quiet beside many events in most of them,
// that the log shows a burst longer than half of it, and not a steady rate.
const quietShare = 0.1

// needsLongerLog says why nobody can tell whether the events came in a burst; ""
// if the log shows it.
func (l *serverLog) needsLongerLog(events []*record.Event, limits burstLimits) string {
	_, counts := l.sliced(events)
	if float64(len(events)) < limits.least {
		return ""
	}
	if len(counts) < fewestSlices {
		return fmt.Sprintf("no usual rate in input: the log spans %s", span(l.Span().Seconds()))
	}
	usual := stats.Median(counts)
	if usual >= limits.least && stats.Quantile(counts, quietShare) < usual/limits.factor {
		return "no usual rate in input: they come in more than half of the log"
	}
	return ""
}

// reportBursts reports the worst burst of each group, told by tell, or what
// keeps the log from showing one.
func (p *Pass) reportBursts(l *serverLog, groups []*errorGroup, tell func(*finding.Finding, *errorGroup, *burst)) {
	limits, found := p.burstLimits(), false
	for _, g := range groups {
		list := l.bursts(g.events, limits)
		if b := worstBurst(list); b != nil {
			found, g.others = true, groups
			f := l.burstFinding(g, list, b, limits)
			tell(&f, g, b)
			p.Report(f, float64(len(b.Events)) < p.limit("floor"))
		}
	}
	if !found {
		p.lacksUsual(l, groups, limits)
	}
}

// lacksUsual marks the signature as not evaluated if a group's events may be a
// burst that the log is too short for.
func (p *Pass) lacksUsual(l *serverLog, groups []*errorGroup, limits burstLimits) {
	for _, g := range groups {
		if why := l.needsLongerLog(g.events, limits); why != "" {
			p.Lacks(why, "add a longer log, with the time before")
			return
		}
	}
}

func (b *burst) add(events []*record.Event) {
	b.Events = append(b.Events, events...)
	if len(events) > b.Peak {
		b.Peak, b.Worst = len(events), events[0]
	}
}

func (b *burst) from() record.Time { return b.Events[0].LogTime }
func (b *burst) to() record.Time   { return b.Events[len(b.Events)-1].LogTime }

// ratio is the worst slice against the usual one, of which at least one event
// is taken.
func (b *burst) ratio() float64 { return float64(b.Peak) / max(1, b.Usual) }

// loudShare is the share of the log's time that is loud.
func (b *burst) loudShare() float64 { return float64(b.Loud) / float64(b.Slices) }

// lasted is from the first to the last event.
func (b *burst) lasted() string {
	if d := b.to().Sub(b.from()).Seconds(); d >= 1 {
		return span(d)
	}
	return "a second"
}

// figures are the rate and what it was held against.
func (b *burst) figures(limits burstLimits, what string) []finding.Figure {
	unit := what + " per " + span(b.Slice.Seconds())
	return []finding.Figure{
		{What: "worst slice", Value: float64(b.Peak), Unit: unit, Limit: fmt.Sprintf(">= %s and >= %s times the usual", num(limits.least), num(limits.factor)), Says: "a burst"},
		{What: "usual slice", Value: b.Usual, Unit: unit, Limit: "median of " + thousands(int64(b.Slices)) + " slices", Indent: true},
		{What: "in the burst", Value: float64(len(b.Events)), Unit: what},
	}
}

// worstBurst is the one with most events, the first among equals; nil of none.
func worstBurst(list []burst) *burst {
	var worst *burst
	for i := range list {
		if worst == nil || len(list[i].Events) > len(worst.Events) {
			worst = &list[i]
		}
	}
	return worst
}

// furtherBursts tells of the bursts beside the worst.
func furtherBursts(list []burst, worst *burst) []string {
	var out []string
	for i := range list {
		if b := &list[i]; b != worst && len(out) < maxListed {
			out = append(out, fmt.Sprintf("a burst also at %s: %s in %s", clock(b.from()), thousands(int64(len(b.Events))), b.lasted()))
		}
	}
	return out
}

// rateSeries is the number of events a slice over the log; of more slices than
// a chart shows, the worst of each group.
func (l *serverLog) rateSeries(name, what string, events []*record.Event, b *burst) finding.Series {
	counts := make([]float64, b.Slices)
	for _, e := range events {
		counts[int(e.LogTime.Sub(l.From)/b.Slice)]++
	}
	group := (len(counts) + seriesPoints - 1) / seriesPoints
	var points []finding.Point
	for i := 0; i < len(counts); i += group {
		points = append(points, finding.Point{X: float64(l.From.Add(record.Duration(i) * b.Slice)), Y: slices.Max(counts[i:min(i+group, len(counts))])})
	}
	return finding.Series{Name: name, Kind: finding.SeriesTime, YLabel: what,
		Columns: []finding.Column{{Name: what, Unit: "per " + span(b.Slice.Seconds()), Points: points}},
		Marks:   []finding.Mark{{Time: b.from(), Text: "burst"}}}
}
