package analysis

import (
	"context"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
)

// TestRealDeadEntries reads a real queue (PostgreSQL 17): rows are deleted from
// the low end, and two queries ask for the lowest key. A leaf page of its index
// holds 366 entries.
func TestRealDeadEntries(t *testing.T) {
	r, err := Run(context.Background(), []string{"testdata/dead-entries"}, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	var found []finding.Finding
	for _, f := range r.Findings {
		switch f.ID {
		case "PGA108":
			found = append(found, f)
		case "PGA201", "PGA202", "PGA302":
			t.Errorf("%s beside PGA108: %s", f.ID, f.Title)
		}
	}
	if len(found) != 2 || found[0].Confidence != finding.Confirmed || found[0].Subject.Index != "public.jobs_pkey" || found[1].Cause != found[0].Fingerprint() {
		logFindings(t, r)
		t.Fatalf("%d findings, want two, confirmed on public.jobs_pkey, one the side of the other", len(found))
	}
	for _, g := range found[0].Figures {
		if strings.HasPrefix(g.What, "buffers for each row deleted") && (g.Value < 1.0/420 || g.Value > 1.0/320) {
			t.Errorf("%s: %g, want about a page for 366", g.What, g.Value)
		}
	}
	if !strings.Contains(found[0].Actions[1].Do, "autovacuum_vacuum_threshold = ") {
		t.Errorf("no computed threshold: %+v", found[0].Actions)
	}
}

// TestRealLiveEntriesAtTheEnd reads a real queue (PostgreSQL 15) whose rows stay:
// the query steps over jobs that are done, which its filter throws away.
func TestRealLiveEntriesAtTheEnd(t *testing.T) {
	r, err := Run(context.Background(), []string{"testdata/live-entries"}, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	filter := false
	for _, f := range r.Findings {
		filter = filter || f.ID == "PGA302"
		if f.ID == "PGA108" || f.ID == "PGA201" {
			t.Errorf("%s: %s", f.ID, f.Title)
		}
	}
	if !filter {
		t.Error("no PGA302")
	}
}

// The scan of the sawtooth gives 100,000 rows below its LIMIT, over ten cycles:
// the visits to the table are theirs.
func TestScanOfManyRowsIsNoDeadEntryWalk(t *testing.T) {
	r, err := Run(context.Background(), []string{"../samples/vacuum-sawtooth"}, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.ID == "PGA108" {
			t.Errorf("%s: %s", f.ID, f.Title)
		}
	}
	for _, n := range r.NotEvaluated {
		if n.ID == "PGA108" {
			t.Errorf("not evaluated: %s", n.Lacks)
		}
	}
}
