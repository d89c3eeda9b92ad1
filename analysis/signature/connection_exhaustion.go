package signature

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

var connectionExhaustion = &Signature{
	ID: "PGA407", Name: "connection-exhaustion", Max: finding.Critical,
	Felt: "Clients cannot connect, or soon will not",
	What: "Clients are refused, or nearly: the server has as many connections as it may.",
	Why: "max_connections bounds the sessions, idle ones included. When it is reached the next client gets an error, whoever it is; " +
		"a few slots are kept for superusers. Most of the sessions are usually idle and only kept open.",
	Fix: "Share connections: PgBouncer in transaction mode, smaller pools, an idle timeout. Raise max_connections only with the memory for it: " +
		"it needs a restart and each active session may use work_mem several times.",
	Verify: "No SQLSTATE 53300 in the log, and sessions stay below 80 % of max_connections at the busiest time.",
	Needs:  []Need{needRefusals, needActivity},
	Silent: []string{
		"many sessions, but far from max_connections",
		"connections refused for another reason: password, database, pg_hba.conf",
		"a server that is starting or shutting down (57P03)",
	},
	Thresholds: []Threshold{
		{"near", 0.9, "of max_connections", "share of max_connections from which the next clients are at risk"},
		{"full", 0.98, "of max_connections", "share at which the limit counts as reached"},
	},
	Detect: detectConnectionExhaustion,
}

var needRefusals = Need{"L", "errors of the log with their SQLSTATE or text"}

// tooManyConnections is the SQLSTATE of a client that is refused for lack of a
// slot.
const tooManyConnections = "53300"

func detectConnectionExhaustion(p *Pass) {
	m := p.Model
	e := exhaustionOf(m)
	if !e.log && e.limit == 0 {
		p.Lacks("no connections or errors of a log and no number of sessions in input", "the server's log, or pg_stat_activity with captured_at and pg_settings")
		return
	}
	if len(e.refused) == 0 && (e.limit == 0 || float64(e.worst.sessions)/e.limit < p.limit("near")) {
		return
	}
	p.Report(e.finding(p), false)
}

// sessionCount is the client sessions of one capture.
type sessionCount struct {
	at             record.Time
	pos            record.Pos
	sessions, idle int
}

// exhaustion is what the input tells of the limit.
type exhaustion struct {
	log     bool // there is one with connections or errors
	refused []*record.Event
	minutes int // with a refusal
	counts  []sessionCount
	worst   sessionCount
	limit   float64 // max_connections, 0 if unknown
}

func exhaustionOf(m *dataset.Model) *exhaustion {
	e := &exhaustion{}
	minutes := map[record.Time]bool{}
	for i := range m.Events {
		ev := &m.Events[i]
		e.log = e.log || ev.Kind == record.EventError || ev.Kind == record.EventConnection
		if ev.Kind == record.EventError && ev.SQLState == tooManyConnections {
			e.refused = append(e.refused, ev)
			minutes[ev.LogTime/record.Time(60*record.Second)] = true
		}
	}
	e.minutes = len(minutes)
	e.counts = sessionCounts(m)
	for _, c := range e.counts {
		if c.sessions > e.worst.sessions {
			e.worst = c
		}
	}
	if s, ok := m.Setting("max_connections"); ok && len(e.counts) > 0 {
		if n, err := strconv.ParseFloat(s.Value, 64); err == nil && n > 0 {
			e.limit = n
		}
	}
	return e
}

// sessionCounts counts the client sessions of each capture. Rows without a
// backend type are clients: up to 9.6 the view has no others.
func sessionCounts(m *dataset.Model) []sessionCount {
	byTime := map[record.Time]*sessionCount{}
	for i := range m.Activity {
		a := &m.Activity[i]
		if !a.Time.Known() || a.BackendType != "" && a.BackendType != "client backend" {
			continue
		}
		c := byTime[a.Time]
		if c == nil {
			c = &sessionCount{at: a.Time, pos: a.Pos}
			byTime[a.Time] = c
		}
		c.sessions++
		if a.State == "idle" {
			c.idle++
		}
	}
	out := make([]sessionCount, 0, len(byTime))
	for _, c := range byTime {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b sessionCount) int { return int(a.at - b.at) })
	return out
}

func (e *exhaustion) finding(p *Pass) finding.Finding {
	f := finding.Finding{
		Subject:     finding.Subject{Session: "all clients"},
		Figures:     e.figures(p),
		RuledOut:    e.rivals(),
		Evidence:    e.evidence(p),
		N:           fmt.Sprintf("n = %s, %s of the sessions", plural(len(e.refused), "refusal"), plural(len(e.counts), "capture")),
		Verify:      []string{"select count(*) as sessions, current_setting('max_connections') as limit from pg_stat_activity where backend_type = 'client backend';"},
		Share:       e.share(p),
		Onset:       e.onset(),
		Effect:      1.5,
		Actions:     e.actions(),
		WillNotHelp: []string{"a larger max_connections alone: idle sessions fill it again, and it needs a restart"},
	}
	full := e.limit > 0 && float64(e.worst.sessions)/e.limit >= p.limit("full")
	switch {
	case len(e.refused) > 0:
		f.Effect = criticalEffect // a hard limit was reached
		f.Title = fmt.Sprintf("%s refused: all connections are taken", plural(len(e.refused), "client"))
		f.Confidence, f.WhyConfidence = finding.Likely, "event: the server says so; missing: a capture of the sessions while none was free"
		if full {
			f.Confidence, f.WhyConfidence = finding.Confirmed, "equation: sessions reach max_connections; event: clients were refused; control: below the limit nobody was"
		}
	default:
		f.Title = fmt.Sprintf("%s of %s connections are taken", num(float64(e.worst.sessions)), num(e.limit))
		f.Confidence, f.WhyConfidence = finding.Likely, "equation: sessions come near max_connections; missing: no client was refused in the input"
		if full {
			f.Effect = criticalEffect
		}
	}
	f.Summary = e.summary()
	return f
}

func (e *exhaustion) summary() string {
	text := ""
	if n := len(e.refused); n > 0 {
		text = fmt.Sprintf("From %s to %s the server refused %s because no connection was free. ", clock(e.refused[0].LogTime), clock(e.refused[n-1].LogTime), plural(n, "client"))
	}
	if e.limit > 0 {
		text += fmt.Sprintf("At %s it had %s of %s connections, %s of them idle: they wait for their clients, not for the server.",
			clock(e.worst.at), num(float64(e.worst.sessions)), num(e.limit), num(float64(e.worst.idle)))
	} else {
		text += "Who holds the connections cannot be told: no pg_stat_activity with max_connections in input."
	}
	return text
}

// share is the share of the observed time in which clients were refused or at
// risk: of minutes of the log, else of captures.
func (e *exhaustion) share(p *Pass) float64 {
	if len(e.refused) > 0 {
		minutes := p.Model.To.Sub(p.Model.From).Seconds()/60 + 1
		return min(1, float64(e.minutes)/minutes)
	}
	near := 0
	for _, c := range e.counts {
		if float64(c.sessions) >= p.limit("near")*e.limit {
			near++
		}
	}
	return float64(near) / float64(len(e.counts))
}

func (e *exhaustion) onset() *finding.Onset {
	o := &finding.Onset{Time: e.worst.at, EventTime: e.worst.at, EventPos: e.worst.pos, Event: "the most sessions were counted", End: record.NoTime}
	if len(e.refused) > 0 {
		r := e.refused[0]
		o.Time, o.EventTime, o.EventPos, o.Event = r.LogTime, r.LogTime, r.Pos, "the first client was refused"
	}
	return o
}

func (e *exhaustion) figures(p *Pass) []finding.Figure {
	var out []finding.Figure
	if len(e.refused) > 0 {
		out = append(out, finding.Figure{What: "clients refused", Value: float64(len(e.refused)), Unit: "errors", Limit: "none", Says: "SQLSTATE " + tooManyConnections},
			finding.Figure{What: "minutes with a refusal", Value: float64(e.minutes), Unit: "minutes", Indent: true})
	}
	if e.limit > 0 {
		out = append(out, finding.Figure{What: "most sessions", Value: float64(e.worst.sessions), Unit: "sessions",
			Limit: "below " + num(p.limit("near")*e.limit), Says: percent(float64(e.worst.sessions)/e.limit) + " of max_connections"},
			finding.Figure{What: "idle of these", Value: float64(e.worst.idle), Unit: "sessions", Indent: true})
	}
	return out
}

func (e *exhaustion) rivals() []finding.RuledOut {
	const rival = "work that needs so many sessions"
	if e.worst.sessions == 0 {
		return []finding.RuledOut{notMeasurable(rival, "no pg_stat_activity in input")}
	}
	r := finding.RuledOut{Rival: rival, Verdict: finding.NotRuledOut, Figure: fmt.Sprintf("%d of %d sessions idle at the busiest capture", e.worst.idle, e.worst.sessions)}
	if 2*e.worst.idle > e.worst.sessions {
		r.Verdict = finding.RuledOutVerdict
	}
	return []finding.RuledOut{r}
}

func (e *exhaustion) evidence(p *Pass) []finding.Evidence {
	var out []finding.Evidence
	if n := len(e.refused); n > 0 {
		for _, r := range []struct {
			what string
			e    *record.Event
		}{{"first", e.refused[0]}, {"latest", e.refused[n-1]}} {
			out = append(out, finding.Evidence{What: r.what, Pos: r.e.Pos, Time: r.e.LogTime, Excerpt: shorten(r.e.Text, 120)})
		}
	}
	if e.limit > 0 {
		out = append(out, finding.Evidence{What: "worst", Pos: e.worst.pos, Time: e.worst.at, Value: float64(e.worst.sessions), Unit: "sessions",
			Limit: "below " + num(p.limit("near")*e.limit)})
	}
	return out
}

func (e *exhaustion) actions() []finding.Action {
	actions := []finding.Action{{Do: "Put PgBouncer in transaction mode before the server, or make the applications' pools smaller: their sizes add up over all instances",
		Cost: "transaction mode forbids session state"}}
	if e.worst.idle > 0 {
		actions = append(actions, finding.Action{SQL: true,
			Do:   "select application_name, usename, count(*), max(now() - state_change) as idle_for from pg_stat_activity where state = 'idle' group by 1, 2 order by 3 desc;",
			Cost: "none: it names who keeps idle connections"})
		actions = append(actions, finding.Action{SQL: true, Do: "alter system set idle_session_timeout = '10min'; select pg_reload_conf();",
			Cost: "14 and later; ends sessions that are idle outside a transaction: only where clients connect again by themselves"})
	}
	return actions
}
