package pgstat

import (
	"fmt"
	"strings"
	"testing"
)

const twoCaptures = `{"captured_at": "2026-11-30 12:00:00Z", "datname": "shop", "views": {
  "pg_stat_user_tables": [
    {"relname": "orders", "n_live_tup": 5},
    {"relname": "items", "n_live_tup": 6, "captured_at": "2026-11-30 12:00:01Z"}
  ],
  "locks": [{"locktype": "relation", "granted": true}],
  "pg_settings": [{"name": "work_mem", "setting": "4096", "datname": null}]
}}
{"captured_at": "2026-11-30 12:01:00Z", "settings": [{"name": "work_mem", "setting": "8192"}]}
`

// said is what was read, in short.
func said(t *testing.T, text string, block int) string {
	t.Helper()
	b := read(t, "x.json", []byte(text), block)
	var out strings.Builder
	for i := range b.Samples {
		s := &b.Samples[i]
		key, _ := s.Text("relname")
		if name, ok := s.Text("name"); ok {
			key = name
		}
		database, _ := s.Text("datname")
		fmt.Fprintf(&out, "%d %s %s %s %s\n", s.Pos.Line, s.View, key, s.CapturedAt.Std().Format("15:04:05"), database)
	}
	for _, l := range b.Losses {
		fmt.Fprintf(&out, "%d lost %d\n", l.Pos.Line, l.Count)
	}
	return out.String()
}

// TestDocument: rows have the time and the database of the object around them,
// unless they have their own.
func TestDocument(t *testing.T) {
	want := `3 pg_stat_user_tables orders 12:00:00 shop
4 pg_stat_user_tables items 12:00:01 shop
7 pg_settings work_mem 12:00:00 
9 pg_settings work_mem 12:01:00 
6 lost 1
`
	if got := said(t, twoCaptures, 1<<20); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := said(t, twoCaptures, 100); got != want {
		t.Errorf("in blocks of 100: got\n%s\nwant\n%s", got, want)
	}
}

// TestDocumentCutShort: what stands before the end is used.
func TestDocumentCutShort(t *testing.T) {
	want := `3 pg_stat_user_tables orders 12:00:00 shop
4 lost 1
1 lost 1
`
	if got := said(t, twoCaptures[:strings.Index(twoCaptures, `6, "captured_at"`)], 1<<20); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestOtherObjectsAreNoDocuments: plans, logs and rows.
func TestOtherObjectsAreNoDocuments(t *testing.T) {
	for _, text := range []string{
		`{"Plan": {"Node Type": "Seq Scan", "Plans": [{"Node Type": "Result"}]}, "Triggers": []}`,
		`{"relname": "a", "n_live_tup": 1, "reloptions": [{"x": 1}]}`,
		`{"timestamp": "2026-11-30 13:53:32.037 UTC", "pid": 1, "message": "m"}`,
		`{"views": {"a": [1, 2]}}`,
	} {
		if d := detect("x.json", []byte(text)); d != nil && d.Score == scoreDocument {
			t.Errorf("%s is claimed: %+v", text, d)
		}
	}
}
