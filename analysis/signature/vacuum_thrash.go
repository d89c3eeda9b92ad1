package signature

import (
	"slices"
	"sort"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

var vacuumThrash = &Signature{
	ID: "PGA206", Name: "vacuum-thrash", Max: finding.Warning,
	Felt: "Autovacuum is always busy, and the tables are no better for it",
	What: "Autovacuum works on a table without getting done: it reads the indexes several times over, sleeps most of the time and never catches up, is cancelled again and again, or removes next to nothing.",
	Why: "A vacuum keeps the dead item identifiers it found in memory; when that is full it reads every index from end to end and begins anew. Cost-based delay stretches it. " +
		"A lock that another session asks for cancels it, and its heap pass is lost. Each page that is read for one dead row more is paid for in cache and I/O. " +
		"Judged by the dead item identifiers removed, not by tuples: pruning took most of those before.",
	Fix: "Several passes: memory for all dead items, or smaller vacuums. Sleeping: a higher autovacuum_vacuum_cost_limit for this table. " +
		"Cancelled: move what takes the lock, or vacuum by hand right after it. Little gain: a higher threshold.",
	Verify: "The next vacuum lines say index scans: 1, an elapsed time well below the time to the next one, and no \"canceling autovacuum task\" between them.",
	Needs:  []Need{needVacuum},
	Silent: []string{
		"a healthy sawtooth: many dead items removed at each pass, whatever \"tuples removed\" says",
		"vacuums without an index pass: started by inserts or by age they set pages all-visible and frozen",
		"a long vacuum that sleeps by design and is done long before the next one",
		"dead rows held back by an old snapshot (205), indexes that do more than be read once (207)",
		"a cancel now and then with vacuums completed in between",
	},
	Thresholds: []Threshold{
		{"min_passes", 2, "index scans", "in one vacuum"},
		{"min_extra", 1000, "buffers", "read by the passes after the first, of one vacuum"},
		{"min_sleep", 0.5, "of elapsed", "that throttled vacuums sleep"},
		{"min_busy", 0.5, "of the time", "that the table is under throttled vacuum"},
		{"min_slow", 60, "s", "that a throttled vacuum takes"},
		{"min_cancels", 3, "cancels", "one after the other, with no vacuum of the table completed in between"},
		{"min_kept_away", 300, "s", "from the first to the last of them: a build of an index or a load keeps vacuum away for a while"},
		{"min_pages_per_item", 20, "pages", "of table and indexes read for each dead item removed (median)"},
		{"min_vacuums", 5, "vacuums", "with an index pass, for their gain to be judged"},
		{"floor_seconds", 600, "s", "of vacuum or of cancelled attempts below which the finding stays info"},
	},
	Detect: detectVacuumThrash,
}

// trouble is one way in which vacuums of a table get nowhere.
type trouble struct {
	Title    string  // completes "Vacuums of TABLE "
	Summary  string  // what, how much, why
	Effect   float64 // cost ÷ cost without it
	Seconds  float64 // of vacuum, or of the time that it was kept away
	From, To record.Time
	Pos      record.Pos // of the first

	Figures  []finding.Figure
	RuledOut []finding.RuledOut
	Evidence []finding.Evidence
	Actions  []finding.Action
	Not      []string // what will not help
	Notes    []string
	Verify   string
	N        string

	Equation, Event, Control bool
	Why                      [3]string // what held or is missing of each
}

func detectVacuumThrash(p *Pass) {
	lines := 0
	kept := cancelsOf(p.Model)
	byTable := map[*dataset.Relation]*cancels{}
	relations := slices.Clone(p.Model.Relations)
	for _, c := range kept {
		lines += len(c.Events)
		byTable[c.Relation] = c
		if !slices.Contains(p.Model.Relations, c.Relation) {
			relations = append(relations, c.Relation)
		}
	}
	for _, r := range relations {
		vs := loggedVacuums(r)
		lines += len(vs)
		if all := p.troublesOf(r, vs, byTable[r]); len(all) > 0 {
			p.Report(p.thrashFinding(r, all), all[0].Seconds < p.limit("floor_seconds"))
		}
	}
	if lines == 0 {
		p.Lacks("no vacuum lines in input", "log_autovacuum_min_duration = 0")
	}
}

// troublesOf are those of one table, the dearest first.
func (p *Pass) troublesOf(r *dataset.Relation, vs []*dataset.Vacuum, c *cancels) []*trouble {
	var all []*trouble
	add := func(t *trouble) {
		if t != nil {
			all = append(all, t)
		}
	}
	add(p.severalPasses(r, vs))
	add(p.throttled(r, vs))
	if c != nil {
		add(p.cancelled(c))
	}
	add(p.littleGain(r, vs))
	sort.SliceStable(all, func(i, j int) bool { return all[i].Effect > all[j].Effect })
	return all
}

// loggedVacuums are the vacuums of the relation that the log tells, by end.
func loggedVacuums(r *dataset.Relation) []*dataset.Vacuum {
	var out []*dataset.Vacuum
	for _, v := range r.Vacuums {
		if v.FromLog && v.End.Known() {
			out = append(out, v)
		}
	}
	return out
}

// thrashFinding tells the trouble that costs most; the others are notes.
func (p *Pass) thrashFinding(r *dataset.Relation, all []*trouble) finding.Finding {
	t := all[0]
	f := finding.Finding{
		Subject: finding.Subject{Relation: r.Name},
		Title:   "Vacuums of " + r.Name + " " + t.Title,
		Summary: t.Summary,
		Onset:   &finding.Onset{Time: t.From, EventTime: t.From, EventPos: t.Pos, Event: "the first of them", End: record.NoTime},
		Effect:  t.Effect, Figures: t.Figures, RuledOut: t.RuledOut, Evidence: t.Evidence,
		Actions: t.Actions, WillNotHelp: t.Not, Verify: []string{t.Verify}, Notes: t.Notes, N: t.N,
	}
	f.Confidence = confidenceOf(t.Equation, t.Event, t.Control)
	f.WhyConfidence = "equation: " + t.Why[0] + "; event: " + t.Why[1] + "; control: " + t.Why[2]
	var note string
	f.Share, note = vacuumShare(p.Model, r, t.Seconds)
	f.Notes = append(f.Notes, note)
	for _, o := range all[1:] {
		f.Notes = append(f.Notes, "They also "+o.Title+": "+o.Summary)
		f.Actions = append(f.Actions, o.Actions...)
		f.Evidence = append(f.Evidence, o.Evidence[0])
	}
	return f
}

// places are the first, the worst and the latest of vacuums, as evidence.
func places(vs []*dataset.Vacuum, unit string, value func(*dataset.Vacuum) float64) []finding.Evidence {
	worst := vs[0]
	for _, v := range vs {
		if value(v) > value(worst) {
			worst = v
		}
	}
	place := func(what string, v *dataset.Vacuum) finding.Evidence {
		return finding.Evidence{What: what, Pos: v.Pos, Time: v.End, Value: value(v), Unit: unit, Excerpt: "took " + span(v.Elapsed.Seconds())}
	}
	return []finding.Evidence{place("first", vs[0]), place("worst", worst), place("latest", vs[len(vs)-1])}
}

// elapsedOf sums the running times in seconds.
func elapsedOf(vs []*dataset.Vacuum) (sum float64) {
	for _, v := range vs {
		sum += v.Elapsed.Seconds()
	}
	return sum
}
