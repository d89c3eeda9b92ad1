package signature

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

const oneDay = 86400.0

// indexOnly adds an index-only scan of public.t that visits the table for
// fetched of its rows.
func (h *hygiene) indexOnly(at float64, rows, fetched int, ms float64) {
	h.batch.Executions = append(h.batch.Executions, record.Execution{
		Pos: record.Pos{File: "log", Line: int64(len(h.batch.Executions) + 1), Offset: int64(len(h.batch.Executions))}, LogTime: second(at), Kind: record.ExecPlan,
		Duration: record.Duration(ms * 1000), HasDuration: true, HasPlan: true,
		Statement: &record.Statement{Fingerprint: "s1", Normalized: "select sum(n) from t where day > $1", Command: "SELECT", Relations: []string{"t"}},
		Figures: record.Figures{Shape: 1, HasRows: true, Rows: record.WholeRows(1), HasHeapFetches: true, HeapFetches: int64(fetched),
			IndexOnlyRows: record.WholeRows(int64(rows)), HasBuffers: true, Total: record.Buffers{SharedHit: int64(rows/100 + fetched*3/4)}},
	})
}

// capture adds a row of pg_stat_user_tables joined with pg_class for public.t.
func (h *hygiene) capture(at float64, pairs ...string) {
	h.sample(record.ViewTables, second(at), append([]string{"schemaname=public", "relname=t"}, pairs...)...)
}

// monthly is a table of 3.7 million rows, 235,000 inserted a month, whose insert
// trigger comes once a quarter, and a query of the newest month.
func monthly(t *testing.T, fetched int) *hygiene {
	h := &hygiene{t: t}
	h.setting("server_version", "16.4")
	h.setting("autovacuum_naptime", "60")
	for _, d := range []float64{0, 5} {
		inserted := 126_000 + int(d*7_833)
		h.capture(d*oneDay, kv("n_live_tup", 3_745_796), kv("n_dead_tup", 19_331), kv("n_ins_since_vacuum", inserted), kv("n_tup_ins", 3_600_000+inserted), "n_tup_upd=0", "n_tup_del=0",
			kv("reltuples", 3_745_796), kv("relpages", 60_000), kv("relallvisible", 55_000), "last_autovacuum="+stamp(-16*oneDay), kv("autovacuum_count", 3), "vacuum_count=0")
	}
	h.indexOnly(5*oneDay, 235_194, fetched, 233.3)
	return h
}

func TestInsertTriggerBeyondTheLookBack(t *testing.T) {
	f := monthly(t, 163_249).one(vacuumThreshold)
	wantText(t, "title", f.Title, "95.8 days away")
	wantText(t, "actions", f.Actions, "autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 2")
	if strings.Contains(fmt.Sprint(f.Actions), "autovacuum_vacuum_scale_factor") {
		t.Errorf("the trigger of dead rows is not the knob: %v", f.Actions)
	}
	wantText(t, "will not help", f.WillNotHelp, "autovacuum_vacuum_scale_factor", "another index")
	if f.Severity != finding.Warning || f.Confidence < finding.Likely {
		t.Errorf("%s %s: %s", f.Severity, f.Confidence, f.WhyConfidence)
	}
	d := monthly(t, 163_249).one(visibilityDecay)
	wantText(t, "title", d.Title, "69 % of its rows")
	if d.Severity != finding.Warning {
		t.Errorf("%s, effect %g, share %g", d.Severity, d.Effect, d.Share)
	}
}

func TestWithinTheLookBackNothingIsSaid(t *testing.T) {
	for _, s := range []*Signature{visibilityDecay, vacuumThreshold} {
		monthly(t, 4_000).silent(s)
	}
}

// A table of ten rows a page, nearly insert-only, whose query reads old and new
// rows: the scale factor of inserted rows, not the one of dead rows.
func TestInsertScaleFactorOnly(t *testing.T) {
	h := &hygiene{t: t}
	h.setting("server_version", "17.2")
	for _, d := range []float64{0, 10} {
		inserted, deleted := 1_100_000+int(d*30_000), int(d*2_500)
		h.capture(d*oneDay, kv("n_live_tup", 8_600_000), kv("n_dead_tup", deleted), kv("n_ins_since_vacuum", inserted), kv("n_tup_ins", 9_000_000+inserted), "n_tup_upd=0", kv("n_tup_del", deleted),
			kv("reltuples", 8_600_000), kv("relpages", 860_996), kv("relallvisible", 712_548), "last_autovacuum="+stamp(-36*oneDay), kv("autovacuum_count", 9), "vacuum_count=0")
	}
	h.indexOnly(10*oneDay, 4_000_000, 690_000, 900)
	f := h.one(vacuumThreshold)
	wantText(t, "actions", f.Actions, "autovacuum_vacuum_insert_scale_factor = 0.0")
	if a := fmt.Sprint(f.Actions); strings.Contains(a, "autovacuum_vacuum_scale_factor") || strings.Contains(a, "insert_threshold") {
		t.Errorf("one knob is enough: %s", a)
	}
}

// A million rows ready, 100,000 deleted and inserted at random, no trigger
// reached: the dead rows are the knob.
func TestQueueUnderChurn(t *testing.T) {
	h := &hygiene{t: t}
	h.setting("server_version", "17.2")
	for i := range 11 {
		n := i * 10_000
		h.capture(float64(i)*360, kv("n_live_tup", 1_000_000), kv("n_dead_tup", n), kv("n_ins_since_vacuum", n), kv("n_tup_ins", 1_000_000+n), "n_tup_upd=0", kv("n_tup_del", n),
			kv("reltuples", 1_000_000), kv("relpages", 20_409), kv("relation_size", (20_409+i*204)*8192), kv("relallvisible", 20_409), "last_vacuum="+stamp(-1), "vacuum_count=1", "autovacuum_count=0")
		h.indexOnly(float64(i)*360+1, 500_000, i*29_003, 103+float64(i)*9.4)
	}
	f := h.one(vacuumThreshold)
	wantText(t, "actions", f.Actions, "autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = ")
	wantText(t, "title", f.Title, "2.00 hours away")
	d := h.one(visibilityDecay)
	if d.Effect < 1.3 || d.Effect > 2 {
		t.Errorf("effect %g: 103 ms without, 196 ms at the end", d.Effect)
	}
}

func TestTinyScansAndTunedTablesAreSilent(t *testing.T) {
	tiny := monthly(t, 163_249)
	tiny.batch.Executions = nil
	tiny.indexOnly(5*oneDay, 22, 22, 0.2)
	tiny.silent(vacuumThreshold)
	tiny.silent(visibilityDecay)

	unfelt := monthly(t, 163_249) // a count of the last minute's rows, beside real work
	unfelt.batch.Executions = nil
	unfelt.indexOnly(5*oneDay, 526, 526, 0.4)
	other := unfelt.batch.Executions[0]
	other.Kind, other.HasPlan, other.Figures, other.Duration = record.ExecStatement, false, record.Figures{}, 900*record.Millisecond
	other.Pos.Line, other.Statement = 2, &record.Statement{Fingerprint: "s2", Normalized: "select 1", Command: "SELECT"}
	unfelt.batch.Executions = append(unfelt.batch.Executions, other)
	unfelt.silent(vacuumThreshold)
	unfelt.silent(visibilityDecay)

	tuned := monthly(t, 20_000)
	for i := range tuned.batch.Samples {
		if s := &tuned.batch.Samples[i]; s.View == record.ViewTables {
			s.Columns = record.NewColumns(append(s.Columns.Names[:len(s.Columns.Names):len(s.Columns.Names)], "reloptions"))
			s.Values = append(s.Values, record.Value{Text: "{autovacuum_vacuum_insert_scale_factor=0,autovacuum_vacuum_insert_threshold=5000}", Valid: true})
		}
	}
	tuned.silent(vacuumThreshold)
}

// 200 updates a second of a table of 400 pages: the map is gone before
// autovacuum looks again, whatever the trigger.
func TestRowsThatChangeFasterThanAnyVacuumComes(t *testing.T) {
	h := &hygiene{t: t}
	h.setting("server_version", "18.4")
	h.setting("autovacuum_naptime", "15")
	for i := range 5 {
		n := i * 12_000
		h.capture(float64(i)*60, kv("n_live_tup", 20_000), kv("n_dead_tup", n), "n_ins_since_vacuum=0", "n_tup_ins=20000", kv("n_tup_upd", n), "n_tup_del=0",
			kv("reltuples", 20_000), kv("relpages", 400), kv("relallvisible", 0), "reloptions={autovacuum_vacuum_threshold=10000000}", "last_vacuum="+stamp(-1), "vacuum_count=1", "autovacuum_count=0")
		h.indexOnly(float64(i)*60+1, 20_000, 20_000, 5)
	}
	h.silent(vacuumThreshold)
	f := h.one(visibilityDecay)
	wantText(t, "actions", f.Actions, "no vacuum setting of the table keeps up")
	if strings.Contains(fmt.Sprint(f.Actions), "autovacuum_vacuum_threshold =") {
		t.Errorf("a trigger that does not help is advised: %v", f.Actions)
	}
}

// 9.6 million rows, 800,000 of them dead, no vacuum for 75 days.
func TestStuckBelowItsTrigger(t *testing.T) {
	h := &hygiene{t: t}
	h.setting("server_version", "15.6")
	h.capture(0, kv("n_live_tup", 9_614_094), kv("n_dead_tup", 800_000), "n_ins_since_vacuum=0", kv("n_tup_ins", 9_000_000), kv("n_tup_upd", 800_000), "n_tup_del=0",
		kv("reltuples", 9_614_094), kv("relpages", 1_500_000), "last_autovacuum="+stamp(-75*oneDay), "autovacuum_count=1", "vacuum_count=0")
	f := h.one(vacuumThreshold)
	wantText(t, "title", f.Title, "42 % of its vacuum trigger", "no vacuum for 75 days", "in 105 days")
	if f.Severity != finding.Info {
		t.Errorf("%s without a cost that was seen", f.Severity)
	}
}

func TestVacuumMathSaysWhatItLacks(t *testing.T) {
	h := &hygiene{t: t}
	h.capture(0, "n_live_tup=5")
	h.lacks(visibilityDecay, "heap fetches")
	h.lacks(vacuumThreshold, "rates of dead and inserted rows")
	plans := &hygiene{t: t}
	plans.indexOnly(0, 1000, 900, 5)
	plans.lacks(visibilityDecay, "snapshot of tables")
}

func TestHeldBackVacuumsAreLeftToTheirOwnSignature(t *testing.T) {
	h := pinned(t, 8)
	for i := range 11 {
		h.capture(float64(100+10*i), kv("n_live_tup", 100_000), kv("n_dead_tup", 5000+100*i), kv("n_ins_since_vacuum", 100*i), kv("n_tup_ins", 100_000+100*i), "n_tup_upd=0", kv("n_tup_del", 100*i),
			kv("reltuples", 100_000), kv("relpages", 2000))
		h.indexOnly(float64(100+10*i)+1, 1000, 1000, 5)
	}
	for _, s := range []*Signature{visibilityDecay, vacuumThreshold} {
		for _, f := range h.run(s).Findings {
			t.Errorf("%s", f.Title)
		}
	}
}
