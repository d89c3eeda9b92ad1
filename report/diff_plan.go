package report

import (
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/plandiff"
	"github.com/pgassay/pgassay/report/view"
)

// maxDiffTitle is what a table of differences shows of a node, in columns.
const maxDiffTitle = 160

// planSections are the totals, the changes of shape, and the nodes whose figures
// differ.
func planSections(c *PlanPair, o DiffOptions) []section {
	return []section{planTotals(c), shapeSection(c.Comparison), figureSection(c.Comparison, o)}
}

func planTotals(c *PlanPair) section {
	s := section{rows: [][]string{{"", "old", "new", "change", "noise"}}, kept: 4}
	s.texts = []string{
		"old: " + planPlace(c.Old), "new: " + planPlace(c.New),
	}
	if a, b := c.Old, c.New; a.Fingerprint != b.Fingerprint && !isPlanKey(a.Fingerprint) && !isPlanKey(b.Fingerprint) {
		s.texts = append(s.texts, "The plans are of two different statements.")
	}
	for _, t := range []struct {
		what, unit string
		d          plandiff.Delta
	}{{"execution", "ms", c.Execution}, {"planning", "ms", c.Planning}, {"buffers", "", c.Buffers}, {"rows", "", c.Rows}} {
		if finite(t.d.Old) || finite(t.d.New) {
			s.rows = append(s.rows, deltaRow(t.what, t.unit, t.d))
		}
	}
	if !c.Differs() {
		s.texts = append(s.texts, "Nothing differs beyond noise.")
	}
	return s
}

// isPlanKey tells a fingerprint that was made of the plan, for lack of the
// statement.
func isPlanKey(fingerprint string) bool { return strings.HasPrefix(fingerprint, "plan:") }

func planPlace(p *analysis.ReadPlan) string {
	text := view.Line(p.Pos.String())
	if p.Time.Known() {
		text += ", " + p.Time.Std().Format("2006-01-02 15:04:05 UTC")
	}
	return text
}

// deltaRow is a figure before and after. A difference within noise says so.
func deltaRow(what, unit string, d plandiff.Delta) []string {
	change, noise := changeText(d.Ratio()), ""
	switch {
	case !d.Known():
		change = ""
	case d.Old == d.New:
		change = "same"
	case !d.Differs():
		change = "within noise"
	}
	if d.Known() && d.Noise > 0 {
		noise = "±" + amountText(d.Noise, unit)
	}
	return []string{what, amountText(d.Old, unit), amountText(d.New, unit), change, noise}
}

func shapeSection(c *plandiff.Comparison) section {
	s := section{title: "Shape"}
	if c.SameShape {
		s.texts = []string{"the same: " + view.Counted(int64(len(c.Nodes)), "node", "nodes")}
		return s
	}
	s.rows, s.kept = append([][]string{{"line", "node", "change"}}, shapeRows(c)...), 1
	return s
}

// shapeRows are the nodes that are new, gone or other than they were.
func shapeRows(c *plandiff.Comparison) [][]string {
	var rows [][]string
	for i := range c.Nodes {
		n := &c.Nodes[i]
		for k, text := range n.Changes {
			line, title := "", ""
			if k == 0 {
				line, title = nodeLine(c, n), nodeName(n)
			}
			rows = append(rows, []string{line, title, view.Shorten(view.Line(text), maxDiffTitle)})
		}
	}
	return rows
}

func nodeName(n *plandiff.Node) string { return view.Shorten(view.Line(n.Title), maxDiffTitle) }

// nodeLine is the line of the node in the new plan, "−12" in the old one if it is
// gone.
func nodeLine(c *plandiff.Comparison, n *plandiff.Node) string {
	sign, line := "", int64(0)
	if n.New >= 0 {
		line = c.New.Plan.Nodes[n.New].Line
	} else {
		sign, line = "−", c.Old.Plan.Nodes[n.Old].Line
	}
	if line == 0 {
		return sign
	}
	return sign + strconv.FormatInt(line, 10)
}

// figureSection lists the figures that differ, with the noise that they exceed;
// with o.All those within noise too.
func figureSection(c *plandiff.Comparison, o DiffOptions) section {
	s := section{title: "Figures, of each node by itself", kept: 0}
	var rows [][]string
	for i := range c.Nodes {
		n := &c.Nodes[i]
		title := nodeName(n)
		for _, f := range []struct {
			what, unit string
			d          plandiff.Delta
		}{{"self time", "ms", n.Self}, {"rows", "", n.Rows}, {"buffers", "", n.Buffers}, {"buffers/row", "", n.PerRow}} {
			alone := !f.d.Known() && (f.d.Old > f.d.Noise || f.d.New > f.d.Noise) // of a node without counterpart
			if f.d.Differs() || alone || o.All && f.d.Known() {
				row := deltaRow(f.what, f.unit, f.d)
				rows = append(rows, append([]string{title}, row...))
				title = ""
			}
		}
	}
	if len(rows) == 0 {
		s.texts = []string{"no difference beyond noise"}
		return s
	}
	s.rows = append([][]string{{"node", "", "old", "new", "change", "noise"}}, rows...)
	return s
}
