package signature

import (
	"cmp"
	"math"
	"slices"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/stats"
)

// walkScale is a walk seen in one experiment: after the vacuum a row of the
// content costs its baseline and as many buffers as the index has pages.
type walkScale struct {
	x         *experiment
	statement *dataset.Statement
	cleaning  *cleaning
	size      sizeKey
	pages     float64           // in force after the vacuum
	baseline  float64           // buffers per row, exclusive of what feeds the write
	before    []experimentWrite // of the content, before the vacuum
	after     []experimentWrite // of the content, after it
	quiet     []experimentWrite // of other contents, after it, that do not walk
	rebuilt   []experimentWrite // of the content, after a REINDEX, that do not walk
	ratio     float64           // (cost − baseline) ÷ pages, median
}

// cost is the median after the vacuum, in buffers per row.
func (s *walkScale) cost() float64 { return medianCost(s.after) }

// control says what stayed quiet; "" if nothing that could tell did.
func (s *walkScale) control() string {
	switch {
	case len(s.before) == 0:
		return ""
	case len(s.quiet) > 0:
		return "rows of another size, side by side, stay at the baseline"
	case len(s.rebuilt) > 0:
		return "after REINDEX the cost is back at the baseline"
	case len(s.before) >= 3:
		return "repeats before the vacuum stay at the baseline"
	}
	return ""
}

// transcriptWalks is what the transcripts of a model say of walks.
type transcriptWalks struct {
	bySubject map[walkSubject][]*walkScale
	flat      map[walkSubject]int // experiments in which nothing rose
	evaluated bool                // some experiment could tell
	writes    bool
}

type walkSubject struct{ relation, fingerprint string }

// transcriptLimits are the thresholds of PGA101 for transcripts.
type transcriptLimits struct {
	lo, hi  float64
	minStep float64
	plans   int
}

// quietPart is the part of the index by which a control may move.
const quietPart = 0.1

// maxCleanings bounds the vacuums of one experiment that are looked at.
const maxCleanings = 20

// transcriptWalksOf evaluates the transcripts once per pass; v are the
// thresholds of PGA101.
func transcriptWalksOf(p *Pass, v map[string]float64) *transcriptWalks {
	lim := transcriptLimits{v["transcript_min"], v["transcript_max"], v["min_step"], int(v["transcript_plans"])}
	return shared(p, "transcript walks", func(m *dataset.Model) *transcriptWalks {
		w := &transcriptWalks{bySubject: map[walkSubject][]*walkScale{}, flat: map[walkSubject]int{}}
		for i := range m.Transcripts {
			for _, x := range experimentsOf(&m.Transcripts[i], m.BlockSize) {
				w.add(x, lim)
			}
		}
		return w
	})
}

// reportTranscripts reports one finding for each statement that walks.
func reportTranscripts(p *Pass, w *transcriptWalks) {
	subjects := make([]walkSubject, 0, len(w.bySubject))
	for s := range w.bySubject {
		subjects = append(subjects, s)
	}
	slices.SortFunc(subjects, func(a, b walkSubject) int {
		return cmp.Or(cmp.Compare(a.relation, b.relation), cmp.Compare(a.fingerprint, b.fingerprint))
	})
	for _, s := range subjects {
		f := transcriptFinding{p: p, scales: distinctScales(w.bySubject[s]), flat: w.flat[s]}
		largest := f.largest()
		p.Report(f.finding(), largest.cost()-largest.baseline < p.limit("floor_buffers"))
	}
}

// add evaluates the statements of an experiment.
func (w *transcriptWalks) add(x *experiment, lim transcriptLimits) {
	var statements []*dataset.Statement
	writes := map[*dataset.Statement][]experimentWrite{}
	for _, v := range x.writes {
		s := v.Exec.Statement
		if len(writes[s]) == 0 {
			statements = append(statements, s)
		}
		writes[s] = append(writes[s], v)
	}
	for _, s := range statements {
		w.writes = true
		subject := walkSubject{s.Statement.Target, s.Fingerprint}
		scale, compared, flat := x.scaleOf(s, writes[s], lim)
		w.evaluated = w.evaluated || compared
		if scale != nil {
			w.bySubject[subject] = append(w.bySubject[subject], scale)
		} else if flat {
			w.flat[subject]++
		}
	}
}

// scaleOf finds the first vacuum after which the statement walks, by its writes.
// compared says that some content could be compared, flat that none of them
// rose.
func (x *experiment) scaleOf(s *dataset.Statement, writes []experimentWrite, lim transcriptLimits) (scale *walkScale, compared, flat bool) {
	cleanings := make([]*cleaning, 0, maxCleanings)
	for i := range x.cleanings {
		if c := &x.cleanings[i]; c.concerns(s.Statement.Target) && len(cleanings) < maxCleanings {
			cleanings = append(cleanings, c)
		}
	}
	rose := false
	for i, c := range cleanings {
		before, after := splitWrites(writes, c.at)
		if i+1 < len(cleanings) {
			after, _ = splitWrites(after, cleanings[i+1].at)
		}
		t := walkTrial{x: x, statement: s, cleaning: c, lim: lim, before: byContent(before), after: byContent(after)}
		t.rank()
		best := t.best()
		compared, rose = compared || t.compared, rose || t.rose
		if best != nil {
			return best, true, false
		}
	}
	return nil, compared, compared && !rose
}

// splitWrites splits writes, in order, before the write with the number at.
func splitWrites(writes []experimentWrite, at int) (before, after []experimentWrite) {
	i, _ := slices.BinarySearchFunc(writes, at, func(w experimentWrite, at int) int { return w.at - at })
	return writes[:i], writes[i:]
}

// contents are writes by content, in order of appearance.
type contents struct {
	names  []string
	writes map[string][]experimentWrite
}

func byContent(writes []experimentWrite) contents {
	c := contents{writes: map[string][]experimentWrite{}}
	for _, w := range writes {
		if len(c.writes[w.content]) == 0 {
			c.names = append(c.names, w.content)
		}
		c.writes[w.content] = append(c.writes[w.content], w)
	}
	return c
}

// walkTrial holds the writes on either side of one vacuum.
type walkTrial struct {
	x              *experiment
	statement      *dataset.Statement
	cleaning       *cleaning
	lim            transcriptLimits
	before, after  contents
	lowest         [2]contentCost // of different contents, on either side
	compared, rose bool
}

type contentCost struct {
	content string
	cost    float64 // median
}

// rank finds the two contents that cost least: one of them is another than the
// content in question.
func (t *walkTrial) rank() {
	t.lowest = [2]contentCost{{cost: math.NaN()}, {cost: math.NaN()}}
	low, next := &t.lowest[0], &t.lowest[1]
	for _, side := range []contents{t.before, t.after} {
		for _, name := range side.names {
			c := contentCost{name, medianCost(side.writes[name])}
			switch {
			case low.content == name && !math.IsNaN(low.cost):
				low.cost = min(low.cost, c.cost)
			case !(c.cost >= low.cost):
				*low, *next = c, *low
			case !(c.cost >= next.cost):
				*next = c
			}
		}
	}
}

// best is the content and the size for which the equation holds best; nil if it
// holds for none. A content with its own baseline goes first.
func (t *walkTrial) best() *walkScale {
	var best *walkScale
	for _, name := range t.after.names {
		s := t.content(name)
		if s == nil {
			continue
		}
		own, bestOwn := s.before != nil, best != nil && best.before != nil
		if best == nil || own && !bestOwn || own == bestOwn && math.Abs(s.ratio-1) < math.Abs(best.ratio-1) {
			best = s
		}
	}
	if best != nil {
		best.quiet = t.quiet(best)
		best.rebuilt = best.afterRebuild()
	}
	return best
}

// content tries the sizes on one content.
func (t *walkTrial) content(name string) *walkScale {
	s := walkScale{x: t.x, statement: t.statement, cleaning: t.cleaning, before: t.before.writes[name], after: t.after.writes[name]}
	if len(s.after) < t.lim.plans {
		return nil
	}
	if s.baseline = medianCost(s.before); len(s.before) == 0 {
		s.baseline = t.least(name)
	}
	keys := t.x.sizeKeys(t.statement.Statement.Target)
	if !(s.baseline > 0) || len(keys) == 0 {
		return nil
	}
	t.compared = true
	if s.cost() < t.lim.minStep*s.baseline {
		return nil
	}
	t.rose = true
	var best *walkScale
	for _, k := range keys {
		try := s
		if try.hold(k, t.lim) && (best == nil || math.Abs(try.ratio-1) < math.Abs(best.ratio-1)) {
			best = &try
		}
	}
	return best
}

// hold tests the equation on a size: (cost − baseline) ÷ pages in force, in the
// band widened by the rounding of the size.
func (s *walkScale) hold(k sizeKey, lim transcriptLimits) bool {
	ratios, pages := make([]float64, len(s.after)), make([]float64, len(s.after))
	rounding := 0.0
	for i, w := range s.after {
		size := s.x.sizeAt(k, w.at)
		pages[i] = size.pages
		ratios[i] = (w.perRow() - s.baseline) / size.pages
		rounding = max(rounding, size.err/size.pages)
	}
	s.size, s.pages, s.ratio = k, stats.Median(pages), stats.Median(ratios)
	const coarsest = 0.05 // a size told no better cannot carry the claim
	return rounding <= coarsest && s.ratio >= lim.lo*(1-rounding) && s.ratio <= lim.hi*(1+rounding)
}

// least is the lowest median of the other contents; NaN if there are none.
func (t *walkTrial) least(except string) float64 {
	if low := t.lowest[0]; low.content != except {
		return low.cost
	}
	return t.lowest[1].cost
}

// quiet are the writes of other contents that stay at their own baseline, or at
// that of the content that walks; nil if one of them does neither and does not
// walk.
func (t *walkTrial) quiet(s *walkScale) []experimentWrite {
	var out []experimentWrite
	for _, name := range t.after.names {
		writes := t.after.writes[name]
		if name == s.after[0].content {
			continue
		}
		base := s.baseline
		if own := t.before.writes[name]; len(own) > 0 {
			base = medianCost(own)
		}
		switch moved := medianCost(writes) - base; {
		case math.Abs(moved) <= quietPart*s.pages:
			out = append(out, writes...)
		case moved < t.lim.lo*s.pages || moved > t.lim.hi*s.pages:
			return nil
		}
	}
	return out
}

// afterRebuild are the writes of the content after a REINDEX, if they are back
// at the baseline.
func (s *walkScale) afterRebuild() []experimentWrite {
	x := s.x.next
	if x == nil || x.rebuild == nil {
		return nil
	}
	end := len(x.writes)
	if len(x.cleanings) > 0 {
		end = x.cleanings[0].at
	}
	var out []experimentWrite
	for _, w := range x.writes[:end] {
		if w.Exec.Statement == s.statement && w.content == s.after[0].content {
			out = append(out, w)
		}
	}
	if len(out) == 0 || math.Abs(medianCost(out)-s.baseline) > quietPart*s.pages {
		return nil
	}
	return out
}

// medianCost is in buffers per row; NaN without writes.
func medianCost(writes []experimentWrite) float64 {
	costs := make([]float64, len(writes))
	for i, w := range writes {
		costs[i] = w.perRow()
	}
	return stats.Median(costs)
}

// distinctScales sorts scales by size and drops copies: the same transcript
// given twice is one experiment.
func distinctScales(scales []*walkScale) []*walkScale {
	slices.SortFunc(scales, func(a, b *walkScale) int {
		return cmp.Or(cmp.Compare(a.pages, b.pages), cmp.Compare(a.baseline, b.baseline), cmp.Compare(a.cost(), b.cost()),
			cmp.Compare(a.x.file, b.x.file), cmp.Compare(a.cleaning.vacuum.Pos.Offset, b.cleaning.vacuum.Pos.Offset))
	})
	return slices.CompactFunc(scales, func(a, b *walkScale) bool {
		return a.pages == b.pages && slices.EqualFunc(slices.Concat(a.before, a.after), slices.Concat(b.before, b.after),
			func(x, y experimentWrite) bool { return x.Buffers == y.Buffers && x.Exec.Duration == y.Exec.Duration })
	})
}

// lacks says what transcripts alone do not tell; "" if they do, or if
// there are none with writes.
func (w *transcriptWalks) lacks() (lacks, add string) {
	if !w.writes || w.evaluated {
		return "", ""
	}
	return "no write that the transcript shows on both sides of a vacuum after a delete, with the size of an index",
		"EXPLAIN (ANALYZE, BUFFERS) of the same write before and at least twice after DELETE and VACUUM, with pg_relation_size of the index"
}
