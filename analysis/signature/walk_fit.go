package signature

import (
	"math"
	"slices"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/onset"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// findWalks looks at every write and every index of its table. Methods that
// descend a tree or summarise ranges cannot walk; an unknown method may.
func findWalks(m *dataset.Model, happened []onset.Happening, lim walkLimits) []*walk {
	var out []*walk
	for _, s := range m.Statements {
		if s.Target == nil || s.Command != "INSERT" && s.Command != "UPDATE" && s.Command != "MERGE" {
			continue
		}
		out = append(out, walksOn(s, happened, lim)...)
	}
	return out
}

var treeMethods = map[string]bool{"btree": true, "hash": true, "brin": true, "gist": true, "spgist": true, "gin": true}

// walksOn are the walks of the index that explains the statement's cost best:
// of the indexes whose growth has unit slope the one that a vacuum line names,
// then the one whose level fits best. Each incarnation of an index may have
// its own.
func walksOn(s *dataset.Statement, happened []onset.Happening, lim walkLimits) []*walk {
	var best []*walk
	for _, x := range s.TargetIndexes() {
		if treeMethods[x.AccessMethod] || len(x.History) < 3 {
			continue
		}
		cleanings := cleaningsOf(s, x, happened)
		found := walksFrom(s, x, fromPlans, planCosts(s), cleanings, lim)
		if found == nil {
			found = walksFrom(s, x, fromDiffs, diffCosts(s), cleanings, lim)
		}
		if found != nil && (best == nil || found[0].better(best[0])) {
			best = found
		}
	}
	return best
}

// cleaningsOf are the vacuums that cleaned the index, or may have.
func cleaningsOf(s *dataset.Statement, x *dataset.Index, happened []onset.Happening) []onset.Happening {
	subject := onset.SubjectOf(s)
	subject.Index = x
	return slices.DeleteFunc(onset.Of(happened, subject), func(h onset.Happening) bool {
		if h.Vacuum == nil || h.Kind == onset.Analyze {
			return true
		}
		cleaned, known := h.Vacuum.CleanedIndex(x.Index)
		return known && !cleaned
	})
}

// walksFrom looks at each incarnation of the index by itself. A rebuild ends
// the walk before it if the cost is back at the baseline after it.
func walksFrom(s *dataset.Statement, x *dataset.Index, src walkSource, points []costPoint, cleanings []onset.Happening, lim walkLimits) []*walk {
	rs := pool(points, x.History)
	var out []*walk
	for i := 0; i <= len(x.Rebuilt); i++ {
		life := rs
		if i > 0 {
			life = readingsFrom(life, x.Rebuilt[i-1].By)
		}
		var next []walkReading
		if i < len(x.Rebuilt) {
			next = readingsFrom(life, x.Rebuilt[i].By)
			life = life[:len(life)-len(next)]
		}
		w := walkFrom(&walk{Statement: s, Index: x, Source: src}, points, life, cleanings, lim)
		if w == nil {
			continue
		}
		if i < len(x.Rebuilt) {
			w.endsWith(&x.Rebuilt[i], next)
		}
		out = append(out, w)
	}
	return out
}

func readingsFrom(rs []walkReading, t record.Time) []walkReading {
	i := 0
	for i < len(rs) && rs[i].From < t {
		i++
	}
	return rs[i:]
}

// endsWith marks the walk as ended by the rebuild if the readings after it are
// back near the baseline.
func (w *walk) endsWith(r *dataset.Rebuild, next []walkReading) {
	_, y, _ := columns(next[:min(len(next), 10)], false)
	if cost := stats.Median(y); cost <= w.Baseline+0.2*(w.Now-w.Baseline) {
		w.Ended = &walkEnd{Time: r.By, Rebuild: r, Cost: cost}
	}
}

func (w *walk) better(o *walk) bool {
	if named, other := w.named(), o.named(); named != other {
		return named
	}
	return math.Abs(w.Offset) < math.Abs(o.Offset)
}

// named reports whether the event is a log line that names the index.
func (w *walk) named() bool {
	if w.Event == nil {
		return false
	}
	cleaned, known := w.Event.CleanedIndex(w.Index.Index)
	return cleaned && known
}

// fit splits the readings at the onset, leaves the transition out, and holds
// both slopes against their bands. It reports whether the equation holds.
func (w *walk) fit(rs []walkReading, points []costPoint, lim walkLimits) bool {
	cut := 0
	for cut < len(rs) && rs[cut].To <= w.Onset {
		cut++
	}
	w.Before = rs[:cut]
	after := rs[cut:]
	if len(after) < lim.minReadings {
		return false
	}
	w.Baseline = math.NaN()
	if len(w.Before) >= lim.minReadings {
		w.HasBefore = true
		x, y, n := columns(w.Before, false)
		w.BeforeFit = stats.SlopeInterval(x, y, n)
		w.Quiet = w.BeforeFit.Interval.Within(lim.quietLo, lim.quietHi)
		// Too few or too noisy readings to show a quiet control leave it open;
		// a slope that may be a walk's means that this is no onset.
		if s := w.BeforeFit.Slope; s < lim.quietLo || s > lim.quietHi || w.BeforeFit.Interval.Hi >= lim.slopeLo {
			return false
		}
		tail := y[max(0, len(y)-baselineReadings):]
		w.Baseline = stats.Median(tail)
	}
	if w.fitAfter(after, lim) {
		return true
	}
	return w.HasBefore && w.fitMixed(after, points, lim)
}

// fitMixed fits the executions that walk while the median does not: rows of
// several sizes, of which only those larger than the freed slots walk.
func (w *walk) fitMixed(after []walkReading, points []costPoint, lim walkLimits) bool {
	if share(walking(w.Before, points, w.Baseline)) > 0.01 {
		return false
	}
	after = walking(after, points, w.Baseline)
	if share(after) < lim.minWalkingShare {
		return false
	}
	w.Mixed = true
	return w.fitAfter(after, lim)
}

func share(rs []walkReading) float64 {
	walking, all := 0, 0
	for _, r := range rs {
		walking, all = walking+r.Walking, all+r.N
	}
	if all == 0 {
		return 0
	}
	return float64(walking) / float64(all)
}

// together is the cost of a row at the end of the walk, in buffers: of all
// executions where only a part of them walks.
func (w *walk) together() float64 {
	if !w.Mixed {
		return w.Now
	}
	var buffers, rows float64
	for _, r := range w.After[max(0, len(w.After)-baselineReadings):] {
		buffers, rows = buffers+r.Buffers, rows+r.Rows
	}
	return buffers / rows
}

// fitAfter finds the end of the transition and the end of the walk, and holds
// slope, level and step against their limits.
func (w *walk) fitAfter(after []walkReading, lim walkLimits) bool {
	kept := after
	w.Ended = nil
	if w.HasBefore {
		kept = after[:w.endOf(after)]
	}
	if w.Mixed {
		kept = slices.DeleteFunc(slices.Clone(kept), func(r walkReading) bool { return math.IsNaN(r.Upper) })
	}
	x, y, n := columns(kept, w.Mixed)
	if len(x) < lim.minReadings {
		return false
	}
	k := 0
	if w.HasBefore {
		k = stats.TransitionEnd(x, y, transitionTolerance)
	}
	if len(x)-k < lim.minReadings || k > maxTransition*(len(x)-k) {
		return false
	}
	w.Transition, w.After = kept[:k], kept[k:]
	x, y, n = x[k:], y[k:], n[k:]
	if rough, _ := stats.TheilSen(x, y); rough < lim.slopeLo || rough > lim.slopeHi {
		return false
	}
	w.AfterFit = stats.SlopeInterval(x, y, n)
	if !w.AfterFit.Interval.Within(lim.slopeLo, lim.slopeHi) {
		return false
	}
	w.Residual = stats.MAD(w.AfterFit.Residuals(x, y))
	w.Now = stats.Median(y[max(0, len(y)-5):])
	return w.level(x, y, lim)
}

// transitionTolerance is stats.TransitionEnd's for pooled readings.
const transitionTolerance = 0.1

// maxTransition is how many times as long as the walk its transition may be:
// beyond it the readings between belong to something else.
const maxTransition = 2

// level checks that the walk is not longer than the index: baseline + pages −
// cost are the pages before its start, at least none and at most all. Without
// readings before the onset the baseline is what is left of the cost.
func (w *walk) level(x, y []float64, lim walkLimits) bool {
	offsets := make([]float64, len(x))
	for i := range x {
		offsets[i] = x[i] - y[i]
	}
	over := stats.Median(offsets)
	pages := x[len(x)-1]
	if !w.HasBefore {
		w.Baseline, w.Offset = -over, 0
		return w.Baseline > 0 && w.Now >= lim.minStep*w.Baseline
	}
	w.Offset = w.Baseline + over
	tolerance := lim.levelTolerance * w.Now
	return w.Offset >= -tolerance && w.Offset <= pages && w.Now >= lim.minStep*w.Baseline
}

// endOf is the number of readings until the cost is back near the baseline for
// good: within a fifth of the way, for at least five readings up to the end.
func (w *walk) endOf(after []walkReading) int {
	n := len(after)
	for n > 0 {
		r := after[n-1]
		cost := r.Cost
		if w.Mixed && !math.IsNaN(r.Upper) {
			cost = r.Upper
		}
		if cost > w.Baseline+0.2*r.Pages {
			break
		}
		n--
	}
	if len(after)-n < 5 {
		return len(after)
	}
	_, y, _ := columns(after[n:], false)
	w.Ended = &walkEnd{Time: after[n].From, Cost: stats.Median(y)}
	return n
}
