package signature

import (
	"fmt"

	"github.com/pgassay/pgassay/analysis/autovacuum"
	"github.com/pgassay/pgassay/analysis/finding"
)

func (d *deadWalk) finding(p *Pass) finding.Finding {
	f := finding.Finding{
		Subject: finding.Subject{Relation: d.Relation.Name, Index: d.indexName(), Fingerprint: d.Statement.Fingerprint, Statement: d.Statement.Normalized},
		Title:   fmt.Sprintf("To find %s, a query steps over the dead entries of %s", d.wanted(), d.indexName()),
		Effect:  d.Cost.effect(),
		Share:   timeShare(p.Model, d.Statement, fromPlans),
		Onset:   d.onset(),
		N:       fmt.Sprintf("%d complete cycles, %d readings inside them, %d outside", len(d.Cycles), len(d.readings()), d.outside()),
	}
	f.Confidence, f.WhyConfidence = d.confidence(p)
	f.Figures = append(d.working(p), d.figures(p)...)
	f.RuledOut = d.rivals(p)
	f.Evidence = d.evidence()
	f.Series = d.series()
	f.Summary = d.summary(&f)
	d.remedy(p, &f)
	return f
}

// indexName is with its schema where snapshots tell it.
func (d *deadWalk) indexName() string {
	name := d.Case.node(d.Scan).IndexName
	if x := d.Relation.Index(name); x != nil {
		return x.Name
	}
	return name
}

// wanted is how many rows the scan gives.
func (d *deadWalk) wanted() string {
	switch rows, _, _ := d.Case.rows(d.Scan); {
	case rows == 1:
		return "one row"
	case rows > 1:
		return counted(rows) + " rows"
	}
	return "no row"
}

// working is what the slowest plan shows, and what a dead row costs.
func (d *deadWalk) working(p *Pass) []finding.Figure {
	c, n := d.Case, d.Case.node(d.Scan)
	rows, _, _ := c.rows(d.Scan)
	out := []finding.Figure{{What: "rows that the scan gives, and that its filter removes", Value: rows, Unit: "rows", Text: fmt.Sprintf("%s, %s", counted(rows), counted(float64(n.RowsRemovedFilter)))},
		{What: "buffers that these need, at most", Value: d.Need, Unit: "buffers", Says: times(d.Worst/d.Need) + " before a vacuum", Limit: "below " + times(p.limit("min_ratio")), Indent: true}}
	if d.Slope.Interval.OK() {
		out = append(out, finding.Figure{What: "buffers for each row deleted or updated since the vacuum", Value: d.Slope.Slope, Unit: "buffers/row", Interval: interval(d.Slope.Interval),
			Limit: "above 0, at most " + num(p.limit("max_slope")), Says: d.slopeSays()})
	}
	return out
}

func (d *deadWalk) slopeSays() string {
	if d.follows() {
		return "explains"
	}
	return "not told apart from 0"
}

// perDead is what a dead row costs.
func (d *deadWalk) perDead() string {
	if d.Slope.Slope < 0.5 {
		return "a buffer for every " + num(1/d.Slope.Slope) + " dead rows"
	}
	return num(d.Slope.Slope) + " buffers for each dead row"
}

// follows reports whether the buffers follow the dead rows.
func (d *deadWalk) follows() bool { return d.Slope.Interval.OK() && d.Slope.Interval.Lo > 0 }

// confidence: the equation is a cost per dead row that an index entry can have,
// the events are the vacuums, the control is the same scan right after one.
func (d *deadWalk) confidence(p *Pass) (finding.Confidence, string) {
	const nearNeed = 3
	fresh := d.Fresh <= nearNeed*d.Need
	c := confidenceOf(d.follows(), true, fresh)
	why := "equation: " + yes(d.follows(), d.perDead(), "no captures tell how many rows died") +
		fmt.Sprintf("; event: %d of %d vacuums reset it", d.Resets, d.Judged) +
		"; control: " + yes(fresh, "the same scan takes "+num(d.Fresh)+" buffers right after a vacuum", "even right after a vacuum it takes "+num(d.Fresh)+" buffers")
	if p.Model.Logging.Censored() {
		return finding.Possible, why + "; " + p.Model.Logging.Why
	}
	return c, why
}

func (d *deadWalk) rivals(p *Pass) []finding.RuledOut {
	n := d.Case.node(d.Scan)
	filter := finding.RuledOut{Rival: "a filter that throws rows away (302)", Verdict: finding.RuledOutVerdict,
		Figure: fmt.Sprintf("%s rows removed in the slowest plan", counted(float64(n.RowsRemovedFilter)))}
	var out []finding.RuledOut
	for _, r := range d.ruledOut(p) {
		if r.Rival != "rows returned" {
			out = append(out, r)
		}
	}
	return append(out, filter)
}

func (d *deadWalk) summary(f *finding.Finding) string {
	text := fmt.Sprintf("The query gives %s, from one end of %s. Right after each vacuum of %s it reads %s buffers, just before the next %s; the period is %s. ",
		d.wanted(), d.indexName(), d.Relation.Name, num(d.Fresh), num(d.Worst), span(d.Period))
	text += "Before the first live row lie the entries of rows that were deleted or moved on, which only a vacuum takes away"
	if d.follows() {
		text += ": " + d.perDead()
	}
	text += "."
	if not := ruledOutNames(f.RuledOut); not != "" {
		text += " It is not " + not + "."
	}
	return text
}

func (d *deadWalk) remedy(p *Pass, f *finding.Finding) {
	f.Actions = []finding.Action{{Do: fmt.Sprintf("Remember the last key taken and begin behind it: … WHERE key > last ORDER BY key LIMIT n on %s. The scan then starts past the dead entries.", d.indexName()),
		Cost: "only where keys become visible in order, or a look from the beginning now and then picks up what came late"}}
	seconds, target := d.halfRise()
	if a := autovacuum.AdviseWithin(p.Model, d.Relation, seconds); len(a.Set) > 0 {
		f.Actions = append(f.Actions, finding.Action{SQL: true, Do: a.SQL(), Cost: fmt.Sprintf(
			"a vacuum about every %s instead of every %s, each %s; takes a SHARE UPDATE EXCLUSIVE lock for a moment", span(a.Then.Period), span(d.Period), passCost(a))})
		f.Notes = append(f.Notes, d.workedOut(p, a, seconds, target), "Set now: "+settingsNow(a)+".")
	}
	f.Actions = append(f.Actions, finding.Action{Do: "Partition " + d.Relation.SQL() + " by the key or by time, and drop or truncate a partition that is done instead of deleting its rows.",
		Cost: "a change of the schema; a dropped partition leaves no dead entries"})
	f.WillNotHelp = []string{"a partial index of the open rows: the entries of rows that moved on stay in it until a vacuum", "REINDEX: the next deletes fill the end again",
		"more memory: the blocks are visited all the same"}
	f.Verify = []string{fmt.Sprintf("the readings just before a vacuum stay below %s buffers", num(target)), "explain (analyze, buffers) of the query, just before a vacuum: buffers near " + num(d.Need)}
}
