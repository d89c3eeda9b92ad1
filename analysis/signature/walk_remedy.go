package signature

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

var classPattern = regexp.MustCompile(`(?i)USING\s+hnsw\s*\([^)]*?\b(\w+_(?:l2|ip|cosine|l1|hamming|jaccard)_ops)\b`)

// operatorClass is the pgvector operator class in an index definition, ""
// if there is none.
func operatorClass(definition string) string {
	if m := classPattern.FindStringSubmatch(definition); m != nil {
		return m[1]
	}
	return ""
}

// variableSize reports whether elements of the class differ in size: sparsevec
// stores only its non-zero values; vector, halfvec and bit have a fixed length
// (pgvector README, storage).
func variableSize(class string) bool { return strings.HasPrefix(class, "sparsevec") }

// remedy fills what to do, what will not help and how to check.
func (w *walk) remedy(p *Pass, f *finding.Finding) {
	if w.Ended != nil {
		f.Actions = []finding.Action{{Do: fmt.Sprintf("Nothing now: the walk ended at %s (PGA102). It returns with the next vacuum that cleans %s: rebuild then, "+
			"keep deletes away from the table, or store fixed-size vectors.", clock(w.Ended.Time), w.Index.Index)}}
		f.Verify = []string{fmt.Sprintf("buffers per inserted row stay near %s while the index grows", num(w.Baseline))}
		return
	}
	pages := w.After[len(w.After)-1].Pages
	f.Actions, f.WillNotHelp, f.Verify = walkRemedy(w.Index.SQL(), pages*float64(p.Model.BlockSize), w.Baseline)
	f.Actions = append(askIfNeeded(p, w.Index), f.Actions...)
}

// askIfNeeded comes before the rebuild of an index that PGA211 found unused:
// without the index there is nothing to walk.
func askIfNeeded(p *Pass, x *dataset.Index) []finding.Action {
	u := unneededIndexes(p, p.limits(unneededIndex)).of(x)
	if u == nil || !u.Unused {
		return nil
	}
	return []finding.Action{{Do: fmt.Sprintf("Ask whether %s is needed at all: no scan for %s, %s in all. If it is not, dropping it ends the walk for good; how to make sure and how to drop it: PGA211.",
		x.Index, span(u.Quiet), plural(int(u.Last.Scans.N), "scan"))}}
}

// walkRemedy is the rebuild of an index, whose name is quoted for SQL.
func walkRemedy(index string, size, baseline float64) (do []finding.Action, wont, verify []string) {
	do = []finding.Action{
		{Do: fmt.Sprintf("REINDEX INDEX CONCURRENTLY %s;", index), SQL: true,
			Cost: fmt.Sprintf("about %s of free disk while both copies exist; writes go on; cannot run inside a transaction block", bytesText(size))},
		{Do: "The walk returns with the next vacuum that cleans this index: variable-size vectors leave holes that larger rows cannot use (pgvector issue 1025). " +
			"Plan the rebuild after each large delete, keep deletes away from the table, or store fixed-size vectors."},
	}
	wont = []string{"hnsw.ef_search", "more connections", "faster disks", "more frequent vacuum: it brings the walk back sooner"}
	verify = []string{
		fmt.Sprintf("buffers per inserted row are back near %s and stay there while the index grows", num(baseline)),
		"collect again an hour after the rebuild and run: pgassay analyze NEW",
		fmt.Sprintf("select indexrelid::regclass, indisvalid from pg_index where indexrelid = %s;", regclass(index)),
	}
	return do, wont, verify
}

// finding tells the step with its working. It is at most likely: the slope was
// not seen.
func (w *walkStep) finding(p *Pass) finding.Finding {
	before, after := splitPoints(w.Points, w.Event.End, w.TransitionEnd, w.Points[len(w.Points)-1].At)
	f := finding.Finding{
		Confidence:    finding.Likely,
		WhyConfidence: "holds: event (the vacuum names the index), control (no slope before the event), step equal to the index's pages; missing: the slope, since too few snapshots tell the size over time",
		Title:         fmt.Sprintf("Each %s %s walks %s", strings.ToLower(w.Statement.Command), into(w.Statement, w.Index.Relation), w.Index.Index),
		Subject: finding.Subject{Relation: w.Index.Relation.Name, Index: w.Index.Name,
			Fingerprint: w.Statement.Fingerprint, Statement: w.Statement.Normalized},
		Effect: w.Now / w.Baseline,
		Share:  timeShare(p.Model, w.Statement, fromPlans),
		Onset: &finding.Onset{Time: w.Event.End, EventTime: w.Event.End, EventPos: w.Event.Pos, End: record.NoTime,
			Event:      fmt.Sprintf("vacuum of %s cleaned %s", w.Index.Relation.Name, w.Index.Index),
			Transition: w.TransitionEnd.Sub(w.Event.End)},
		N: fmt.Sprintf("%d pooled readings of the cost before the event, %d after the transition", w.ReadingsBefore, w.ReadingsAfter),
	}
	if p.Model.Logging.PlanFloor > 0 {
		f.Confidence = finding.Possible
		f.WhyConfidence += "; " + p.Model.Logging.Why
	}
	lo, hi := p.limit("step_min"), p.limit("step_max")
	f.Figures = []finding.Figure{
		{What: "plateau − baseline", Value: w.Plateau - w.Baseline, Unit: "buffers/row", Says: "explains",
			Text: fmt.Sprintf("%s = %s of the %s pages in the vacuum line", num(w.Plateau-w.Baseline), times2(w.Ratio), num(w.Pages)), Limit: fmt.Sprintf("in [%g, %g] of the pages", lo, hi)},
		{What: "plateau − baseline ÷ pages", Value: w.Ratio, Unit: "x", Limit: fmt.Sprintf("in [%g, %g]", lo, hi), Indent: true, Says: "holds"},
		{What: "settling after the vacuum", Value: w.TransitionEnd.Sub(w.Event.End).Seconds(), Unit: "s", Says: "left out"},
		{What: "buffers per row before", Value: w.Baseline, Unit: "buffers/row", Says: "baseline"},
		{What: "buffers per row now", Value: w.Now, Unit: "buffers/row", Says: times(f.Effect)},
	}
	r := w.rivals(p)
	f.RuledOut = []finding.RuledOut{r.concurrency(), r.throughput(), planChange(before, after), reads(after),
		rowSize(w.Index.Relation, w.Event.End), lockWaits(p.Model, w.Statement, w.Event.End, p.Model.To)}
	f.Summary = fmt.Sprintf("Since the vacuum that ended at %s and cleaned %s, an inserted row costs %s buffers instead of %s (%s). "+
		"The step is as high as the index has pages (%s), so that each row seems to read the index from the first freed slot to its end.",
		clock(w.Event.End), w.Index.Index, num(w.Now), num(w.Baseline), times(f.Effect), num(w.Pages))
	f.Evidence = append([]finding.Evidence{{What: "event", Pos: w.Event.Pos, Time: w.Event.End, Value: w.Pages, Unit: "pages", Excerpt: f.Onset.Event}},
		costEvidence(w.Points, w.Event.End, w.Points[len(w.Points)-1].At, 1.2*w.Baseline, "baseline "+num(w.Baseline))...)
	elements := elementsOf(p.Model, w.Index)
	f.Figures, f.Evidence = append(f.Figures, elements.figures()...), append(f.Evidence, elements.evidence()...)
	f.Series = []finding.Series{w.series()}
	f.Notes = []string{"More snapshots of pg_stat_user_indexes with pg_relation_size and captured_at, at least ten on either side of the vacuum, would show the slope and raise the confidence."}
	f.Actions, f.WillNotHelp, f.Verify = walkRemedy(w.Index.SQL(), w.Pages*float64(p.Model.BlockSize), w.Baseline)
	f.Actions = append(askIfNeeded(p, w.Index), f.Actions...)
	return f
}

// rivals are tested given the rows inserted since the event.
func (w *walkStep) rivals(p *Pass) *rivals {
	r := &rivals{p: p, statement: w.Statement, name: "the rows inserted since the event"}
	var rows float64
	for _, c := range w.Points {
		if c.At < w.Event.End {
			continue
		}
		if c.At < w.TransitionEnd {
			r.settling++
		}
		r.points, r.cost, r.mechanism = append(r.points, c), append(r.cost, c.perRow()), append(r.mechanism, rows)
		rows += c.Rows
	}
	return r
}

func times2(r float64) string { return fmt.Sprintf("%.2fx", r) }

func (w *walkStep) series() finding.Series {
	col := finding.Column{Name: "buffers per row", Unit: "buffers/row"}
	size := max(stepBin, len(w.Points)/maxReadings+1)
	for i := 0; i < len(w.Points); i += size {
		r := poolOf(w.Points[i:min(i+size, len(w.Points))], 0)
		col.Points = append(col.Points, finding.Point{X: float64(r.From), Y: r.Cost})
	}
	return finding.Series{Name: "Buffers per inserted row step up after the vacuum", Kind: finding.SeriesTime,
		XLabel: "time", YLabel: "buffers per row", Columns: []finding.Column{col},
		Marks: []finding.Mark{{Time: w.Event.End, Text: "vacuum of " + w.Index.Relation.Name}}}
}
