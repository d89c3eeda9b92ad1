package signature

import (
	"fmt"
	"math"
	"slices"

	"github.com/pgassay/pgassay/analysis/autovacuum"
	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

func (l *pendingList) finding(p *Pass) finding.Finding {
	x, s := l.Index, l.Statement
	fresh, worst, _, _ := l.other()
	f := finding.Finding{
		Subject: finding.Subject{Relation: x.Relation.Name, Index: x.Name, Fingerprint: s.Fingerprint, Statement: s.Normalized},
		Title:   fmt.Sprintf("Searches through %s read its pending list: %s buffers right after a cleanup, %s before the next", x.Name, num(l.fresh()), num(l.Worst)),
		Effect:  (worst + l.Worst) / (fresh + l.fresh()),
		Onset:   l.onset(),
		Figures: l.figures(p), RuledOut: l.rivals(), Evidence: l.evidence(), Series: []finding.Series{l.chart()},
		N: fmt.Sprintf("%d executions, %d resets", len(l.Readings), len(l.Resets)),
		WillNotHelp: []string{"REINDEX: the list grows again with the next writes", "a manual ANALYZE: only autovacuum's own empties the list",
			"vacuum_cost settings: the list grows between vacuums, not during them"},
		Verify: []string{"EXPLAIN (ANALYZE, BUFFERS) of the statement just before a vacuum: the Bitmap Index Scan reads about " + num(l.fresh()) + " buffers.",
			fmt.Sprintf("select pending_pages, pending_tuples from pgstatginindex(%s); (extension pgstattuple)", regclass(x.SQL()))},
		Notes: []string{"effect is all buffers of the statement before a reset ÷ after one"},
	}
	f.Share, _ = shareOf(p.Model, func(o *dataset.Statement) bool { return o == s })
	f.Confidence, f.WhyConfidence = l.confidence()
	l.remedy(p, &f)
	f.Summary = l.summary()
	return f
}

// other is what the statement reads beside the index, after resets and before
// them, as medians, and their numbers of readings.
func (l *pendingList) other() (fresh, worst float64, n, m int) {
	var after, before []float64
	for _, r := range l.Resets {
		after, before = append(after, r.first.other), append(before, r.last.other)
	}
	return stats.Median(after), stats.Median(before), len(after), len(before)
}

// quiet says that the statement's other buffers do not reset with the index.
func (l *pendingList) quiet() bool {
	fresh, worst, _, _ := l.other()
	return math.Abs(worst-fresh) <= max(10, 0.25*fresh)
}

// full says that the resets without an event came when the list was full.
func (l *pendingList) full() bool { return l.list() >= 0.7*l.Limit }

func (l *pendingList) confidence() (finding.Confidence, string) {
	why := fmt.Sprintf("equation: pages follow the rows written (r %.2f) and stay within the list's limit", l.R)
	event := 2*l.byEvent() >= len(l.Resets)
	switch {
	case event:
		why += fmt.Sprintf("; event: %d of %d resets at a vacuum or analyze of the table", l.byEvent(), len(l.Resets))
	case l.full():
		why += "; event: the list was full"
	default:
		why += "; event: not seen, the list may be cleaned by hand"
	}
	if l.quiet() {
		why += "; control: the statement's other buffers do not follow"
	} else {
		why += "; control: the statement's other buffers move too"
	}
	held := 0
	for _, ok := range []bool{true, event || l.full(), l.quiet()} {
		if ok {
			held++
		}
	}
	return finding.Confidence(held - 1), why
}

func (l *pendingList) summary() string {
	t := fmt.Sprintf("Right after a cleanup a search reads %s buffers of %s; each row written adds %s, up to %s. ", num(l.fresh()), l.Index.Name, num(l.Line.Slope), num(l.Worst))
	t += fmt.Sprintf("Of %d resets %d came with a vacuum or analyze of %s. ", len(l.Resets), l.byEvent(), l.Index.Relation.Name)
	return t + "The rows that match, the load and the plan do not explain it."
}

func (l *pendingList) figures(p *Pass) []finding.Figure {
	fresh, worst, n, m := l.other()
	says := "control quiet"
	if !l.quiet() {
		says = "moved too"
	}
	out := []finding.Figure{
		{What: "pages per row written", Value: l.Line.Slope, Unit: "pages/row", Limit: "above 0", Says: "explains"},
		{What: "correlation with the rows written since the reset", Value: l.R, Unit: "r", Limit: "at least " + num(p.limit("min_r")), Says: "holds"},
		{What: "buffers of the index without a list", Value: l.fresh(), Unit: "buffers", Says: "baseline"},
		{What: "buffers of the index before a reset", Value: l.Worst, Unit: "buffers", Says: times(l.Worst/l.fresh()) + " of it"},
		{What: "longest list", Value: l.list(), Unit: "pages", Limit: fmt.Sprintf("gin_pending_list_limit: %s pages (%s)", num(l.Limit), l.LimitFrom), Says: "within it"},
		{What: "resets at a vacuum or analyze", Value: float64(l.byEvent()), Unit: "resets", Text: fmt.Sprintf("%d of %d", l.byEvent(), len(l.Resets))},
		{What: "the statement's other buffers", Value: worst / max(1, fresh), Unit: "x", Indent: true, Says: says,
			Text: fmt.Sprintf("%s after a reset, %s before one (n = %d, %d)", num(fresh), num(worst), n, m)},
	}
	if e, usual := l.flush(p.Model); e != nil {
		out = append(out, finding.Figure{What: "the write that emptied a full list", Value: float64(e.Figures.Own.Shared()), Unit: "buffers", Limit: num(usual) + " usually",
			Says: "the flush", Text: fmt.Sprintf("%s buffers, %s (%s)", counted(float64(e.Figures.Own.Shared())), span(e.Duration.Milliseconds()/1000), clock(e.Start))})
	}
	return out
}

// minFlush is how many times its usual buffers a write has when it empties the
// list.
const minFlush = 3

// flush is the write that read most at a reset without an event, and the median
// of its statement; nil if none stands out.
func (l *pendingList) flush(m *dataset.Model) (worst *dataset.Execution, usual float64) {
	for _, s := range m.Statements {
		if s.Target != l.Index.Relation {
			continue
		}
		var all []float64
		var most *dataset.Execution
		for _, e := range s.Executions {
			if f := e.Figures0(); f.HasBuffers && f.IsWrite && e.Start.Known() {
				all = append(all, float64(f.Own.Shared()))
				if l.atFlush(e) && (most == nil || f.Own.Shared() > most.Figures.Own.Shared()) {
					most = e
				}
			}
		}
		if median := stats.Median(all); most != nil && float64(most.Figures.Own.Shared()) >= minFlush*median && (worst == nil || most.Figures.Own.Shared() > worst.Figures.Own.Shared()) {
			worst, usual = most, median
		}
	}
	return worst, usual
}

func (l *pendingList) atFlush(e *dataset.Execution) bool {
	return slices.ContainsFunc(l.Resets, func(r listReset) bool {
		return r.event == nil && e.Time >= r.last.exec.Start && e.Start <= r.first.exec.Time
	})
}

func (l *pendingList) rivals() []finding.RuledOut {
	partial := l.Partial
	raw := l.R
	var after, before []float64
	for _, r := range l.Resets {
		after, before = append(after, r.first.rows), append(before, r.last.rows)
	}
	return []finding.RuledOut{
		{Rival: "rows that match, parameters", Verdict: finding.RuledOutVerdict, Raw: &raw, Partial: &partial,
			Figure: fmt.Sprintf("partial r %.2f at equal matches and concurrency; %s rows match after a reset, %s before", partial, num(stats.Median(after)), num(stats.Median(before)))},
		{Rival: "concurrency", Verdict: finding.RuledOutVerdict, Figure: fmt.Sprintf("partial r %.2f with it held", partial), Raw: &raw, Partial: &partial},
		{Rival: "table growth", Verdict: finding.RuledOutVerdict, Figure: fmt.Sprintf("%d falls back to the start while the table kept its rows", len(l.Resets))},
		{Rival: "plan change", Verdict: finding.RuledOutVerdict, Figure: "only executions with this one Bitmap Index Scan are compared, by its own buffers"},
	}
}

func (l *pendingList) onset() *finding.Onset {
	r := &l.Resets[0]
	o := &finding.Onset{Time: r.first.exec.Start, Event: "first reset of the list", EventTime: r.first.exec.Start, EventPos: r.first.exec.Pos, End: record.NoTime}
	if r.event != nil {
		o.Event, o.EventTime, o.EventPos = cleanupName(r.event)+" of "+l.Index.Relation.Name, r.event.End, r.event.Pos
		o.Lag = max(0, o.Time.Sub(o.EventTime))
	}
	return o
}

func cleanupName(v *dataset.Vacuum) string {
	if v.Kind == record.KindAnalyze {
		return "autovacuum's analyze"
	}
	return "vacuum"
}

func (l *pendingList) evidence() []finding.Evidence {
	at := func(what string, x *listReading) finding.Evidence {
		return finding.Evidence{What: what, Pos: x.exec.Pos, Time: x.exec.Start, Value: x.pages, Unit: "buffers", Limit: "of the Bitmap Index Scan; " + num(l.fresh()) + " without a list"}
	}
	worst := &l.Readings[0]
	for i := range l.Readings {
		if l.Readings[i].pages > worst.pages {
			worst = &l.Readings[i]
		}
	}
	out := []finding.Evidence{at("first", &l.Readings[0]), at("worst", worst), at("latest", &l.Readings[len(l.Readings)-1])}
	o := l.onset()
	return append(out, finding.Evidence{What: "event", Pos: o.EventPos, Time: o.EventTime, Value: 1, Unit: "events", Excerpt: o.Event})
}

func (l *pendingList) chart() finding.Series {
	c := finding.Column{Name: "buffers of the index", Unit: "buffers"}
	for i := range l.Readings {
		c.Points = append(c.Points, finding.Point{X: float64(l.Readings[i].exec.Start), Y: l.Readings[i].pages})
	}
	out := finding.Series{Name: "Searches through " + l.Index.Name + " follow its pending list", Kind: finding.SeriesTime, XLabel: "time", YLabel: "buffers", Columns: []finding.Column{c}}
	for _, r := range l.Resets {
		if r.event != nil {
			out.Marks = append(out.Marks, finding.Mark{Time: r.event.End, Text: cleanupName(r.event)})
		}
	}
	return out
}

// maxVacuumBusy is the share of the time above which vacuums of one table cost
// more than the list.
const maxVacuumBusy = 0.05

// minPendingKB is the least gin_pending_list_limit that PostgreSQL takes.
const minPendingKB = 64

func (l *pendingList) remedy(p *Pass, f *finding.Finding) {
	name := l.Index.SQL()
	other, _, _, _ := l.other()
	pages := max(p.limit("min_pages"), p.limit("tolerated")*(l.fresh()+other))
	kb := max(minPendingKB, math.Floor(pages*float64(p.Model.BlockSize)/1024))
	pages = kb * 1024 / float64(p.Model.BlockSize)
	if pages < l.Limit {
		f.Actions = append(f.Actions, finding.Action{SQL: true, Do: fmt.Sprintf("alter index %s set (gin_pending_list_limit = %.0f);", name, kb),
			Cost: fmt.Sprintf("the list stays below %s pages; about every %s rows one write empties it and takes longer; a short lock (share update exclusive)", num(pages), num(pages/l.Line.Slope))})
	}
	if a := autovacuum.AdviseWithin(p.Model, l.Index.Relation, pages/l.Line.Slope/l.rate()); len(a.Set) > 0 && a.Reachable && a.Then.Busy <= maxVacuumBusy {
		f.Actions = append(f.Actions, finding.Action{SQL: true, Do: a.SQL(), Cost: fmt.Sprintf("instead: a vacuum about every %s, each %s", span(a.Then.Period), passCost(a))})
	}
	f.Actions = append(f.Actions,
		finding.Action{SQL: true, Do: fmt.Sprintf("alter index %s set (fastupdate = off);", name),
			Cost: "instead, if searches matter more: each write then descends the tree once for each of its keys; empty the list once afterwards"},
		finding.Action{SQL: true, Do: fmt.Sprintf("select gin_clean_pending_list(%s);", regclass(name)), Cost: "empties the list now, for once; by the owner of the index; reads and writes the pages of the list and of the tree"})
}

// rate is rows written in a second over the readings.
func (l *pendingList) rate() float64 {
	a, b := &l.Readings[0], &l.Readings[len(l.Readings)-1]
	return (b.total - a.total) / b.exec.Start.Sub(a.exec.Start).Seconds()
}
