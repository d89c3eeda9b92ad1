package signature

import (
	"fmt"
	"math"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/series"
	"github.com/pgassay/pgassay/parser/record"
)

// planningShare is the part of the added time up to which planning is ruled out.
const planningShare = 0.1

// planning weighs planning as a use of the added time. Facts: total_exec_time,
// the duration of a plan and that of an Execute step hold none; the duration
// line of a simple statement does, and is longer than its plan's by at least that.
func (d *slowdown) planning() finding.RuledOut {
	out := finding.RuledOut{Rival: "planning", Verdict: finding.RuledOutVerdict}
	own := d.levelsOfMean(series.PlanningTime)
	if !d.holdsPlanning() {
		out.Figure = "the times compared hold no planning"
		if !math.IsNaN(own.ratio()) {
			out.Figure += fmt.Sprintf("; it took %s ms beside them", change(own))
		}
		return out
	}
	unit := "ms per planning"
	if math.IsNaN(own.ratio()) {
		unit = "ms from the duration of the plan to that of the statement: planning at most"
		own = levels{d.outsidePlan(d.Before.Between()), d.outsidePlan(d.After.Between())}
	}
	if math.IsNaN(own.First) || math.IsNaN(own.Last) {
		return notMeasurable(out.Rival, "no planning time in input: set pg_stat_statements.track_planning = on and snapshot it")
	}
	out.Figure = change(own) + " " + unit
	if share := (own.Last - own.First) / (d.Time.Last - d.Time.First); share > planningShare {
		out.Verdict, out.Why = finding.NotRuledOut, percent(min(1, share))+" of the added time at most"
	}
	return out
}

// holdsPlanning reports durations of simple statements among the times.
func (d *slowdown) holdsPlanning() bool {
	if d.Frame.Source == series.FromStatements {
		return false
	}
	for _, e := range d.Statement.Executions {
		if e.Kind == record.ExecStatement {
			return true
		}
	}
	return false
}

// outsidePlan is the mean time in ms of the simple statements of a span that lies
// outside their plan; NaN if none has both.
func (d *slowdown) outsidePlan(s series.Span) float64 {
	total, n := 0.0, 0.0
	for _, e := range d.Statement.Executions {
		if e.Kind == record.ExecStatement && e.PlanDuration > 0 && e.Start >= s.From && e.Start <= s.To {
			total, n = total+(e.Duration-e.PlanDuration).Milliseconds(), n+1
		}
	}
	return total / n
}
