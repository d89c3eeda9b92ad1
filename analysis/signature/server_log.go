package signature

import (
	"cmp"
	"slices"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// serverLog is what the signatures of server events share: the span of the
// server's log, and who its processes are.
type serverLog struct {
	m        *dataset.Model
	From, To record.Time
	events   map[record.EventKind][]*record.Event // by time
	logins   map[int32][]*record.Event            // "connection authorized", by process and time
}

// lacksLog is what a signature says that needs the log and finds none.
const lacksLog = "no server log in input"

// serverLogOf is nil if the input has no server log that covers any time.
func serverLogOf(p *Pass) *serverLog {
	return shared(p, "server log", func(m *dataset.Model) *serverLog {
		l := &serverLog{m: m, From: record.NoTime, To: record.NoTime, events: map[record.EventKind][]*record.Event{}, logins: map[int32][]*record.Event{}}
		for i := range m.Events {
			e := &m.Events[i]
			if !e.LogTime.Known() {
				continue
			}
			l.span(e.LogTime)
			l.events[e.Kind] = append(l.events[e.Kind], e)
			if e.Kind == record.EventConnection {
				l.logins[e.ProcessID] = append(l.logins[e.ProcessID], e)
			}
		}
		for _, e := range m.Executions {
			if e.Kind != record.ExecExplain {
				l.span(e.Time)
			}
		}
		for _, v := range m.Vacuums {
			if v.FromLog {
				l.span(v.End)
			}
		}
		if !l.From.Known() || l.Span() < shortestSlice {
			return nil
		}
		return l
	})
}

func (l *serverLog) span(t record.Time) {
	if !t.Known() {
		return
	}
	if !l.From.Known() || t < l.From {
		l.From = t
	}
	if !l.To.Known() || t > l.To {
		l.To = t
	}
}

// Span is the time that the log covers.
func (l *serverLog) Span() record.Duration { return l.To.Sub(l.From) }

// all are the events of the kinds, by time.
func (l *serverLog) all(kinds ...record.EventKind) []*record.Event {
	var out []*record.Event
	for _, k := range kinds {
		out = append(out, l.events[k]...)
	}
	if len(kinds) > 1 {
		slices.SortStableFunc(out, func(a, b *record.Event) int {
			return cmp.Or(cmp.Compare(a.LogTime, b.LogTime), comparePos(a.Pos, b.Pos))
		})
	}
	return out
}

func comparePos(a, b record.Pos) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Line, b.Line))
}

// login is the "connection authorized" of the process that was there at t; nil
// if the log does not have it.
func (l *serverLog) login(pid int32, t record.Time) *record.Event {
	list := l.logins[pid]
	i, _ := slices.BinarySearchFunc(list, t, func(e *record.Event, t record.Time) int {
		if e.LogTime <= t {
			return -1
		}
		return 1
	})
	if i == 0 {
		return nil
	}
	return list[i-1]
}

// application is who an event's session is: its application, else its user, as
// the entry or the session's login tell; "" if neither does.
func (l *serverLog) application(e *record.Event) string {
	if e.Application != "" && e.Application != unknownName {
		return e.Application
	}
	if login := l.login(e.ProcessID, e.LogTime); login != nil {
		return cmp.Or(login.Application, login.UserName)
	}
	if e.UserName != unknownName {
		return e.UserName
	}
	return ""
}

// unknownName is what log_line_prefix prints before a session is authorized.
const unknownName = "[unknown]"

// placeOf is an event as evidence.
func placeOf(what string, e *record.Event) finding.Evidence {
	return finding.Evidence{What: what, Pos: e.Pos, Time: e.LogTime, Excerpt: shorten(e.Text, 120)}
}

// eventPlaces are the first and the latest of events, and the worst if there is one
// between them.
func eventPlaces(events []*record.Event, worst *record.Event) []finding.Evidence {
	first, last := events[0], events[len(events)-1]
	out := []finding.Evidence{placeOf("first", first)}
	if worst != nil && worst != first && worst != last {
		out = append(out, placeOf("worst", worst))
	}
	if last != first {
		out = append(out, placeOf("latest", last))
	}
	return out
}

// before is the last of the events that may have brought on what began at t: a
// start, a reload, a changed parameter or a crash no more than within earlier;
// nil if there is none.
func (l *serverLog) before(t record.Time, within record.Duration) *record.Event {
	var last *record.Event
	for _, e := range l.all(record.EventServerStart, record.EventReload, record.EventParameterChanged, record.EventCrash) {
		if e.LogTime <= t && e.LogTime >= t.Add(-within) {
			last = e
		}
	}
	return last
}

// eventText names such an event.
func eventText(e *record.Event) string {
	switch e.Kind {
	case record.EventServerStart:
		return "the server started"
	case record.EventParameterChanged:
		return "parameter " + e.Object + " changed to " + e.Text
	case record.EventCrash:
		return e.Text
	}
	return "the configuration was reloaded"
}
