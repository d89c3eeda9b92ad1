package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/analysis/plandiff"
	"github.com/pgassay/pgassay/report/view"
)

// What a comparison shows unless all is asked for.
const (
	maxDiffStatements = 30
	maxShapeLines     = 8
)

// statementSections are a summary, and the statements that differ, worst first.
func statementSections(s *StatementSets, o DiffOptions) []section {
	counts := map[plandiff.Verdict]int{}
	for i := range s.List {
		counts[s.List[i].Verdict]++
	}
	text := view.Counted(int64(len(s.List)), "statement", "statements") + ": "
	for i, v := range []plandiff.Verdict{plandiff.Worse, plandiff.Better, plandiff.Same, plandiff.NotTested, plandiff.OnlyNew, plandiff.OnlyOld} {
		if i > 0 {
			text += ", "
		}
		text += strconv.Itoa(counts[v]) + " " + string(v)
	}
	head := section{texts: []string{text, fmt.Sprintf(
		"Medians. Worse and better: at least %g times, beyond noise, and p ≤ %g by Mann and Whitney's test, corrected for %d tests (Benjamini and Hochberg). The test takes executions as independent of each other.",
		plandiff.LeastRatio, plandiff.Alpha, s.Tests)}}
	out := []section{head}
	left := 0
	for i := range s.List {
		x := &s.List[i]
		if !o.All && (x.Verdict == plandiff.Same && x.FreshShapes == 0 || len(out) > maxDiffStatements) {
			left++
			continue
		}
		out = append(out, statementSection(x, s.Examples[x.Key]))
	}
	if left > 0 {
		out = append(out, section{texts: []string{view.Counted(int64(left), "statement", "statements") + " not shown: --all"}})
	}
	return out
}

func statementSection(x *plandiff.Statement, example *plandiff.Comparison) section {
	text := x.Text
	if text == "" {
		text = "statement " + x.Key
	}
	s := section{title: string(x.Verdict) + ": " + view.Shorten(view.Line(text), maxDiffTitle), kept: 4}
	s.rows = [][]string{{"", "old", "new", "change", "says"}}
	for _, m := range []struct {
		what, unit string
		m          *plandiff.Measure
	}{{"buffers", "", &x.Buffers}, {"buffers/row", "", &x.PerRow}, {"rows", "", &x.Rows}, {"time", "ms", &x.MS}} {
		if m.m.NOld+m.m.NNew > 0 {
			s.rows = append(s.rows, measureRow(m.what, m.unit, m.m))
		}
	}
	if x.FreshShapes > 0 && x.NOld > 0 {
		s.texts = append(s.texts, view.Counted(int64(x.FreshShapes), "plan shape", "plan shapes")+" that the old set has not; it has "+strconv.Itoa(x.ShapesOld))
	}
	if example == nil {
		return s
	}
	rows := shapeRows(example)
	for i, row := range rows {
		if i == maxShapeLines {
			s.texts = append(s.texts, "and "+strconv.Itoa(len(rows)-i)+" more changes of the slowest plan")
			break
		}
		s.texts = append(s.texts, "· "+row[1]+" "+row[2])
	}
	return s
}

// measureRow is a median before and after, with its test.
func measureRow(what, unit string, m *plandiff.Measure) []string {
	var says []string
	if m.Verdict != "" && m.NOld > 0 && m.NNew > 0 {
		says = append(says, string(m.Verdict))
	}
	if finite(m.Corrected) {
		says = append(says, view.PValue(m.Corrected))
	}
	if finite(m.Effect) {
		says = append(says, "Cliff's delta "+strconv.FormatFloat(m.Effect, 'f', 2, 64))
	}
	says = append(says, "n "+strconv.Itoa(m.NOld)+" and "+strconv.Itoa(m.NNew))
	return []string{what, amountText(m.Old, unit), amountText(m.New, unit), changeText(m.Ratio()), strings.Join(says, ", ")}
}

// reportSections are the headlines, the findings and the statements of two
// reports.
func reportSections(c *plandiff.ReportChange, o DiffOptions) []section {
	head := section{rows: [][]string{
		{"old", view.Line(c.Old.Headline), spanOf(c.Old)}, {"new", view.Line(c.New.Headline), spanOf(c.New)},
	}, kept: 1}
	return []section{head, findingChanges(c, o), statementChanges(c, o)}
}

func spanOf(r *plandiff.Report) string {
	if r.Period.From == nil || r.Period.To == nil {
		return "no times"
	}
	return view.Line(*r.Period.From + " – " + *r.Period.To)
}

func findingChanges(c *plandiff.ReportChange, o DiffOptions) section {
	s := section{title: "Findings", kept: 1}
	same := 0
	for i := range c.Findings {
		f := &c.Findings[i]
		if f.Verdict == plandiff.Same && !o.All {
			same++
			continue
		}
		severity := f.Finding().Severity
		if f.Old != nil && f.New != nil && f.Old.Severity != f.New.Severity {
			severity = f.Old.Severity + " → " + f.New.Severity
		}
		effect := ""
		if f.Old != nil && f.New != nil && f.Old.Effect != nil && f.New.Effect != nil && *f.Old.Effect != *f.New.Effect {
			effect = view.Quantity(*f.Old.Effect, "x") + " → " + view.Quantity(*f.New.Effect, "x")
		}
		s.rows = append(s.rows, []string{string(f.Verdict), view.Line(severity), effect, view.Line(f.Finding().ID + " " + f.Finding().Title)})
	}
	return s.counted(same, "finding", "findings", []string{"", "severity", "effect", "finding"})
}

// counted adds the header, and how many are the same.
func (s section) counted(same int, one, many string, header []string) section {
	if len(s.rows) > 0 {
		s.rows = append([][]string{header}, s.rows...)
	}
	switch {
	case same > 0:
		s.texts = append(s.texts, view.Counted(int64(same), one, many)+" the same")
	case len(s.rows) == 0:
		s.texts = append(s.texts, "none")
	}
	return s
}

func statementChanges(c *plandiff.ReportChange, o DiffOptions) section {
	s := section{title: "Statements", kept: 4}
	same, left := 0, 0
	for i := range c.Statements {
		x := &c.Statements[i]
		switch {
		case o.All:
		case x.Verdict == plandiff.Same:
			same++
			continue
		case len(s.rows) >= maxDiffStatements:
			left++
			continue
		}
		s.rows = append(s.rows, statementChangeRow(x))
	}
	if left > 0 {
		s.texts = append(s.texts, view.Counted(int64(left), "statement", "statements")+" not shown: --all")
	}
	return s.counted(same, "statement", "statements", []string{"", "mean", "buffers/call", "calls", "statement"})
}

func statementChangeRow(x *plandiff.StatementChange) []string {
	var mean, buffers, calls [2]string
	for i, r := range []*plandiff.ReportStatement{x.Old, x.New} {
		mean[i], buffers[i], calls[i] = "–", "–", "–"
		if r == nil {
			continue
		}
		calls[i] = view.Count(r.Calls)
		if r.Mean != nil {
			mean[i] = view.Quantity(*r.Mean, "ms")
		}
		if r.Buffers != nil {
			buffers[i] = view.Quantity(*r.Buffers, "")
		}
	}
	return []string{
		string(x.Verdict), mean[0] + " → " + mean[1], buffers[0] + " → " + buffers[1], calls[0] + " → " + calls[1],
		view.Shorten(view.Line(x.Statement().Text), maxDiffTitle),
	}
}
