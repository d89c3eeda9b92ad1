package signature

import (
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
)

// churned is public.t with 200,000 rows of which some are replaced before each
// capture; index x grows by grow pages each time.
func churned(t *testing.T, captures, replaced, grow int, more ...string) *hygiene {
	h := &hygiene{t: t}
	for i := range captures {
		h.table(60*float64(i), 200_000, 0, 200_000+replaced*i, 0, 0, replaced*i, i)
		h.index(60*float64(i), "x", 551+grow*i, more...)
	}
	return h
}

func TestIndexBloatByDeletes(t *testing.T) {
	h := churned(t, 11, 13_000, 36)
	for i := range 11 {
		h.index(60*float64(i), "y", 600)
	}
	f := h.one(indexBloat)
	if f.Subject.Index != "public.x" || f.Severity != finding.Info || f.Confidence != finding.Likely {
		t.Errorf("%s %v %v, want public.x, info below 100 MB, likely without vacuum lines", f.Subject.Index, f.Severity, f.Confidence)
	}
	if got := figure(t, f, "given back").Value; got < 350*8192 || got > 360*8192 {
		t.Errorf("waste %v bytes, want 360 pages less rounding", got)
	}
	wantText(t, "actions", f.Actions, "reindex index concurrently public.x", "x_ccnew")
	wantText(t, "verify", f.Verify, "indisvalid")
}

func TestReindexPlanIsOrderedBySaving(t *testing.T) {
	h := churned(t, 11, 13_000, 36)
	for i := range 11 {
		h.index(60*float64(i), "big", 2000+130*i)
	}
	p := h.run(indexBloat)
	if len(p.Findings) != 2 {
		t.Fatalf("%d findings, want two: %v", len(p.Findings), p.Findings)
	}
	by := map[string]finding.Finding{}
	for _, f := range p.Findings {
		by[f.Subject.Index] = f
	}
	wantText(t, "plan", by["public.big"].Actions, "1. public.big gives back 10.2 MB", "2. public.x gives back 2.80 MB", "one at a time", "31.2 MB of free disk")
	wantText(t, "step", figure(t, by["public.x"], "step of the reindex plan").Text, "2 of 2")
	wantText(t, "failure", by["public.x"].Actions, "drop index concurrently if exists public.x_ccnew")
	wantText(t, "verify", by["public.x"].Verify, "indisvalid from pg_index where indexrelid = 'public.x'::regclass", "where not indisvalid")
	if len(by["public.x"].Actions) != 2 {
		t.Errorf("the plan stands with its first step only: %v", by["public.x"].Actions)
	}
}

func TestExclusionConstraintIsNotRebuiltConcurrently(t *testing.T) {
	f := churned(t, 11, 13_000, 36, "indisexclusion=t").one(indexBloat)
	wantText(t, "action", f.Actions, "reindex index public.x;", "writes to the table wait")
}

func TestIndexBloatNeverClaimsMoreThanWasFreed(t *testing.T) {
	// 60,000 rows freed are 165 pages, though the index grew by 1,000
	f := churned(t, 11, 6000, 100).run(indexBloat)
	if len(f.Findings) > 0 {
		t.Errorf("165 of 1,551 pages are no bloat: %v", f.Findings[0].Title)
	}
	g := churned(t, 11, 26_000, 100).one(indexBloat)
	if got := figure(t, g, "given back").Value; got > 260_000*551.0*8192/200_000+1 {
		t.Errorf("waste %v is above what the deletes freed", got)
	}
	wantText(t, "bound", figure(t, g, "given back").Says, "rows freed")
}

// unbloated builds what looks like bloat and is none.
func unbloated(t *testing.T) map[string]func() *hygiene {
	return map[string]func() *hygiene{
		"live rows grew": func() *hygiene {
			h := &hygiene{t: t}
			for i := range 11 {
				h.table(60*float64(i), 200_000+20_000*i, 0, 200_000+33_000*i, 0, 0, 13_000*i, i)
				h.index(60*float64(i), "x", 551+55*i)
			}
			return h
		},
		"newer keys are wider, few deletes": func() *hygiene { return churned(t, 11, 100, 40) },
		"HOT updates": func() *hygiene {
			h := &hygiene{t: t}
			for i := range 11 {
				h.table(60*float64(i), 200_000, 0, 200_000, 20_000*i, 20_000*i, 0, i)
				h.index(60*float64(i), "x", 551+36*i)
			}
			return h
		},
		"hnsw": func() *hygiene { return churned(t, 11, 13_000, 36, "amname=hnsw") },
		"partial without reltuples": func() *hygiene {
			return churned(t, 11, 13_000, 36, "amname=btree", "indexdef=CREATE INDEX x ON public.t USING btree (a) WHERE (b)")
		},
		"invalid": func() *hygiene { return churned(t, 11, 13_000, 36, "indisvalid=f") },
		"vacuum held back now": func() *hygiene {
			h := churned(t, 11, 13_000, 36)
			h.vacuum(590, "t", 0, 90_000, 1000, 5000)
			return h
		},
		"statistics of a bulk load counted twice": func() *hygiene {
			h := &hygiene{t: t}
			for i := range 11 {
				live := 200_000
				if i == 1 || i == 2 {
					live = 400_000
				}
				h.table(60*float64(i), live, 0, 200_000+30_000*i, 0, 0, 30_000*i, i)
				h.index(60*float64(i), "x", 551+10*i)
			}
			return h
		},
		"rebuilt: the new index is measured against itself": func() *hygiene {
			h := &hygiene{t: t}
			for i := range 12 {
				pages, node := 551, "relfilenode=1"
				if i >= 5 {
					pages, node = 1000+i, "relfilenode=2"
				}
				h.table(60*float64(i), 200_000, 0, 200_000+30_000*i, 0, 0, 30_000*i, i)
				h.index(60*float64(i), "x", pages, node)
			}
			return h
		},
	}
}

func TestIndexBloatStaysSilent(t *testing.T) {
	for name, build := range unbloated(t) {
		t.Run(name, func(t *testing.T) {
			p := build().run(indexBloat)
			for _, f := range p.Findings {
				t.Errorf("says %q: %s", f.Title, f.Summary)
			}
		})
	}
}

func TestIndexBloatSaysWhatItLacks(t *testing.T) {
	churned(t, 3, 13_000, 36).lacks(indexBloat, "index sizes over time")
	h := &hygiene{t: t}
	for i := range 8 {
		h.index(60*float64(i), "x", 551+36*i)
	}
	h.lacks(indexBloat, "n_live_tup")
}

func TestRealQueueIndexBloat(t *testing.T) {
	h := &hygiene{t: t}
	h.load("sawtooth", "")
	f := h.one(indexBloat)
	if f.Subject.Index != "public.queue_items_pkey" || f.Confidence != finding.Confirmed {
		t.Errorf("%s %v", f.Subject.Index, f.Confidence)
	}
	if a, b := figure(t, f, "pages at the minimum").Value, figure(t, f, "pages now").Value; a != 551 || b != 907 {
		t.Errorf("%v to %v pages, want 551 to 907", a, b)
	}
	wantText(t, "control", figure(t, f, "control").Text, "1,330 to 994 pages")
	if len(f.Series) != 1 || len(f.Series[0].Marks) != 12 {
		t.Errorf("want marks of one rebuild and eleven vacuums: %v", f.Series[0].Marks)
	}
}
