package dataset

import (
	"slices"

	"github.com/pgassay/pgassay/parser/record"
)

// serverBreaks finds what concerns a whole database or server: in the log, in
// the captures of pg_stat_database and in the rows about the server.
func (b *builder) serverBreaks() {
	from, to := b.captured()
	if !from.Known() {
		return
	}
	b.loggedCrashes(from, to)
	b.serverRowBreaks()
	b.databaseBreaks()
	b.statementResets()
	sortBreaks(b.m.Breaks)
}

// captured is the span of the snapshots; without them no counter can break.
func (b *builder) captured() (from, to record.Time) {
	from, to = record.NoTime, record.NoTime
	for _, rows := range b.d.samples {
		for i := range rows {
			t := rows[i].CapturedAt
			if !t.Known() {
				continue
			}
			if !from.Known() || t < from {
				from = t
			}
			to = max(to, t)
		}
	}
	return from, to
}

// sameCrash is how far the log lines of one crash and recovery may stand apart.
const sameCrash = minute

// loggedCrashes takes the crashes of the log between two captures; the lines of
// one crash are one.
func (b *builder) loggedCrashes(from, to record.Time) {
	var crashes []*record.Event
	for i := range b.d.events {
		if e := &b.d.events[i]; e.Kind == record.EventCrash && e.LogTime.Known() && e.LogTime >= from && e.LogTime <= to {
			crashes = append(crashes, e)
		}
	}
	slices.SortFunc(crashes, func(x, y *record.Event) int {
		if x.LogTime != y.LogTime {
			return int(max(-1, min(1, x.LogTime-y.LogTime)))
		}
		return posOrder(x.Pos, y.Pos)
	})
	for i, e := range crashes {
		if i > 0 && e.LogTime.Sub(crashes[i-1].LogTime) <= sameCrash {
			b.m.Breaks[len(b.m.Breaks)-1].By = e.LogTime
			continue
		}
		b.m.Breaks = append(b.m.Breaks, Break{Kind: BreakCrash, After: e.LogTime, By: e.LogTime, Pos: e.Pos, Server: true, Known: "the log: " + e.Text})
	}
}

// serverRowBreaks compares the rows about the server, one capture to the next.
func (b *builder) serverRowBreaks() {
	rows := b.d.samples[record.ViewServer]
	timedPairs(rows, capturedAt, func(x, y *record.Sample) {
		br := Break{After: x.CapturedAt, By: y.CapturedAt, Pos: y.Pos, Server: true}
		was, ok1 := inRecovery(x)
		is, ok2 := inRecovery(y)
		if ok1 && ok2 && was != is {
			br.Kind, br.Known = BreakPromotion, "in_recovery turned false"
			if is {
				br.Kind, br.Known = BreakDemotion, "in_recovery turned true"
			}
			b.m.Breaks = append(b.m.Breaks, br)
		}
		before, after := timeOf(x, "postmaster_start_time"), timeOf(y, "postmaster_start_time")
		if before.Known() && after > before && after > x.CapturedAt {
			br.Kind, br.After, br.By, br.Known = BreakRestart, after, after, "postmaster_start_time moved"
			b.m.Breaks = append(b.m.Breaks, br)
		}
	})
}

func capturedAt(s *record.Sample) record.Time { return s.CapturedAt }

func inRecovery(s *record.Sample) (standby, known bool) {
	if v, ok := s.Bool("in_recovery"); ok {
		return v, true
	}
	return s.Bool("pg_is_in_recovery")
}

// databaseCounters never go back of themselves.
func databaseCounters() []string {
	return []string{"xact_commit", "blks_hit", "blks_read", "tup_returned", "tup_fetched", "tup_inserted", "tup_updated", "tup_deleted"}
}

// databaseBreaks compares the rows of each database, one capture to the next.
func (b *builder) databaseBreaks() {
	byName := map[string][]record.Sample{}
	var names []string
	for _, s := range b.d.samples[record.ViewDatabase] {
		name := text(&s, "datname")
		if byName[name] == nil {
			names = append(names, name)
		}
		byName[name] = append(byName[name], s)
	}
	slices.Sort(names)
	for _, name := range names {
		timedPairs(byName[name], capturedAt, func(x, y *record.Sample) {
			br, ok := b.databaseBreak(x, y)
			if !ok || br.Server && b.stopped(BreakCrash, x.CapturedAt, y.CapturedAt) {
				return
			}
			br.Database = b.databaseName(name)
			if br.Server {
				br.Database = ""
			}
			b.m.Breaks = append(b.m.Breaks, br)
		})
	}
}

// databaseBreak tells resets from crashes by stats_reset. A crash sets it to
// the time of recovery up to version 14, and to null from 15; a reset sets it
// to its own time, that of a single table too, which leaves the database's
// counters as they are. A capture soon after a start may show null until the
// collector of version 14 or before has written: no reset if the time that
// follows lies before it.
func (b *builder) databaseBreak(x, y *record.Sample) (Break, bool) {
	back := slices.ContainsFunc(databaseCounters(), func(c string) bool { return wentBack(count(x, c), count(y, c)) })
	br := Break{After: x.CapturedAt, By: y.CapturedAt, Pos: y.Pos}
	told := y.Columns.Has("stats_reset")
	before, after := timeOf(x, "stats_reset"), timeOf(y, "stats_reset")
	switch {
	case told && before.Known() && !after.Known():
		br.Kind, br.Known = BreakCrash, "stats_reset of pg_stat_database became null"
	case told && after != before && (back || before.Known() || after > x.CapturedAt):
		br.Kind, br.Known = BreakTableReset, "stats_reset of pg_stat_database moved, its counters did not"
		if after > x.CapturedAt && after <= y.CapturedAt {
			br.After, br.By = after, after
		}
		if back {
			br.Kind, br.Known = b.resetOrCrash(x.CapturedAt, y.CapturedAt)
		}
	case back && told:
		br.Kind, br.Known = BreakCrash, "counters of pg_stat_database went back, stats_reset did not move"
	case back:
		br.Kind, br.Known = BreakLost, "counters of pg_stat_database went back"
	default:
		return br, false
	}
	br.Server = br.Kind == BreakCrash
	return br, true
}

// resetOrCrash tells what zeroed the counters of a database and moved its
// stats_reset between two captures. Up to version 14 a crash does so too; it
// moves that of pg_stat_bgwriter as well, which pg_stat_reset does not.
func (b *builder) resetOrCrash(from, to record.Time) (BreakKind, string) {
	if majorNumber(b.m.Server) >= 15 {
		return BreakReset, "stats_reset of pg_stat_database moved"
	}
	moved, told := b.bgwriterMoved(from, to)
	switch {
	case b.stopped(BreakCrash, from, to):
		return BreakCrash, "stats_reset of pg_stat_database moved with the crash of the log"
	case b.stopped(BreakRestart, from, to):
		return BreakCrash, "stats_reset of pg_stat_database moved with postmaster_start_time"
	case moved:
		return BreakCrash, "stats_reset of pg_stat_database and of pg_stat_bgwriter moved"
	case told:
		return BreakReset, "stats_reset of pg_stat_database moved, that of pg_stat_bgwriter did not"
	}
	return BreakLost, "stats_reset of pg_stat_database moved"
}

// bgwriterMoved reports whether stats_reset of pg_stat_bgwriter moved between
// two captures, and whether the input tells.
func (b *builder) bgwriterMoved(from, to record.Time) (moved, told bool) {
	timedPairs(b.d.samples[record.ViewBgwriter], capturedAt, func(x, y *record.Sample) {
		if y.CapturedAt > from.Add(SameCapture) && x.CapturedAt < to.Add(-SameCapture) {
			told = true
			moved = moved || timeOf(x, "stats_reset") != timeOf(y, "stats_reset")
		}
	})
	return moved, told
}

// stopped reports whether a break of the kind and of the whole server is known
// between two captures.
func (b *builder) stopped(kind BreakKind, from, to record.Time) bool {
	return slices.ContainsFunc(b.m.Breaks, func(br Break) bool { return br.Kind == kind && br.Server && br.within(from, to) })
}

// statementResets are the moves of pg_stat_statements_info.stats_reset.
func (b *builder) statementResets() {
	timedPairs(b.d.samples[record.ViewStatementsInfo], capturedAt, func(x, y *record.Sample) {
		if after := timeOf(y, "stats_reset"); after > x.CapturedAt && after <= y.CapturedAt {
			b.m.Breaks = append(b.m.Breaks, Break{Kind: BreakStatements, After: after, By: after, Pos: y.Pos, Server: true,
				Known: "stats_reset of pg_stat_statements_info moved"})
		}
	})
}
