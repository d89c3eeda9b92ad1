package pglog

import "github.com/pgassay/pgassay/parser/record"

// clockStep is how much earlier than the entry before it in the same session an
// entry may be. Sessions write in order; only a clock that was set back, or
// files that were put together in a wrong order, make it more.
const clockStep = record.Second

// lastEntry is the latest entry of a session in a block.
type lastEntry struct {
	pid  int32
	time record.Time
}

// steps are the sessions seen last in a block, by process id.
type steps struct {
	last [256]lastEntry
	told bool
}

// step counts the first entry of a block that is earlier than the one before it
// in its session.
func (w *worker) step(e *record.Entry) {
	if e.ProcessID == 0 || !e.LogTime.Known() || w.steps.told {
		return
	}
	last := &w.steps.last[uint8(e.ProcessID)]
	if last.pid == e.ProcessID && e.LogTime < last.time.Add(-clockStep) {
		w.steps.told = true
		w.loss(record.LossTime, "clock step: an entry is earlier than the one before it in its session", e.Pos, 1)
	}
	*last = lastEntry{e.ProcessID, e.LogTime}
}
