package xlsx

import (
	"strconv"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report/view"
)

// events is what else the log tells, in time.
func (b *book) events() *table {
	rows := b.view.Result.Events
	t := &table{
		name: eventsSheet, optional: true, rows: len(rows), printed: 12,
		columns: []column{
			{"Time (UTC)", 23, moment}, {"Event", 24, text}, {"Object", 32, wrapped}, {"Text", 60, wrapped},
			{"Duration (ms)", 13, real}, {"Count", 12, whole}, {"Count of", 15, text}, {"SQLSTATE", 10, text},
			{"Database", 14, text}, {"User", 14, text}, {"Application", 18, text}, {"Process", 10, text},
			{"Session", 18, text}, {"Statement", 60, wrapped}, {"Statement fingerprint", 20, text}, {"File", 36, wrapped},
			{"Line", 11, whole},
		},
		row: func(i int) []any { return eventRow(&rows[i]) },
	}
	if n := b.view.Result.EventsLeftOut; n > 0 {
		t.note = view.Count(n) + " more events are not shown: of each frequent kind an even part over time is"
	}
	return t
}

func eventRow(e *record.Event) []any {
	var duration, count any
	of, statement, fingerprint, process := "", "", "", ""
	if e.Duration != 0 {
		duration = e.Duration.Milliseconds()
	}
	switch e.Kind {
	case record.EventTempFile:
		count, of = e.Count, "bytes"
	case record.EventCheckpoint:
		count, of = e.Count, "buffers written"
	}
	if e.Statement != nil {
		statement, fingerprint = view.Block(e.Statement.Normalized), view.Line(e.Statement.Fingerprint)
		if e.Inferred {
			statement = "(inferred) " + statement
		}
	}
	if e.ProcessID != 0 {
		process = strconv.Itoa(int(e.ProcessID))
	}
	return []any{
		e.LogTime, eventName(e.Kind), view.Line(e.Object), view.Line(e.Text), duration, count, of, view.Line(e.SQLState),
		view.Line(e.Database), view.Line(e.UserName), view.Line(e.Application), process, view.Line(e.Session),
		statement, fingerprint, view.Line(e.Pos.File), lineOf(e.Pos),
	}
}

func eventName(k record.EventKind) string {
	switch k {
	case record.EventServerStart:
		return "server start"
	case record.EventReady:
		return "server ready"
	case record.EventShutdown:
		return "shutdown request"
	case record.EventCrash:
		return "crash"
	case record.EventReload:
		return "configuration reload"
	case record.EventParameterChanged:
		return "parameter changed"
	case record.EventCheckpointStart:
		return "checkpoint start"
	case record.EventCheckpoint:
		return "checkpoint"
	case record.EventLockWait:
		return "lock wait"
	case record.EventLockAcquired:
		return "lock acquired"
	case record.EventLockFailed:
		return "lock failed"
	case record.EventDeadlock:
		return "deadlock"
	case record.EventTempFile:
		return "temporary file"
	case record.EventVacuumSkipped:
		return "vacuum skipped"
	case record.EventError:
		return "error"
	case record.EventWarning:
		return "warning"
	case record.EventBuildNotice:
		return "index build"
	case record.EventLogDestination:
		return "log destination"
	case record.EventRecovery:
		return "recovery"
	case record.EventCheckpointsFrequent:
		return "frequent checkpoints"
	}
	return "other"
}
