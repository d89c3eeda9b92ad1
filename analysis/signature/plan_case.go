package signature

import (
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/sqltext"
)

// planCase is the slowest example of one plan shape of a statement, with what
// each of its nodes cost.
type planCase struct {
	Model     *dataset.Model
	Statement *dataset.Statement
	Shape     *dataset.Shape
	Example   *dataset.Example
	Plan      *record.Plan
	Figures   []explain.NodeFigures
	// Total is what the execution took in ms: the longest of what the plan and
	// the log say. Planning is not in it.
	Total float64
	// Timed says that the nodes carry times. Without them costs are shares of
	// Total in proportion to buffers.
	Timed bool
	// Share is what executions of this shape took of the observed server time; 1
	// for a plan that no log tells of, Logged false. Whole is the same with what
	// the executions took outside the plan.
	Share, Whole float64
	Logged       bool

	log        *shapeLog
	usualReads float64 // median share of buffers that the statement's plans read
	readings   int     // plans behind usualReads

	children [][]int
	ends     []int
	early    []bool  // see stopsEarly
	spills   []spill // see spill; nil until asked for
	buffers  int64   // of the whole plan, for nodes without times
}

// planCases are the cases of all statements whose plans were kept, by
// fingerprint, then most frequent shape first.
func planCases(p *Pass) []*planCase {
	return shared(p, "plan cases", func(m *dataset.Model) []*planCase {
		var out []*planCase
		all := m.ServerTime()
		for _, s := range m.Statements {
			var log *statementLog
			for i := range s.Shapes {
				if x := &s.Shapes[i].Slowest; x.Plan != nil && len(x.Plan.Nodes) > 0 {
					if log == nil {
						log = statementLogOf(s)
					}
					c := newPlanCase(m, s, &s.Shapes[i])
					c.weigh(log, all)
					out = append(out, c)
				}
			}
		}
		return out
	})
}

func newPlanCase(m *dataset.Model, s *dataset.Statement, shape *dataset.Shape) *planCase {
	c := &planCase{Model: m, Statement: s, Shape: shape, Example: &shape.Slowest, Plan: shape.Slowest.Plan}
	c.Figures = explain.Arithmetic(c.Plan)
	n := len(c.Plan.Nodes)
	c.children, c.ends = make([][]int, n), make([]int, n)
	for i := n - 1; i >= 0; i-- {
		c.ends[i] = max(c.ends[i], i+1)
		c.Timed = c.Timed || c.Plan.Nodes[i].Has(record.HasTiming)
		if parent := c.Plan.Nodes[i].Parent; parent >= 0 {
			c.ends[parent] = max(c.ends[parent], c.ends[i])
		}
	}
	tree := 0.0
	for i := range c.Plan.Nodes {
		if parent := c.Plan.Nodes[i].Parent; parent >= 0 {
			c.children[parent] = append(c.children[parent], i)
		}
		if i == 0 || c.Figures[i].Outside {
			tree += c.Figures[i].Inclusive
		}
		c.buffers += allBlocks(c.Figures[i].SelfBuffers)
	}
	c.markEarly()
	c.Total = max(tree, c.Plan.ExecutionTime.Milliseconds(), c.Example.Duration.Milliseconds())
	return c
}

// allBlocks counts the accesses that take time in proportion.
func allBlocks(b record.Buffers) int64 {
	return max(0, b.Shared()+b.LocalHit+b.LocalRead+b.TempRead+b.TempWritten)
}

func (c *planCase) node(i int) *record.Node { return &c.Plan.Nodes[i] }

// self is what node i cost by itself in ms of elapsed time, less what the
// printing of times leaves open.
func (c *planCase) self(i int) float64 {
	f := &c.Figures[i]
	if c.Timed {
		return min(c.Total, max(0, f.Self-f.Tolerance))
	}
	if c.buffers == 0 {
		return 0
	}
	return c.Total * float64(allBlocks(f.SelfBuffers)) / float64(c.buffers)
}

// inclusive is what node i cost with all below it.
func (c *planCase) inclusive(i int) float64 {
	if c.Timed {
		return min(c.Total, c.Figures[i].Inclusive)
	}
	if c.buffers == 0 {
		return 0
	}
	return min(c.Total, c.Total*float64(allBlocks(c.node(i).Buffers))/float64(c.buffers))
}

// processes is the number of processes that shared the work of node i.
func (c *planCase) processes(i int) float64 { return max(1, c.Figures[i].Participants) }

// executed tells a node that ran and says how many rows it gave.
func (c *planCase) executed(i int) bool {
	n := c.node(i)
	return n.Has(record.HasActual) && n.ActualLoops > 0
}

// rows is the number of rows of all loops, and the interval that the printed
// average stands for.
func (c *planCase) rows(i int) (rows, low, high float64) {
	n := c.node(i)
	loops := float64(n.ActualLoops)
	rows = n.ActualRows.Float() * loops
	e := c.rounding(i) * loops
	return rows, max(0, rows-e), rows + e
}

// rounding is half of the last printed decimal of the rows of one loop: rows
// are printed as an average, with two decimals from PostgreSQL 18 on.
func (c *planCase) rounding(i int) float64 {
	switch n := c.node(i); {
	case n.ActualLoops <= 1:
		return 0
	case n.Has(record.HasFractionalRows):
		return 0.005
	}
	return 0.5
}

// removed is the least number of rows that an average of n per loop stands
// for: removed rows are whole averages in every version.
func (c *planCase) removed(i int, n int64) float64 {
	loops := float64(c.node(i).ActualLoops)
	if loops > 1 {
		return max(0, (float64(n)-0.5)*loops)
	}
	return float64(n)
}

// inputs are the children that feed node i: neither InitPlans nor SubPlans.
func (c *planCase) inputs(i int) []int {
	var out []int
	for _, k := range c.children[i] {
		if r := c.node(k).ParentRelationship; r != "InitPlan" && r != "SubPlan" {
			out = append(out, k)
		}
	}
	return out
}

// maxJoinChildren bounds the inputs, InitPlans and SubPlans of a join that is
// looked into.
const maxJoinChildren = 100

// joinSides are the outer and inner inputs of a join; false if node i is none.
func (c *planCase) joinSides(i int) (outer, inner int, ok bool) {
	if len(c.children[i]) > maxJoinChildren {
		return 0, 0, false
	}
	switch c.node(i).NodeType {
	case "Nested Loop", "Hash Join", "Merge Join":
		if in := c.inputs(i); len(in) == 2 {
			return in[0], in[1], true
		}
	}
	return 0, 0, false
}

// relation is the table that node i stands for: its own, that of the bitmap's
// heap scan above it, or the only one below it; "" if there are several.
func (c *planCase) relation(i int) string {
	name := ""
	for k := i; k < c.ends[i]; k++ {
		n := c.node(k)
		if n.RelationName == "" {
			continue
		}
		own := c.relationName(k)
		if k == i {
			return own
		}
		if name != "" && name != own {
			return ""
		}
		name = own
	}
	if parent := c.node(i).Parent; name == "" && parent >= 0 && c.node(i).NodeType == "Bitmap Index Scan" {
		return c.relation(int(parent))
	}
	return name
}

// relationName is the relation of node i as the model knows it, else as the
// plan prints it.
func (c *planCase) relationName(i int) string {
	if r := c.table(i); r != nil {
		return r.Name
	}
	return c.writtenName(i)
}

// writtenName is the relation of node i as the plan writes it.
func (c *planCase) writtenName(i int) string {
	n := c.node(i)
	if n.SchemaName == "" {
		return n.RelationName
	}
	return n.SchemaName + "." + n.RelationName
}

// table is the relation of node i in the model: one of the statement's, which
// are of its database, else by its name; nil if unknown.
func (c *planCase) table(i int) *dataset.Relation {
	n := c.node(i)
	for _, r := range c.Statement.Relations {
		if r.Relation == n.RelationName && (n.SchemaName == "" || r.Schema == n.SchemaName) {
			return r
		}
	}
	return c.Model.Relation(c.writtenName(i))
}

// tableSQL writes the relation of node i for SQL.
func (c *planCase) tableSQL(i int) string {
	if r := c.table(i); r != nil {
		return r.SQL()
	}
	n := c.node(i)
	return sqltext.QuoteName(n.SchemaName, n.RelationName)
}

// setting is a parameter as the plan prints it (EXPLAIN SETTINGS), else as the
// snapshots do.
func (c *planCase) setting(name string) (string, bool) {
	for _, kv := range c.Plan.Settings {
		if kv.Key == name {
			return kv.Value, true
		}
	}
	if s, ok := c.Model.Setting(name); ok {
		return strings.TrimSpace(s.Value + s.Unit), true
	}
	return "", false
}

// nodeTitle names a node about as EXPLAIN's text does.
func nodeTitle(n *record.Node) string {
	text := n.NodeType
	if text == "ModifyTable" && n.Operation != "" {
		text = n.Operation
	}
	if n.IndexName != "" {
		text += " using " + n.IndexName
	}
	if n.RelationName != "" {
		text += " on " + n.RelationName
	}
	return text
}
