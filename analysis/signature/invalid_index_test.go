package signature

import (
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// leftBehind is public.t, written to, with an index that is invalid in every
// capture.
func leftBehind(t *testing.T, name string, captures int, ready string) *hygiene {
	h := &hygiene{t: t}
	for i := range captures {
		h.table(60*float64(i), 1000, 0, 1000+500*i, 0, 0, 0, 0)
		h.index(60*float64(i), name, 100, "indisvalid=f", "indisready="+ready)
		h.activity(60*float64(i), 60*float64(i)-1, 10, 5, "web", "select 1")
	}
	return h
}

func TestReadyInvalidIndexIsPaidForByWrites(t *testing.T) {
	f := leftBehind(t, "x", 4, "t").one(invalidIndex)
	if f.Severity != finding.Warning || f.Confidence != finding.Likely || f.Subject.Index != "public.x" {
		t.Errorf("%v %v %s, want a likely warning on public.x", f.Severity, f.Confidence, f.Subject.Index)
	}
	wantText(t, "actions", f.Actions, "reindex index concurrently public.x")
}

func TestInvalidIndexThatIsNotReadyIsClutter(t *testing.T) {
	f := leftBehind(t, "x_ccnew1", 4, "f").one(invalidIndex)
	if f.Severity != finding.Info {
		t.Errorf("%v, want info", f.Severity)
	}
	wantText(t, "summary", f.Summary, "new copy of a REINDEX CONCURRENTLY", "clutter")
}

func TestInvalidIndexWithAValidTwinIsDropped(t *testing.T) {
	h := leftBehind(t, "x_ccnew", 4, "t")
	h.index(180, "x_ccnew", 100, "indisvalid=f", "indexdef=CREATE INDEX x_ccnew ON public.t USING btree (a)")
	h.index(180, "x", 100, "indisvalid=t", "indexdef=CREATE INDEX x ON public.t USING btree (a)")
	wantText(t, "actions", h.one(invalidIndex).Actions, "drop index concurrently public.x_ccnew", "public.x has the same definition")

	unique := leftBehind(t, "x", 4, "t")
	unique.index(180, "x", 100, "indisvalid=f", "indisunique=t", "indexdef=CREATE UNIQUE INDEX x ON public.t USING btree (a)")
	unique.index(180, "y", 100, "indisvalid=t", "indexdef=CREATE INDEX y ON public.t USING btree (a)")
	wantText(t, "a unique index is no twin of another", unique.one(invalidIndex).Actions, "reindex index concurrently public.x", "pg_constraint")
}

func TestFailedBuildIsTheEvent(t *testing.T) {
	h := leftBehind(t, "x", 3, "f")
	h.batch.Events = append(h.batch.Events, record.Event{Pos: record.Pos{File: "log", Line: 9}, LogTime: second(-5), Kind: record.EventError,
		Text: `could not create unique index "x"`})
	f := h.one(invalidIndex)
	if f.Confidence != finding.Confirmed || f.Onset.EventPos.Line != 9 {
		t.Errorf("%v, event at %v", f.Confidence, f.Onset.EventPos)
	}
	wantText(t, "actions", f.Actions, "remove the duplicate keys first")
	h.index(180, "x", 100, "indisvalid=f", "indisunique=t", "indexdef=CREATE UNIQUE INDEX x ON public.t USING btree (a, b)")
	if f = h.one(invalidIndex); !strings.HasPrefix(f.Actions[0].Do, "select a, b, count(*) from public.t group by a, b") {
		t.Errorf("first of all %q, want the duplicates", f.Actions[0].Do)
	}
}

func TestOneSnapshotIsPossibleAtMost(t *testing.T) {
	if f := leftBehind(t, "x", 1, "t").one(invalidIndex); f.Confidence != finding.Possible {
		t.Errorf("%v from one snapshot", f.Confidence)
	}
	h := &hygiene{t: t}
	h.sample(record.ViewIndexes, record.NoTime, "schemaname=public", "relname=t", "indexrelname=x", "indisvalid=f", "indisready=t")
	if f := h.one(invalidIndex); f.Confidence != finding.Possible || f.Onset != nil {
		t.Errorf("%v, onset %v from a snapshot without a time", f.Confidence, f.Onset)
	}
}

func TestRunningBuildIsNoInvalidIndex(t *testing.T) {
	for _, q := range []string{
		"REINDEX INDEX CONCURRENTLY public.x", "reindex (verbose) table concurrently t", "reindex database db",
		"create unique index concurrently x on public.t(a)", "/* app */ CREATE INDEX CONCURRENTLY IF NOT EXISTS x ON ONLY \"t\" (a)", "reindex",
	} {
		h := leftBehind(t, "x", 4, "t")
		h.activity(170, 100, 11, 5, "dba", q, "state=")
		h.batch.Samples[len(h.batch.Samples)-1] = withoutFirst(h.batch.Samples[len(h.batch.Samples)-1], "state")
		if p := h.run(invalidIndex); len(p.Findings) > 0 {
			t.Errorf("%q runs: %s", q, p.Findings[0].Title)
		}
	}
	for _, q := range []string{"reindex index concurrently other", "create index concurrently o on other (a)", "select 'create index x on t'"} {
		h := leftBehind(t, "x", 4, "t")
		h.activity(170, 100, 11, 5, "dba", q, "state=")
		h.batch.Samples[len(h.batch.Samples)-1] = withoutFirst(h.batch.Samples[len(h.batch.Samples)-1], "state")
		h.one(invalidIndex)
	}
	h := leftBehind(t, "x", 4, "t")
	h.activity(180, 100, 11, 5, "dba", "reindex index concurrently x") // idle in transaction: its last statement only
	h.one(invalidIndex)
}

func TestIndexThatLaterIsValidOrGoneStaysSilent(t *testing.T) {
	valid := leftBehind(t, "x", 4, "t")
	valid.index(240, "x", 100, "indisvalid=t", "indisready=t")
	valid.silent(invalidIndex)
	gone := leftBehind(t, "x", 4, "t")
	for i := range 6 {
		gone.index(60*float64(i), "y", 10, "indisvalid=t")
	}
	gone.silent(invalidIndex)
}

func TestInvalidIndexSaysWhatItLacks(t *testing.T) {
	h := &hygiene{t: t}
	h.index(0, "x", 1)
	h.lacks(invalidIndex, "indisvalid")
}

func TestRealReindexInTheMiddle(t *testing.T) {
	whole := &hygiene{t: t}
	whole.load("sawtooth", "")
	whole.silent(invalidIndex)

	// the input ends with the capture that shows _ccnew; the reindex is active
	middle := &hygiene{t: t}
	middle.load("sawtooth", "13:56:12")
	middle.silent(invalidIndex)

	// the same without pg_stat_activity: nothing tells that it is being built
	blind := &hygiene{t: t}
	blind.load("sawtooth", "13:56:12")
	kept := blind.batch.Samples[:0]
	for _, s := range blind.batch.Samples {
		if s.View != record.ViewActivity {
			kept = append(kept, s)
		}
	}
	blind.batch.Samples = kept
	f := blind.one(invalidIndex)
	if f.Confidence != finding.Possible {
		t.Errorf("%v, want possible", f.Confidence)
	}
	wantText(t, "rivals", f.RuledOut, "no pg_stat_activity around the last index snapshot in input")
	wantText(t, "actions", f.Actions, "pg_stat_activity", "drop index concurrently public.idx_queue_ready_ccnew")
}

func FuzzBuildIn(f *testing.F) {
	for _, q := range []string{"reindex(verbose) index x", "create index on", "create unique index i on only t(a)", "reindex index concurrently", "; create"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, q string) {
		b, ok := buildIn(q)
		if !ok && (b.Index != "" || b.Table != "") {
			t.Errorf("%q: target %+v without a build", q, b)
		}
	})
}
