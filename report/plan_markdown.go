package report

import (
	"io"
	"strings"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/ledger"
	"github.com/pgassay/pgassay/report/view"
)

// maxMarkdownDepth is how far a node is indented in a table.
const maxMarkdownDepth = 40

// planMarkdown writes each plan as a table of its nodes. All text of the input is
// escaped.
func planMarkdown(w io.Writer, s *analysis.PlanSet, o PlanOptions) error {
	for i := range s.Plans {
		if s.Plans[i].Plan == nil {
			continue
		}
		var m markdownPage
		m.plan(account(&s.Plans[i]), s.Found, o)
		if _, err := io.WriteString(w, m.b.String()); err != nil {
			return err
		}
	}
	var m markdownPage
	for i := range s.Findings {
		m.b.WriteString("- " + markdownText(findingText(&s.Findings[i])) + "\n")
	}
	for _, row := range planLosses(s, o.Verbose) {
		m.para(markdownText(strings.TrimSpace(row[0] + " " + row[1])))
	}
	_, err := io.WriteString(w, m.b.String())
	return err
}

func (m *markdownPage) plan(a *accounted, found int64, o PlanOptions) {
	m.heading(2, a.place(found))
	if text := a.statement(); text != "" {
		m.code("sql", view.Shorten(text, maxText))
	}
	what := ""
	for _, row := range a.summary() {
		if row[0] != "" {
			what = row[0]
		}
		m.item(what, row[1])
	}
	m.b.WriteByte('\n')
	by := o.Sort
	if by != "" {
		m.table(listRows(a, by))
	} else {
		m.table(treeRows(a))
	}
	for i := range a.ReadPlan.Findings {
		f := &a.ReadPlan.Findings[i]
		at := "the plan"
		if f.Node >= 0 {
			at = a.title(f.Node)
		}
		m.item(at, findingText(&f.Finding))
	}
	m.b.WriteByte('\n')
	if o.NodeTypes {
		for _, t := range []struct {
			what string
			sums []ledger.Sum
		}{{"node type", a.ByNodeType()}, {"relation", a.ByRelation()}, {"index", a.ByIndex()}} {
			if len(t.sums) > 0 {
				m.table(sumRows(t.what, t.sums))
			}
		}
	}
}

// treeRows are the nodes in the order of the plan, indented by dashes.
func treeRows(a *accounted) [][]string {
	rows := [][]string{{a.measure(), "share", "node", "figures"}}
	for i := range a.Nodes {
		n, _ := a.node(i)
		text, share := a.amount(i)
		percent := ""
		if finite(share) {
			percent = percentText(share)
		}
		title := strings.Repeat("– ", min(int(n.Depth), maxMarkdownDepth)) + a.title(i)
		rows = append(rows, []string{text, percent, title, strings.Join(a.facts(i), " · ")})
	}
	return rows
}
