package signature

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/sqltext"
)

func (g *lockQueueGroup) finding(p *Pass) finding.Finding {
	q, first := g.worst(), g.worst().Waits[0]
	f := finding.Finding{
		Subject:  g.subject,
		Title:    g.title(),
		Onset:    &finding.Onset{Time: q.from(), EventTime: q.from(), EventPos: first.First, Event: "the first of them waits for " + first.Mode, End: q.to()},
		Evidence: g.places(),
		Actions:  g.actions(),
		WillNotHelp: []string{
			"a longer statement_timeout or more connections: more sessions join the queue",
			"a higher deadlock_timeout: the waits are the same, only fewer are logged",
		},
		Verify: []string{"select pid, pg_blocking_pids(pid), wait_event, left(query, 60) from pg_stat_activity where wait_event_type = 'Lock'; returns no row for long"},
		N:      fmt.Sprintf("%s of %s in the worst of %s", plural(len(q.Waits), "wait"), plural(q.waiters(), "session"), plural(len(g.queues), "queue")),
	}
	f.Share = g.share(&f)
	usual := g.usual()
	f.Effect = g.effect(usual)
	f.Figures = g.figures(p, usual)
	f.RuledOut = []finding.RuledOut{g.deadlocks(), g.queueOrder()}
	head := g.holder != nil
	for _, o := range g.queues[1:min(len(g.queues), maxListed)] {
		f.Notes = append(f.Notes, fmt.Sprintf("also at %s: %d processes waited %s in all", clock(o.from()), o.waiters(), span(o.waited().Seconds())))
	}
	if !head {
		f.Notes = append(f.Notes, "The head of the queue is not named: samples of pg_stat_activity with pg_blocking_pids(pid), or the log with log_lock_waits = on, would tell it.")
	}
	if q.to() >= g.l.To {
		f.Onset.End = record.NoTime
	}
	ends := first.Acquired && g.together()
	f.Confidence = confidenceOf(!g.sampled || head, head && g.holder.statement() != "", ends)
	f.WhyConfidence = "equation: " + yes(!g.sampled || head, "the waits name who holds the lock", "samples without pg_blocking_pids") +
		"; event: " + yes(head && g.holder.statement() != "", "the head of the queue and its statement are known", "what the head of the queue ran is not in the input") +
		"; control: " + yes(ends, "all waits end when the head lets go", "the waits do not end together in the input")
	f.Summary = g.summary()
	return f
}

func (g *lockQueueGroup) title() string {
	q := g.worst()
	what := cmp.Or(g.subject.Relation, "a lock")
	head := "a session that the input does not name"
	if g.holder != nil {
		head = g.holder.name()
	}
	if q.waiters() == 1 {
		return fmt.Sprintf("A session waits %s for %s behind %s", span(q.longest().length().Seconds()), what, head)
	}
	return fmt.Sprintf("%d sessions queue for %s behind %s", q.waiters(), what, head)
}

func (g *lockQueueGroup) summary() string {
	q := g.worst()
	var t strings.Builder
	fmt.Fprintf(&t, "From %s on, for %s, %d sessions waited %s in all, the longest %s. ", clock(q.from()), span(q.to().Sub(q.from()).Seconds()), q.waiters(),
		span(q.waited().Seconds()), span(q.longest().length().Seconds()))
	if h := g.holder; h != nil {
		fmt.Fprintf(&t, "At the head of the queue is %s: %s. ", h.name(), h.doing(q))
	}
	first := q.Waits[0]
	fmt.Fprintf(&t, "The first to wait is process %d, for %s", first.PID, first.Mode)
	if first.Statement != nil {
		t.WriteString(" with " + shorten(first.Statement.Normalized, 80))
	}
	t.WriteString(".")
	if first.exclusive() && q.waiters() > 1 {
		t.WriteString(" The others do not wait for the head, but behind the first: an exclusive lock that is asked for blocks all that come later.")
	}
	return t.String()
}

// together reports whether the waits of the worst queue that were granted ended
// within a second of each other or of the first that was.
func (g *lockQueueGroup) together() bool {
	q := g.worst()
	granted, last := record.NoTime, record.NoTime
	for _, w := range q.Waits {
		if w.Acquired && (!granted.Known() || w.End < granted) {
			granted = w.End
		}
		last = max(last, w.End)
	}
	return granted.Known() && last.Sub(granted) <= q.to().Sub(q.from())/4+record.Second
}

// share is the waits' share of the server time of the log; where that is not
// known, the share of the log's time in which somebody waited.
func (g *lockQueueGroup) share(f *finding.Finding) float64 {
	if all := g.l.m.ServerTime(); all > 0 && !g.l.m.Logging.Censored() && !g.sampled {
		return min(1, float64(g.waited())/float64(all))
	}
	f.Notes = append(f.Notes, "the log does not hold all durations: share is that of the time in which somebody waited")
	var sum record.Duration
	for _, q := range g.queues {
		sum += q.to().Sub(q.from())
	}
	return min(1, float64(sum)/float64(max(g.l.Span(), record.Second)))
}

// usual is the median duration in seconds of the statement that waited longest,
// when it did not wait; 0 if the log does not tell.
func (g *lockQueueGroup) usual() float64 {
	w := g.worst().longest()
	if w.Statement == nil {
		return 0
	}
	s := g.l.m.Statement(w.Statement.Fingerprint)
	if s == nil {
		return 0
	}
	var seconds []float64
	for _, e := range s.Executions {
		if e.HasDuration && !g.worst().covers(e.ProcessID, e.Time) {
			seconds = append(seconds, e.Duration.Seconds())
		}
	}
	if len(seconds) < minTypical {
		return 0
	}
	return stats.Median(seconds)
}

// covers reports whether the process waited in the queue just before t.
func (q *lockQueue) covers(pid int32, t record.Time) bool {
	for _, w := range q.Waits {
		if w.PID == pid && t >= w.Start && t <= q.to().Add(record.Second) {
			return true
		}
	}
	return false
}

// deadlockTimeout is the default of deadlock_timeout: waits that are shorter are
// not logged.
const deadlockTimeout = 1.0

// effect is the longest wait against the statement's usual duration, else
// against the time after which waits are logged.
func (g *lockQueueGroup) effect(usual float64) float64 {
	wait := g.worst().longest().length().Seconds()
	if usual > 0 {
		return (wait + usual) / usual
	}
	return wait / deadlockTimeout
}

func (g *lockQueueGroup) figures(p *Pass, usual float64) []finding.Figure {
	q := g.worst()
	fs := []finding.Figure{
		{What: "processes that waited", Value: float64(q.waiters()), Unit: "processes", Limit: ">= " + num(p.limit("waiters")), Says: "a queue"},
		{What: "waited in all", Value: q.waited().Seconds(), Unit: "s", Text: span(q.waited().Seconds())},
		{What: "longest wait", Value: q.longest().length().Seconds(), Unit: "s", Text: span(q.longest().length().Seconds()), Indent: true},
	}
	if usual > 0 {
		fs = append(fs, finding.Figure{What: "that statement otherwise, median", Value: usual * 1000, Unit: "ms", Indent: true})
	}
	if h := g.holder; h != nil {
		fs = append(fs, finding.Figure{What: "head of the queue", Text: h.name(), Says: h.doing(q)})
		if h.TransactionSince.Known() {
			fs = append(fs, finding.Figure{What: "its transaction open when it was sampled", Value: h.Sample.Time.Sub(h.TransactionSince).Seconds(), Unit: "s", Indent: true})
		}
	}
	depth := 0
	for _, w := range q.Waits {
		depth = max(depth, w.Queue)
	}
	if depth > 0 {
		fs = append(fs, finding.Figure{What: "longest queue of one lock", Value: float64(depth), Unit: "processes"})
	}
	for _, w := range q.Waits[:min(len(q.Waits), 4)] {
		fs = append(fs, finding.Figure{What: fmt.Sprintf("process %d waits", w.PID), Value: w.length().Seconds(), Unit: "s", Text: span(w.length().Seconds()), Says: w.Mode + " on " + w.Object, Indent: true})
	}
	return fs
}

func (g *lockQueueGroup) places() []finding.Evidence {
	q := g.worst()
	place := func(what string, w *lockWait, pos record.Pos, t record.Time) finding.Evidence {
		return finding.Evidence{What: what, Pos: pos, Time: t, Value: w.length().Seconds(), Unit: "s", Excerpt: fmt.Sprintf("process %d waits for %s on %s", w.PID, w.Mode, w.Object)}
	}
	first, worst, last := q.Waits[0], q.longest(), q.Waits[len(q.Waits)-1]
	out := []finding.Evidence{place("first", first, first.First, first.Start), place("worst", worst, worst.Last, worst.End)}
	if last != first {
		out = append(out, place("latest", last, last.Last, last.End))
	}
	if h := g.holder; h != nil && h.Last != nil {
		out = append(out, finding.Evidence{What: "head", Pos: h.Last.Pos, Time: h.Last.Time, Excerpt: shorten(h.statement(), 120)})
	} else if h != nil && h.Sample != nil {
		out = append(out, finding.Evidence{What: "head", Pos: h.Sample.Pos, Time: h.Sample.Time, Excerpt: shorten(h.statement(), 120)})
	}
	return out
}

// deadlocks asks whether the waits were a circle that the server broke.
func (g *lockQueueGroup) deadlocks() finding.RuledOut {
	const rival = "a deadlock"
	q, n := g.worst(), 0
	for _, e := range g.l.all(record.EventDeadlock) {
		if e.LogTime >= q.from() && e.LogTime <= q.to().Add(record.Second) {
			n++
		}
	}
	out := finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: "none was logged meanwhile"}
	if n > 0 {
		out.Verdict, out.Figure = finding.NotRuledOut, plural(n, "deadlock")+" meanwhile (PGA502)"
	}
	return out
}

// queueOrder asks whether the many wait for the head itself, or behind one that
// asks for an exclusive lock.
func (g *lockQueueGroup) queueOrder() finding.RuledOut {
	const rival = "many that write the same row"
	rows, n := 0, 0
	for _, w := range g.worst().Waits {
		n++
		if strings.HasPrefix(w.Object, "transaction ") || strings.HasPrefix(w.Object, "tuple ") || w.Mode == "transactionid" || w.Mode == "tuple" {
			rows++
		}
	}
	out := finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: fmt.Sprintf("%d of %d waits are for a row or its transaction", rows, n)}
	if 2*rows > n {
		out.Verdict = finding.NotRuledOut
	}
	return out
}

func (g *lockQueueGroup) actions() []finding.Action {
	q, h := g.worst(), g.holder
	var out []finding.Action
	if h != nil && q.to() >= g.l.To {
		condition := ""
		if h.TransactionSince.Known() {
			condition = " and xact_start = '" + timestamp(h.TransactionSince) + "'"
		}
		out = append(out, finding.Action{SQL: true, Do: fmt.Sprintf("select pg_terminate_backend(%d) from pg_stat_activity where pid = %d%s", h.PID, h.PID, condition),
			Cost: "rolls back that transaction and closes its connection: what it has not committed is lost"})
	}
	if h != nil && h.idle(q) {
		timeout := fmt.Sprintf("idle_in_transaction_session_timeout = '%ds'", idleLimit(q))
		bound := finding.Action{SQL: true, Do: "alter system set " + timeout, Cost: "after a reload, for every role: sessions that wait longer inside a transaction lose their connection"}
		if h.User != "" && !roleIsShared(g.l.m, h.User, h.Application) {
			bound = finding.Action{SQL: true, Do: "alter role " + sqltext.QuoteIdent(h.User) + " set " + timeout, Cost: "for new sessions of the role: those that wait longer inside a transaction lose their connection"}
		}
		out = append(out, bound, finding.Action{Do: "Let " + cmp.Or(h.Application, "the application") + " commit before it waits for anything outside the database.", Cost: "the application's code"})
	}
	if w := q.Waits[0]; w.exclusive() {
		out = append(out, finding.Action{SQL: true, Do: "set lock_timeout = '2s'", Cost: "in the session of the migration, before it: it fails instead of blocking the table, and must be tried again when the table is quiet"})
	}
	return append(out, finding.Action{SQL: true, Do: "select pid, pg_blocking_pids(pid) as blocked_by, application_name, state, xact_start, wait_event, left(query, 80) " +
		"from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0 or pid = any (select unnest(pg_blocking_pids(pid)) from pg_stat_activity)",
		Cost: "shows the queue while it lasts; pg_blocking_pids takes the lock manager's locks for a moment"})
}

// idleLimit is the timeout, in seconds, that would have let the queue go after a
// third of its time: 5 to 60 s.
func idleLimit(q *lockQueue) int {
	return int(max(5, min(60, q.to().Sub(q.from()).Seconds()/3)))
}
