package signature

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/pgstat"
	"github.com/pgassay/pgassay/parser/record"
)

// snapshot reads a CSV file of testdata/server.
func (h *hygiene) snapshot(name string) {
	h.t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "server", name))
	if err != nil {
		h.t.Fatal(err)
	}
	h.log(name, pgstat.CSV, data)
}

// A table that two clients scan grows from 14 to 84 MB; shared_buffers is 24 MB.
// The load ends before the captures do.
func TestCacheThrashOfARealServer(t *testing.T) {
	h := &hygiene{t: t}
	h.snapshot("cache-database.csv")
	h.lacks(cacheThrash, "shared_buffers")
	h.sample(record.ViewSettings, second(0), "name=shared_buffers", "setting=3072", "unit=8kB")
	f := h.one(cacheThrash)
	if f.Confidence != finding.Likely || f.Severity != finding.Critical {
		t.Errorf("%v %v: %s", f.Severity, f.Confidence, f.WhyConfidence)
	}
	wantText(t, "summary", f.Summary, "its size went from 14", "to 84", "shared_buffers is 24 MB")
	wantText(t, "actions", f.Actions, "shared_buffers = '128MB'")

	large := &hygiene{t: t}
	large.snapshot("cache-database.csv")
	large.sample(record.ViewSettings, second(0), "name=shared_buffers", "setting=131072", "unit=8kB")
	large.silent(cacheThrash)
}

// reads adds captures of pg_stat_database, one every 10 s, with that share of
// 100,000 blocks read, and a size far above shared_buffers.
func (h *hygiene) reads(shares ...float64) {
	read, hit := 0, 0
	h.sample(record.ViewSettings, second(0), "name=shared_buffers", "setting=3072", "unit=8kB")
	for i, s := range shares {
		h.sample(record.ViewDatabase, second(float64(10*i)), "datname=db", kv("blks_read", read), kv("blks_hit", hit), kv("xact_commit", i), kv("database_size", 1<<30))
		read, hit = read+int(100_000*s), hit+int(100_000*(1-s))
	}
}

func TestColdCacheAndSteadyReadsAreNoThrash(t *testing.T) {
	cold := &hygiene{t: t}
	cold.reads(append(append(repeat(0.01, 12), repeat(0.4, 8)...), repeat(0.01, 12)...)...)
	cold.silent(cacheThrash)
	steady := &hygiene{t: t}
	steady.reads(repeat(0.3, 30)...)
	steady.silent(cacheThrash)
}

func repeat(v float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v + 0.001*float64(i%3)
	}
	return out
}

func TestWALSurgeOfARealServer(t *testing.T) {
	h := &hygiene{t: t}
	h.snapshot("pg18-wal.csv")
	f := h.one(walSurge)
	wantText(t, "summary", f.Summary, "whole pages")
	if f.Effect < 5 || f.Severity != finding.Info { // 200 MB are below the floor
		t.Errorf("%v effect %v", f.Severity, f.Effect)
	}
}

func TestSteadyWALIsNoSurge(t *testing.T) {
	h := &hygiene{t: t}
	for i := range 30 {
		h.sample(record.ViewWAL, second(float64(10*i)), kv("wal_records", i), kv("wal_fpi", 0), kv("wal_bytes", i*(1<<30)))
	}
	h.silent(walSurge)
	(&hygiene{t: t}).lacks(walSurge, "readings")
}

func TestWALSurgeNamesItsWriter(t *testing.T) {
	h := &hygiene{t: t}
	wal := 0
	for i := range 40 {
		h.sample(record.ViewWAL, second(float64(10*i)), kv("wal_records", i), kv("wal_fpi", 0), kv("wal_bytes", wal))
		wal += 10 << 20
		if i >= 20 && i < 30 {
			wal += 2 << 30
		}
	}
	v := h.vacuum(260, "events", 1000, 0, 1, 1)
	v.WALBytes = record.Some(15 << 30)
	f := h.one(walSurge)
	if f.Severity != finding.Warning {
		t.Errorf("%v", f.Severity)
	}
	wantText(t, "summary", f.Summary, "Most of it comes from vacuum of public.events")
}
