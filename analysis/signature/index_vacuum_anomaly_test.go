package signature

import (
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// graphRepair is public.t with a b-tree and an index x of a method, whose
// vacuum reads far more than its 1,000 heap and 500 index pages.
func graphRepair(t *testing.T, method string, buffers int64) *hygiene {
	h := &hygiene{t: t}
	more := []string{}
	if method != "" {
		more = append(more, "indexdef=CREATE INDEX x ON public.t USING "+method+" (a)")
	}
	h.index(0, "t_pkey", 100, "amname=btree")
	h.index(0, "x", 400, more...)
	h.read(60, 900, 0)
	v := h.read(7200, buffers, 1000)
	v.Indexes = []record.VacuumIndex{{Name: "t_pkey", Pages: 100}, {Name: "x", Pages: 400}}
	return h
}

// read adds a vacuum of public.t that scanned all 1,000 pages in an hour.
func (h *hygiene) read(at float64, buffers, items int64) *record.Vacuum {
	v := h.vacuum(at, "t", int(items), 0, 100, 1)
	v.PagesRemain, v.PagesScanned = record.Some(1000), record.Some(1000)
	v.DeadItems, v.DeadItemPages = record.Some(items), record.Some(min(items, 1000))
	v.BufferHits, v.BufferMisses = record.Some(buffers), record.Some(0)
	v.Elapsed = record.Duration(3600e6)
	if items == 0 {
		v.IndexScans = 0
	}
	return v
}

func TestHNSWVacuumSlow(t *testing.T) {
	graphRepair(t, "hnsw", 5_000_000).silent(indexVacuumAnomaly)
	f := graphRepair(t, "hnsw", 5_000_000).one(hnswVacuumSlow)
	if f.Subject.Index != "public.x" || f.Confidence != finding.Confirmed || f.Severity != finding.Warning {
		t.Errorf("%q %v %v, want public.x, confirmed, warning: an hour of vacuum in two", f.Subject.Index, f.Confidence, f.Severity)
	}
	if got := figure(t, f, "buffers beyond it per dead item").Value; got < 4990 || got > 5000 {
		t.Errorf("%v buffers per item, want nearly 5,000", got)
	}
	wantText(t, "actions", f.Actions, "reindex index concurrently public.x", "fewer, larger passes")
	wantText(t, "control", figure(t, f, "control").Text, "900 of")
}

func TestIndexVacuumAnomalyOfAPendingList(t *testing.T) {
	f := graphRepair(t, "gin", 5_000_000).one(indexVacuumAnomaly)
	wantText(t, "actions", f.Actions, "gin_clean_pending_list('public.x'", "fastupdate = off")
}

func TestIndexVacuumAnomalyNamesCandidatesWithoutMethods(t *testing.T) {
	f := graphRepair(t, "", 5_000_000).one(indexVacuumAnomaly)
	if f.Subject.Index != "" || f.Confidence != finding.Likely {
		t.Errorf("%q %v, want no index and likely", f.Subject.Index, f.Confidence)
	}
	wantText(t, "summary", f.Summary, "It may be public.x.")
}

func TestIndexVacuumAnomalyStaysSilent(t *testing.T) {
	for name, build := range map[string]func() *hygiene{
		"b-trees only":      func() *hygiene { return graphRepair(t, "btree", 5_000_000) },
		"a graph at rest":   func() *hygiene { return graphRepair(t, "hnsw", 9_000) },
		"hundred passes":    func() *hygiene { h := graphRepair(t, "hnsw", 400_000); h.batch.Vacuums[1].IndexScans = 100; return h },
		"small in absolute": func() *hygiene { return graphRepair(t, "hnsw", 90_000) },
		"aggressive freeze": func() *hygiene {
			h := graphRepair(t, "hnsw", 4_800)
			v := &h.batch.Vacuums[1]
			v.Aggressive, v.BufferDirtied, v.PagesFrozen = true, record.Some(3000), record.Some(1000)
			return h
		},
	} {
		t.Run(name, func(t *testing.T) {
			build().silent(indexVacuumAnomaly)
			build().silent(hnswVacuumSlow)
		})
	}
}

func TestIndexVacuumAnomalySaysWhatItLacks(t *testing.T) {
	h := &hygiene{t: t}
	h.index(0, "x", 10)
	h.lacks(indexVacuumAnomaly, "vacuum lines with buffer usage")
	// Version 13 names no index: without snapshots their pages are not known.
	h = &hygiene{t: t}
	h.read(60, 5_000_000, 1000)
	h.lacks(indexVacuumAnomaly, "index sizes")
	h.lacks(hnswVacuumSlow, "index sizes")
}

func TestRealGraphRepair(t *testing.T) {
	f := only(t, Run(sampleModel(t, "hnsw-page-walk"), []*Signature{indexVacuumAnomaly, hnswVacuumSlow}, nil), "PGA601")
	if f.Subject.Index != "public.items_embedding_hnsw" || f.Severity != finding.Info || f.Confidence != finding.Confirmed {
		t.Errorf("%s %v %v, want the HNSW index, info (less than 10 minutes), confirmed", f.Subject.Index, f.Severity, f.Confidence)
	}
	if got := figure(t, f, "buffers beyond it per dead item").Value; got < 37_800 || got > 37_900 {
		t.Errorf("%v buffers per dead item, want about 37,860", got)
	}
	// That of hnsw-dense-control took 54 s.
	for _, scenario := range []string{"hnsw-dense-control", "vacuum-sawtooth", "vacuum-pinned", "healthy-shop"} {
		if p := Run(sampleModel(t, scenario), []*Signature{indexVacuumAnomaly, hnswVacuumSlow}, nil); len(p.Findings) > 0 || len(p.Evaluated) != 2 {
			t.Errorf("%s: %v, not evaluated: %v", scenario, p.Findings, p.NotEvaluated)
		}
	}
}

// 130,000 rows of 20 elements stood in the pending list of a real server; the
// vacuum moved them into the tree before it removed 10,000 dead items.
func TestRealPendingList(t *testing.T) {
	f := only(t, Run(serverModel(t, "pg15", "gin"), []*Signature{indexVacuumAnomaly}, Thresholds{"PGA207.min_seconds": 30}), "PGA207")
	if f.Subject.Index != "public.tags_gin" || f.Confidence != finding.Confirmed || f.Effect < 200 {
		t.Errorf("%s %v, effect %v", f.Subject.Index, f.Confidence, f.Effect)
	}
	wantText(t, "actions", f.Actions, "gin_clean_pending_list")
	if strings.Contains(f.Summary, "for each") {
		t.Errorf("the pending list is not counted in dead items: %s", f.Summary)
	}
}
