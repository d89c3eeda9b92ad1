package analysis

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/record"
)

func readPlans(t *testing.T, wanted func(int64) bool, paths ...string) *PlanSet {
	t.Helper()
	s, err := ReadPlans(context.Background(), paths, DefaultOptions(), wanted)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAnonymousPlansHaveTheSameShapeAndArithmetic(t *testing.T) {
	const dir = "../parser/explain/testdata/plans"
	before, after := readPlans(t, nil, dir), readPlans(t, nil, dir)
	AnonymizePlans(after)
	for i := range before.Plans {
		a, b := before.Plans[i].Plan, after.Plans[i].Plan
		if len(a.Nodes) != len(b.Nodes) {
			t.Fatalf("%s: %d nodes, %d anonymous ones", before.Plans[i].Pos, len(a.Nodes), len(b.Nodes))
		}
		of := explain.Arithmetic(b)
		for k, f := range explain.Arithmetic(a) {
			if math.Abs(f.Self-of[k].Self) > 1e-9 || f.SelfBuffers != of[k].SelfBuffers {
				t.Errorf("%s: node %d costs %v, anonymous %v", before.Plans[i].Pos, k, f.Self, of[k].Self)
			}
			if n := b.Nodes[k].RelationName; n != "" && n == a.Nodes[k].RelationName {
				t.Errorf("%s: relation %s stays", before.Plans[i].Pos, n)
			}
		}
	}
}

func TestEveryPlanOfALogIsKeptOrTheOnesAskedFor(t *testing.T) {
	var b strings.Builder
	for range 50 {
		b.WriteString("2026-11-30 14:17:32.000 UTC [5800] LOG:  duration: 6.500 ms  plan:\n\tQuery Text: select 1\n" +
			"\tResult  (cost=0.00..0.01 rows=1 width=4) (actual time=5.000..5.000 rows=1 loops=1)\n")
	}
	path := filepath.Join(t.TempDir(), "a.log")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s := readPlans(t, nil, path)
	if s.Found != 50 || len(s.Plans) != 50 || s.Capped != 0 {
		t.Errorf("%d found, %d read, %d capped", s.Found, len(s.Plans), s.Capped)
	}
	for i := range s.Plans {
		if p := &s.Plans[i]; p.Plan == nil || p.Number != int64(i+1) || p.Logged() != 6500 {
			t.Errorf("plan %d: number %d, logged %d", i+1, p.Number, p.Logged())
		}
	}
	s = readPlans(t, func(n int64) bool { return n == 7 }, path)
	if s.Found != 50 || len(s.Plans) != 1 || s.Plans[0].Number != 7 {
		t.Errorf("%d found, %d read", s.Found, len(s.Plans))
	}
}

func TestFindingsStandAtTheNodeThatTheirEvidenceNames(t *testing.T) {
	plan := &record.Plan{Nodes: []record.Node{
		{Parent: -1, NodeType: "Nested Loop", Line: 1}, {Parent: 0, NodeType: "Seq Scan", RelationName: "a", Line: 1},
		{Parent: 0, NodeType: "Seq Scan", RelationName: "b", Line: 1}, {Parent: 0, NodeType: "Sort", Line: 9},
	}}
	pos := record.Pos{File: "x", Line: 1, Offset: 0}
	for _, c := range []struct {
		line    int64
		excerpt string
		want    int
	}{
		{1, "Seq Scan on b (rows=1 planned)", 2}, {1, "Nested Loop", 0}, {9, "", 3}, {1, "", -1}, {77, "", -1}, {1, "Seq Scan on a", 1},
	} {
		s := &PlanSet{Plans: []ReadPlan{{PlanExample: PlanExample{Plan: plan, Pos: pos}}}}
		at := pos
		at.Line = c.line
		s.Place([]finding.Finding{{Evidence: []finding.Evidence{{Pos: at, Excerpt: c.excerpt}}}})
		if got := s.Plans[0].Findings; len(got) != 1 || got[0].Node != c.want {
			t.Errorf("line %d, %q: %+v, want node %d", c.line, c.excerpt, got, c.want)
		}
	}
	s := &PlanSet{Plans: []ReadPlan{{PlanExample: PlanExample{Plan: plan, Pos: pos}}}}
	s.Place([]finding.Finding{{Evidence: []finding.Evidence{{Pos: record.Pos{File: "y"}}}}})
	if len(s.Findings) != 1 || len(s.Plans[0].Findings) != 0 {
		t.Error("a finding about something else stays apart")
	}
}
