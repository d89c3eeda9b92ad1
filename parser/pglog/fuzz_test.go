package pglog

import (
	"testing"
	"time"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// checkFormat reads data as a cutter would and checks the contract of the
// offsets and the counts.
func checkFormat(t *testing.T, f source.Format, data []byte) {
	d := f.Detect(headOf(data))
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
	b := parseCut(d, data, 64)
	if b.Understood > b.Entries {
		t.Fatalf("%d of %d entries understood", b.Understood, b.Entries)
	}
	for _, x := range b.Executions {
		if x.Kind == 0 || x.Pos.Line < 1 || x.Pos.Offset > int64(len(data)) || len(x.Parameters) > maxParameters {
			t.Fatalf("%+v", x)
		}
	}
	for _, l := range b.Losses {
		if l.Count < 1 || l.Text == "" {
			t.Fatalf("%+v", l)
		}
	}
}

func FuzzStderr(f *testing.F) {
	for _, prefix := range arrangements {
		f.Add([]byte(printLog(prefix, 6)))
	}
	f.Add(readSample(f, "pg18-extra.log"))
	f.Fuzz(func(t *testing.T, data []byte) { checkFormat(t, Stderr, data) })
}

func FuzzCSVLog(f *testing.F) {
	f.Add(readSample(f, "fan.csv")[:2000])
	f.Add(readSample(f, "pg12-pg.csv")[:4000])
	f.Fuzz(func(t *testing.T, data []byte) { checkFormat(t, CSVLog, data) })
}

func FuzzJSONLog(f *testing.F) {
	f.Add(readSample(f, "saw.json")[:6000])
	f.Add([]byte(`{"timestamp":"2026-03-02 08:00:01.1 UTC","error_severity":"LOG","message":"\ud83d\u00e9\\\"","x":[{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) { checkFormat(t, JSONLog, data) })
}

func FuzzPrefix(f *testing.F) {
	for _, prefix := range arrangements {
		f.Add(prefix, processes[0].print(prefix, 3)+"LOG:  x")
	}
	f.Add("%-20b%5P/%q%6u@%d %a%a%a%a ", "client backend           501/   app@shop aaaaaaaaa LOG:  x")
	f.Fuzz(func(t *testing.T, text, line string) {
		p, err := compilePrefix(text)
		if err != nil {
			return
		}
		var m matched
		start := time.Now()
		for _, q := range []*prefix{p, p.anchor()} {
			if q == nil || !q.match([]byte(line), &m) {
				continue
			}
			if m.body > len(line) || m.label == labelNone {
				t.Fatalf("%+v", m)
			}
			for i := range m.fields {
				m.field([]byte(line), i)
			}
		}
		if d := time.Since(start); d > time.Second {
			t.Fatalf("took %v", d)
		}
	})
}

func FuzzVacuum(f *testing.F) {
	f.Add([]byte("automatic vacuum of table \"a.b.c\": index scans: 1\npages: 0 removed, 1 remain, 2 scanned (1% of total)\nindex \"i\": pages: 1 in total\nsystem usage: CPU: user: 0.1 s, system: 0.1 s, elapsed: 1.0 s"))
	f.Add([]byte("automatic analyze of table \"a.b.c\" system usage: CPU: user: 0.01 s, system: 0.00 s, elapsed: 0.12 s"))
	ws := newWorkers(&source.Head{})
	f.Fuzz(func(t *testing.T, message []byte) {
		b := new(record.Batch)
		w := ws.get(b)
		e := w.begin(record.Pos{File: "x", Line: 1})
		e.ErrorSeverity, e.Message = record.SeverityLog, message
		w.record(e)
		ws.put(w)
		for _, v := range b.Vacuums {
			if v.Relation == "" || v.Elapsed < 0 {
				t.Fatalf("%+v", v)
			}
		}
	})
}
