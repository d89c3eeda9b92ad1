package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/report/internal/fixture"
)

// TestEveryFormatTellsTheStory looks for the sentence that only a story has.
func TestEveryFormatTellsTheStory(t *testing.T) {
	for _, f := range Formats {
		out := strings.Join(strings.Fields(unpacked(t, write(t, f.Name, fixture.Incident(), DefaultOptions()))), " ")
		if !strings.Contains(out, "its equation, its event and a control agree") {
			t.Errorf("%s does not tell how sure the incident is", f.Name)
		}
	}
}

// incidents is a result with n incidents that have a side each, the sides first.
func incidents(n int) *analysis.Result {
	var sides, leads []finding.Finding
	for i := range n {
		lead := finding.Finding{ID: "PGA401", Name: "fan-out", Severity: finding.Warning, Title: "Many queries", Subject: finding.Subject{Relation: fmt.Sprint("t", i)}}
		side := finding.Finding{ID: "PGA402", Name: "empty-fan-out", Severity: finding.Warning, Title: "Most are empty", Subject: lead.Subject, Cause: lead.Fingerprint()}
		leads, sides = append(leads, lead), append(sides, side)
	}
	return &analysis.Result{Findings: append(sides, leads...)}
}

func TestAnnotationsTellIncidentsBeforeTheirSides(t *testing.T) {
	out := string(write(t, "github", incidents(8), DefaultOptions()))
	if n := strings.Count(out, "PGA401 fan-out::Many queries. This is possible"); n != 8 {
		t.Errorf("%d of 8 incidents are told:\n%s", n, out)
	}
	if n := strings.Count(out, "::Most are empty. Another side of PGA401 fan-out."); n != 2 || !strings.Contains(out, "6 more warnings not shown") {
		t.Errorf("%d sides:\n%s", n, out)
	}
}

func TestAnAnnotationIsNotLongerThanTheRunnerTakes(t *testing.T) {
	r := fixture.Incident()
	for range 400 {
		r.Notes = append(r.Notes, strings.Repeat("a note 一", 50))
	}
	for line := range strings.SplitSeq(string(write(t, "github", r, DefaultOptions())), "\n") {
		if len(line) > 64<<10 {
			t.Errorf("%d bytes: %.80s", len(line), line)
		}
	}
}
