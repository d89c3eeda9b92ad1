package autovacuum

import (
	"math"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// Due is when a trigger will be reached at the present rate.
type Due struct {
	Limit
	Now   float64 // the counter at the last capture; NaN if unknown
	Rate  Rate
	In    float64        // seconds from the last capture; 0 if it is past, +Inf if never
	Range stats.Interval // of In, from the interval of the rate
	At    record.Time    // NoTime if never, or not known
}

// Known reports whether the time can be told.
func (d Due) Known() bool { return !math.IsNaN(d.In) }

// Every is how long the counter takes from nothing to its limit, in seconds.
func (d Due) Every() float64 {
	if !d.Limit.Known() || !d.Rate.Known() || d.Rate.PerSecond <= 0 {
		return math.NaN()
	}
	return d.Value / d.Rate.PerSecond
}

// Dues are the triggers of a vacuum of r in this order: dead rows, inserted
// rows, transaction age, multixact age; nil without a snapshot. The server looks
// once in autovacuum_naptime, so that a vacuum begins up to that much later.
func Dues(r *dataset.Relation, l Limits, a Activity) []Due {
	p := latest(r)
	if p == nil {
		return nil
	}
	return []Due{
		DueBy(p, l.Dead, p.DeadTup, a.Dead), DueBy(p, l.Inserted, p.InsSinceVacuum, a.Inserted),
		DueBy(p, l.Freeze, p.FrozenXidAge, a.Xids), DueBy(p, l.Multixact, p.MxidAge, a.Mxids),
	}
}

// Next is the trigger that is reached first; false if none can be told.
func Next(dues []Due) (Due, bool) {
	best, ok := Due{}, false
	for _, d := range dues {
		if d.Known() && (!ok || d.In < best.In) {
			best, ok = d, true
		}
	}
	return best, ok
}

// latest is the last row with a time, else the last of all; nil if there is
// none.
func latest(r *dataset.Relation) *dataset.TablePoint {
	if p := timed(r); len(p) > 0 {
		return &p[len(p)-1]
	}
	if len(r.Points) > 0 {
		return &r.Points[len(r.Points)-1]
	}
	return nil
}

// DueBy is when the counter n of the capture p reaches l at that rate.
func DueBy(p *dataset.TablePoint, l Limit, n record.Count, rate Rate) Due {
	d := Due{Limit: l, Now: math.NaN(), Rate: rate, In: math.NaN(), Range: NoRate().Interval, At: record.NoTime}
	if n.Known {
		d.Now = float64(n.N)
	}
	left := l.Value - d.Now
	switch {
	case !l.Known() || !n.Known:
		return d
	case left < 0:
		d.In = 0
	case !rate.Known():
		return d
	case rate.PerSecond <= 0:
		d.In = math.Inf(1)
		return d
	default:
		d.In = left / rate.PerSecond
		d.Range = stats.Interval{Lo: left / rate.Hi, Hi: left / max(0, rate.Lo)}
	}
	if d.In < longest && p.Time.Known() {
		d.At = p.Time.Add(record.Duration(d.In * 1e6))
	}
	return d
}
