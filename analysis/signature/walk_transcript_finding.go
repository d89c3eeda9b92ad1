package signature

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// transcriptFinding tells a walk that transcripts show: one statement, each
// experiment a scale.
type transcriptFinding struct {
	p      *Pass
	scales []*walkScale // by size
	flat   int          // experiments with the same statement in which nothing rose
}

// largest is the scale that the effect is told of.
func (t *transcriptFinding) largest() *walkScale { return t.scales[len(t.scales)-1] }

// maxScales is how many experiments are listed one by one.
const maxScales = 8

// otherSize is how much larger an index must be to be another scale, not a
// repetition.
const otherSize = 1.2

// several reports whether scales of different sizes agree.
func (t *transcriptFinding) several() bool {
	return t.largest().pages >= otherSize*t.scales[0].pages
}

func (t *transcriptFinding) finding() finding.Finding {
	s := t.largest()
	table := s.statement.Statement.Target
	f := finding.Finding{
		Title: fmt.Sprintf("Each %s %s walks %s page by page", strings.ToLower(s.statement.Command), preposition(s)+" "+table, t.indexText()),
		Subject: finding.Subject{Relation: table, Index: t.index(),
			Fingerprint: s.statement.Fingerprint, Statement: s.statement.Normalized},
		Effect: s.cost() / s.baseline,
		Share:  t.share(),
		Onset: &finding.Onset{Time: record.NoTime, EventTime: record.NoTime, End: record.NoTime,
			Event: s.eventText(), EventPos: s.cleaning.vacuum.Pos},
		N: t.counts(),
	}
	f.Confidence, f.WhyConfidence = t.confidence()
	listed := t.scales
	if n := len(listed); n > maxScales {
		listed = slices.Concat(listed[:maxScales/2], listed[n-maxScales/2:])
		f.Notes = append(f.Notes, fmt.Sprintf("Of %d experiments the %d smallest and the %d largest are listed.", n, maxScales/2, maxScales/2))
	}
	for _, s := range listed {
		f.Figures = append(f.Figures, s.figures(t.p.limit("transcript_min"), t.p.limit("transcript_max"))...)
		f.Evidence = append(f.Evidence, s.evidence()...)
	}
	f.RuledOut = []finding.RuledOut{t.concurrency(), t.planChange(), t.rowSize(), t.reads(), t.growth(),
		notMeasurable("lock waits", "a transcript tells none; buffers do not depend on them")}
	f.Summary = t.summary(&f)
	t.remedy(&f)
	return f
}

func preposition(s *walkScale) string {
	if s.statement.Command == "INSERT" {
		return "into"
	}
	return "of"
}

// index is the index that the sizes name; "" if they name none, or not one.
func (t *transcriptFinding) index() string {
	name := t.scales[0].size.relation
	for _, s := range t.scales {
		if s.size.relation != name {
			return ""
		}
	}
	return name
}

func (t *transcriptFinding) indexText() string {
	if name := t.index(); name != "" {
		return name
	}
	return "an index"
}

// share is the writes' share of the time of all plans of these transcripts.
func (t *transcriptFinding) share() float64 {
	files := map[string]bool{}
	for _, s := range t.scales {
		files[s.x.file] = true
	}
	var own, all record.Duration
	for _, e := range t.p.Model.Executions {
		if e.Kind != record.ExecExplain || !files[e.Pos.File] {
			continue
		}
		all += e.Duration
		if e.Statement == t.largest().statement {
			own += e.Duration
		}
	}
	return float64(own) / float64(max(all, 1))
}

// confidence: equation and event hold in every scale, else there is none. A
// second scale stands for the slope.
func (t *transcriptFinding) confidence() (finding.Confidence, string) {
	control := ""
	for _, s := range t.scales {
		if control = s.control(); control == "" {
			break
		}
	}
	c, why := finding.Possible, "holds: equation (the rise equals the pages), event (a vacuum after a delete)"
	var missing []string
	if control != "" {
		c, why = c+1, why+", control ("+control+")"
	} else {
		missing = append(missing, "a control that stays quiet")
	}
	switch {
	case t.flat > 0:
		missing = append(missing, fmt.Sprintf("%s of the same statement shows no rise", plural(t.flat, "other experiment")))
	case t.several():
		c, why = c+1, why+", at sizes that differ"
	default:
		missing = append(missing, "a second size of the index")
	}
	if len(missing) > 0 {
		why += "; missing: " + strings.Join(missing, ", ")
	}
	return c, why
}

func (t *transcriptFinding) counts() string {
	var before, after, control int
	for _, s := range t.scales {
		before, after, control = before+len(s.before), after+len(s.after), control+len(s.quiet)+len(s.rebuilt)
	}
	return fmt.Sprintf("%s: %s before the vacuum, %d after it, %d of the control",
		plural(len(t.scales), "experiment"), plural(before, "plan"), after, control)
}

func (t *transcriptFinding) summary(f *finding.Finding) string {
	s := t.largest()
	var b strings.Builder
	fmt.Fprintf(&b, "After %s a row%s costs %s buffers instead of %s (%s). The difference is within %s of the index's pages %s (%s): ",
		s.eventText(), s.contentText(), costRange(s.after), s.baselineText(), times(f.Effect), t.within(), t.scalesText(), t.ratios())
	b.WriteString("each row reads the index from the first freed slot to its end.")
	for _, s := range t.scales {
		if len(s.quiet) > 0 {
			fmt.Fprintf(&b, " Rows%s stay at %s beside them.", contentWith(s.quiet[0].content), t.quietRange())
			break
		}
	}
	if n := s.repeatsAfterRollback(); n > 0 {
		b.WriteString(" ROLLBACK does not undo it: repeats cost as much.")
	}
	if not := ruledOutNames(f.RuledOut); not != "" {
		fmt.Fprintf(&b, " It is not %s.", not)
	}
	return b.String()
}

// within is the largest distance of a plan from the equation, but at least the
// band that the median is held against.
func (t *transcriptFinding) within() string {
	most := max(1-t.p.limit("transcript_min"), t.p.limit("transcript_max")-1)
	for _, s := range t.scales {
		for _, w := range s.after {
			pages := s.x.sizeAt(s.size, w.at).pages
			most = max(most, math.Abs((w.perRow()-s.baseline)/pages-1))
		}
	}
	return fmt.Sprintf("%g %%", math.Round(most*1000)/10)
}

func (t *transcriptFinding) scalesText() string {
	switch len(t.scales) {
	case 1:
		return "at the one scale seen"
	case 2:
		return "at both scales"
	}
	return fmt.Sprintf("at all %d scales", len(t.scales))
}

// ratios lists the ratio of each scale, the first few.
func (t *transcriptFinding) ratios() string {
	const most = 4
	var out []string
	for _, s := range t.scales[:min(len(t.scales), most)] {
		out = append(out, fmt.Sprintf("%s of %s pages", times2(s.ratio), whole(s.pages)))
	}
	if len(t.scales) > most {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}

func (t *transcriptFinding) quietRange() string {
	var all []experimentWrite
	for _, s := range t.scales {
		all = append(all, s.quiet...)
	}
	return costRange(all)
}

func (t *transcriptFinding) remedy(f *finding.Finding) {
	s := t.largest()
	index := t.index()
	f.Actions, f.WillNotHelp, f.Verify = walkRemedy(quote(index), s.pages*float64(t.p.Model.BlockSize), s.baseline)
	f.Verify[1] = "repeat the experiment after the rebuild: a row" + s.contentText() + " costs about " + s.baselineText() + " buffers"
	if index != "" {
		return
	}
	table := regclass(tableSQL(t.p.Model, s.statement.Statement.Target))
	f.Verify = f.Verify[:2]
	f.Notes = append(f.Notes, "An INSERT's plan does not name the indexes that it writes, and the transcript names none either: the first action finds it.")
	cost := f.Actions[0].Cost
	f.Actions[0] = finding.Action{SQL: true, Cost: "reads the catalog only",
		Do: "select i.indexrelid::regclass as index, pg_relation_size(i.indexrelid) / current_setting('block_size')::int as pages " +
			"from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam " +
			fmt.Sprintf("where i.indrelid = %s and a.amname = 'hnsw' order by pages desc;", table)}
	rebuild := finding.Action{Cost: cost,
		Do: fmt.Sprintf("REINDEX INDEX CONCURRENTLY for the index that it lists; the one that walks has about %s pages at the largest scale.", whole(s.pages))}
	f.Actions = append(f.Actions[:1], append([]finding.Action{rebuild}, f.Actions[1:]...)...)
}
