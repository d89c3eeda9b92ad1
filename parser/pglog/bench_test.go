package pglog

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

const benchBlock = 1 << 20

// benchmark parses blocks of one sample repeated. The statement is made once:
// what sqltext costs is measured there.
func benchmark(b *testing.B, f source.Format, name string) {
	sample := readSample(b, name)
	h := headOf(sample)
	st := &record.Statement{Fingerprint: "1"}
	h.Intern = func([]byte) *record.Statement { return st }
	d := f.Detect(h)
	sample = sample[d.Begin(sample):]
	sample = sample[:d.Cut(sample)]
	block := bytes.Repeat(sample, benchBlock/len(sample)+1)
	var batch record.Batch
	d.Parse(block, record.Pos{File: name, Line: 1}, &batch)
	entries := batch.Entries
	b.SetBytes(int64(len(block)))
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		batch = record.Batch{Executions: batch.Executions[:0], Events: batch.Events[:0], Vacuums: batch.Vacuums[:0]}
		d.Parse(block, record.Pos{File: name, Line: 1}, &batch)
	}
	b.ReportMetric(float64(entries), "entries/op")
}

func BenchmarkStderrPlansJSON(b *testing.B)  { benchmark(b, Stderr, "shop.log") }
func BenchmarkCSVDurations(b *testing.B)     { benchmark(b, CSVLog, "fan.csv") }
func BenchmarkJSONLogPlansJSON(b *testing.B) { benchmark(b, JSONLog, "saw.json") }
func BenchmarkStderrDay(b *testing.B)        { benchmark(b, Stderr, "pg18-pg.log") }
func BenchmarkCSVDay(b *testing.B)           { benchmark(b, CSVLog, "pg18-pg.csv") }
func BenchmarkJSONLogDay(b *testing.B)       { benchmark(b, JSONLog, "pg18-pg.json") }

// BenchmarkCarriers reads a log through each way of shipping it.
func BenchmarkCarriers(b *testing.B) {
	for _, w := range carriers {
		b.Run(strings.ReplaceAll(w.name, " ", "-"), func(b *testing.B) {
			data, _ := shipSample(b, w)
			d := w.format.Detect(headOf(data))
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				var batch record.Batch
				d.Parse(data, record.Pos{File: "x", Line: 1}, &batch)
			}
		})
	}
}

func BenchmarkCut(b *testing.B) {
	for name, f := range map[string]source.Format{"shop.log": Stderr, "fan.csv": CSVLog, "saw.json": JSONLog} {
		b.Run(f.Name, func(b *testing.B) {
			sample := readSample(b, name)
			d := f.Detect(headOf(sample))
			block := bytes.Repeat(sample[d.Begin(sample):], benchBlock/len(sample)+1)
			b.SetBytes(int64(len(block)))
			for range b.N {
				d.Cut(block)
			}
		})
	}
}

// BenchmarkDetectPrefix is what a stderr log costs once.
func BenchmarkDetectPrefix(b *testing.B) {
	h := headOf(readSample(b, "pg18-pg.log"))
	b.ReportAllocs()
	for range b.N {
		Stderr.Detect(h)
	}
}
