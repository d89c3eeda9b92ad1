package signature

import (
	"fmt"
	"sort"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// requestSurvey is what fan-out, empty-fan-out and time-outside-the-server
// share: the groups whose requests could be cut out of the log, or why none
// could.
type requestSurvey struct {
	groups     []*fanOutGroup
	lacks, add string // "" if the log could be evaluated
}

const (
	addCompleteLogging = "set log_min_duration_statement = 0 without sampling, or snapshot pg_stat_statements to show that the log is complete"
	// completeSlack is how far log and pg_stat_statements may differ, as a
	// share of the calls; callSlack in calls, for executions that a capture
	// separates from their log line.
	completeSlack = 0.02
	callSlack     = 3
)

// surveyOf is the survey of the pass. It marks the running signature as not
// evaluated, and is false, if the log does not allow one.
func surveyOf(p *Pass) (*requestSurvey, bool) {
	s := shared(p, "requests", surveyRequests)
	if s.lacks != "" {
		p.Lacks(s.lacks, s.add)
		return s, false
	}
	return s, true
}

func surveyRequests(m *dataset.Model) *requestSurvey {
	if lacks, add := lacksTimes(m); lacks != "" {
		return &requestSurvey{lacks: lacks, add: add}
	}
	s := &requestSurvey{}
	why := ""
	for _, sg := range sessionGroups(m) {
		for _, g := range sg.fanOuts(m) {
			complete, reason := loggedCompletely(m, g)
			if !complete {
				why = reason
				continue
			}
			g.measure(m)
			s.groups = append(s.groups, g)
		}
	}
	if why == "" && !provenComplete(m) {
		why = censoredDurations(m)
	}
	if len(s.groups) == 0 && why != "" {
		s.lacks, s.add = "complete logging of all statements: "+why, addCompleteLogging
	}
	return s
}

// lacksTimes says what keeps every request of the log from being timed.
func lacksTimes(m *dataset.Model) (lacks, add string) {
	timed, fine := false, false
	for _, e := range m.Executions {
		if e.HasDuration && !e.Nested && e.Kind != record.ExecExplain && e.Time.Known() {
			timed = true
			fine = fine || e.Resolution < record.Second
		}
	}
	switch {
	case !timed:
		return "durations of all statements", "set log_min_duration_statement = 0"
	case len(m.Sessions) == 0:
		return "session of each statement", "put %c or %p into log_line_prefix"
	case !fine:
		return "times finer than a second, so that no request can be timed", "use %m instead of %t in log_line_prefix"
	}
	return "", ""
}

// provenComplete reports that settings prove that every statement is logged.
func provenComplete(m *dataset.Model) bool {
	values := m.Settings["log_min_duration_statement"]
	for _, v := range values {
		if v.Value != "0" {
			return false
		}
	}
	return len(values) > 0
}

// censoredDurations says how it is known that durations are missing; "" if it
// is not.
func censoredDurations(m *dataset.Model) string {
	l := m.Logging
	if l.DurationFloor > 0 {
		return fmt.Sprintf("durations below %s ms are missing", num(l.DurationFloor.Milliseconds()))
	}
	// A threshold of auto_explain alone cuts no duration line.
	if l.Censored() && (l.PlanFloor == 0 || l.Durations == 0) {
		return l.Why
	}
	for _, name := range []string{"log_statement_sample_rate", "log_transaction_sample_rate"} {
		if s, ok := m.Setting(name); ok && s.Value != "0" && s.Value != "1" {
			return name + " = " + s.Value + " logs a sample"
		}
	}
	return ""
}

// loggedCompletely holds parent and child against pg_stat_statements; where
// that is missing the settings must prove it.
func loggedCompletely(m *dataset.Model, g *fanOutGroup) (ok bool, why string) {
	if provenComplete(m) {
		return true, ""
	}
	for _, s := range []*dataset.Statement{g.parent, g.child} {
		ratio, known := s.Completeness()
		if !known {
			if why := censoredDurations(m); why != "" {
				return false, why
			}
			return false, "neither settings nor pg_stat_statements show that it is complete"
		}
		var calls int64
		for _, d := range s.Diffs {
			calls += d.Calls
		}
		slack := max(completeSlack, min(0.05, callSlack/float64(calls)))
		if r := ratio / m.Sampled; r < 1-slack || r > 1+slack {
			return false, fmt.Sprintf("the log holds %s of the calls that pg_stat_statements counted", percent(r))
		}
	}
	return true, ""
}

// sessionGroup is the sessions of one application, else user, in one database.
type sessionGroup struct {
	name, database string
	sessions       []sessionTurns
	counts         map[*dataset.Statement]int
}

// sessionTurns is a session with its timed executions in order. Statements
// that say nothing of a request (BEGIN, SET …) are left out.
type sessionTurns struct {
	*dataset.Session
	turns []turn
}

// turn is one execution in a session.
type turn struct {
	step      int // in Session.Steps
	statement *dataset.Statement
	count     int // executions of the statement in the group
}

// sessionGroups sorts the sessions by application and database.
func sessionGroups(m *dataset.Model) []*sessionGroup {
	type key struct{ name, database string }
	byKey := map[key]*sessionGroup{}
	var out []*sessionGroup
	for _, s := range m.Sessions {
		k := key{s.Application, s.Database}
		if k.name == "" || k.name == "[unknown]" {
			k.name = s.User
		}
		g := byKey[k]
		if g == nil {
			g = &sessionGroup{name: k.name, database: k.database, counts: map[*dataset.Statement]int{}}
			byKey[k] = g
			out = append(out, g)
		}
		g.add(s)
	}
	for _, g := range out {
		for _, s := range g.sessions {
			for i := range s.turns {
				s.turns[i].count = g.counts[s.turns[i].statement]
			}
		}
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].name != out[j].name {
			return out[i].name < out[j].name
		}
		return out[i].database < out[j].database
	})
	return out
}

func (g *sessionGroup) add(s *dataset.Session) {
	t := sessionTurns{Session: s}
	for i := range s.Steps {
		if st := &s.Steps[i]; isTurn(st) {
			t.turns = append(t.turns, turn{step: i, statement: st.Statement})
			g.counts[st.Statement]++
		}
	}
	if len(t.turns) > 0 {
		g.sessions = append(g.sessions, t)
	}
}

// isTurn reports whether the step is a timed execution of a statement that
// does work. A fetch goes on with an execution already counted.
func isTurn(s *dataset.Step) bool {
	e := s.Execution
	if e == nil || !e.HasDuration || !s.End.Known() || e.Resolution >= record.Second ||
		s.Kind == record.ExecFetch || s.Kind == record.ExecExplain || s.Statement.Fingerprint == "" {
		return false
	}
	switch s.Statement.Command {
	case "", "BEGIN", "START TRANSACTION", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE",
		"SET", "RESET", "SHOW", "DISCARD", "DEALLOCATE", "PREPARE":
		return false
	}
	return true
}

// request is one run of a parent with the children that follow it in its
// session, up to the last of them: think time after it does not count.
type request struct {
	start, end record.Time
	n          int             // executions of the group's child
	server     record.Duration // parse, bind and execute of everything inside
	parent     *dataset.Execution
	session    *dataset.Session
	from, to   int // its steps, both included
}

// wall is the elapsed time in ms.
func (r *request) wall() float64 { return r.end.Sub(r.start).Milliseconds() }

// children calls visit for each execution of the child inside the request.
func (r *request) children(child *dataset.Statement, visit func(*dataset.Execution)) {
	for i := r.from; i <= r.to; i++ {
		s := &r.session.Steps[i]
		if s.Statement == child && isTurn(s) {
			visit(s.Execution)
		}
	}
}

// fanOutGroup is one parent and one child of one group of sessions, with the
// requests they make together.
type fanOutGroup struct {
	name, database string
	parent, child  *dataset.Statement
	// dominant marks the child with most executions among the parent's; the
	// wall time is attributed to it. others are the rest.
	dominant bool
	others   []*dataset.Statement
	requests []request // by start
	// plansOnly: some durations are those of plans, without parse and bind.
	plansOnly bool
	// rowsRatio is child calls ÷ rows of the parent by rowsFrom; NaN if unknown.
	rowsRatio float64
	rowsFrom  string
	// interleaved: the sessions mix requests; their wall time is not measurable.
	interleaved bool
	mixed       int // requests left out because their session held several

	children int // executions of the child inside requests
	levels   []requestLevel
	fit      requestFit
	growth   requestGrowth
	own      ownTime
	rows     childRows
	idle     idleParameters
	rivals   []finding.RuledOut
}

// measure computes what the signatures read.
func (g *fanOutGroup) measure(m *dataset.Model) {
	for i := range g.requests {
		g.children += g.requests[i].n
	}
	level := g.cutLevels()
	g.fit = noFit()
	if g.dominant && g.varies() {
		g.fit = fitRequests(g.requests, g.levels)
	}
	g.growth = growthOf(m, g)
	g.own = ownTimeOf(g, level)
	g.rows = rowsOf(g)
	g.idle = idleOf(m, g.child)
	g.rivals = rivalsOf(g)
}

// varies reports whether N takes values far enough apart for a slope.
func (g *fanOutGroup) varies() bool {
	return len(g.levels) > 1 && g.top().n >= variesFactor*g.bottom().n
}

func (g *fanOutGroup) top() requestLevel    { return g.levels[len(g.levels)-1] }
func (g *fanOutGroup) bottom() requestLevel { return g.levels[0] }

// isWrite reports whether the child changes data.
func (g *fanOutGroup) isWrite() bool {
	switch g.child.Command {
	case "INSERT", "UPDATE", "DELETE", "MERGE", "COPY":
		return true
	}
	return false
}

// subject is what findings of the group are about.
func (g *fanOutGroup) subject() finding.Subject {
	return finding.Subject{
		Database: g.database, Fingerprint: g.child.Fingerprint, Statement: g.child.Normalized,
		Parent: g.parent.Fingerprint, Session: g.name,
	}
}

// counts is the n behind the figures, in words.
func (g *fanOutGroup) counts() string {
	return fmt.Sprintf("%s, %s, %s of N", plural(len(g.requests), "request"), plural(g.children, "child execution"), plural(len(g.levels), "level"))
}

// places are the first, the worst and the latest request by a value of it.
func (g *fanOutGroup) places(value func(*request) float64, unit, limit string) []finding.Evidence {
	worst := &g.requests[0]
	for i := range g.requests {
		if r := &g.requests[i]; value(r) > value(worst) {
			worst = r
		}
	}
	at := func(what string, r *request) finding.Evidence {
		return finding.Evidence{What: what, Pos: r.parent.Pos, Time: r.start, Value: value(r), Unit: unit, Limit: limit,
			Excerpt: fmt.Sprintf("N = %d, wall %s ms, server %s ms", r.n, num(r.wall()), num(r.server.Milliseconds()))}
	}
	return []finding.Evidence{at("first", &g.requests[0]), at("worst", worst), at("latest", &g.requests[len(g.requests)-1])}
}
