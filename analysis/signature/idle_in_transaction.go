package signature

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/sqltext"
)

var idleTransaction = &Signature{
	ID: "PGA405", Name: "idle-in-transaction", Max: finding.Warning,
	Felt: "Sessions hold on to locks and old rows while they do nothing",
	What: "Sessions hold a transaction open and do nothing in it.",
	Why: "An idle transaction keeps its locks, and its snapshot or transaction id keeps vacuum from removing rows that died since. " +
		"It also keeps a connection that a pool cannot give to anybody else.",
	Fix: "End the transaction before the application does something else: no remote calls, waits or user input between BEGIN and COMMIT. " +
		"idle_in_transaction_session_timeout bounds what is left.",
	Verify: "No session is idle in transaction for longer than the timeout.",
	Needs:  []Need{needActivity},
	Silent: []string{
		"transactions that are idle for less than the limit between two statements",
		"a session that is active for long: a long statement, not an idle transaction",
		"idle sessions without a transaction",
	},
	Thresholds: []Threshold{
		{"min_idle", 60, "s", "time without a statement inside an open transaction"},
		{"warn_idle", 300, "s", "from which it is more than a note"},
	},
	Detect: detectIdleInTransaction,
}

func detectIdleInTransaction(p *Pass) {
	if !tellsState(p.Model) {
		p.Lacks("no states of sessions in input", "pg_stat_activity with captured_at, state, xact_start and state_change")
		return
	}
	captures := map[record.Time]bool{}
	for i := range p.Model.Activity {
		if t := p.Model.Activity[i].Time; t.Known() {
			captures[t] = true
		}
	}
	for _, g := range idleGroups(p.Model, p.limit("min_idle")) {
		f := g.finding(p, len(captures))
		p.Report(f, g.worst.idle < p.limit("warn_idle"))
	}
}

// tellsState reports whether the samples say what each session is doing.
func tellsState(m *dataset.Model) bool {
	for i := range m.Activity {
		if m.Activity[i].State != "" && m.Activity[i].Time.Known() {
			return true
		}
	}
	return false
}

// idleSample is a session seen idle in a transaction.
type idleSample struct {
	*dataset.ActivityPoint
	idle, age float64 // seconds without a statement, and of the transaction
}

// idleGroup is the sessions of one application and user in one database.
type idleGroup struct {
	database, name string
	samples        []idleSample // by time
	sessions       map[int64]bool
	captures       map[record.Time]bool
	worst          idleSample
}

// idleGroups are the groups with a session idle for at least the limit, the
// longest first.
func idleGroups(m *dataset.Model, limit float64) []*idleGroup {
	byName := map[string]*idleGroup{}
	for i := range m.Activity {
		a := &m.Activity[i]
		idle, ok := idleFor(a)
		if !ok || idle < limit {
			continue
		}
		name := sessionName(a)
		g := byName[a.Database+"\x00"+name]
		if g == nil {
			g = &idleGroup{database: a.Database, name: name, sessions: map[int64]bool{}, captures: map[record.Time]bool{}}
			byName[a.Database+"\x00"+name] = g
		}
		s := idleSample{a, idle, a.Time.Sub(a.XactStart).Seconds()}
		g.samples = append(g.samples, s)
		g.sessions[a.PID], g.captures[a.Time] = true, true
		if s.idle > g.worst.idle {
			g.worst = s
		}
	}
	groups := make([]*idleGroup, 0, len(byName))
	for _, g := range byName {
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b *idleGroup) int {
		return cmp.Or(cmp.Compare(b.worst.idle, a.worst.idle), cmp.Compare(a.database, b.database), cmp.Compare(a.name, b.name))
	})
	return groups
}

// idleFor is how long a session has done nothing in its transaction, in
// seconds: since its state changed, else since its last statement began, which
// is at most too long by that statement.
func idleFor(a *dataset.ActivityPoint) (seconds float64, ok bool) {
	if !strings.HasPrefix(a.State, "idle in transaction") || !a.Time.Known() || !a.XactStart.Known() {
		return 0, false
	}
	for _, since := range []record.Time{a.StateChange, a.QueryStart} {
		if since.Known() {
			return a.Time.Sub(since).Seconds(), true
		}
	}
	return 0, false
}

// sessionName is the application, else the user.
func sessionName(a *dataset.ActivityPoint) string {
	if a.Application != "" {
		return a.Application
	}
	return a.User
}

func (g *idleGroup) holdsBack() bool {
	return slices.ContainsFunc(g.samples, func(s idleSample) bool { return s.BackendXmin.Known || s.BackendXid.Known })
}

func (g *idleGroup) aborted() bool {
	return slices.ContainsFunc(g.samples, func(s idleSample) bool { return strings.Contains(s.State, "aborted") })
}

func (g *idleGroup) finding(p *Pass, captures int) finding.Finding {
	w := &g.worst
	f := finding.Finding{
		Subject:    finding.Subject{Database: g.database, Session: g.name},
		Confidence: finding.Likely,
		Effect:     w.idle / p.limit("min_idle"),
		Share:      float64(len(g.captures)) / float64(captures),
		Title:      fmt.Sprintf("%s leaves transactions open for %s without a statement", g.name, span(w.idle)),
		N:          fmt.Sprintf("n = %s in %s", plural(len(g.captures), "capture"), plural(captures, "capture")),
		Onset:      &finding.Onset{Time: w.XactStart, Event: "the transaction began", EventTime: w.XactStart, EventPos: w.Pos, End: record.NoTime},
	}
	f.WhyConfidence = "equation: the session is idle in transaction since its last statement; missing: what the transaction keeps from others is not in a sample of sessions"
	if captures < 2 {
		f.Confidence, f.WhyConfidence = finding.Possible, "one capture only: a moment, not a habit"
	}
	f.Summary = fmt.Sprintf("%s of %s stood idle in transaction for up to %s; the oldest transaction was %s old. Seen in %s of %s.",
		plural(len(g.sessions), "session"), g.name, span(w.idle), span(w.age), plural(len(g.captures), "capture"), thousands(int64(captures)))
	f.Figures = []finding.Figure{
		{What: "longest idle", Value: w.idle, Unit: "s", Limit: "at least " + num(p.limit("min_idle")), Says: "nothing runs in it"},
		{What: "age of that transaction", Value: w.age, Unit: "s", Indent: true},
		{What: "sessions", Value: float64(len(g.sessions)), Unit: "sessions"},
		{What: "share of the captures", Value: f.Share * 100, Unit: "%"},
		g.horizon(p.Model),
	}
	f.RuledOut = []finding.RuledOut{
		{Rival: "a long statement", Verdict: finding.RuledOutVerdict, Figure: "the state is " + w.State},
		g.locks(p.Model),
	}
	f.Evidence = g.evidence(p)
	g.act(p.Model, &f)
	return f
}

// horizon says whether the transaction keeps vacuum from removing rows.
func (g *idleGroup) horizon(m *dataset.Model) finding.Figure {
	f := finding.Figure{What: "holds the removable cutoff", Text: "no", Says: "no snapshot or transaction id was seen"}
	if g.holdsBack() {
		f.Text, f.Says = "yes", "vacuum cannot remove rows that died since (PGA205 says what it costs)"
	} else if !hasHorizons(m) {
		f.Text, f.Says = "not measurable", "no backend_xmin in the samples"
	}
	return f
}

// locks says whether other sessions waited for locks while it was idle.
func (g *idleGroup) locks(m *dataset.Model) finding.RuledOut {
	waiting := 0
	for i := range m.Activity {
		a := &m.Activity[i]
		if g.captures[a.Time] && a.WaitEventType == "Lock" && a.State == "active" {
			waiting++
		}
	}
	if waiting == 0 {
		return finding.RuledOut{Rival: "others wait for its locks", Verdict: finding.RuledOutVerdict, Figure: "no session waited for a lock in these captures"}
	}
	return finding.RuledOut{Rival: "others wait for its locks", Verdict: finding.NotRuledOut,
		Figure: plural(waiting, "sample") + " of sessions that wait for a lock meanwhile", Why: "the samples do not say whose lock"}
}

func (g *idleGroup) evidence(p *Pass) []finding.Evidence {
	place := func(what string, s *idleSample) finding.Evidence {
		return finding.Evidence{What: what, Pos: s.Pos, Time: s.Time, Value: s.idle, Unit: "s", Limit: "at least " + num(p.limit("min_idle")), Excerpt: shorten(s.Query, 120)}
	}
	return []finding.Evidence{place("first", &g.samples[0]), place("worst", &g.worst), place("latest", &g.samples[len(g.samples)-1])}
}

func (g *idleGroup) act(m *dataset.Model, f *finding.Finding) {
	w := &g.worst
	f.Actions = []finding.Action{
		{Do: fmt.Sprintf("In %s, commit or roll back before anything that is not SQL; the last statement was: %s", g.name, shorten(w.Query, 160)), Cost: "a change of the application"},
	}
	switch {
	case w.User == "":
	case roleIsShared(m, w.User, w.Application):
		f.Actions = append(f.Actions, finding.Action{Do: fmt.Sprintf("Give the connections of %s options='-c idle_in_transaction_session_timeout=60s': its role serves other applications too.", g.name),
			Cost: "ends the session, and with it the transaction, after a minute without a statement"})
	default:
		f.Actions = append(f.Actions, finding.Action{SQL: true, Do: fmt.Sprintf("alter role %s set idle_in_transaction_session_timeout = '60s';", sqltext.QuoteIdent(w.User)),
			Cost: "holds for new sessions; ends the session, and with it the transaction, after a minute without a statement"})
	}
	if g.aborted() {
		f.Notes = append(f.Notes, "some of these transactions have failed and wait for a ROLLBACK: the application does not handle the error")
	}
	f.WillNotHelp = []string{"statement_timeout: no statement runs", "more connections: each may stay open the same way"}
	f.Verify = []string{"select pid, application_name, now() - state_change as idle from pg_stat_activity where state like 'idle in transaction%' order by 3 desc;"}
}
