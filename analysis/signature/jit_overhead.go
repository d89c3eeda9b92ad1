package signature

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/pgassay/pgassay/analysis/finding"
)

var jitOverhead = &Signature{
	ID: "PGA307", Name: "jit-overhead", Max: finding.Warning,
	Felt: "A query has a delay before it begins to work",
	What: "Compiling the query takes a large part of its time.",
	Why: "Plans dearer than jit_above_cost are compiled before they run, beyond jit_inline_above_cost and jit_optimize_above_cost with inlining and optimization. " +
		"The compiler's time depends on the number of expressions (partitions multiply them), not on the rows; a plan whose cost was estimated too high pays it for nothing.",
	Fix:    "Switch jit off for such statements, or raise jit_above_cost beyond their cost; correct the estimate if the cost is far too high.",
	Verify: "The JIT section is gone and the execution is shorter by its total.",
	Needs:  []Need{{"P", "plans with actual times and the JIT section: EXPLAIN (ANALYZE), or auto_explain.log_analyze"}},
	Silent: []string{"long queries in which compiling is a small part"},
	Thresholds: planLimits(
		Threshold{"min_share", 0.1, "of the execution", "that compiling takes"},
	),
	Detect: detectJITOverhead,
}

func detectJITOverhead(p *Pass) {
	p.detectPlans(analyzed, "no plans with actual rows in input", func(c *planCase) []planSpot {
		ms, ok := c.jitTime()
		if !ok || ms <= 0 || ms < p.limit("min_share")*c.Total {
			return nil
		}
		s := c.at(0)
		s.Subject.Relation, s.Subject.Index = "", ""
		s.Cost = min(ms, c.Total)
		s.Lost = s.Cost
		s.Effect = ratio(c.Total, c.Total-s.Cost)
		s.Tell = func(f *finding.Finding) { c.tellJIT(f, ms) }
		return []planSpot{s}
	})
}

// jitTime is the leader's compile time in ms. It is inside the start-up time of
// the nodes. Workers compile on their own, at the same time.
func (c *planCase) jitTime() (float64, bool) {
	if text, ok := detail(c.Plan.Extra, "JIT"); ok {
		var jit struct{ Timing struct{ Total float64 } }
		if json.Unmarshal([]byte(text), &jit) == nil {
			return jit.Timing.Total, true
		}
		return 0, false
	}
	text, ok := detail(c.Plan.Extra, "JIT Timing")
	if !ok {
		return 0, false
	}
	return millisecondsAfter(text, "Total ")
}

// jitFunctions is the number of functions compiled, 0 if not told.
func (c *planCase) jitFunctions() float64 {
	if text, ok := detail(c.Plan.Extra, "JIT"); ok {
		var jit struct{ Functions float64 }
		if json.Unmarshal([]byte(text), &jit) == nil {
			return jit.Functions
		}
	}
	n, _ := detailNumber(c.Plan.Extra, "JIT Functions")
	return n
}

func (c *planCase) tellJIT(f *finding.Finding, ms float64) {
	cost := c.node(0).TotalCost
	f.Title = fmt.Sprintf("Compiling the query takes %s of its execution", percent(min(1, ms/max(c.Total, 0.001))))
	f.Summary = fmt.Sprintf("JIT took %s of %s ms. The plan's cost is %s; jit_above_cost lies below it.", num(ms), num(c.Total), num(cost))
	f.Figures = []finding.Figure{
		{What: "time in JIT", Value: ms, Unit: "ms", Text: num(ms) + " ms", Limit: "below a tenth of the execution", Says: "times the execution without it: " + times(f.Effect)},
		{What: "cost of the plan", Value: cost, Text: num(cost)},
	}
	if n := c.jitFunctions(); n > 0 {
		f.Figures = append(f.Figures, finding.Figure{What: "functions compiled", Value: n, Text: num(n)})
	}
	for _, name := range []string{"jit_above_cost", "jit_inline_above_cost", "jit_optimize_above_cost"} {
		if v, ok := c.setting(name); ok {
			f.Notes = append(f.Notes, name+" = "+v)
		}
	}
	f.Actions = []finding.Action{
		{Do: "SET LOCAL jit = off;", SQL: true, Cost: "only for this transaction; or ALTER ROLE … SET jit = off for an application of short queries"},
		c.raiseJITCost(cost),
	}
	f.WillNotHelp = []string{"Indexes, work_mem, more workers: each worker compiles on its own."}
	f.Verify = []string{"EXPLAIN (ANALYZE) in the same transaction: no JIT section, execution time shorter by about its total."}
}

// raiseJITCost proposes a jit_above_cost beyond the plan's cost. Where the
// server's already is, the session has one of its own, which is to go: the
// server's must not be lowered.
func (c *planCase) raiseJITCost(cost float64) finding.Action {
	own := false
	for _, kv := range c.Plan.Settings {
		own = own || kv.Key == "jit_above_cost"
	}
	if s, ok := c.Model.Setting("jit_above_cost"); ok {
		server, err := strconv.ParseFloat(s.Value, 64)
		own = own || err == nil && server > cost
	}
	if own {
		return finding.Action{Do: "Find who sets jit_above_cost below the plan's cost for this session: ALTER ROLE or ALTER DATABASE (select * from pg_db_role_setting), " +
			"the connection's options, or a SET in the application. Take it away, or set it above " + num0(roundUp(2*cost)) + " there.",
			Cost: "the server's own jit_above_cost stays as it is"}
	}
	return finding.Action{Do: "ALTER SYSTEM SET jit_above_cost = " + num0(roundUp(2*cost)) + ";", SQL: true,
		Cost: "twice this plan's cost; long analytic queries below it lose JIT as well"}
}

// roundUp rounds to one significant digit, up.
func roundUp(v float64) float64 {
	if v > 1e15 { // PostgreSQL prints such costs, up to Infinity, for hopeless plans
		return v
	}
	unit := 1.0
	for unit*10 <= v {
		unit *= 10
	}
	n := 1.0
	for n*unit < v {
		n++
	}
	return n * unit
}
