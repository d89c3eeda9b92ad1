package signature

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/attribution"
	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/onset"
	"github.com/pgassay/pgassay/analysis/series"
	"github.com/pgassay/pgassay/parser/record"
)

var costTracksTimeOnly = &Signature{
	ID: "PGA104", Name: "cost-tracks-time-only", Max: finding.Info,
	Felt: "A statement gets slower day by day",
	What: "A statement costs ever more as time goes by, and nothing in the input follows: not the load, not the rows.",
	Why: "Something grows that the input does not measure: a table, an index, dead rows, or a walk through pages. The clock is no cause; it stands for what was not collected. " +
		"Which of them it is decides the remedy: an index, a vacuum, or a rebuild.",
	Fix:    "Collect the sizes that are missing and run again: PGA101, PGA103, PGA201, PGA208 and PGA209 then say which it is.",
	Verify: "With the missing series in the input one of them explains the cost, by its unit slope or in proportion.",
	Needs:  []Need{{"P", "costs over time: plans with buffers, durations, or differences of pg_stat_statements"}},
	Silent: []string{"more rows for more cost", "load that grows with the cost", "a size or a count of dead rows that follows it", "a step (PGA105, PGA106)", "a statement that another signature explains"},
	Thresholds: []Threshold{
		{"min_growth", 1.5, "x", "cost at the end ÷ at the beginning"},
		{"min_readings", 30, "readings", "independent readings of the cost"},
		{"rows_share", 0.25, "of the growth", "of the cost that the growth of the rows may reach, both as logarithms"},
		{"load_share", 0.25, "of the variance", "of the cost that a rising throughput may explain"},
		{"min_step", 1.2, "x", "a lasting change of level by which the growth counts as a step"},
	},
	Detect: detectCostTracksTimeOnly,
}

func detectCostTracksTimeOnly(p *Pass) {
	measured := false
	var happenings []onset.Happening
	for _, s := range p.costly() {
		f := p.frame(s)
		if f == nil || f.Len() < int(p.limit("min_readings")) {
			continue
		}
		kind, ok := costOf(f)
		if !ok {
			continue
		}
		measured = true
		if !p.grewAlone(f, kind) || p.explained(s) {
			continue
		}
		if happenings == nil {
			happenings = onset.Happenings(p.Model)
		}
		if !p.steps(f, kind, happenings) {
			p.onlyTime(f, kind)
		}
	}
	if !measured {
		p.Lacks(fmt.Sprintf("no cost of a statement over time in input (at least %g readings)", p.limit("min_readings")),
			"a longer log with auto_explain.log_analyze and log_buffers, or more snapshots of pg_stat_statements with captured_at")
	}
}

// costOf is the cost that load and neighbours move least: buffers before time;
// of writes per row, which their size does not move.
func costOf(f *series.Frame) (series.Kind, bool) {
	kinds := []series.Kind{series.BuffersPerExecution, series.TimePerExecution}
	if f.Statement.Command == "INSERT" {
		kinds = []series.Kind{series.BuffersPerRow, series.TimePerRow, series.TimePerExecution}
	}
	for _, k := range kinds {
		if f.Column(k) != nil {
			return k, true
		}
	}
	return 0, false
}

// explained reports that an earlier signature has a finding on the statement.
func (p *Pass) explained(s *dataset.Statement) bool {
	return slices.ContainsFunc(p.Findings, func(f finding.Finding) bool { return f.Subject.Fingerprint == s.Fingerprint })
}

// grewAlone reports that the cost grew and that rows, plan and load did not
// grow with it.
func (p *Pass) grewAlone(f *series.Frame, kind series.Kind) bool {
	growth := levelsOf(f.Column(kind)).ratio()
	if !(growth >= p.limit("min_growth")) || flipped(f) {
		return false
	}
	if kind == series.BuffersPerRow || kind == series.TimePerRow {
		return true
	}
	rows := levelsOf(f.Column(series.RowsPerExecution))
	return math.IsNaN(rows.First) || math.Log(max(1, rows.Last)/max(1, rows.First)) <= p.limit("rows_share")*math.Log(growth)
}

// steps reports that the cost changed at one time, once and for all.
func (p *Pass) steps(f *series.Frame, kind series.Kind, happenings []onset.Happening) bool {
	var points []onset.Point
	for i, v := range f.Column(kind).Values {
		if pos, at := f.Place(i); !math.IsNaN(v) {
			points = append(points, onset.Point{Time: at, Value: v, Pos: pos})
		}
	}
	return len(onset.Find(onset.Series{Points: points}, happenings, slowing(), onset.Options{MinRatio: p.limit("min_step")})) > 0
}

// onlyTime reports the statement if the clock is all that explains its cost.
func (p *Pass) onlyTime(f *series.Frame, kind series.Kind) {
	limits := attribution.DefaultLimits()
	a := attribution.Ask(attribution.Question{Frame: f, Cost: kind, Baseline: levelsOf(f.Column(kind)).First, Limits: limits})
	e := a.Explaining()
	if len(e) != 1 || e[0].Kind != series.WallClock {
		return
	}
	if c := a.Of(series.Throughput); c != nil && c.Fit.Slope > 0 && c.Raw.R*c.Raw.R > p.limit("load_share") {
		return
	}
	p.Report(p.timeOnly(f, kind, &a, limits), false)
}

func (p *Pass) timeOnly(f *series.Frame, kind series.Kind, a *attribution.Answer, limits attribution.Limits) finding.Finding {
	cost := levelsOf(f.Column(kind))
	clockFit := a.Of(series.WallClock).Fit
	missing := missingSeries(f)
	out := finding.Finding{
		Subject: finding.Subject{Fingerprint: f.Statement.Fingerprint, Statement: f.Statement.Normalized},
		Title:   fmt.Sprintf("A statement costs %s as much as at the beginning, and nothing in the input says why", times(cost.ratio())),
		Summary: fmt.Sprintf("%s grew from %s to %s over %s, evenly with time. Neither load nor rows follow it. %s", sentence(kind.String()), num(cost.First), num(cost.Last),
			span(f.Between().To.Sub(f.Between().From).Seconds()), whatIsMissing(missing)),
		Effect: cost.ratio(), Share: timeShare(p.Model, f.Statement, walkSource(f.Source)),
		Onset:      &finding.Onset{Time: f.Between().From, Event: "before the input begins", EventTime: record.NoTime, End: record.NoTime},
		Confidence: finding.Possible, WhyConfidence: "holds: a trend; missing: the mechanism, its equation, its event",
		Figures: []finding.Figure{
			{What: kind.String(), Value: cost.Last, Unit: kind.Unit(), Text: change(cost), Limit: fmt.Sprintf("at least %gx", p.limit("min_growth")), Says: times(cost.ratio())},
			{What: "per hour", Value: clockFit.Slope * 3600, Unit: kind.Unit() + " per hour", Interval: scaled(clockFit.Interval.Lo, clockFit.Interval.Hi, 3600), Says: "grows with the clock"},
		},
		RuledOut:    []finding.RuledOut{loadOf(a.Of(series.Concurrency), "concurrency"), loadOf(a.Of(series.Throughput), "throughput"), loadOf(a.Of(series.RowsPerExecution), "rows per statement")},
		Attribution: a.Table(limits, p.Test),
		Evidence:    frameEvidence(f, kind),
		N:           fmt.Sprintf("%d readings, %s executions", f.Len(), thousands(int64(sum(f.Executions)))),
		WillNotHelp: []string{"A REINDEX or an index on suspicion: it is not known yet what grows."},
		Verify:      []string{"Run again on a span that holds the series named: what grows explains the cost, or is ruled out."},
	}
	for _, m := range missing {
		out.Actions = append(out.Actions, finding.Action{Do: m.Collect, Cost: "one row per table or index and capture; a capture every minute is enough"})
	}
	if len(missing) == 0 {
		out.Actions = []finding.Action{{Do: "Run EXPLAIN (ANALYZE, BUFFERS) of the statement now and again later: the node whose buffers have grown tells what it reads more of.", Cost: "ANALYZE executes the statement"}}
	}
	return out
}

func scaled(lo, hi, by float64) *[2]float64 { return &[2]float64{lo * by, hi * by} }

// sentence begins with a capital.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// absentSeries is a series that would tell the mechanism, and how to collect
// it.
type absentSeries struct{ Name, Collect string }

// missingSeries are those that may explain a growing cost and that the frame
// does not have.
func missingSeries(f *series.Frame) []absentSeries {
	tables := strings.Join(f.Statement.Statement.Relations, ", ")
	if tables == "" {
		tables = "its tables"
	}
	var out []absentSeries
	for _, m := range []struct {
		kind          series.Kind
		name, collect string
	}{
		{series.IndexPages, "index sizes", "Capture pg_stat_user_indexes with pg_relation_size(indexrelid) AS index_size and captured_at, for the indexes of " + tables + "."},
		{series.TablePages, "table sizes", "Capture pg_stat_user_tables with pg_relation_size(relid) AS relation_size and captured_at, for " + tables + "."},
		{series.DeadRows, "dead rows", "Capture n_dead_tup of pg_stat_user_tables with captured_at, for " + tables + "."},
		{series.SinceVacuum, "vacuums", "Set log_autovacuum_min_duration = 0, or capture last_autovacuum and last_vacuum."},
		{series.BuffersPerExecution, "buffers", "Log buffers: auto_explain.log_analyze and log_buffers, or snapshots of pg_stat_statements with captured_at."},
	} {
		if f.Column(m.kind) == nil {
			out = append(out, absentSeries{m.name, m.collect})
		}
	}
	return out
}

func whatIsMissing(missing []absentSeries) string {
	if len(missing) == 0 {
		return "The sizes and counts of the input do not follow it either."
	}
	var names []string
	for _, m := range missing {
		names = append(names, m.Name)
	}
	return "Not in the input: " + strings.Join(names, ", ") + "."
}
