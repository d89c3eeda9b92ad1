package signature

import (
	"fmt"
	"math"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/onset"
	"github.com/pgassay/pgassay/analysis/series"
)

func (u *unseenFlip) finding(p *Pass) finding.Finding {
	f := finding.Finding{
		Subject: finding.Subject{Relation: u.relation(), Fingerprint: u.Statement.Fingerprint, Statement: u.Statement.Normalized},
		Title:   fmt.Sprintf("%s%s costs %s as much since %s", statementNoun(u.Statement), u.on(), times(u.Cost.ratio()), u.event()),
		Effect:  u.Cost.ratio(),
		Share:   timeShare(p.Model, u.Statement, fromDiffs),
		Onset:   u.onset(),
		Figures: u.figures(p),
		N: fmt.Sprintf("%d readings before and %d since, of %s and %s executions", u.Before.Len(), u.After.Len(),
			thousands(int64(sum(u.Before.Executions))), thousands(int64(sum(u.After.Executions)))),
		RuledOut: []finding.RuledOut{u.same("more rows", "rows", u.Rows), u.throughput(), notMeasurable("other parameters", "executions are not logged")},
		Evidence: append(u.eventEvidence(), frameEvidence(u.After, series.BuffersPerExecution)...),
		Series:   []finding.Series{u.series()},
		Notes:    []string{"Neither plan is in the input: that the plan changed is concluded from what the statement costs. auto_explain with log_analyze, log_buffers and a lower log_min_duration shows it."},
	}
	f.Onset.End = u.End
	f.Confidence, f.WhyConfidence = u.confidence()
	f.Summary = u.summary()
	u.remedy(&f)
	return f
}

// relation is the table that the event concerns; "" if not told.
func (u *unseenFlip) relation() string {
	if r := u.Change.Cause.Relation; r != nil {
		return r.Name
	}
	return ""
}

func (u *unseenFlip) on() string {
	if r := u.relation(); r != "" {
		return " on " + r
	}
	return ""
}

func (u *unseenFlip) figures(p *Pass) []finding.Figure {
	out := []finding.Figure{
		{What: "buffers per execution", Value: u.Cost.Last, Unit: "buffers", Text: change(u.Cost), Says: times(u.Cost.ratio()),
			Limit: fmt.Sprintf("at least %gx", p.limit("min_ratio")), PValue: p.Test(u.Change.Step.P)},
		{What: "time per execution", Value: u.Time.Last, Unit: "ms", Text: change(u.Time) + " ms", Says: times(u.Time.ratio())},
	}
	if !math.IsNaN(u.Uses.Before) {
		out = append(out, finding.Figure{What: "scans of the index before it", Value: u.Uses.Before, Unit: "scans/s", Says: "it was in use"})
	}
	if !math.IsNaN(u.Read.Before) && !math.IsNaN(u.Read.After) {
		says := "no more than before"
		if u.readsTable() {
			says = "the table is read as a whole"
		}
		out = append(out, finding.Figure{What: "rows read by sequential scans of the table", Value: u.Read.After, Unit: "rows/s",
			Text: change(levels{u.Read.Before, u.Read.After}) + " rows/s", Limit: "at least 3x", Says: says})
	}
	return out
}

// confidence is likely at most: the plans are not seen.
func (u *unseenFlip) confidence() (finding.Confidence, string) {
	why := "holds: more buffers for as many rows, event (" + u.event() + ")"
	switch {
	case len(u.Change.Cause.Also) > 0:
		return finding.Possible, why + "; missing: the plans; two happenings before it cannot be told apart"
	case u.readsTable():
		return finding.Likely, why + ", sequential scans of the table begin with it; missing: the plans"
	case u.indexServed():
		return finding.Likely, why + ", the index was scanned as often as the statement ran; missing: the plans"
	}
	return finding.Possible, why + "; missing: the plans, and scans of the table or of the index that fit"
}

func (u *unseenFlip) summary() string {
	text := fmt.Sprintf("Since %s an execution takes %s buffers instead of %s, and %s ms instead of %s ms, for as many rows. Before it: %s.",
		clock(u.began()), num(u.Cost.Last), num(u.Cost.First), num(u.Time.Last), num(u.Time.First), u.event())
	if u.readsTable() {
		text += fmt.Sprintf(" Sequential scans read %s rows of %s a second, before it %s.", num(u.Read.After), u.relation(), num(u.Read.Before))
	}
	if u.End.Known() {
		text += fmt.Sprintf(" It ended at %s.", clock(u.End))
	}
	return text + " The plans are not logged."
}

func (u *unseenFlip) remedy(f *finding.Finding) {
	switch {
	case u.End.Known():
		f.Actions = []finding.Action{{Do: fmt.Sprintf("Nothing now: the cost is back since %s. Keep what brought it from coming again: %s.", clock(u.End), u.event())}}
	case u.Change.Cause.Kind == onset.DropIndex:
		f.Actions = []finding.Action{indexAgain(u.Change.Cause)}
	default:
		f.Actions = []finding.Action{{Do: "Compare estimated with actual rows in EXPLAIN (ANALYZE, BUFFERS) of the statement: where they part, raise the statistics target of the column, or create extended statistics.",
			Cost: "ANALYZE executes the statement"}}
	}
	f.WillNotHelp = []string{"more memory, more connections or faster disks: the statement does more work"}
	f.Verify = []string{"EXPLAIN (ANALYZE, BUFFERS) of the statement shows near " + num(u.Cost.First) + " buffers again"}
}

// throughput is ruled out by the measure: buffers of an execution are its own.
func (u *unseenFlip) throughput() finding.RuledOut {
	return finding.RuledOut{Rival: "throughput", Verdict: finding.RuledOutVerdict,
		Figure: change(u.levels(series.Throughput)) + " executions/s", Why: "buffers per execution do not depend on it"}
}

func (u *unseenFlip) series() finding.Series {
	s := u.slowdown.series()
	s.Name = "Time per execution rises with " + u.event()
	return s
}
