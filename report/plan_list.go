package report

import (
	"math"

	"github.com/pgassay/pgassay/analysis/ledger"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report/view"
)

// list writes the nodes as a flat list in the order that was asked for, and what
// was found at them.
func (p *page) list(a *accounted, o PlanOptions) {
	p.table("", listRows(a, o.Sort), 5)
	for i := range a.ReadPlan.Findings {
		if f := &a.ReadPlan.Findings[i]; f.Node >= 0 {
			p.para(body, plain, findingText(&f.Finding)+" (at "+a.title(f.Node)+")", severityStyle(f.Finding.Severity))
		}
	}
}

// listRows are the nodes in an order, below their header.
func listRows(a *accounted, by ledger.Order) [][]string {
	rows := [][]string{{"self", "share", "buffers", "per row", "rows", "estimate", "node"}}
	for _, i := range a.Sorted(by) {
		rows = append(rows, listRow(a, i))
	}
	return rows
}

func listRow(a *accounted, i int) []string {
	n, o := a.node(i)
	self, share, blocks, perRow, rows, estimate := "", "", "", "", "", ""
	if n.Has(record.HasTiming) && n.ActualLoops > 0 {
		self, share = view.Quantity(o.Shown, "ms"), percentText(o.Share)
	}
	if n.Has(record.HasBuffers) {
		blocks = view.Count(o.Blocks)
	}
	if !math.IsNaN(o.PerRow) {
		perRow = view.Quantity(o.PerRow, "")
	}
	if n.Has(record.HasActual) {
		rows = rangeText(o.Rows)
	}
	if n.Has(record.HasCosts) {
		estimate = rowCount(n.PlanRows)
		if word := factorText(o.Estimate); word != "" {
			estimate += ", " + word
		}
	}
	title := a.title(i)
	if n.Line > 0 {
		title += " (line " + view.Count(n.Line) + ")"
	}
	return []string{self, share, blocks, perRow, rows, estimate, title}
}

// sums writes a table of what nodes cost together; nothing if there is none.
func (p *page) sums(what string, sums []ledger.Sum) {
	if len(sums) == 0 {
		return
	}
	p.blank()
	p.table("", sumRows(what, sums), 5)
}

func sumRows(what string, sums []ledger.Sum) [][]string {
	rows := [][]string{{"self", "share", "buffers", "rows", "nodes", what}}
	for i := range sums {
		s := &sums[i]
		rows = append(rows, []string{
			view.Quantity(s.Self, "ms"), percentText(s.Share), view.Count(s.Blocks), rowCount(s.Rows),
			view.Count(int64(s.Nodes)), view.Shorten(view.Line(s.Name), maxCell),
		})
	}
	return rows
}
