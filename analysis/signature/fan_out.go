package signature

import (
	"fmt"
	"math"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
)

// fanOut is PGA401.
var fanOut = &Signature{
	ID: "PGA401", Name: "fan-out", Max: finding.Critical,
	Felt:   "Requests take longer the more there is to list, while the server looks idle",
	What:   "One request of the application runs one statement for each row of another, one after the other.",
	Why:    "Each of them costs a round trip and the client's own work, whatever the server needs: the request's wall time is a + b·N with N the number of children.",
	Fix:    "Ask once for all rows: = ANY($1), a join, or a lateral join.",
	Verify: "The child's calls per request fall to 1 and the request's wall time to a + b.",
	Needs:  []Need{{"D", needDurations.Doc + "; pg_stat_statements over time (at least 7 captures) shows by its calls that there is a loop, not how long a request waits"}},
	Silent: []string{
		"batch jobs that need N: writes, and children that each return rows, stay info",
		"think time of people and timers between single statements",
		"a log that holds only a part of the statements",
		"by counts alone: statements whose calls scatter as those of independent ones do, a constant load (timers), a parent that runs a few times only (batch jobs)",
	},
	Thresholds: []Threshold{
		{"wall", 20, "ms", "median wall time of a request at the greatest N below which the finding stays info"},
		{"children", 10, "", "children per request at the greatest N below which the finding stays info"},
		{"counted_mean", 2, "ms", "by counts alone: mean time of a child from which it is slow itself"},
		{"counted_rows", 5, "rows/call", "by counts alone: rows up to which a child asks for a single thing"},
		{"counted_share", 0.10, "of the time", "by counts alone: the children's share of the counted time below which the finding stays info"},
		{"counted_busy", 0.05, "cores", "by counts alone: the children's time in the server per second below which the finding stays info"},
	},
	Detect: detectFanOut,
}

func detectFanOut(p *Pass) {
	if s := shared(p, "requests", surveyRequests); s.lacks != "" && reportCounted(p) {
		return
	}
	s, ok := surveyOf(p)
	if !ok {
		return
	}
	for _, g := range s.groups {
		switch {
		case g.interleaved:
			p.Report(g.interleavedFinding(), true)
		case g.dominant:
			small := g.needed() != "" || g.top().p50 < p.limit("wall") || g.top().n < p.limit("children")
			p.Report(g.fanOutFinding(), small)
		}
	}
}

// interleavedFinding claims only what calls and rows tell: one child for each
// row of the parent.
func (g *fanOutGroup) interleavedFinding() finding.Finding {
	var calls float64
	for _, e := range g.parent.Executions {
		if !e.Nested {
			calls++
		}
	}
	per := float64(g.children) / calls
	return finding.Finding{
		Subject:       g.subject(),
		Title:         fmt.Sprintf("%s runs about %s %s for each request, one for each row of another", nameOr(g.name), num(per), g.childrenText()),
		Summary:       fmt.Sprintf("The calls of %q are the rows of %q. Sessions mix several requests, as poolers do, so that no request can be timed.", shorten(g.child.Normalized, 80), shorten(g.parent.Normalized, 80)),
		Figures:       []finding.Figure{g.rowsRatioFigure(), {What: "children per run of the parent", Value: per}},
		RuledOut:      []finding.RuledOut{notMeasurable("wall time", "requests interleave in one session")},
		Evidence:      g.places(func(r *request) float64 { return float64(r.n) }, "children", ""),
		Actions:       []finding.Action{{Do: askOnce(g.child), Cost: "one change in the client"}},
		Verify:        []string{"run pgassay on a new log: calls of the child are calls of the parent"},
		N:             fmt.Sprintf("%s, %s", plural(int(calls), "run")+" of the parent", plural(g.children, "child execution")),
		Effect:        1,
		WhyConfidence: "equation: child calls ÷ parent rows " + ratioText(g.rowsRatio) + "; event and control: not measurable",
	}
}

// needed says why the children are work that must be done; "" if nothing shows
// that.
func (g *fanOutGroup) needed() string {
	switch {
	case g.isWrite():
		return "Each child writes: the work itself is needed, only its round trips are not."
	case g.rows.works:
		return "Each child returns rows: the work itself is needed, only its round trips are not."
	}
	return ""
}

// perChild is the cost of one more child in ms. Where N does not vary it is
// wall ÷ N: an upper bound, since it holds the request's fixed cost too.
func (g *fanOutGroup) perChild() (ms float64, bound bool) {
	if g.varies() && g.fit.b > 0 {
		return g.fit.b, false
	}
	return g.top().p50 / g.top().n, true
}

// perChildText is perChild with its interval or its limits, in words.
func (g *fanOutGroup) perChildText() string {
	b, bound := g.perChild()
	if bound {
		return "at most " + num(b) + " ms"
	}
	return num(b) + " ms"
}

func (g *fanOutGroup) fanOutFinding() finding.Finding {
	b, _ := g.perChild()
	top := g.top()
	after := num(g.fixedCost() + g.once())
	f := finding.Finding{
		Subject: g.subject(),
		Title: fmt.Sprintf("One request of %s runs %s %s one after another, %s each",
			nameOr(g.name), whole(top.n), g.childrenText(), g.perChildText()),
		Summary:     g.fanOutSummary(),
		Onset:       g.onset(),
		Figures:     g.fanOutFigures(),
		RuledOut:    g.rivals,
		Evidence:    g.places(func(r *request) float64 { return r.wall() }, "ms", ""),
		Actions:     g.fanOutActions(),
		WillNotHelp: g.willNotHelp(),
		Verify: []string{fmt.Sprintf("run pgassay on a new log: the child's calls per request are 1 instead of %s, the request's median wall time falls from %s ms towards %s ms",
			whole(top.n), num(top.p50), after)},
		Series: g.wallSeries(),
		N:      g.counts(),
		Effect: 1,
		Share:  min(1, b*top.n/top.p50),
		Notes:  g.fanOutNotes(),
	}
	if g.varies() {
		f.Effect = top.p50 / g.bottom().p50
	}
	f.Confidence, f.WhyConfidence = g.confidence()
	return f
}

// childrenText names the children in the plural.
func (g *fanOutGroup) childrenText() string {
	if g.isWrite() {
		return "writes"
	}
	return "queries"
}

func nameOr(name string) string {
	if name == "" {
		return "the application"
	}
	return name
}

// fixedCost is a, not below 0; 0 if it could not be determined.
func (g *fanOutGroup) fixedCost() float64 {
	if _, bound := g.perChild(); bound || g.fit.aBelowZero() {
		return 0
	}
	return max(0, g.fit.a)
}

func (g *fanOutGroup) fanOutSummary() string {
	top, low := g.top(), g.bottom()
	s := fmt.Sprintf("After each %q the session runs %q for every row, one after another. ",
		shorten(g.parent.Normalized, 80), shorten(g.child.Normalized, 80))
	switch {
	case g.varies() && g.growth.grew():
		s += fmt.Sprintf("N grew from %s to %s and the median request from %s to %s ms", whole(low.n), whole(top.n), num(low.p50), num(top.p50))
	case g.varies():
		s += fmt.Sprintf("A request with N = %s takes %s ms, one with N = %s takes %s ms", whole(low.n), num(low.p50), whole(top.n), num(top.p50))
	default:
		s += fmt.Sprintf("N is %s throughout and a request takes %s ms", whole(top.n), num(top.p50))
	}
	s += fmt.Sprintf(": %s per child, of which the server executes %.3f ms. ", g.perChildText(), g.own.mean)
	if share := top.share(); share >= serverBound {
		s += fmt.Sprintf("The server works for %s of a request at the greatest N, so its own work counts too. ", percent(share))
	} else {
		s += fmt.Sprintf("The server works for %s of a request at the greatest N. ", percent(share))
	}
	return strings.TrimSpace(s + g.needed())
}

// serverBound is the server's share of a request above which it is the server
// that a request waits for.
const serverBound = 0.75

// onset is when N left its first level, or when the loop appeared.
func (g *fanOutGroup) onset() *finding.Onset {
	gr := g.growth
	switch {
	case gr.onset.Known():
		o := onsetAt(gr.onset)
		if e := gr.event; e != nil {
			o.Event = fmt.Sprintf("%s into %s by %s", e.Statement.Command, e.Statement.Statement.Target, nameOr(e.Application))
			o.EventTime, o.EventPos, o.Lag = e.Time, e.Pos, gr.onset.Sub(e.Time)
		}
		return o
	case gr.appeared.Known():
		o := onsetAt(gr.appeared)
		o.Event = "the statements were first seen"
		o.EventTime, o.EventPos = gr.appeared, g.requests[0].parent.Pos
		return o
	}
	return nil
}

// confidence counts equation, event and control.
func (g *fanOutGroup) confidence() (finding.Confidence, string) {
	agree := oneForEachRow(g.rowsRatio)
	equation := agree
	if g.varies() {
		equation = g.fit.holds() && (agree || g.rowsFrom == "")
	}
	c, why := g.confidenceWith(equation, g.equationText())
	if g.fit.aBelowZero() {
		return finding.Possible, "the fit gives a request without children less than no time, which is an error of ours; " + why
	}
	return c, why
}

// confidenceWith joins an equation of the caller with the group's event and
// control.
func (g *fanOutGroup) confidenceWith(equation bool, text string) (finding.Confidence, string) {
	event := g.growth.grew() || g.growth.appeared.Known()
	why := "equation: " + yes(equation, text, text)
	why += "; event: " + yes(event, g.eventText(), "N did not grow")
	why += "; control: " + yes(g.own.flat(), g.own.text(), g.own.text())
	return confidenceOf(equation, event, g.own.flat()), why
}

func (g *fanOutGroup) equationText() string {
	if !g.varies() {
		return "N does not vary, child calls ÷ parent rows " + ratioText(g.rowsRatio)
	}
	return fmt.Sprintf("wall = a + b·N with b in [%s, %s] ms, child calls ÷ parent rows %s",
		num(g.fit.bInterval.Lo), num(g.fit.bInterval.Hi), ratioText(g.rowsRatio))
}

func ratioText(r float64) string {
	if math.IsNaN(r) {
		return "unknown"
	}
	return fmt.Sprintf("%.3f", r)
}

func (g *fanOutGroup) eventText() string {
	if g.growth.grew() {
		return fmt.Sprintf("N grew from %s to %s", whole(g.growth.first), whole(g.growth.last))
	}
	return "first seen " + clock(g.growth.appeared)
}
