package pglog

import "github.com/pgassay/pgassay/parser/record"

// maxPIDs caps the process ids kept of one lock wait.
const maxPIDs = 64

// lock reads what log_lock_waits and log_lock_failures print:
// "process P still waiting for MODE on OBJECT after X ms" and its like.
func (w *worker) lock(e *record.Entry) bool {
	c := cursor{e.Message}
	if !c.lit("process ") {
		return false
	}
	pid, ok := c.int()
	if !ok || !c.lit(" ") {
		return false
	}
	var kind record.EventKind
	switch {
	case c.lit("still waiting for "):
		kind = record.EventLockWait
	case c.lit("acquired "):
		kind = record.EventLockAcquired
	case c.lit("could not obtain "):
		kind = record.EventLockFailed
	default:
		// The ERROR that follows tells of the deadlock.
		return c.lit("detected deadlock ") || c.lit("avoided deadlock ") || c.lit("failed to acquire ")
	}
	mode, ok := c.until(" on ")
	if !ok {
		return false
	}
	object := c.b
	if i := lastIndex(object, " after "); i >= 0 && kind != record.EventLockFailed {
		object, c.b = c.b[:i], c.b[i+len(" after "):]
	}
	ev := w.event(e, kind)
	if ev.ProcessID == 0 {
		ev.ProcessID = int32(min(pid, 1<<31-1))
	}
	ev.Text, ev.Object = w.name(mode), excerpt(object, maxText)
	if kind != record.EventLockFailed {
		ev.Duration, _ = c.decimal(record.Millisecond)
	}
	ev.Statement = w.statement(e.Query)
	ev.Holders, ev.Queue = lockDetail(e.Detail)
	return true
}

// lockDetail reads "Process holding the lock: 1. Wait queue: 2, 3.", or the
// plural.
func lockDetail(detail []byte) (holders, queue []int32) {
	c := cursor{detail}
	if c.lit("Process holding the lock: ") || c.lit("Processes holding the lock: ") {
		holders = c.pids()
	}
	if c.after("Wait queue: ") {
		queue = c.pids()
	}
	return holders, queue
}

// pids reads a list of process ids.
func (c *cursor) pids() []int32 {
	var list []int32
	for len(list) < maxPIDs {
		n := digits(c.b)
		pid := parsePID(c.b[:n])
		if pid == 0 {
			break
		}
		list = append(list, pid)
		c.b = c.b[n:]
		if !c.lit(", ") {
			break
		}
	}
	return list
}
