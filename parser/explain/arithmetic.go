package explain

import (
	"math"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// NodeFigures is what one node cost by itself. Times are milliseconds; they are
// 0 where the plan reports none.
type NodeFigures struct {
	Loops int64
	// Participants is the number of processes that shared the node's work: loops
	// of the Gather's child ÷ loops of the Gather, multiplied along nested
	// Gathers. It is not workers + 1: the leader may not take part.
	Participants float64
	// CPU is the printed time × loops, summed over all processes. Inclusive is
	// CPU ÷ Participants, the mean elapsed time; Self is Inclusive less what
	// other nodes spent inside. Self may be negative: within Tolerance it is
	// rounding, beyond it the timing skew of a Gather that was stopped late.
	CPU, Inclusive, Self float64
	// Tolerance is the printing error of Self: times have three decimals and
	// are averages.
	Tolerance float64
	// SelfBuffers excludes what children, InitPlans and CTEs read inside.
	SelfBuffers record.Buffers
	// SelfIO is the time of reading and writing blocks without what others spent
	// inside, in ms. It is summed over processes, as CPU is.
	SelfIO float64
	// Outside marks the root of a data-modifying CTE that ran after the tree:
	// its Inclusive is not part of the root's.
	Outside bool
}

// printingError is half of the last decimal of a printed time, in ms.
const printingError = 0.0005

// maxSteps bounds the search for the nodes that evaluate InitPlans and CTEs.
// Beyond it an InitPlan is charged to its owner, a CTE to nobody.
const maxSteps = 10_000_000

// Arithmetic computes the figures of each node of p. Sum of Self over all nodes
// = Inclusive of the root + Inclusive of the nodes marked Outside, within the
// tolerances, and so for buffers.
//
// Facts: a SubPlan is inside its parent; an InitPlan is listed under its owner
// but spent in the node that first needs it; a CTE is spent in the scans that
// pull its rows, of which only the sum is determined. InitPlans come off before
// CTEs. Plan.Nodes need their Extra to name the node that needs an InitPlan.
func Arithmetic(p *record.Plan) []NodeFigures {
	a := &arithmetic{nodes: p.Nodes, figures: make([]NodeFigures, len(p.Nodes))}
	a.ends = subtreeEnds(p.Nodes)
	for i := range a.nodes {
		a.inclusive(i)
	}
	for i := range a.nodes {
		n := &a.nodes[i]
		if n.Parent >= 0 && n.ParentRelationship != "InitPlan" {
			a.charge(int(n.Parent), i)
		}
	}
	for i := range a.nodes {
		if n := &a.nodes[i]; n.ParentRelationship == "InitPlan" && n.Parent >= 0 && !isCTE(n) {
			a.charge(a.payer(i), i)
		}
	}
	for i := range a.nodes {
		if n := &a.nodes[i]; n.ParentRelationship == "InitPlan" && n.Parent >= 0 && isCTE(n) {
			a.chargeScans(i)
		}
	}
	return a.figures
}

type arithmetic struct {
	nodes   []record.Node
	figures []NodeFigures
	ends    []int // index behind the subtree of each node
	steps   int
}

func isCTE(n *record.Node) bool { return strings.HasPrefix(n.SubplanName, "CTE ") }

// subtreeEnds is the index behind the subtree of each node.
func subtreeEnds(nodes []record.Node) []int {
	ends := make([]int, len(nodes))
	for i := len(nodes) - 1; i >= 0; i-- {
		ends[i] = max(ends[i], i+1)
		if parent := nodes[i].Parent; parent >= 0 {
			ends[parent] = max(ends[parent], ends[i])
		}
	}
	return ends
}

// inclusive sets what a node cost with all below it.
func (a *arithmetic) inclusive(i int) {
	n, f := &a.nodes[i], &a.figures[i]
	f.Loops = n.ActualLoops
	f.Participants = 1
	if n.Parent >= 0 {
		parent := &a.nodes[n.Parent]
		f.Participants = a.figures[n.Parent].Participants
		if isGather(parent) && n.ParentRelationship != "InitPlan" && parent.ActualLoops > 0 {
			f.Participants *= max(1, float64(n.ActualLoops)/float64(parent.ActualLoops))
		}
	}
	f.CPU = n.ActualTotalTime.Milliseconds() * float64(n.ActualLoops)
	f.Inclusive = f.CPU / f.Participants
	f.Self = f.Inclusive
	f.Tolerance = a.error(i)
	f.SelfBuffers, f.SelfIO = n.Buffers, ioTime(n)
}

// ioTime is what a node with all below it waited for blocks, in ms.
func ioTime(n *record.Node) float64 {
	return (n.IOReadTime + n.IOWriteTime + n.TempIOReadTime + n.TempIOWriteTime).Milliseconds()
}

// error is the printing error of a node's inclusive time.
func (a *arithmetic) error(i int) float64 {
	return printingError * float64(a.nodes[i].ActualLoops) / a.figures[i].Participants
}

// charge takes the subtree of node i off the node that spent it.
func (a *arithmetic) charge(payer, i int) {
	f := &a.figures[payer]
	f.Self -= a.figures[i].Inclusive
	f.Tolerance += a.error(i)
	f.SelfBuffers = f.SelfBuffers.Sub(a.nodes[i].Buffers)
	f.SelfIO -= ioTime(&a.nodes[i])
}

// payer finds the node that evaluated InitPlan i: a Gather that evaluated
// parameters for its workers, else the lowest node that names the InitPlan and
// has the time, else the owner, or the first node below it that can pay.
func (a *arithmetic) payer(i int) int {
	owner := int(a.nodes[i].Parent)
	names := references(a.nodes[i].SubplanName)
	best := -1
	for j := owner; j < a.ends[owner] && a.steps < maxSteps; j++ {
		if a.steps++; j == i {
			j = a.ends[i] - 1
			continue
		}
		key, steps := mention(a.nodes[j].Extra, names)
		a.steps += steps
		if key == "Params Evaluated" {
			return j
		}
		if key != "" && (best < 0 || a.canPay(j, i) || !a.canPay(best, i)) {
			best = j
		}
	}
	if best >= 0 {
		return best
	}
	for j := owner; j < a.ends[owner] && a.steps < maxSteps; j++ {
		if a.steps++; j == i {
			j = a.ends[i] - 1
		} else if a.canPay(j, i) {
			return j
		}
	}
	return owner
}

// canPay tells whether node j has the time of InitPlan i left.
func (a *arithmetic) canPay(j, i int) bool {
	f := &a.figures[j]
	return f.Self+f.Tolerance >= a.figures[i].Inclusive
}

// maxParameters is how many results of one InitPlan are looked for.
const maxParameters = 8

// references is how expressions name an InitPlan: "$1" up to 16, "(InitPlan
// 1).col1" from 17 on.
func references(subplan string) []string {
	name, parameters, ok := strings.Cut(subplan, " (returns ")
	if !ok {
		return []string{"(" + name + ")."}
	}
	return strings.SplitN(strings.TrimSuffix(parameters, ")"), ",", maxParameters)
}

// mention is the key of the first extra that contains one of names, "" if none
// does, and the effort in steps. $1 is not $10.
func mention(extra []record.KeyValue, names []string) (key string, steps int) {
	for _, kv := range extra {
		for _, name := range names {
			steps += 1 + len(kv.Value)/64
			if mentions(kv.Value, name) {
				return kv.Key, steps
			}
		}
	}
	return "", steps
}

func mentions(text, name string) bool {
	for name != "" {
		i := strings.Index(text, name)
		if i < 0 {
			return false
		}
		text = text[i+len(name):]
		if !strings.HasPrefix(name, "$") || text == "" || text[0] < '0' || text[0] > '9' {
			return true
		}
	}
	return false
}

// chargeScans divides a CTE among the scans of it, in proportion to what they
// have left.
func (a *arithmetic) chargeScans(i int) {
	scans := a.scansOf(i)
	if len(scans) == 0 {
		a.figures[i].Outside = a.nodes[i].NodeType == "ModifyTable"
		return
	}
	cost := a.figures[i].Inclusive
	total := 0.0
	for _, j := range scans {
		total += max(0, a.figures[j].Self)
	}
	for n, j := range scans {
		f := &a.figures[j]
		share := 0.0
		if total > 0 {
			share = max(0, f.Self) / total
		} else if n == 0 {
			share = 1
		}
		f.Self -= cost * share
		f.Tolerance += a.error(i)
	}
	a.chargeBuffers(i, scans)
	a.chargeIO(i, scans)
}

// scansOf finds the executed scans of CTE i. A name means its nearest
// enclosing definition.
func (a *arithmetic) scansOf(i int) []int {
	owner := int(a.nodes[i].Parent)
	name := strings.TrimPrefix(a.nodes[i].SubplanName, "CTE ")
	var scans []int
	for j := owner; j < a.ends[owner] && a.steps < maxSteps; j++ {
		a.steps++
		n := &a.nodes[j]
		if n.NodeType == "CTE Scan" && n.CTEName == name && n.ActualLoops > 0 && a.definition(j, name) == i {
			scans = append(scans, j)
		}
	}
	return scans
}

// definition finds the CTE that a scan reads: the nearest node above, or
// itself, that owns one of this name.
func (a *arithmetic) definition(scan int, name string) int {
	for at := int32(scan); at >= 0; at = a.nodes[at].Parent {
		for j := int(at) + 1; j < a.ends[at] && a.steps < maxSteps; j = a.ends[j] {
			a.steps++
			if n := &a.nodes[j]; n.ParentRelationship == "InitPlan" && isCTE(n) && n.SubplanName[len("CTE "):] == name {
				return j
			}
		}
	}
	return -1
}

// chargeBuffers divides the blocks of CTE i among its scans, each counter in
// proportion to what they have left of it.
func (a *arithmetic) chargeBuffers(i int, scans []int) {
	cte := a.nodes[i].Buffers
	for k := keySharedHit; k <= keyTempWritten; k++ {
		left := *blocks(&cte, k)
		total := int64(0)
		for _, j := range scans {
			total += max(0, *blocks(&a.figures[j].SelfBuffers, k))
		}
		for n, j := range scans {
			own := blocks(&a.figures[j].SelfBuffers, k)
			share := left
			if n < len(scans)-1 && total > 0 {
				share = min(left, int64(math.Round(float64(*blocks(&cte, k))*float64(max(0, *own))/float64(total))))
			}
			*own -= share
			left -= share
		}
	}
}

// chargeIO divides the I/O time of CTE i among its scans, in proportion to what
// they have left of it.
func (a *arithmetic) chargeIO(i int, scans []int) {
	total := 0.0
	for _, j := range scans {
		total += max(0, a.figures[j].SelfIO)
	}
	if total == 0 {
		return
	}
	cost := ioTime(&a.nodes[i])
	for _, j := range scans {
		a.figures[j].SelfIO -= cost * max(0, a.figures[j].SelfIO) / total
	}
}
