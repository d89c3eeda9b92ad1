package signature

import (
	"math"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/onset"
	"github.com/pgassay/pgassay/analysis/series"
	"github.com/pgassay/pgassay/parser/record"
)

// unseenFlip is a statement that costs more since an index of its tables was
// dropped or a table was analyzed, of which no plan is logged: its cost is that
// of pg_stat_statements.
type unseenFlip struct {
	slowdown
	Cost levels      // buffers per execution, medians before and after
	End  record.Time // of the change back; NoTime while it lasts
	Read scanRate    // rows that sequential scans of the table read
	Uses scanRate    // scans of the dropped index
}

// scanRate is the growth of a counter per second before and after a change; NaN
// where captures do not tell it.
type scanRate struct{ Before, After float64 }

// unseenFlips are the statements without executions in the log whose cost steps
// up after an event that changes plans.
func (p *Pass) unseenFlips() (found []*unseenFlip, measured bool) {
	for _, s := range p.costly() {
		f := p.frame(s)
		if f == nil || f.Source != series.FromStatements || f.Len() < 2*minCostReadings || len(s.Relations) == 0 {
			continue
		}
		measured = true
		if u := p.unseenFlipOf(f); u != nil {
			found = append(found, u)
		}
	}
	return found, measured
}

func (p *Pass) unseenFlipOf(f *series.Frame) *unseenFlip {
	const cost = series.BuffersPerExecution
	if f.Column(cost) == nil {
		return nil
	}
	happened := onset.Of(happenings(p), onset.SubjectOf(f.Statement))
	changes := onset.Find(onset.Series{Points: pointsOf(f, cost)}, happened, onset.PlanChoice(),
		onset.Options{MinReadings: minCostReadings, MinRatio: p.limit("min_ratio"), Level: p.limit("level")})
	for i, c := range changes {
		if c.Cause == nil || c.Cause.Kind != onset.DropIndex && c.Cause.Kind != onset.Analyze || c.Step.Ratio < p.limit("min_ratio") {
			continue
		}
		u := &unseenFlip{slowdown: slowdown{Statement: f.Statement, Frame: f, Change: c}, End: record.NoTime}
		u.split()
		if i+1 < len(changes) && changes[i+1].Step.Ratio < 1 {
			u.endsAt(&changes[i+1])
		}
		if p.fitsUnseen(u) {
			return u
		}
	}
	return nil
}

// pointsOf are the readings of a cost. Each counts from its end: what happened
// within it came before.
func pointsOf(f *series.Frame, kind series.Kind) []onset.Point {
	var out []onset.Point
	for i, v := range f.Column(kind).Values {
		if !math.IsNaN(v) {
			pos, _ := f.Place(i)
			out = append(out, onset.Point{Time: f.Spans[i].To, Value: v, Pos: pos})
		}
	}
	return out
}

// endsAt cuts the time after the change where another one ends it.
func (u *unseenFlip) endsAt(c *onset.Change) {
	n := 0
	for n < u.After.Len() && u.After.Spans[n].To <= c.After {
		n++
	}
	u.After, u.End = u.After.Slice(0, n), c.By
}

// fitsUnseen measures the change and reports whether a plan may be behind it: as
// many rows as before take more buffers and longer, and a dropped index was in
// use.
func (p *Pass) fitsUnseen(u *unseenFlip) bool {
	if u.Before.Len() < minCostReadings || u.After.Len() < minCostReadings {
		return false
	}
	u.Cost, u.Time = u.levels(series.BuffersPerExecution), u.levels(series.TimePerExecution)
	u.Rows = u.levels(series.RowsPerExecution)
	if r := u.Rows.ratio(); r > p.limit("control_band") || r < 1/p.limit("control_band") || !(u.Cost.ratio() >= p.limit("min_ratio")) || u.Time.ratio() < 1 {
		return false
	}
	u.scans()
	dropped := u.Change.Cause.Kind == onset.DropIndex
	return !dropped || !(u.Uses.Before == 0) // 0: nothing used it
}

// scans fills the rates of the table that the event concerns.
func (u *unseenFlip) scans() {
	u.Read, u.Uses = scanRate{math.NaN(), math.NaN()}, scanRate{math.NaN(), math.NaN()}
	cause := u.Change.Cause
	if r := cause.Relation; r != nil {
		u.Read = u.rateOf(r.SeqTupRead())
	}
	if x := cause.Index; x != nil {
		u.Uses = u.rateOf(x.Scanned())
	}
}

// rateOf are the rates of the deltas that lie wholly before and after the change.
func (u *unseenFlip) rateOf(all []dataset.Delta) scanRate {
	rate := func(s series.Span) float64 {
		n, seconds := 0.0, 0.0
		for _, d := range all {
			if d.From >= s.From && d.To <= s.To {
				n, seconds = n+float64(d.N), seconds+d.To.Sub(d.From).Seconds()
			}
		}
		return n / seconds // NaN without any
	}
	const slack = record.Second // captures of views follow each other
	before, after := u.Before.Between(), u.After.Between()
	before.From, after.To = before.From.Add(-slack), after.To.Add(slack)
	return scanRate{rate(before), rate(after)}
}

// indexServed reports that the dropped index was scanned at least about as often
// as the statement ran.
func (u *unseenFlip) indexServed() bool {
	s := u.Before.Between()
	return u.Uses.Before >= 0.8*sum(u.Before.Executions)/s.To.Sub(s.From).Seconds()
}

// readsTable reports that sequential scans of the table begin, or grow at least
// threefold.
func (u *unseenFlip) readsTable() bool {
	return u.Read.After > 0 && u.Read.After >= 3*u.Read.Before
}
