package signature

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// deadlock is PGA502.
var deadlock = &Signature{
	ID: "PGA502", Name: "deadlock", Max: finding.Warning,
	Felt: "Some transactions fail and must be tried again",
	What: "Transactions that lock the same rows in different orders end in deadlocks.",
	Why: "Two transactions each hold a lock that the other waits for. After deadlock_timeout the server looks for such a circle and ends one of them with SQLSTATE 40P01: " +
		"its work is lost, and both have waited that long for nothing.",
	Fix:    "Let every transaction take its locks in the same order: sort the keys, lock rows with select … for update in that order, write tables in one order. Let clients try a 40P01 again.",
	Verify: "Run pgassay on a later log: no deadlock between these statements.",
	Needs:  []Need{needLog},
	Silent: []string{"lock waits that end by themselves (501)", "a deadlock once in a while stays info"},
	Thresholds: []Threshold{
		{"least", 5, "deadlocks", "of the same statements below which the finding stays info"},
		{"per_hour", 4, "deadlocks", "in the worst hour that count as effect 1"},
	},
	Detect: detectDeadlock,
}

func detectDeadlock(p *Pass) {
	l := serverLogOf(p)
	if l == nil {
		p.Lacks(lacksLog, "add the server log")
		return
	}
	for _, g := range l.deadlocks() {
		p.Report(l.deadlockFinding(p, g), float64(len(g.events)) < p.limit("least"))
	}
}

// deadlockGroup is the deadlocks between the same statements.
type deadlockGroup struct {
	statements []*record.Statement // of the circle, without repetitions, by fingerprint
	events     []*record.Event
}

// deadlocks groups them by the statements of the circle, else by the one that
// was ended.
func (l *serverLog) deadlocks() []*deadlockGroup {
	byKey := map[string]*deadlockGroup{}
	var keys []string
	for _, e := range l.all(record.EventDeadlock) {
		var list []*record.Statement
		for _, w := range e.Cycle {
			list = addStatement(list, w.Statement)
		}
		if len(list) == 0 {
			list = addStatement(nil, e.Statement)
		}
		key := ""
		for _, s := range list {
			key += s.Fingerprint + " "
		}
		g := byKey[key]
		if g == nil {
			g = &deadlockGroup{statements: list}
			byKey[key] = g
			keys = append(keys, key)
		}
		g.events = append(g.events, e)
	}
	slices.Sort(keys)
	out := make([]*deadlockGroup, len(keys))
	for i, k := range keys {
		out[i] = byKey[k]
	}
	return out
}

// addStatement adds s in order of fingerprints unless it is nil or there.
func addStatement(list []*record.Statement, s *record.Statement) []*record.Statement {
	if s == nil {
		return list
	}
	i, found := slices.BinarySearchFunc(list, s, func(a, b *record.Statement) int { return cmp.Compare(a.Fingerprint, b.Fingerprint) })
	if found {
		return list
	}
	return slices.Insert(list, i, s)
}

// hour is the window of the worst rate.
const hour = 3600 * record.Second

// worstHour is the most events that any hour of the log holds.
func worstHour(events []*record.Event) int {
	most, from := 0, 0
	for i := range events {
		for events[i].LogTime.Sub(events[from].LogTime) >= hour {
			from++
		}
		most = max(most, i-from+1)
	}
	return most
}

// tables are the relations that the statements write, else name.
func (g *deadlockGroup) tables() []string {
	var out []string
	for _, s := range g.statements {
		names := s.Relations
		if s.Target != "" {
			names = []string{s.Target}
		}
		out = append(out, names...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (g *deadlockGroup) subject() finding.Subject {
	s := finding.Subject{Event: stateDeadlock, Database: oneOf(g.events, func(e *record.Event) string { return e.Database })}
	if len(g.statements) > 0 {
		s.Fingerprint, s.Statement = g.statements[0].Fingerprint, g.statements[0].Normalized
	}
	for _, other := range g.statements[min(1, len(g.statements)):] {
		s.Event += " with " + other.Fingerprint
	}
	return s
}

func (l *serverLog) deadlockFinding(p *Pass, g *deadlockGroup) finding.Finding {
	n, worst := len(g.events), worstHour(g.events)
	first := g.events[0]
	f := finding.Finding{
		Subject:  g.subject(),
		Onset:    &finding.Onset{Time: first.LogTime, EventTime: first.LogTime, EventPos: first.Pos, Event: "the first of these deadlocks", End: record.NoTime},
		Evidence: g.places(),
		Effect:   float64(worst) / p.limit("per_hour"),
		Figures: []finding.Figure{
			{What: "deadlocks", Value: float64(n), Unit: "deadlocks", Limit: ">= " + num(p.limit("least")) + " for more than info"},
			{What: "in the worst hour", Value: float64(worst), Unit: "deadlocks", Indent: true},
			l.tally(g.events).figure("application"),
		},
		RuledOut:    []finding.RuledOut{g.wholeTables()},
		Actions:     g.actions(p.Model),
		WillNotHelp: []string{"a higher deadlock_timeout: the circle lasts longer, and ends the same way", "more connections or a faster server: they change how often it happens, not that it does"},
		Verify:      []string{"select deadlocks from pg_stat_database where datname = current_database(); does not rise"},
		N:           plural(n, "deadlock") + " in " + span(l.Span().Seconds()) + " of log",
	}
	for i, s := range g.statements[:min(len(g.statements), 4)] {
		f.Figures = append(f.Figures, finding.Figure{What: fmt.Sprintf("statement %d of the circle", i+1), Text: shorten(s.Normalized, 160)})
	}
	f.Title = fmt.Sprintf("%s between %s", plural(n, "deadlock"), g.between())
	f.Summary = fmt.Sprintf("%s in %s ended a transaction with SQLSTATE 40P01, the first at %s, %d in the worst hour. ", plural(n, "deadlock"), span(l.Span().Seconds()), clock(first.LogTime), worst) +
		"The transactions take the locks on " + cmp.Or(strings.Join(g.tables(), ", "), "the same rows") + " in different orders."
	f.Share = l.deadlockShare(&f, g)
	circle := len(first.Cycle) > 1 && first.Cycle[0].Statement != nil
	f.Confidence = confidenceOf(true, circle, n > 1)
	f.WhyConfidence = "equation: the server found the circle; event: " + yes(circle, "the DETAIL names its statements", "the DETAIL does not show the statements") +
		"; control: " + yes(n > 1, "it happens again between the same statements", "one deadlock only")
	return f
}

// between names the two sides.
func (g *deadlockGroup) between() string {
	switch len(g.statements) {
	case 0:
		return "statements that the log does not show"
	case 1:
		return "executions of one statement, " + shorten(g.statements[0].Normalized, 80)
	}
	return shorten(g.statements[0].Normalized, 60) + " and " + shorten(g.statements[1].Normalized, 60)
}

func (g *deadlockGroup) places() []finding.Evidence {
	out := eventPlaces(g.events, nil)
	for i := range out {
		e := g.events[i*(len(g.events)-1)/max(1, len(out)-1)]
		if len(e.Cycle) > 0 {
			w := e.Cycle[0]
			out[i].Excerpt = fmt.Sprintf("process %d waits for %s on %s, blocked by process %d", w.ProcessID, w.Mode, w.Object, w.BlockedBy)
		}
	}
	return out
}

// deadlockShare is the share of the statements' executions that end so; without
// their executions, the share of the log's minutes that have such a deadlock.
func (l *serverLog) deadlockShare(f *finding.Finding, g *deadlockGroup) float64 {
	done := int64(0)
	for _, s := range g.statements {
		if known := l.m.Statement(s.Fingerprint); known != nil {
			done += known.Calls
		}
	}
	n := float64(len(g.events))
	if done > 0 && !l.m.Logging.Censored() {
		share := n / (n + float64(done))
		f.Figures = append(f.Figures, finding.Figure{What: "of the executions of these statements", Value: 100 * share, Unit: "%"})
		return share
	}
	minutes := map[record.Time]bool{}
	for _, e := range g.events {
		minutes[e.LogTime/record.Time(60*record.Second)] = true
	}
	f.Notes = append(f.Notes, "the log does not hold the executions of these statements: share is that of its minutes")
	return min(1, float64(len(minutes))/max(1, l.Span().Seconds()/60))
}

// wholeTables asks whether a lock on a table, not on rows, is part of the circle.
func (g *deadlockGroup) wholeTables() finding.RuledOut {
	const rival = "tables locked as a whole"
	cycles, relations := 0, 0
	for _, e := range g.events {
		for _, w := range e.Cycle {
			cycles++
			if strings.HasPrefix(w.Object, "relation ") {
				relations++
			}
		}
	}
	switch {
	case cycles == 0:
		return notMeasurable(rival, "no DETAIL of the circle in input")
	case relations > 0:
		return finding.RuledOut{Rival: rival, Verdict: finding.NotRuledOut, Figure: fmt.Sprintf("%d of %d waits are for a relation: a LOCK, ALTER or the like is part of the circle", relations, cycles)}
	}
	return finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: "every wait of the circle is for a row or its transaction"}
}

func (g *deadlockGroup) actions(m *dataset.Model) []finding.Action {
	retry := finding.Action{Do: "Let the client roll back and try the whole transaction again on SQLSTATE 40P01, after a short random wait.", Cost: "the work is done twice"}
	tables := g.tables()
	if len(tables) == 0 {
		return []finding.Action{retry}
	}
	lock := finding.Action{SQL: true, Do: "select 1 from " + tableSQL(m, tables[0]) + " where … order by its key for update",
		Cost: "first in each of these transactions, with the condition of its writes: the rows are then locked in one order; it reads them once more, and others wait for them a little earlier"}
	if len(tables) > 1 {
		return []finding.Action{{Do: "Write the tables in the same order in every transaction: " + strings.Join(tables, ", ") + ".", Cost: "the application's code"}, lock, retry}
	}
	return []finding.Action{lock, retry}
}
