package pglog

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/record"
)

// event appends an event with what the entry says about its session. The
// pointer is valid until the next event.
func (w *worker) event(e *record.Entry, kind record.EventKind) *record.Event {
	w.batch.Events = append(w.batch.Events, record.Event{
		Pos: e.Pos, LogTime: e.LogTime, Kind: kind,
		Session: w.sessionName(e), ProcessID: e.ProcessID,
		UserName: w.name(e.UserName), Database: w.name(e.DatabaseName), Application: w.name(e.Application),
	})
	return &w.batch.Events[len(w.batch.Events)-1]
}

// errorEvent is an ERROR, FATAL or PANIC. SQLSTATE is printed by csvlog and
// jsonlog; in stderr it needs %e or verbose messages, and is otherwise known for
// cancels and timeouts only.
func (w *worker) errorEvent(e *record.Entry) {
	kind := record.EventError
	state := e.SQLState
	if state == nil {
		state = stateOf(e.Message)
	}
	if string(state) == "40P01" || state == nil && w.isDeadlock(e.Message) {
		kind, state = record.EventDeadlock, deadlockState
	}
	ev := w.event(e, kind)
	ev.SQLState, ev.Severity = w.name(state), e.ErrorSeverity
	ev.Text = excerpt(withoutCharacter(w.cancelText(e.Message, state)), maxText)
	if kind == record.EventDeadlock && len(e.Detail) > 0 {
		ev.Text = excerpt(e.Detail, 4*maxText)
		ev.Cycle = w.deadlockCycle(e.Detail)
	}
	ev.Statement = w.statement(e.Query)
	if c := (cursor{e.Context}); c.after(`automatic vacuum of table "`) || c.after(`automatic analyze of table "`) {
		if table, ok := c.until(`"`); ok {
			ev.Object = string(table)
		}
	}
}

// cancelText is the message of a cancel or timeout in English, so that its cause
// can be told whatever the language; others stay as they are.
func (w *worker) cancelText(message, state []byte) []byte {
	if s := string(state); s == "57014" || s == "55P03" {
		if m := w.english(message); m != nil {
			return m
		}
	}
	return message
}

// withoutCharacter cuts the place in the query that stderr puts at the end of a
// message; csvlog and jsonlog have a column for it.
func withoutCharacter(m []byte) []byte {
	i := lastIndex(m, " at character ")
	if i < 0 {
		return m
	}
	if place := m[i+len(" at character "):]; digits(place) != len(place) {
		return m
	}
	return m[:i]
}

// lifeEvent reads what the postmaster says about starting and ending.
func (w *worker) lifeEvent(e *record.Entry) bool {
	c := cursor{e.Message}
	switch {
	case c.lit("starting PostgreSQL "):
		version := c.b
		if i := bytes.IndexAny(version, " ,"); i >= 0 {
			version = version[:i]
		}
		w.event(e, record.EventServerStart).Text = excerpt(version, maxNameLen)
	case c.lit("database system is ready to accept "):
		w.event(e, record.EventReady)
	case c.lit("received SIGHUP"):
		w.event(e, record.EventReload)
	case c.lit("received fast shutdown request"), c.lit("received smart shutdown request"), c.lit("received immediate shutdown request"):
		w.event(e, record.EventShutdown).Text = excerpt(e.Message, maxText)
	case c.lit("ending log output to "):
		w.event(e, record.EventLogDestination).Text = excerpt(c.b, maxText)
	case recovers(e.Message):
		w.event(e, record.EventCrash).Text = excerpt(e.Message, maxText)
	default:
		// Clean starts and stops: "database system was shut down at …".
		return w.exit(e) || c.lit("database system ")
	}
	return true
}

// recovers reports the recovery after a crash.
func recovers(m []byte) bool {
	return bytes.HasPrefix(m, []byte("database system was not properly shut down")) || bytes.HasPrefix(m, []byte("database system was interrupted"))
}

// parameter reads a setting that a reload has changed.
func (w *worker) parameter(e *record.Entry) bool {
	c := cursor{e.Message}
	if !c.lit(`parameter "`) {
		return false
	}
	name, ok := c.until(`" `)
	if !ok {
		return false
	}
	switch {
	case c.lit(`changed to "`):
		value := bytes.TrimSuffix(c.b, []byte(`"`))
		ev := w.event(e, record.EventParameterChanged)
		ev.Object, ev.Text = string(name), excerpt(value, maxText)
	case c.lit("removed from configuration file, reset to default"):
		w.event(e, record.EventParameterChanged).Object = string(name)
	}
	return true
}

// connection reads "connection authorized: user=… database=…".
func (w *worker) connection(e *record.Entry) bool {
	c := cursor{e.Message}
	if !c.lit("connection authorized: ") && !c.lit("replication connection authorized: ") {
		return false
	}
	ev := w.event(e, record.EventConnection)
	if v := w.name(assignment(c.b, "user=", "database=")); v != "" {
		ev.UserName = v
	}
	if v := w.name(assignment(c.b, "database=", " application_name=")); v != "" {
		ev.Database = v
	}
	if v := w.name(assignment(c.b, " application_name=", " SSL enabled")); v != "" {
		ev.Application = v
	}
	return true
}

// assignment is the value behind key, up to one of the words that may follow.
func assignment(b []byte, key, next string) []byte {
	c := cursor{b}
	if !c.after(key) {
		return nil
	}
	value := c.b
	for _, end := range [...]string{next, " SSL enabled", " SSL (", " GSS (", " application_name="} {
		if i := bytes.Index(value, []byte(end)); i >= 0 && key != end {
			value = value[:i]
		}
	}
	return bytes.TrimRight(value, " ")
}

// disconnection reads "disconnection: session time: 0:00:00.468 user=…".
func (w *worker) disconnection(e *record.Entry) bool {
	c := cursor{e.Message}
	if !c.lit("disconnection: session time: ") {
		return false
	}
	ev := w.event(e, record.EventDisconnection)
	if d, ok := c.clockSpan(); ok {
		ev.Duration = d
	}
	if v := w.name(assignment(c.b, " user=", " database=")); v != "" {
		ev.UserName = v
	}
	if v := w.name(assignment(c.b, " database=", " host=")); v != "" {
		ev.Database = v
	}
	return true
}

// clockSpan reads H:MM:SS.mmm.
func (c *cursor) clockSpan() (record.Duration, bool) {
	k := *c
	hours, ok := k.int()
	if !ok || hours < 0 || hours > 1<<24 || !k.lit(":") {
		return 0, false
	}
	minutes, ok := k.int()
	if !ok || !k.lit(":") || minutes > 59 {
		return 0, false
	}
	seconds, ok := k.decimal(record.Second)
	if !ok {
		return 0, false
	}
	*c = k
	return record.Duration(hours*60+minutes)*60*record.Second + seconds, true
}

// tempFile reads `temporary file: path "…", size N`.
func (w *worker) tempFile(e *record.Entry) bool {
	c := cursor{e.Message}
	if !c.lit(`temporary file: path "`) {
		return false
	}
	path, ok := c.until(`", size `)
	if !ok {
		return false
	}
	size, ok := c.int()
	if !ok {
		return false
	}
	ev := w.event(e, record.EventTempFile)
	ev.Object, ev.Count = string(path), size
	ev.Statement = w.statement(e.Query)
	return true
}

// skipped reads `skipping vacuum of "t" --- lock not available`.
func (w *worker) skipped(e *record.Entry) bool {
	c := cursor{e.Message}
	if !c.lit(`skipping vacuum of "`) && !c.lit(`skipping analyze of "`) {
		return false
	}
	ev := w.event(e, record.EventVacuumSkipped)
	if table, ok := c.until(`"`); ok {
		ev.Object = string(table)
	}
	ev.Text = excerpt(e.Message, maxText)
	return true
}
