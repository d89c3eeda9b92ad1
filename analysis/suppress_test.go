package analysis

import (
	"strings"
	"testing"
	"time"

	"github.com/pgassay/pgassay/analysis/finding"
)

func TestSuppressionsMatchAndExpire(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	later, earlier := now.Add(time.Hour), now.Add(-time.Hour)
	b := walkOn("public.b", finding.Warning, 2)
	r := &Result{Findings: []finding.Finding{walkOn("public.archive_1", finding.Warning, 2), b, walkOn("public.c", finding.Warning, 2), walkOn("public.d", finding.Warning, 2)}}
	r.suppress([]Suppression{
		{ID: "PGA101", Subject: "public.archive_*", Reason: "one", Expires: later},
		{Fingerprint: b.Fingerprint(), Reason: "two", Expires: later},
		{ID: "PGA101", Subject: "public.c", Reason: "three", Expires: earlier},
		{ID: "PGA201", Reason: "four", Expires: later},
	}, now)
	var kept, taken []string
	for i := range r.Findings {
		kept = append(kept, r.Findings[i].Subject.Index)
	}
	for i := range r.Suppressed {
		taken = append(taken, r.Suppressed[i].Reason)
	}
	if got := strings.Join(kept, " "); got != "public.c public.d" {
		t.Errorf("kept %s", got)
	}
	if got := strings.Join(taken, " "); got != "one two" {
		t.Errorf("suppressed for %s", got)
	}
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "PGA101 public.c") || !strings.Contains(notes, "expired on 2026-11-30") || !strings.Contains(notes, "PGA201") {
		t.Errorf("notes: %s", notes)
	}
}

func TestSuppressionOfAnIDIsForEverySubject(t *testing.T) {
	s := Suppression{ID: "PGA101"}
	one, other := walkOn("x", finding.Info, 1), finding.Finding{ID: "PGA102"}
	if !s.Matches(&one) || s.Matches(&other) {
		t.Errorf("%v, %v", s.Matches(&one), s.Matches(&other))
	}
}
