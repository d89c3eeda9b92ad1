package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/signature"
	"github.com/pgassay/pgassay/parser/record"
)

// evaluate runs the signatures over each server that the input tells apart, and
// joins what they found.
func evaluate(d *dataset.Dataset, inputs []Input, o Options) (*Result, []*dataset.Model) {
	parts := d.Servers()
	var models []*dataset.Model
	var results []*Result
	for _, part := range parts {
		m := part.Build()
		own := inputs
		if part.Name != "" {
			own = slices.DeleteFunc(slices.Clone(inputs), func(in Input) bool { return !slices.Contains(part.Files, in.Name) })
		}
		models = append(models, m)
		r := resultOf(m, signature.Run(m, signature.List, o.Thresholds), own, o.Version)
		r.Filter = filterText(m.Kept, o.Anonymize)
		r.Given = given(m)
		for i := range r.Given {
			r.Notes = append(r.Notes, r.Given[i].text())
		}
		r.Crossings = crossings(m, o.SLOs, r.Findings)
		r.Notes = append(r.Notes, sloNotes(o.SLOs, r.Crossings)...)
		results = append(results, r)
	}
	if len(results) == 1 {
		return results[0], models
	}
	for i, r := range results {
		r.label(parts[i].Name)
	}
	r := joined(results, parts)
	r.Inputs = inputs
	return r, models
}

// label marks everything in r as of one server. The SQL of actions stays as it
// is: it runs on that server.
func (r *Result) label(server string) {
	before := map[string]string{"": ""}
	for i := range r.Findings {
		f := &r.Findings[i]
		old := f.Fingerprint()
		f.Subject.Server = server
		f.Title = server + ": " + f.Title
		before[old] = f.Fingerprint()
	}
	for i := range r.Findings {
		r.Findings[i].Cause = before[r.Findings[i].Cause]
	}
	for i := range r.NotEvaluated {
		r.NotEvaluated[i].Lacks = "on " + server + ": " + r.NotEvaluated[i].Lacks
	}
	for i := range r.Statements {
		r.Statements[i].Text = "/* " + server + " */ " + r.Statements[i].Text
	}
	for i := range r.Relations {
		r.Relations[i].Name = server + "/" + r.Relations[i].Name
	}
	for i := range r.Indexes {
		r.Indexes[i].Name, r.Indexes[i].Relation = server+"/"+r.Indexes[i].Name, server+"/"+r.Indexes[i].Relation
	}
	for i := range r.Triggers {
		r.Triggers[i].Relation = server + "/" + r.Triggers[i].Relation
	}
	for i := range r.Notes {
		r.Notes[i] = server + ": " + r.Notes[i]
	}
	if r.Filter != "" {
		r.Filter = server + ": " + r.Filter
	}
}

// joined is one Result of several servers'.
func joined(results []*Result, parts []dataset.ServerPart) *Result {
	r := &Result{Version: results[0].Version, From: record.NoTime, To: record.NoTime}
	var filters, servers []string
	for _, x := range results {
		r.Findings = append(r.Findings, x.Findings...)
		r.NotEvaluated = append(r.NotEvaluated, x.NotEvaluated...)
		r.Statements = append(r.Statements, x.Statements...)
		r.Relations, r.Indexes = append(r.Relations, x.Relations...), append(r.Indexes, x.Indexes...)
		r.Triggers, r.Plans = append(r.Triggers, x.Triggers...), append(r.Plans, x.Plans...)
		r.Vacuums, r.Events = append(r.Vacuums, x.Vacuums...), append(r.Events, x.Events...)
		r.Given, r.Crossings = append(r.Given, x.Given...), append(r.Crossings, x.Crossings...)
		r.Losses, r.Notes = append(r.Losses, x.Losses...), append(r.Notes, x.Notes...)
		r.EventsLeftOut += x.EventsLeftOut
		r.Zone = cmp.Or(r.Zone, x.Zone)
		r.Totals.add(&x.Totals)
		if x.From.Known() && (!r.From.Known() || x.From < r.From) {
			r.From = x.From
		}
		r.To = max(r.To, x.To)
		servers, filters = appendNew(servers, x.Server), appendNew(filters, x.Filter)
	}
	r.Server, r.Filter = strings.Join(servers, ", "), strings.Join(filters, "; ")
	r.Evaluated = evaluatedOnAll(results)
	slices.SortStableFunc(r.NotEvaluated, func(a, b NotEvaluated) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortStableFunc(r.Vacuums, func(a, b record.Vacuum) int { return cmp.Compare(a.LogTime, b.LogTime) })
	slices.SortStableFunc(r.Events, func(a, b record.Event) int { return cmp.Compare(a.LogTime, b.LogTime) })
	slices.SortStableFunc(r.Triggers, func(a, b Trigger) int { return compareRatio(b.Worst.Ratio(), a.Worst.Ratio()) })
	r.shareStatements()
	r.Findings = bySeverity(r.Findings)
	r.Notes = append([]string{serversNote(parts)}, r.Notes...)
	return r
}

func appendNew(list []string, text string) []string {
	if text == "" || slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

func (t *Totals) add(o *Totals) {
	t.Files, t.Bytes, t.Lines, t.Entries, t.Understood = t.Files+o.Files, t.Bytes+o.Bytes, t.Lines+o.Lines, t.Entries+o.Entries, t.Understood+o.Understood
	t.Executions, t.Plans, t.Durations = t.Executions+o.Executions, t.Plans+o.Plans, t.Durations+o.Durations
	t.Vacuums, t.Snapshots, t.ServerTime = t.Vacuums+o.Vacuums, t.Snapshots+o.Snapshots, t.ServerTime+o.ServerTime
}

// evaluatedOnAll are the signatures that no server's input lacked anything for.
func evaluatedOnAll(results []*Result) []string {
	count := map[string]int{}
	for _, r := range results {
		for _, id := range r.Evaluated {
			count[id]++
		}
	}
	maps.DeleteFunc(count, func(_ string, n int) bool { return n < len(results) })
	return slices.Sorted(maps.Keys(count))
}

// shareStatements makes the shares those of all servers' time, and sorts.
func (r *Result) shareStatements() {
	var all float64
	for i := range r.Statements {
		all += float64(r.Statements[i].Total)
	}
	for i := range r.Statements {
		if all > 0 {
			r.Statements[i].Share = float64(r.Statements[i].Total) / all
		}
	}
	slices.SortStableFunc(r.Statements, func(a, b StatementRow) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Fingerprint, b.Fingerprint))
	})
}

// bySeverity orders the incidents of several servers by their worst finding; the
// sides of a finding stay behind it.
func bySeverity(fs []finding.Finding) []finding.Finding {
	var groups [][]finding.Finding
	for _, f := range fs {
		if f.Cause != "" && len(groups) > 0 {
			groups[len(groups)-1] = append(groups[len(groups)-1], f)
			continue
		}
		groups = append(groups, []finding.Finding{f})
	}
	slices.SortStableFunc(groups, func(a, b []finding.Finding) int {
		share := cmp.Compare(b[0].Share, a[0].Share)
		if math.IsNaN(a[0].Share) || math.IsNaN(b[0].Share) {
			share = 0
		}
		return cmp.Or(cmp.Compare(worst(b), worst(a)), share)
	})
	return slices.Concat(groups...)
}

func worst(group []finding.Finding) finding.Severity {
	w := finding.Info
	for i := range group {
		w = max(w, group[i].Severity)
	}
	return w
}

// serversNote is the legend of the servers' labels.
func serversNote(parts []dataset.ServerPart) string {
	var texts []string
	for _, p := range parts {
		told := p.Told
		if told == "" {
			told = "files that do not tell their server, and may be of any"
		}
		n := fmt.Sprintf("%d files", len(p.Files))
		if len(p.Files) == 1 {
			n = "1 file"
		}
		texts = append(texts, fmt.Sprintf("%s is %s (%s)", p.Name, told, n))
	}
	return "The input is of several servers, which are kept apart: " + strings.Join(texts, "; ") + ". Shares of a finding are those of its own server."
}
