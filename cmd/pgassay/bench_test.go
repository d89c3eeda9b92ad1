package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/pgassay/pgassay/analysis"
)

// The whole way from an unpacked log to findings, in bytes of log: JSON plans
// in stderr, bare durations in csvlog, JSON plans in jsonlog.

func BenchmarkStderrWithPlans(b *testing.B) { benchmarkAnalysis(b, "hnsw-page-walk/postgresql.log.gz") }
func BenchmarkCSVLogDurations(b *testing.B) { benchmarkAnalysis(b, "bucket-fanout/postgresql.csv.gz") }
func BenchmarkJSONLogWithPlans(b *testing.B) {
	benchmarkAnalysis(b, "vacuum-sawtooth/postgresql.json.gz")
}

func benchmarkAnalysis(b *testing.B, sample string) {
	text := unpacked(b, filepath.Join("../../samples", sample))
	log := filepath.Join(b.TempDir(), "postgresql.log")
	if err := os.WriteFile(log, text, 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := analysis.Run(context.Background(), []string{log}, analysis.DefaultOptions()); err != nil {
			b.Fatal(err)
		}
	}
}
