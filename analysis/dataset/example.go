package dataset

import (
	"cmp"

	"github.com/pgassay/pgassay/parser/record"
)

type exampleKey struct {
	fingerprint string
	shape       uint64
	folder      string // of the file: several servers are likely in several
}

// Example is a plan with the execution it came from.
type Example struct {
	Plan     *record.Plan
	Pos      record.Pos
	Time     record.Time
	Duration record.Duration
}

// examples keeps the earliest and the slowest plan of a statement and shape,
// and the latest for a filter whose begin is not known before the end.
type examples struct {
	first, slowest, latest Example
}

func examplesOf(e *record.Execution, latest bool) examples {
	x := Example{Plan: e.Plan, Pos: e.Pos, Time: e.LogTime, Duration: e.Duration}
	if !latest {
		return examples{first: x, slowest: x}
	}
	return examples{first: x, slowest: x, latest: x}
}

// keptBy is e without the plans outside the times of a filter, nil being none.
// What stands in for them need not be the earliest or the slowest of those kept.
func (e examples) keptBy(kept *Kept) examples {
	if kept == nil {
		return e
	}
	return e.only(func(x Example) bool { return kept.Filter.at(x.Time) == chosen })
}

// only is e without the plans that are not chosen.
func (e examples) only(chosen func(Example) bool) examples {
	var out examples
	for _, x := range [...]Example{e.first, e.slowest, e.latest} {
		if x.Plan != nil && chosen(x) {
			out = out.merge(examples{first: x, slowest: x})
		}
	}
	if out.first.Plan != nil && e.latest.Plan != nil && chosen(e.latest) {
		out.latest = e.latest
	}
	return out
}

func (e examples) merge(o examples) examples {
	if e.first.Plan == nil {
		return o
	}
	if o.first.before(e.first) {
		e.first = o.first
	}
	if o.slowest.Duration > e.slowest.Duration ||
		o.slowest.Duration == e.slowest.Duration && o.slowest.before(e.slowest) {
		e.slowest = o.slowest
	}
	if e.latest.Plan == nil || o.latest.Plan != nil && e.latest.before(o.latest) {
		e.latest = o.latest
	}
	return e
}

func (x Example) before(o Example) bool {
	if x.Time != o.Time {
		return x.Time < o.Time
	}
	return posLess(x.Pos, o.Pos)
}

func posLess(a, b record.Pos) bool { return posOrder(a, b) < 0 }

func posOrder(a, b record.Pos) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Offset, b.Offset))
}
