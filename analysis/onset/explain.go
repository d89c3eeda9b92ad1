package onset

import (
	"cmp"
	"slices"

	"github.com/pgassay/pgassay/parser/record"
)

// Mechanism is how a change of one kind of cost comes about: the kinds of
// happenings that can cause it, the most direct first, each with the time within
// which the effect may begin after it.
type Mechanism []Cause

// Cause is a kind of happening and how long after it its effect may begin.
type Cause struct {
	Kind   Kind
	Within record.Duration
}

// IndexWalk is the mechanism of a walk through an index: a vacuum that cleaned
// the index, or may have. The walk may begin days later, when the rows that fit
// the freed slots have filled them: 29 hours in one case in production.
func IndexWalk(within record.Duration) Mechanism {
	return Mechanism{{IndexVacuum, within}, {TableVacuum, within}}
}

// PlanChoice is the mechanism of another plan: what the planner reads. New
// statistics and indexes drop cached plans too, so that they act on the next
// execution; a setting may wait for the sessions to read it.
func PlanChoice() Mechanism {
	const soon = 5 * record.Second
	return Mechanism{{DropIndex, soon}, {CreateIndex, soon}, {Analyze, soon}, {SettingChange, 12 * soon},
		{TableChange, soon}, {Reindex, soon}, {TableVacuum, soon}, {Restart, soon}, {Crash, soon}, {NewApplication, soon}}
}

// Began is when a change began: after the last reading of the old level and not
// after the first of the new. Resolution is that of the clock that timed them.
type Began struct {
	After, By  record.Time
	Resolution record.Duration
}

// Explanation is the happening that a change followed.
type Explanation struct {
	Happening
	// Lag is the time from the end of the happening to the first reading of the
	// new level, 0 if that came before the happening ended.
	Lag record.Duration
	// Also are other happenings of the mechanism that lie as near, within the
	// resolution of the readings: the input cannot tell them apart.
	Also []Happening
}

// Explain chooses the happening that the change followed: the most direct kind
// of the mechanism, of that kind the nearest. None that began after the change
// did, and none whose time to act was over before, unless it came after the last
// reading of the old level. nil if there is none.
func Explain(list []Happening, b Began, m Mechanism) *Explanation {
	var fit []Happening
	for _, h := range list {
		c := m.of(h.Kind)
		if c >= 0 && h.Start <= b.By.Add(b.Resolution) && (h.End >= b.After.Add(-b.Resolution) || b.By.Sub(h.End) <= m[c].Within+b.Resolution) {
			fit = append(fit, h)
		}
	}
	if len(fit) == 0 {
		return nil
	}
	best := slices.MinFunc(fit, func(x, y Happening) int {
		return cmp.Or(cmp.Compare(m.of(x.Kind), m.of(y.Kind)), cmp.Compare(distance(&x, b), distance(&y, b)))
	})
	out := &Explanation{Happening: best, Lag: max(0, b.By.Sub(best.End))}
	width := max(b.Resolution, b.By.Sub(b.After))
	for _, h := range fit {
		if apart := distance(&h, b) - distance(&best, b); h != best && -width <= apart && apart <= width {
			out.Also = append(out.Also, h)
		}
	}
	return out
}

// of is the place of a kind in the mechanism, -1 if it has none.
func (m Mechanism) of(k Kind) int {
	return slices.IndexFunc(m, func(c Cause) bool { return c.Kind == k })
}

// distance is how long before the first reading of the new level the happening
// ended.
func distance(h *Happening, b Began) record.Duration { return max(0, b.By.Sub(h.End)) }
