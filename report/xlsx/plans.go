package xlsx

import (
	"strings"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/ledger"
	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report/view"
)

const (
	maxIndent  = 40  // levels of a plan that are indented
	maxDetails = 12  // conditions and keys of a node
	maxDetail  = 300 // columns of each
)

// plans is one row for each node of the example plans, as EXPLAIN orders them.
func (b *book) plans() *table {
	type at struct{ plan, node int }
	var rows []at
	examples := b.view.Result.Plans
	accounts := make([]*ledger.Ledger, len(examples))
	for i := range examples {
		accounts[i] = ledger.New(examples[i].Plan, examples[i].Duration)
		for j := range examples[i].Plan.Nodes {
			rows = append(rows, at{i, j})
		}
	}
	return &table{
		name: plansSheet, optional: true, rows: len(rows), printed: 18,
		columns: []column{
			{"Finding", 10, text}, {"Plan", 6, whole}, {"Which of its shape", 10, text}, {"Node", 6, whole}, {"Operation", 50, wrapped},
			{"Self (ms)", 12, real}, {"Share of plan", 9, share}, {"Inclusive (ms)", 12, real}, {"Loops", 10, whole},
			{"Rows, all loops", 12, whole}, {"Planned rows, per loop", 12, whole}, {"Rows ÷ planned", 10, real},
			{"Own buffers (8 kB)", 12, whole}, {"Own buffers per row (8 kB)", 12, heat}, {"Read (8 kB)", 11, whole},
			{"Temp (8 kB)", 11, whole}, {"Own I/O (ms)", 10, real}, {"Details", 44, wrapped}, {"Logged (UTC)", 23, moment},
			{"Duration (ms)", 12, real}, {"Executions of the shape", 12, whole}, {"Statement", 60, text}, {"Fingerprint", 20, text},
			{"File", 36, wrapped}, {"Line", 11, whole},
		},
		row: func(i int) []any {
			x := &examples[rows[i].plan]
			return append(append(b.planHead(x, rows[i].plan, rows[i].node), nodeRow(accounts[rows[i].plan], rows[i].node)...), planTail(x, rows[i].node)...)
		},
	}
}

func (b *book) planHead(x *analysis.PlanExample, plan, node int) []any {
	return []any{b.back(statementsSheet, x.Fingerprint), int64(plan + 1), x.Which, int64(node + 1)}
}

// nodeRow leaves out what the plan does not tell: absent is not zero.
func nodeRow(l *ledger.Ledger, i int) []any {
	n, o := &l.Plan.Nodes[i], &l.Nodes[i]
	var self, part, inclusive, loops, rows, planned, off, own, perRow, read, temp, io any
	if n.Has(record.HasTiming) && n.ActualLoops > 0 {
		self, part, inclusive = o.Shown, o.Share, o.Inclusive
	}
	if n.Has(record.HasActual) {
		loops, rows = n.ActualLoops, o.Rows.Value
	}
	if n.Has(record.HasCosts) {
		planned = n.PlanRows
		if o.Estimate.Why == "" {
			off = o.Estimate.Factor
		}
	}
	if n.Has(record.HasBuffers) {
		own, perRow = o.Blocks, o.PerRow
		read, temp = o.SelfBuffers.SharedRead+o.SelfBuffers.LocalRead, o.SelfBuffers.TempRead+o.SelfBuffers.TempWritten
	}
	if o.SelfIO > 0 {
		io = o.SelfIO
	}
	return []any{operation(n), self, part, inclusive, loops, rows, planned, off, own, perRow, read, temp, io, details(n)}
}

// planTail is what is told once, beside the first node; the fingerprint stands
// on each row, to filter by.
func planTail(x *analysis.PlanExample, node int) []any {
	if node > 0 {
		return []any{nil, nil, nil, nil, view.Line(x.Fingerprint), nil, nil}
	}
	var duration any
	if x.Duration > 0 {
		duration = x.Duration.Milliseconds()
	}
	return []any{
		x.Time, duration, x.Executions, view.Line(x.Statement), view.Line(x.Fingerprint), view.Line(x.Pos.File), lineOf(x.Pos),
	}
}

// operation names the node as EXPLAIN's text does, indented by its depth.
func operation(n *record.Node) string {
	title := explain.NodeTitle(n)
	if n.SubplanName != "" {
		title = n.SubplanName + ": " + title
	}
	return strings.Repeat("  ", int(min(max(n.Depth, 0), maxIndent))) + view.Line(title)
}

// details are the lines below a node that have no column.
func details(n *record.Node) string {
	var out []string
	for _, text := range explain.NodeDetails(n) {
		if strings.HasPrefix(text, "Buffers: ") || strings.HasPrefix(text, "I/O Timings: ") {
			continue
		}
		if len(out) == maxDetails {
			out = append(out, "…")
			break
		}
		out = append(out, view.Shorten(view.Line(text), maxDetail))
	}
	return strings.Join(out, "\n")
}
