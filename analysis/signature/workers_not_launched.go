package signature

import (
	"fmt"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
)

var workersNotLaunched = &Signature{
	ID: "PGA306", Name: "workers-not-launched", Max: finding.Warning,
	Felt: "A query is slow when others are busy",
	What: "A parallel plan got fewer workers than it was planned for.",
	Why: "Workers come from a pool that the whole server shares (max_parallel_workers within max_worker_processes). When it is empty the plan runs with what it gets, " +
		"down to the leader alone, and does with one process what was cheap for three.",
	Fix: "Size the pool for the parallel statements that run at once, or let fewer statements go parallel (max_parallel_workers_per_gather, " +
		"min_parallel_table_scan_size), so that those that need workers find them.",
	Verify: "Workers Launched equals Workers Planned at busy times too.",
	Needs:  []Need{needActual},
	Silent: []string{"all workers launched", "a Gather that never ran", "a leader that does not take part"},
	Thresholds: planLimits(
		Threshold{"min_missing", 1, "workers", "planned and not launched"},
	),
	Detect: detectWorkersNotLaunched,
}

func detectWorkersNotLaunched(p *Pass) {
	p.detectPlans(analyzed, "no plans with actual rows in input", func(c *planCase) []planSpot {
		var spots []planSpot
		for i := range c.Plan.Nodes {
			n := c.node(i)
			in := c.inputs(i)
			missing := n.WorkersPlanned - n.WorkersLaunched
			if !strings.HasPrefix(n.NodeType, "Gather") || !c.executed(i) || len(in) != 1 || float64(missing) < p.limit("min_missing") {
				continue
			}
			had := max(1, c.processes(in[0])/c.processes(i))
			if had > float64(n.WorkersLaunched)+1 {
				continue // the plan does not tell how many were launched
			}
			s := c.at(i)
			s.Cost = c.inclusive(in[0])
			s.Effect = (had + float64(missing)) / had
			s.Lost = s.Cost * (1 - 1/s.Effect)
			s.Tell = func(f *finding.Finding) { c.tellWorkers(f, i, had) }
			spots = append(spots, s)
		}
		return spots
	})
}

func (c *planCase) tellWorkers(f *finding.Finding, i int, had float64) {
	n := c.node(i)
	planned := had + float64(n.WorkersPlanned-n.WorkersLaunched)
	f.Title = fmt.Sprintf("%d of %s started", n.WorkersLaunched, plural(int(min(n.WorkersPlanned, 1<<20)), "planned parallel worker"))
	f.Summary = fmt.Sprintf("%s ran with %s instead of %s processes. What stands below it took %s ms; with all of them it would be about %s ms.",
		c.place(i), num0(had), num0(planned), num(c.inclusive(c.inputs(i)[0])), num(c.inclusive(c.inputs(i)[0])*had/planned))
	f.Figures = []finding.Figure{
		{What: "workers planned", Value: float64(n.WorkersPlanned), Unit: "workers", Text: num0(float64(n.WorkersPlanned))},
		{What: "workers launched", Value: float64(n.WorkersLaunched), Unit: "workers", Text: num0(float64(n.WorkersLaunched)), Limit: "as planned"},
		{What: "processes that shared the work", Value: had, Unit: "processes", Text: num0(had), Limit: "loops below ÷ loops of the " + n.NodeType},
	}
	for _, name := range []string{"max_parallel_workers", "max_worker_processes", "max_parallel_workers_per_gather"} {
		if v, ok := c.setting(name); ok {
			f.Notes = append(f.Notes, name+" = "+v)
		}
	}
	if n.ActualLoops > 1 {
		f.Notes = append(f.Notes, "The plan tells the workers of the last of its "+thousands(n.ActualLoops)+" executions of this node.")
	}
	f.Actions = []finding.Action{
		{Do: "ALTER SYSTEM SET max_parallel_workers = …; sized as workers per statement × parallel statements at once, within max_worker_processes",
			Cost: "max_parallel_workers takes effect with a reload, max_worker_processes needs a restart; more workers compete for the same CPU"},
		{Do: "Or SET LOCAL max_parallel_workers_per_gather = 0 in statements that need no workers, so that this one finds them.", Cost: "those statements run in one process"},
	}
	f.WillNotHelp = []string{"A higher max_parallel_workers_per_gather: it plans more workers, it does not provide them."}
	f.Verify = []string{"EXPLAIN (ANALYZE) at a busy time: Workers Launched equals Workers Planned. From 18 on pg_stat_database counts parallel_workers_to_launch and parallel_workers_launched."}
}
