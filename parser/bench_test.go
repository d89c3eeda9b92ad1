package parser

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// countLog is the cheapest log format there can be: it looks for the starts of
// entries and makes one record of each. What is measured is Stream.
var countLog = source.Format{Name: "count-log", Detect: func(*source.Head) *source.Detection {
	return &source.Detection{
		Begin: func([]byte) int { return 0 },
		Cut:   func(data []byte) int { return bytes.LastIndex(data, []byte("\n@")) + 1 },
		Parse: func(block []byte, pos record.Pos, b *record.Batch) {
			for len(block) > 0 {
				b.Executions = append(b.Executions, record.Execution{Pos: pos})
				n := bytes.IndexByte(block[1:], '@')
				if n < 0 {
					return
				}
				block = block[n+1:]
			}
		},
	}
}}

// BenchmarkStreamPlans reads entries of about 2 kB.
func BenchmarkStreamPlans(b *testing.B) {
	entry := "@1796046719 duration: 4.551 ms  plan:\n" + strings.Repeat("\t      \"Shared Hit Blocks\": 2480,\n", 60)
	text := strings.Repeat(entry, (64<<20)/len(entry))
	benchmark(b, map[string]string{"a.log": text}, len(text))
}

// BenchmarkStreamDurations reads entries of one line.
func BenchmarkStreamDurations(b *testing.B) {
	entry := "@1796046719 duration: 0.047 ms  execute <unnamed>: SELECT id FROM items WHERE bucket_id = $1 ORDER BY id LIMIT 10\n"
	text := strings.Repeat(entry, (64<<20)/len(entry))
	benchmark(b, map[string]string{"a.log": text}, len(text))
}

// BenchmarkStreamSmallFiles reads a folder of files of 10 kB.
func BenchmarkStreamSmallFiles(b *testing.B) {
	files := map[string]string{}
	text := strings.Repeat("@1796046719 items\n", 600)
	for i := range 500 {
		files[fmt.Sprintf("%03d.log", i)] = text
	}
	benchmark(b, files, len(files)*len(text))
}

func benchmark(b *testing.B, files map[string]string, size int) {
	folder(b, files)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	ignore := func(*record.Batch) error { return nil }
	opt := Options{Formats: []source.Format{countLog}}
	for b.Loop() {
		if _, err := Stream(context.Background(), []string{"."}, opt, ignore); err != nil {
			b.Fatal(err)
		}
	}
}
