package signature

import (
	"fmt"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// statements adds a capture of pg_stat_statements: calls and rows so far of
// each text.
func (h *hygiene) statements(at float64, rows ...[3]any) {
	for _, r := range rows {
		calls := r[1].(int)
		h.sample(record.ViewStatements, second(at), fmt.Sprintf("queryid=%d", len(r[0].(string))), "query="+r[0].(string),
			kv("calls", calls), kv("rows", r[2].(int)), fmt.Sprintf("total_exec_time=%d", calls/10))
	}
}

const (
	claimJob = "UPDATE jobs SET worker = $1 WHERE id = (SELECT id FROM jobs WHERE ready LIMIT $2) RETURNING id"
	readShop = "SELECT * FROM shop WHERE id = $1"
)

// polls is a minute of captures every 5 s: claims at a constant 40 a second,
// and a shop whose load swings.
func (h *hygiene) polls(claimRows func(k int) int, claims func(k int) int, shop func(k int) int) {
	c, r, s := 0, 0, 0
	for k := range 20 {
		h.statements(float64(5*k), [3]any{claimJob, c, r}, [3]any{readShop, s, s})
		c, r, s = c+claims(k), r+claimRows(k), s+shop(k)
	}
}

func even(n int) func(int) int     { return func(int) int { return n } }
func swinging(n int) func(int) int { return func(k int) int { return n * (1 + k%5) } }

func TestConstantEmptyCallsArePolling(t *testing.T) {
	h := &hygiene{t: t}
	h.polls(even(2), even(200), swinging(300))
	f := h.one(idlePolling)
	if f.Confidence != finding.Likely || f.Severity != finding.Warning {
		t.Errorf("%s %s: %s", f.Severity, f.Confidence, f.WhyConfidence)
	}
	wantText(t, "title", f.Title, "40 calls a second")
	if v := figure(t, f, "rows per call").Value; v != 0.01 {
		t.Errorf("%g rows per call, want 0.01", v)
	}
}

func TestPollingUnderAConstantLoadIsPossibleOnly(t *testing.T) {
	h := &hygiene{t: t}
	h.polls(even(0), even(200), even(300))
	if f := h.one(idlePolling); f.Confidence != finding.Possible || f.Severity != finding.Info {
		t.Errorf("%s %s", f.Severity, f.Confidence)
	}
}

func TestCallsThatFollowTheLoadAreNoPolling(t *testing.T) {
	h := &hygiene{t: t}
	h.polls(even(0), swinging(200), swinging(300))
	h.silent(idlePolling)
}

func TestCallsThatFindWorkAreNoPolling(t *testing.T) {
	h := &hygiene{t: t}
	h.polls(even(150), even(200), swinging(300))
	h.silent(idlePolling)
}

func TestPollingNeedsStatementsOverTime(t *testing.T) {
	(&hygiene{t: t}).lacks(idlePolling, "no pg_stat_statements over time")
}

// idle adds a session that is idle in transaction since a time.
func (h *hygiene) idle(at, since float64, pid int, app, state string, more ...string) {
	stamp := func(s float64) string { return second(s).Std().Format("2006-01-02T15:04:05.999999Z") }
	h.sample(record.ViewActivity, second(at), append([]string{kv("pid", pid), "application_name=" + app, "usename=u", "datname=shop", "state=" + state,
		"backend_type=client backend", "xact_start=" + stamp(since-5), "state_change=" + stamp(since), "query=SELECT 1"}, more...)...)
}

func TestSessionsIdleInTransactionAreNamed(t *testing.T) {
	h := &hygiene{t: t}
	for k := range 10 {
		at := 100 * float64(k)
		h.idle(at, 0, 7, "billing", "idle in transaction", "backend_xmin=5")
		h.idle(at, at-2, 8, "api", "idle in transaction")
	}
	f := h.one(idleTransaction)
	if f.Subject.Session != "billing" || f.Severity != finding.Warning || figure(t, f, "longest idle").Value != 900 {
		t.Errorf("%s %s %+v", f.Subject.Session, f.Severity, f.Figures)
	}
	wantText(t, "cutoff", figure(t, f, "holds the removable cutoff").Text, "yes")
	wantText(t, "action", f.Actions, "connections of billing options='-c idle_in_transaction_session_timeout=60s'", "serves other applications too")
}

func TestIdleTimeoutIsSetForARoleOfOneApplication(t *testing.T) {
	h := &hygiene{t: t}
	for k := range 10 {
		h.idle(100*float64(k), 0, 7, "billing", "idle in transaction")
	}
	wantText(t, "action", h.one(idleTransaction).Actions, "alter role u set idle_in_transaction_session_timeout")
}

func TestLongStatementsAndShortPausesAreNotIdle(t *testing.T) {
	h := &hygiene{t: t}
	for k := range 10 {
		at := 100 * float64(k)
		h.idle(at, 0, 7, "report", "active")
		h.idle(at, at-20, 8, "api", "idle in transaction")
		h.idle(at, 0, 9, "pool", "idle")
	}
	h.silent(idleTransaction)
}

func TestIdleInTransactionNeedsStates(t *testing.T) {
	(&hygiene{t: t}).lacks(idleTransaction, "no states of sessions")
}

// event adds a log event.
func (h *hygiene) event(at float64, kind record.EventKind, change func(*record.Event)) {
	e := record.Event{Kind: kind, LogTime: second(at), Pos: record.Pos{File: "log", Line: int64(len(h.batch.Events) + 1)}, Database: "shop", UserName: "web"}
	if change != nil {
		change(&e)
	}
	h.batch.Events = append(h.batch.Events, e)
}

func (h *hygiene) session(at, seconds float64) {
	h.event(at, record.EventConnection, nil)
	h.event(at+seconds, record.EventDisconnection, func(e *record.Event) { e.Duration = record.Duration(seconds * 1e6) })
}

func TestAConnectionForEachRequestIsChurn(t *testing.T) {
	h := &hygiene{t: t}
	for k := range 600 {
		h.session(float64(k)/5, 0.05)
	}
	f := h.one(connectionChurn)
	if f.Severity != finding.Warning {
		t.Errorf("%s", f.Severity)
	}
	wantText(t, "title", f.Title, "web connects", "a second")
	wantText(t, "setup", figure(t, f, "time to connect").Text, "not measurable")
}

func TestSessionsThatLastAndRareShortOnesAreNoChurn(t *testing.T) {
	h := &hygiene{t: t}
	for k := range 300 {
		h.session(float64(k)/100, 600) // an application that starts
	}
	for k := range 20 {
		h.session(float64(30*k), 0.01) // a health check
	}
	h.silent(connectionChurn)
}

func TestChurnNeedsDisconnections(t *testing.T) {
	h := &hygiene{t: t}
	h.event(0, record.EventConnection, nil)
	h.lacks(connectionChurn, "no disconnections")
}

// clients adds a capture with a number of client sessions, most of them idle.
func (h *hygiene) clients(at float64, n int) {
	for k := range n {
		state := "idle"
		if k%10 == 0 {
			state = "active"
		}
		h.sample(record.ViewActivity, second(at), kv("pid", 1000+k), "state="+state, "backend_type=client backend", "query=SELECT 1")
	}
	h.sample(record.ViewActivity, second(at), "pid=1", "state=", "backend_type=checkpointer", "query=")
}

func (h *hygiene) maxConnections(n int) {
	h.sample(record.ViewSettings, second(0), "name=max_connections", kv("setting", n))
}

func TestRefusedClientsAreExhaustion(t *testing.T) {
	h := &hygiene{t: t}
	h.maxConnections(100)
	for k := range 10 {
		h.clients(60*float64(k), 50+5*k)
	}
	h.clients(600, 100)
	for k := range 40 {
		h.event(580+float64(k), record.EventError, func(e *record.Event) { e.SQLState, e.Text = tooManyConnections, "sorry, too many clients already" })
	}
	f := h.one(connectionExhaustion)
	if f.Severity != finding.Critical || f.Confidence != finding.Confirmed {
		t.Errorf("%s %s: %s", f.Severity, f.Confidence, f.WhyConfidence)
	}
	wantText(t, "title", f.Title, "40 clients refused")
	wantText(t, "rivals", f.RuledOut, "ruled out", "of 100 sessions idle")
}

func TestManySessionsBelowTheLimitAreNoExhaustion(t *testing.T) {
	h := &hygiene{t: t}
	h.maxConnections(500)
	for k := range 10 {
		h.clients(60*float64(k), 300)
	}
	h.event(10, record.EventError, func(e *record.Event) { e.SQLState, e.Text = "28P01", "password authentication failed" })
	h.event(11, record.EventError, func(e *record.Event) { e.SQLState, e.Text = "57P03", "the database system is starting up" })
	h.silent(connectionExhaustion)
}

func TestExhaustionNeedsALogOrSessions(t *testing.T) {
	(&hygiene{t: t}).lacks(connectionExhaustion, "no connections or errors of a log")
}
