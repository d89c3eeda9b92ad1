package signature

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
)

// statisticsActions say how the planner can come to know what it guessed at
// node i, with the names that the plan gives.
func (c *planCase) statisticsActions(i int) []finding.Action {
	n := c.node(i)
	relation := c.relation(i)
	switch n.NodeType {
	case "Function Scan", "Table Function Scan", "ProjectSet":
		name := n.FunctionName
		if name == "" {
			name = "the function"
		}
		return []finding.Action{{Do: "Tell the planner how many rows " + name + " gives: ALTER FUNCTION … ROWS n, or a support function; " +
			"for a list passed in, a temporary table with ANALYZE gives exact figures.", Cost: "a fixed number fits one use only"}}
	case "Aggregate", "Unique", "SetOp":
		return c.groupActions(i, relation)
	}
	if relation == "" {
		return []finding.Action{{Do: "ANALYZE the joined tables: the error is made in the join. Statistics over columns of two tables do not exist, " +
			"so if it stays, join on fewer conditions, or put the part whose rows are known into a MATERIALIZED CTE or a temporary table with ANALYZE.",
			Cost: "ANALYZE reads a sample, blocks nobody"}}
	}
	return c.scanActions(i)
}

// scanActions depend on how many columns the conditions test.
func (c *planCase) scanActions(i int) []finding.Action {
	at := c.scanOf(i)
	table := c.tableSQL(at)
	analyze := finding.Action{Do: "ANALYZE " + table + ";", SQL: true, Cost: "reads a sample of at most 300 × the statistics target rows, blocks nobody"}
	var columns, rest []string
	for _, text := range c.conditions(at) {
		cond := readCondition(text, c.node(at).Alias)
		for _, s := range cond.Simple {
			if !slices.Contains(columns, s.Column) && !isSystemColumn(s.Column) {
				columns = append(columns, s.Column)
			}
		}
		for _, r := range cond.Rest {
			if !slices.Contains(rest, r) {
				rest = append(rest, r)
			}
		}
	}
	out := []finding.Action{analyze}
	switch {
	case len(columns) > 1:
		out = append([]finding.Action{{Do: fmt.Sprintf("CREATE STATISTICS (dependencies, mcv, ndistinct) ON %s FROM %s;", strings.Join(columns[:min(len(columns), 8)], ", "), table),
			SQL: true, Cost: "for columns that depend on each other (10 and later, mcv 12, without a name 16); takes effect with the next ANALYZE, which gets slightly slower"}}, out...)
	case len(columns) == 1:
		out = append(out, finding.Action{Do: fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s SET STATISTICS 1000; ANALYZE %s;", table, columns[0], table),
			SQL: true, Cost: "if ANALYZE alone does not help: for a skewed column (default_statistics_target is 100); planning and ANALYZE take longer, a short exclusive lock (SHARE UPDATE EXCLUSIVE)"})
	}
	if len(rest) > 0 {
		out = append(out, finding.Action{Do: "For the expression in " + rest[0] + ": CREATE STATISTICS on the expression (14 and later) gives the planner figures for it; without them it takes a constant."})
	}
	return out
}

// scanOf is the scan whose conditions decide the rows of node i.
func (c *planCase) scanOf(i int) int {
	for k := i; k < c.ends[i]; k++ {
		if c.node(k).RelationName != "" {
			return k
		}
	}
	if parent := int(c.node(i).Parent); parent >= 0 && c.node(i).NodeType == "Bitmap Index Scan" {
		return c.scanOf(parent)
	}
	return i
}

// groupActions are for a wrong number of groups.
func (c *planCase) groupActions(i int, relation string) []finding.Action {
	var columns []string
	for _, key := range detailList(c.node(i).Extra, "Group Key") {
		words := tokens(key)
		switch {
		case len(words) == 1 && words[0].kind == tokenWord:
			columns = append(columns, words[0].text)
		case len(words) == 3 && words[1].text == ".":
			columns = append(columns, words[2].text)
		default:
			columns = nil
		}
	}
	if relation == "" || len(columns) < 2 {
		return []finding.Action{{Do: "ANALYZE the tables below; if the number of groups stays wrong, set it: ALTER TABLE … ALTER COLUMN … SET (n_distinct = …), then ANALYZE.",
			Cost: "ANALYZE reads a sample, blocks nobody; n_distinct is fixed until it is reset"}}
	}
	table := c.tableSQL(c.scanOf(i))
	return []finding.Action{{Do: fmt.Sprintf("CREATE STATISTICS (ndistinct) ON %s FROM %s; ANALYZE %s;", strings.Join(columns[:min(len(columns), 8)], ", "), table, table),
		SQL: true, Cost: "counts combinations of values (10 and later; without a name 16); ANALYZE gets slightly slower"}}
}

// analyzeNote says when statistics were taken, where the input tells.
func (c *planCase) analyzeNote(i int) []string {
	r := c.knownRelation(c.relation(i))
	if r == nil || len(r.Points) == 0 {
		return nil
	}
	last := &r.Points[len(r.Points)-1]
	if !last.ModSinceAnalyze.Known {
		return nil
	}
	when := "never in the statistics"
	if t := max(last.LastAnalyze, last.LastAutoanalyze); t.Known() {
		when = "last at " + clock(t)
	}
	return []string{fmt.Sprintf("%s was analyzed %s; %s rows changed since, at the last snapshot.", r.Name, when, thousands(last.ModSinceAnalyze.N))}
}
