package signature

import (
	"fmt"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
)

var planningDominates = &Signature{
	ID: "PGA308", Name: "planning-dominates", Max: finding.Warning,
	Felt: "A query takes longer to be planned than to run",
	What: "Planning the statement takes longer than running it.",
	Why: "The planner looks at every partition and index that may be used and at every order of the joins. With many partitions, many indexes, many joins or a cold catalog cache " +
		"this costs more than a short execution, each time the statement is sent as text.",
	Fix: "Prepare the statement and run it many times, so that a generic plan is kept (after five executions); give the planner less: a condition that prunes partitions at plan time, " +
		"fewer partitions, fewer unused indexes, a lower join_collapse_limit for very many joins.",
	Verify: "Planning Time of the second execution in the same session, and of the sixth EXECUTE of a prepared statement.",
	Needs:  []Need{needPlanning},
	Silent: []string{"plans that are made in a few milliseconds", "EXPLAIN without ANALYZE: nothing to compare with", "auto_explain, which does not log planning"},
	Thresholds: planLimits(
		Threshold{"min_ms", 5, "ms", "of planning: a new session takes a millisecond or two to load the catalog"},
		Threshold{"min_ratio", 2, "x", "planning ÷ execution"},
		Threshold{"cold_reads", 10, "blocks", "read while planning: the catalog was not in memory"},
	),
	Detect: detectPlanningDominates,
}

func detectPlanningDominates(p *Pass) {
	usable := func(c *planCase) bool { return c.executed(0) && c.Plan.HasPlanning && c.Plan.HasExecution }
	p.detectPlans(usable, "no plans with planning time in input: auto_explain does not log it", func(c *planCase) []planSpot {
		ms := c.Plan.PlanningTime.Milliseconds()
		if ms < p.limit("min_ms") || ms < p.limit("min_ratio")*c.Total {
			return nil
		}
		s := c.at(0)
		s.Subject.Relation, s.Subject.Index = "", ""
		s.Cost, s.Of = ms, ms+c.Total
		s.Lost = ms
		s.Effect = ratio(ms+c.Total, c.Total)
		if c.planningIsCold(p.limit("cold_reads")) {
			s.Weak = "a second plan in the same session: this one read the catalog from disk"
		} else if c.Shape.Executions < 2 {
			s.Weak = "a second plan in the same session: the first one after connecting loads the catalog cache"
		}
		s.Tell = func(f *finding.Finding) { c.tellPlanning(f, ms) }
		return []planSpot{s}
	})
}

func (c *planCase) planningIsCold(limit float64) bool {
	return c.Plan.HasPlanBuffers && float64(c.Plan.PlanningBuffers.SharedRead) >= limit
}

// scanned counts the tables and indexes that the plan reads.
func (c *planCase) scanned() (tables int, children bool) {
	seen := map[string]bool{}
	for i := range c.Plan.Nodes {
		n := c.node(i)
		if n.RelationName != "" && !seen[n.RelationName] {
			seen[n.RelationName] = true
			tables++
		}
		children = children || strings.HasSuffix(n.NodeType, "Append")
	}
	return tables, children
}

func (c *planCase) tellPlanning(f *finding.Finding, ms float64) {
	tables, children := c.scanned()
	f.Title = fmt.Sprintf("Planning takes %s the time of the execution", times(ms/max(c.Total, 0.001)))
	f.Summary = fmt.Sprintf("Planning took %s ms, the execution %s ms. The plan reads %s.", num(ms), num(c.Total), plural(tables, "table"))
	f.Figures = []finding.Figure{
		{What: "planning", Value: ms, Unit: "ms", Text: num(ms) + " ms", Limit: "below twice the execution", Says: times(ms / max(c.Total, 0.001))},
		{What: "execution", Value: c.Total, Unit: "ms", Text: num(c.Total) + " ms"},
	}
	if c.Plan.HasPlanBuffers {
		b := c.Plan.PlanningBuffers
		f.Figures = append(f.Figures, finding.Figure{What: "catalog blocks while planning", Value: float64(b.Shared()), Unit: "buffers",
			Text: fmt.Sprintf("%s hit, %s read", counted(float64(b.SharedHit)), counted(float64(b.SharedRead))), Says: "near 0 once the session's caches are warm"})
	}
	f.Actions = []finding.Action{
		{Do: "Prepare the statement in the driver and keep the session: planning is then done at most six times (plan_cache_mode = auto).",
			Cost: "a generic plan does not see the values: check that it fits skewed ones; with a pooler in transaction mode use its support for prepared statements"},
	}
	if children {
		f.Actions = append(f.Actions, finding.Action{Do: "Compare the partition key with a constant or a plain parameter, so that partitions are pruned while planning, and merge partitions that are small.",
			Cost: "attaching and detaching partitions takes locks on the parent"})
	}
	if tables >= 10 {
		f.Actions = append(f.Actions, finding.Action{Do: "SET LOCAL join_collapse_limit = 1; for a hand-ordered join of many tables", Cost: "the written order of joins is then the executed one"})
	}
	f.WillNotHelp = []string{"Indexes on the tables: the execution is not what takes the time, and each index is one more thing to plan."}
}
