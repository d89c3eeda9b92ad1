package html

import (
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report/view"
)

// What the plan viewer shows.
const (
	maxPlanNodes = 500   // of one plan
	maxNodes     = 1_500 // of all plans
	maxDetails   = 12    // conditions and keys of a node
	maxGuide     = 40    // levels that are indented
)

// plan is one example as a tree in a table.
type plan struct {
	Anchor    string // "plan-1"
	Statement string
	Head      string // "slowest of 5,042 executions of this shape · 85.1 s"
	Time      moment
	Place     string
	Notes     []string
	Nodes     []planNode
	MoreNodes int
}

// planNode is one row. Share and BufferShare are of the whole plan, 0 to 100.
type planNode struct {
	Depth       int
	Guide       string
	Label       string
	Details     []string
	Self        cell
	Inclusive   cell
	Share       int
	Rows        cell
	Planned     cell
	Loops       cell
	Buffers     cell // hit + read of shared buffers, its own
	BufferShare int
	Read        cell
	Temp        cell
}

func planAnchor(i int) string { return "plan-" + strconv.Itoa(i+1) }

// shownPlans are the plans that the page has room for.
func shownPlans(v *view.View) []analysis.PlanExample {
	nodes := 0
	for i := range v.Result.Plans {
		if nodes += min(len(v.Result.Plans[i].Plan.Nodes), maxPlanNodes); nodes > maxNodes {
			return v.Result.Plans[:i]
		}
	}
	return v.Result.Plans
}

// planAnchors is where each statement's first plan stands.
func planAnchors(v *view.View) map[string]string {
	anchors := map[string]string{}
	for i, x := range shownPlans(v) {
		if _, ok := anchors[x.Fingerprint]; !ok {
			anchors[x.Fingerprint] = planAnchor(i)
		}
	}
	return anchors
}

func (p *page) plans(v *view.View) {
	shown := shownPlans(v)
	for i := range shown {
		p.Plans = append(p.Plans, planOf(&shown[i], planAnchor(i)))
	}
	p.MorePlans = len(v.Result.Plans) - len(shown)
}

func planOf(x *analysis.PlanExample, anchor string) plan {
	o := plan{
		Anchor: anchor, Statement: view.Shorten(view.Line(x.Statement), 400), Time: momentOf(x.Time),
		Place:     view.Line(x.Pos.String()),
		Head:      x.Which + " of " + view.Counted(x.Executions, "execution", "executions") + " of this shape",
		MoreNodes: max(0, len(x.Plan.Nodes)-maxPlanNodes),
	}
	if x.Statement == "" {
		o.Statement = "statement " + view.Line(x.Fingerprint)
	}
	if x.Duration > 0 {
		o.Head += " · " + view.Span(x.Duration)
	}
	o.Notes = planNotes(x.Plan)
	guides := guides(x.Plan.Nodes)
	ms, buffers := totals(x)
	for i := range x.Plan.Nodes[:len(x.Plan.Nodes)-o.MoreNodes] {
		n := nodeOf(&x.Plan.Nodes[i], &x.Figures[i], ms, buffers)
		n.Guide = guides[i]
		o.Nodes = append(o.Nodes, n)
	}
	return o
}

// totals is what counts as 100 % of the plan: the roots' time in ms, the
// buffers of all nodes.
func totals(x *analysis.PlanExample) (ms, buffers float64) {
	for i := range x.Plan.Nodes {
		f := &x.Figures[i]
		if x.Plan.Nodes[i].Parent < 0 || f.Outside {
			ms += f.Inclusive
		}
		buffers += float64(max(0, f.SelfBuffers.Shared()))
	}
	return ms, buffers
}

func planNotes(p *record.Plan) []string {
	var out []string
	if p.HasPlanning {
		out = append(out, "planning "+view.Span(p.PlanningTime))
	}
	if p.HasExecution {
		out = append(out, "execution "+view.Span(p.ExecutionTime))
	}
	for _, t := range p.Triggers {
		out = append(out, "trigger "+view.Line(t.Name+t.Constraint)+" "+view.Span(t.Time)+", "+view.Counted(t.Calls, "call", "calls"))
	}
	if p.Truncated {
		out = append(out, "the input ends inside this plan")
	}
	return out[:min(len(out), maxDetails)]
}

func nodeOf(n *record.Node, f *explain.NodeFigures, ms, buffers float64) planNode {
	o := planNode{
		Depth: int(n.Depth), Label: view.Shorten(view.Line(label(n)), 240), Details: details(n), Self: absent(), Inclusive: absent(),
		Rows: absent(), Planned: absent(), Loops: absent(), Buffers: absent(), Read: absent(), Temp: absent(),
	}
	if n.Has(record.HasCosts) {
		o.Planned = decimal(n.PlanRows, "")
	}
	if n.Has(record.HasActual) {
		o.Loops = whole(n.ActualLoops)
		o.Rows = decimal(n.ActualRows.Float()*float64(n.ActualLoops), "")
		if n.ActualLoops == 0 {
			o.Details = append(o.Details, "never executed")
		}
	}
	if n.Has(record.HasTiming) {
		o.Self, o.Inclusive = decimal(f.Self, "ms"), decimal(f.Inclusive, "ms")
		o.Share = percent(f.Self, ms)
	}
	if n.Has(record.HasBuffers) {
		b := f.SelfBuffers
		o.Buffers, o.Read, o.Temp = whole(b.Shared()), whole(b.SharedRead), whole(b.TempRead+b.TempWritten)
		o.BufferShare = percent(float64(b.Shared()), buffers)
	}
	return o
}

func percent(part, all float64) int {
	if all <= 0 || part <= 0 {
		return 0
	}
	return int(min(100, 100*part/all) + 0.5)
}

// label names a node as EXPLAIN's text format does: "Index Scan using i on t".
func label(n *record.Node) string {
	var b strings.Builder
	if n.SubplanName != "" {
		b.WriteString(n.SubplanName + ": ")
	}
	if n.ParallelAware {
		b.WriteString("Parallel ")
	}
	for _, s := range []string{n.PartialMode, n.Strategy} {
		if s != "" && s != "Simple" && s != "Plain" && s != "Sorted" {
			b.WriteString(s + " ")
		}
	}
	b.WriteString(n.NodeType)
	if n.NodeType == "ModifyTable" && n.Operation != "" {
		b.WriteString(" (" + n.Operation + ")")
	}
	if n.JoinType != "" && n.JoinType != "Inner" {
		b.WriteString(", " + n.JoinType + " join")
	}
	if n.IndexName != "" {
		b.WriteString(" using " + n.IndexName)
	}
	target := n.RelationName
	if target != "" && n.SchemaName != "" {
		target = n.SchemaName + "." + target
	}
	for _, s := range []string{target, n.CTEName, n.FunctionName} {
		if s != "" {
			b.WriteString(" on " + s)
		}
	}
	if n.Alias != "" && n.Alias != n.RelationName {
		b.WriteString(" " + n.Alias)
	}
	return b.String()
}

// details are what a plan says of a node beside its figures.
func details(n *record.Node) []string {
	var out []string
	count := func(what string, v int64, reported bool) {
		if reported {
			out = append(out, what+": "+view.Count(v))
		}
	}
	count("Rows Removed by Filter, per loop", n.RowsRemovedFilter, n.RowsRemovedFilter > 0)
	count("Rows Removed by Join Filter, per loop", n.RowsRemovedJoin, n.RowsRemovedJoin > 0)
	count("Rows Removed by Index Recheck, per loop", n.RowsRemovedRecheck, n.RowsRemovedRecheck > 0)
	count("Heap Fetches", n.HeapFetches, n.Has(record.HasHeapFetches))
	count("Index Searches", n.IndexSearches, n.Has(record.HasIndexSearches))
	count("WAL Bytes", n.WALBytes, n.Has(record.HasWAL))
	if n.WorkersPlanned > 0 {
		out = append(out, "Workers Launched: "+view.Count(n.WorkersLaunched)+" of "+view.Count(n.WorkersPlanned))
	}
	for _, kv := range n.Extra {
		if len(out) == maxDetails {
			return append(out, "…")
		}
		out = append(out, view.Shorten(view.Line(kv.Key+": "+kv.Value), 300))
	}
	return out
}

// guides draws the lines of the tree before each node.
func guides(nodes []record.Node) []string {
	last := make([]bool, len(nodes)) // the last child of its parent
	seen := make(map[int32]bool, len(nodes))
	for i := len(nodes) - 1; i >= 0; i-- {
		last[i] = !seen[nodes[i].Parent]
		seen[nodes[i].Parent] = true
	}
	stems := make([]string, len(nodes)) // what stands before the children
	out := make([]string, len(nodes))
	for i := range nodes {
		parent := nodes[i].Parent
		if parent < 0 || nodes[i].Depth > maxGuide {
			if parent >= 0 {
				out[i], stems[i] = stems[parent], stems[parent]
			}
			continue
		}
		branch, stem := "├─ ", "│  "
		if last[i] {
			branch, stem = "└─ ", "   "
		}
		out[i], stems[i] = stems[parent]+branch, stems[parent]+stem
	}
	return out
}
