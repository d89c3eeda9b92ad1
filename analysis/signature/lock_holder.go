package signature

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

func processName(pid int32) string { return strconv.Itoa(int(pid)) }

// lockHolder is what the input tells of the process at the head of a queue.
type lockHolder struct {
	PID              int32
	Application      string
	User             string
	Last             *dataset.Execution     // the last it had run when the queue began; nil if the log does not tell
	Sample           *dataset.ActivityPoint // while the queue lasted; nil if there is none
	Samples, Idle    int                    // of it, and in state "idle in transaction"
	TransactionSince record.Time
}

// holder looks for the process in the log before the queue and in the samples
// while it lasted.
func (l *serverLog) holder(q *lockQueue) *lockHolder {
	if q.Head == 0 {
		return nil
	}
	h := &lockHolder{PID: q.Head, TransactionSince: record.NoTime}
	for _, e := range l.m.Executions {
		if e.Time > q.to() {
			break
		}
		if e.ProcessID == q.Head && e.Start <= q.from() {
			h.Last = e
		}
	}
	for i := range l.m.Activity {
		a := &l.m.Activity[i]
		if a.PID != int64(q.Head) || a.Time < q.from().Add(-sameWait) || a.Time > q.to().Add(sameWait) {
			continue
		}
		if h.Sample == nil {
			h.Sample, h.TransactionSince = a, a.XactStart
		}
		h.Samples++
		if a.State == idleInTransaction {
			h.Idle++
		}
	}
	if s := h.Sample; s != nil {
		h.Application, h.User = s.Application, s.User
	}
	if login := l.login(q.Head, q.from()); login != nil {
		h.Application, h.User = cmp.Or(h.Application, login.Application), cmp.Or(h.User, login.UserName)
	}
	if h.Last != nil {
		h.Application, h.User = cmp.Or(h.Application, h.Last.Application), cmp.Or(h.User, h.Last.User)
	}
	return h
}

const idleInTransaction = "idle in transaction"

// idle reports whether it held its lock without working: its samples say so, or
// its last statement had ended before the queue began.
func (h *lockHolder) idle(q *lockQueue) bool {
	if h.Samples > 0 {
		return 2*h.Idle >= h.Samples
	}
	return h.Last != nil && h.Last.Time < q.from()
}

// name is its application, else its user, with the process id.
func (h *lockHolder) name() string {
	return cmp.Or(h.Application, h.User, "a session") + " (process " + processName(h.PID) + ")"
}

// statement is what it ran last; "" if the input does not tell.
func (h *lockHolder) statement() string {
	switch {
	case h.Last != nil && h.Last.Statement != nil:
		return h.Last.Statement.Normalized
	case h.Sample != nil:
		return h.Sample.Query
	}
	return ""
}

// doing says what it did while the others waited.
func (h *lockHolder) doing(q *lockQueue) string {
	text := shorten(h.statement(), 100)
	switch {
	case text == "":
		return "what it ran the input does not tell"
	case h.idle(q):
		return "it had ended " + text + " and left its transaction open"
	}
	return "it was running " + text
}

// relationName resolves a relation's object id through snapshots; "" if they do
// not hold it.
func relationName(m *dataset.Model, oid string) string {
	if oid == "" {
		return ""
	}
	for _, view := range []record.View{record.ViewTables, record.ViewStatioTables} {
		rows := m.Rows(view)
		for i := range rows {
			if id, ok := rows[i].Text("relid"); ok && id == oid {
				schema, _ := rows[i].Text("schemaname")
				name, _ := rows[i].Text("relname")
				return fmt.Sprintf("%s.%s", schema, name)
			}
		}
	}
	return ""
}
