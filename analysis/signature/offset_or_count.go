package signature

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
)

var offsetOrCount = &Signature{
	ID: "PGA312", Name: "offset-or-count", Max: finding.Warning,
	Felt: "The further a user pages, or the more there is to count, the longer it takes",
	What: "A page of a list is reached by counting rows off, or all rows are counted for a total.",
	Why: "OFFSET produces and throws away every row before the page, so that page 1,000 costs a thousand times page 1. " +
		"count(*) visits every row that is visible to the transaction: PostgreSQL keeps no count.",
	Fix: "Keyset paging: WHERE (sort columns) > (last values seen) ORDER BY … LIMIT n. For totals an estimate (pg_class.reltuples, or the planner's), " +
		"a counter kept by the application, or a count that stops at a limit.",
	Verify: "The Limit's input gives as many rows as the Limit; the count is gone or bounded.",
	Needs:  []Need{needActual},
	Silent: []string{"a Limit that takes what its input gives", "counts with a selective condition", "small tables"},
	Thresholds: planLimits(
		Threshold{"min_ratio", 10, "x", "rows that the Limit takes ÷ rows that it gives"},
		Threshold{"min_rows", 1000, "rows", "thrown away by OFFSET"},
		Threshold{"min_counted", 10000, "rows", "counted"},
		Threshold{"max_removed", 0.01, "of rows", "that a condition below the count removes and that still counts as everything"},
	),
	Detect: detectOffsetOrCount,
}

func detectOffsetOrCount(p *Pass) {
	p.detectPlans(analyzed, "no plans with actual rows in input", func(c *planCase) []planSpot {
		var spots []planSpot
		for i := range c.Plan.Nodes {
			if s, ok := p.offset(c, i); ok {
				spots = append(spots, s)
			}
			if s, ok := p.countAll(c, i); ok {
				spots = append(spots, s)
			}
		}
		return spots
	})
}

// offset judges a Limit: its input is asked for OFFSET + LIMIT rows, so that
// what it takes beyond what it gives was counted off.
func (p *Pass) offset(c *planCase, i int) (planSpot, bool) {
	in := c.inputs(i)
	if c.node(i).NodeType != "Limit" || !c.executed(i) || len(in) != 1 || !c.executed(in[0]) {
		return planSpot{}, false
	}
	_, taken, _ := c.rows(in[0])
	_, _, given := c.rows(i)
	off := taken - given
	if off < p.limit("min_rows") || taken < p.limit("min_ratio")*max(1, given) {
		return planSpot{}, false
	}
	s := c.at(i)
	s.Cost = c.inclusive(i)
	s.Effect = ratio(taken, max(1, given))
	s.Lost = s.Cost * (1 - 1/s.Effect)
	s.Tell = func(f *finding.Finding) { c.tellOffset(f, i, in[0], taken, given) }
	return s, true
}

func (c *planCase) tellOffset(f *finding.Finding, i, in int, taken, given float64) {
	f.Title = fmt.Sprintf("OFFSET throws away %s rows to give %s", counted(taken-given), counted(given))
	f.Summary = fmt.Sprintf("%s takes %s rows from the %s below and gives %s. The cost grows with the page number: %s ms here.",
		c.place(i), counted(taken), nodeTitle(c.node(in)), counted(given), num(c.inclusive(i)))
	f.Figures = []finding.Figure{
		{What: "rows taken", Value: taken, Unit: "rows", Text: counted(taken)},
		{What: "rows given", Value: given, Unit: "rows", Text: counted(given), Limit: "a tenth of those taken, or more", Says: times(taken / max(1, given))},
	}
	keys := c.sortKeys(in)
	do := "Page by key: WHERE (sort columns) > (values of the last row seen) ORDER BY sort columns LIMIT n, with a unique column last in the order."
	if len(keys) > 0 {
		do = "Page by key: WHERE (" + strings.Join(keys, ", ") + ") > (values of the last row seen) ORDER BY the same LIMIT n, with a unique column last in the order and an index on these columns (< for a descending order)."
	}
	f.Actions = []finding.Action{{Do: do, Cost: "no jump to an arbitrary page; the index is written by every INSERT"}}
	f.WillNotHelp = []string{"An index alone: the rows before the page are still visited one by one.", "More work_mem, unless the sort below spills."}
	f.Verify = []string{"EXPLAIN (ANALYZE) of a late page: the Limit's input gives as many rows as the Limit."}
}

// sortKeys are the plain columns of a sort at or below node i, down a chain of
// single inputs.
func (c *planCase) sortKeys(i int) []string {
	for {
		if list := detailList(c.node(i).Extra, "Sort Key"); len(list) > 0 {
			var out []string
			for _, key := range list {
				expr, _, _ := strings.Cut(key, " ")
				words := tokens(expr)
				if len(words) == 0 || words[len(words)-1].kind != tokenWord {
					return nil
				}
				out = append(out, words[len(words)-1].text)
			}
			return out
		}
		in := c.inputs(i)
		if len(in) != 1 {
			return nil
		}
		i = in[0]
	}
}

var countStar = regexp.MustCompile(`(?i)\bcount\s*\(\s*\*\s*\)`)

// countAll judges a plain aggregate over a whole table. The plan says that it
// is a count only in its Output (VERBOSE); else the statement's text must.
func (p *Pass) countAll(c *planCase, i int) (planSpot, bool) {
	n := c.node(i)
	if n.NodeType != "Aggregate" || n.Strategy != "Plain" || n.PartialMode == "Partial" || !c.executed(i) || !c.counts0(i) {
		return planSpot{}, false
	}
	scan, ok := c.onlyScan(i)
	if !ok {
		return planSpot{}, false
	}
	rows, _, _ := c.rows(scan)
	removed := float64(c.node(scan).RowsRemovedFilter) * float64(c.node(scan).ActualLoops)
	if _, searched := detail(c.node(scan).Extra, "Index Cond"); searched || rows < p.limit("min_counted") || removed > p.limit("max_removed")*(rows+removed) {
		return planSpot{}, false
	}
	s := c.at(scan)
	s.Node, s.Subject.Index = i, ""
	s.Cost, s.Lost = c.inclusive(i), c.inclusive(i)
	s.Effect = ratio(s.Cost, countEstimate)
	if len(c.node(scan).Extra) == 0 && c.node(scan).NodeType != "Seq Scan" {
		s.Weak = "the scan's conditions"
	}
	s.Tell = func(f *finding.Finding) { c.tellCount(f, i, scan, rows) }
	return s, true
}

// countEstimate is about what reading pg_class.reltuples takes, in ms.
const countEstimate = 0.1

// counts0 tells whether the aggregate at node i is a count(*) and nothing else
// dearer.
func (c *planCase) counts0(i int) bool {
	if output := detailList(c.node(i).Extra, "Output"); len(output) > 0 {
		return len(output) == 1 && countStar.MatchString(output[0])
	}
	return len(c.Statement.Normalized) < maxCondition && c.node(i).Parent < 0 && !c.Statement.Approximate && countStar.MatchString(c.Statement.Normalized)
}

// onlyScan is the one scan below node i, reached through nodes that pass rows
// on or count in part.
func (c *planCase) onlyScan(i int) (int, bool) {
	for {
		in := c.inputs(i)
		if len(in) != 1 {
			return 0, false
		}
		i = in[0]
		n := c.node(i)
		switch {
		case n.NodeType == "Seq Scan" || n.NodeType == "Index Only Scan" || n.NodeType == "Index Scan":
			return i, c.executed(i)
		case n.NodeType == "Gather" || n.NodeType == "Aggregate" && n.PartialMode == "Partial" && n.Strategy == "Plain":
		default:
			return 0, false
		}
	}
}

func (c *planCase) tellCount(f *finding.Finding, i, scan int, rows float64) {
	relation := c.relationName(scan)
	f.Title = fmt.Sprintf("count(*) visits all %s rows of %s", counted(rows), relation)
	f.Summary = fmt.Sprintf("%s counts %s rows one by one in %s ms. PostgreSQL keeps no count of a table's rows: the cost grows with the table.", c.place(i), counted(rows), num(c.inclusive(i)))
	f.Figures = []finding.Figure{{What: "rows counted", Value: rows, Unit: "rows", Text: counted(rows), Limit: "below 10,000"}}
	f.Actions = []finding.Action{
		{Do: "SELECT reltuples::bigint FROM pg_class WHERE oid = " + regclass(c.tableSQL(scan)) + ";", SQL: true, Cost: "an estimate, as of the last VACUUM or ANALYZE; -1 if there was none"},
		{Do: "If a page only needs to know whether there is more: fetch LIMIT n + 1 rows; if it shows a bounded total: count a subquery with LIMIT."},
	}
	f.WillNotHelp = []string{"count(1) or count(id) instead of count(*): they do the same or more."}
	f.Verify = []string{"The statement is gone from the log, or its rows are bounded."}
}
