package signature

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// cancelBurst is PGA507.
var cancelBurst = &Signature{
	ID: "PGA507", Name: "cancel-or-timeout-burst", Max: finding.Warning,
	Felt: "Statements are broken off before they finish",
	What: "Statements or sessions are ended by a timeout or a cancel far more often than usual.",
	Why: "A timeout cuts off what takes too long: its work is lost, and the client usually tries again. Many at once mean that something made statements slow or blocked them: " +
		"locks, a plan that changed, a server under pressure, or a timeout that was lowered below what the statement always took.",
	Fix:    "Find why they took so long, not how to let them take longer: lock waits (501), plans, load. Raise the timeout only where the statement is as fast as it can be.",
	Verify: "Run pgassay on a later log: cancels of this kind are back at their usual rate.",
	Needs:  []Need{needLog, needDurations},
	Silent: []string{
		"timeouts now and then, or at a steady rate",
		"autovacuum that gives way to a lock (canceling autovacuum task)",
		"sessions that a shutdown ends (508)",
	},
	Thresholds: append(burstThresholds(10, "cancels"),
		Threshold{"floor", 30, "cancels", "in the burst below which the finding stays info"}),
	Detect: detectCancelBurst,
}

func detectCancelBurst(p *Pass) {
	l := serverLogOf(p)
	if l == nil {
		p.Lacks(lacksLog, "add the server log")
		return
	}
	p.reportBursts(l, l.cancels(), func(f *finding.Finding, g *errorGroup, b *burst) { l.tellCancels(f, g.key, b) })
}

// Kinds of cancels, by what ended the statement.
const (
	cancelStatementTimeout = "statement timeout"
	cancelUserRequest      = "user request"
	cancelLockTimeout      = "lock timeout"
	cancelNoWait           = "lock not available"
	cancelIdle             = "idle in transaction session timeout"
	cancelRecovery         = "conflict with recovery"
)

// cancelKind is what ended the statement or session; "" if the error is no
// cancel. Messages in other languages fall back to the name of the SQLSTATE.
func cancelKind(e *record.Event) string {
	text := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(e.Text, part) })
	}
	switch e.SQLState {
	case stateCanceled:
		switch {
		case e.Object != "" || text("autovacuum task", "authentication due to timeout"):
			return ""
		case text("due to statement timeout"):
			return cancelStatementTimeout
		case text("due to user request"):
			return cancelUserRequest
		}
		return conditionName(stateCanceled)
	case stateLockNotAvailable:
		if text("could not obtain lock") {
			return cancelNoWait
		}
		return cancelLockTimeout
	case stateIdleInTransaction, stateTransactionTimeout, stateIdleSession:
		return conditionName(e.SQLState)
	}
	if text("due to conflict with recovery") {
		return cancelRecovery
	}
	return ""
}

// cancels groups the cancels by kind.
func (l *serverLog) cancels() []*errorGroup {
	byKind := map[string]*errorGroup{}
	var out []*errorGroup
	for _, e := range l.all(record.EventError) {
		kind := cancelKind(e)
		if kind == "" {
			continue
		}
		g := byKind[kind]
		if g == nil {
			g = &errorGroup{key: kind}
			byKind[kind] = g
			out = append(out, g)
		}
		g.events = append(g.events, e)
	}
	slices.SortFunc(out, func(a, b *errorGroup) int { return cmp.Compare(a.key, b.key) })
	return out
}

// tellCancels adds what a kind of cancel says beside its rate.
func (l *serverLog) tellCancels(f *finding.Finding, kind string, b *burst) {
	f.RuledOut = append(f.RuledOut, l.lockRival(b))
	name, _ := tallyOf(b.Events, statementOf).most()
	usual, n := l.usualDuration(b, name)
	if n > 0 {
		f.Figures = append(f.Figures, finding.Figure{What: "the most frequent statement when it ended, p95", Value: usual, Unit: "ms", Says: plural(n, "execution") + " in the log"})
	}
	if t, ok := l.m.Setting(timeoutSetting(kind)); ok && timeoutSetting(kind) != "" {
		f.Figures = append(f.Figures, finding.Figure{What: timeoutSetting(kind), Text: t.Value + " " + t.Unit, Says: "in pg_settings; a role, a database or a session may set another"})
	}
	f.Actions = cancelActions(kind, name)
	f.WillNotHelp = []string{"a longer timeout, where a lock or a slow plan is the cause: the sessions pile up instead"}
}

// usualDuration is the 95th percentile, in ms, of the executions of the
// statement that were not cut off.
func (l *serverLog) usualDuration(b *burst, text string) (p95 float64, n int) {
	var s *dataset.Statement
	for _, e := range b.Events {
		if e.Statement != nil && e.Statement.Normalized == text {
			s = l.m.Statement(e.Statement.Fingerprint)
			break
		}
	}
	if s == nil {
		return 0, 0
	}
	var ms []float64
	for _, e := range s.Executions {
		if e.HasDuration {
			ms = append(ms, e.Duration.Milliseconds())
		}
	}
	if len(ms) == 0 {
		return 0, 0
	}
	return stats.Quantile(ms, 0.95), len(ms)
}

// lockRival asks whether those that were cut off waited for a lock.
func (l *serverLog) lockRival(b *burst) finding.RuledOut {
	const rival = "lock waits"
	pids := map[int32]bool{}
	for _, e := range b.Events {
		pids[e.ProcessID] = true
	}
	waited := map[int32]bool{}
	for _, e := range l.all(record.EventLockWait) {
		if pids[e.ProcessID] && e.LogTime >= b.from().Add(-eventCause) && e.LogTime <= b.to() {
			waited[e.ProcessID] = true
		}
	}
	if on, ok := l.m.Setting("log_lock_waits"); len(waited) == 0 && (!ok || on.Value != "on") && len(l.all(record.EventLockWait)) == 0 {
		return notMeasurable(rival, "log_lock_waits not known to be on")
	}
	out := finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict,
		Figure: fmt.Sprintf("%d of %d sessions that were cut off had logged a lock wait", len(waited), len(pids)), Why: "only waits longer than deadlock_timeout are logged"}
	if 10*len(waited) > len(pids) {
		out.Verdict = finding.NotRuledOut
	}
	return out
}

// timeoutSetting is the parameter that ends statements of this kind; "" if none
// does.
func timeoutSetting(kind string) string {
	switch kind {
	case cancelStatementTimeout:
		return "statement_timeout"
	case cancelLockTimeout:
		return "lock_timeout"
	case cancelIdle:
		return "idle_in_transaction_session_timeout"
	case conditionName(stateTransactionTimeout):
		return "transaction_timeout"
	case conditionName(stateIdleSession):
		return "idle_session_timeout"
	}
	return ""
}

func cancelActions(kind, statement string) []finding.Action {
	const sample = "select pid, application_name, state, wait_event_type, wait_event, now() - query_start as running, pg_blocking_pids(pid), left(query, 80) " +
		"from pg_stat_activity where state <> 'idle' order by query_start"
	waiting := finding.Action{SQL: true, Do: sample, Cost: "reads a view; run it while the next burst lasts: it names what the statements wait for"}
	switch kind {
	case cancelIdle:
		return []finding.Action{{Do: "Find where the application leaves a transaction open while it does something else, and commit before: the last statement of each session that was ended is where it stopped.", Cost: "no change to the database"}, waiting}
	case cancelLockTimeout, cancelNoWait:
		return []finding.Action{waiting, {Do: "End or shorten the transaction that holds the lock (PGA501 names it if log_lock_waits is on).", Cost: "no change to the database"}}
	case cancelRecovery:
		return []finding.Action{{Do: "On the standby raise max_standby_streaming_delay for long reports, or set hot_standby_feedback = on.",
			Cost: "replay lags behind meanwhile, or the primary keeps dead rows for the standby's queries"}}
	case cancelUserRequest:
		return []finding.Action{{Do: "Ask the client: its driver or a user cancelled. Many drivers cancel at their own query timeout.", Cost: "no change to the database"}, waiting}
	}
	if statement == "" {
		return []finding.Action{waiting}
	}
	return []finding.Action{waiting, {SQL: true, Do: "explain (analyze, buffers) " + statement, Cost: "runs the statement: set the parameters to values that were cut off, and statement_timeout higher in that session"}}
}
