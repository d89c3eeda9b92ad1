package signature

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// annInput is a plan of testdata/ann, of PostgreSQL 18 with pgvector 0.8.7:
// items(id, tenant, embedding vector(32)) has 6,000 rows of 500 tenants, docs
// 3,000 vectors of 1,000 dimensions. More are rows of snapshots.
func annInput(t *testing.T, name string, samples ...record.Sample) *planInput {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata/ann", name))
	if err != nil {
		t.Fatal(err)
	}
	in := &planInput{t: t}
	in.read(name, data)
	in.batch.Samples = samples
	return in
}

func annRows(t *testing.T, view record.View, columns ...string) []record.Sample {
	h := &hygiene{t: t}
	h.sample(view, second(1), columns...)
	return h.batch.Samples
}

func itemsIndex(t *testing.T, key string) []record.Sample {
	return annRows(t, record.ViewIndexes, "schemaname=public", "relname=items", "indexrelname=items_embedding_idx", "index_size=8192",
		"indexdef=CREATE INDEX items_embedding_idx ON public.items USING "+key)
}

func docsPages(t *testing.T, pages string) []record.Sample {
	return annRows(t, record.ViewTables, "schemaname=public", "relname=docs", "relpages="+pages, "reltuples=3000")
}

// annLimits let plans of small tables speak.
func annLimits(s *Signature) Thresholds {
	return Thresholds{s.ID + ".quiet_ms": 0, s.ID + ".floor_ms": 0}
}

const cosine = "hnsw (embedding vector_cosine_ops)"

func TestAnnSignatures(t *testing.T) {
	for _, c := range []struct {
		s       *Signature
		plan    string
		samples []record.Sample
		want    string // part of the title; "" is silence
	}{
		{annUnderReturn, "under.txt", nil, "returns 0 of the 10 rows"},
		{annUnderReturn, "limit100.txt", nil, "returns 40 of the 100 rows"},
		{annUnderReturn, "join.txt", nil, "returns 0.20 of the 10 rows"},
		{annUnderReturn, "full.txt", nil, ""},
		{annUnderReturn, "halffilter.txt", nil, ""},
		{annUnderReturn, "iterative.txt", nil, ""},
		{annUnderReturn, "capped.txt", nil, ""},
		{annUnderReturn, "under.txt", itemsIndex(t, "ivfflat (embedding vector_cosine_ops)"), ""},
		{annUnderReturn, "under.txt", annRows(t, record.ViewRoleSettings, "datname=app", "rolname=app", "name=hnsw.ef_search", "setting=200"), ""},
		{annUnderReturn, "under.txt", annRows(t, record.ViewRoleSettings, "setdatabase=0", "setrole=10", "setconfig={hnsw.ef_search=40}"), "returns 0 of the 10 rows"},
		{annUnderReturn, "under.txt", annRows(t, record.ViewTables, "schemaname=public", "relname=items", "n_live_tup=40"), ""},
		{iterativeScanLimit, "iterative.txt", nil, "goes through 4,010 elements for 10 rows"},
		{iterativeScanLimit, "capped.txt", nil, "goes through 2,000 elements for 4 rows, and ends before the LIMIT of 10"},
		{iterativeScanLimit, "iterative_rare.txt", nil, "for 2 rows"},
		{iterativeScanLimit, "under.txt", nil, ""},
		{iterativeScanLimit, "full.txt", nil, ""},
		{iterativeScanLimit, "iterative.txt", itemsIndex(t, "ivfflat (embedding vector_cosine_ops)"), ""},
		{annIndexNotUsed, "wrongop.txt", itemsIndex(t, cosine), "compares 6,000 rows of public.items"},
		{annIndexNotUsed, "desc.txt", itemsIndex(t, cosine), "compares 6,000 rows"},
		{annIndexNotUsed, "expr.txt", itemsIndex(t, cosine), "compares 6,000 rows"},
		{annIndexNotUsed, "expr.json", itemsIndex(t, cosine), "compares 6,000 rows"},
		{annIndexNotUsed, "cast.txt", itemsIndex(t, cosine), "compares 6,000 rows"},
		{annIndexNotUsed, "cast.txt", itemsIndex(t, "hnsw (((embedding)::halfvec(32)) halfvec_cosine_ops)"), ""},
		{annIndexNotUsed, "wrongop.txt", itemsIndex(t, "ivfflat (embedding) WITH (lists='10')"), ""},
		{annIndexNotUsed, "wrongop.txt", itemsIndex(t, "btree (id)"), ""},
		{annIndexNotUsed, "wrongop.txt", itemsIndex(t, "hnsw (other vector_cosine_ops)"), ""},
		{annIndexNotUsed, "wrongop.txt", itemsIndex(t, cosine+" WHERE (tenant = 7)"), ""},
		{annIndexNotUsed, "used.txt", itemsIndex(t, cosine), ""},
		{toastedVectors, "toast.txt", docsPages(t, "20"), "accesses 3.35 buffers a row"},
		{toastedVectors, "toast.txt", nil, "accesses 3.35 buffers a row"},
		{toastedVectors, "plain.txt", docsPages(t, "1500"), ""},
		{toastedVectors, "plain.txt", nil, ""},
		{toastedVectors, "wrongop.txt", nil, ""},
	} {
		t.Run(c.s.Name+"/"+c.plan, func(t *testing.T) {
			p := Run(annInput(t, c.plan, c.samples...).model(), []*Signature{c.s}, annLimits(c.s))
			if len(p.Evaluated) != 1 {
				t.Fatal("not evaluated:", p.NotEvaluated)
			}
			switch {
			case c.want == "" && len(p.Findings) > 0:
				t.Errorf("says %q, must stay silent", p.Findings[0].Title)
			case c.want != "" && (len(p.Findings) != 1 || !strings.Contains(p.Findings[0].Title, c.want)):
				t.Errorf("findings %+v, want %q", findingLines(p), c.want)
			}
		})
	}
}

// A generic plan takes a tenth of the estimate for LIMIT $2: 600 of 6,000 rows.
func TestGenericPlanDoesNotTellItsLimit(t *testing.T) {
	plan := `Limit  (cost=0.00..9.00 rows=600 width=8) (actual time=0.050..9.000 rows=%s loops=1)
  ->  Index Scan using x on items  (cost=0.00..9.00 rows=6000 width=8) (actual time=0.050..9.000 rows=%s loops=1)
        Order By: (embedding <=> $1)
        Filter: (tenant = $3)
        Rows Removed by Filter: %s
`
	for rows, removed := range map[string]string{"40": "0", "10": "30"} {
		in := &planInput{t: t}
		in.text(fmt.Sprintf(plan, rows, rows, removed))
		if p := Run(in.model(), []*Signature{annUnderReturn}, nil); len(p.Findings) > 0 {
			t.Errorf("LIMIT %s may be filled: %v", rows, findingLines(p))
		}
	}
	in := &planInput{t: t}
	in.text(fmt.Sprintf(plan, "0", "0", "40"))
	in.one(annUnderReturn)
}

// ann runs one signature over one plan and wants one finding.
func ann(t *testing.T, s *Signature, plan string, samples []record.Sample) finding.Finding {
	t.Helper()
	p := Run(annInput(t, plan, samples...).model(), []*Signature{s}, annLimits(s))
	if len(p.Findings) != 1 {
		t.Fatal(findingLines(p), p.NotEvaluated)
	}
	return p.Findings[0]
}

func TestUnderReturnSaysWhichValueItAssumes(t *testing.T) {
	f := ann(t, annUnderReturn, "under.txt", nil)
	if f.Severity != finding.Warning || f.Confidence != finding.Likely || f.Evidence[0].Pos.Line != 3 {
		t.Errorf("%v, %v, line %d", f.Severity, f.Confidence, f.Evidence[0].Pos.Line)
	}
	wantText(t, "figure", figure(t, f, "hnsw.ef_search").Says, "default 40 is assumed")
	wantText(t, "actions", f.Actions, "hnsw.iterative_scan = strict_order", "partial HNSW index")
}

func TestIterativeScanBelowTheGreatestSettingIsPossibleOnly(t *testing.T) {
	limits := annLimits(iterativeScanLimit)
	limits["PGA603.min_removed"], limits["PGA603.min_ratio"] = 30, 1
	plan := `Limit  (cost=0.00..9.00 rows=10 width=8) (actual time=0.050..9.000 rows=10 loops=1)
  ->  Index Scan using x on items  (cost=0.00..9.00 rows=100 width=8) (actual time=0.050..9.000 rows=10 loops=1)
        Order By: (embedding <=> '[1,2]'::vector)
        Filter: (tenant = 7)
        Rows Removed by Filter: 490
`
	in := &planInput{t: t}
	in.text(plan)
	p := Run(in.model(), []*Signature{iterativeScanLimit}, limits)
	if len(p.Findings) != 1 || p.Findings[0].Confidence != finding.Possible {
		t.Errorf("%v: hnsw.ef_search = 500 would explain 500 elements", findingLines(p))
	}
	in.batch.Samples = annRows(t, record.ViewSettings, "name=hnsw.ef_search", "setting=500")
	if p := Run(in.model(), []*Signature{iterativeScanLimit}, limits); len(p.Findings) > 0 {
		t.Error(findingLines(p))
	}
}

func TestIterativeScanProposesWhatTheFilterNeeds(t *testing.T) {
	f := ann(t, iterativeScanLimit, "iterative.txt", nil)
	wantText(t, "actions", f.Actions, "USING hnsw (embedding vector_cosine_ops) WHERE (tenant = 7)", "CREATE INDEX CONCURRENTLY ON items (tenant);")
	if p := Run(annInput(t, "iterative.txt").model(), []*Signature{filterDiscard}, annLimits(filterDiscard)); len(p.Findings) > 0 {
		t.Error("told twice:", findingLines(p))
	}
}

func TestAnnIndexNotUsedSaysWhatIsInTheWay(t *testing.T) {
	for plan, want := range map[string]string{
		"wrongop.txt": "needs an operator class of family l2",
		"desc.txt":    "the order is descending",
		"expr.txt":    "an expression of the distance",
		"cast.txt":    "the statement orders by",
	} {
		f := ann(t, annIndexNotUsed, plan, itemsIndex(t, cosine))
		wantText(t, plan, f.Summary, want)
	}
	f := ann(t, annIndexNotUsed, "wrongop.txt", itemsIndex(t, cosine))
	wantText(t, "actions", f.Actions, "CREATE INDEX CONCURRENTLY ON public.items USING hnsw (embedding vector_l2_ops);")
}

func TestToastedVectorsWithoutSizeArePossibleOnly(t *testing.T) {
	if f := ann(t, toastedVectors, "toast.txt", nil); f.Confidence != finding.Possible {
		t.Error(f.Confidence)
	}
	f := ann(t, toastedVectors, "toast.txt", docsPages(t, "20"))
	if f.Confidence != finding.Likely || f.Effect < 500 {
		t.Error(f.Confidence, f.Effect)
	}
	wantText(t, "actions", f.Actions, "ALTER TABLE public.docs ALTER COLUMN body SET STORAGE PLAIN; VACUUM FULL public.docs;")
}

func TestAnnSignaturesSayWhatTheyLack(t *testing.T) {
	for _, s := range []*Signature{annUnderReturn, iterativeScanLimit, annIndexNotUsed, toastedVectors} {
		if p := Run((&planInput{t: t}).model(), []*Signature{s}, nil); len(p.NotEvaluated) != 1 || p.NotEvaluated[0].Lacks != "no plans in input" {
			t.Errorf("%s: %v", s.ID, p.NotEvaluated)
		}
	}
	p := Run(annInput(t, "wrongop.txt").model(), []*Signature{annIndexNotUsed}, nil)
	if len(p.NotEvaluated) != 1 || !strings.Contains(p.NotEvaluated[0].Lacks, "definitions of indexes") {
		t.Error(p.NotEvaluated)
	}
}

func TestReadDistance(t *testing.T) {
	for text, want := range map[string]distance{
		"(embedding <=> '[1]'::vector)":                                 {Operator: "<=>", Operand: "embedding", Column: "embedding", Type: "vector", Bare: true},
		"((i.embedding <-> $1)) DESC NULLS LAST":                        {Operator: "<->", Operand: "i.embedding", Column: "embedding", Bare: true, Descending: true, Parameter: true},
		"('[1]'::public.sparsevec <#> s)":                               {Operator: "<#>", Operand: "s", Column: "s", Type: "sparsevec", Bare: true},
		"(('1'::double precision - (e <=> '[1]'::vector))) DESC":        {Operator: "<=>", Operand: "e", Column: "e", Type: "vector", Descending: true},
		"((e)::halfvec(3) <=> '[1]'::halfvec)":                          {Operator: "<=>", Operand: "(e)::halfvec(3)", Type: "halfvec", Bare: true},
		"(e <=> '" + strings.Repeat("[0.1234567,", 2000) + "'::vector)": {Operator: "<=>", Operand: "e", Column: "e", Type: "vector", Bare: true},
	} {
		if got, ok := readDistance(text, "i"); !ok || got != want {
			t.Errorf("%.60s: %+v, want %+v", text, got, want)
		}
	}
	for _, text := range []string{"", "id", "(a < b)", "<=>", "(<=> a)", "('", "(((", "a <=>"} {
		if got, ok := readDistance(text, "i"); ok {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

func FuzzReadDistance(f *testing.F) {
	f.Add("((1 - (e <=> '[1]'::vector))) DESC")
	f.Add("e <-> '")
	f.Fuzz(func(t *testing.T, text string) {
		if d, ok := readDistance(text, "e"); ok && (d.Operator == "" || d.Operand == "") {
			t.Errorf("%+v", d)
		}
		_, _ = indexKey(text)
	})
}
