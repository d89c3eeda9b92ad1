package signature

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
)

// figures are the working of one scale.
func (s *walkScale) figures(lo, hi float64) []finding.Figure {
	out := []finding.Figure{{
		What: s.name() + s.contentText(), Value: s.ratio, Unit: "x", Says: "explains",
		Text: fmt.Sprintf("%s → %s buffers/row: + %s = %s of the %s pages", s.baselineText(), costRange(s.after),
			whole(s.cost()-s.baseline), times2(s.ratio), whole(s.pages)),
		Limit: fmt.Sprintf("in [%g, %g] of the pages", lo, hi),
	}}
	add := func(what string, writes []experimentWrite, says string) {
		if len(writes) > 0 {
			out = append(out, finding.Figure{What: what, Value: medianPrinted(writes), Unit: "buffers/row", Text: costRange(writes) + " buffers/row", Says: says, Indent: true})
		}
	}
	if len(s.before) == 0 {
		out[0].Says = "fits, with the cost of other rows as the baseline"
	}
	if len(s.quiet) > 0 {
		add("side by side"+contentWith(s.quiet[0].content), s.quiet, "control quiet")
	}
	if n := s.repeatsAfterRollback(); n > 0 {
		add("repeated after ROLLBACK", s.after[len(s.after)-n:], "not undone")
	}
	add("after REINDEX", s.rebuilt, "control quiet")
	return out
}

// name says how large the experiment is.
func (s *walkScale) name() string {
	if s.x.rows > 0 {
		return fmt.Sprintf("%s rows, %s pages", thousands(s.x.rows), whole(s.pages))
	}
	return whole(s.pages) + " pages"
}

func (s *walkScale) contentText() string { return contentWith(s.after[0].content) }

// contentWith is a content as an apposition, "" without one. It stands in quotes
// since it is text of the input, which may name anything.
func contentWith(content string) string {
	if content == "" {
		return ""
	}
	return fmt.Sprintf(" (%q)", content)
}

// quoted is a piece of the transcript, "" if it is empty.
func quoted(text string) string {
	if text == "" {
		return ""
	}
	return strconv.Quote(text)
}

// baselineText is the cost before, as EXPLAIN prints it.
func (s *walkScale) baselineText() string {
	if len(s.before) == 0 {
		return "about " + whole(math.Round(s.baseline))
	}
	return costRange(s.before)
}

func medianPrinted(writes []experimentWrite) float64 {
	printed := make([]float64, len(writes))
	for i, w := range writes {
		printed[i] = w.printed()
	}
	slices.Sort(printed)
	return printed[len(printed)/2]
}

// costRange is the range of what EXPLAIN prints: "4,953…5,042".
func costRange(writes []experimentWrite) string {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, w := range writes {
		lo, hi = min(lo, w.printed()), max(hi, w.printed())
	}
	if math.Round(lo) == math.Round(hi) {
		return whole(math.Round(lo))
	}
	return whole(math.Round(lo)) + "…" + whole(math.Round(hi))
}

// eventText is "DELETE 2000 and VACUUM".
func (s *walkScale) eventText() string {
	return fmt.Sprintf("%s of %s rows and VACUUM", s.cleaning.delete.Object, thousands(s.cleaning.delete.Count))
}

// repeatsAfterRollback is how many writes follow one that was rolled back after
// the vacuum.
func (s *walkScale) repeatsAfterRollback() int {
	first := s.after[0].at
	undone := slices.ContainsFunc(s.x.undone, func(n int) bool { return n == first+1 })
	if !undone {
		return 0
	}
	return len(s.after) - 1
}

// evidence are the places of one scale.
func (s *walkScale) evidence() []finding.Evidence {
	limit := "baseline " + s.baselineText()
	var out []finding.Evidence
	add := func(what string, w experimentWrite) {
		out = append(out, finding.Evidence{What: what, Pos: w.Exec.Pos, Time: w.Exec.Time, Value: w.printed(), Unit: "buffers/row", Limit: limit, Excerpt: quoted(w.heading)})
	}
	if n := len(s.before); n > 0 {
		add("before", s.before[n-1])
	}
	v := s.cleaning.vacuum
	out = append(out, finding.Evidence{What: "event", Pos: v.Pos, Time: v.LogTime, Value: float64(s.cleaning.delete.Count), Unit: "rows", Excerpt: s.eventText()})
	size := s.x.sizeAt(s.size, s.after[0].at)
	out = append(out, finding.Evidence{What: "size", Pos: size.pos, Time: v.LogTime, Value: size.pages, Unit: "pages", Excerpt: quoted(s.size.column)})
	add("first", s.after[0])
	add("worst", slices.MaxFunc(s.after, func(a, b experimentWrite) int { return int(a.printed() - b.printed()) }))
	add("latest", s.after[len(s.after)-1])
	if len(s.quiet) > 0 {
		add("control", s.quiet[0])
	}
	if len(s.rebuilt) > 0 {
		add("after REINDEX", s.rebuilt[0])
	}
	return out
}

func (t *transcriptFinding) concurrency() finding.RuledOut {
	spread := 0.0
	for _, s := range t.scales {
		lo, hi := math.Inf(1), 0.0
		for _, w := range s.after {
			lo, hi = min(lo, w.printed()), max(hi, w.printed())
		}
		spread = max(spread, (hi-lo)/hi)
	}
	return finding.RuledOut{Rival: "concurrency", Verdict: finding.RuledOutVerdict,
		Figure: "one session, one statement after the other; repeats differ by " + percent(spread)}
}

// planChange compares the shapes before and after. Without plans before, those
// of the control stand for them.
func (t *transcriptFinding) planChange() finding.RuledOut {
	const rival = "plan change"
	shapes := map[uint64]bool{}
	for _, s := range t.scales {
		for _, w := range s.after {
			shapes[w.Exec.Figures.Shape] = true
		}
		seen := slices.Concat(s.before, s.quiet)
		if len(seen) == 0 {
			return notMeasurable(rival, "no plan before the vacuum")
		}
		for _, w := range s.after {
			if !slices.ContainsFunc(seen, func(o experimentWrite) bool { return o.Exec.Figures.Shape == w.Exec.Figures.Shape }) {
				return finding.RuledOut{Rival: rival, Verdict: finding.NotRuledOut, Figure: "the shape after the vacuum was not seen before it"}
			}
		}
	}
	return finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: shapesText(len(shapes)) + " before and after"}
}

// rowSize holds the same content before against after, and another content
// beside it.
func (t *transcriptFinding) rowSize() finding.RuledOut {
	const rival = "row size"
	s := t.largest()
	if len(s.before) == 0 || s.after[0].content == "" {
		return finding.RuledOut{Rival: rival, Verdict: finding.NotRuledOut, Figure: "no plan before the vacuum whose heading tells the same content"}
	}
	figure := fmt.Sprintf("the same content%s costs %s before and %s after", s.contentText(), costRange(s.before), costRange(s.after))
	if len(s.quiet) > 0 {
		figure += fmt.Sprintf(";%s beside it %s", contentWith(s.quiet[0].content), costRange(s.quiet))
	}
	return finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: strings.ReplaceAll(figure, "  ", " ")}
}

func (t *transcriptFinding) reads() finding.RuledOut {
	var points []costPoint
	for _, s := range t.scales {
		for _, w := range s.after {
			points = append(points, w.costPoint)
		}
	}
	return reads(points)
}

// growth compares the size before the vacuum with that after it.
func (t *transcriptFinding) growth() finding.RuledOut {
	const rival = "index growth"
	most := 0.0
	for _, s := range t.scales {
		before := s.x.sizeAt(s.size, s.cleaning.at-1)
		if before == nil || s.cleaning.at == 0 || before.at > s.cleaning.at-1 {
			return notMeasurable(rival, "no size before the vacuum")
		}
		most = max(most, s.pages/before.pages-1)
	}
	out := finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: percent(most) + " more pages after the vacuum than before"}
	if most > 0.1 {
		out.Verdict = finding.NotRuledOut
	}
	return out
}
