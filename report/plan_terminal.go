package report

import (
	"io"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/ledger"
	"github.com/pgassay/pgassay/report/view"
)

// The columns before the tree: the measure, its bar, its share.
const (
	measureWidth = 10
	barWidth     = 8
	shareWidth   = 8
	treeColumn   = measureWidth + 1 + barWidth + shareWidth + 2
)

// planTerminal writes plans for reading. No line is wider than the page, and
// there is no escape sequence but of its own colours.
func planTerminal(w io.Writer, s *analysis.PlanSet, o PlanOptions) error {
	for i := range s.Plans {
		if s.Plans[i].Plan == nil {
			continue
		}
		p := &page{width: max(o.Width, MinWidth), color: o.Color}
		if i > 0 {
			p.blank()
			p.line(p.paint(faint, strings.Repeat("─", p.width)))
			p.blank()
		}
		p.plan(account(&s.Plans[i]), s.Found, o)
		if _, err := io.WriteString(w, p.b.String()); err != nil {
			return err
		}
	}
	p := &page{width: max(o.Width, MinWidth), color: o.Color}
	p.planTail(s, o)
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *page) plan(a *accounted, found int64, o PlanOptions) {
	p.para("", plain, a.place(found), bold)
	if text := a.statement(); text != "" {
		p.para(body, plain, view.Shorten(text, 3*(p.width-len(body))-10), plain)
	}
	p.blank()
	p.table(body, a.summary(), 1)
	p.blank()
	if o.Sort != "" {
		p.list(a, o)
	} else {
		p.tree(a, o)
	}
	for _, i := range a.findings[-1] {
		p.placed(body, &a.ReadPlan.Findings[i].Finding)
	}
	if o.NodeTypes {
		p.sums("node type", a.ByNodeType())
		p.sums("relation", a.ByRelation())
		p.sums("index", a.ByIndex())
	}
}

// planTail is what concerns all plans: findings without a place, losses,
// repairs.
func (p *page) planTail(s *analysis.PlanSet, o PlanOptions) {
	if len(s.Findings) > 0 {
		p.blank()
		p.para("", plain, "Findings about the input as a whole", bold)
		for i := range s.Findings {
			p.placed(body, &s.Findings[i])
		}
	}
	if rows := planLosses(s, o.Verbose); len(rows) > 0 {
		p.blank()
		p.table("", rows, 1)
	}
}

// tree writes the nodes in their order, each with its measure, share and facts.
func (p *page) tree(a *accounted, o PlanOptions) {
	p.line(p.paint(faint, padLeft(a.measure(), measureWidth)+" "+pad("share", barWidth+shareWidth+2)+"node"))
	room := p.width - treeColumn
	guides := treeGuides(a, room/2)
	for i := range a.Nodes {
		text, share := a.amount(i)
		lead := p.lead(text, share)
		for k, line := range wrap(a.title(i), room-view.Width(guides[i].branch)) {
			if k == 0 {
				p.line(lead + p.paint(faint, guides[i].branch) + p.paint(titleStyle(share), line))
			} else {
				p.under(guides[i].stem, line, plain)
			}
		}
		p.nodeBody(a, i, guides[i].stem, o)
	}
}

// nodeBody writes what belongs to a node, under it.
func (p *page) nodeBody(a *accounted, i int, stem string, o PlanOptions) {
	room := p.width - treeColumn - view.Width(stem)
	for _, line := range wrapFacts(a.facts(i), room) {
		p.under(stem, line, factStyle(&a.Nodes[i]))
	}
	lines, more := a.details(i, o.Verbose)
	if more > 0 {
		lines = append(lines, "and "+strconv.Itoa(more)+" more: --verbose")
	}
	for _, text := range lines {
		for _, line := range wrap(text, room) {
			p.under(stem, line, faint)
		}
	}
	for _, k := range a.findings[i] {
		f := &a.ReadPlan.Findings[k].Finding
		for _, line := range wrap(findingText(f), room) {
			p.under(stem, line, severityStyle(f.Severity))
		}
	}
}

func (p *page) under(stem, text string, s style) {
	p.line(strings.Repeat(" ", treeColumn) + p.paint(faint, stem) + p.paint(s, text))
}

// lead is the columns before the tree.
func (p *page) lead(text string, share float64) string {
	percent := ""
	if finite(share) {
		percent = percentText(share)
	}
	return padLeft(text, measureWidth) + " " + p.paint(titleStyle(share), pad(bar(share), barWidth)) + padLeft(percent, shareWidth) + "  "
}

// percentText is a share of one with one decimal, so that a column of them reads
// well.
func percentText(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + " %" }

// bar draws a share of one in eighths of a column.
func bar(share float64) string {
	const eighths = "▏▎▍▌▋▊▉"
	n := level(share, 8*barWidth)
	text := strings.Repeat("█", n/8)
	if rest := n % 8; rest > 0 {
		text += string([]rune(eighths)[rest-1])
	}
	return text
}

// titleStyle marks the nodes that matter.
func titleStyle(share float64) style {
	switch {
	case share >= 0.3:
		return red
	case share >= 0.1:
		return yellow
	}
	return plain
}

// factStyle marks estimates that were ten times off.
func factStyle(o *ledger.Node) style {
	const far = 10
	if o.Estimate.Why == "" && o.Estimate.Error() >= far {
		return yellow
	}
	return plain
}

// placed writes a finding in one paragraph.
func (p *page) placed(indent string, f *finding.Finding) {
	p.para(indent, plain, findingText(f), severityStyle(f.Severity))
}

func findingText(f *finding.Finding) string {
	return "▲ " + view.Line(f.ID+" "+f.Severity.String()+": "+f.Title)
}

func padLeft(s string, width int) string {
	return strings.Repeat(" ", max(0, width-view.Width(s))) + s
}

// wrapFacts joins facts with " · ", breaking lines between them.
func wrapFacts(facts []string, width int) []string {
	const separator = " · "
	var out []string
	line := ""
	for _, f := range facts {
		switch {
		case line == "":
			line = f
		case view.Width(line)+view.Width(separator)+view.Width(f) <= width:
			line += separator + f
		default:
			out = append(out, wrap(line, width)...)
			line = f
		}
	}
	if line == "" {
		return out
	}
	return append(out, wrap(line, width)...)
}

// guide is what stands before a node: branch on its first line, stem on those
// below.
type guide struct{ branch, stem, children string }

// treeGuides draws the lines of the tree. Below the level that takes width
// columns the tree is drawn straight down, with the depth as a number.
func treeGuides(a *accounted, width int) []guide {
	nodes := a.ReadPlan.Plan.Nodes
	out := make([]guide, len(nodes))
	last := make([]bool, len(nodes)) // the last child of its parent
	seen := make([]bool, len(nodes))
	for i := len(nodes) - 1; i > 0; i-- {
		parent := nodes[i].Parent
		last[i] = !seen[parent]
		seen[parent] = true
	}
	for i := range nodes {
		g := &out[i]
		parent := nodes[i].Parent
		switch {
		case parent < 0:
			g.children = ""
		case view.Width(out[parent].children)+3 > width:
			g.branch = out[parent].children + strconv.Itoa(int(nodes[i].Depth)) + "› "
			g.stem, g.children = out[parent].children+"  ", out[parent].children
			continue
		case last[i]:
			g.branch, g.children = out[parent].children+"└─ ", out[parent].children+"   "
		default:
			g.branch, g.children = out[parent].children+"├─ ", out[parent].children+"│  "
		}
		g.stem = g.children
		if seen[i] {
			g.stem += "│  "
		} else {
			g.stem += "   "
		}
	}
	return out
}
