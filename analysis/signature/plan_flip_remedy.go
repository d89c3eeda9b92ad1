package signature

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/onset"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/record"
)

// ruledOut are the rivals of the plan.
func (c *flipCase) ruledOut(p *Pass) []finding.RuledOut {
	var hit, read int64
	for _, e := range c.After {
		if e.Figures.HasBuffers {
			hit, read = hit+e.Figures.Total.SharedHit, read+e.Figures.Total.SharedRead
		}
	}
	last := c.After[len(c.After)-1].Time
	return []finding.RuledOut{c.Values.verdict(), c.rows(), c.growth(), c.load(), readsOf(hit, read),
		lockWaits(p.Model, c.Statement, c.Flip.Time, last)}
}

// rows compares the rows that an execution processed.
func (c *flipCase) rows() finding.RuledOut {
	const rival = "rows per execution"
	of := func(e *dataset.Execution) (float64, bool) { return e.Figures.Rows.Float(), e.Figures.HasRows }
	s := stats.StepTest(measured(c.Before, of), measured(c.After, of))
	if s.N == 0 || s.M == 0 {
		return notMeasurable(rival, "no actual rows in plans")
	}
	out := finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: fmt.Sprintf("%s before, %s since", num(s.Before), num(s.After))}
	if s.After > 1.5*max(1, s.Before) || s.Before > 1.5*max(1, s.After) {
		out.Verdict = finding.NotRuledOut
	}
	return out
}

// growth compares the size of the tables at the ends of the earlier plan's time.
func (c *flipCase) growth() finding.RuledOut {
	const rival = "table growth"
	worst, figure := 0.0, ""
	for _, r := range c.Statement.Relations {
		before, after := liveRows(r, c.Before[0].Start, false), liveRows(r, c.Flip.Time, true)
		if before > 0 && after/before > worst {
			worst = after / before
			figure = fmt.Sprintf("%s: %s rows at the start, %s at the flip", r.Name, num(before), num(after))
		}
	}
	switch {
	case worst == 0:
		return notMeasurable(rival, "no n_live_tup of that time in input")
	case worst > 1.5:
		return finding.RuledOut{Rival: rival, Verdict: finding.NotRuledOut, Figure: figure}
	}
	return finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: figure}
}

// liveRows is n_live_tup of the last capture up to t, or of the first; 0 if there
// is none.
func liveRows(r *dataset.Relation, t record.Time, last bool) float64 {
	rows := 0.0
	for i := range r.Points {
		p := &r.Points[i]
		if !p.LiveTup.Known || !p.Time.Known() {
			continue
		}
		if rows == 0 || last && p.Time <= t {
			rows = float64(p.LiveTup.N)
		}
	}
	return rows
}

// load compares how many other executions were in flight.
func (c *flipCase) load() finding.RuledOut {
	of := func(e *dataset.Execution) (float64, bool) { return float64(e.Concurrency), true }
	s := stats.StepTest(measured(c.Before, of), measured(c.After, of))
	out := finding.RuledOut{Rival: "concurrency", Verdict: finding.RuledOutVerdict,
		Figure: fmt.Sprintf("%s other executions in flight before, %s since", num(s.Before), num(s.After))}
	if s.After > max(1, 2*s.Before) && c.Buffers.N == 0 {
		out.Verdict = finding.NotRuledOut
	}
	return out
}

// remedy fills what to do, what will not help and how to check.
func (c *flipCase) remedy(p *Pass, f *finding.Finding) {
	if !c.worse() {
		f.Actions = []finding.Action{{Do: "Nothing: the statement got cheaper. Know what brought it, so that it is not undone."}}
		f.Verify = []string{"EXPLAIN of the statement keeps the new shape."}
		return
	}
	if end := c.ended(); end.Known() {
		f.Actions = []finding.Action{{Do: fmt.Sprintf("Nothing now: a cheaper plan is back since %s. Keep what brought the dearer one from coming again: %s.",
			clock(end), cmp.Or(c.event(), "input does not tell what"))}}
	} else {
		f.Actions = append(c.undo(), c.statistics(p.Model)...)
	}
	f.WillNotHelp = []string{"more memory, more connections or faster disks: the new plan does more work"}
	f.Verify = []string{
		"EXPLAIN (ANALYZE, BUFFERS) of the statement with the same parameters shows " + c.shapeText(c.From, c.To) + " again",
		fmt.Sprintf("time per row is back near %s", span(c.Took.Before/1000)),
	}
	if p := c.plan(c.From); p != nil {
		f.Verify = append(f.Verify, "the whole earlier shape: "+shorten(explain.ShapeText(p), 160))
	}
}

// undo are the actions that the event asks for.
func (c *flipCase) undo() []finding.Action {
	if c.Generic {
		return []finding.Action{{Do: "SET plan_cache_mode = force_custom_plan;", SQL: true,
			Cost: "in the application's session, or ALTER ROLE … SET: each execution is planned again (12 and later)"}}
	}
	if c.Cause == nil {
		return nil
	}
	switch c.Cause.Kind {
	case onset.Analyze, onset.TableVacuum:
		return nil
	case onset.DropIndex:
		return []finding.Action{indexAgain(c.Cause)}
	case onset.SettingChange:
		return []finding.Action{{Do: "Set it back, if no other statement needs it, or for this statement alone with SET LOCAL: " + c.Cause.Text + ".",
			Cost: "ALTER SYSTEM and a reload act on all sessions"}}
	case onset.CreateIndex:
		return []finding.Action{{Do: "The new index looks cheaper than it is: correct the estimate below, or drop it if nothing else needs it (PGA211). Event: " + c.Cause.Text + "."}}
	}
	return nil
}

// indexAgain brings back the index that was dropped.
func indexAgain(cause *onset.Explanation) finding.Action {
	if x := cause.Index; x != nil && x.Definition != "" {
		return finding.Action{Do: strings.Replace(x.Definition, "INDEX ", "INDEX CONCURRENTLY ", 1) + ";", SQL: true,
			Cost: "reads the table twice, waits for older transactions; every write pays for the index again"}
	}
	return finding.Action{Do: "Create the index again (CREATE INDEX CONCURRENTLY): " + cause.Text + " took from the earlier plan what it used. Input does not tell its definition.",
		Cost: "reads the table twice, waits for older transactions"}
}

// statistics are the actions that correct the estimate of the new plan, at the
// scan that the earlier plan does not have.
func (c *flipCase) statistics(m *dataset.Model) []finding.Action {
	for i := range c.Statement.Shapes {
		shape := &c.Statement.Shapes[i]
		if shape.ID != c.To || shape.Slowest.Plan == nil {
			continue
		}
		pc := newPlanCase(m, c.Statement, shape)
		fresh := c.shapeText(c.To, c.From)
		for k := range pc.Plan.Nodes {
			n := pc.node(k)
			if n.RelationName != "" && strings.Contains(fresh, nodeTitle(n)) {
				if pc.hopes(k) {
					return []finding.Action{{Do: fmt.Sprintf("The new plan reads %s in the order of %s and hopes to meet the LIMIT early, as if the rows wanted lay evenly in it. "+
						"An index that begins with the columns compared by =, followed by those of the order, serves both.", n.RelationName, n.IndexName),
						Cost: "CREATE INDEX CONCURRENTLY reads the table twice, waits for older transactions; every write pays for it"}}
				}
				return c.withoutAnalyze(pc.statisticsActions(k))
			}
		}
	}
	return nil
}

// hopes reports whether the scan at node i filters rows below a LIMIT that it
// gives the order for.
func (c *planCase) hopes(i int) bool {
	n := c.node(i)
	if n.NodeType != "Index Scan" && n.NodeType != "Index Only Scan" || n.RowsRemovedFilter == 0 {
		return false
	}
	parent := int(n.Parent)
	for parent >= 0 && (c.node(parent).NodeType == "Nested Loop" || c.node(parent).NodeType == "LockRows") {
		parent = int(c.node(parent).Parent)
	}
	return parent >= 0 && c.node(parent).NodeType == "Limit"
}

// withoutAnalyze drops the advice to ANALYZE alone where an analyze brought the
// plan, and all advice on statistics where they are not what changed.
func (c *flipCase) withoutAnalyze(list []finding.Action) []finding.Action {
	if c.Generic || c.Cause != nil && c.Cause.Kind == onset.DropIndex {
		return nil
	}
	if c.Cause == nil || c.Cause.Kind != onset.Analyze {
		return list
	}
	return slices.DeleteFunc(list, func(a finding.Action) bool { return strings.HasPrefix(a.Do, "ANALYZE ") && a.SQL })
}
