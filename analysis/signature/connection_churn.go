package signature

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

var connectionChurn = &Signature{
	ID: "PGA406", Name: "connection-churn", Max: finding.Warning,
	Felt: "The first answer of each connection is slow, and the server spends its time on greetings",
	What: "Clients connect for a moment and leave again, many times a second.",
	Why: "Each connection starts a process, checks a password, often over TLS, and fills its caches of the catalog anew. " +
		"A client that connects for each request pays this every time, and the server forks instead of answering.",
	Fix:    "Keep connections: a pool in the application, or PgBouncer in front of the server.",
	Verify: "Connections per second fall and sessions last.",
	Needs:  []Need{needConnections},
	Silent: []string{
		"many connections when an application starts, which then last",
		"health checks and cron jobs: short, but few",
		"a log without log_disconnections: how long sessions last is not known",
	},
	Thresholds: []Threshold{
		{"short", 1, "s", "session time below which a session is short"},
		{"min_rate", 1, "sessions/s", "short sessions a second over the span"},
		{"min_sessions", 100, "sessions", "short sessions in all"},
		{"min_share", 0.5, "of sessions", "share of the sessions that are short"},
	},
	Detect: detectConnectionChurn,
}

var needConnections = Need{"L", "log_connections and log_disconnections"}

func detectConnectionChurn(p *Pass) {
	groups := churnGroups(p.Model)
	if len(groups) == 0 {
		p.Lacks("no disconnections with their session times in input", "log_connections = on and log_disconnections = on")
		return
	}
	for _, g := range groups {
		g.count(p)
		if g.short < int(p.limit("min_sessions")) || g.rate < p.limit("min_rate") || g.share() < p.limit("min_share") {
			continue
		}
		p.Report(g.finding(p), false)
	}
}

// churnGroup is the sessions of one user in one database, by their ends.
type churnGroup struct {
	database, user string
	ends           []*record.Event // EventDisconnection, by time
	setups         []float64       // ms, of EventConnectionReady (18)
	short          int
	rate           float64 // short sessions/s
	setup          float64 // ms of all short sessions, 0 if not told
}

// churnGroups are the users that disconnected, by database and name.
func churnGroups(m *dataset.Model) []*churnGroup {
	byName := map[[2]string]*churnGroup{}
	for i := range m.Events {
		e := &m.Events[i]
		if e.Kind != record.EventDisconnection || !e.LogTime.Known() {
			continue
		}
		key := [2]string{e.Database, e.UserName}
		if byName[key] == nil {
			byName[key] = &churnGroup{database: e.Database, user: e.UserName}
		}
		byName[key].ends = append(byName[key].ends, e)
	}
	var groups []*churnGroup
	for _, g := range byName {
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b *churnGroup) int {
		return cmp.Or(cmp.Compare(a.database, b.database), cmp.Compare(a.user, b.user))
	})
	for i := range m.Events {
		if e := &m.Events[i]; e.Kind == record.EventConnectionReady && e.Duration > 0 {
			if g := byName[[2]string{e.Database, e.UserName}]; g != nil {
				g.setups = append(g.setups, e.Duration.Milliseconds())
			}
		}
	}
	return groups
}

// count sums what the group's short sessions are.
func (g *churnGroup) count(p *Pass) {
	limit := p.limit("short")
	for _, e := range g.ends {
		if e.Duration.Seconds() < limit {
			g.short++
		}
	}
	if seconds := p.Model.To.Sub(p.Model.From).Seconds(); seconds > 0 {
		g.rate = float64(g.short) / seconds
	}
	if len(g.setups) > 0 {
		g.setup = stats.Median(g.setups) * float64(g.short)
	}
}

func (g *churnGroup) share() float64 { return float64(g.short) / float64(len(g.ends)) }

func (g *churnGroup) finding(p *Pass) finding.Finding {
	times := make([]float64, len(g.ends))
	for i, e := range g.ends {
		times[i] = e.Duration.Seconds()
	}
	median := stats.Median(times)
	f := finding.Finding{
		Subject:       finding.Subject{Database: g.database, Session: g.user},
		Confidence:    finding.Likely,
		WhyConfidence: "equation: rate and length of the sessions are counted; missing: what the client pays for each is not in the log",
		Title:         fmt.Sprintf("%s connects %s times a second for %s each", userOf(g.user), num(g.rate), span(median)),
		Effect:        g.rate / p.limit("min_rate") * 1.5,
		Share:         g.share(),
		N:             fmt.Sprintf("n = %s", plural(len(g.ends), "session")),
	}
	f.Summary = fmt.Sprintf("%s of %s sessions of %s lasted less than %s, %s a second over the span. Each starts a process on the server and authenticates again.",
		thousands(int64(g.short)), thousands(int64(len(g.ends))), userOf(g.user), span(p.limit("short")), num(g.rate))
	f.Figures = []finding.Figure{
		{What: "short sessions", Value: g.rate, Unit: "sessions/s", Limit: "at least " + num(p.limit("min_rate")), Says: "a process started for each"},
		{What: "median session time", Value: median, Unit: "s", Limit: "below " + num(p.limit("short"))},
		{What: "share of the sessions", Value: g.share() * 100, Unit: "%", Limit: "at least " + percent(p.limit("min_share"))},
		g.setupFigure(p.Model),
	}
	f.RuledOut = []finding.RuledOut{{Rival: "an application that starts", Verdict: finding.RuledOutVerdict,
		Figure: fmt.Sprintf("from %s to %s", clock(g.ends[0].LogTime), clock(g.ends[len(g.ends)-1].LogTime))}}
	place := func(what string, e *record.Event) finding.Evidence {
		return finding.Evidence{What: what, Pos: e.Pos, Time: e.LogTime, Value: e.Duration.Seconds(), Unit: "s", Limit: "below " + num(p.limit("short"))}
	}
	f.Evidence = []finding.Evidence{place("first", g.ends[0]), place("latest", g.ends[len(g.ends)-1])}
	f.Actions = []finding.Action{{Do: "Use a connection pool: in the application if it is one process, else PgBouncer in transaction mode",
		Cost: "transaction mode forbids session state: SET without LOCAL, temporary tables, advisory locks of the session"}}
	f.WillNotHelp = []string{"max_connections: the sessions do not overlap, they follow each other"}
	f.Verify = []string{"select sessions, session_time / nullif(sessions, 0) as ms_per_session from pg_stat_database where datname = current_database(); twice, a minute apart"}
	return f
}

// setupFigure is what connecting took, where the server tells (18 and later).
func (g *churnGroup) setupFigure(m *dataset.Model) finding.Figure {
	if len(g.setups) == 0 {
		return finding.Figure{What: "time to connect", Text: "not measurable", Says: "no setup durations in input (log_connections = all, 18 and later)"}
	}
	f := finding.Figure{What: "time to connect", Value: stats.Median(g.setups), Unit: "ms", Says: span(g.setup/1000) + " over the span"}
	if all := m.ServerTime().Seconds(); all > 0 {
		f.Says += ", beside " + span(all) + " of statements"
	}
	return f
}

// userOf is the user, or what stands for one that the log does not tell.
func userOf(name string) string {
	if name == "" {
		return "a client"
	}
	return name
}
