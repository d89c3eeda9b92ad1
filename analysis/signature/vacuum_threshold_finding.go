package signature

import (
	"fmt"
	"math"

	"github.com/pgassay/pgassay/analysis/autovacuum"
	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
)

func lateFinding(p *Pass, x *heapScan, a *autovacuum.Advice) finding.Finding {
	r := x.Relation
	within := a.Workload.Within(a.Tolerated)
	f := finding.Finding{
		Subject: finding.Subject{Relation: r.Name},
		Title:   fmt.Sprintf("The vacuum trigger of %s is %s away, its queries need it every %s", r.Name, span(a.Now.Seconds), span(within)),
		Effect:  x.Effect, Share: x.TimeShare,
		Onset: decayOnset(r), N: fmt.Sprintf("%d captures, %d vacuums, %d executions", a.Activity.Captures, len(a.Passes), len(x.Readings)),
		WillNotHelp: []string{otherKnob(a.Knob), "cluster-wide autovacuum settings: only this table needs them", "another index: the scan already has the right one"},
	}
	f.Summary = fmt.Sprintf("At the rate of its writes %s reaches the trigger of %s every %s. Within %s more than %s of the rows of its index-only scans need the table; measured are %s. %s",
		r.Name, a.Now.By, span(a.Now.Seconds), span(within), percent(a.Tolerated), percent(x.Typical), a.Knob.Why())
	f.Figures = append(triggerFigures(a.Dues),
		finding.Figure{What: "from a vacuum to the next trigger", Value: a.Now.Seconds, Unit: "s", Text: span(a.Now.Seconds),
			Limit: "within " + span(within) + " for " + percent(a.Tolerated) + " of rows", Says: times(a.Now.Seconds/math.Max(within, 1e-3)) + " too late"},
		finding.Figure{What: "rows that need the table just before a vacuum, expected", Value: a.Now.High, Unit: "share",
			Text: percent(a.Now.Low) + " to " + percent(a.Now.High), Limit: percent(a.Tolerated)})
	if a.Workload.Window > 0 {
		f.Figures = append(f.Figures, finding.Figure{What: "newest rows that the query reads", Value: a.Workload.Window, Unit: "rows", Says: "look-back"})
	}
	f.Figures = append(append(f.Figures, x.figures()...), decayFigures(a)...)
	f.RuledOut = decayRivals(p, x, a)
	f.Evidence = append(pointEvidence(r, a), x.evidence(a.Tolerated)...)
	f.Confidence, f.WhyConfidence = decayConfidence(p, x, a)
	if a.Limits.Note != "" && f.Confidence > finding.Possible {
		f.Confidence--
		f.WhyConfidence += "; the limits rest on " + a.Limits.Note
	}
	p.tuned(&f, a)
	f.Verify = thresholdVerify(a)
	return f
}

func otherKnob(k autovacuum.Knob) string {
	if k == autovacuum.KnobInserted {
		return "autovacuum_vacuum_scale_factor: few rows die, and each such vacuum walks every index"
	}
	return "autovacuum_vacuum_insert_scale_factor: dead rows gather as fast"
}

func thresholdVerify(a *autovacuum.Advice) []string {
	out := []string{fmt.Sprintf("select relname, reloptions from pg_class where oid = %s;", regclass(a.Relation.SQL()))}
	if len(a.Set) > 0 && a.Reachable {
		out = append(out, "select last_autovacuum, autovacuum_count from pg_stat_user_tables of the table: one more about every "+span(a.Then.Period))
	}
	return out
}

// pointEvidence is the last capture with the counter that is nearest to its
// trigger.
func pointEvidence(r *dataset.Relation, a *autovacuum.Advice) []finding.Evidence {
	next, ok := autovacuum.Next(a.Dues)
	if !ok || len(r.Points) == 0 {
		return nil
	}
	p := &r.Points[len(r.Points)-1]
	return []finding.Evidence{{What: "latest", Pos: p.Pos, Time: p.Time, Value: next.Now, Unit: string(next.Trigger), Limit: "trigger at " + num(next.Value)}}
}

// stuckFinding tells of a table whose dead rows stay below their trigger for
// months.
func stuckFinding(p *Pass, r *dataset.Relation, a *autovacuum.Advice, next autovacuum.Due) finding.Finding {
	x := &r.Points[len(r.Points)-1]
	since := x.Time.Sub(vacuumedAt(r)).Seconds()
	dead := float64(x.DeadTup.N)
	of := dead / a.Limits.Dead.Value
	f := finding.Finding{
		Subject:    finding.Subject{Relation: r.Name},
		Title:      fmt.Sprintf("%s waits at %s of its vacuum trigger: no vacuum for %s, the next %s", r.Name, percent(of), span(since), dueText(next)),
		Confidence: finding.Likely, WhyConfidence: "holds: counters below the limit in force, and the time of the last vacuum; missing: what it costs the queries",
		Onset: decayOnset(r), Figures: triggerFigures(a.Dues), Evidence: pointEvidence(r, a),
		N:           fmt.Sprintf("%d captures", a.Activity.Captures),
		RuledOut:    []finding.RuledOut{notMeasurable("vacuums that are held back", "no vacuum in the input")},
		WillNotHelp: []string{"waiting: at this rate the trigger is reached " + dueText(next)},
		Verify:      thresholdVerify(a),
	}
	f.Summary = fmt.Sprintf("%s rows are dead in %s (%s of the live ones); the trigger is at %s, so that nothing was removed for %s. Queries read past the dead rows, and their space is not reused.",
		num(dead), r.Name, percent(dead/math.Max(1, float64(x.LiveTup.N))), num(a.Limits.Dead.Value), span(since))
	threshold := autovacuumRows(dead / 4)
	f.Actions = []finding.Action{
		{SQL: true, Do: "VACUUM " + r.SQL() + ";", Cost: "reads the pages that are not all-visible and every index; blocks no reads or writes"},
		{SQL: true, Do: fmt.Sprintf("ALTER TABLE %s SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = %s);", r.SQL(), threshold),
			Cost: "a vacuum about every " + span(since/4) + " at this rate; takes a SHARE UPDATE EXCLUSIVE lock for a moment"},
	}
	f.Notes = []string{"Set now: " + settingsNow(a) + "."}
	if a.Limits.Note != "" {
		f.Confidence = finding.Possible
		f.WhyConfidence += "; the limits rest on " + a.Limits.Note
	}
	return f
}

// autovacuumRows writes a number of rows for a setting, rounded down to two
// digits.
func autovacuumRows(rows float64) string {
	unit := math.Pow(10, math.Max(0, math.Floor(math.Log10(math.Max(1, rows)))-1))
	return num0(math.Floor(rows/unit) * unit)
}
