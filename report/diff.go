package report

import (
	"io"
	"strings"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/plandiff"
	"github.com/pgassay/pgassay/report/view"
)

// Diff is what was compared: one of Plan, Statements and Reports.
type Diff struct {
	OldName, NewName string // as the user named them
	Plan             *PlanPair
	Statements       *StatementSets
	Reports          *plandiff.ReportChange
	// Losses is what of the inputs was not read, in words.
	Losses []string
}

// PlanPair is two plans.
type PlanPair struct {
	Old, New *analysis.ReadPlan
	*plandiff.Comparison
}

// StatementSets is two sets of plans.
type StatementSets struct {
	List  []plandiff.Statement
	Tests int // that the p-values are corrected for
	// Examples sets the slowest plans of a statement side by side, by key, where
	// the shape changed.
	Examples map[string]*plandiff.Comparison
}

// DiffFormat is one way to write a comparison: a literal in DiffFormats.
type DiffFormat struct {
	Name, Doc string
	// Write writes d. Its errors are those of w.
	Write func(w io.Writer, d *Diff, o DiffOptions) error
}

// DiffOptions steer how a comparison is written.
type DiffOptions struct {
	Options
	All bool // what is the same as well
}

// DiffFormats lists the ways to write a comparison, the default first.
var DiffFormats = []DiffFormat{
	{Name: "terminal", Doc: "what differs, as text (default)", Write: diffTerminal},
	{Name: "json", Doc: "everything, for programs", Write: diffJSON},
	{Name: "markdown", Doc: "what differs, for tickets and job summaries", Write: diffMarkdown},
}

// section is a part of a page for reading: a title, a text, a table whose
// first row is its header.
type section struct {
	title string
	texts []string
	rows  [][]string
	kept  int // columns of rows that are not narrowed
}

// sections are what of d is shown.
func (d *Diff) sections(o DiffOptions) []section {
	var out []section
	switch {
	case d.Plan != nil:
		out = planSections(d.Plan, o)
	case d.Statements != nil:
		out = statementSections(d.Statements, o)
	case d.Reports != nil:
		out = reportSections(d.Reports, o)
	}
	if len(d.Losses) > 0 {
		s := section{title: "Losses"}
		for _, l := range d.Losses {
			s.texts = append(s.texts, view.Line(l))
		}
		out = append(out, s)
	}
	return out
}

func (d *Diff) title() string { return view.Line(d.OldName) + " → " + view.Line(d.NewName) }

// sections writes one after the other, with a blank line before each.
func (p *page) sections(list []section) {
	for _, s := range list {
		p.blank()
		if s.title != "" {
			p.para("", plain, s.title, bold)
		}
		for _, text := range s.texts {
			p.para(body, plain, text, plain)
		}
		p.table(body, s.rows, s.kept)
	}
}

func diffTerminal(w io.Writer, d *Diff, o DiffOptions) error {
	p := &page{width: max(o.Width, MinWidth), color: o.Color}
	p.para("", plain, d.title(), bold)
	p.sections(d.sections(o))
	_, err := io.WriteString(w, p.b.String())
	return err
}

func diffMarkdown(w io.Writer, d *Diff, o DiffOptions) error {
	var m markdownPage
	m.heading(2, d.title())
	for _, s := range d.sections(o) {
		if s.title != "" {
			m.heading(3, view.Shorten(s.title, maxCell))
		}
		for _, text := range s.texts {
			m.para(markdownText(view.Shorten(text, maxText)))
		}
		if len(s.rows) > 0 {
			m.table(s.rows)
		}
	}
	_, err := io.WriteString(w, m.b.String())
	return err
}

// amount is a figure of a comparison, "–" if it is not known.
func amountText(v float64, unit string) string {
	if !finite(v) {
		return "–"
	}
	return strings.TrimSpace(view.Quantity(v, unit))
}

// changeText is "3.7x" for a growth, "÷ 3.7" for the reverse, "about same" for
// less than a twentieth; "" if there is no ratio.
func changeText(ratio float64) string {
	switch {
	case !finite(ratio):
		return ""
	case ratio > 0.95 && ratio < 1.05:
		return "about same"
	case ratio > 0 && ratio < 1:
		return "÷ " + strings.TrimSuffix(view.Quantity(1/ratio, "x"), "x")
	}
	return view.Quantity(ratio, "x")
}
