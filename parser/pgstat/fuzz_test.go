package pgstat

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

func FuzzCSV(f *testing.F) {
	addFiles(f, "*.csv")
	f.Add([]byte("relname,n_live_tup\n\"a\nb\",\"\"\"\n"))
	f.Add([]byte("relname\tn_live_tup\n\\N\t1\r\n(1 row)\n"))
	f.Fuzz(func(t *testing.T, data []byte) { fuzzOne(t, CSV, data) })
}

func FuzzNDJSON(f *testing.F) {
	addFiles(f, "*.ndjson")
	addFiles(f, "captures/*.ndjson")
	f.Add([]byte(`[{"relname":"\ud800","n_live_tup":[[{}]]},{"a":{"b":"}"}},`))
	f.Fuzz(func(t *testing.T, data []byte) { fuzzOne(t, NDJSON, data) })
}

func FuzzDocument(f *testing.F) {
	f.Add([]byte(`{"captured_at":"2026-11-30 12:00:00Z","views":{"a":[{"relname":"t","n_live_tup":1},{"x":1}],"b":[1,{"na`))
	f.Add([]byte(`{"":"","views":{"":[{}`))
	f.Add([]byte(`{"tables":[{"relname":"t","n_live_tup":1}],"views":{"views":{"settings":[{"name":"a","setting":""}]}}}`))
	f.Fuzz(func(t *testing.T, data []byte) { fuzzOne(t, Document, data) })
}

func addFiles(f *testing.F, pattern string) {
	names, _ := filepath.Glob(filepath.Join("testdata", pattern))
	for _, n := range names {
		if data, err := os.ReadFile(n); err == nil {
			f.Add(data)
		}
	}
}

// fuzzOne: nothing panics, offsets stay inside, every row is accounted for.
func fuzzOne(t *testing.T, format source.Format, data []byte) {
	d := format.Detect(&source.Head{Name: "x", Data: data, EOF: true})
	if d == nil || d.Reason != "" {
		return
	}
	begin := d.Begin(data)
	if begin < 0 || begin > len(data) {
		t.Fatalf("begin %d of %d", begin, len(data))
	}
	if n := d.Cut(data[begin:]); n < 0 || n > len(data)-begin {
		t.Fatalf("cut %d of %d", n, len(data)-begin)
	}
	b := &record.Batch{}
	d.Parse(data[begin:], record.Pos{File: "x", Line: 1, Offset: int64(begin)}, b)
	if b.Understood > b.Entries || int64(len(b.Samples)) > b.Understood {
		t.Fatalf("%d entries, %d understood, %d samples", b.Entries, b.Understood, len(b.Samples))
	}
	for i := range b.Samples {
		s := &b.Samples[i]
		if len(s.Values) != len(s.Columns.Names) || s.Pos.Offset >= int64(len(data)) {
			t.Fatalf("sample %d: %d values of %d columns at %d", i, len(s.Values), len(s.Columns.Names), s.Pos.Offset)
		}
	}
}
