package analysis

import (
	"context"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
)

// TestRealCostOverTime reads a real server (PostgreSQL 17): a table grows while
// a query scans all of it, and commit_delay is set to 30 ms on the way, which
// each single-row INSERT then waits for.
func TestRealCostOverTime(t *testing.T) {
	r, err := Run(context.Background(), []string{"testdata/cost-over-time"}, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]*finding.Finding{}
	for i := range r.Findings {
		f := &r.Findings[i]
		if found[f.ID] != nil {
			t.Errorf("%s twice, on %s and %s", f.ID, found[f.ID].Subject, f.Subject)
		}
		found[f.ID] = f
	}
	scan := found["PGA103"]
	if scan == nil || scan.Confidence != finding.Confirmed || scan.Subject.Relation != "public.orders" {
		t.Fatalf("PGA103: %+v", scan)
	}
	if v := scan.Figures[0].Value; v < 0.98 || v > 1.02 {
		t.Errorf("%g buffers per page of a table that is scanned whole", v)
	}
	slow := found["PGA106"]
	if slow == nil || !strings.HasPrefix(slow.Subject.Statement, "insert into audit") || slow.Effect < 6 || !strings.Contains(slow.Onset.Event, "commit_delay") {
		t.Fatalf("PGA106: %+v", slow)
	}
	if top := slow.Attribution[0]; top.Verdict != finding.Explains || !strings.Contains(top.Candidate, "commit_") {
		t.Errorf("explained by %+v", top)
	}
	if f := found["PGA104"]; f != nil {
		t.Errorf("PGA104 on what others explain: %s", f.Title)
	}
}
