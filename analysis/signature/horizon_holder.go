package signature

import (
	"sort"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// horizonHolder is a transaction, sampled in pg_stat_activity, whose snapshot
// or xid is as old as the cutoff of the vacuums it held back.
type horizonHolder struct {
	dataset.ActivityPoint             // the last row that shows it
	Seen                  record.Time // first row that shows it with a horizon
	Since                 record.Time // start of the transaction; of a walsender, of its connection
	Horizon               int64       // the older of backend_xmin and backend_xid
	Covers                int         // held passes that began while it is known to have been open
	Equal                 bool        // its horizon is the very cutoff of those passes
	Gone                  record.Time // the first capture without it; NoTime if it is in the last
}

// transaction collects the rows of one transaction.
type transaction struct {
	rows []*dataset.ActivityPoint
}

type transactionKey struct {
	pid   int64
	start record.Time
}

// holderOf finds the transaction that explains most of the held passes: open
// before each of them, still open after it began, and with a horizon not newer
// than its cutoff. Of several the oldest counts: the younger ones' snapshots
// are old because of it.
//
// all are the passes of the same relations, held back or not: one that removed
// what the transaction could still see, or that found the same cutoff when the
// transaction was gone, shows that it held nothing.
func holderOf(m *dataset.Model, passes, all []vacuumPass) *horizonHolder {
	var best *horizonHolder
	for _, t := range transactions(m, passes) {
		h := t.covers(passes)
		if h == nil || h.Covers < 2 && !h.Equal || h.disproved(m, passes[0].Database, all) {
			continue
		}
		if best == nil || h.older(best) {
			best = h
		}
	}
	return best
}

// disproved reports whether a pass of the database contradicts h; it fills Gone.
func (h *horizonHolder) disproved(m *dataset.Model, database string, all []vacuumPass) bool {
	h.Gone = goneAfter(m, h.Time)
	for i := range all {
		p := &all[i]
		if !p.Cutoff.Known || p.Database != database {
			continue
		}
		open := p.Start > h.Seen && p.Start <= h.Time
		d := xidAfter(p.Cutoff.N, h.Horizon)
		if open && d > 0 || h.Gone.Known() && p.Start > h.Gone && d <= 0 {
			return true
		}
	}
	return false
}

func (h *horizonHolder) older(o *horizonHolder) bool {
	if h.Covers != o.Covers {
		return h.Covers > o.Covers
	}
	if h.Equal != o.Equal {
		return h.Equal
	}
	if h.Since != o.Since {
		return h.Since < o.Since
	}
	return h.PID < o.PID
}

// transactions are the sampled transactions that began before the last pass, in
// order of their first row.
func transactions(m *dataset.Model, passes []vacuumPass) []*transaction {
	byKey := map[transactionKey]*transaction{}
	var out []*transaction
	last := passes[len(passes)-1].Start
	database := databaseOf(passes)
	for i := range m.Activity {
		a := &m.Activity[i]
		if !a.Time.Known() {
			break
		}
		since := openSince(a)
		if !since.Known() || since > last || !holdsHorizon(a, database) {
			continue
		}
		k := transactionKey{a.PID, since}
		t := byKey[k]
		if t == nil {
			t = &transaction{}
			byKey[k] = t
			out = append(out, t)
		}
		t.rows = append(t.rows, a)
	}
	return out
}

// databaseOf is the database of all passes, as the log names it; "" if it names
// none or several.
func databaseOf(passes []vacuumPass) string {
	for i := range passes {
		if passes[i].Database != passes[0].Database {
			return ""
		}
	}
	return passes[0].Database
}

// holdsHorizon reports whether a row of pg_stat_activity can hold back a vacuum
// in the database: a lazy vacuum's own snapshot does not.
func holdsHorizon(a *dataset.ActivityPoint, database string) bool {
	if !horizonOf(a, database).Known || a.BackendType == "parallel worker" {
		return false
	}
	q := strings.ToLower(strings.TrimSpace(a.Query))
	return !strings.HasPrefix(q, "vacuum") && !strings.HasPrefix(q, "autovacuum: vacuum")
}

// openSince is since when the row's horizon may have been held. A walsender
// passes on its standby's horizon without a transaction of its own.
func openSince(a *dataset.ActivityPoint) record.Time {
	if !a.XactStart.Known() && a.BackendType == walsender {
		return a.BackendStart
	}
	return a.XactStart
}

// horizonOf is the oldest xid that the row keeps for a vacuum in the database.
// The snapshot of a session of another database keeps none there; its xid does,
// through the snapshots that others take while it runs.
func horizonOf(a *dataset.ActivityPoint, database string) record.Count {
	other := database != "" && a.Database != "" && a.Database != database && a.BackendType != walsender
	switch {
	case !a.BackendXmin.Known || other:
		return a.BackendXid
	case !a.BackendXid.Known || xidAfter(a.BackendXid.N, a.BackendXmin.N) > 0:
		return a.BackendXmin
	}
	return a.BackendXid
}

// covers counts the passes that t explains; nil if none. A horizon only moves
// forward, so that the first row after a pass began bounds what it was then.
func (t *transaction) covers(passes []vacuumPass) *horizonHolder {
	lastRow := t.rows[len(t.rows)-1]
	h := &horizonHolder{ActivityPoint: *lastRow, Seen: t.rows[0].Time, Since: openSince(lastRow), Horizon: horizonOf(lastRow, databaseOf(passes)).N, Equal: true, Gone: record.NoTime}
	from := sort.Search(len(passes), func(i int) bool { return passes[i].Start >= h.Since })
	k := 0
	for i := from; i < len(passes) && passes[i].Start <= lastRow.Time; i++ {
		p := &passes[i]
		for t.rows[k].Time < p.Start {
			k++
		}
		if !p.Cutoff.Known {
			h.Covers++
			h.Equal = false
			continue
		}
		if d := xidAfter(horizonOf(t.rows[k], p.Database).N, p.Cutoff.N); d <= 0 {
			h.Covers++
			h.Equal = h.Equal && d == 0
		}
	}
	if h.Covers == 0 {
		return nil
	}
	return h
}

// goneAfter is the time of the first capture of activity after t.
func goneAfter(m *dataset.Model, t record.Time) record.Time {
	for i := range m.Activity {
		if a := &m.Activity[i]; a.Time.Known() && a.Time > t.Add(dataset.SameCapture) {
			return a.Time
		}
	}
	return record.NoTime
}

// sampledBackends counts the rows of activity between two times.
func sampledBackends(m *dataset.Model, from, to record.Time) int {
	n := 0
	for i := range m.Activity {
		if a := &m.Activity[i]; a.Time.Known() && a.Time >= from && a.Time <= to {
			n++
		}
	}
	return n
}

// walsender is the backend_type of a connection that feeds a standby.
const walsender = "walsender"

// isStandby reports whether the holder is a walsender: a standby with
// hot_standby_feedback, not a session to end.
func (h *horizonHolder) isStandby() bool { return h.BackendType == walsender }

// name is the application, else the user, else the backend type.
func (h *horizonHolder) name() string {
	switch {
	case h.Application != "":
		return h.Application
	case h.User != "":
		return h.User
	}
	return h.BackendType
}
