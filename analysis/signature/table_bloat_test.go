package signature

import (
	"path/filepath"
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
)

// serverModel reads captures and log lines that a real server wrote, made by a
// script that wrote the same on each version: every row of carts is updated three
// times while vacuum is off, docs gets wider rows, stock loses its HOT updates to
// a new index, events is loaded after its last analyze, hits has an index that
// is the beginning of another.
func serverModel(t *testing.T, version string, parts ...string) *dataset.Model {
	t.Helper()
	paths := make([]string, len(parts))
	for i, p := range parts {
		paths[i] = filepath.Join("testdata", "server", version, p)
	}
	return modelOf(t, paths...)
}

func TestRealTableBloat(t *testing.T) {
	for _, version := range []string{"pg13", "pg15", "pg18"} {
		f := only(t, Run(serverModel(t, version, "bloat"), []*Signature{tableBloat}, nil), "PGA209")
		if f.Subject.Relation != "public.carts" || f.Severity != finding.Info || f.Confidence != finding.Likely {
			t.Errorf("%s: %s %v %v, want public.carts, info below 100 MB, likely", version, f.Subject.Relation, f.Severity, f.Confidence)
		}
		// VACUUM FULL made it 546 pages.
		if got := figure(t, f, "disk needed").Value / 8192; got < 545 || got > 548 {
			t.Errorf("%s: %v pages after a rewrite, the server made it 546", version, got)
		}
		wantText(t, "actions", f.Actions, "vacuum (full, analyze) public.carts", "access exclusive lock", "pg_repack")
		// After it the table is measured against itself.
		if p := Run(serverModel(t, version, "bloat", "after"), []*Signature{tableBloat}, nil); len(p.Findings) > 0 {
			t.Errorf("%s: after VACUUM FULL: %v", version, p.Findings[0].Title)
		}
	}
}

// swollen is public.t with 200,000 rows in 4,000 pages, whose rows are updated
// before each capture; the table has grown by grow pages each time.
func swollen(t *testing.T, updated, grow int) *hygiene {
	h := &hygiene{t: t}
	for i := range 11 {
		h.heap(60*float64(i), 4000+grow*i, 200_000, 0, 200_000, updated*i, 0)
	}
	return h
}

// heap adds a capture of public.t with its size, no HOT update and no vacuum.
func (h *hygiene) heap(at float64, pages, live, dead, ins, upd, del int) {
	h.table(at, live, dead, ins, upd, 0, del, 0)
	s := &h.batch.Samples[len(h.batch.Samples)-1]
	s.Columns, s.Values = withColumn(s, "relation_size", pages*8192)
}

func TestTableBloatByUpdates(t *testing.T) {
	h := swollen(t, 60_000, 400)
	for i := range 11 {
		h.index(60*float64(i), "y", 600)
	}
	h.vacuum(300, "t", 60_000, 0, 1000, 10)
	f := h.one(tableBloat)
	if f.Confidence != finding.Confirmed {
		t.Errorf("%v: %s", f.Confidence, f.WhyConfidence)
	}
	if got := figure(t, f, "given back").Value; got != 4000*8192 {
		t.Errorf("%v bytes, want the 4,000 pages that it grew", got)
	}
}

func TestTableBloatNeverClaimsMoreThanWasFreed(t *testing.T) {
	// 60,000 rows freed are 1,200 pages, though the table grew by 20,000: a lock
	// on its extension makes it grow in steps that nothing fills yet.
	if p := swollen(t, 6000, 2000).run(tableBloat); len(p.Findings) > 0 {
		t.Errorf("1,200 of 24,000 pages are no bloat: %v", p.Findings[0].Title)
	}
}

func TestTableBloatStaysSilent(t *testing.T) {
	for name, build := range map[string]func() *hygiene{
		"live rows grew": func() *hygiene {
			h := &hygiene{t: t}
			for i := range 11 {
				h.heap(60*float64(i), 4000+400*i, 200_000+20_000*i, 0, 200_000+50_000*i, 0, 30_000*i)
			}
			return h
		},
		"rows are wider, and updated often since": func() *hygiene {
			h := &hygiene{t: t}
			for i := range 11 {
				pages := 4000
				if i > 0 {
					pages = 16_000 // 200,000 rows of 650 bytes after 160
				}
				h.heap(60*float64(i), pages, 200_000, 0, 200_000, 200_000*i, 0)
			}
			return h
		},
		"a queue that fills and empties": func() *hygiene {
			h := &hygiene{t: t}
			in, out := 200_000, 0
			for i := range 14 {
				if i > 0 && i%2 == 0 {
					in += 180_000
				} else if i > 0 {
					out += 180_000
				}
				h.heap(60*float64(i), 4000, in-out, 0, in, 0, out)
			}
			return h
		},
		"dead rows that no vacuum has freed": func() *hygiene {
			h := &hygiene{t: t}
			for i := range 11 {
				h.heap(60*float64(i), 4000+1200*i, 200_000, 60_000*i, 200_000, 60_000*i, 0)
			}
			return h
		},
		"vacuum held back now": func() *hygiene {
			h := swollen(t, 60_000, 400)
			h.vacuum(590, "t", 0, 90_000, 1000, 5000)
			return h
		},
	} {
		t.Run(name, func(t *testing.T) { build().silent(tableBloat) })
	}
}

func TestBloatOfSamples(t *testing.T) {
	for _, scenario := range []string{"hnsw-page-walk", "hnsw-dense-control", "healthy-shop", "vacuum-sawtooth", "vacuum-pinned", "bucket-fanout"} {
		p := Run(sampleModel(t, scenario), []*Signature{tableBloat}, nil)
		for _, f := range p.Findings {
			t.Errorf("%s: %s: %s", scenario, f.Title, f.Summary)
		}
	}
	if p := Run(sampleModel(t, "hnsw-page-walk"), []*Signature{indexBloat, tableBloat}, nil); len(p.Findings) > 0 || len(p.Evaluated) != 2 {
		t.Errorf("rows that are larger are no bloat: %v %v", p.Findings, p.NotEvaluated)
	}
}

func TestTableBloatSaysWhatItLacks(t *testing.T) {
	h := &hygiene{t: t}
	for i := range 8 {
		h.table(60*float64(i), 1000, 0, 1000, 0, 0, 0, 0)
	}
	h.lacks(tableBloat, "table sizes over time")
}
