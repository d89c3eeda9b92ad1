package signature

import (
	"fmt"
	"math"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// maxListed is how many other relations a finding names.
const maxListed = 10

// over is whether it is known to have ended.
func (b *blockage) over() bool { _, ok := b.ended(); return ok }

func (b *blockage) title() string {
	r := b.Relations[0].Relation.Name
	verb := "keeps"
	if b.over() {
		verb = "kept"
	}
	if b.Holder == nil {
		return fmt.Sprintf("Something outside the named sessions %s vacuum from removing dead rows of %s", verb, r)
	}
	return fmt.Sprintf("%s %s vacuum from removing dead rows of %s", upperFirst(b.Holder.words().what), verb, r)
}

func (b *blockage) summary(f *finding.Finding, s period, cost *periodCost) string {
	var t strings.Builder
	w, h := b.worst(), b.Relations[0]
	if b.Holder != nil {
		verb := "holds"
		if b.over() {
			verb = "held"
		}
		fmt.Fprintf(&t, "From %s on %s %s the removable cutoff. ", clock(s.From), b.Holder.inFull(), verb)
	}
	fmt.Fprintf(&t, "From %s to %s %s of %s left dead rows that were not yet removable, %s at the worst",
		clock(h.Passes[0].End), clock(h.latest().End), plural(len(h.Passes), "vacuum"), h.Relation.Name, num(w.Left))
	if w.Live > 0 {
		fmt.Fprintf(&t, " (%s)", ofLiveRows(w.Left/w.Live))
	}
	t.WriteString(".")
	if cost != nil && cost.ratio() > 1 {
		fmt.Fprintf(&t, " %s of %q rose from %s to %s (%s).", upperFirst(cost.What), shorten(cost.Statement.Normalized, 60),
			cost.text(cost.Outside), cost.text(cost.Worst), times(cost.ratio()))
	}
	if n := b.freed(); n != nil {
		fmt.Fprintf(&t, " The vacuum at %s removed %s dead rows again", clock(n.End), num(n.Gone))
		if h := b.Holder; h != nil && h.Gone.Known() && h.Gone <= n.End {
			fmt.Fprintf(&t, ": the %s was last seen at %s and gone at %s", h.words().noun, clock(h.Time), clock(h.Gone))
		}
		t.WriteString(".")
	} else if end, ok := b.ended(); ok {
		fmt.Fprintf(&t, " The %s was gone at %s; no vacuum since then is in the input.", b.Holder.words().noun, clock(end))
	}
	if not := ruledOutNames(f.RuledOut); not != "" {
		fmt.Fprintf(&t, " It is not %s.", not)
	}
	return t.String()
}

// ofLiveRows writes a share of the live rows, as a multiple from two times on.
func ofLiveRows(share float64) string {
	if share < 2 {
		return percent(share) + " of the live rows"
	}
	return num(share) + " times the live rows"
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func (b *blockage) figures(p *Pass, cost *periodCost) []finding.Figure {
	w, h := b.worst(), b.Relations[0]
	fs := []finding.Figure{{What: "dead rows not yet removable, at the worst", Value: w.Left, Unit: "rows", Says: "explains",
		Limit: fmt.Sprintf(">= %s and >= %s of the dead rows", num(p.limit("min_rows")), percent(p.limit("min_share")))}}
	if w.Cutoff.Known {
		fs = append(fs, b.cutoffFigure(h))
	}
	if hold := b.Holder; hold != nil {
		fs = append(fs,
			finding.Figure{What: "oldest snapshot of the holder", Value: float64(hold.Horizon), Unit: "xid", Says: b.matchText(),
				Text: fmt.Sprintf("%d", hold.Horizon)},
			finding.Figure{What: hold.words().open, Value: hold.Time.Sub(hold.Since).Seconds(), Unit: "s", Limit: "at least"})
	}
	fs = append(fs, finding.Figure{What: "vacuums held back", Value: float64(len(b.passes())), Unit: "vacuums", Limit: ">= 2",
		Says: fmt.Sprintf("removed %s dead rows in all, older than the cutoff", num(goneIn(b.passes())))})
	if rate, ok := h.growth(); ok {
		fs = append(fs, finding.Figure{What: "growth of not removable rows", Value: rate, Unit: "rows/h"})
	}
	if cost != nil {
		fs = append(fs, finding.Figure{What: cost.What + ", worst tenth of the time", Value: cost.Worst, Unit: cost.Unit,
			Says: times(cost.ratio()) + " the rest"},
			finding.Figure{What: "the rest of the time", Value: cost.Outside, Unit: cost.Unit, Indent: true})
	}
	first, last := h.Passes[0].Pages, h.latest().Pages
	if first.Known && last.Known {
		fs = append(fs, finding.Figure{What: "heap pages, first to last of them", Value: float64(last.N), Unit: "pages",
			Text: thousands(first.N) + " to " + thousands(last.N)})
	}
	return append(fs, b.others()...)
}

func (b *blockage) cutoffFigure(h *heldRelation) finding.Figure {
	first, last := h.Passes[0], h.latest()
	f := finding.Figure{What: "removable cutoff", Value: float64(last.Cutoff.N), Unit: "xid", Says: "stands still",
		Text: fmt.Sprintf("%d in %s", last.Cutoff.N, plural(len(h.Passes), "vacuum"))}
	if first.Cutoff.N != last.Cutoff.N {
		f.Text = fmt.Sprintf("%d to %d", first.Cutoff.N, last.Cutoff.N)
		f.Says = "older than the vacuum before"
	}
	if first.Age.Known && last.Age.Known {
		f.Text += fmt.Sprintf(", %s to %s XIDs old", thousands(first.Age.N), thousands(last.Age.N))
	}
	return f
}

func (b *blockage) matchText() string {
	if b.Holder.Equal {
		return fmt.Sprintf("equals the cutoff of %d of %s", b.Holder.Covers, plural(len(b.passes()), "vacuum"))
	}
	return fmt.Sprintf("not newer than the cutoff of %d of %s", b.Holder.Covers, plural(len(b.passes()), "vacuum"))
}

func (b *blockage) others() []finding.Figure {
	var fs []finding.Figure
	for i, h := range b.Relations[1:] {
		if i == maxListed {
			return append(fs, finding.Figure{What: "further relations", Value: float64(len(b.Relations) - 1 - i), Unit: "relations", Indent: true})
		}
		fs = append(fs, finding.Figure{What: "also left in " + h.Relation.Name, Value: h.worst().Left, Unit: "rows", Indent: true})
	}
	return fs
}

func goneIn(passes []vacuumPass) (sum float64) {
	for i := range passes {
		sum += passes[i].Gone
	}
	return sum
}

// growth is the slope of the rows left, in rows per hour; it takes three
// vacuums.
func (h *heldRelation) growth() (perHour float64, ok bool) {
	if len(h.Passes) < 3 {
		return 0, false
	}
	var x, y []float64
	for i := range h.Passes {
		x = append(x, h.Passes[i].End.Sub(h.Passes[0].End).Seconds()/3600)
		y = append(y, h.Passes[i].Left)
	}
	slope, _ := stats.TheilSen(x, y)
	return slope, !math.IsNaN(slope)
}

// forecast is only made while the cutoff stands still.
func (b *blockage) forecast() []finding.Figure {
	h := b.Relations[0]
	rate, ok := h.growth()
	if b.over() || !ok || rate <= 0 {
		return nil
	}
	now := h.latest().Left
	return []finding.Figure{
		{What: "not removable rows in 1 hour", Value: now + rate, Unit: "rows", Limit: "at the rate of " + plural(len(h.Passes), "vacuum")},
		{What: "in 24 hours", Value: now + 24*rate, Unit: "rows", Indent: true},
	}
}

func (b *blockage) rivals(m *dataset.Model, s period) []finding.RuledOut {
	h := b.Relations[0]
	out := []finding.RuledOut{{Rival: "too large a vacuum threshold (203)", Verdict: finding.RuledOutVerdict,
		Figure: fmt.Sprintf("%s ran in %s", plural(len(h.Passes), "vacuum"), span(h.latest().End.Sub(h.Passes[0].Start).Seconds()))}}
	if h.Passes[0].FromLog {
		var took []float64
		for i := range h.Passes {
			took = append(took, h.Passes[i].End.Sub(h.Passes[i].Start).Seconds())
		}
		out = append(out, finding.RuledOut{Rival: "slow vacuums", Verdict: finding.RuledOutVerdict,
			Figure: fmt.Sprintf("each took %s (median) and was complete", span(stats.Median(took)))})
	} else {
		out = append(out, notMeasurable("slow vacuums", "no vacuum lines in input"))
	}
	out = append(out, finding.RuledOut{Rival: "bloat (208, 209)", Verdict: finding.RuledOutVerdict,
		Figure: fmt.Sprintf("%s dead rows are still there: no space to reuse until the cutoff moves", num(b.worst().Left))})
	return append(out, b.elsewhere(m, s))
}

// elsewhere judges the holders that pg_stat_activity does not show.
func (b *blockage) elsewhere(m *dataset.Model, s period) finding.RuledOut {
	rival := "a replication slot, prepared transaction or standby"
	if h := b.Holder; h != nil && h.words().noun != "transaction" {
		rival = "another slot, prepared transaction, standby or session"
	}
	h, missing := b.Holder, missingHolders(m)
	if missing != "" {
		missing = "no " + missing + " in input; "
	}
	if h == nil {
		return notMeasurable(rival, missing+b.noHolder(m, s))
	}
	if missing == "" && h.Equal {
		return finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict,
			Figure: "no other row of pg_replication_slots and pg_prepared_xacts is older than " + h.name()}
	}
	n := b.freed()
	if h.isStandby() || !h.Equal || n == nil || !h.Gone.Known() || n.Start < h.Time {
		return notMeasurable(rival, missing+h.name()+" alone would explain the cutoff")
	}
	return finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict,
		Figure: fmt.Sprintf("the cutoff was the holder's snapshot, and moved once it was gone (last seen %s, moved %s)", clock(h.Time), clock(n.End))}
}

func (b *blockage) evidence(p *Pass) []finding.Evidence {
	h := b.Relations[0]
	limit := ">= " + num(p.limit("min_rows"))
	place := func(what string, v *vacuumPass) finding.Evidence {
		return finding.Evidence{What: what, Pos: v.Pos, Time: v.End, Value: v.Left, Unit: "rows", Limit: limit}
	}
	var out []finding.Evidence
	if a := b.Holder; a != nil {
		out = append(out, finding.Evidence{What: "event", Pos: a.Pos, Time: a.Since, Value: float64(a.Horizon), Unit: "xid",
			Limit: "<= the cutoff", Excerpt: shorten(strings.Join(strings.Fields(a.Query), " "), 120)})
	}
	out = append(out, place("first", &h.Passes[0]), place("worst", h.worst()), place("latest", h.latest()))
	if n := b.freed(); n != nil {
		out = append(out, place("removed again", n))
	}
	return out
}

func (b *blockage) counts(m *dataset.Model, s period) string {
	all := b.passes()
	return fmt.Sprintf("%s of %s, %s of pg_stat_activity", plural(len(all), "vacuum"), plural(len(b.relations()), "relation"),
		plural(sampledBackends(m, s.From, all[len(all)-1].End), "row"))
}

func (b *blockage) series(cost *periodCost, s period) []finding.Series {
	h := b.Relations[0]
	left := finding.Column{Name: "dead rows not yet removable", Unit: "rows"}
	for i := range h.All {
		left.Points = append(left.Points, finding.Point{X: float64(h.All[i].End), Y: h.All[i].Left})
	}
	marks := []finding.Mark{{Time: s.From, Text: "cutoff stands still"}}
	if b.Holder != nil {
		marks[0].Text = b.Holder.words().mark
	}
	if n := b.freed(); n != nil {
		marks = append(marks, finding.Mark{Time: n.End, Text: "vacuum removed them"})
	}
	out := []finding.Series{{Name: "Each vacuum of " + h.Relation.Name + " leaves more dead rows while the cutoff stands still",
		Kind: finding.SeriesTime, XLabel: "time", YLabel: "dead rows", Columns: []finding.Column{left}, Marks: marks}}
	if cost != nil {
		out = append(out, finding.Series{Name: upperFirst(cost.What) + " of the statement that lost most", Kind: finding.SeriesTime, XLabel: "time",
			YLabel: cost.What, Columns: []finding.Column{{Name: cost.What, Unit: cost.Unit, Points: cost.Points}}, Marks: marks})
	}
	return out
}

// interval is the usual time between two vacuums that were not held back, in
// whole seconds; 0 if unknown.
func (b *blockage) interval(s period) int64 {
	var gaps []float64
	all := b.Relations[0].All
	for i := 1; i < len(all); i++ {
		if s.outside(all[i-1].End) && s.outside(all[i].End) {
			gaps = append(gaps, all[i].End.Sub(all[i-1].End).Seconds())
		}
	}
	if len(gaps) == 0 {
		return 0
	}
	return int64(stats.Median(gaps))
}

// timestamp is a time as SQL takes it.
func timestamp(t record.Time) string { return t.Std().Format("2006-01-02 15:04:05.999999+00") }
