package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/report/view"
)

// Limits of GitHub's code scanning ("SARIF support for code scanning"): of the
// results of a run it stores the 5,000 most severe, of a result's locations
// 100, of a rule's tags 20. The file may have 10 MB packed; keeping the results
// below that unpacked is certain.
const (
	sarifResults   = 5000
	sarifLocations = 100
	sarifBytes     = 9 << 20
	sarifNotices   = 100
)

// SARIF writes a SARIF 2.1.0 log with one run: a rule per signature, a result
// per finding, the most severe first, then those that are suppressed, as notes;
// and what became dearer, was not evaluated, lost or left out as notifications.
func SARIF(w io.Writer, v *view.View, _ Options) error {
	rules := sarifRules(v)
	run := sarifRun{
		Tool: sarifTool{sarifDriver{
			Name: "pgassay", Version: utf8Of(v.Result.Version), Rules: rules.list,
		}},
		ColumnKind: "utf16CodeUnits",
		Properties: map[string]any{
			"headline": v.Headline, "incidents": incidentsOf(v, v.Stories()), "from": optional(v.Result.From), "to": optional(v.Result.To), "log_zone": view.Line(v.Result.Zone),
		},
	}
	left := 0
	if run.Results, left = sarifResultsOf(v, rules); left > 0 {
		run.Properties["results_left_out"] = left
	}
	run.Invocations = []sarifInvocation{{ExecutionSuccessful: true, Notifications: sarifNotifications(v, rules, left)}}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	})
}

// sarifResultsOf makes the results within the limits and counts those left out.
func sarifResultsOf(v *view.View, rules *sarifRuleSet) (results []json.RawMessage, left int) {
	results = []json.RawMessage{}
	size := 0
	all := len(v.Findings) + len(v.Suppressed)
	for i := range all {
		var r *sarifResult
		if i < len(v.Findings) {
			r = sarifResultOf(v, &v.Findings[i], rules)
			r.Baseline = sarifBaseline(v.Result.Comparison, i)
		} else {
			r = sarifSuppressed(v, &v.Suppressed[i-len(v.Findings)], rules)
		}
		data, err := json.Marshal(r)
		if err != nil || len(results) >= sarifResults || size+len(data) > sarifBytes {
			return results, all - i
		}
		size += len(data)
		results = append(results, data)
	}
	return results, 0
}

// sarifSuppressed is a note: not every reader knows suppressions, and it must
// not fail a gate.
func sarifSuppressed(v *view.View, s *view.Suppressed, rules *sarifRuleSet) *sarifResult {
	r := sarifResultOf(v, &s.Finding, rules)
	r.Level = "note"
	r.Suppressions = []sarifSuppression{{Kind: "external", Status: "accepted", Justification: view.Shorten(reasonOf(s), maxText)}}
	return r
}

func sarifResultOf(v *view.View, f *view.Finding, rules *sarifRuleSet) *sarifResult {
	places := spots(v, f)
	r := &sarifResult{
		RuleID: f.ID, RuleIndex: rules.index[f.ID], Level: sarifLevel(f.Raw.Severity),
		Message:   sarifText(verdict(f)),
		Locations: []sarifLocation{sarifLocationOf(places[0])},
		Fingerprints: map[string]string{
			"pgassay/v1": f.Raw.Fingerprint(),
		},
		Properties: sarifProperties(f),
	}
	if f.Account != "" {
		r.Message.Markdown = sarifMarkdown(f)
	}
	for i, at := range places[1:min(len(places), sarifLocations)] {
		l := sarifLocationOf(at)
		l.ID = i + 1
		if at.what != "" {
			m := sarifText(view.Shorten(at.what, maxCell))
			l.Message = &m
		}
		r.Related = append(r.Related, l)
	}
	return r
}

// sarifBaseline is the state of the i-th finding against a baseline, "" without
// one.
func sarifBaseline(c *analysis.Comparison, i int) string {
	if c == nil || i >= len(c.Findings) {
		return ""
	}
	switch c.Findings[i].Status {
	case analysis.StatusNew:
		return "new"
	case analysis.StatusWorse:
		return "updated"
	}
	return "unchanged"
}

// sarifText is a message without the links that viewers make of "[text](target)"
// (SARIF 2.1.0, 3.11.6).
func sarifText(s string) sarifMessage { return sarifMessage{Text: strings.ReplaceAll(s, "](", "] (")} }

// sarifMarkdown is the message of a finding that leads an incident, for viewers
// that lay it out.
func sarifMarkdown(f *view.Finding) string {
	var m markdownPage
	m.para(markdownText(view.Shorten(paragraph(f), maxText)))
	m.actions(f)
	return strings.TrimSpace(m.b.String())
}

func sarifProperties(f *view.Finding) map[string]any {
	p := map[string]any{
		"severity": f.Raw.Severity.String(), "confidence": f.Raw.Confidence.String(), "share": number(f.Raw.Share),
		"subject": view.Shorten(f.Subject, maxCell), "subject_kind": f.Kind,
	}
	if f.Raw.Effect != 0 {
		p["effect"] = number(f.Raw.Effect)
	}
	if f.Raw.Cause != "" {
		p["cause"] = view.Line(f.Raw.Cause)
	}
	if f.Story != "" {
		p["story"] = view.Shorten(f.Story, maxText)
	}
	if f.Raw.Onset != nil {
		if since := optional(f.Raw.Onset.Time); since != nil {
			p["since"] = since
		}
	}
	return p
}

func sarifLevel(s finding.Severity) string {
	switch s {
	case finding.Critical:
		return "error"
	case finding.Warning:
		return "warning"
	}
	return "note"
}

func sarifLocationOf(at spot) sarifLocation {
	l := sarifLocation{Physical: sarifPhysical{Artifact: sarifArtifact{uri(at.path)}}}
	if at.line > 0 {
		l.Physical.Region = &sarifRegion{at.line}
	}
	return l
}

// sarifNotifications says what the results do not.
func sarifNotifications(v *view.View, rules *sarifRuleSet, left int) []sarifNotification {
	out := []sarifNotification{}
	for _, n := range v.NotEvaluated {
		note := sarifNotification{Level: "note", Message: sarifText(view.Shorten(lacking(n), maxText))}
		if i, ok := rules.index[n.ID]; ok {
			note.Rule = &sarifRuleReference{n.ID, i}
		}
		out = append(out, note)
	}
	for _, n := range v.Notes[:min(len(v.Notes), sarifNotices)] {
		out = append(out, sarifNotification{Level: "note", Message: sarifText(view.Shorten(n, maxText))})
	}
	out = append(out, sarifCosts(v)...)
	if left > 0 {
		out = append(out, sarifNotification{Level: "warning", Message: sarifMessage{
			Text: fmt.Sprintf("%s left out: the limit of code scanning is reached; the json report has all", view.Counted(int64(left), "result is", "results are")),
		}})
	}
	for i, l := range v.Losses {
		if i == sarifNotices {
			out = append(out, sarifNotification{Level: "warning", Message: sarifMessage{
				Text: fmt.Sprintf("and %d more losses", len(v.Losses)-i),
			}})
			break
		}
		raw := v.Result.Losses[i]
		note := sarifNotification{Level: "warning", Message: sarifText(view.Shorten(l.Place+": "+l.String(), maxText))}
		if !raw.Pos.IsZero() {
			note.Locations = []sarifLocation{sarifLocationOf(spot{path: relative(raw.Pos.File), line: max(raw.Pos.Line, 0)})}
		}
		out = append(out, note)
	}
	return out
}

// sarifCosts are the statements that became dearer than in the baseline.
func sarifCosts(v *view.View) []sarifNotification {
	if v.Comparison == nil {
		return nil
	}
	var out []sarifNotification
	list := v.Comparison.Regressions
	for i := range list[:min(len(list), sarifNotices)] {
		out = append(out, sarifNotification{Level: "warning", Message: sarifText(dearer(&list[i]))})
	}
	if n := len(list) - sarifNotices; n > 0 {
		out = append(out, sarifNotification{Level: "warning", Message: sarifMessage{Text: fmt.Sprintf("and %d more statements are dearer", n)}})
	}
	return out
}
