package analysis

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// shopResult has names of every kind, in fields and in texts.
func shopResult() *Result {
	return &Result{
		Inputs: []Input{{File: record.File{
			Name: "/srv/acme/db-prod-7.log.gz", Format: "stderr", Detail: "prefix 'acme %m [%p] %q%u@%d %a '",
		}}},
		Relations:  []RelationRow{{Name: "sales.Order Items"}, {Name: "public.t"}, {Name: "public.total"}},
		Indexes:    []IndexRow{{Name: "sales.order_items_pkey", Relation: "sales.Order Items", Definition: `CREATE INDEX order_items_pkey ON sales."Order Items" USING btree (customer_id) WHERE (state = 'secret'::text)`}},
		Statements: []StatementRow{{Fingerprint: "aa", Text: `select customer_id from sales."Order Items" where note = $1`, Buffers: math.NaN()}},
		Losses:     []record.Loss{{Pos: record.Pos{File: "/srv/acme/db-prod-7.log.gz", Line: 3}, Kind: record.LossRow, Text: "8 columns, expected 24"}},
		Findings: []finding.Finding{{
			ID: "PGA101", Name: "linear-page-walk", Title: "Each insert into sales.Order Items walks order_items_pkey",
			Summary: `A transaction of billing-app (user alice, host 203.0.113.7) ran "select customer_id from \"Order Items\" where pin = 'x … _id = 42" over total.`,
			Subject: finding.Subject{Database: "shop", Relation: "sales.Order Items", Index: "sales.order_items_pkey", Session: "billing-app", Fingerprint: "aa"},
			Evidence: []finding.Evidence{
				{Pos: record.Pos{File: "/srv/acme/db-prod-7.log.gz", Line: 9}, Excerpt: "UPDATE ledger SET pin = '1234' /* alice */ WHERE id = 4711"},
				{Excerpt: `could not create unique index "order_items_pkey_ccnew": Key (email)=(bob@acme.example) is duplicated.`},
			},
			Actions: []finding.Action{
				{SQL: true, Do: `ALTER TABLE sales."Order Items" SET (autovacuum_vacuum_scale_factor = 0.02);`},
				{Do: "Give alice options='-c idle_in_transaction_session_timeout=60s'; keep state = 'secret' and \"log_lock_waits\"."},
			},
			Notes: []string{"parameters returned no row: $1 = 'carol', $2 = '7' (3 calls)"},
		}},
		Plans: []PlanExample{{Statement: "select 1 from ledger", Plan: &record.Plan{
			QueryText: "select 'dave' from ledger", Settings: []record.KeyValue{{Key: "search_path", Value: "acme, public"}, {Key: "work_mem", Value: "64MB"}},
			Nodes: []record.Node{{NodeType: "Seq Scan", RelationName: "ledger", Alias: "l", ActualRows: 7,
				Extra: []record.KeyValue{{Key: "Filter", Value: "(pin = 'erin'::text)"}, {Key: "Sort Method", Value: "quicksort"}, {Key: "Memory", Value: "25kB"}}}},
		}}},
	}
}

func shopNames() Names {
	return Names{Databases: []string{"shop", "postgres"}, Users: []string{"alice"}, Applications: []string{"billing-app"}, Settings: []string{"log_lock_waits"}}
}

// all is every string of v, one a line.
func all(v reflect.Value, b *strings.Builder) {
	switch v.Kind() {
	case reflect.String:
		b.WriteString(v.String() + "\n")
	case reflect.Pointer:
		if !v.IsNil() {
			all(v.Elem(), b)
		}
	case reflect.Slice:
		for i := range v.Len() {
			all(v.Index(i), b)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			all(v.Field(i), b)
		}
	}
}

func TestAnonymousResultHasNoName(t *testing.T) {
	r := shopResult()
	out := Anonymize(r, shopNames())
	var b strings.Builder
	all(reflect.ValueOf(out), &b)
	text := strings.ToLower(b.String())
	for _, secret := range []string{
		"acme", "prod", "sales", "order items", "order_items", "customer", "note =", "pin", "secret", "billing", "alice", "203.0", "bob", "carol",
		"dave", "erin", "ledger", "4711", "1234", "shop", " total",
	} {
		if strings.Contains(text, secret) {
			t.Errorf("%q is left in\n%s", secret, text)
		}
	}
	for _, own := range []string{
		"autovacuum_vacuum_scale_factor = 0.02", "idle_in_transaction_session_timeout=60s", "log_lock_waits", "quicksort", "25kB", "64MB",
		"USING btree", "Seq Scan", ".log.gz", "%m [%p] %q%u@%d %a", "could not create unique index", "_ccnew",
	} {
		if !strings.Contains(b.String(), own) {
			t.Errorf("%q is lost in\n%s", own, b.String())
		}
	}
}

func TestAnonymousNamesAreConsistent(t *testing.T) {
	out := Anonymize(shopResult(), shopNames())
	f := out.Findings[0]
	if f.Subject.Relation != out.Relations[0].Name || f.Subject.Index != out.Indexes[0].Name || !strings.Contains(f.Title, f.Subject.Relation) {
		t.Errorf("%+v, %+v, %s", f.Subject, out.Relations, f.Title)
	}
	if out.Inputs[0].Name != f.Evidence[0].Pos.File || out.Losses[0].Pos.File != f.Evidence[0].Pos.File {
		t.Errorf("%s, %s", out.Inputs[0].Name, f.Evidence[0].Pos.File)
	}
	r := shopResult()
	r.Findings = append(r.Findings, finding.Finding{ID: "PGA402", Cause: r.Findings[0].Fingerprint()})
	if out := Anonymize(r, shopNames()); out.Findings[1].Cause != out.Findings[0].Fingerprint() || out.Findings[0].Cause != "" {
		t.Errorf("the cause %s is no finding", out.Findings[1].Cause)
	}
	if out.Relations[1].Name == "public.t" {
		t.Error("public.t kept its name")
	}
}

func TestAnonymousComparisonHasNoName(t *testing.T) {
	r := shopResult()
	r.Comparison = &Comparison{
		Baseline: "/srv/acme/last.json",
		Absent:   []FindingChange{{Status: StatusGone, ID: "PGA401", Name: "fan-out", Title: "One request of oldapp", Subject: finding.Subject{Statement: "select x from gone_table"}}},
		Regressions: []CostChange{{
			Text: "select y from gone_table", Unit: "buffers/row",
		}},
	}
	r.Suppressed = []Suppressed{{Finding: finding.Finding{ID: "PGA208", Title: "gone_table_pkey grows"}, Reason: "ask Bob", Place: record.Pos{File: "/srv/acme/.pgassay.yaml", Line: 3}}}
	r.Notes = []string{"The suppression of PGA101 acme_orders* (/srv/acme/.pgassay.yaml:7) met no finding."}
	names := shopNames()
	names.Patterns, names.Files = []string{"acme_orders*"}, []string{"/srv/acme/.pgassay.yaml"}
	out := Anonymize(r, names)
	var b strings.Builder
	all(reflect.ValueOf(out), &b)
	for _, secret := range []string{"acme", "oldapp", "gone_table", "Bob"} {
		if strings.Contains(b.String(), secret) {
			t.Errorf("%q is left in\n%s", secret, b.String())
		}
	}
	if c := out.Comparison; c.Absent[0].Title != "fan-out" || c.Absent[0].Status != StatusGone || !out.Anonymized {
		t.Errorf("%+v", c.Absent)
	}
}

func TestAnonymizeChangesNothingElse(t *testing.T) {
	r := shopResult()
	out := Anonymize(r, shopNames())
	if want := shopResult(); r.Findings[0].Title != want.Findings[0].Title || r.Plans[0].Plan.Nodes[0].RelationName != "ledger" {
		t.Error("the original changed")
	}
	if f := out.Findings[0]; f.ID != "PGA101" || f.Name != "linear-page-walk" || out.Plans[0].Plan.Nodes[0].ActualRows != 7 || out.Statements[0].Fingerprint != "aa" {
		t.Errorf("%+v", f)
	}
	again := Anonymize(shopResult(), shopNames())
	var a, b strings.Builder
	all(reflect.ValueOf(out), &a)
	all(reflect.ValueOf(again), &b)
	if a.String() != b.String() {
		t.Error("two runs differ")
	}
}

func TestSQLLosesNamesAndConstants(t *testing.T) {
	for in, want := range map[string]string{
		"select count(*) from accounts":                     "select count(*) from c1",
		`SELECT "A b"."C""d", e'x\'y' FROM x -- why`:        "SELECT c1.c2, e'?' FROM c3 ",
		"select $1, $tag$ a ' b $tag$, 0x1F, 1.5e3 from p":  "select $1, '?', ?, ? from c1",
		"insert into v values ($1 /*, ... */)":              "insert into c1 values ($1 /*, ... */)",
		"select a.name, pg_sleep(1) from pg_class a":        "select c1.c2, pg_sleep(?) from pg_class c1",
		"update x set y = 'it''s":                           "update c1 set c2 = '?'",
		"… ret' and z = 'b' limit 5":                        "… c2'?'c1'?'",
		"create index i on t using hnsw (e vector_l2_ops)":  "create index c2 on c3 using hnsw (c1 vector_l2_ops)",
		"select now() at time zone 'UTC', größe from maße2": "select now() at time zone '?', c1 from c2",
	} {
		d := newDictionary(Names{})
		d.sql(in)
		d.number()
		if got := d.sql(in); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}

func TestFileNamesKeepWhatIsCommon(t *testing.T) {
	for in, want := range map[string]string{
		"postgresql-2026-11-30_000000.log.gz": "postgresql-2026-11-30_000000.log.gz", "-": "-", "snapshots/pg_stat_activity.csv": "snapshots/pg_stat_activity.csv",
		"/var/acme/db1.example.log": "/d2/d1/f1.log", `C:\Users\alice\exports.zip`: "d1/d2/d3/exports.zip", "acme": "f1",
		"acme.zip!sub/postgresql.log": "f1.zip!d1/postgresql.log", "export.tar.gz!billing.csv": "export.tar.gz!f1.csv",
	} {
		d := newDictionary(Names{})
		d.file(in)
		d.number()
		if got := d.file(in); got != want && !strings.HasPrefix(in, "C:") || strings.Contains(got, "alice") {
			t.Errorf("%s: %s", in, got)
		}
	}
}

func FuzzAnonymize(f *testing.F) {
	f.Add(`a "b" 'c' (d)=(e) 10.0.0.1 $x$ y $x$ /* */ -- \`, "select")
	f.Add("secret_name … 'x", "UPDATE secret_name")
	f.Fuzz(func(t *testing.T, text, sql string) {
		r := shopResult()
		r.Findings[0].Summary, r.Findings[0].Subject.Statement, r.Inputs[0].Name, r.Inputs[0].Detail = text, sql, text, text
		r.Findings[0].Evidence[0].Excerpt, r.Relations[0].Name = sql, text
		out := Anonymize(r, shopNames())
		if strings.Contains(out.Findings[0].Subject.Statement, "secret_name") {
			t.Errorf("%q", out.Findings[0].Subject.Statement)
		}
	})
}

func BenchmarkAnonymize(b *testing.B) {
	r := shopResult()
	r.Findings[0].Summary = strings.Repeat(r.Findings[0].Summary+" ", 200)
	b.SetBytes(int64(len(r.Findings[0].Summary)))
	b.ReportAllocs()
	for b.Loop() {
		Anonymize(r, shopNames())
	}
}

func TestAStatementMadeOfOneOfTheInputKeepsNoColumn(t *testing.T) {
	d := newDictionary(Names{Statements: []string{"select id, score from memories where tenant_id = $1 order by score desc limit $2"}})
	d.number()
	got := d.advice("select asked.key, found.* from unnest($1) as asked(key) cross join lateral (select id, score from memories where tenant_id = asked.key limit 10) as found;")
	for _, name := range []string{"id,", "score", "memories", "tenant_id"} {
		if strings.Contains(got, name) {
			t.Errorf("%q is in %s", name, got)
		}
	}
	for _, ours := range []string{"asked.key", "found.*", "unnest($1)", "limit 10"} {
		if !strings.Contains(got, ours) {
			t.Errorf("%q of ours is not in %s", ours, got)
		}
	}
}

// A measured column may be named nowhere else.
func TestMeasuredColumnsAreNames(t *testing.T) {
	d := dataset.New(dataset.DefaultLimits(), func([]byte) *record.Statement { return nil })
	d.Fold(&record.Batch{Samples: []record.Sample{{View: record.ViewColumnSizes, CapturedAt: record.NoTime,
		Columns: record.NewColumns([]string{"relname", "attname", "p10"}),
		Values:  []record.Value{{Text: "items", Valid: true}, {Text: "hush_vector", Valid: true}, {Text: "264", Valid: true}}}}})
	if names := namesOf([]*dataset.Model{d.Build()}, nil); !slices.Contains(names.Statements, "hush_vector") {
		t.Errorf("%+v", names)
	}
}
