package signature

import (
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

func stamp(at float64) string { return second(at).Std().Format("2006-01-02T15:04:05.999999Z") }

func TestPreparedTransactionIsNamedAsTheHolder(t *testing.T) {
	h := pinned(t, 4)
	for at := 130.0; at < 400; at += 30 {
		h.sample(record.ViewPrepared, second(at), "transaction=1000", "gid=order-'7", "prepared="+stamp(122), "owner=bank", "datname=db")
		h.activity(at, at-1, 78, 1000, "late", "select 1") // its snapshot is old because of it
	}
	f := h.one(vacuumBlocked)
	if f.Confidence != finding.Confirmed || f.Subject.Session != "order-'7" {
		t.Errorf("%v on %+v, want confirmed, the gid", f.Confidence, f.Subject)
	}
	wantText(t, "title", f.Title, "The prepared transaction order-'7 keeps vacuum")
	wantText(t, "actions", f.Actions, "rollback prepared 'order-''7'", "commit prepared")
	wantText(t, "event", f.Onset.Event, "was prepared")
}

func TestSlotThatStandsStillIsNamedAsTheHolder(t *testing.T) {
	h := pinned(t, 4)
	for at := 40.0; at < 400; at += 30 {
		xmin := 800 + int(at) // the standby passes on its horizon, until it is lost
		if at > 125 {
			xmin = 1000
		}
		h.sample(record.ViewSlots, second(at), "slot_name=standby_2", "active=f", kv("xmin", xmin), "catalog_xmin=")
	}
	f := h.one(vacuumBlocked)
	if f.Confidence != finding.Confirmed || f.Subject.Session != "standby_2" || f.Onset.Time > second(180) || f.Onset.Time < second(120) {
		t.Errorf("%v on %+v since %v, want confirmed, standby_2, since the first row with that xmin", f.Confidence, f.Subject, f.Onset.Time)
	}
	wantText(t, "actions", f.Actions, "pg_drop_replication_slot('standby_2')", "consumer")
}

func TestOneLateCaptureOfASlotIsEnough(t *testing.T) {
	h := pinned(t, 4)
	h.sample(record.ViewSlots, second(380), "slot_name=standby_2", "active=f", "xmin=1000")
	if f := h.one(vacuumBlocked); f.Subject.Session != "standby_2" || f.Onset.Time > second(180) {
		t.Errorf("%+v since %v, want the slot since the first pass with its xmin as cutoff", f.Subject, f.Onset.Time)
	}
}

func TestStandbyOfPgStatReplicationIsNamedAsTheHolder(t *testing.T) {
	h := pinned(t, 4)
	for at := 130.0; at < 400; at += 30 {
		h.sample(record.ViewReplication, second(at), "pid=91", "application_name=replica", "backend_start="+stamp(121), "backend_xmin=1000")
	}
	f := h.one(vacuumBlocked)
	wantText(t, "title", f.Title, "The standby replica keeps vacuum")
	wantText(t, "actions", f.Actions, "hot_standby_feedback")
}

func TestCatalogXminOfALogicalSlotHoldsNoTables(t *testing.T) {
	h := pinned(t, 4)
	for at := 130.0; at < 400; at += 30 {
		h.sample(record.ViewSlots, second(at), "slot_name=cdc", "active=t", "xmin=", "catalog_xmin=1000")
	}
	if f := h.one(vacuumBlocked); f.Subject.Session != "" {
		t.Errorf("holder %q, want none", f.Subject.Session)
	}
}
