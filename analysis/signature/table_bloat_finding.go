package signature

import (
	"fmt"
	"math"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

func (b *heapGrowth) finding(p *Pass) finding.Finding {
	r := b.Relation
	f := finding.Finding{
		Subject:  finding.Subject{Relation: r.Name},
		Title:    fmt.Sprintf("%s takes %s the space that its rows need", r.Name, times(b.ratio())),
		Effect:   b.ratio(),
		Onset:    &finding.Onset{Time: b.Min.Time, Event: "smallest per row", EventTime: b.Min.Time, EventPos: b.Min.Pos, End: record.NoTime},
		Figures:  b.figures(p),
		RuledOut: b.rivals(),
		Evidence: b.evidence(),
		Series:   []finding.Series{b.chart()},
		N:        fmt.Sprintf("%s since the last rewrite", plural(len(b.Series), "size")),
		WillNotHelp: []string{
			"VACUUM, or more of it: it frees rows for reuse, and gives back only pages at the very end of the file that are empty",
			"REINDEX: it leaves the table as it is",
		},
	}
	if b.Rewrite != nil {
		f.Onset.Event, f.Onset.EventTime, f.Onset.EventPos = "rewrite of the table", b.Rewrite.By, b.Rewrite.Pos
		f.Onset.Lag = b.Min.Time.Sub(b.Rewrite.By)
	}
	f.Share, _ = shareOf(p.Model, func(s *dataset.Statement) bool { return uses(s, []*dataset.Relation{r}) })
	f.Confidence, f.WhyConfidence = b.confidence()
	f.Actions, f.Verify = b.actions()
	f.Summary = fmt.Sprintf("From %s to %s %s went from %s to %s pages, while its rows went from %s to %s. Deletes and updates freed %s rows in that time. "+
		"A rewrite would give back about %s of %s.", clock(b.Min.Time), clock(b.Now.Time), r.Name, num(b.Min.Pages), num(b.Now.Pages),
		num(b.Min.Rows), num(b.Now.Rows), num(b.Freed), bytesText(b.Waste), bytesText(b.size()))
	f.Notes = append(f.Notes, "effect is size ÷ estimated size after a rewrite; share is that of the statements that use the table, of which only scans of it read the empty pages")
	return f
}

func (b *heapGrowth) figures(p *Pass) []finding.Figure {
	fs := b.sizeFigures(p, "rewrite")
	if b.Width > 0 {
		fs = append(fs, finding.Figure{What: "bytes by which a row written since made it grow, at most", Value: b.Width, Unit: "bytes/row"})
	}
	fs = append(fs,
		finding.Figure{What: "rows deleted or updated (not HOT) since", Value: b.Freed, Unit: "rows", Says: "bounds the claim"},
		finding.Figure{What: "disk needed for the rewrite of the table alone", Value: b.newSize(), Unit: "bytes"})
	if x := b.control(); x != nil {
		fs = append(fs, finding.Figure{What: "control: " + x.Index, Value: x.Sizes[len(x.Sizes)-1].Pages / x.Sizes[0].Pages, Unit: "x", Limit: fmt.Sprintf("< %g", quietRatio), Says: "control quiet"})
	}
	return fs
}

// sizeFigures are the size and the rows at the minimum and now; act is what
// gives the waste back.
func (b *bloat) sizeFigures(p *Pass, act string) []finding.Figure {
	return []finding.Figure{
		{What: "size ÷ size after a " + act, Value: b.ratio(), Unit: "x", Limit: fmt.Sprintf(">= %g", p.limit("min_ratio")), Says: "explains"},
		{What: "given back by a " + act, Value: b.Waste, Unit: "bytes", Limit: ">= " + bytesText(p.limit("min_waste")), Says: "bounded by " + b.Claim},
		{What: "pages at the minimum per row", Value: b.Min.Pages, Unit: "pages", Indent: true},
		{What: "pages now", Value: b.Now.Pages, Unit: "pages", Indent: true},
		{What: "rows then, the lower of what is known", Value: b.Min.Rows, Unit: "rows", Indent: true},
		{What: "rows now, " + b.rowsSource(), Value: b.Now.Rows, Unit: "rows", Indent: true},
		{What: "bytes per row then", Value: b.perRow(&b.Min), Unit: "bytes/row"},
		{What: "bytes per row now", Value: b.perRow(&b.Now), Unit: "bytes/row"},
	}
}

// rowsSource says where the rows of the latest size come from.
func (b *bloat) rowsSource() string {
	if b.Counted {
		return "the most since the middle, by counters and estimates"
	}
	return "the higher of what is known"
}

// control is an index of the table that did not grow: then the rows did not
// either. A rewrite in the input is one too. nil if none is quiet.
func (b *heapGrowth) control() *dataset.Index {
	for _, x := range b.Relation.Indexes {
		if n := len(x.Sizes); n > 1 && x.Sizes[0].Time <= b.Min.Time && x.Sizes[0].Pages > 0 && x.Sizes[n-1].Pages < quietRatio*x.Sizes[0].Pages {
			return x
		}
	}
	return nil
}

// freeing is the first vacuum since the minimum that freed rows and left the
// table as large as it was; nil if none is known.
func (b *heapGrowth) freeing() *dataset.Vacuum {
	for _, v := range b.Relation.Vacuums {
		if v.End >= b.Min.Time && v.PagesRemoved.N == 0 && (removedItems(v) > 0 || v.DeadBefore.N > 0) {
			return v
		}
	}
	return nil
}

// confidence: the equation is that the freed rows cover the growth per row, by
// counted rows; the event, a vacuum that freed rows without shrinking the table;
// the control, an index that did not grow, or a rewrite that shrank the table.
func (b *heapGrowth) confidence() (finding.Confidence, string) {
	growth := b.size() - b.perRow(&b.Min)*b.Now.Rows
	equation := b.Waste >= coveredGrowth*growth && b.Counted
	v, x := b.freeing(), b.control()
	shrunk := b.Rewrite != nil && b.Rewrite.PagesAfter < b.Rewrite.PagesBefore
	why := "equation: " + yes(equation, "the rows freed cover the growth per row", "other growth than by freed rows is part of it, or the rows are an estimate")
	why += "; event: " + yes(v != nil, "a vacuum freed rows and the table stayed as large", "no vacuum that freed rows since")
	switch {
	case shrunk:
		why += "; control: a rewrite by " + clock(b.Rewrite.By) + " gave pages back"
	case x != nil:
		why += "; control: " + x.Index + " did not grow"
	default:
		why += "; control: missing: no index of the table that stayed as large, and no rewrite"
	}
	return confidenceOf(equation, v != nil, shrunk || x != nil), why
}

func (b *heapGrowth) rivals() []finding.RuledOut {
	out := []finding.RuledOut{
		{Rival: "more rows", Verdict: finding.RuledOutVerdict, Figure: fmt.Sprintf("rows %s, pages %s", times(b.Now.Rows/b.Min.Rows), times(b.Now.Pages/b.Min.Pages))},
		b.wider("wider rows"),
	}
	last := &b.Relation.Points[len(b.Relation.Points)-1]
	for i := range b.Relation.Points {
		if t := &b.Relation.Points[i]; t.Time.Known() && t.DeadTup.Known {
			last = t
		}
	}
	if !last.DeadTup.Known {
		return append(out, notMeasurable("dead rows not yet vacuumed (203, 205)", "no n_dead_tup in input"))
	}
	return append(out, finding.RuledOut{Rival: "dead rows not yet vacuumed (203, 205)", Verdict: finding.RuledOutVerdict,
		Figure: fmt.Sprintf("%s at the last capture, counted as used", num(float64(last.DeadTup.N)))})
}

func (b *heapGrowth) evidence() []finding.Evidence {
	place := func(what string, s *sizePoint) finding.Evidence {
		return finding.Evidence{What: what, Pos: s.Pos, Time: s.Time, Value: s.Pages, Unit: "pages", Excerpt: num(b.perRow(s)) + " bytes/row"}
	}
	out := []finding.Evidence{place("first", &b.Min), place("worst", b.worst()), place("latest", &b.Now)}
	if v := b.freeing(); v != nil {
		out = append(out, finding.Evidence{What: "vacuum", Pos: v.Pos, Time: v.End, Value: removedItems(v), Unit: "rows"})
	}
	return out
}

// columns are the series of pages and of bytes per row.
func (b *bloat) columns() []finding.Column {
	pages := finding.Column{Name: "pages", Unit: "pages"}
	perRow := finding.Column{Name: "bytes per row", Unit: "bytes/row", Secondary: true}
	for i := range b.Series {
		s := &b.Series[i]
		pages.Points = append(pages.Points, finding.Point{X: float64(s.Time), Y: s.Pages})
		perRow.Points = append(perRow.Points, finding.Point{X: float64(s.Time), Y: b.perRow(s)})
	}
	return []finding.Column{pages, perRow}
}

func (b *heapGrowth) chart() finding.Series {
	out := finding.Series{Name: b.Relation.Name + " grows while its rows do not", Kind: finding.SeriesTime, XLabel: "time", YLabel: "pages", Columns: b.columns()}
	if b.Rewrite != nil {
		out.Marks = append(out.Marks, finding.Mark{Time: b.Rewrite.By, Text: "rewrite"})
	}
	for _, v := range b.Relation.Vacuums {
		if v.End.Known() && v.End >= b.Series[0].Time {
			out.Marks = append(out.Marks, finding.Mark{Time: v.End, Text: "vacuum"})
		}
	}
	return out
}

func (b *heapGrowth) actions() ([]finding.Action, []string) {
	name := b.Relation.SQL()
	indexes, known := 0.0, true
	for _, x := range b.Relation.Indexes {
		n, ok := nearestPages(x, b.Now.Time)
		indexes, known = indexes+n*b.BlockSize, known && ok
	}
	disk := "about " + bytesText(math.Ceil(b.newSize())) + " for the new table and the size of all its indexes again"
	if known && len(b.Relation.Indexes) > 0 {
		disk = fmt.Sprintf("about %s for the new table and up to %s for its indexes", bytesText(math.Ceil(b.newSize())), bytesText(indexes))
	}
	return []finding.Action{
			{SQL: true, Do: "vacuum (full, analyze) " + name, Cost: disk + " of free disk, and as much WAL; an access exclusive lock for its whole length: neither reads nor writes. " +
				"It rebuilds every index too: no REINDEX beside it (208)"},
			{Do: fmt.Sprintf("pg_repack --no-order --table=%s, or pg_squeeze: the same while reads and writes go on.", name), Cost: disk + " of free disk, WAL for all of it, and a short access exclusive lock at the end; " +
				"pg_repack needs a primary key or a unique index on columns that are not null"},
			{Do: "Leave it where as many rows will come again: inserts and updates use the free space before the table grows."},
		}, []string{
			fmt.Sprintf("select pg_relation_size(%s); is near %.0f", regclass(name), b.newSize()),
			"the next vacuum line of the table, and bytes per row over the next busy days, stay near " + num(b.perRow(&b.Min)) + " bytes",
		}
}
