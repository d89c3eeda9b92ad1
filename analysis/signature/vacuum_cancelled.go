package signature

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// cancels are the log's entries about vacuums of one table that others ended,
// by time.
type cancels struct {
	Relation *dataset.Relation // of the model, or by name only
	Events   []*record.Event
}

// cancelsOf are those of each table, the tables by name. Such an entry may be
// all that is known of a table.
func cancelsOf(m *dataset.Model) []*cancels {
	by := map[string]*cancels{}
	for i := range m.Events {
		e := &m.Events[i]
		name := cancelledTable(e)
		if name == "" {
			continue
		}
		r := m.Relation(name)
		if _, bare, ok := strings.Cut(name, "."); r == nil && ok {
			r = m.Relation(bare)
			name = bare
		}
		if r == nil {
			r = &dataset.Relation{Name: name}
		}
		c := by[r.Name]
		if c == nil {
			c = &cancels{Relation: r}
			by[r.Name] = c
		}
		c.Events = append(c.Events, e)
	}
	out := make([]*cancels, 0, len(by))
	for _, c := range by {
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b *cancels) int { return strings.Compare(a.Relation.Name, b.Relation.Name) })
	return out
}

// cancelledTable is the table whose vacuum the entry says was cancelled or
// skipped for a lock; "" for other entries. "canceling autovacuum task" names it
// in its context, with the database.
func cancelledTable(e *record.Event) string {
	if e.Kind == record.EventError && e.SQLState == "57014" || e.Kind == record.EventVacuumSkipped && strings.Contains(e.Text, "lock not available") {
		return e.Object
	}
	return ""
}

// longestRun are the cancels that follow one another with no vacuum of the table
// completed in between.
func (c *cancels) longestRun() []*record.Event {
	var best []*record.Event
	for i := 0; i < len(c.Events); {
		k := i + 1
		for k < len(c.Events) && !c.completedBetween(c.Events[k-1].LogTime, c.Events[k].LogTime) {
			k++
		}
		if k-i > len(best) {
			best = c.Events[i:k]
		}
		i = k
	}
	return best
}

func (c *cancels) completedBetween(from, to record.Time) bool {
	return slices.ContainsFunc(c.Relation.Vacuums, func(v *dataset.Vacuum) bool { return v.End >= from && v.End <= to })
}

// completedAfter is the first vacuum that was completed at or after t; nil if
// none was.
func (c *cancels) completedAfter(t record.Time) *dataset.Vacuum {
	for _, v := range c.Relation.Vacuums {
		if v.End >= t {
			return v
		}
	}
	return nil
}

// cancelled finds a table whose vacuums are cancelled one after the other.
func (p *Pass) cancelled(c *cancels) *trouble {
	run := c.longestRun()
	if float64(len(run)) < p.limit("min_cancels") {
		return nil
	}
	first, last := run[0], run[len(run)-1]
	if last.LogTime.Sub(first.LogTime).Seconds() < p.limit("min_kept_away") {
		return nil
	}
	t := &trouble{From: first.LogTime, To: last.LogTime, Pos: first.Pos, Effect: float64(len(run) + 1), Seconds: last.LogTime.Sub(first.LogTime).Seconds(),
		Title:  fmt.Sprintf("were cancelled %d times in a row", len(run)),
		N:      fmt.Sprintf("%s, %s of the table completed", plural(len(c.Events), "cancelled or skipped vacuum"), plural(len(c.Relation.Vacuums), "vacuum")),
		Not:    []string{"a lower threshold: the next attempt comes sooner and is cancelled like the last", "more workers, or a higher cost limit alone: an attempt that is shorter is hit less often, not spared"},
		Verify: "no \"canceling autovacuum task\" for " + c.Relation.Name + " between two completed vacuums",
	}
	blockers, seen := p.blockersOf(run)
	t.Summary = fmt.Sprintf("From %s to %s autovacuum began %d times and gave way to a lock that another session asked for; each attempt reads the table from its beginning again. %s",
		clock(t.From), clock(t.To), len(run), blockers)
	next := c.completedAfter(last.LogTime)
	t.Figures = []finding.Figure{{What: "cancelled one after the other", Value: float64(len(run)), Unit: "vacuums", Limit: fmt.Sprintf(">= %g", p.limit("min_cancels"))},
		{What: "time without a completed vacuum", Value: t.Seconds, Unit: "s", Text: "at least " + span(t.Seconds)}}
	t.Evidence = cancelPlaces(run)
	t.Equation, t.Event, t.Control = true, seen, next != nil
	t.Why = [3]string{"each of them says that it was cancelled or found no lock", yes(seen, "the session that waited is in the log", "what asked for the lock is not in the log: set log_lock_waits = on"),
		yes(next != nil, "a vacuum was completed once it was left alone", "no completed vacuum of the table after them")}
	t.RuledOut = []finding.RuledOut{{Rival: "an old snapshot (205)", Verdict: finding.RuledOutVerdict, Figure: "it does not cancel a vacuum"}}
	t.Actions = []finding.Action{
		{Do: fmt.Sprintf("Find what locks %s so often (ALTER TABLE, CREATE INDEX, LOCK TABLE, TRUNCATE, a manual ANALYZE or VACUUM; log_lock_waits = on names it), and run it less often or at one time of the day.", c.Relation.Name)},
		{SQL: true, Do: "vacuum (analyze) " + c.Relation.SQL(), Cost: "run it right after that work: a manual vacuum does not give way to others, they wait for it (share update exclusive lock: reads and writes go on)"},
	}
	return t
}

func cancelPlaces(run []*record.Event) []finding.Evidence {
	place := func(what string, e *record.Event) finding.Evidence {
		return finding.Evidence{What: what, Pos: e.Pos, Time: e.LogTime, Value: 1, Unit: "cancels", Excerpt: shorten(e.Text, 120)}
	}
	return []finding.Evidence{place("first", run[0]), place("latest", run[len(run)-1])}
}

// blockersOf names the statements that waited for the cancelled workers.
func (p *Pass) blockersOf(run []*record.Event) (text string, seen bool) {
	workers := map[int32]bool{}
	for _, e := range run {
		workers[e.ProcessID] = true
	}
	for i := range p.Model.Events {
		e := &p.Model.Events[i]
		if e.Kind != record.EventLockWait || !slices.ContainsFunc(e.Holders, func(pid int32) bool { return workers[pid] }) {
			continue
		}
		if e.Statement != nil {
			return "One that waited for it: " + shorten(e.Statement.Normalized, 100) + ".", true
		}
		return "Process " + num0(float64(e.ProcessID)) + " waited for it.", true
	}
	return "The log does not tell what asked for it.", false
}
