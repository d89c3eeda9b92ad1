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
// in its session, and answers by how much; 0 for all others.
func (w *worker) step(e *record.Entry) (back record.Duration) {
	if e.ProcessID == 0 || !e.LogTime.Known() || w.steps.told {
		return 0
	}
	last := &w.steps.last[uint8(e.ProcessID)]
	if last.pid == e.ProcessID && e.LogTime < last.time.Add(-clockStep) {
		w.steps.told = true
		back = last.time.Sub(e.LogTime)
		w.loss(record.LossTime, "clock step: an entry is earlier than the one before it in its session", e.Pos, 1)
	}
	*last = lastEntry{e.ProcessID, e.LogTime}
	return back
}

// maxStretches bounds the stretches of a block. Beyond it the last one goes on.
const maxStretches = 64

// stretch adds the entry to the stretch of its block that goes on, or begins one
// after a silence and at a step of the clock.
func (w *worker) stretch(e *record.Entry, back record.Duration) {
	if !e.LogTime.Known() {
		return
	}
	n := len(w.batch.Stretches)
	begins := n == w.firstStretch || back > 0 || e.LogTime.Sub(w.batch.Stretches[n-1].To) >= record.Silence
	if begins && n-w.firstStretch < maxStretches {
		w.batch.Stretches = append(w.batch.Stretches, record.Stretch{First: e.Pos, Last: e.Pos, From: e.LogTime, To: e.LogTime, Entries: 1, Back: back})
		return
	}
	s := &w.batch.Stretches[n-1]
	s.Entries++
	s.From = min(s.From, e.LogTime)
	if e.LogTime >= s.To {
		s.To, s.Last = e.LogTime, e.Pos
	}
}
