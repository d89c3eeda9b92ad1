package view

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/finding"
)

func TestStory(t *testing.T) {
	lead := finding.Finding{
		ID: "PGA201", Name: "vacuum-sawtooth", Severity: finding.Warning, Confidence: finding.Likely, Felt: "A query is slow at times", Title: "The title",
		Summary: "It reads 96,600 rows of the table. It is not load.", Subject: finding.Subject{Relation: "public.jobs"},
		RuledOut: []finding.RuledOut{{Rival: "load", Verdict: finding.RuledOutVerdict}, {Rival: "plan change", Verdict: finding.RuledOutVerdict}, {Rival: "growth", Verdict: finding.NotRuledOut}},
		Actions:  []finding.Action{{Do: "ALTER TABLE public.jobs …;", SQL: true}, {Do: "something else"}},
	}
	worse := finding.Finding{ID: "PGA202", Name: "visibility-decay", Severity: finding.Critical, Subject: lead.Subject, Cause: lead.Fingerprint()}
	info := finding.Finding{ID: "PGA107", Name: "rows-per-statement-cost", Subject: lead.Subject}
	orphan := finding.Finding{ID: "PGA203", Name: "vacuum-threshold-too-large", Severity: finding.Warning, Title: "The trigger is late", Cause: "suppressed"}
	v := Build(&analysis.Result{Findings: []finding.Finding{lead, worse, info, orphan}})
	if len(v.Incidents) != 2 {
		t.Fatalf("%+v", v.Incidents)
	}
	first := v.Incidents[0]
	want := "A query is slow at times. It reads 96,600 rows of the table. It is not load. Ruled out: plan change. " +
		"This is likely: of its equation, its event and a control one is missing. Other sides of it: PGA202 visibility-decay. Do first: ALTER TABLE public.jobs …;"
	if first.Story != want || first.Label != "CRITICAL" || first.Lead != 0 || fmt.Sprint(first.Sides) != "[1]" {
		t.Errorf("%+v\nwant %s", first, want)
	}
	if x := v.Incidents[1]; x.Lead != 3 || len(x.Sides) > 0 || !strings.HasPrefix(x.Story, "The trigger is late. This is possible") {
		t.Errorf("a side whose cause is not in the report: %+v", x)
	}
	for i, want := range []struct{ told, side bool }{{true, false}, {false, true}, {false, false}, {true, false}} {
		if f := v.Findings[i]; f.Told != want.told || (f.SideOf != "") != want.side {
			t.Errorf("finding %d: told %v, side of %q", i, f.Told, f.SideOf)
		}
	}
}

func TestStoriesOfManyIncidents(t *testing.T) {
	var r analysis.Result
	for i := range maxStories + 2 {
		r.Findings = append(r.Findings, finding.Finding{ID: "PGA201", Severity: finding.Warning, Subject: finding.Subject{Relation: fmt.Sprint("t", i)}})
	}
	v := Build(&r)
	if len(v.Incidents) != maxStories+2 || len(v.Stories()) != maxStories {
		t.Errorf("%d incidents, %d stories", len(v.Incidents), len(v.Stories()))
	}
	for i := range v.Findings {
		if v.Findings[i].Told != (i < maxStories) {
			t.Errorf("finding %d: told %v", i, v.Findings[i].Told)
		}
	}
}

func TestFirstActionKeepsWholeSentences(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"One. Two.", "One. Two."},
		{"Set the threshold. It is a long story. And more", "Set the threshold."},
		{"alter table public.a_very_long_name set (x)", "alter table publi…e set (x)"},
	} {
		if got := firstSentences(c.in, 27); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}
