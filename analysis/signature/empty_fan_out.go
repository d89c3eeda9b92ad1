package signature

import (
	"fmt"
	"math"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
)

// emptyFanOut is PGA402.
var emptyFanOut = &Signature{
	ID: "PGA402", Name: "empty-fan-out", Max: finding.Critical,
	Felt:   "Requests take longer although they return no more than before",
	What:   "Most of the statements that a request runs in a loop return nothing.",
	Why:    "An empty answer costs the same round trip as a full one. The number of children grows, the rows of a request do not: every child added since returns nothing.",
	Fix:    "Ask first, with one aggregate, which children have rows; run the loop over those.",
	Verify: "Child calls per request fall to the number that return rows; the rows per request stay.",
	Needs:  []Need{needDurations, {"S", "rows per child: snapshots of pg_stat_statements over time, or plans of the child"}},
	Silent: []string{
		"loops whose children each return rows",
		"writes",
	},
	Thresholds: []Threshold{
		{"empty", 0.25, "", "share of a request's children, at the greatest N, that return nothing"},
		{"saving", 10, "ms", "saving per request at the greatest N below which the finding stays info"},
	},
	Detect: detectEmptyFanOut,
}

func detectEmptyFanOut(p *Pass) {
	s, ok := surveyOf(p)
	if !ok {
		return
	}
	reads, known := 0, 0
	for _, g := range s.groups {
		if g.isWrite() || g.interleaved {
			continue
		}
		reads++
		if g.rows.known() && g.rows.emptyTop >= p.limit("empty") {
			f, saving := g.emptyFinding(p.limit("empty"))
			p.Report(f, saving < p.limit("saving"))
			known++
			continue
		}
		if g.rows.known() && g.rows.decided() {
			known++
		}
	}
	if reads > 0 && known == 0 {
		p.Lacks("rows per child known in enough intervals to tell whether an added one returns any", "snapshot pg_stat_statements over time, or log the child's plans with auto_explain.log_analyze")
	}
}

// emptySaving is what a request at the greatest N would save, in ms: its empty
// children less one aggregate, which is taken to cost a round trip and twice
// the child's mean or the parent's own time, whichever is more.
func (g *fanOutGroup) emptySaving() (saving, aggregate float64) {
	if !g.dominant {
		return 0, 0 // the wall is attributed to the dominant child
	}
	b, _ := g.perChild()
	parent := meanOf{}
	for i := range g.requests {
		parent.add(g.requests[i].parent.Duration.Milliseconds())
	}
	aggregate = b + max(2*g.own.mean, parent.value())
	return max(0, g.rows.emptyTop*g.top().n*b-aggregate), aggregate
}

func (g *fanOutGroup) emptyFinding(limit float64) (f finding.Finding, saving float64) {
	saving, aggregate := g.emptySaving()
	top := g.top()
	left := max(top.p50-saving, aggregate)
	f = finding.Finding{
		Subject:     g.subject(),
		Title:       fmt.Sprintf("%s%s of the queries that a request of %s runs return nothing", g.atLeast(true), percent(g.rows.emptyTop), nameOr(g.name)),
		Summary:     g.emptySummary(saving),
		Onset:       g.onset(),
		Figures:     g.emptyFigures(limit, saving, aggregate),
		RuledOut:    append([]finding.RuledOut{g.moreRowsRival()}, g.rivals...),
		Evidence:    g.places(func(r *request) float64 { return float64(r.n) }, "children", ""),
		Actions:     g.emptyActions(saving),
		WillNotHelp: g.willNotHelp(),
		Verify: []string{fmt.Sprintf("run pgassay on a new log: child calls per request near %s instead of %s, rows per request still about %s",
			whole(math.Round(top.n*(1-g.rows.emptyTop))), whole(top.n), whole(g.rows.perRequest))},
		Series: g.emptySeries(),
		N:      fmt.Sprintf("%s; rows from %s (%d readings)", g.counts(), g.rows.from, g.rows.readings),
		Effect: top.p50 / left,
		Share:  saving / top.p50,
		Notes:  g.emptyNotes(),
	}
	f.Confidence, f.WhyConfidence = g.emptyConfidence()
	return f, saving
}

// atLeast precedes a share that is a lower bound.
func (g *fanOutGroup) atLeast(sentence bool) string {
	switch {
	case g.rows.exact:
		return ""
	case sentence:
		return "At least "
	}
	return "at least "
}

func (g *fanOutGroup) emptySummary(saving float64) string {
	top, low := g.top(), g.bottom()
	s := ""
	if g.rows.adds {
		s = fmt.Sprintf("N rose from %s to %s per request while the rows per request stayed near %s: an added child returns nothing. ",
			whole(low.n), whole(top.n), whole(g.rows.perRequest))
	}
	s += fmt.Sprintf("%s%s of all children returned no row, %s of those at N = %s. ",
		g.atLeast(true), percent(g.rows.empty), percent(g.rows.emptyTop), whole(top.n))
	b, bound := g.perChild()
	if saving > 0 {
		most := "about"
		if bound {
			most = "at most"
		}
		s += fmt.Sprintf("At %s ms each, one aggregate that names the children with rows saves %s %s ms of a request of %s ms. ",
			num(b), most, num(saving), num(top.p50))
	}
	if g.own.mixed() {
		s += fmt.Sprintf("The child's mean in the server fell from %.3f to %.3f ms only because empty children are cheaper: a mix effect, no improvement. ", g.own.bottom, g.own.top)
	}
	if top.share() < outsideShare {
		s += fmt.Sprintf("The server is not the reason: it works for %s of the request.", percent(top.share()))
	}
	return strings.TrimSpace(s)
}

func (g *fanOutGroup) emptyFigures(limit, saving, aggregate float64) []finding.Figure {
	r := g.rows
	out := []finding.Figure{
		{What: "children that return nothing", Value: r.empty * 100, Unit: "%", Text: g.atLeast(false) + percent(r.empty), Says: "over all"},
		{What: "at the greatest N", Value: r.emptyTop * 100, Unit: "%", Text: g.atLeast(false) + percent(r.emptyTop), Limit: "at least " + percent(limit), Says: "explains", Indent: true},
		{What: "rows per request (" + r.from + ")", Value: r.perRequest, Unit: "rows"},
	}
	if !math.IsNaN(r.marginal.Slope) {
		says := "rows do not follow N"
		if !r.adds {
			says = "rows follow N in part"
		}
		out = append(out, finding.Figure{What: "rows that an added child returns", Value: r.marginal.Slope, Unit: "rows/child", Interval: interval(r.marginal.Interval),
			Limit: fmt.Sprintf("in [-%s, %s]: a tenth of the %s at the least N", num(emptyBand*r.bottom), num(emptyBand*r.bottom), num(r.bottom)), Says: says, Indent: true})
	}
	out = append(out, g.perChildFigure(),
		finding.Figure{What: "one aggregate instead", Value: aggregate, Unit: "ms", Says: "assumed: a round trip and twice the child's mean, or the parent's own time"},
		finding.Figure{What: "saving per request at the greatest N", Value: saving, Unit: "ms", Text: fmt.Sprintf("%s ms of %s ms", num(saving), num(g.top().p50))},
		g.ownFigure())
	return out
}

// moreRowsRival: a request that answers more rows may take longer.
func (g *fanOutGroup) moreRowsRival() finding.RuledOut {
	out := finding.RuledOut{Rival: "more rows per request", Verdict: finding.NotRuledOut}
	switch {
	case math.IsNaN(g.rows.marginal.Slope):
		return notMeasurable(out.Rival, "N does not vary")
	case g.rows.adds:
		out.Verdict, out.Figure = finding.RuledOutVerdict, fmt.Sprintf("%s rows per added child", num(g.rows.marginal.Slope))
	default:
		out.Figure = fmt.Sprintf("%s rows per added child", num(g.rows.marginal.Slope))
	}
	return out
}

func (g *fanOutGroup) emptyActions(saving float64) []finding.Action {
	cost := fmt.Sprintf("one more statement per request, then the loop over the children that it names; saves about %s ms per request at N = %s", num(saving), whole(g.top().n))
	if q, term, ok := g.key(); ok {
		return []finding.Action{{Do: q.countByKey(term), SQL: true, Cost: cost + "; an index that leads with its columns keeps it cheap"}}
	}
	return []finding.Action{{Do: "count the rows of all children with one SELECT … GROUP BY the child's key, and run the child only for keys with rows", Cost: cost}}
}

func (g *fanOutGroup) emptyConfidence() (finding.Confidence, string) {
	c, why := g.confidence()
	switch {
	case g.rows.exact:
		return c, "empty children counted from plans; " + why
	case g.rows.adds:
		return c, "rows per request constant while N grows; " + why
	}
	return finding.Possible, "the share is only a bound, from rows per request; " + why
}

func (g *fanOutGroup) emptyNotes() []string {
	var notes []string
	if !g.dominant {
		notes = append(notes, "the wall time of this loop is attributed to another child of the same parent")
	}
	if !g.rows.exact {
		return append(notes, "which children are empty is not measurable: no plans of the child in the log")
	}
	return append(notes, g.idle.notes()...)
}

// emptySeries is N against rows per request over time.
func (g *fanOutGroup) emptySeries() []finding.Series {
	s := g.wallSeries()
	if g.rows.from != "pg_stat_statements" {
		return s
	}
	var rows, n []finding.Point
	for _, d := range g.diffRows() {
		rows = append(rows, finding.Point{X: float64(d.at), Y: d.rows})
		n = append(n, finding.Point{X: float64(d.at), Y: d.n})
	}
	return append([]finding.Series{{
		Name: "Children per request grow, rows per request do not", Kind: finding.SeriesTime, YLabel: "rows per request",
		Columns: []finding.Column{{Name: "rows per request", Unit: "rows", Points: rows}, {Name: "children per request", Points: n, Secondary: true}},
	}}, s...)
}
