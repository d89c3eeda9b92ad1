package onset

import (
	"cmp"
	"math"
	"slices"

	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// Point is one reading of a cost.
type Point struct {
	Time  record.Time
	Value float64
	Pos   record.Pos
}

// Series is a cost over time.
type Series struct {
	Points     []Point         // by time
	Resolution record.Duration // of their clock
}

// Options are the limits that a change is held against. The zero Options are the
// defaults.
type Options struct {
	MinReadings int     // on either side of a change; 8 if 0
	MinRatio    float64 // of the levels, up or down; 1.2 if 0
	Level       float64 // that the corrected p-value must stay below; 0.01 if 0
}

func (o Options) withDefaults() Options {
	o.MinReadings = cmp.Or(o.MinReadings, 8)
	o.MinRatio = cmp.Or(o.MinRatio, 1.2)
	o.Level = cmp.Or(o.Level, 0.01)
	return o
}

// Change is one change of level.
type Change struct {
	Began
	Pos record.Pos // of the first reading of the new level
	// Cause is the happening that it followed, nil if none is known.
	Cause *Explanation
	// Transition is the time from Began.By until the new level is reached; 0 if
	// it was at once.
	Transition record.Duration
	Step       stats.Step // transition left out; P is uncorrected
	// P is corrected (Holm) for Tests: the happenings tested, or where no
	// happening is near and it was searched for, the places searched.
	P        float64
	Tests    int
	Searched bool
}

// window is how many readings on either side of a happening are looked at, so
// that changes further off do not count.
const window = 50

// maxReadings bounds the readings of a series; beyond it neighbours are pooled
// into their median.
const maxReadings = 400

// Find answers the changes of the series, by time: first at each happening of
// the mechanism, one hypothesis each, corrected together; then at change points
// of what no happening explains at once, which may follow one with a lag. It
// assumes independent readings, so a p-value is too small where neighbours go
// together.
func Find(s Series, list []Happening, m Mechanism, o Options) []Change {
	o = o.withDefaults()
	f := finder{rs: pooled(s.Points), list: list, mechanism: m, options: o, resolution: s.Resolution}
	if len(f.rs) < 2*o.MinReadings {
		return nil
	}
	at := f.atHappenings()
	at = append(at, f.searched(at)...)
	slices.SortFunc(at, func(a, b cut) int { return cmp.Compare(a.index, b.index) })
	var out []Change
	for i, c := range at {
		from, to := 0, len(f.rs)
		if i > 0 {
			from = at[i-1].settled
		}
		if i+1 < len(at) {
			to = at[i+1].index
		}
		if ch, ok := f.change(c, from, to); ok {
			out = append(out, ch)
		}
	}
	return out
}

type finder struct {
	rs         []reading
	list       []Happening
	mechanism  Mechanism
	options    Options
	resolution record.Duration
}

// reading is the median of some points in a row.
type reading struct {
	from, to record.Time
	value    float64
	pos      record.Pos
}

func pooled(points []Point) []reading {
	size := (len(points) + maxReadings - 1) / maxReadings
	var out []reading
	for part := range slices.Chunk(points, max(1, size)) {
		out = append(out, reading{from: part[0].Time, to: part[len(part)-1].Time, value: stats.Median(values(part)), pos: part[0].Pos})
	}
	return out
}

func values(points []Point) []float64 {
	out := make([]float64, len(points))
	for i, p := range points {
		out[i] = p.Value
	}
	return out
}

// cut is a place in the readings where a level ends and, from settled on, another
// rules.
type cut struct {
	index    int
	settled  int
	p        float64 // corrected
	tests    int
	searched bool
}

// atHappenings tests a step at each happening, and keeps those where the best
// place for one in their neighbourhood is the happening's.
func (f *finder) atHappenings() []cut {
	var cuts []cut
	for _, h := range f.list {
		if f.mechanism.of(h.Kind) < 0 {
			continue
		}
		i := f.indexAt(h.End)
		if i < f.options.MinReadings || len(f.rs)-i < f.options.MinReadings || slices.ContainsFunc(cuts, func(c cut) bool { return c.index == i }) {
			continue
		}
		cuts = append(cuts, cut{index: i, p: stats.StepTest(f.levels(max(0, i-window), i), f.levels(i, min(len(f.rs), i+window))).P})
	}
	raw := make([]float64, len(cuts))
	for i, c := range cuts {
		raw[i] = c.p
	}
	var out []cut
	for i, p := range stats.Holm(raw) {
		c := cuts[i]
		best := f.bestNear(c.index)
		if !f.breaks(max(0, best-window), best, best, min(len(f.rs), best+window)) {
			continue
		}
		if p < f.options.Level && abs(best-c.index) <= 1 && !near(out, best, best) {
			out = append(out, cut{index: best, settled: best, p: p, tests: len(cuts)})
		}
	}
	return out
}

// searched are the changes at change points that lie near none of the cuts found.
// Levels of less than MinReadings are on the way to the next.
func (f *finder) searched(found []cut) []cut {
	levels := f.segments()
	var out []cut
	from := 0
	for k := 1; k < len(levels); k++ {
		to, begin := levels[k-1].end, levels[k].begin
		end := f.sameLevel(levels, k)
		tests := len(f.rs)
		p := min(1, stats.StepTest(f.levels(from, to), f.levels(begin, end)).P*float64(tests))
		if p >= f.options.Level || near(found, to, begin) || !f.breaks(from, to, begin, end) {
			continue
		}
		out = append(out, cut{index: f.leaves(from, to, begin, end), settled: begin, p: p, tests: tests, searched: true})
		from = begin
	}
	return out
}

// segment is a stretch of readings between two change points.
type segment struct {
	begin, end int
	level      float64
}

// segments are those of at least MinReadings.
func (f *finder) segments() []segment {
	points := stats.ChangePoints(f.levels(0, len(f.rs)), stats.ChangeOptions{MinSegment: min(5, f.options.MinReadings)})
	var out []segment
	begin := 0
	for _, end := range append(points, len(f.rs)) {
		if end-begin >= f.options.MinReadings {
			out = append(out, segment{begin, end, stats.Median(f.levels(begin, end))})
		}
		begin = end
	}
	return out
}

// sameLevel is the end of the segments from k on that lie nearer to k's level
// than to that before it, within the window.
func (f *finder) sameLevel(list []segment, k int) int {
	old, level := list[k-1].level, list[k].level
	end := list[k].end
	for _, s := range list[k+1:] {
		if math.Abs(s.level-old) < math.Abs(s.level-level) {
			break
		}
		end = s.end
	}
	return max(list[k].end, min(end, list[k].begin+window))
}

// breaks reports whether something breaks between two stretches: a line through
// each leaves less than half of what one line through both leaves. A trend that
// goes on is no change.
func (f *finder) breaks(from, to, begin, end int) bool {
	apart := f.leftOver(from, to, to, to) + f.leftOver(begin, end, end, end)
	return apart < 0.5*f.leftOver(from, to, begin, end)
}

// leftOver is the sum of squares about the line through the readings of two
// stretches.
func (f *finder) leftOver(from, to, begin, end int) float64 {
	y := append(f.levels(from, to), f.levels(begin, end)...)
	x := make([]float64, len(y))
	for i := range x {
		if x[i] = float64(from + i); from+i >= to {
			x[i] = float64(begin + from + i - to)
		}
	}
	sum := 0.0
	for _, r := range stats.LinearFit(x, y, nil).Residuals(x, y) {
		sum += r * r
	}
	return sum
}

// leaves is the first reading between two levels that is a quarter of the way to
// the second.
func (f *finder) leaves(from, to, begin, end int) int {
	old := stats.Median(f.levels(from, to))
	way := stats.Median(f.levels(begin, end)) - old
	for to < begin && (f.rs[to].value-old)/way < 0.25 {
		to++
	}
	return to
}

// near reports whether a cut lies at most two readings off the stretch.
func near(cuts []cut, from, to int) bool {
	return slices.ContainsFunc(cuts, func(c cut) bool { return c.index >= from-2 && c.index <= to+2 })
}

// indexAt is the first reading that begins at or after t.
func (f *finder) indexAt(t record.Time) int {
	i, _ := slices.BinarySearchFunc(f.rs, t, func(r reading, t record.Time) int { return cmp.Compare(r.from, t) })
	return i
}

func (f *finder) levels(from, to int) []float64 {
	var out []float64
	for _, r := range f.rs[from:to] {
		out = append(out, r.value)
	}
	return out
}

// bestNear is where a step fits best among the readings around i: where the
// ranks on either side differ most.
func (f *finder) bestNear(i int) int {
	from, to := max(0, i-window), min(len(f.rs), i+window)
	ranks := stats.Ranks(f.levels(from, to))
	n := float64(len(ranks))
	best, most, sum := i, -1.0, 0.0
	for k := 1; k < len(ranks); k++ {
		sum += ranks[k-1]
		left := float64(k)
		// The standardised rank sum, squared, up to a constant.
		d := sum - left*(n+1)/2
		if z := d * d / (left * (n - left)); z > most {
			best, most = from+k, z
		}
	}
	return best
}

// change holds the cut between its neighbours against the limits.
func (f *finder) change(c cut, from, to int) (Change, bool) {
	settled := c.settled
	if k := f.settling(c.index, to); settled == c.index {
		settled += k
	}
	out := Change{Pos: f.rs[c.index].pos, P: c.p, Tests: c.tests, Searched: c.searched,
		Began:      Began{After: f.rs[c.index-1].to, By: f.rs[c.index].from, Resolution: f.resolution},
		Transition: f.rs[settled].from.Sub(f.rs[c.index].from),
		Step:       stats.StepTest(f.levels(from, c.index), f.levels(settled, to))}
	ratio := out.Step.Ratio
	if math.IsNaN(ratio) || ratio < f.options.MinRatio && ratio > 1/f.options.MinRatio {
		return Change{}, false
	}
	out.Cause = Explain(f.list, out.Began, f.mechanism)
	return out, true
}

// settling is how many of the readings from at on belong to the transition; 0
// if none do, or if the level does not settle.
func (f *finder) settling(at, to int) int {
	x := make([]float64, to-at)
	for i := range x {
		x[i] = f.rs[at+i].from.Sub(f.rs[at].from).Seconds()
	}
	k := stats.TransitionEnd(x, f.levels(at, to), 0.1)
	if len(x)-k < f.options.MinReadings {
		return 0
	}
	return k
}

func abs(i int) int { return max(i, -i) }
