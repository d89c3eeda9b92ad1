package xlsx

import (
	"fmt"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/report/view"
)

// What the printed page shows of long lists; the sheets have all.
const (
	maxInfo       = 40
	maxRowsOnPage = 30
	maxStatements = 3
)

// summary writes the page to print: the verdict, each finding, what was read
// and what is missing.
func (b *book) summary() {
	p := b.page()
	v := b.view
	p.wide(v.Headline, b.styles.title)
	p.wide(v.Head, b.styles.faint)
	p.wide(v.Healthy, b.styles.wrapped)
	p.stories()
	p.findings()
	p.comparison()
	p.suppressed()
	p.costliest()
	p.coverage()
	p.missing()
	p.close()
}

// stories tell each incident in a paragraph; the findings follow in their order.
func (p *page) stories() {
	for i, s := range p.view.Stories() {
		p.blank()
		p.link(1, p.row, link{target: cellAt(findingsSheet, s.Lead)})
		p.labelled(severity{s.Label, int(p.view.Findings[s.Lead].Raw.Severity)}, fmt.Sprintf("Incident %d", i+1), p.styles.bold)
		p.wide(s.Story, p.styles.wrapped)
	}
}

func (p *page) findings() {
	info := 0
	for i := range p.view.Findings {
		if p.view.Findings[i].Raw.Severity != finding.Info {
			p.finding(i)
			continue
		}
		if info++; info <= maxInfo {
			p.finding(i)
		}
	}
	if info > maxInfo {
		p.blank()
		p.para("", fmt.Sprintf("and %d more info findings: see the sheet %s", info-maxInfo, findingsSheet), p.styles.faint)
	}
}

func (p *page) finding(i int) {
	f := &p.view.Findings[i]
	p.blank()
	p.link(1, p.row, link{target: cellAt(findingsSheet, i)})
	p.labelled(severity{f.Label, int(f.Raw.Severity)}, f.Title, p.styles.bold)
	p.para("", f.Line, p.styles.faint)
	if !f.Told {
		p.para("", f.Summary, p.styles.wrapped)
	}
	if p.charts[i] != "" {
		p.leading(link{view.Shorten("chart: "+f.Series[0].Title, 120), p.charts[i]})
	}
	if p.places.plan[i] != "" {
		p.leading(link{"plans of the statement", p.places.plan[i]})
	}
	if f.Raw.Severity != finding.Info {
		p.working(f)
	}
	for _, a := range f.Actions {
		style := p.styles.wrapped
		if a.SQL {
			style = p.styles.code
		}
		p.para("do", a.Do, style)
		p.para("", a.Cost, p.styles.wrapped)
	}
	p.para("will not help", f.WillNotHelp, p.styles.wrapped)
	p.para("verify", strings.Join(f.Verify, "\n"), p.styles.wrapped)
	p.para("places", strings.Join(f.Places[:min(len(f.Places), maxRowsOnPage)], ", "), p.styles.wrapped)
	p.para("note", strings.Join(f.Notes, "\n"), p.styles.wrapped)
}

func (p *page) working(f *view.Finding) {
	if len(f.Working) > 0 {
		p.cells("", "what", "figure", "says", p.styles.section)
	}
	for _, r := range f.Working {
		what := r.What
		if r.Indent {
			what = "    " + what
		}
		p.cells("", what, r.Figure, r.Says, p.styles.wrapped)
	}
	if f.N != "" {
		p.para("", "n = "+strings.TrimPrefix(f.N, "n = "), p.styles.faint)
	}
	p.para("", f.Confidence, p.styles.faint)
}

// comparison says what changed against the baseline.
func (p *page) comparison() {
	c := p.view.Comparison
	if c == nil {
		return
	}
	p.blank()
	p.para("Baseline", c.Head, p.styles.bold)
	for _, x := range c.Changes[:min(len(c.Changes), maxRowsOnPage)] {
		p.cells(x.Status, x.What, x.Why, "", p.styles.wrapped)
	}
	p.more(len(c.Changes), findingsSheet)
	p.para("", c.Costs, p.styles.faint)
	for _, x := range c.Regressions[:min(len(c.Regressions), maxRowsOnPage)] {
		p.cells("dearer", view.Shorten(x.Text, 300), x.Cost, x.Calls, p.styles.wrapped)
	}
	if n := len(c.Regressions) - maxRowsOnPage; n > 0 {
		p.para("", fmt.Sprintf("and %d more dearer statements: see the json report", n), p.styles.faint)
	}
}

// suppressed lists the findings that somebody decided to live with.
func (p *page) suppressed() {
	list := p.view.Suppressed
	if len(list) == 0 {
		return
	}
	p.blank()
	p.cells("Suppressed", "finding", "reason", "until", p.styles.section)
	for i := range list[:min(len(list), maxRowsOnPage)] {
		s := &list[i]
		p.cells("", s.Line+"\n"+s.Finding.Title, s.Reason, s.Until, p.styles.wrapped)
	}
	if n := len(list) - maxRowsOnPage; n > 0 {
		p.para("", fmt.Sprintf("and %d more: see the json report", n), p.styles.faint)
	}
}

// costliest is part of the page when there is no incident, as on the terminal.
func (p *page) costliest() {
	if p.view.Healthy == "" || len(p.view.Statements) == 0 {
		return
	}
	p.blank()
	p.cells("", "costliest statements", "share, total", "calls, mean", p.styles.section)
	for _, s := range p.view.Statements[:min(len(p.view.Statements), maxStatements)] {
		p.cells("", view.Shorten(s.Text, 300), s.Share+", "+s.Total, s.Calls+", "+s.Mean, p.styles.wrapped)
	}
}

func (p *page) coverage() {
	v := p.view
	p.blank()
	p.cells("Coverage", "input", "format", "read", p.styles.section)
	for _, in := range v.Inputs[:min(len(v.Inputs), maxRowsOnPage)] {
		p.cells("", in.Name, in.Format, strings.TrimSuffix(in.Read+"; "+in.Kinds, "; "), p.styles.wrapped)
	}
	p.more(len(v.Inputs), inputsSheet)
	if len(v.Losses) == 0 {
		p.para("losses", "none, no cap hit", p.styles.wrapped)
	}
	for i, l := range v.Losses[:min(len(v.Losses), maxRowsOnPage)] {
		p.para(onlyFirst(i, "losses"), l.Place+": "+l.String(), p.styles.wrapped)
	}
	p.more(len(v.Losses), lossesSheet)
	if v.Caps > 0 {
		p.para("caps hit", view.Counted(v.Caps, "time", "times")+": the figures are not complete", p.styles.bold)
	}
}

func (p *page) missing() {
	v := p.view
	if len(v.NotEvaluated) == 0 {
		p.para("not evaluated", "none", p.styles.wrapped)
	}
	for i, n := range v.NotEvaluated {
		p.para(onlyFirst(i, "not evaluated"), strings.TrimSuffix(n.ID+" "+n.Name+": "+n.Lacks+"; "+n.Add, "; "), p.styles.wrapped)
	}
	p.para("notes", strings.Join(v.Notes, "\n"), p.styles.wrapped)
}

func (p *page) more(n int, sheet string) {
	if n > maxRowsOnPage {
		p.para("", fmt.Sprintf("and %d more: see the sheet %s", n-maxRowsOnPage, sheet), p.styles.faint)
	}
}

func onlyFirst(i int, name string) string {
	if i == 0 {
		return name
	}
	return ""
}
