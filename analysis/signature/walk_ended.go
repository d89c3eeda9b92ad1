package signature

import (
	"fmt"

	"github.com/pgassay/pgassay/analysis/finding"
)

var walkEnded = &Signature{
	ID: "PGA102", Name: "walk-ended", Max: finding.Info,
	Felt:   "Inserts that were slow are as fast as before",
	What:   "A page walk has stopped: inserts are back at their baseline.",
	Why:    "Either the freed slots were filled by elements that fit, or the index was rebuilt. Neither removes the cause.",
	Fix:    "Nothing now. Expect the walk again after the next vacuum that cleans the index.",
	Verify: "Buffers per inserted row stay at the baseline while the index grows.",
	Needs:  []Need{needPlans, needSeries, needVacuum},
	Silent: []string{"a walk that goes on", "a pause of the inserts"},
	Thresholds: []Threshold{
		{"end_level", 0.2, "of the index", "above the baseline, up to which the cost counts as back"},
		{"end_readings", 5, "readings", "that must be back, up to the end of the input"},
	},
	Detect: detectWalkEnded,
}

func detectWalkEnded(p *Pass) {
	if !p.canWalk(transcriptWalksOf(p, p.limits(linearPageWalk))) {
		return
	}
	ended := func(w *walk) bool { return w.Ended != nil }
	for _, w := range latestOf(walksOf(p, walkLimitsOf(p.limits(linearPageWalk))), ended) {
		p.Report(w.endedFinding(), false)
	}
}

func (w *walk) endedFinding() finding.Finding {
	how := "the freed slots were filled"
	if r := w.Ended.Rebuild; r != nil {
		how = fmt.Sprintf("the index was rebuilt between %s and %s", clock(r.After), clock(r.By))
	}
	lasted := w.Ended.Time.Sub(w.Onset).Seconds()
	c, why := finding.Likely, "holds: the walk's equation before, the baseline after; missing: a line that tells why it ended"
	if w.Ended.Rebuild != nil {
		c, why = finding.Confirmed, "holds: the walk's equation before, the rebuild, the baseline after"
	}
	f := finding.Finding{
		Confidence: c, WhyConfidence: why,
		Subject: finding.Subject{Relation: w.Index.Relation.Name, Index: w.Index.Name,
			Fingerprint: w.Statement.Fingerprint, Statement: w.Statement.Normalized},
		Title:  fmt.Sprintf("The page walk on %s ended at %s", w.Index.Index, clock(w.Ended.Time)),
		Effect: w.Ended.Cost / w.Now,
		Summary: fmt.Sprintf("The walk of %s lasted %s and ended at %s: %s. An inserted row costs %s buffers again, after %s. "+
			"The next vacuum that cleans the index brings the walk back.",
			w.Index.Index, span(lasted), clock(w.Ended.Time), how, num(w.Ended.Cost), num(w.Now)),
		Onset: &finding.Onset{Time: w.Ended.Time, Event: how, EventTime: w.Ended.Time, End: w.Ended.Time},
		Figures: []finding.Figure{
			{What: "buffers per row while it walked", Value: w.Now, Unit: "buffers/row", Says: "walk"},
			{What: "buffers per row since", Value: w.Ended.Cost, Unit: "buffers/row", Says: "ended", Limit: "baseline " + num(w.Baseline)},
			{What: "lasted", Value: lasted, Unit: "s", Text: span(lasted)},
		},
		Actions: []finding.Action{{Do: "Nothing now. Rebuild again after the next vacuum that cleans this index, or keep deletes away from the table."}},
		Verify:  []string{"buffers per inserted row stay near " + num(w.Baseline)},
		Series:  w.series()[:1],
		N:       fmt.Sprintf("%d readings of the index size while it walked", len(w.After)),
	}
	for _, e := range w.evidence(w.points()) {
		if e.What == "latest" {
			e.What = "last that walked"
			f.Evidence = append(f.Evidence, e)
		}
	}
	if r := w.Ended.Rebuild; r != nil {
		f.Evidence = append(f.Evidence, finding.Evidence{What: "event", Pos: r.Pos, Time: r.By, Value: r.PagesAfter, Unit: "pages", Excerpt: "relfilenode or OID changed"})
	}
	return f
}
