package html

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/report/view"
)

// What one page holds. What is left out is counted, and the page says where it
// is.
const (
	maxFindings  = 200
	maxCharts    = 100
	maxProse     = 3_000  // columns of a paragraph
	maxStatement = 16_000 // columns of a statement
	maxListed    = 60     // places and marks
)

// section is one finding.
type section struct {
	*view.Finding
	Anchor     string // "finding-1"
	Severity   string // "critical"
	Incident   bool   // above info
	Statement  string // whole; "" if the finding is not about one
	PlanAnchor string // of its statement's first plan; "" if none is kept
	Figures    []figure
	MoreCharts int
	MorePlaces int
}

// figure is a chart as the page without a script shows it.
type figure struct {
	Index    int // in page.Charts
	Title    string
	Columns  []columnText
	Marks    []markText
	MoreMark int
	Fit      string
	Notes    []string
}

type columnText struct{ Name, First, Last, Least, Most string }

type markText struct {
	Time moment
	Text string
}

func (p *page) findings(v *view.View) {
	plans := planAnchors(v)
	limit := pointLimit(v)
	p.MoreFindings = max(0, len(v.Findings)-maxFindings)
	for i := range v.Findings[:len(v.Findings)-p.MoreFindings] {
		f := &v.Findings[i]
		subject := &f.Raw.Subject
		s := section{
			Finding: f, Anchor: anchor(i), Severity: f.Raw.Severity.String(),
			Incident: f.Raw.Severity > 0, PlanAnchor: plans[subject.Fingerprint],
		}
		if subject.Statement != "" {
			s.Statement = view.Shorten(view.Block(subject.Statement), maxStatement)
		}
		for j := range f.Series {
			if len(p.Charts) >= maxCharts {
				s.MoreCharts = len(f.Series) - j
				break
			}
			c, g := chartOf(&f.Series[j], limit)
			g.Index = len(p.Charts)
			p.Charts = append(p.Charts, c)
			s.Figures = append(s.Figures, g)
		}
		s.MorePlaces = max(0, len(f.Places)-maxListed)
		p.Findings = append(p.Findings, s)
	}
}

// story is an incident that the page opens with.
type story struct{ Label, Severity, Anchor, Story string }

// Stories are the incidents that the page opens with.
func (p *page) Stories() []story {
	var out []story
	for _, s := range p.View.Stories() {
		out = append(out, story{s.Label, strings.ToLower(s.Label), anchor(s.Lead), view.Shorten(s.Story, maxProse)})
	}
	return out
}

// anchor is the place of the i-th finding on the page.
func anchor(i int) string { return "finding-" + strconv.Itoa(i+1) }

// Prose cuts a paragraph that no person wrote.
func (section) Prose(s string) string { return view.Shorten(s, maxProse) }

// Listed is the places that the page shows.
func (s section) Listed() []string { return s.Places[:len(s.Places)-s.MorePlaces] }

// Rows is the working; long texts in it are cut.
func (s section) Rows() []view.Row { return s.cut(s.Working) }

// Causes is the attribution; long texts in it are cut.
func (s section) Causes() []view.Row { return s.cut(s.Attribution) }

func (s section) cut(in []view.Row) []view.Row {
	rows := make([]view.Row, len(in))
	for i, r := range in {
		rows[i] = view.Row{
			What: s.Prose(r.What), Figure: s.Prose(r.Figure), Says: s.Prose(r.Says), Indent: r.Indent,
		}
	}
	return rows
}

func more(n int, what string) string {
	return fmt.Sprintf("%s more %s: see the json report", view.Count(int64(n)), what)
}
