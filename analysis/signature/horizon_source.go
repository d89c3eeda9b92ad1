package signature

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// What a row that can hold back vacuums has in BackendType besides the types of
// pg_stat_activity: a walsender passes on its standby's horizon, the others
// belong to no backend.
const (
	walsender           = "walsender"
	preparedTransaction = "prepared transaction"
	replicationSlot     = "replication slot"
)

// horizonRows are the rows of everything that can hold back a vacuum, by time:
// sessions, standbys, prepared transactions and replication slots. The xmin of a
// slot keeps the rows of all tables; its catalog_xmin keeps those of catalogs
// only and is left out.
func horizonRows(m *dataset.Model) []dataset.ActivityPoint {
	rows := slices.Clone(m.Activity)
	add := func(view record.View, of func(*record.Sample) dataset.ActivityPoint) {
		samples := m.Rows(view)
		for i := range samples {
			p := of(&samples[i])
			p.Time, p.Pos = samples[i].CapturedAt, samples[i].Pos
			rows = append(rows, p)
		}
	}
	add(record.ViewPrepared, func(s *record.Sample) dataset.ActivityPoint {
		return dataset.ActivityPoint{BackendType: preparedTransaction, Application: textOf(s, "gid"), User: textOf(s, "owner"),
			Database: textOf(s, "datname"), XactStart: instantOf(s, "prepared"), BackendStart: record.NoTime, BackendXid: intOf(s, "transaction")}
	})
	add(record.ViewSlots, func(s *record.Sample) dataset.ActivityPoint {
		p := dataset.ActivityPoint{BackendType: replicationSlot, Application: textOf(s, "slot_name"),
			XactStart: record.NoTime, BackendStart: record.NoTime, BackendXmin: intOf(s, "xmin")}
		if active, known := s.Bool("active"); known {
			p.State = map[bool]string{true: "active", false: "not active"}[active]
		}
		return p
	})
	add(record.ViewReplication, func(s *record.Sample) dataset.ActivityPoint {
		p := dataset.ActivityPoint{BackendType: walsender, Application: textOf(s, "application_name"), User: textOf(s, "usename"),
			XactStart: record.NoTime, BackendStart: instantOf(s, "backend_start"), BackendXmin: intOf(s, "backend_xmin")}
		p.PID = intOf(s, "pid").N
		return p
	})
	slices.SortStableFunc(rows, func(a, b dataset.ActivityPoint) int {
		if a.Time.Known() != b.Time.Known() {
			return cmp.Compare(b.Time, a.Time) // those without a time last
		}
		return cmp.Compare(a.Time, b.Time)
	})
	return rows
}

func textOf(s *record.Sample, name string) string {
	t, _ := s.Text(name)
	return t
}

func intOf(s *record.Sample, name string) record.Count {
	n, ok := s.Int(name)
	return record.Count{N: n, Known: ok}
}

func instantOf(s *record.Sample, name string) record.Time {
	if t, ok := s.Time(name); ok {
		return t
	}
	return record.NoTime
}

// isStandby reports whether the holder is a walsender: a standby with
// hot_standby_feedback, not a session to end.
func (h *horizonHolder) isStandby() bool { return h.BackendType == walsender }

// name is the application, slot or gid, else the user, else the backend type.
func (h *horizonHolder) name() string {
	return cmp.Or(h.Application, h.User, h.BackendType)
}

// holderWords are how a finding speaks of one kind of holder.
type holderWords struct {
	what  string // "an open transaction of reports"
	noun  string
	event string // how it began
	open  string // what lasted
	mark  string // on a time line
}

func (h *horizonHolder) words() holderWords {
	switch name := h.name(); h.BackendType {
	case walsender:
		return holderWords{"the standby " + name, "standby", "the standby's connection " + name + " began", "its connection was open", "standby " + name}
	case preparedTransaction:
		return holderWords{"the prepared transaction " + name, "prepared transaction", name + " was prepared", "it was prepared", "prepared transaction " + name}
	case replicationSlot:
		return holderWords{"the replication slot " + name, "slot", "the xmin of the slot " + name + " stood still", "its xmin stood still", "slot " + name}
	default:
		return holderWords{"an open transaction of " + name, "transaction", "a transaction of " + name + " began", "its transaction was open", "transaction of " + name}
	}
}

// inFull names the holder with what identifies it.
func (h *horizonHolder) inFull() string {
	switch h.BackendType {
	case walsender:
		return fmt.Sprintf("the standby %s (walsender %d, hot_standby_feedback)", h.name(), h.PID)
	case preparedTransaction:
		return fmt.Sprintf("the prepared transaction %s (owner %s, xid %d)", h.name(), cmp.Or(h.User, "not told"), h.Horizon)
	case replicationSlot:
		return fmt.Sprintf("the replication slot %s (%s)", h.name(), cmp.Or(h.State, "not told whether active"))
	}
	t := fmt.Sprintf("a transaction of %s (pid %d", h.name(), h.PID)
	if h.User != "" {
		t += ", user " + h.User
	}
	if h.State != "" {
		t += ", " + h.State
	}
	t += ")"
	if h.Query != "" {
		t += fmt.Sprintf(", whose last statement is %q,", shorten(strings.Join(strings.Fields(h.Query), " "), 60))
	}
	return t
}

// missingHolders names the views in which a holder may hide and that have no
// rows in the input.
func missingHolders(m *dataset.Model) string {
	var missing []string
	for _, v := range []record.View{record.ViewSlots, record.ViewPrepared} {
		if len(m.Rows(v)) == 0 {
			missing = append(missing, string(v))
		}
	}
	return strings.Join(missing, ", ")
}
