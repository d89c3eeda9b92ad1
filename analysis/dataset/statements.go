package dataset

import (
	"sort"

	"github.com/pgassay/pgassay/parser/record"
)

// capture is one reading of a view: its rows bear almost the same time.
type capture struct {
	time record.Time
	rows []*record.Sample
}

// captures cuts the rows of a view into captures: within a file a new one
// begins where a key returns.
func captures(rows []record.Sample, key func(*record.Sample) string) []capture {
	sorted := make([]*record.Sample, 0, len(rows))
	for i := range rows {
		if rows[i].CapturedAt.Known() {
			sorted = append(sorted, &rows[i])
		}
	}
	sort.SliceStable(sorted, func(i, j int) bool { return posLess(sorted[i].Pos, sorted[j].Pos) })
	var out []capture
	seen := map[string]bool{}
	for i, s := range sorted {
		k := key(s)
		if i == 0 || s.Pos.File != sorted[i-1].Pos.File || seen[k] {
			out = append(out, capture{time: s.CapturedAt})
			clear(seen)
		}
		seen[k] = true
		c := &out[len(out)-1]
		c.rows = append(c.rows, s)
		c.time = min(c.time, s.CapturedAt)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].time < out[j].time })
	return out
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
// statement, summed over its query ids.
func (b *builder) statementDiffs() {
	rows := b.d.samples[record.ViewStatements]
	all := captures(rows, func(s *record.Sample) string {
		k := keyOfStatement(s)
		return k.queryid + "\x00" + k.dbid + "\x00" + k.userid + "\x00" + k.toplevel + "\x00" + k.query
	})
	b.m.SnapshotTimes[record.ViewStatements] = len(all)
	ids := map[string]string{} // query text → fingerprint
	whole := wholeCaptures(all)
	prev := map[statementKey]reading{}
	for i, c := range all {
		diffs := map[string]*Diff{}
		for _, s := range c.rows {
			k := keyOfStatement(s)
			fp := b.fingerprint(text(s, "query"), ids)
			last, seen := prev[k]
			prev[k] = reading{s, c.time}
			if !seen && i > 0 && (whole || isNew(s, all[i-1].time)) {
				last, seen = reading{nil, all[i-1].time}, true
			}
			if seen {
				addDiff(diffs, fp, last, reading{s, c.time})
			}
		}
		for fp, d := range diffs {
			if d != nil && d.Calls > 0 {
				st := b.statement(fp)
				st.Diffs = append(st.Diffs, *d)
			}
		}
	}
}

// reading is a statement's row and the time of its capture; no row counts as
// all zeros.
type reading struct {
	row  *record.Sample
	time record.Time
}

// isNew reports whether the statement's counters began after t (stats_since,
// version 17 and later).
func isNew(s *record.Sample, t record.Time) bool {
	since, ok := s.Time("stats_since")
	return ok && since >= t
}

// wholeCaptures reports whether the captures hold every statement: then one
// that appears began at 0. An export of the top N loses rows from one capture
// to the next.
func wholeCaptures(all []capture) bool {
	var before map[statementKey]bool
	for _, c := range all {
		now := make(map[statementKey]bool, len(c.rows))
		for _, s := range c.rows {
			now[keyOfStatement(s)] = true
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

// addDiff adds cur − prev to the statement's difference; it spans from the
// earliest previous row of its query ids. A counter that went back means a
// reset: the whole interval of that statement is dropped (nil).
func addDiff(diffs map[string]*Diff, fp string, prev, cur reading) {
	d, ok := diffs[fp]
	if ok && d == nil {
		return
	}
	if d == nil {
		d = &Diff{From: prev.time, To: cur.time, Pos: cur.row.Pos}
		diffs[fp] = d
	}
	d.From = min(d.From, prev.time)
	delta := func(name string) int64 {
		n, _ := cur.row.Int(name)
		if prev.row != nil {
			p, _ := prev.row.Int(name)
			n -= p
		}
		return n
	}
	if delta("calls") < 0 {
		diffs[fp] = nil
		return
	}
	exec, _ := cur.row.Float("total_exec_time")
	if prev.row != nil {
		p, _ := prev.row.Float("total_exec_time")
		exec -= p
	}
	d.Calls += delta("calls")
	d.Rows += delta("rows")
	d.ExecTime += exec
	d.Hit += delta("shared_blks_hit")
	d.Read += delta("shared_blks_read")
	d.Dirtied += delta("shared_blks_dirtied")
	d.Written += delta("shared_blks_written")
	d.TempRead += delta("temp_blks_read")
	d.TempWritten += delta("temp_blks_written")
	d.WALBytes += delta("wal_bytes")
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
