package report

import (
	"math"
	"strings"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/ledger"
	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report/view"
)

// What a plan's page shows of one node.
const (
	maxNodeTitle   = 400
	maxNodeDetail  = 300
	maxNodeDetails = 6 // unless all are asked for
)

// blockBytes is PostgreSQL's usual block size; plans do not tell it.
const blockBytes = 8192

// accounted is a plan with its ledger and the findings of each node.
type accounted struct {
	*analysis.ReadPlan
	*ledger.Ledger
	findings map[int][]int // node → indexes in ReadPlan.Findings
}

func account(p *analysis.ReadPlan) *accounted {
	a := &accounted{ReadPlan: p, Ledger: ledger.New(p.Plan, p.Logged()), findings: map[int][]int{}}
	for i := range p.Findings {
		node := p.Findings[i].Node
		a.findings[node] = append(a.findings[node], i)
	}
	return a
}

// node is the record of node i, and its account.
func (a *accounted) node(i int) (*record.Node, *ledger.Node) {
	return &a.Ledger.Plan.Nodes[i], &a.Nodes[i]
}

// title is the node as EXPLAIN's text names it, behind the name of its subplan.
func (a *accounted) title(i int) string {
	n, _ := a.node(i)
	text := explain.NodeTitle(n)
	if n.SubplanName != "" {
		text = n.SubplanName + ": " + text
	}
	return view.Shorten(view.Line(text), maxNodeTitle)
}

// measure is what the first column of a plan's page holds.
func (a *accounted) measure() string {
	switch {
	case a.Timed:
		return "self"
	case a.Executed && a.Buffered:
		return "buffers"
	}
	return "cost"
}

// amount is the measure of node i as text, and its share of the plan, NaN if it
// has none.
func (a *accounted) amount(i int) (text string, share float64) {
	n, o := a.node(i)
	none := math.NaN()
	switch a.measure() {
	case "self":
		if !n.Has(record.HasTiming) || n.ActualLoops == 0 {
			return "", none
		}
		return view.Quantity(o.Shown, "ms"), o.Share
	case "buffers":
		all := max(1, a.Blocks.Shared()+a.Blocks.LocalHit+a.Blocks.LocalRead)
		return view.Count(o.Blocks), min(1, max(0, float64(o.Blocks)/float64(all)))
	}
	if !n.Has(record.HasCosts) {
		return "", none
	}
	return view.Compact(n.TotalCost, ""), none
}

// facts are the figures of node i, in words.
func (a *accounted) facts(i int) []string {
	n, o := a.node(i)
	if n.Has(record.HasActual) && n.ActualLoops == 0 {
		return []string{"never executed"}
	}
	var out []string
	if text := a.rowsText(i); text != "" {
		out = append(out, text)
	}
	if n.ActualLoops > 1 {
		out = append(out, "loops "+view.Count(n.ActualLoops))
	}
	if a.Timed && n.Has(record.HasTiming) && !o.IsNoise && o.Self < 0 {
		out = append(out, "timing skew "+view.Quantity(o.Self, "ms"))
	}
	out = append(out, a.removed(i)...)
	out = append(out, a.bufferTexts(i)...)
	if o.SelfIO >= 0.0005 {
		out = append(out, ioText(o))
	}
	if n.Has(record.HasHeapFetches) {
		text := "heap fetches " + view.Count(n.HeapFetches)
		if o.Rows.Low > 0 && n.HeapFetches > 0 {
			text += " (" + view.Share(float64(n.HeapFetches)/o.Rows.Value) + " of rows)"
		}
		out = append(out, text)
	}
	if text := cacheText(n); text != "" {
		out = append(out, text)
	}
	if strings.HasPrefix(n.NodeType, "Gather") {
		out = append(out, a.workers(i))
	}
	if n.Has(record.HasWAL) && n.WALBytes > 0 {
		out = append(out, "WAL "+view.Quantity(float64(n.WALBytes), "bytes"))
	}
	return out
}

// ioText is what the node waited for blocks. The time is that of all processes.
func ioText(o *ledger.Node) string {
	text := "I/O " + view.Quantity(o.SelfIO, "ms")
	if o.Participants > 1 {
		text += " in " + view.Quantity(math.Round(o.Participants), "processes")
	}
	return text
}

// rowsText is "rows 41,000 (300 estimated, 137x more)", "" if the plan tells
// neither.
func (a *accounted) rowsText(i int) string {
	n, o := a.node(i)
	planned := rowCount(n.PlanRows)
	switch {
	case n.Has(record.HasActual):
	case !n.Has(record.HasCosts):
		return ""
	default:
		return "rows " + planned + " estimated"
	}
	text := "rows " + rangeText(o.Rows)
	if !n.Has(record.HasCosts) || o.Estimate.Why == ledger.PrintsNoRows {
		return text
	}
	estimated := planned + " estimated"
	if n.ActualLoops > 1 {
		estimated += " per loop"
	}
	word := factorText(o.Estimate)
	if o.Estimate.Why == ledger.StopsEarly && n.ActualRows.Float() < n.PlanRows {
		word = o.Estimate.Why
	}
	if word != "" {
		estimated += ", " + word
	}
	return text + " (" + estimated + ")"
}

// rowCount is a number of rows, which may be beyond all counts.
func rowCount(v float64) string {
	if v >= 0 && v < 1e15 {
		return view.Count(int64(v + 0.5))
	}
	return view.Quantity(v, "")
}

// rangeText is a count, or its interval where rounding leaves it open.
func rangeText(r ledger.Range) string {
	if r.High-r.Low < 0.5 || r.High-r.Low < 0.01*r.Value {
		return rowCount(r.Value)
	}
	low, high := math.Ceil(r.Low), math.Floor(r.High) // rows are whole
	if low >= high {
		return rowCount(r.Value)
	}
	return rowCount(low) + "–" + rowCount(high)
}

// factorText is "137x more" or "12x fewer"; "" if the estimate was right, or
// cannot be judged.
func factorText(e ledger.Estimate) string {
	const worth = 1.1 // a factor below says nothing
	switch {
	case e.Why != "" || e.Error() < worth:
		return ""
	case e.Factor < 1:
		return view.Quantity(1/e.Factor, "x") + " fewer"
	}
	return view.Quantity(e.Factor, "x") + " more"
}

// removed says what a node threw away, in all loops.
func (a *accounted) removed(i int) []string {
	n, _ := a.node(i)
	var out []string
	for _, r := range [...]struct {
		what string
		rows int64
	}{{"filter", n.RowsRemovedFilter}, {"join filter", n.RowsRemovedJoin}, {"recheck", n.RowsRemovedRecheck}} {
		if r.rows > 0 {
			out = append(out, "removed by "+r.what+" "+rowCount(float64(r.rows)*float64(max(1, n.ActualLoops))))
		}
	}
	return out
}

// bufferTexts are the node's own buffers, per row and as bytes, and what it
// spilled.
func (a *accounted) bufferTexts(i int) []string {
	n, o := a.node(i)
	if !n.Has(record.HasBuffers) {
		return nil
	}
	var out []string
	b := &o.SelfBuffers
	if o.Blocks != 0 {
		text := "buffers " + view.Count(o.Blocks) + " (" + blockSize(o.Blocks)
		if read := b.SharedRead + b.LocalRead; read > 0 {
			text += ", read " + view.Count(read)
		}
		if !math.IsNaN(o.PerRow) {
			text += ", " + view.Quantity(o.PerRow, "per row")
		}
		out = append(out, text+")")
	}
	if b.SharedDirtied+b.LocalDirtied > 0 {
		out = append(out, "dirtied "+view.Count(b.SharedDirtied+b.LocalDirtied))
	}
	if temp := max(b.TempRead, b.TempWritten); temp > 0 {
		out = append(out, "spilled "+view.Count(temp)+" temp blocks ("+blockSize(temp)+")")
	}
	return out
}

func blockSize(blocks int64) string { return view.Quantity(float64(blocks)*blockBytes, "bytes") }

// workers is "workers 1 of 2, 2 processes took part".
func (a *accounted) workers(i int) string {
	n, o := a.node(i)
	if !n.Has(record.HasActual) {
		return "workers planned " + view.Count(n.WorkersPlanned)
	}
	text := "workers " + view.Count(n.WorkersLaunched) + " of " + view.Count(n.WorkersPlanned)
	for k := i + 1; k < o.End; k = a.Nodes[k].End {
		if child, f := a.node(k); child.ParentRelationship != "InitPlan" && o.Participants > 0 {
			took := math.Round(f.Participants / o.Participants)
			return text + ", " + view.Counted(int64(took), "process", "processes") + " took part"
		}
	}
	return text
}

// details are the conditions, keys and other properties that the facts do not
// say; more is how many were left out.
func (a *accounted) details(i int, all bool) (lines []string, more int) {
	n, _ := a.node(i)
	for _, text := range explain.NodeDetails(n) {
		if isFact(text) || !all && strings.HasPrefix(text, "Output: ") {
			continue
		}
		if !all && len(lines) == maxNodeDetails {
			more++
			continue
		}
		if leadersOwn(n, text) {
			text = "leader: " + text
		}
		lines = append(lines, view.Shorten(view.Line(text), maxNodeDetail))
	}
	if all {
		for k := range n.Workers {
			lines = append(lines, workerText(&n.Workers[k]))
		}
	}
	return lines, more
}

// isFact tells the properties that facts say in their own words.
func isFact(text string) bool {
	for _, prefix := range [...]string{"Buffers: ", "I/O Timings: ", "WAL: ", "Heap Fetches: ", "Rows Removed by ", "Workers ", planKey + ": "} {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}
