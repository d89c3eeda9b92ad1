package dataset

import (
	"fmt"
	"slices"
	"sort"

	"github.com/pgassay/pgassay/parser/record"
)

// capture is one reading of a view: its rows bear almost the same time.
type capture struct {
	time, last record.Time // of its first and last row
	rows       []*record.Sample
}

// captures cuts the rows of a view into captures: within a file a new one
// begins where a key returns, or after half of the time in which keys return.
// One that was cut into two files is one again.
func captures(rows []record.Sample, key func(*record.Sample) string) []capture {
	sorted := make([]*record.Sample, 0, len(rows))
	for i := range rows {
		if rows[i].CapturedAt.Known() {
			sorted = append(sorted, &rows[i])
		}
	}
	sort.SliceStable(sorted, func(i, j int) bool { return posLess(sorted[i].Pos, sorted[j].Pos) })
	pause := cadence(sorted, key) / 2
	var out []capture
	seen := map[string]bool{}
	for i, s := range sorted {
		k := key(s)
		if i == 0 || s.Pos.File != sorted[i-1].Pos.File || seen[k] || pause > 0 && s.CapturedAt.Sub(sorted[i-1].CapturedAt) > pause {
			out = append(out, capture{time: s.CapturedAt, last: s.CapturedAt})
			clear(seen)
		}
		seen[k] = true
		c := &out[len(out)-1]
		c.rows = append(c.rows, s)
		c.time, c.last = min(c.time, s.CapturedAt), max(c.last, s.CapturedAt)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].time < out[j].time })
	return rejoined(out, pause, key)
}

// cadence is the median time in which a key returns; 0 if none does.
func cadence(rows []*record.Sample, key func(*record.Sample) string) record.Duration {
	last := map[string]record.Time{}
	var gaps []record.Duration
	for _, s := range rows {
		k := key(s)
		if t, ok := last[k]; ok && s.CapturedAt > t {
			gaps = append(gaps, s.CapturedAt.Sub(t))
		}
		last[k] = s.CapturedAt
	}
	if len(gaps) == 0 {
		return 0
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

// rejoined joins captures of different files that share no key and follow each
// other within the pause.
func rejoined(all []capture, pause record.Duration, key func(*record.Sample) string) []capture {
	if len(all) == 0 || pause == 0 {
		return all
	}
	out := all[:1]
	for _, c := range all[1:] {
		before := &out[len(out)-1]
		if c.time.Sub(before.last) > pause || !before.continues(&c, key) {
			out = append(out, c)
			continue
		}
		before.rows = append(before.rows, c.rows...)
		before.last = max(before.last, c.last)
	}
	return out
}

// continues reports whether o is the rest of c in another file.
func (c *capture) continues(o *capture, key func(*record.Sample) string) bool {
	if c.rows[len(c.rows)-1].Pos.File == o.rows[0].Pos.File {
		return false
	}
	seen := make(map[string]bool, len(c.rows))
	for _, s := range c.rows {
		seen[key(s)] = true
	}
	return !slices.ContainsFunc(o.rows, func(s *record.Sample) bool { return seen[key(s)] })
}

type statementKey struct{ queryid, dbid, userid, toplevel, query string }

func keyOfStatement(s *record.Sample) statementKey {
	k := statementKey{queryid: text(s, "queryid"), dbid: text(s, "dbid"), userid: text(s, "userid"), toplevel: text(s, "toplevel")}
	if k.queryid == "" {
		k.query = text(s, "query")
	}
	return k
}

// statementDiffs turns captures of pg_stat_statements into differences per
// statement and database, summed over its query ids.
func (b *builder) statementDiffs() {
	rows := b.d.samples[record.ViewStatements]
	all := captures(rows, func(s *record.Sample) string {
		k := keyOfStatement(s)
		return k.queryid + "\x00" + k.dbid + "\x00" + k.userid + "\x00" + k.toplevel + "\x00" + k.query
	})
	b.m.SnapshotTimes[record.ViewStatements] = len(all)
	ids := map[string]string{} // query text → fingerprint
	databases := b.statementDatabases()
	w := statementReader{resets: b.statementResetTimes(), prev: map[statementKey]reading{}}
	w.whole = w.wholeCaptures(all)
	for i, c := range all {
		if i > 0 {
			w.before = all[i-1].time
		}
		diffs := map[statementOf]*Diff{}
		for _, s := range c.rows {
			of := statementOf{b.fingerprint(text(s, "query"), ids), databases.of(b, s)}
			cur := reading{s, c.time}
			if base, ok := w.base(keyOfStatement(s), cur, i > 0); ok {
				addDiff(diffs, of, base, cur)
			}
		}
		b.addDiffs(diffs, w.before, c)
	}
}

// addDiffs gives the differences of one capture to their statements. Where a
// counter went back and nothing known explains it, the interval of that
// statement is dropped and the break named.
func (b *builder) addDiffs(diffs map[statementOf]*Diff, before record.Time, c capture) {
	dropped := 0
	for of, d := range diffs {
		switch {
		case d == nil:
			dropped++
		case d.Calls > 0:
			st := b.statementIn(of.database, of.fingerprint)
			st.Diffs = append(st.Diffs, *d)
		}
	}
	if dropped > 0 {
		b.m.Breaks = append(b.m.Breaks, Break{Kind: BreakStatements, After: before, By: c.time, Pos: c.rows[0].Pos, Server: true,
			Known: fmt.Sprintf("counters of %d of its statements went back", dropped)})
	}
}

// reading is a statement's row and the time of its capture; no row counts as
// all zeros.
type reading struct {
	row  *record.Sample
	time record.Time
}

// statementReader finds for each row what its counters are to be compared with.
type statementReader struct {
	prev   map[statementKey]reading
	resets []record.Time // of pg_stat_statements, sorted
	before record.Time   // of the capture before this one
	whole  bool
}

// base is the row that cur continues, or zeros at the time from which its
// counters run; false if that is not known. later says that a capture was
// before.
func (w *statementReader) base(k statementKey, cur reading, later bool) (reading, bool) {
	last, seen := w.prev[k]
	w.prev[k] = cur
	if !later {
		return reading{}, false
	}
	from := w.before
	if seen {
		from = last.time
	}
	since := w.resetIn(from, cur.time)
	if t, ok := cur.row.Time("stats_since"); ok && t > since && t >= from && !(seen && timeOf(last.row, "stats_since") == t) {
		since = t // the entry was made anew (version 17 and later)
	}
	switch {
	case since.Known() && seen:
		return reading{nil, since}, true
	case seen:
		return last, true
	}
	return reading{nil, max(from, since)}, since.Known() || w.whole
}

// resetIn is the last reset in (from, to], NoTime if there is none.
func (w *statementReader) resetIn(from, to record.Time) record.Time {
	i := sort.Search(len(w.resets), func(i int) bool { return w.resets[i] > to })
	if i == 0 || w.resets[i-1] <= from {
		return record.NoTime
	}
	return w.resets[i-1]
}

// wholeCaptures reports whether the captures hold every statement: then one
// that appears began at 0. An export of the top N loses rows from one capture
// to the next, without a reset.
func (w *statementReader) wholeCaptures(all []capture) bool {
	var before map[statementKey]bool
	for i, c := range all {
		now := make(map[statementKey]bool, len(c.rows))
		for _, s := range c.rows {
			now[keyOfStatement(s)] = true
		}
		if i > 0 && w.resetIn(all[i-1].time, c.time).Known() {
			before = nil
		}
		for k := range before {
			if !now[k] {
				return false
			}
		}
		before = now
	}
	return true
}

// statementResetTimes are the moments known at which pg_stat_statements was
// emptied.
func (b *builder) statementResetTimes() []record.Time {
	var out []record.Time
	for i := range b.m.Breaks {
		if br := &b.m.Breaks[i]; br.Kind == BreakStatements && br.After == br.By {
			out = append(out, br.By)
		}
	}
	slices.Sort(out)
	return out
}

func (b *builder) fingerprint(query string, ids map[string]string) string {
	fp, ok := ids[query]
	if !ok {
		s := b.d.intern([]byte(query))
		fp = s.Fingerprint
		b.d.statement(fp, s)
		ids[query] = fp
	}
	return fp
}

// statementOf is one statement in one database; "" is the main one.
type statementOf struct{ fingerprint, database string }

// addDiff adds cur − prev to the statement's difference; it spans from the
// earliest previous row of its query ids. A counter that went back means a
// reset: the whole interval of that statement is dropped (nil).
func addDiff(diffs map[statementOf]*Diff, of statementOf, prev, cur reading) {
	d, ok := diffs[of]
	if ok && d == nil {
		return
	}
	if d == nil {
		d = &Diff{From: prev.time, To: cur.time, Pos: cur.row.Pos}
		diffs[of] = d
	}
	back := false
	delta := func(name string) float64 {
		n, _ := cur.row.Float(name)
		if prev.row != nil {
			p, _ := prev.row.Float(name)
			n -= p
		}
		back = back || n < 0
		return n
	}
	sum := *d
	sum.From = min(d.From, prev.time)
	sum.ExecTime += delta("total_exec_time")
	sum.PlanTime += delta("total_plan_time")
	for _, c := range [...]struct {
		name string
		sum  *int64
	}{
		{"calls", &sum.Calls}, {"plans", &sum.Plans}, {"rows", &sum.Rows}, {"shared_blks_hit", &sum.Hit}, {"shared_blks_read", &sum.Read},
		{"shared_blks_dirtied", &sum.Dirtied}, {"shared_blks_written", &sum.Written},
		{"temp_blks_read", &sum.TempRead}, {"temp_blks_written", &sum.TempWritten}, {"wal_bytes", &sum.WALBytes},
	} {
		*c.sum += int64(delta(c.name))
	}
	if back {
		diffs[of] = nil
		return
	}
	*d = sum
}

// activity types the rows of pg_stat_activity.
func (b *builder) activity() {
	ids := map[string]string{}
	rows := b.d.samples[record.ViewActivity]
	for i := range rows {
		s := &rows[i]
		p := ActivityPoint{
			Time: s.CapturedAt, Pos: s.Pos,
			Database: text(s, "datname"), User: text(s, "usename"), Application: text(s, "application_name"),
			State: text(s, "state"), WaitEventType: text(s, "wait_event_type"), WaitEvent: text(s, "wait_event"),
			Query: text(s, "query"), BackendType: text(s, "backend_type"),
			BackendStart: timeOf(s, "backend_start"), XactStart: timeOf(s, "xact_start"), QueryStart: timeOf(s, "query_start"),
			StateChange: timeOf(s, "state_change"),
			BackendXmin: count(s, "backend_xmin"), BackendXid: count(s, "backend_xid"),
		}
		p.PID, _ = s.Int("pid")
		if p.Query != "" {
			p.Fingerprint = b.fingerprint(p.Query, ids)
		}
		b.m.Activity = append(b.m.Activity, p)
	}
	sortBy(b.m.Activity, func(x, y *ActivityPoint) bool { return pointLess(x.Time, y.Time, x.Pos, y.Pos) })
}
