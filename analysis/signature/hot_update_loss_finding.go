package signature

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

func (l *hotLoss) finding(p *Pass) finding.Finding {
	r := l.Relation
	before, after := l.writes()
	f := finding.Finding{
		Subject:  finding.Subject{Relation: r.Name},
		Title:    fmt.Sprintf("Updates of %s stopped being heap-only: %s before, %s after", r.Name, percent(l.Before.share()), percent(l.After.share())),
		Effect:   after / before,
		Onset:    &finding.Onset{Time: l.Event.By, Event: l.Event.text(), EventTime: l.Event.By, EventPos: l.Event.Pos, End: record.NoTime},
		Figures:  l.figures(p),
		RuledOut: l.rivals(),
		Evidence: l.evidence(),
		Series:   []finding.Series{l.chart()},
		N:        fmt.Sprintf("%s updates before, %s after", num(l.Before.All), num(l.After.All)),
		WillNotHelp: []string{
			"vacuum more often: it cleans what each update leaves in every index, and the next update leaves it again",
			"REINDEX before the cause is gone: the indexes grow again",
		},
		Verify: []string{fmt.Sprintf("select n_tup_upd, n_tup_hot_upd from pg_stat_user_tables where relid = %s; twice: of the difference about %s is HOT again",
			regclass(r.SQL()), percent(l.Before.share()))},
	}
	f.Share, _ = shareOf(p.Model, func(s *dataset.Statement) bool { return s.Target == r })
	f.Confidence, f.WhyConfidence = l.confidence(p.Model)
	f.Actions = l.actions()
	f.Summary = l.summary()
	f.Notes = append(f.Notes, "effect is heap and index entries that one update writes, after ÷ before; share is that of the statements that write to the table")
	return f
}

func (e *hotEvent) text() string {
	if e.Index != nil {
		return "new index " + e.Index.Name
	}
	return "options of the table are now " + e.Options
}

func (l *hotLoss) summary() string {
	var t strings.Builder
	fmt.Fprintf(&t, "Up to %s %s of the updates of %s were HOT; since %s (between %s and %s) %s are. ",
		clock(l.Event.After), percent(l.Before.share()), l.Relation.Name, l.Event.text(), clock(l.Event.After), clock(l.Event.By), percent(l.After.share()))
	fmt.Fprintf(&t, "About %s updates since then wrote to every index of the table (%d).", num(l.lost()), len(l.Relation.Indexes))
	if x, then, now := l.grown(); x != nil && now > then {
		fmt.Fprintf(&t, " %s went from %s to %s pages meanwhile.", x.Name, num(then), num(now))
	}
	return t.String()
}

func (l *hotLoss) figures(p *Pass) []finding.Figure {
	before, after := l.writes()
	fs := []finding.Figure{
		{What: "HOT share before", Value: l.Before.share(), Unit: "share", Limit: fmt.Sprintf(">= %g", p.limit("min_before")), Text: percent(l.Before.share())},
		{What: "HOT share after", Value: l.After.share(), Unit: "share", Limit: fmt.Sprintf("%g below it", p.limit("min_drop")), Text: percent(l.After.share()), Says: "explains"},
		{What: "updates since that would have been HOT", Value: l.lost(), Unit: "updates"},
		{What: "heap and index entries per update before", Value: before, Unit: "entries"},
		{What: "after", Value: after, Unit: "entries", Indent: true},
	}
	if s := l.stayed(); !math.IsNaN(s) {
		fs = append(fs, finding.Figure{What: "not HOT, though their page had room (n_tup_newpage_upd)", Value: s, Unit: "share", Text: percent(s), Says: l.reason()})
	}
	if x, then, now := l.grown(); x != nil {
		fs = append(fs, finding.Figure{What: "growth of " + x.Index + " since", Value: now / then, Unit: "x", Text: fmt.Sprintf("%s to %s pages", num(then), num(now))})
	}
	return fs
}

// roomShare is the share of non-HOT updates that stayed in their page above
// which an indexed column is the reason.
const roomShare = 0.5

// reason is what n_tup_newpage_upd says; "" before version 16.
func (l *hotLoss) reason() string {
	switch s := l.stayed(); {
	case math.IsNaN(s):
		return ""
	case s >= roomShare:
		return "an indexed column changes"
	}
	return "pages have no room"
}

// updatedKey is a key column of the new index that a statement of the input
// updates, and that statement; "" if none is known.
func (l *hotLoss) updatedKey(m *dataset.Model) (string, *dataset.Statement) {
	if l.Event.Index == nil {
		return "", nil
	}
	d, _ := definitionOf(l.Event.Index.Definition)
	for _, s := range m.Statements {
		if s.Target != l.Relation {
			continue
		}
		set := updatedColumns(s.Normalized)
		for _, key := range slices.Concat(d.Keys, d.Include) {
			if c := keyColumn(key); c != "" && slices.Contains(set, c) {
				return c, s
			}
		}
	}
	return "", nil
}

// updatedColumns are the columns that "update t set a = 1, b = 2 where …"
// assigns.
func updatedColumns(text string) []string {
	list := tokens(text)
	var out []string
	depth, in := 0, false
	for i, t := range list {
		switch word := strings.ToUpper(t.text); {
		case t.text == "(":
			depth++
		case t.text == ")":
			depth--
		case depth > 0:
		case word == "SET":
			in = true
		case word == "WHERE" || word == "FROM" || word == "RETURNING":
			in = false
		case in && t.text == "=" && list[i-1].kind == tokenWord:
			out = append(out, list[i-1].text)
		}
	}
	return out
}

// confidence: the equation is that the reason fits the event: updates lose HOT
// although their page has room, or a statement updates a column of the new index,
// or the pages have no room after the options changed; the event, the index or
// the options; the control, another table whose HOT share held.
func (l *hotLoss) confidence(m *dataset.Model) (finding.Confidence, string) {
	column, _ := l.updatedKey(m)
	equation := column != "" || l.Event.Index != nil && l.reason() == "an indexed column changes" || l.Event.Index == nil && l.reason() == "pages have no room"
	held := "a statement updates " + column + ", a column of the new index"
	if column == "" {
		held = l.reason()
	}
	o := l.control(m)
	why := "equation: " + yes(equation, held, "neither the statements nor n_tup_newpage_upd (16) tell why")
	why += "; event: " + l.Event.text()
	if o != nil {
		return confidenceOf(equation, true, true), why + "; control: the HOT share of " + o.Name + " held"
	}
	return confidenceOf(equation, true, false), why + "; control: missing: no other table with updates on both sides"
}

// heldShare is the least HOT share of a table that is a control.
const heldShare = 0.3

// control is another table with updates on both sides whose HOT share held; nil
// if there is none.
func (l *hotLoss) control(m *dataset.Model) *dataset.Relation {
	for _, r := range m.Relations {
		if r == l.Relation {
			continue
		}
		var a, b updateSpan
		for _, s := range updateSpans(r) {
			if s.ToAt <= l.Event.By {
				a.All, a.Hot = a.All+s.All, a.Hot+s.Hot
			} else if s.FromAt >= l.Event.After {
				b.All, b.Hot = b.All+s.All, b.Hot+s.Hot
			}
		}
		if a.All >= minWritten && b.All >= minWritten && a.share() >= heldShare && b.share() > 0.9*a.share() {
			return r
		}
	}
	return nil
}

func (l *hotLoss) rivals() []finding.RuledOut {
	room := notMeasurable("pages without room (wider rows, old snapshots that keep versions)", "n_tup_newpage_upd came with 16, and is not in input")
	if s := l.stayed(); !math.IsNaN(s) {
		room = finding.RuledOut{Rival: room.Rival, Verdict: finding.RuledOutVerdict, Figure: percent(1-s) + " of the updates that were not HOT went to another page"}
		if s < roomShare {
			room.Verdict = finding.NotRuledOut
		}
	}
	more := finding.RuledOut{Rival: "more updates", Verdict: finding.RuledOutVerdict, Figure: "shares of updates are compared, not their number"}
	return []finding.RuledOut{room, more}
}

func (l *hotLoss) evidence() []finding.Evidence {
	out := []finding.Evidence{{What: "event", Pos: l.Event.Pos, Time: l.Event.By, Value: 1, Unit: "events", Excerpt: shorten(l.Event.text(), 160)}}
	last := l.Spans[len(l.Spans)-1].To
	for _, e := range []struct {
		what string
		p    *dataset.TablePoint
	}{{"first", l.Spans[0].From}, {"first after", l.First}, {"latest", last}} {
		out = append(out, finding.Evidence{What: e.what, Pos: e.p.Pos, Time: e.p.Time, Value: float64(e.p.HotUpd.N), Unit: "updates", Limit: fmt.Sprintf("of %s in all", thousands(e.p.Upd.N))})
	}
	return out
}

func (l *hotLoss) chart() finding.Series {
	c := finding.Column{Name: "HOT share", Unit: "share"}
	for i := range l.Spans {
		if s := &l.Spans[i]; s.All > 0 {
			c.Points = append(c.Points, finding.Point{X: float64(s.ToAt), Y: s.share()})
		}
	}
	return finding.Series{Name: "Updates of " + l.Relation.Name + " stop being heap-only", Kind: finding.SeriesTime, XLabel: "time", YLabel: "HOT share",
		Columns: []finding.Column{c}, Marks: []finding.Mark{{Time: l.Event.By, Text: l.Event.text()}}}
}

func (l *hotLoss) actions() []finding.Action {
	table := l.Relation.SQL()
	if x := l.Event.Index; x != nil && l.reason() != "pages have no room" {
		keep := ""
		if x.Definition != "" {
			keep = "; to bring it back: " + shorten(x.Definition, 300)
		}
		return []finding.Action{
			{SQL: true, Do: fmt.Sprintf("drop index concurrently %s;", x.SQL()), Cost: "the queries that it serves lose it: look at its idx_scan first; waits for older transactions, blocks nobody" + keep},
			{Do: "If its query needs it: index a column that is not updated, or move the updated column into a table of its own. A partial index helps only if its predicate and columns are not updated either."},
		}
	}
	return []finding.Action{
		{SQL: true, Do: fmt.Sprintf("alter table %s set (fillfactor = %d);", table, l.fillfactor()), Cost: "a short lock (share update exclusive); holds for pages filled from now on, and takes the table that much larger"},
		{SQL: true, Do: "vacuum (full, analyze) " + table, Cost: "only to apply it to the pages there are: an access exclusive lock for its whole length; pg_repack does it without"},
	}
}

// fillfactor leaves room for two more versions of a row in a page: one that is
// being written and one that is not pruned yet.
func (l *hotLoss) fillfactor() int {
	last := l.Spans[len(l.Spans)-1].To
	if !last.Relpages.Known || !last.LiveTup.Known || last.Relpages.N == 0 || last.LiveTup.N == 0 {
		return 90
	}
	perPage := float64(last.LiveTup.N) / float64(last.Relpages.N)
	return int(math.Max(50, math.Min(95, math.Floor(100*(1-2/math.Max(perPage, 2))))))
}
