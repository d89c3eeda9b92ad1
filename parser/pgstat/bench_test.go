package pgstat

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

func BenchmarkParse(b *testing.B) {
	for _, name := range []string{"statements.csv", "statements.ndjson", "tables.csv"} {
		b.Run(name, func(b *testing.B) {
			data, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				b.Fatal(err)
			}
			d := detect(name, data)
			rows := data[d.Begin(data):]
			block := bytes.Repeat(rows, 1+(1<<20)/len(rows))
			batch := &record.Batch{}
			b.SetBytes(int64(len(block)))
			b.ReportAllocs()
			for b.Loop() {
				clear(batch.Samples)
				*batch = record.Batch{Samples: batch.Samples[:0]}
				d.Parse(block, record.Pos{File: name, Line: 1}, batch)
			}
			b.ReportMetric(float64(len(batch.Samples)), "rows/op")
		})
	}
}
