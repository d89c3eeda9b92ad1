package signature

import (
	"fmt"
	"math"
	"strings"
)

// markEarly finds the nodes that may be left before they gave all their rows:
// below a Limit, on the searched side of a semi or anti join, as input of a
// merge join, in a subquery that only asks whether there is a row. A node that
// takes all its input before it gives a row ends that.
func (c *planCase) markEarly() {
	c.early = make([]bool, len(c.Plan.Nodes))
	for i := range c.Plan.Nodes {
		n := c.node(i)
		parent := int(n.Parent)
		if parent < 0 {
			continue
		}
		r := n.ParentRelationship
		switch isSubquery := r == "SubPlan" || r == "InitPlan" && !strings.HasPrefix(n.SubplanName, "CTE "); {
		case isSubquery:
			c.early[i] = !c.takesAll(i)
		case c.cutsInput(parent, i):
			c.early[i] = true
		default:
			c.early[i] = c.early[parent] && !c.takesAll(parent)
		}
	}
}

// stopsEarly tells whether the rows of node i may be fewer than it has.
func (c *planCase) stopsEarly(i int) bool { return c.early[i] }

// cutsInput tells whether node i may stop reading its input k.
func (c *planCase) cutsInput(i, k int) bool {
	n := c.node(i)
	switch n.NodeType {
	case "Limit", "Merge Join", "Recursive Union":
		return true
	case "Nested Loop":
		_, inner, ok := c.joinSides(i)
		return ok && inner == k && isSemi(n.JoinType)
	case "Hash Join":
		outer, inner, ok := c.joinSides(i)
		return ok && outer == k && c.executed(inner) && c.node(inner).ActualRows == 0
	}
	return false
}

func isSemi(join string) bool {
	return strings.HasSuffix(join, "Semi") || strings.HasSuffix(join, "Anti")
}

// takesAll tells nodes that read all their input before they give a row.
func (c *planCase) takesAll(i int) bool {
	n := c.node(i)
	switch n.NodeType {
	case "Sort", "Hash", "Bitmap Heap Scan", "BitmapOr", "BitmapAnd", "ModifyTable":
		return true
	case "Aggregate":
		return n.Strategy == "Plain" || n.Strategy == "Hashed" || n.Strategy == "Mixed"
	case "SetOp":
		return n.Strategy == "Hashed"
	}
	return false
}

// place names node i in a sentence.
func (c *planCase) place(i int) string {
	n := c.node(i)
	text := "The " + nodeTitle(n)
	if n.Line > 0 {
		text += fmt.Sprintf(" (line %d)", n.Line)
	}
	return text
}

// lower makes "Join Filter" "join filter".
func lower(s string) string { return strings.ToLower(s) }

// percentLong keeps what percent would round to 100 %.
func percentLong(share float64) string {
	if share > 0.9995 && share < 1 {
		return "over 99.9 %"
	}
	if share > 0.99 && share < 1 {
		return fmt.Sprintf("%.1f %%", math.Floor(share*1000)/10)
	}
	return percent(share)
}

// counted writes a number of rows, blocks or loops: whole where it is.
func counted(v float64) string {
	if v >= 1000 || v != v {
		return num(v)
	}
	return num0(math.Round(v*100) / 100)
}
