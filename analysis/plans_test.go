package analysis

import (
	"context"
	"testing"
)

func TestPlansOfFindingsComeFirstWithFiguresPerNode(t *testing.T) {
	r, err := Run(context.Background(), []string{"../samples/vacuum-sawtooth"}, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Plans) < 3 || len(r.Plans) > maxPlans {
		t.Fatalf("%d plans", len(r.Plans))
	}
	if r.Plans[0].Fingerprint != r.Findings[0].Subject.Fingerprint || r.Plans[0].Which != "earliest" || r.Plans[1].Which != "slowest" {
		t.Errorf("first are the %s and %s plans of %s", r.Plans[0].Which, r.Plans[1].Which, r.Plans[0].Fingerprint)
	}
	count := map[string]int{}
	for _, p := range r.Plans {
		if count[p.Fingerprint]++; count[p.Fingerprint] > maxPlansPerStatement {
			t.Errorf("%d plans of %s", count[p.Fingerprint], p.Statement)
		}
		if len(p.Figures) != len(p.Plan.Nodes) || p.Pos.IsZero() || p.Executions < 1 {
			t.Errorf("%s: %d figures for %d nodes, at %s, %d executions", p.Statement, len(p.Figures), len(p.Plan.Nodes), p.Pos, p.Executions)
		}
	}
}
