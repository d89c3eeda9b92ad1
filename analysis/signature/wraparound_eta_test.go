package signature

import (
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// ages adds two captures a day apart of public.t, which ages by perDay.
func ages(t *testing.T, age, perDay, pages int) *hygiene {
	h := &hygiene{t: t}
	h.setting("server_version", "16.4")
	for i := range 2 {
		h.capture(float64(i)*oneDay, kv("n_live_tup", 1000), kv("relpages", pages), kv("reltuples", 1000), kv("frozenxid_age", age+i*perDay), "mxid_age=5")
	}
	return h
}

func TestWraparoundIsDatedBySeverity(t *testing.T) {
	for name, c := range map[string]struct {
		age, perDay, pages int
		want               finding.Severity
		title              string
	}{
		"overdue, far from the end":     {350_000_000, 5_000_000, 1000, finding.Warning, "1.8x of the limit"},
		"a week from the end":           {2_000_000_000, 30_000_000, 1000, finding.Critical, "10.2x of the limit"},
		"a large table's vacuum is due": {170_000_000, 10_000_000, 200_000, finding.Info, "A forced vacuum of all 1.53 GB of public.t comes in 2 days"},
	} {
		f := ages(t, c.age, c.perDay, c.pages).one(wraparoundETA)
		if f.Severity != c.want || !strings.Contains(f.Title, c.title) {
			t.Errorf("%s: %s %q, want %s %q", name, f.Severity, f.Title, c.want, c.title)
		}
	}
	wantText(t, "summary", ages(t, 350_000_000, 5_000_000, 1000).one(wraparoundETA).Summary, "the server refuses new numbers", "(failsafe)", "about 20")
}

func TestYoungAndSmallTablesAreSilent(t *testing.T) {
	for name, h := range map[string]*hygiene{
		"young":                      ages(t, 8_000, 1000, 1_000_000),
		"a small table's soon":       ages(t, 190_000_000, 10_000_000, 100),
		"an age that none can have":  ages(t, 9_000_000_000, 1_000_000, 1_000_000),
		"just past the limit":        ages(t, 210_000_000, 1_000_000, 100),
		"large, but years from now":  ages(t, 150_000_000, 10_000, 1_000_000),
		"large, the rate is unknown": ages(t, 150_000_000, 0, 1_000_000),
	} {
		t.Run(name, func(t *testing.T) { h.t = t; h.silent(wraparoundETA) })
	}
}

func TestTemplateDatabaseIsToldOnlyWhenOverdue(t *testing.T) {
	database := func(age int) *hygiene {
		h := &hygiene{t: t}
		h.sample(record.ViewDatabase, second(0), "datname=template0", kv("frozenxid_age", age))
		h.sample(record.ViewDatabase, second(0), "datname=shop", kv("frozenxid_age", 10_000))
		return h
	}
	database(199_000_000).silent(wraparoundETA)
	f := database(400_000_000).one(wraparoundETA)
	if f.Subject.Database != "template0" || f.Confidence != finding.Possible || f.Severity != finding.Warning {
		t.Errorf("%+v: %s %s", f.Subject, f.Severity, f.Confidence)
	}
	wantText(t, "actions", f.Actions, "ALLOW_CONNECTIONS")
}

func TestWraparoundLacksAges(t *testing.T) {
	h := &hygiene{t: t}
	h.capture(0, "n_live_tup=5")
	h.lacks(wraparoundETA, "age of relfrozenxid")
}

// onlyAppended is a capture of a table of that many rows that nothing has vacuumed.
func onlyAppended(t *testing.T, version string, rows int, more ...string) *hygiene {
	h := &hygiene{t: t}
	h.setting("server_version", version)
	h.capture(0, append([]string{kv("n_live_tup", rows), "n_dead_tup=0", kv("n_tup_ins", rows), "n_tup_upd=0", "n_tup_del=0", kv("reltuples", rows), kv("relpages", rows/50),
		"relallvisible=0", "vacuum_count=0", "autovacuum_count=0"}, more...)...)
	return h
}

func TestNeverVacuumed(t *testing.T) {
	f := onlyAppended(t, "12.20", 600_000, "frozenxid_age=5000").one(neverVacuumed)
	if f.Severity != finding.Info || f.Confidence != finding.Likely {
		t.Errorf("%s %s", f.Severity, f.Confidence)
	}
	wantText(t, "summary", f.Summary, "before PostgreSQL 13 inserted rows start no vacuum", "read all 12,000 pages")
	if f := onlyAppended(t, "12.20", 600_000, "frozenxid_age=150000000").one(neverVacuumed); f.Severity != finding.Warning {
		t.Errorf("%s with the forced vacuum near", f.Severity)
	}
	off := onlyAppended(t, "17.2", 600_000, "n_ins_since_vacuum=600000", "reloptions={autovacuum_enabled=false}").one(neverVacuumed)
	wantText(t, "notes", off.Notes, "autovacuum_enabled is off")
}

func TestNotNeverVacuumed(t *testing.T) {
	reset := onlyAppended(t, "12.20", 600_000)
	reset.batch.Samples = nil
	reset.capture(0, kv("n_live_tup", 600_000), "n_tup_ins=10", "n_tup_upd=0", "n_tup_del=0", "vacuum_count=0", "autovacuum_count=0")
	for name, h := range map[string]*hygiene{
		"small":                 onlyAppended(t, "12.20", 550),
		"just loaded":           onlyAppended(t, "17.2", 600_000, "n_ins_since_vacuum=600000"),
		"vacuumed once":         onlyAppended(t, "12.20", 600_000, "last_vacuum="+stamp(-5)),
		"statistics were reset": reset,
		"visible although no vacuum counts": func() *hygiene {
			h := onlyAppended(t, "12.20", 600_000)
			setColumn(h, "relallvisible", "11000")
			return h
		}(),
		"with deletes": func() *hygiene { h := onlyAppended(t, "12.20", 600_000); setColumn(h, "n_tup_del", "100000"); return h }(),
	} {
		t.Run(name, func(t *testing.T) { h.t = t; h.silent(neverVacuumed) })
	}
	h := &hygiene{t: t}
	h.capture(0, "n_live_tup=5")
	h.lacks(neverVacuumed, "vacuum_count")
}

// setColumn replaces a value of the last row.
func setColumn(h *hygiene, name, value string) {
	s := &h.batch.Samples[len(h.batch.Samples)-1]
	s.Values[s.Columns.Index(name)] = record.Value{Text: value, Valid: true}
}
