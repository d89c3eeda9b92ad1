package signature

import (
	"math/rand/v2"
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// A real PostgreSQL 17 with three tables alike: docs with a list of 64 MB and
// vacuums by inserts, small with the default of 4 MB and no vacuum, plain with
// fastupdate = off.
func TestGINPendingListOfARealServer(t *testing.T) {
	p := Run(modelOf(t, "testdata/gin"), []*Signature{ginPendingList}, nil)
	byIndex := map[string]finding.Finding{}
	for _, f := range p.Findings {
		byIndex[f.Subject.Index] = f
	}
	if len(p.Findings) != 2 || len(byIndex) != 2 {
		t.Fatalf("%d findings on %d indexes, want those of docs and small and none of plain", len(p.Findings), len(byIndex))
	}
	docs, small := byIndex["public.docs_body_idx"], byIndex["public.small_body_idx"]
	for _, f := range []finding.Finding{docs, small} {
		if f.Severity != finding.Warning || f.Confidence != finding.Confirmed {
			t.Errorf("%s: %s %s: %s", f.Subject.Index, f.Severity, f.Confidence, f.WhyConfidence)
		}
		// 40 entries a row: about a tenth of a page.
		if v := figure(t, f, "pages per row written").Value; v < 0.09 || v > 0.11 {
			t.Errorf("%s: %v pages per row", f.Subject.Index, v)
		}
	}
	wantText(t, "resets", figure(t, docs, "resets at a vacuum or analyze").Text, "4 of 4")
	wantText(t, "limit", figure(t, docs, "longest list").Limit, "8,190", "option of the index")
	wantText(t, "resets", figure(t, small, "resets at a vacuum or analyze").Text, "0 of 4")
	wantText(t, "limit", figure(t, small, "longest list").Limit, "512")
	if v := figure(t, small, "the write that emptied a full list").Value; v < 20_000 {
		t.Errorf("%v buffers of the flush", v)
	}
	wantText(t, "actions", docs.Actions, "alter index public.docs_body_idx set (gin_pending_list_limit = 400)", "fastupdate = off", "gin_clean_pending_list('public.docs_body_idx'")
}

// ginLoad searches through public.x once a second, while 100 rows a second are
// written to public.t; every 60 seconds a vacuum empties the list.
type ginLoad struct {
	options string  // of the index
	perRow  float64 // pages of the list
	byRows  bool    // the pages follow the rows that match instead
	noisy   bool    // the pages follow what is searched for
	noReset bool    // the pages never fall
	noCount bool    // no snapshots of the table
	noPlans bool
	noIndex bool // no definition
}

func (l ginLoad) history(t *testing.T) *hygiene {
	h, r := &hygiene{t: t}, rand.New(rand.NewPCG(1, 9))
	if !l.noIndex {
		h.index(0, "x", 1000, "indexdef=CREATE INDEX x ON public.t USING gin (body)"+l.options)
	} else {
		h.index(0, "x", 1000)
	}
	plan := &record.Plan{Nodes: []record.Node{{NodeType: "Bitmap Heap Scan", Parent: -1}, {NodeType: "Bitmap Index Scan", IndexName: "x"}}}
	query := &record.Statement{Fingerprint: "q", Normalized: "select id from t where body @@ $1", Command: "SELECT", Relations: []string{"t"}}
	for s := range 300 {
		if !l.noCount && s%5 == 0 {
			h.table(float64(s), 1000+100*s, 0, 100*s, 0, 0, 0, 0)
		}
		if s%60 == 30 {
			h.vacuum(float64(s), "t", 0, 0, 100, 1)
		}
		since, rows := float64(100*((s+30)%60)), int64(10)
		switch {
		case l.noReset:
			since = float64(100 * s)
		case l.noisy:
			since = float64(r.IntN(6000))
		}
		pages := int64(10 + l.perRow*since)
		if l.byRows {
			rows = pages
		}
		e := record.Execution{Pos: record.Pos{File: "log", Line: int64(s), Offset: int64(s)}, LogTime: second(float64(s) + 0.5), Kind: record.ExecPlan, Session: "a",
			Duration: record.Duration(100 * pages), HasDuration: true, Statement: query}
		if !l.noPlans {
			e.HasPlan, e.Plan = true, plan
			e.Figures = record.Figures{Shape: 7, HasRows: true, Rows: record.WholeRows(rows), HasBuffers: true, Total: record.Buffers{SharedHit: pages + 10},
				HasBitmap: true, BitmapBuffers: pages, BitmapScans: 1, BitmapRows: record.WholeRows(rows)}
		}
		h.batch.Executions = append(h.batch.Executions, e)
	}
	return h
}

func TestGINPendingListHoldsToTheVacuums(t *testing.T) {
	f := ginLoad{perRow: 0.05}.history(t).one(ginPendingList)
	if f.Confidence != finding.Confirmed || f.Severity != finding.Warning || f.Subject.Index != "public.x" {
		t.Errorf("%s %s on %s: %s", f.Severity, f.Confidence, f.Subject.Index, f.WhyConfidence)
	}
	if v := figure(t, f, "pages per row written").Value; v < 0.049 || v > 0.051 {
		t.Errorf("%v pages per row, want 0.05", v)
	}
	if v := figure(t, f, "buffers of the index without a list").Value; v < 5 || v > 20 {
		t.Errorf("%v buffers without a list, want about 10", v)
	}
}

func TestNoGINPendingList(t *testing.T) {
	for name, l := range map[string]ginLoad{
		"fastupdate off":            {perRow: 0.05, options: " WITH (fastupdate=off)"},
		"a short list":              {perRow: 0.005},
		"more rows match":           {perRow: 0.05, byRows: true},
		"cost by what is searched":  {perRow: 0.05, noisy: true},
		"no reset":                  {perRow: 0.01, noReset: true},
		"more pages than the limit": {perRow: 0.05, options: " WITH (gin_pending_list_limit='64')"},
		"no rise":                   {},
	} {
		t.Run(name, func(t *testing.T) { l.history(t).silent(ginPendingList) })
	}
}

func TestGINPendingListNeeds(t *testing.T) {
	ginLoad{perRow: 0.05, noIndex: true}.history(t).lacks(ginPendingList, "access method")
	ginLoad{perRow: 0.05, noPlans: true}.history(t).lacks(ginPendingList, "plans")
	ginLoad{perRow: 0.05, noCount: true}.history(t).lacks(ginPendingList, "n_tup_ins")
}

// SHOW prints the setting with its unit, pg_settings in kB.
func TestPendingListLimitOfTheServer(t *testing.T) {
	for text, pages := range map[string]float64{"512": 64, "64MB": 8192, "128kB": 16} {
		h := &hygiene{t: t}
		h.sample(record.ViewSettings, second(0), "name=gin_pending_list_limit", "setting="+text)
		if got, from := pendingPages(h.run(ginPendingList).Model, &dataset.Index{}); got != pages || from != "setting of the server" {
			t.Errorf("%s: %g pages (%s), want %g", text, got, from, pages)
		}
	}
}
