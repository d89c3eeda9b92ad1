package signature

import (
	"fmt"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
)

var annIndexNotUsed = &Signature{
	ID: "PGA604", Name: "ann-index-not-used", Max: finding.Warning,
	Felt: "A search for similar rows takes as long as reading the whole table",
	What: "A search by distance compares every row of the table and sorts, though the table has an index for such searches: the statement is written so that it cannot serve.",
	Why: "An HNSW or IVFFlat index gives rows in ascending order of one distance. It serves ORDER BY column operator value LIMIT n only: " +
		"not another operator than that of its operator class, not DESC, not an expression of the distance such as 1 - (a <=> b), not a cast that the index does not have.",
	Fix:    "Order by the bare distance, ascending, with the operator of the index's class; compute the score in the select list. Or make an index of the class that the statement needs.",
	Verify: "The plan has an Index Scan with Order By in place of the Sort.",
	Needs:  []Need{needActual, {"s", "one snapshot of pg_stat_user_indexes with indexdef"}},
	Silent: []string{"tables without such an index: the search is exact by intent", "an index that could serve and that the planner did not choose", "searches without LIMIT", "partial indexes"},
	Thresholds: planLimits(
		Threshold{"min_rows", 1000, "rows", "compared by one search: fewer are compared faster than found"},
	),
	Detect: detectAnnIndexNotUsed,
}

// annCompared is how many elements a search of an HNSW index with defaults
// compares, about: 1,100 to 3,200 buffers at 6,000 to 60,000 rows.
const annCompared = 2500

func detectAnnIndexNotUsed(p *Pass) {
	known := false
	for _, r := range p.Model.Relations {
		for _, x := range r.Indexes {
			known = known || x.Definition != ""
		}
	}
	if !known && len(planCases(p)) > 0 {
		p.Lacks("no definitions of indexes in input", "a snapshot of pg_stat_user_indexes with indexdef (pgassay snapshot)")
		return
	}
	p.detectPlans(analyzed, "no plans with actual rows in input", func(c *planCase) []planSpot {
		var spots []planSpot
		for i := range c.Plan.Nodes {
			if x, ok := c.exactSearch(i); ok && x.rows() >= p.limit("min_rows") && x.missesIndex() {
				s := c.at(x.scan)
				s.Node = i
				s.Cost = c.inclusive(i)
				s.Effect = ratio(x.rows(), annCompared)
				s.Lost = s.Cost * (1 - 1/s.Effect)
				s.Subject.Index = x.Index.Name
				s.Tell = x.tell
				spots = append(spots, s)
			}
		}
		return spots
	})
}

// exactSearch is a top-N sort by distance over a scan of one table.
type exactSearch struct {
	c          *planCase
	sort, scan int
	Near       distance
	Index      *dataset.Index // that cannot serve
	Why, Serve string         // what is in the way, and what would serve
}

// exactSearch reads the sort at i right below a LIMIT; false if it is none by
// distance.
func (c *planCase) exactSearch(i int) (exactSearch, bool) {
	n := c.node(i)
	if n.NodeType != "Sort" && n.NodeType != "Incremental Sort" || !c.executed(i) || !c.limited(i) {
		return exactSearch{}, false
	}
	in := c.inputs(i)
	if len(in) != 1 || !isTableScan(c.node(in[0])) || c.node(in[0]).RelationName == "" || !c.executed(in[0]) {
		return exactSearch{}, false
	}
	keys := detailList(n.Extra, "Sort Key")
	if len(keys) == 0 {
		return exactSearch{}, false
	}
	near, ok := readDistance(keys[0], c.node(in[0]).Alias)
	return exactSearch{c: c, sort: i, scan: in[0], Near: near}, ok
}

// limited: a Limit stands above the sort, or above the Gather Merge that
// collects it.
func (c *planCase) limited(i int) bool {
	parent := int(c.node(i).Parent)
	if parent >= 0 && c.node(parent).NodeType == "Gather Merge" {
		parent = int(c.node(parent).Parent)
	}
	return parent >= 0 && c.node(parent).NodeType == "Limit"
}

// rows is how many rows one search compares, those removed by a filter not
// counted.
func (x *exactSearch) rows() float64 {
	rows, _, _ := x.c.rows(x.scan)
	return rows * x.c.processes(x.scan) / float64(max(1, x.c.node(x.scan).ActualLoops))
}

// missesIndex finds the index that would serve but for how the statement is
// written. An index that could serve as it is silences the signature.
func (x *exactSearch) missesIndex() bool {
	r := x.c.knownRelation(x.c.relationName(x.scan))
	if r == nil {
		return false
	}
	for _, index := range annIndexes(r) {
		d, ok := definitionOf(index.Definition)
		if !ok || len(d.Keys) != 1 || d.Predicate != "" {
			continue
		}
		operand, class := indexKey(d.Keys[0])
		why, serve := x.obstacle(operand, class)
		if why == "" {
			x.Index = nil
			return false
		}
		if serve != "" && x.Index == nil {
			x.Index, x.Why, x.Serve = index, why, serve
		}
	}
	return x.Index != nil
}

// indexKey cuts a key of an index definition into what is indexed and its
// operator class: the last word behind it. None is printed where the class is
// the default, vector_l2_ops of IVFFlat.
func indexKey(key string) (operand, class string) {
	list := tokens(key)
	if n := len(list); n > 1 && list[n-1].kind == tokenWord && list[n-2].kind != tokenCast && list[n-2].text != "." {
		return conditionText(join(stripParens(list[:n-1]))), list[n-1].text
	}
	return conditionText(join(stripParens(list))), "vector_l2_ops"
}

// obstacle says why an index on operand of the class does not serve: "" if it
// does; serve is "" if the index is of something else.
func (x *exactSearch) obstacle(operand, class string) (why, serve string) {
	near := &x.Near
	family := distanceFamily(near.Operator)
	_, own, _ := strings.Cut(class, "_")
	own = strings.TrimSuffix(own, "_ops")
	written := near.Operand
	if near.Column != "" {
		written = near.Column
	}
	ascending := fmt.Sprintf("ORDER BY %s %s …", operand, near.Operator)
	switch {
	case written != operand && !strings.HasPrefix(written, "("+operand+")::") && !strings.HasPrefix(operand, "("+written+")::") && !strings.HasPrefix(written, operand+"::") && !strings.HasPrefix(operand, written+"::"):
		return "another column", ""
	case own != family:
		return fmt.Sprintf("the operator %s needs an operator class of family %s, the index has %s", near.Operator, family, class), "an index with " + distanceClass(near)
	case written != operand:
		return fmt.Sprintf("the statement orders by %s, the index is on %s", written, operand), ascending
	case !near.Bare:
		return "the key is an expression of the distance, and an index gives the distance alone", ascending + ", ascending"
	case near.Descending:
		return "the order is descending: the farthest first", ascending + ", ascending"
	}
	return "", ""
}

// distanceClass is the class that serves the distance's operator on its type.
func distanceClass(d *distance) string {
	kind := d.Type
	switch family := distanceFamily(d.Operator); {
	case family == "hamming" || family == "jaccard":
		kind = "bit"
	case kind == "":
		kind = "vector"
	}
	return kind + "_" + distanceFamily(d.Operator) + "_ops"
}

func (x *exactSearch) tell(f *finding.Finding) {
	c := x.c
	rows := counted(x.rows())
	f.Title = fmt.Sprintf("A search by distance compares %s rows of %s: %s cannot serve it", rows, c.relationName(x.scan), x.Index.Name)
	f.Summary = fmt.Sprintf("%s sorts %s rows to return a few. %s exists, but %s.", c.place(x.sort), rows, x.Index.Name, x.Why)
	f.Figures = []finding.Figure{
		{What: "rows compared by a search", Value: x.rows(), Unit: "rows", Text: rows, Says: fmt.Sprintf("a search of an HNSW index with defaults compares about %s", thousands(annCompared))},
	}
	f.Notes = append(f.Notes, "Index: "+shorten(x.Index.Definition, 200))
	f.RuledOut = append(f.RuledOut, finding.RuledOut{Rival: "no index for such searches", Verdict: finding.RuledOutVerdict, Figure: x.Index.Name})
	f.Actions = x.actions()
	f.WillNotHelp = []string{"enable_seqscan = off, ANALYZE, or costs: the index cannot give this order", "a larger work_mem: the sort keeps only the first rows"}
	f.Verify = []string{"EXPLAIN of the statement: an Index Scan with Order By stands in place of the Sort."}
}

func (x *exactSearch) actions() []finding.Action {
	near := &x.Near
	build := finding.Action{SQL: true, Do: fmt.Sprintf("CREATE INDEX CONCURRENTLY ON %s USING hnsw (%s %s);", x.c.tableSQL(x.scan), near.Operand, distanceClass(near)),
		Cost: "one more graph to build, to keep in memory and to write at each INSERT; drop the other one if nothing reads it"}
	if strings.HasPrefix(x.Serve, "an index") {
		return []finding.Action{build, {Do: "Or use the operator of the index's class, if the distance is the same in order: for vectors of length 1, <->, <=> and <#> order alike.", Cost: "check that the vectors are normalized: l2_norm(…) = 1"}}
	}
	cost := "an index gives approximate results; DESC of a similarity (1 - distance) is the same order as ascending distance"
	if near.Bare && near.Descending {
		cost = "that is the opposite order: if the farthest rows are meant, no index of this kind serves, and the search stays exact"
	}
	return []finding.Action{{Do: "Write the statement as " + x.Serve + " LIMIT n, and compute a score from the distance in the select list.", Cost: cost}}
}
