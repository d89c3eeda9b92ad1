package signature

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/pgassay/pgassay/analysis/autovacuum"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
)

func sortPoints(p []finding.Point) {
	sort.SliceStable(p, func(i, j int) bool { return p[i].X < p[j].X })
}

// halfRise is when, after a vacuum, half of the rise is reached: the median over
// the cycles in seconds, and the value of the metric.
func (w *sawtooth) halfRise() (seconds, target float64) {
	target = (w.Fresh + w.Worst) / 2
	var reached []float64
	for _, cy := range w.Cycles {
		for _, p := range cy.Points {
			if p.y >= target {
				reached = append(reached, p.exec.Start.Sub(cy.From.End).Seconds())
				break
			}
		}
	}
	return stats.Median(reached), target
}

// advice keeps heap fetches within what is tolerated. Where they are not known,
// or no setting can do it, half of the rise is the goal; then seconds is not 0.
func (w *sawtooth) advice(p *Pass) (a *autovacuum.Advice, seconds, target float64) {
	if tolerated := p.limit("tolerated_share"); w.Metric.heap {
		if a := autovacuum.Advise(p.Model, w.Relation, tolerated); a.Reachable && len(a.Set) > 0 {
			return a, 0, tolerated * w.Rows
		}
	}
	seconds, target = w.halfRise()
	return autovacuum.AdviseWithin(p.Model, w.Relation, seconds), seconds, target
}

func (w *sawtooth) remedy(p *Pass, f *finding.Finding) {
	if w.Held > 0 {
		f.Actions = []finding.Action{{Do: "First end what holds vacuum back (PGA205), then collect again: the cycles outside that time are too few to tune by."}}
		f.Verify = []string{"no vacuum of the table leaves dead rows that are not yet removable"}
		return
	}
	a, seconds, target := w.advice(p)
	name := w.Relation.SQL()
	switch {
	case len(a.Set) > 0:
		f.Actions = append(f.Actions, finding.Action{SQL: true, Do: a.SQL(), Cost: fmt.Sprintf(
			"a vacuum about every %s instead of every %s, each %s; takes a SHARE UPDATE EXCLUSIVE lock for a moment", span(a.Then.Period), span(w.Period), passCost(a))})
		f.Notes = append(f.Notes, w.workedOut(p, a, seconds, target), a.Knob.Why()+" "+a.Knob.Other(), "Set now: "+settingsNow(a)+".")
	default:
		f.Actions = append(f.Actions, finding.Action{
			Do: fmt.Sprintf("Vacuum %s every %s instead of every %s, through autovacuum_vacuum_threshold and autovacuum_vacuum_scale_factor of this table: half of the rise is reached by then. "+
				"Snapshots of pg_stat_user_tables would tell the number of rows to set.", name, span(seconds), span(w.Period))})
	}
	f.WillNotHelp = []string{"another index: the plan is the right one", "VACUUM FULL: the decay begins anew", "cluster-wide autovacuum settings: only this table needs them",
		"judging by the readings right after a vacuum"}
	f.Verify = []string{
		fmt.Sprintf("the readings just before a vacuum stay below %s %s", num(target), w.Metric.unit),
		fmt.Sprintf("select relname, reloptions from pg_class where oid = %s;", regclass(name)),
	}
}

// workedOut says how the numbers of the advice came about.
func (w *sawtooth) workedOut(p *Pass, a *autovacuum.Advice, seconds, target float64) string {
	rates := fmt.Sprintf("%s rows die in a second and %s take a new place", num(a.Activity.Died.PerSecond), num(a.Activity.Placed.PerSecond))
	if seconds == 0 {
		return fmt.Sprintf("Worked out: %s; the last readings of a cycle then need the table for %s to %s of the rows, now for %s to %s.",
			rates, percent(a.Then.Low), percent(a.Then.High), percent(a.Now.Low), percent(a.Now.High))
	}
	text := fmt.Sprintf("Worked out: half of the rise (%s %s) is reached %s after a vacuum; %s.", num(target), w.Metric.unit, span(seconds), rates)
	if w.Metric.heap && a.Workload.Pages >= 1 {
		text += fmt.Sprintf(" %s of the rows cannot be kept by a setting of this table: so many pages are touched that even a vacuum every %s would not do.",
			percent(p.limit("tolerated_share")), span(a.Naptime.Value))
	}
	return text
}

// passCost is what one vacuum of the relation costs, from its lines.
func passCost(a *autovacuum.Advice) string {
	c := a.Cost
	if math.IsNaN(c.Seconds) || math.IsNaN(c.Buffers) {
		return "at the cost of one pass over table and indexes"
	}
	return fmt.Sprintf("%s and %s buffers (median of %d)", span(c.Seconds), num(c.Buffers), c.Logged)
}

// settingsNow are the triggers in force with where each comes from.
func settingsNow(a *autovacuum.Advice) string {
	var parts []string
	for _, l := range []autovacuum.Limit{a.Limits.Dead, a.Limits.Inserted} {
		for _, x := range l.Of {
			parts = append(parts, fmt.Sprintf("%s (%s)", x, x.Source))
		}
	}
	return strings.Join(parts, ", ")
}
