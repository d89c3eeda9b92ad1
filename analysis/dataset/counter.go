package dataset

import (
	"github.com/pgassay/pgassay/parser/record"
)

// Delta is how far a cumulative counter went on between two captures that no
// break lies between. It is never negative.
type Delta struct {
	From, To record.Time
	Pos      record.Pos // of the later capture
	N        int64
}

// Total sums deltas, and the seconds that they span.
func Total(deltas []Delta) (n int64, seconds float64) {
	for _, d := range deltas {
		n += d.N
		seconds += d.To.Sub(d.From).Seconds()
	}
	return n, seconds
}

// Inserted are the deltas of n_tup_ins.
func (r *Relation) Inserted() []Delta {
	return r.deltas(func(p *TablePoint) record.Count { return p.Ins })
}

// Updated are the deltas of n_tup_upd.
func (r *Relation) Updated() []Delta {
	return r.deltas(func(p *TablePoint) record.Count { return p.Upd })
}

// Deleted are the deltas of n_tup_del.
func (r *Relation) Deleted() []Delta {
	return r.deltas(func(p *TablePoint) record.Count { return p.Del })
}

// SeqTupRead are the deltas of seq_tup_read: rows that sequential scans read.
func (r *Relation) SeqTupRead() []Delta {
	return r.deltas(func(p *TablePoint) record.Count { return p.SeqTupRead })
}

// Written are the deltas of all rows inserted, updated and deleted.
func (r *Relation) Written() []Delta {
	return r.deltas(func(p *TablePoint) record.Count {
		if !p.Ins.Known || !p.Upd.Known || !p.Del.Known {
			return record.Count{}
		}
		return record.Some(p.Ins.N + p.Upd.N + p.Del.N)
	})
}

func (r *Relation) deltas(of func(*TablePoint) record.Count) []Delta {
	var s counter
	for i := range r.Points {
		p := &r.Points[i]
		s.read(p.Time, p.Pos, of(p), p.Broken)
	}
	return s.deltas
}

// Scanned are the deltas of idx_scan of the index.
func (x *Index) Scanned() []Delta {
	var s counter
	for i := range x.Points {
		p := &x.Points[i]
		s.read(p.Time, p.Pos, p.Scans, p.Broken)
	}
	return s.deltas
}

// Deltas are those of a column of a view that is no table, index or statement,
// over the rows that are chosen: one for each capture. The view's own
// stats_reset breaks them, as what ends the counters of the server does.
func (m *Model) Deltas(view record.View, column string, chosen func(*record.Sample) bool) []Delta {
	var s counter
	var prev *record.Sample
	rows := m.rows[view]
	for i := range rows {
		r := &rows[i]
		if !chosen(r) {
			continue
		}
		broken := prev != nil && (timeOf(prev, "stats_reset") != timeOf(r, "stats_reset") || m.endsCounters(prev.CapturedAt, r.CapturedAt))
		s.read(r.CapturedAt, r.Pos, count(r, column), broken)
		prev = r
	}
	return s.deltas
}

// endsCounters reports whether something ended the counters of the whole server
// between two captures.
func (m *Model) endsCounters(from, to record.Time) bool {
	for i := range m.Breaks {
		if b := &m.Breaks[i]; b.Server && b.Kind.EndsCounters() && b.within(from, to) {
			return true
		}
	}
	return false
}

// counter turns the readings of a cumulative counter, by time, into deltas.
type counter struct {
	deltas []Delta
	time   record.Time
	last   record.Count // not known before the first reading and after a break
}

// read takes the next reading. A reading that is not known is passed over; a
// break before it counts for the next one.
func (c *counter) read(t record.Time, pos record.Pos, n record.Count, broken bool) {
	if broken {
		c.last = record.Count{}
	}
	if !t.Known() || !n.Known {
		return
	}
	if c.last.Known && n.N >= c.last.N && t > c.time {
		c.deltas = append(c.deltas, Delta{From: c.time, To: t, Pos: pos, N: n.N - c.last.N})
	}
	c.last, c.time = n, t
}
