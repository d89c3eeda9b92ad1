package signature

import (
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// oddNames has an invalid index whose schema, table and own name need quotes and
// hold dots, in a database that may not be the main one.
func oddNames(t *testing.T, database string) *hygiene {
	h := &hygiene{t: t}
	for i := range 4 {
		h.sample(record.ViewTables, second(60*float64(i)), "datname=shop", "schemaname=public", "relname=t", kv("n_live_tup", 1000))
		h.sample(record.ViewTables, second(60*float64(i)), "datname=shop", "schemaname=public", "relname=u", kv("n_live_tup", 1000))
		h.sample(record.ViewIndexes, second(60*float64(i)), "datname="+database, "schemaname=v1.2", "relname=Order's", "indexrelname=by.day", kv("index_size", 8192),
			"indisvalid=f", "indisready=f")
	}
	return h
}

func TestSQLQuotesEachPartOfAName(t *testing.T) {
	f := oddNames(t, "shop").one(invalidIndex)
	wantText(t, "verify", f.Verify, `indrelid = '"v1.2"."Order''s"'::regclass`)
	if last := f.Actions[len(f.Actions)-1].Do; last != `reindex index concurrently "v1.2"."by.day"` {
		t.Errorf("action %s", last)
	}
	if f.Actions[0].Do == `\c shop` {
		t.Error("sent to the database that the input speaks of anyway")
	}
}

func TestSQLForAnotherDatabaseGoesThereFirst(t *testing.T) {
	f := oddNames(t, "Bill-2").one(invalidIndex)
	if f.Actions[0].Do != `\c "Bill-2"` {
		t.Errorf("first of all %q, want the way to the database", f.Actions[0].Do)
	}
	wantText(t, "first action", f.Actions[0].Cost, "database Bill-2")
	wantText(t, "verify", f.Verify, `indrelid = '"v1.2"."Order''s"'::regclass`)
}

func TestNamesThatOnlyAStatementWrites(t *testing.T) {
	for name, want := range map[string]string{"items": "items", "public.items": "public.items", "public.Order": `public."Order"`, "order": `"order"`} {
		if got := tableSQL(&dataset.Model{}, name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
