package signature

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/sqltext"
)

var triggerTime = &Signature{
	ID: "PGA309", Name: "trigger-time", Max: finding.Warning,
	Felt: "A write takes long, and the table it writes to is not the reason",
	What: "Triggers or foreign keys take a large part of a write.",
	Why: "A row trigger runs a function for each row, a foreign key a query for each row. When a referenced row is deleted or its key updated, " +
		"each referencing table is searched for it: without an index on the referencing column that is a sequential scan per row.",
	Fix: "Index the referencing column of a foreign key. Make triggers cheap, restrict them (UPDATE OF column, WHEN), or use one statement-level trigger " +
		"with transition tables instead of one call per row.",
	Verify: "The Trigger lines below the plan show less time for the same number of calls.",
	Needs:  []Need{needActual},
	Silent: []string{"triggers that take little of the statement"},
	Thresholds: planLimits(
		Threshold{"min_share", 0.2, "of the execution", "that one trigger takes"},
	),
	Detect: detectTriggerTime,
}

func detectTriggerTime(p *Pass) {
	p.detectPlans(analyzed, "no plans with actual rows in input", func(c *planCase) []planSpot {
		after := c.afterTriggers()
		var spots []planSpot
		for k := range c.Plan.Triggers {
			t := &c.Plan.Triggers[k]
			ms := t.Time.Milliseconds()
			if ms <= 0 || ms < p.limit("min_share")*c.Total {
				continue
			}
			s := c.at(0)
			s.Node = c.modifies()
			s.Subject.Relation, s.Subject.Index = c.triggerRelation(t), triggerName(t)
			s.Cost = min(ms, c.Total)
			s.Lost, s.Effect = s.Cost, ratio(c.Total, c.Total-s.Cost)
			s.Tell = func(f *finding.Finding) { c.tellTrigger(f, t, after[k]) }
			spots = append(spots, s)
		}
		return spots
	})
}

// modifies is the first node that writes, else the root.
func (c *planCase) modifies() int {
	for i := range c.Plan.Nodes {
		if c.node(i).NodeType == "ModifyTable" {
			return i
		}
	}
	return 0
}

func (c *planCase) triggerRelation(t *record.Trigger) string {
	name := t.Relation
	if name == "" {
		return c.relationName(c.modifies())
	}
	if r := c.Model.Relation(name); r != nil {
		return r.Name
	}
	return name
}

func triggerName(t *record.Trigger) string {
	if t.Constraint != "" {
		return t.Constraint
	}
	return t.Name
}

// triggerSide says when a trigger fired.
type triggerSide uint8

const (
	triggerUnknown triggerSide = iota
	triggerBefore              // inside ModifyTable's time
	triggerAfter               // outside the tree
)

// maxTriggers bounds the triggers whose sides are tried out.
const maxTriggers = 12

// afterTriggers tells BEFORE from AFTER triggers, which EXPLAIN does not: what
// fired BEFORE must fit into what ModifyTable itself took, what fired AFTER into
// what the execution took beyond the tree. Of the assignments that fit, the one
// that leaves least unexplained is taken. Constraints always fire AFTER.
func (c *planCase) afterTriggers() []triggerSide {
	list := c.Plan.Triggers
	out := make([]triggerSide, len(list))
	beyond := c.Total
	inside := 0.0
	for i := range c.Plan.Nodes {
		if i == 0 || c.Figures[i].Outside {
			beyond -= c.Figures[i].Inclusive
		}
		if c.node(i).NodeType == "ModifyTable" {
			inside += max(0, c.Figures[i].Self) + c.Figures[i].Tolerance
		}
	}
	if len(list) > maxTriggers || !c.Timed || c.Total == 0 {
		return out
	}
	best, found := beyond+1, -1
	for set := range 1 << len(list) {
		if left, ok := c.triggersFit(set, inside, beyond); ok && left < best {
			best, found = left, set
		}
	}
	for k := range list {
		switch {
		case found >= 0 && found&(1<<k) != 0:
			out[k] = triggerAfter
		case found >= 0:
			out[k] = triggerBefore
		}
	}
	return out
}

// triggersFit tries the assignment in which the triggers of the set fired AFTER;
// left is the time beyond the tree that stays unexplained.
func (c *planCase) triggersFit(set int, inside, beyond float64) (left float64, ok bool) {
	left = beyond
	for k := range c.Plan.Triggers {
		t := &c.Plan.Triggers[k]
		if set&(1<<k) != 0 {
			left -= t.Time.Milliseconds()
			continue
		}
		if t.Constraint != "" || isForeignKeyTrigger(t) {
			return 0, false
		}
		inside -= t.Time.Milliseconds()
	}
	const rounding = 0.01 // ms: the figures have three decimals
	return left, left >= -rounding && inside >= -rounding
}

func isForeignKeyTrigger(t *record.Trigger) bool {
	return strings.HasPrefix(t.Name, "RI_ConstraintTrigger") || t.Name == "" && t.Constraint != ""
}

func (c *planCase) tellTrigger(f *finding.Finding, t *record.Trigger, side triggerSide) {
	ms, name := t.Time.Milliseconds(), triggerName(t)
	kind := "trigger " + name
	if isForeignKeyTrigger(t) {
		kind = "foreign key " + name
	}
	f.Title = fmt.Sprintf("The %s takes %s of the statement", kind, percent(min(1, ms/max(c.Total, 0.001))))
	f.Summary = fmt.Sprintf("The %s took %s of %s ms in %s, %s each. %s", kind, num(ms), num(c.Total),
		plural(int(min(t.Calls, 1<<40)), "call"), span(ms/1000/max(1, float64(t.Calls))), sideText(side))
	f.Figures = []finding.Figure{
		{What: "time of the trigger", Value: ms, Unit: "ms", Text: num(ms) + " ms", Limit: "below a fifth of the execution"},
		{What: "calls", Value: float64(t.Calls), Text: counted(float64(t.Calls))},
		{What: "time per call", Value: ms / max(1, float64(t.Calls)), Unit: "ms", Text: span(ms / 1000 / max(1, float64(t.Calls)))},
	}
	f.Verify = []string{"EXPLAIN (ANALYZE) in a transaction that is rolled back: the line Trigger … " + name + " shows less time for as many calls."}
	if isForeignKeyTrigger(t) {
		c.foreignKey(f, t)
		return
	}
	f.Actions = []finding.Action{
		{Do: "Profile the function: auto_explain.log_nested_statements = on shows its statements, track_functions = 'pl' its total time.", Cost: "both add to the log or to each call"},
		{Do: "Restrict the trigger to the rows and columns that need it (UPDATE OF …, WHEN …), or replace it by a statement-level trigger with transition tables.", Cost: "a change of the schema: CREATE TRIGGER takes a SHARE ROW EXCLUSIVE lock"},
	}
	f.WillNotHelp = []string{"Indexes for the plan itself: the time is in the trigger's function."}
}

func sideText(side triggerSide) string {
	switch side {
	case triggerBefore:
		return "It fired BEFORE the rows were written: its time is inside the plan."
	case triggerAfter:
		return "It fired AFTER: its time stands beside the plan, not in it."
	}
	return "The plan does not tell whether it fired before or after."
}

// foreignKey names the referencing column and whether it has an index.
func (c *planCase) foreignKey(f *finding.Finding, t *record.Trigger) {
	operation := c.node(c.modifies()).Operation
	if strings.HasPrefix(t.Name, "RI_ConstraintTrigger_c") || !strings.HasPrefix(t.Name, "RI_ConstraintTrigger_a") && operation == "Insert" {
		f.Actions = []finding.Action{{Do: "The check looks each new value up in the referenced table by its primary or unique key. Insert in larger statements, " +
			"and look at locks and bloat of the referenced table; for a bulk load, add the constraint afterwards (NOT VALID, then VALIDATE).", Cost: "rows are not checked until the constraint is validated"}}
		f.WillNotHelp = []string{"An index on the referencing column: the check does not use it."}
		return
	}
	relation, column := c.referencing(t.Constraint)
	if relation == nil {
		f.Actions = []finding.Action{{SQL: true, Cost: "tells table and columns that refer; those columns need an index that begins with them",
			Do: "SELECT conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = " + sqltext.QuoteLiteral(t.Constraint) + ";"}}
		f.Notes = append(f.Notes, "By its name the constraint is probably on the table and column that "+t.Constraint+" begins with; the input does not tell their indexes.")
		return
	}
	for _, index := range relation.Indexes {
		if lead := leadingColumns(index.Definition); len(lead) > 0 && lead[0] == column {
			f.Actions = []finding.Action{{Do: fmt.Sprintf("The referencing column %s of %s has an index (%s): look at the number of rows that refer (ON DELETE CASCADE writes them) and at locks.", column, relation.Name, index.Name)}}
			return
		}
	}
	f.Notes = append(f.Notes, fmt.Sprintf("No index in the input begins with %s of %s, the column that refers.", column, relation.Name))
	f.Actions = []finding.Action{{Do: "CREATE INDEX CONCURRENTLY ON " + relation.SQL() + " (" + sqltext.QuoteIdent(column) + ");", SQL: true,
		Cost: "every INSERT into " + relation.Name + " writes it too; building reads the table twice and waits for older transactions"}}
	f.WillNotHelp = []string{"Indexes on the table that the statement writes: the search is in " + relation.Name + "."}
}

// referencing reads PostgreSQL's own name of a foreign key, table_column_fkey,
// with the tables that the input knows the indexes of.
func (c *planCase) referencing(constraint string) (*dataset.Relation, string) {
	rest, ok := strings.CutSuffix(strings.TrimRight(constraint, "0123456789"), "_fkey")
	if !ok {
		return nil, ""
	}
	var best *dataset.Relation
	for _, r := range c.Model.Relations {
		if strings.HasPrefix(rest, r.Relation+"_") && (best == nil || len(r.Relation) > len(best.Relation)) && hasDefinitions(r) {
			best = r
		}
	}
	if best == nil {
		return nil, ""
	}
	return best, rest[len(best.Relation)+1:]
}

func hasDefinitions(r *dataset.Relation) bool {
	return slices.ContainsFunc(r.Indexes, func(x *dataset.Index) bool { return x.Definition != "" })
}
