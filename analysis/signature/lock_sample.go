package signature

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// sampledWaits are the waits for locks that samples of pg_stat_activity show: a
// statement of a process that waits in one capture after the other is one wait.
// Who blocks whom they tell only with a column of pg_blocking_pids.
func sampledWaits(m *dataset.Model) []*lockWait {
	type key struct {
		pid   int64
		since record.Time
	}
	blocking := blockingPIDs(m)
	open := map[key]*lockWait{}
	var out []*lockWait
	for i := range m.Activity {
		a := &m.Activity[i]
		if a.WaitEventType != "Lock" || !a.Time.Known() || !a.QueryStart.Known() {
			continue
		}
		k := key{a.PID, a.QueryStart}
		w := open[k]
		if w == nil {
			w = &lockWait{PID: int32(a.PID), Object: "locks in " + a.Database, Mode: a.WaitEvent, Start: a.Time, First: a.Pos}
			if s := m.Statement(a.Fingerprint); s != nil {
				w.Statement = s.Statement
			}
			open[k] = w
			out = append(out, w)
		}
		w.End, w.Last = a.Time, a.Pos
		for _, pid := range blocking[a.Pos] {
			if !slices.Contains(w.Holders, pid) {
				w.Holders = append(w.Holders, pid)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *lockWait) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.PID, b.PID))
	})
	return out
}

// blockingPIDs are the values of pg_blocking_pids that snapshots of activity
// hold under one of its usual names, by row.
func blockingPIDs(m *dataset.Model) map[record.Pos][]int32 {
	out := map[record.Pos][]int32{}
	rows := m.Rows(record.ViewActivity)
	for i := range rows {
		for _, name := range []string{"pg_blocking_pids", "blocking_pids", "blocked_by"} {
			text, ok := rows[i].Text(name)
			if !ok {
				continue
			}
			for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' }) {
				if pid, err := strconv.ParseInt(part, 10, 32); err == nil && pid > 0 {
					out[rows[i].Pos] = append(out[rows[i].Pos], int32(pid))
				}
			}
			break
		}
	}
	return out
}
