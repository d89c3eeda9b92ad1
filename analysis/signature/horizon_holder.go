package signature

import (
	"sort"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// horizonHolder is a transaction, standby or slot whose snapshot or xid is as old
// as the cutoff of the vacuums it held back.
type horizonHolder struct {
	dataset.ActivityPoint             // the last row that shows it
	Seen                  record.Time // first row that shows it with a horizon
	Since                 record.Time // start of the transaction; of a walsender, of its connection; of a slot, when its xmin stood still
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
	start record.Time // NoTime of a slot
	name  string      // of a slot or prepared transaction
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
	rows := horizonRows(m)
	for _, t := range transactions(rows, passes) {
		h := t.covers(passes)
		if h == nil || h.Covers < 2 && !h.Equal || h.disproved(rows, passes[0].Database, all) {
			continue
		}
		if best == nil || h.older(best) {
			best = h
		}
	}
	return best
}

// disproved reports whether a pass of the database contradicts h; it fills Gone.
func (h *horizonHolder) disproved(rows []dataset.ActivityPoint, database string, all []vacuumPass) bool {
	h.Gone = goneAfter(rows, h)
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

// transactions are the sampled transactions and slots that began before the last
// pass, in order of their first row.
func transactions(rows []dataset.ActivityPoint, passes []vacuumPass) []*transaction {
	byKey := map[transactionKey]*transaction{}
	var out []*transaction
	last := passes[len(passes)-1].Start
	database := databaseOf(passes)
	for i := range rows {
		a := &rows[i]
		if !a.Time.Known() {
			break
		}
		since := openSince(a)
		if !since.Known() && a.BackendType != replicationSlot || since > last || !holdsHorizon(a, database) {
			continue
		}
		k := transactionKey{pid: a.PID, start: since}
		if a.PID == 0 {
			k.name = a.BackendType + " " + a.Application
		}
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

// since is when the transaction began. A slot tells no such time: its xmin only
// moves forward, so that it has stood still since the first row, or the first
// pass before that, which shows its present one.
func (t *transaction) since(passes []vacuumPass) record.Time {
	last := t.rows[len(t.rows)-1]
	if since := openSince(last); since.Known() {
		return since
	}
	since := last.Time
	for i := len(t.rows) - 1; i >= 0 && t.rows[i].BackendXmin == last.BackendXmin; i-- {
		since = t.rows[i].Time
	}
	for i := range passes {
		if p := &passes[i]; p.Start < since && p.Cutoff == last.BackendXmin {
			return p.Start
		}
	}
	return since
}

// covers counts the passes that t explains; nil if none. A horizon only moves
// forward, so that the first row after a pass began bounds what it was then.
func (t *transaction) covers(passes []vacuumPass) *horizonHolder {
	lastRow := t.rows[len(t.rows)-1]
	h := &horizonHolder{ActivityPoint: *lastRow, Seen: t.rows[0].Time, Since: t.since(passes), Horizon: horizonOf(lastRow, databaseOf(passes)).N, Equal: true, Gone: record.NoTime}
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

// goneAfter is the time of the first capture after the holder's last row that
// would show it: rows of pg_stat_activity for sessions, else of its own view.
func goneAfter(rows []dataset.ActivityPoint, h *horizonHolder) record.Time {
	kind := func(backendType string) string {
		if backendType == preparedTransaction || backendType == replicationSlot {
			return backendType
		}
		return ""
	}
	for i := range rows {
		if a := &rows[i]; a.Time.Known() && a.Time > h.Time.Add(dataset.SameCapture) && kind(a.BackendType) == kind(h.BackendType) {
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
