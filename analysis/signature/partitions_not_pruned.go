package signature

import (
	"fmt"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
)

var partitionsNotPruned = &Signature{
	ID: "PGA313", Name: "partitions-not-pruned", Max: finding.Warning,
	Felt: "A query that needs one partition reads them all",
	What: "All partitions are scanned although few of them hold rows of the answer.",
	Why: "Partitions are left out when the condition compares the partition key with a constant, or, at execution, with a parameter or a stable expression of the key's type. " +
		"A function or cast on the key, a volatile function, a value from a join, or a condition on another column keep every partition in the plan.",
	Fix:    "Compare the bare partition key with a value of its own type: computed by the client, a parameter, or a scalar subquery; move casts and functions to the value's side.",
	Verify: "EXPLAIN shows fewer partitions, or Subplans Removed, or (never executed) at those that are not needed.",
	Needs:  []Need{needActual},
	Silent: []string{"pruned at plan time or execution", "partitions that all give rows", "a UNION ALL of different tables", "few partitions"},
	Thresholds: planLimits(
		Threshold{"min_partitions", 5, "partitions", "scanned"},
		Threshold{"min_empty", 0.75, "of partitions", "that gave no row"},
	),
	Detect: detectPartitionsNotPruned,
}

func detectPartitionsNotPruned(p *Pass) {
	p.detectPlans(analyzed, "no plans with actual rows in input", func(c *planCase) []planSpot {
		var spots []planSpot
		for i := range c.Plan.Nodes {
			a, ok := c.partitions(i)
			if !ok || float64(len(a.scans)) < p.limit("min_partitions") || float64(a.empty) < p.limit("min_empty")*float64(len(a.scans)) {
				continue
			}
			s := c.at(a.scans[0])
			s.Node = i
			s.Subject.Relation, s.Subject.Index = a.parent, ""
			s.Cost = c.inclusive(i)
			s.Lost = min(a.wasted, s.Cost)
			s.Effect = ratio(s.Cost, s.Cost-s.Lost)
			s.Tell = func(f *finding.Finding) { c.tellPartitions(f, i, &a) }
			spots = append(spots, s)
		}
		return spots
	})
}

// appended is an Append over partitions of one table.
type appended struct {
	parent    string
	scans     []int // executed
	empty     int   // of them, without a row
	wasted    float64
	condition string // of the first, "" if the plan does not show it
}

// partitions reads an Append whose children are scans that PostgreSQL named
// after one parent: alias_1, alias_2 … False if nothing in the condition keeps
// the planner from pruning, or if pruning took place.
func (c *planCase) partitions(i int) (appended, bool) {
	n := c.node(i)
	if n.NodeType != "Append" && n.NodeType != "Merge Append" {
		return appended{}, false
	}
	if removed, ok := detailNumber(n.Extra, "Subplans Removed"); ok && removed > 0 {
		return appended{}, false
	}
	var a appended
	for _, k := range c.inputs(i) {
		scan := c.partitionScan(k)
		if scan < 0 {
			return appended{}, false
		}
		base := aliasBase(c.node(scan).Alias)
		if a.parent == "" {
			a.parent = base
		}
		if base == "" || base != a.parent {
			return appended{}, false
		}
		if !c.executed(k) {
			continue
		}
		a.scans = append(a.scans, scan)
		if _, _, high := c.rows(k); high == 0 {
			a.empty++
			a.wasted += c.inclusive(k)
		}
	}
	if len(a.scans) == 0 {
		return appended{}, false
	}
	if list := c.conditions(a.scans[0]); len(list) > 0 {
		a.condition = list[0]
		for _, text := range list {
			if isUnprunable(text, c.node(a.scans[0]).Alias) {
				a.condition = text
				return a, true
			}
		}
	}
	return appended{}, false
}

// partitionScan is the scan at the end of a chain of sorts and gathers.
func (c *planCase) partitionScan(i int) int {
	for c.node(i).RelationName == "" {
		in := c.inputs(i)
		if len(in) != 1 {
			return -1
		}
		i = in[0]
	}
	return i
}

// aliasBase is the parent's alias in a partition's: "orders" of "orders_3".
func aliasBase(alias string) string {
	at := strings.LastIndexByte(alias, '_')
	if at <= 0 || at+1 == len(alias) || strings.Trim(alias[at+1:], "0123456789") != "" {
		return ""
	}
	return alias[:at]
}

// isUnprunable tells a condition with a parameter, a function, a cast or an
// InitPlan: what the planner cannot, or did not, use to leave partitions out.
func isUnprunable(text, alias string) bool {
	list := tokens(text)
	for i, t := range list {
		switch {
		case t.kind == tokenParam, t.text == "InitPlan", t.text == "SubPlan":
			return true
		case t.kind == tokenWord && i+1 < len(list) && list[i+1].text == "(" && !isKeyword(t.text) && (i == 0 || list[i-1].kind != tokenCast):
			return true
		case t.kind == tokenCast && i > 0 && list[i-1].text == ")":
			return true
		case t.kind == tokenWord && i+1 < len(list) && list[i+1].text == "." && unquoted(t.text) != alias:
			return true
		}
	}
	return false
}

func (c *planCase) tellPartitions(f *finding.Finding, i int, a *appended) {
	f.Title = fmt.Sprintf("%d of %d partitions of %s are scanned for nothing", a.empty, len(a.scans), a.parent)
	f.Summary = fmt.Sprintf("%s scans %d partitions, %d of them give no row; none was pruned. They take %s of its %s ms.",
		c.place(i), len(a.scans), a.empty, num(a.wasted), num(c.inclusive(i)))
	f.Figures = []finding.Figure{
		{What: "partitions scanned", Value: float64(len(a.scans)), Text: num0(float64(len(a.scans)))},
		{What: "without a row", Value: float64(a.empty), Text: num0(float64(a.empty)), Limit: "below three quarters"},
		{What: "time of those", Value: a.wasted, Unit: "ms", Text: num(a.wasted) + " ms"},
	}
	f.Notes = append(f.Notes, "Condition: "+conditionText(a.condition))
	f.Actions = []finding.Action{
		{Do: "If the partition key is in the condition: compare it bare (no function, no cast on its side) with a value of its own type; replace a volatile function by a value computed beforehand."},
		{Do: "If it is not: add it, when the application knows the range; or partition by what is asked for.", Cost: "another partition key means rewriting the table"},
	}
	f.WillNotHelp = []string{"Indexes on the partitions make each empty scan cheaper, not fewer.", "enable_partition_pruning = on: it is the default."}
	f.Verify = []string{"EXPLAIN (ANALYZE) again: Subplans Removed, or (never executed), or fewer partitions in the plan."}
}
