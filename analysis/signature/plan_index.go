package signature

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
)

// indexCandidate is an index that would find what a scan now filters out. Its
// columns are in the order in which a B-tree can use them.
type indexCandidate struct {
	Relation string
	SQL      string // the relation in SQL
	Equality []string
	Range    string   // only the first range bounds the search
	Sort     []string // with direction; only where no range stands before
	Include  []string // columns that save the visit of the table
	TextCast []string // columns compared as text
	Rest     []string // conditions no index was derived from
	Child    bool     // the relation is read as a partition
}

// indexCandidate derives an index from all conditions of scan i and from extra,
// a join condition.
func (c *planCase) indexCandidate(i int, extra string) indexCandidate {
	n := c.node(i)
	x := indexCandidate{Relation: c.relationName(i), SQL: c.tableSQL(i)}
	if parent := int(n.Parent); parent >= 0 {
		x.Child = strings.HasSuffix(c.node(parent).NodeType, "Append")
	}
	var later []string
	for _, text := range append(c.conditions(i), extra) {
		if text == "" {
			continue
		}
		cond := readCondition(text, n.Alias)
		x.Rest = append(x.Rest, cond.Rest...)
		for _, s := range cond.Simple {
			if s.TextCast && !slices.Contains(x.TextCast, s.Column) {
				x.TextCast = append(x.TextCast, s.Column)
			}
			switch {
			case isSystemColumn(s.Column) || slices.Contains(x.Equality, s.Column):
			case s.Kind == conjunctEquality:
				x.Equality = append(x.Equality, s.Column)
			default:
				later = append(later, s.Column)
			}
		}
	}
	x.addRanges(later)
	if x.usable() {
		c.addSort(&x, i)
		c.addInclude(&x, i)
	}
	return x
}

// conditions are what scan i tests, its bitmap's conditions included.
func (c *planCase) conditions(i int) []string {
	var out []string
	for _, key := range []string{"Index Cond", "Recheck Cond", "Filter"} {
		if text, ok := detail(c.node(i).Extra, key); ok {
			out = append(out, text)
		}
	}
	return out
}

func (x *indexCandidate) addRanges(columns []string) {
	for _, column := range columns {
		switch {
		case slices.Contains(x.Equality, column) || column == x.Range:
		case x.Range == "":
			x.Range = column
		case !slices.Contains(x.Include, column):
			x.Include = append(x.Include, column)
		}
	}
}

func isSystemColumn(name string) bool {
	switch name {
	case "ctid", "xmin", "xmax", "cmin", "cmax", "tableoid":
		return true
	}
	return false
}

func (x *indexCandidate) usable() bool { return len(x.Equality) > 0 || x.Range != "" }

// keys are the columns of the search, without the sort.
func (x *indexCandidate) keys() []string {
	out := slices.Clone(x.Equality)
	if x.Range != "" {
		out = append(out, x.Range)
	}
	return out
}

// addSort appends the keys of a Sort right above the scan, all of which must be
// columns of the relation. Behind a range the index does not deliver the order.
func (c *planCase) addSort(x *indexCandidate, i int) {
	parent := int(c.node(i).Parent)
	if parent < 0 || x.Range != "" || c.node(parent).NodeType != "Sort" {
		return
	}
	var columns []string
	for _, key := range detailList(c.node(parent).Extra, "Sort Key") {
		expr, order := key, ""
		if at := strings.IndexByte(key, ' '); at > 0 && !strings.HasPrefix(key, `"`) {
			expr, order = key[:at], key[at:]
		}
		column, cast, ok := columnOf(tokens(expr), c.node(i).Alias)
		if !ok || cast || strings.Contains(order, "USING") || strings.Contains(order, "COLLATE") {
			return
		}
		if !slices.Contains(x.Equality, column) {
			columns = append(columns, column+order)
		}
	}
	x.Sort = columns
}

// maxInclude is how many columns are worth carrying in an index.
const maxInclude = 3

// addInclude adds the other columns that the scan gives, where the plan lists
// them (VERBOSE) and they are few. Otherwise further ranges stay out too: they
// would make the index larger and not be enough.
func (c *planCase) addInclude(x *indexCandidate, i int) {
	ranges := x.Include
	x.Include = nil
	output := detailList(c.node(i).Extra, "Output")
	if len(output) == 0 {
		x.Include = ranges[:min(len(ranges), maxInclude)]
		return
	}
	columns := ranges
	for _, expr := range output {
		column, cast, ok := columnOf(tokens(expr), c.node(i).Alias)
		if !ok || cast {
			return
		}
		if !slices.Contains(x.keys(), column) && !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
	}
	if len(columns) <= maxInclude && c.node(i).PlanWidth <= 64 {
		x.Include = columns
	}
}

// sql is the statement that makes the index.
func (x *indexCandidate) sql() string {
	text := "CREATE INDEX CONCURRENTLY ON " + x.SQL + " (" + strings.Join(append(x.keys(), x.Sort...), ", ") + ")"
	if len(x.Include) > 0 {
		text += " INCLUDE (" + strings.Join(x.Include, ", ") + ")"
	}
	return text + ";"
}

// order says why the columns stand in this order.
func (x *indexCandidate) order() string {
	var parts []string
	add := func(what string, columns ...string) {
		if len(columns) > 0 && columns[0] != "" {
			parts = append(parts, what+" "+strings.Join(columns, ", "))
		}
	}
	add("equality", x.Equality...)
	add("range", x.Range)
	add("sort", x.Sort...)
	add("included", x.Include...)
	return strings.Join(parts, "; ")
}

// actions propose the index and say what it costs, or say why none is proposed.
func (c *planCase) indexActions(x indexCandidate) []finding.Action {
	if !x.usable() {
		return []finding.Action{{Do: x.why(), Cost: "none was derived: only comparisons of a column with a value are read, expressions are not guessed at"}}
	}
	actions := []finding.Action{{Do: x.sql(), SQL: true, Cost: c.indexCost(&x)}}
	if len(x.TextCast) > 0 {
		actions = append(actions, finding.Action{Do: "Check the type of " + strings.Join(x.TextCast, ", ") +
			": it is compared as text. A varchar column can use the index; a column of another type cannot until the cast goes from the query."})
	}
	if x.Child {
		actions = append(actions, finding.Action{Do: "If " + x.Relation + " is a partition, create the index on the partitioned table (without CONCURRENTLY), or on each partition and attach it."})
	}
	return actions
}

// volatileCall finds a call of a built-in function that is volatile and stands
// in conditions.
var volatileCall = regexp.MustCompile(`\b(currval|nextval|lastval|random|clock_timestamp|timeofday|gen_random_uuid|uuid_generate_v4)\(`)

// why tells of conditions that gave no candidate.
func (x *indexCandidate) why() string {
	if len(x.Rest) == 0 {
		return "Find the condition with EXPLAIN (ANALYZE, BUFFERS, VERBOSE): this plan does not show it, so no index can be named."
	}
	text := "No index follows from " + strings.Join(x.Rest[:min(3, len(x.Rest))], " and ") + "."
	all := " " + strings.Join(x.Rest, " ") + " "
	switch {
	case strings.Contains(all, " ~~ ") || strings.Contains(all, " ~~* ") || strings.Contains(all, " ~ ") || strings.Contains(all, " ~* "):
		text += " A pattern that begins with a wildcard needs a GIN index with gin_trgm_ops (extension pg_trgm); one with a fixed beginning a B-tree with text_pattern_ops."
	case strings.Contains(all, " @> ") || strings.Contains(all, " && ") || strings.Contains(all, " ?| ") || strings.Contains(all, " ? ") || strings.Contains(all, " @@ "):
		text += " This operator is served by a GIN or GiST index on its column."
	case strings.Contains(all, "SubPlan"):
		text += " Rewrite the subquery as a join, so that it does not run for every row."
	case strings.Contains(all, " <> ") || strings.Contains(all, " NOT "):
		text += " A B-tree finds what is equal, not what differs: if the value left out is constant, a partial index (WHERE …) holds only the rows wanted."
	case volatileCall.MatchString(all):
		text += " The function is volatile: it is called for every row, so that no index serves it, not even one that exists. " +
			"Call it once: compare with a scalar subquery, column = (SELECT " + volatileCall.FindStringSubmatch(all)[1] + "(…)), or take the value from RETURNING."
	default:
		text += " An index on the same expression serves it if the expression is immutable and written alike in the query."
	}
	return text
}

// indexCost is what one more index on the relation costs, with figures where
// the snapshots have them.
func (c *planCase) indexCost(x *indexCandidate) string {
	text := "columns: " + x.order() + "; every INSERT writes it too, an UPDATE of one of its columns cannot be HOT; building reads the table twice and waits for older transactions"
	r := c.knownRelation(x.Relation)
	if r == nil || len(r.Points) == 0 {
		return text
	}
	last := &r.Points[len(r.Points)-1]
	if last.LiveTup.Known && last.LiveTup.N > 0 {
		columns := int64(len(x.keys()) + len(x.Sort) + len(x.Include))
		text += fmt.Sprintf("; about %s for %s rows (%d bytes each)", bytesText(float64(last.LiveTup.N*(indexTuple+indexColumn*columns))),
			thousands(last.LiveTup.N), indexTuple+indexColumn*columns)
	}
	if inserted, updated := r.Inserted(), r.Updated(); len(inserted) > 0 && len(updated) > 0 {
		i, _ := dataset.Total(inserted)
		u, _ := dataset.Total(updated)
		text += fmt.Sprintf("; %s saw %s inserts and %s updates between the first and the last snapshot", r.Name, thousands(i), thousands(u))
	}
	return text
}

// Size of a B-tree entry: item pointer and header (12 with its line pointer),
// alignment and a page filled to 90 %, and about eight bytes a column.
const (
	indexTuple  = 12
	indexColumn = 10
)

// existing is a known index that already leads with the candidate's columns.
func (c *planCase) existing(x *indexCandidate) *dataset.Index {
	r := c.knownRelation(x.Relation)
	if r == nil || !x.usable() {
		return nil
	}
	want := x.keys()
	for _, index := range r.Indexes {
		have := leadingColumns(index.Definition)
		if len(have) >= len(want) && sameSet(have[:len(want)], want) {
			return index
		}
	}
	return nil
}

func sameSet(a, b []string) bool {
	for _, s := range a {
		if !slices.Contains(b, s) {
			return false
		}
	}
	return len(a) == len(b)
}

// leadingColumns are the key columns of a whole-table B-tree or hash index up
// to the first expression.
func leadingColumns(definition string) []string {
	d, ok := definitionOf(definition)
	if !ok || d.Method != "btree" && d.Method != "hash" || d.Predicate != "" {
		return nil
	}
	var out []string
	for _, key := range d.Keys {
		column := keyColumn(key)
		if column == "" {
			break
		}
		out = append(out, column)
	}
	return out
}
