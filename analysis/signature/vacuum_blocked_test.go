package signature

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// pinned is a table whose vacuums run every minute; from second 125 on they are
// held back at xid 1000, if any, by a transaction that began at 122.
func pinned(t *testing.T, passes int) *hygiene {
	h := &hygiene{t: t}
	h.vacuum(60, "t", 5000, 10, 880, 2)
	h.vacuum(120, "t", 5000, 20, 990, 3)
	for i := range passes {
		h.vacuum(180+60*float64(i), "t", 0, 12000+5000*i, 1000, 100+100*i)
	}
	return h
}

func TestBlockedVacuumsNameTheHolder(t *testing.T) {
	h := pinned(t, 4)
	for at := 130.0; at < 400; at += 30 {
		h.activity(at, 122, 77, 1000, "reports", "select count(*) from t")
		h.activity(at, at-1, 78, 1000, "late", "select 1") // its snapshot is old because of pid 77
	}
	f := h.one(vacuumBlocked)
	if f.Confidence != finding.Confirmed || f.Subject.Session != "reports" || f.Subject.Relation != "public.t" || f.Subject.Database != "db" {
		t.Errorf("%v on %+v, want confirmed, reports, public.t, db", f.Confidence, f.Subject)
	}
	if f.Onset.Time != second(122) || f.Onset.End.Known() {
		t.Errorf("onset %v to %v, want 122 s and no end", f.Onset.Time, f.Onset.End)
	}
	wantText(t, "actions", f.Actions, "pg_terminate_backend(77)", "xact_start = '", "idle_in_transaction_session_timeout")
	wantText(t, "will not help", f.WillNotHelp, "thresholds", "VACUUM FULL")
	if len(f.Forecast) == 0 || f.Forecast[0].Value < 300_000 || f.Forecast[0].Value > 340_000 {
		t.Errorf("forecast %v, want 27,000 + 300,000 rows in an hour", f.Forecast)
	}
	wantText(t, "rivals", f.RuledOut, "4 vacuums ran", "no pg_replication_slots, pg_prepared_xacts in input")
}

func TestBlockedVacuumsAfterTheHolderIsGone(t *testing.T) {
	h := pinned(t, 4)
	h.activity(130, 122, 77, 1000, "reports", "select 1")
	h.activity(370, 122, 77, 1000, "reports", "select 1")
	h.activity(390, 389, 90, 1500, "web", "select 2")
	h.vacuum(420, "t", 27000, 5, 1600, 2)
	f := h.one(vacuumBlocked)
	if f.Onset.End != second(420) || len(f.Forecast) > 0 {
		t.Errorf("end %v, forecast %v; want the vacuum at 420 s and none", f.Onset.End, f.Forecast)
	}
	if strings.Contains(fmt.Sprint(f.Actions), "pg_terminate_backend") {
		t.Errorf("ends a session that is gone: %v", f.Actions)
	}
	wantText(t, "summary", f.Summary, "held the removable cutoff", "replication slot, prepared transaction or standby")
}

func TestBlockedVacuumsWithoutActivityNameNoHolder(t *testing.T) {
	f := pinned(t, 3).one(vacuumBlocked)
	if f.Confidence != finding.Likely || f.Subject.Session != "" {
		t.Errorf("%v, session %q; want likely and none", f.Confidence, f.Subject.Session)
	}
	wantText(t, "rivals", f.RuledOut, "no pg_replication_slots, pg_prepared_xacts in input; no pg_stat_activity in input")
	wantText(t, "actions", f.Actions, "pg_replication_slots", "pg_prepared_xacts", "pg_stat_replication")
}

func TestBlockedVacuumsHeldOutsideTheSessions(t *testing.T) {
	h := pinned(t, 3)
	for at := 130.0; at < 320; at += 20 {
		h.activity(at, at-2, int(at), 1000+int(at), "web", "select 1")
	}
	wantText(t, "rivals", h.one(vacuumBlocked).RuledOut, "no sampled backend is as old as the cutoff")
}

func TestBlockedVacuumsHeldByAStandby(t *testing.T) {
	h := pinned(t, 3)
	for at := 130.0; at < 320; at += 20 {
		h.activity(at, 0, 55, 1000, "standby1", "", "xact_start=", "backend_type=walsender", "backend_start=2027-01-15T08:00:00Z")
	}
	last := h.batch.Samples
	for i := range last {
		last[i] = withoutFirst(last[i], "backend_type", "xact_start")
	}
	f := h.one(vacuumBlocked)
	wantText(t, "title", f.Title, "standby standby1")
	wantText(t, "actions", f.Actions, "hot_standby_feedback")
}

// withoutFirst drops the first of two columns of one name.
func withoutFirst(s record.Sample, names ...string) record.Sample {
	var cols []string
	var values []record.Value
	for i, n := range s.Columns.Names {
		drop := false
		for _, name := range names {
			drop = drop || n == name && s.Columns.Index(name) == i
		}
		if !drop {
			cols, values = append(cols, n), append(values, s.Values[i])
		}
	}
	s.Columns, s.Values = record.NewColumns(cols), values
	return s
}

func TestRelationsUnderOneCutoffAreOneFinding(t *testing.T) {
	h := pinned(t, 3)
	h.vacuum(200, "big", 0, 90_000, 1000, 130)
	f := h.one(vacuumBlocked)
	if f.Subject.Relation != "public.big" {
		t.Errorf("subject %s, want the relation with most rows left", f.Subject.Relation)
	}
	if got := figure(t, f, "also left in public.t").Value; got != 22000 {
		t.Errorf("public.t left %v, want 22000", got)
	}
}

func TestCutoffThatMovesButStaysOldIsBlocked(t *testing.T) {
	h := &hygiene{t: t}
	for i := range 4 {
		// overlapping reports: the cutoff moves, and is always older than the start of the pass before
		h.vacuum(60*float64(i+1), "t", 500, 20_000, 1000+100*i, 250)
	}
	wantText(t, "figures", h.one(vacuumBlocked).Figures, "1000 to 1300")
}

func TestXidsCompareAcrossWraparound(t *testing.T) {
	if xidAfter(5, 1<<32-5) != 10 || xidAfter(1<<32-5, 5) != -10 {
		t.Error("xids compare wrongly across wraparound")
	}
}

func TestVacuumsThatAreNotBlockedStaySilent(t *testing.T) {
	cases := map[string]func(*hygiene){
		"a few hundred rows, young cutoff": func(h *hygiene) {
			for i := range 6 {
				h.vacuum(60*float64(i), "t", 281, 210, 868+100*i, 4)
			}
		},
		"many rows of a burst, cutoff younger than the vacuum before": func(h *hygiene) {
			for i := range 6 {
				h.vacuum(60*float64(i), "t", 2000, 5000, 1000+500*i, 20)
			}
		},
		"a small part of the dead rows": func(h *hygiene) {
			for i := range 6 {
				h.vacuum(60*float64(i), "t", 90_000, 5000, 1000, 20)
			}
		},
		"held for less than one interval": func(h *hygiene) {
			h.vacuum(60, "t", 5000, 0, 1000, 1)
			h.vacuum(120, "t", 0, 9000, 1200, 400)
			h.vacuum(180, "t", 9000, 0, 2000, 1)
		},
		"two tables in the same moment": func(h *hygiene) {
			h.vacuum(60, "t", 0, 5000, 1000, 100)
			h.vacuum(62, "u", 0, 5000, 1000, 110)
		},
	}
	for name, build := range cases {
		t.Run(name, func(t *testing.T) {
			h := &hygiene{t: t}
			build(h)
			h.silent(vacuumBlocked)
		})
	}
}

func TestBlockedVacuumsFromSnapshotsAlone(t *testing.T) {
	h := &hygiene{t: t}
	for i := range 8 {
		h.table(60*float64(i), 100_000, 3000*i, 1000*i, 0, 0, 3000*i, i)
	}
	f := h.one(vacuumBlocked)
	if f.Confidence > finding.Likely {
		t.Errorf("%v from captures alone", f.Confidence)
	}
	healthy := &hygiene{t: t}
	for i := range 8 {
		healthy.table(60*float64(i), 100_000, 2500, 3000*i, 0, 0, 3000*i, i)
	}
	healthy.silent(vacuumBlocked)
}

func TestVacuumBlockedSaysWhatItLacks(t *testing.T) {
	(&hygiene{t: t}).lacks(vacuumBlocked, "no vacuum lines and no two table snapshots")
}

func TestRealPinnedQueue(t *testing.T) {
	h := &hygiene{t: t}
	h.load("pinned", "")
	f := h.one(vacuumBlocked)
	if f.Confidence != finding.Confirmed || f.Subject.Session != "analytics" || f.Subject.Relation != "public.queue_items" {
		t.Errorf("%v on %+v", f.Confidence, f.Subject)
	}
	if got := figure(t, f, "dead rows not yet removable").Value; got != 30766 {
		t.Errorf("worst %v, want 30766", got)
	}
	wantText(t, "onset", clock(f.Onset.Time)+" "+clock(f.Onset.End), "14:42:10 14:43:32")
	wantText(t, "cutoff", figure(t, f, "removable cutoff").Text, "1051 in 64 vacuums, 10 to 611 XIDs old")

	open := &hygiene{t: t}
	open.load("pinned", "14:43:20")
	wantText(t, "actions while open", open.one(vacuumBlocked).Actions, "pg_terminate_backend(17500)")
}

func TestRealHealthySawtoothIsNotBlocked(t *testing.T) {
	h := &hygiene{t: t}
	h.load("sawtooth", "")
	h.silent(vacuumBlocked)
}

func TestSpellsOfOneHolderAreOneFinding(t *testing.T) {
	h := pinned(t, 3)
	h.vacuum(360, "t", 22000, 0, 1600, 1)
	h.vacuum(420, "t", 0, 4000, 2000, 100)
	h.vacuum(480, "t", 0, 6000, 2000, 200)
	wantText(t, "notes", h.one(vacuumBlocked).Notes, "6,000 rows left at the worst")
}
