package autovacuum

import (
	"math"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// Rate is a mean per second with its 95 % interval, which is not OK where there
// are too few readings. PerSecond is NaN if nothing tells it.
type Rate struct {
	PerSecond float64
	stats.Interval
}

// Known reports whether the input tells the rate.
func (r Rate) Known() bool { return !math.IsNaN(r.PerSecond) }

// or0 is the rate, 0 if unknown.
func (r Rate) or0() float64 {
	if r.Known() {
		return r.PerSecond
	}
	return 0
}

// NoRate is a rate that is not known.
func NoRate() Rate {
	return Rate{math.NaN(), stats.Interval{Lo: math.NaN(), Hi: math.NaN()}}
}

// Activity is what happens to a table, per second.
type Activity struct {
	From, To record.Time // what the rates are of
	Captures int
	// Dead and Inserts are how fast n_dead_tup and n_ins_since_vacuum approach
	// their limits, Changed the same for n_mod_since_analyze.
	Dead, Inserted, Changed Rate
	// Died is rows updated or deleted, Placed rows inserted or moved to another
	// page by an update, Grown new pages.
	Died, Placed, Grown Rate
	Xids, Mxids         Rate // ages
	// SinceVacuum says that the rates are what was counted since the last vacuum
	// over the time since: one capture, or captures of a small part of that time.
	SinceVacuum bool
}

// minGaps is how many gaps between captures an interval of a rate needs.
const minGaps = 6

// ActivityOf measures the gaps between the captures of r: those after the last
// vacuum if there are enough, else all after the first. A gap with a vacuum or
// an analyze in it says nothing of n_dead_tup.
func ActivityOf(m *dataset.Model, r *dataset.Relation) Activity {
	points := timed(r)
	if len(points) == 0 {
		return Activity{From: record.NoTime, To: record.NoTime, Dead: NoRate(), Inserted: NoRate(), Changed: NoRate(),
			Died: NoRate(), Placed: NoRate(), Grown: NoRate(), Xids: NoRate(), Mxids: NoRate()}
	}
	points = settled(points, r.Vacuums)
	a := measured(points, float64(m.BlockSize))
	a.fromLastVacuum(&points[len(points)-1])
	return a
}

func timed(r *dataset.Relation) []dataset.TablePoint {
	n := 0
	for n < len(r.Points) && r.Points[n].Time.Known() {
		n++
	}
	return r.Points[:n]
}

// settled are the points after the last vacuum if they are enough for an
// interval, else those after the first if two remain, else all.
func settled(points []dataset.TablePoint, vacuums []*dataset.Vacuum) []dataset.TablePoint {
	after := func(t record.Time) []dataset.TablePoint {
		i := 0
		for i < len(points) && points[i].Time < t {
			i++
		}
		return points[i:]
	}
	if len(vacuums) == 0 {
		return points
	}
	if p := after(vacuums[len(vacuums)-1].End); len(p) > minGaps {
		return p
	}
	if p := after(vacuums[0].End); len(p) > 2 {
		return p
	}
	return points
}

func measured(points []dataset.TablePoint, blockSize float64) Activity {
	type counter func(*dataset.TablePoint) (float64, bool)
	count := func(of func(*dataset.TablePoint) record.Count) counter {
		return func(p *dataset.TablePoint) (float64, bool) { c := of(p); return float64(c.N), c.Known }
	}
	rate := func(c counter, quiet bool) Rate { return rateOf(points, c, quiet) }
	return Activity{
		From: points[0].Time, To: points[len(points)-1].Time, Captures: len(points),
		Dead:     rate(count(func(p *dataset.TablePoint) record.Count { return p.DeadTup }), true),
		Inserted: rate(count(func(p *dataset.TablePoint) record.Count { return p.InsSinceVacuum }), true),
		Changed:  rate(count(func(p *dataset.TablePoint) record.Count { return p.ModSinceAnalyze }), true),
		Died:     rate(died, false), Placed: rate(placed, false),
		Grown: rate(func(p *dataset.TablePoint) (float64, bool) { return pages(p, blockSize) }, false),
		Xids:  rate(count(func(p *dataset.TablePoint) record.Count { return p.FrozenXidAge }), true),
		Mxids: rate(count(func(p *dataset.TablePoint) record.Count { return p.MxidAge }), true),
	}
}

func died(p *dataset.TablePoint) (float64, bool) {
	return float64(p.Upd.N + p.Del.N), p.Upd.Known && p.Del.Known
}

// placed are rows that need space: inserted ones and the new versions of updates
// that left their page; before PostgreSQL 16 of all that are not HOT.
func placed(p *dataset.TablePoint) (float64, bool) {
	moved := max(0, p.Upd.N-p.HotUpd.N)
	if p.NewpageUpd.Known {
		moved = p.NewpageUpd.N
	}
	return float64(p.Ins.N + moved), p.Ins.Known && p.Upd.Known
}

func pages(p *dataset.TablePoint, blockSize float64) (float64, bool) {
	return float64(p.RelationSize.N) / blockSize, p.RelationSize.Known
}

// rateOf sums the gaps in which the counter did not fall. quiet leaves out gaps
// with a vacuum or an analyze.
func rateOf(points []dataset.TablePoint, counter func(*dataset.TablePoint) (float64, bool), quiet bool) Rate {
	var rise, seconds []float64
	for i := 1; i < len(points); i++ {
		a, b := &points[i-1], &points[i]
		from, known := counter(a)
		to, known2 := counter(b)
		if s := b.Time.Sub(a.Time).Seconds(); known && known2 && s > 0 && to >= from && !(quiet && maintained(a, b)) {
			rise, seconds = append(rise, to-from), append(seconds, s)
		}
	}
	if len(rise) == 0 {
		return NoRate()
	}
	mean := func(rows []int) float64 {
		var r, s float64
		for _, i := range rows {
			r, s = r+rise[i], s+seconds[i]
		}
		return r / s
	}
	all := make([]int, len(rise))
	for i := range all {
		all[i] = i
	}
	out := Rate{mean(all), NoRate().Interval}
	if len(rise) >= minGaps {
		const reps, seed = 400, 7
		out.Interval, _ = stats.BlockBootstrap(len(rise), stats.BlockLength(rise), reps, seed, mean)
	}
	return out
}

// maintained reports a vacuum or an analyze between two captures.
func maintained(a, b *dataset.TablePoint) bool {
	return a.LastVacuum != b.LastVacuum || a.LastAutovacuum != b.LastAutovacuum || a.LastAnalyze != b.LastAnalyze ||
		a.LastAutoanalyze != b.LastAutoanalyze || a.VacuumCount != b.VacuumCount || a.AutovacuumCount != b.AutovacuumCount
}

// fromLastVacuum replaces the rates where the captures span less than a tenth of
// the time since the last vacuum: n_dead_tup and n_ins_since_vacuum have counted
// since then.
func (a *Activity) fromLastVacuum(p *dataset.TablePoint) {
	last := max(p.LastVacuum, p.LastAutovacuum)
	if !last.Known() || last >= p.Time || 10*a.To.Sub(a.From) > p.Time.Sub(last) {
		return
	}
	s := p.Time.Sub(last).Seconds()
	since := func(n record.Count, before Rate) Rate {
		if !n.Known {
			return before
		}
		return Rate{float64(n.N) / s, NoRate().Interval}
	}
	a.Dead, a.Inserted = since(p.DeadTup, a.Dead), since(p.InsSinceVacuum, a.Inserted)
	a.SinceVacuum, a.From = true, last
	if !a.Died.Known() {
		a.Died = a.Dead
	}
	if !a.Placed.Known() {
		a.Placed = a.Inserted
	}
}
