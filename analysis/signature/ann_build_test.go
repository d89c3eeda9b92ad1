package signature

import (
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/psql"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
	"github.com/pgassay/pgassay/parser/sqltext"
)

// Messages of pgvector 0.8.7: 8,000 vectors of 64 dimensions with
// maintenance_work_mem = 2MB, and 50 vectors in 100 lists.
const (
	spilledMessage   = "hnsw graph no longer fits into maintenance_work_mem after 2553 tuples"
	untrainedMessage = "ivfflat index created with little data"
)

// buildLog is a log with a message of pgvector while an index of public.t3 is
// built, and the settings of the server.
func buildLog(t *testing.T, message string) *hygiene {
	h := &hygiene{t: t}
	h.sample(record.ViewSettings, second(1), "name=maintenance_work_mem", "setting=2048", "unit=kB")
	rows, ok := record.BuildNotice(message)
	if !ok {
		t.Fatal("not read:", message)
	}
	h.batch.Events = append(h.batch.Events, record.Event{Kind: record.EventBuildNotice, Text: message, Count: rows, LogTime: second(60), Session: "1.a",
		Pos: record.Pos{File: "log", Line: 7}, Statement: &record.Statement{Fingerprint: "b", Normalized: "create index on public.t3 using hnsw (e vector_l2_ops)"}})
	return h
}

func TestBuildSpilledComputesTheMemory(t *testing.T) {
	h := buildLog(t, spilledMessage)
	h.sample(record.ViewTables, second(1), "schemaname=public", "relname=t3", "n_live_tup=8000")
	f := h.one(buildSpilled)
	if f.Subject.Relation != "public.t3" || f.Confidence != finding.Likely || f.Evidence[0].Pos.Line != 7 {
		t.Errorf("%+v %v", f.Subject, f.Confidence)
	}
	// 2 MB × 8,000 ÷ 2,553
	if got := figure(t, f, "memory for the whole graph").Value / 1024; got < 6400 || got > 6450 {
		t.Errorf("%v kB, want about 6,418", got)
	}
	wantText(t, "actions", f.Actions, "SET maintenance_work_mem = '8MB';")
}

func TestBuildSpilledWithoutRows(t *testing.T) {
	f := buildLog(t, spilledMessage).one(buildSpilled)
	if f.Severity != finding.Info {
		t.Error(f.Severity)
	}
	wantText(t, "actions", f.Actions, "the rows of the table ÷ 2,550")
}

func TestBuildNoticesAreToldApart(t *testing.T) {
	buildLog(t, untrainedMessage).silent(buildSpilled)
	buildLog(t, spilledMessage).silent(ivfflatUntrained)
	(&hygiene{t: t}).lacks(buildSpilled, "messages of builds")
	(&hygiene{t: t}).lacks(ivfflatUntrained, "messages of builds")
}

func TestIvfflatUntrainedByNotice(t *testing.T) {
	f := buildLog(t, untrainedMessage).one(ivfflatUntrained)
	if f.Subject.Relation != "public.t3" || f.Severity != finding.Info {
		t.Errorf("%+v %v", f.Subject, f.Severity)
	}
}

// ivfflat is public.t with an index of a method that was there from the start,
// and rows that grow.
func ivfflat(t *testing.T, method string, rows ...int) *hygiene {
	h := &hygiene{t: t}
	for i, n := range rows {
		at := float64(60 * (i + 1))
		h.table(at, n, 0, n, 0, 0, 0, 0)
		h.index(at, "x", 10, "indexdef=CREATE INDEX x ON public.t USING "+method+" (e) WITH (lists='10')", "relfilenode=7")
	}
	return h
}

func TestIvfflatOutgrown(t *testing.T) {
	f := ivfflat(t, "ivfflat", 10_000, 60_000, 120_000).one(ivfflatUntrained)
	if f.Subject.Index != "public.x" || f.Effect != 12 || f.Confidence != finding.Possible {
		t.Errorf("%+v %v %v", f.Subject, f.Effect, f.Confidence)
	}
	wantText(t, "actions", f.Actions, "REINDEX INDEX CONCURRENTLY public.x;", "lists = 120 for 120,000 rows")
	ivfflat(t, "ivfflat", 20_000, 120_000).silent(ivfflatUntrained)
	ivfflat(t, "hnsw", 10_000, 120_000).silent(ivfflatUntrained)
	rebuilt := ivfflat(t, "ivfflat", 10_000, 110_000, 120_000)
	for i := 2; i < len(rebuilt.batch.Samples); i++ {
		if s := &rebuilt.batch.Samples[i]; s.View == record.ViewIndexes {
			s.Values[len(s.Values)-1].Text = "8"
		}
	}
	rebuilt.silent(ivfflatUntrained)
}

func TestBuildNoticeOfATranscript(t *testing.T) {
	text := `CREATE INDEX ON t3 USING hnsw (e vector_l2_ops);
psql:build.sql:3: NOTICE:  hnsw graph no longer fits into maintenance_work_mem after 2553 tuples
DETAIL:  Building will take significantly more time.
HINT:  Increase maintenance_work_mem to speed up builds.
CREATE INDEX
                    QUERY PLAN
--------------------------------------------------
 Result (actual time=0.001..0.001 rows=1 loops=1)
 Execution Time: 0.010 ms
(2 rows)

`
	b := &record.Batch{}
	h := &source.Head{Name: "build.txt", Data: []byte(text), EOF: true, Intern: sqltext.NewInterner(100).Statement}
	psql.Frame.Detect(h).Parse([]byte(text), record.Pos{File: "build.txt", Line: 1}, b)
	in := &hygiene{t: t, batch: *b}
	f := in.one(buildSpilled)
	if f.Subject.Relation != "t3" || f.Evidence[0].Pos.Line != 2 {
		t.Errorf("%+v at line %d", f.Subject, f.Evidence[0].Pos.Line)
	}
}

func TestBuildTarget(t *testing.T) {
	for text, want := range map[string]string{
		"create index on t using hnsw (e)":                               "t",
		"CREATE UNIQUE INDEX CONCURRENTLY i ON ONLY s.t USING btree (a)": "s.t",
		"select 1 on t": "", "": "", "create index": "", "create table t (on int)": "",
	} {
		if got := buildTarget(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
