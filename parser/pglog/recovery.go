package pglog

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/record"
)

// recovery reads the steps of crash and archive recovery, and of a standby's
// promotion.
func (w *worker) recovery(e *record.Entry) bool {
	for _, start := range [...]string{
		"redo starts at ", "redo done at ", "redo in progress", "redo is not required", "consistent recovery state reached",
		"archive recovery complete", "entering standby mode", "starting archive recovery", "starting point-in-time recovery",
		"starting backup recovery", "completed backup recovery", "selected new timeline", "received promote request",
		"recovery stopping", "recovery has paused", "recovery ended",
	} {
		if bytes.HasPrefix(e.Message, []byte(start)) {
			w.event(e, record.EventRecovery).Text = excerpt(e.Message, maxText)
			return true
		}
	}
	return false
}

// ready reads "connection ready: setup total=12.5 ms, fork=0.4 ms,
// authentication=1.2 ms" of PostgreSQL 18.
func (w *worker) ready(e *record.Entry) bool {
	c := cursor{e.Message}
	if !c.lit("connection ready: ") {
		return false
	}
	ev := w.event(e, record.EventConnectionReady)
	ev.Text = excerpt(c.b, maxText)
	if c.lit("setup total=") {
		ev.Duration, _ = c.decimal(record.Millisecond)
	}
	return true
}
