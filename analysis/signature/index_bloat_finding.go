package signature

import (
	"fmt"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// quietRatio is the growth of bytes per row up to which another index of the
// table is a quiet control.
const quietRatio = 1.2

// coveredGrowth is the part of the growth that the freed rows must cover for
// the equation to hold.
const coveredGrowth = 0.8

// sibling is another index of the same table, as a control.
type sibling struct {
	Index   *dataset.Index
	Rebuild *dataset.Rebuild // its last, if it made the index smaller
	Growth  float64          // last size ÷ first; NaN if unknown
}

// control prefers a sibling that was rebuilt, then a quiet one; nil if none.
func (b *indexGrowth) control() *sibling {
	var quiet *sibling
	for _, x := range b.Index.Relation.Indexes {
		if x == b.Index {
			continue
		}
		if n := len(x.Rebuilt); n > 0 && x.Rebuilt[n-1].PagesAfter < x.Rebuilt[n-1].PagesBefore {
			return &sibling{Index: x, Rebuild: &x.Rebuilt[n-1]}
		}
		if n := len(x.Sizes); n > 1 && x.Sizes[0].Pages > 0 && quiet == nil {
			if g := x.Sizes[n-1].Pages / x.Sizes[0].Pages; g < quietRatio {
				quiet = &sibling{Index: x, Growth: g}
			}
		}
	}
	return quiet
}

func (b *indexGrowth) finding(p *Pass, plan reindexPlan) finding.Finding {
	r := b.Index.Relation
	c := b.control()
	f := finding.Finding{
		Subject:  finding.Subject{Relation: r.Name, Index: b.Index.Name},
		Title:    fmt.Sprintf("%s takes %s the space that its rows need", b.Index.Name, times(b.ratio())),
		Effect:   b.ratio(),
		Onset:    &finding.Onset{Time: b.Min.Time, Event: "smallest per row", EventTime: b.Min.Time, EventPos: b.Min.Pos, End: record.NoTime},
		Figures:  b.figures(p, c, plan),
		RuledOut: b.rivals(),
		Evidence: b.evidence(),
		Series:   []finding.Series{b.chart()},
		N:        fmt.Sprintf("%s since the last rebuild", plural(len(b.Series), "size")),
		WillNotHelp: []string{
			"VACUUM, or more of it: it empties pages for reuse inside the index and does not shrink it",
			"VACUUM FULL: it locks the table for its whole length to rebuild every index and the heap",
			"lower vacuum thresholds: they slow the growth, and give nothing back",
		},
	}
	if n := len(b.Index.Rebuilt); n > 0 {
		last := b.Index.Rebuilt[n-1]
		f.Onset.Event, f.Onset.EventTime, f.Onset.EventPos = "rebuild of the index", last.By, last.Pos
		f.Onset.Lag = b.Min.Time.Sub(last.By)
	}
	f.Share, _ = shareOf(p.Model, func(s *dataset.Statement) bool { return uses(s, []*dataset.Relation{r}) })
	f.Confidence, f.WhyConfidence = b.confidence(c)
	f.Actions, f.Verify = plan.actions(b), plan.verify(b)
	f.Summary = b.summary(c)
	f.Notes = append(f.Notes, "effect is size ÷ estimated size after a rebuild; share is that of the statements that use the table, whether through this index or not")
	if grown := b.grownWhileHeld(heldLimitsOf(p.limits(vacuumBlocked))); grown > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("%s of the pages were gained while an open transaction held vacuum back (205): end such transactions first, or it grows again", num(grown)))
	}
	return f
}

func (b *indexGrowth) summary(c *sibling) string {
	var t strings.Builder
	fmt.Fprintf(&t, "From %s to %s %s went from %s to %s pages, while its rows went from %s to %s. Deletes and updates freed %s rows in that time. ",
		clock(b.Min.Time), clock(b.Now.Time), b.Index.Name, num(b.Min.Pages), num(b.Now.Pages), num(b.Min.Rows), num(b.Now.Rows), num(b.Freed))
	fmt.Fprintf(&t, "A rebuild would give back about %s of %s.", bytesText(b.Waste), bytesText(b.size()))
	if c != nil && c.Rebuild != nil {
		fmt.Fprintf(&t, " The rebuild of %s by %s took it from %s to %s pages.", c.Index.Name, clock(c.Rebuild.By), num(c.Rebuild.PagesBefore), num(c.Rebuild.PagesAfter))
	}
	return t.String()
}

func (b *indexGrowth) figures(p *Pass, c *sibling, plan reindexPlan) []finding.Figure {
	fs := append(b.sizeFigures(p, "rebuild"),
		finding.Figure{What: "rows deleted or updated (not HOT) since", Value: b.Freed, Unit: "rows", Says: "bounds the claim"})
	fs = append(fs, plan.figures(b)...)
	if v, x := b.lastCleaned(); v != nil {
		fs = append(fs, finding.Figure{What: "pages vacuum could reuse", Value: float64(x.Reusable), Unit: "pages", Says: "does not shrink it",
			Text: fmt.Sprintf("%s newly deleted, %s currently deleted, %s reusable", thousands(x.NewlyDeleted), thousands(x.Deleted), thousands(x.Reusable))})
	}
	if c == nil {
		return fs
	}
	if c.Rebuild != nil {
		return append(fs, finding.Figure{What: "control: " + c.Index.Name + " was rebuilt", Value: c.Rebuild.PagesBefore / c.Rebuild.PagesAfter, Unit: "x",
			Says: "gave pages back", Text: num(c.Rebuild.PagesBefore) + " to " + num(c.Rebuild.PagesAfter) + " pages"})
	}
	return append(fs, finding.Figure{What: "control: " + c.Index.Name, Value: c.Growth, Unit: "x", Limit: fmt.Sprintf("< %g", quietRatio), Says: "control quiet"})
}

// lastCleaned is the latest vacuum line that names the index.
func (b *indexGrowth) lastCleaned() (*dataset.Vacuum, *record.VacuumIndex) {
	vs := b.Index.Relation.Vacuums
	for i := len(vs) - 1; i >= 0; i-- {
		if !vs[i].FromLog {
			continue
		}
		for k := range vs[i].Indexes {
			if vs[i].Indexes[k].Name == b.Index.Index {
				return vs[i], &vs[i].Indexes[k]
			}
		}
	}
	return nil, nil
}

// cleanings counts the vacuums that removed entries of the index since its
// minimum.
func (b *indexGrowth) cleanings() int {
	n := 0
	for _, v := range b.Index.Relation.Vacuums {
		if cleaned, known := v.CleanedIndex(b.Index.Index); cleaned && known && v.End >= b.Min.Time {
			n++
		}
	}
	return n
}

// confidence: the equation is that the freed rows cover the growth per row;
// the event, vacuums that cleaned the index without shrinking it; the control,
// another index of the table that a rebuild shrank, or that did not grow.
func (b *indexGrowth) confidence(c *sibling) (finding.Confidence, string) {
	growth := b.size() - b.perRow(&b.Min)*b.Now.Rows
	equation := b.Waste >= coveredGrowth*growth
	n := b.cleanings()
	event := n > 0 && b.Now.Pages > b.Min.Pages
	why := "equation: " + yes(equation, "the rows freed cover the growth per row", "other growth than by freed rows is part of it")
	why += "; event: " + yes(event, plural(n, "vacuum")+" cleaned it and it went on growing", "no vacuum line that names the index")
	switch {
	case c == nil:
		why += "; control: missing: no other index of the table to compare"
	case c.Rebuild != nil:
		why += "; control: the rebuild of " + c.Index.Index + " gave pages back"
	default:
		why += "; control: " + c.Index.Index + " did not grow"
	}
	return confidenceOf(equation, event, c != nil), why
}

func (b *indexGrowth) rivals() []finding.RuledOut {
	growth := finding.RuledOut{Rival: "more rows", Verdict: finding.RuledOutVerdict,
		Figure: fmt.Sprintf("rows %s, pages %s", times(b.Now.Rows/b.Min.Rows), times(b.Now.Pages/b.Min.Pages))}
	held := notMeasurable("dead rows that vacuum may not remove (205)", "no vacuum lines in input")
	if all := passesOf(b.Index.Relation); len(all) > 0 {
		held = finding.RuledOut{Rival: held.Rival, Verdict: finding.RuledOutVerdict, Figure: fmt.Sprintf("the latest vacuum left %s", num(all[len(all)-1].Left))}
	}
	return []finding.RuledOut{growth, b.wider("wider keys"), held}
}

func (b *indexGrowth) evidence() []finding.Evidence {
	place := func(what string, s *sizePoint) finding.Evidence {
		return finding.Evidence{What: what, Pos: s.Pos, Time: s.Time, Value: s.Pages, Unit: "pages", Excerpt: num(b.perRow(s)) + " bytes/row"}
	}
	out := []finding.Evidence{place("first", &b.Min), place("worst", b.worst()), place("latest", &b.Now)}
	if v, x := b.lastCleaned(); v != nil {
		pos := v.Pos
		if x.Line > 0 {
			pos.Line = x.Line
		}
		out = append(out, finding.Evidence{What: "vacuum", Pos: pos, Time: v.End, Value: float64(x.Pages), Unit: "pages"})
	}
	return out
}

func (b *indexGrowth) chart() finding.Series {
	out := finding.Series{Name: b.Index.Index + " grows while its rows do not", Kind: finding.SeriesTime, XLabel: "time", YLabel: "pages",
		Columns: b.columns()}
	for _, x := range b.Index.Relation.Indexes {
		for _, r := range x.Rebuilt {
			out.Marks = append(out.Marks, finding.Mark{Time: r.By, Text: "rebuild of " + x.Index})
		}
	}
	for _, v := range b.Index.Relation.Vacuums {
		cleaned, known := v.CleanedIndex(b.Index.Index)
		if (cleaned || !known) && v.End.Known() && v.End >= b.Series[0].Time {
			out.Marks = append(out.Marks, finding.Mark{Time: v.End, Text: "vacuum"})
		}
	}
	return out
}
