package autovacuum

import (
	"math"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// Cause is what started a vacuum.
type Cause string

// Causes.
const (
	ByDeadRows     Cause = "dead rows"
	ByInsertedRows Cause = "inserted rows"
	ByBoth         Cause = "dead and inserted rows"
	ByFreeze       Cause = "wraparound"
	ByHand         Cause = "manual"
	ByUnknown      Cause = "unknown"
)

// Pass is a vacuum with the counters that stood when it started.
type Pass struct {
	Vacuum *dataset.Vacuum
	Cause  Cause
	// Dead and Inserted are the counters, interpolated between the captures
	// around the start, and their limits; NaN if unknown.
	Dead, DeadLimit, Inserted, InsertedLimit float64
	// Why says what Cause rests on, or why it is not known.
	Why string

	mostDead, mostInserted float64 // if all of the gap came before the start
}

// Passes are the vacuums of r by time, each with the trigger that fired:
// recomputed from the counters of the captures around its start and from the
// limits then in force.
func Passes(m *dataset.Model, r *dataset.Relation) []Pass {
	var out []Pass
	for i, v := range r.Vacuums {
		var before *dataset.Vacuum
		if i > 0 {
			before = r.Vacuums[i-1]
		}
		out = append(out, passOf(m, timed(r), v, before))
	}
	return out
}

// passOf judges one vacuum; before is the one before it, nil if there is none.
func passOf(m *dataset.Model, points []dataset.TablePoint, v, before *dataset.Vacuum) Pass {
	x := Pass{Vacuum: v, Cause: ByUnknown, Dead: math.NaN(), DeadLimit: math.NaN(), Inserted: math.NaN(), InsertedLimit: math.NaN()}
	i := 0
	for i < len(points) && points[i].Time <= v.Start {
		i++
	}
	if i > 0 && i < len(points) {
		x.count(m, &points[i-1], &points[i], before)
	}
	switch {
	case v.ToPreventWraparound:
		x.Cause, x.Why = ByFreeze, "the log says so"
	case !v.Auto:
		x.Cause, x.Why = ByHand, "last_vacuum moved, not last_autovacuum"
	case i == 0 || i == len(points):
		x.Why = "no captures before and after it"
	default:
		x.judge(&points[i-1], LimitsAt(m, &points[i-1]))
	}
	return x
}

// count interpolates what had gathered when the vacuum started. n_dead_tup and
// n_ins_since_vacuum begin anew at a vacuum, the cumulative counters do not, so
// that they bridge the gap in which it lies. What the vacuum before had to leave
// counts as dead from its end.
func (x *Pass) count(m *dataset.Model, a, b *dataset.TablePoint, before *dataset.Vacuum) {
	l := LimitsAt(m, a)
	x.DeadLimit, x.InsertedLimit = l.Dead.Value, l.Inserted.Value
	from, dead, inserted := a.Time, a.DeadTup, a.InsSinceVacuum
	if before != nil && before.End > a.Time {
		from, inserted = before.End, record.Some(0)
		dead = record.Some(before.TuplesNotRemovable.N) // unknown is 0
	}
	part := float64(x.Vacuum.Start-from) / float64(max(1, b.Time-a.Time))
	gathered := func(n record.Count, rise float64, known bool) (likely, most float64) {
		if !n.Known || !known || b.Broken || rise < 0 {
			return math.NaN(), math.NaN()
		}
		return float64(n.N) + part*rise, float64(n.N) + rise
	}
	da, known := died(a)
	db, known2 := died(b)
	x.Dead, x.mostDead = gathered(dead, db-da, known && known2)
	x.Inserted, x.mostInserted = gathered(inserted, float64(b.Ins.N-a.Ins.N), a.Ins.Known && b.Ins.Known)
}

// HeldBack reports whether the vacuum had to leave so many dead rows, since
// something still saw them, that they alone are half of the limit: then the
// table is soon due again, whatever is set.
func (x *Pass) HeldBack() bool {
	return x.Vacuum.TuplesNotRemovable.Known && float64(x.Vacuum.TuplesNotRemovable.N) > 0.5*x.DeadLimit
}

// tolerance is how far below its limit an interpolated counter may lie and still
// count as reached: rows come in batches, and the server's counters lag up to a
// second.
const tolerance = 0.95

func (x *Pass) judge(a *dataset.TablePoint, l Limits) {
	dead, inserted := x.Dead > tolerance*x.DeadLimit, x.Inserted > tolerance*x.InsertedLimit
	switch {
	case dead && inserted:
		x.Cause, x.Why = ByBoth, "both counters were above their limits"
	case dead:
		x.Cause, x.Why = ByDeadRows, "n_dead_tup was above its limit"
	case inserted:
		x.Cause, x.Why = ByInsertedRows, "n_ins_since_vacuum was above its limit"
	case l.Freeze.ratio(a.FrozenXidAge) > 1 || l.Multixact.ratio(a.MxidAge) > 1:
		x.Cause, x.Why = ByFreeze, "the age of the table was above its limit"
	case x.mostDead > x.DeadLimit && !(x.mostInserted > x.InsertedLimit):
		x.Cause, x.Why = ByDeadRows, "of all counters only n_dead_tup can have been above its limit"
	case x.mostInserted > x.InsertedLimit && !(x.mostDead > x.DeadLimit):
		x.Cause, x.Why = ByInsertedRows, "of all counters only n_ins_since_vacuum can have been above its limit"
	case math.IsNaN(x.Dead) || math.IsNaN(x.DeadLimit):
		x.Why = "the captures lack n_dead_tup, n_tup_upd, n_tup_del or reltuples"
	default:
		x.Why = "no counter was above its limit"
	}
}
