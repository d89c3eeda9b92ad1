package signature

import (
	"cmp"
	"slices"

	"github.com/pgassay/pgassay/analysis/onset"
	"github.com/pgassay/pgassay/parser/record"
)

// lagReadings is how many readings at the baseline must lie between a vacuum and
// the walk it began for the walk to count as one that came later.
const lagReadings = 5

// walkFrom tests the readings at the end of every vacuum that may have cleaned
// the index; then where the cost rises, which may follow such a vacuum by up to
// maxLag; then as a walk that was under way from the start. Of the vacuums that
// fit, one that the log says to have cleaned the index counts first, then the last
// one before the walk settled. of names statement, index and source.
func walkFrom(of *walk, points []costPoint, rs []walkReading, cleanings []onset.Happening, lim walkLimits) *walk {
	if len(rs) < lim.minReadings {
		return nil
	}
	var best *walk
	for _, h := range cleanings {
		if h.End < rs[0].From || h.End > rs[len(rs)-1].To {
			continue
		}
		w := of.beginning(h.End)
		w.Event = h.Vacuum
		if !w.fit(rs, points, lim) || !w.HasBefore {
			continue
		}
		w = w.sinceRise(rs, points, lim)
		if w.Lag <= lim.maxLag && (best == nil || w.explainsBetter(best)) {
			best = w
		}
	}
	if best != nil {
		return best
	}
	for _, c := range risesOf(rs, cleanings, lim) {
		w := of.beginning(c.By)
		if c.Cause != nil {
			w.Event, w.Lag = c.Cause.Vacuum, c.Cause.Lag
		}
		if w.fit(rs, points, lim) && w.HasBefore {
			return w
		}
	}
	if w := of.beginning(rs[0].From); w.fit(rs, points, lim) {
		return w
	}
	return nil
}

// beginning is an empty walk of the same statement and index from a time on.
func (w *walk) beginning(t record.Time) *walk {
	return &walk{Statement: w.Statement, Index: w.Index, Source: w.Source, Onset: t}
}

// sinceRise is the walk fitted from where the cost rises, if it stays at the
// baseline for some readings after the vacuum.
func (w *walk) sinceRise(rs []walkReading, points []costPoint, lim walkLimits) *walk {
	rise := w.firstRise()
	if w.Mixed {
		rise = w.firstWalker(rs)
	}
	flat := 0
	for _, r := range rs {
		if r.From >= w.Onset && r.From < rise && (w.Mixed || r.From < w.settled()) {
			flat++
		}
	}
	if flat < lagReadings {
		return w
	}
	later := w.beginning(rise)
	later.Event, later.Lag = w.Event, rise.Sub(w.Event.End)
	if !later.fit(rs, points, lim) || !later.HasBefore {
		return w
	}
	return later
}

// firstWalker is the start of the first reading after the onset with executions
// that walk, or whose median rises.
func (w *walk) firstWalker(rs []walkReading) record.Time {
	first := w.settled()
	if len(w.Transition) > 0 {
		first = w.Transition[0].From
	}
	for _, r := range rs {
		if r.From >= w.Onset && r.From < first && r.Cost > w.Baseline+0.1*(w.Now-w.Baseline) {
			return r.From
		}
	}
	return first
}

func (w *walk) explainsBetter(o *walk) bool {
	if named, other := w.named(), o.named(); named != other {
		return named
	}
	return w.settled().Sub(w.Event.End) < o.settled().Sub(o.Event.End)
}

// risesOf are the rises of the cost, largest first, with the vacuum that each
// followed.
func risesOf(rs []walkReading, cleanings []onset.Happening, lim walkLimits) []onset.Change {
	var s onset.Series
	for _, r := range rs {
		s.Points = append(s.Points, onset.Point{Time: r.From, Value: r.Cost})
	}
	found := onset.Find(s, cleanings, onset.IndexWalk(lim.maxLag), onset.Options{MinReadings: min(5, lim.minReadings), MinRatio: 1.01})
	rises := slices.DeleteFunc(found, func(c onset.Change) bool { return c.Step.Difference <= 0 })
	slices.SortStableFunc(rises, func(a, b onset.Change) int { return cmp.Compare(b.Step.Difference, a.Step.Difference) })
	return rises
}
