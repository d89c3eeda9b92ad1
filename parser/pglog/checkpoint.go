package pglog

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/record"
)

// checkpoint reads the start and the end of checkpoints and restartpoints, and
// the complaint about their frequency.
func (w *worker) checkpoint(e *record.Entry) bool {
	c := cursor{e.Message}
	switch {
	case c.lit("checkpoint starting"), c.lit("restartpoint starting"):
		c.after(":") // Azure counts them before it
		w.event(e, record.EventCheckpointStart).Text = excerpt(bytes.TrimLeft(c.b, " "), maxText)
	case c.lit("checkpoint complete"), c.lit("restartpoint complete"):
		ev := w.event(e, record.EventCheckpoint)
		ev.Text = excerpt(e.Message, maxText)
		ev.Checkpoint = new(record.Checkpoint)
		if c.after(": wrote ") {
			ev.Count, _ = c.int()
		}
		c.checkpointWork(ev)
	case c.lit("checkpoints are occurring too frequently ("):
		ev := w.event(e, record.EventCheckpointsFrequent)
		ev.Text = excerpt(e.Message, maxText)
		if n, ok := c.int(); ok && n <= 1<<32 {
			ev.Duration = record.Duration(n) * record.Second
		}
	default:
		return false
	}
	return true
}

// checkpointWork reads "; 1 WAL file(s) added, 0 removed, 2 recycled; write=1.2 s,
// sync=0.1 s, total=1.4 s; sync files=9, longest=0.1 s, average=0.1 s;
// distance=12 kB, estimate=14 kB". Versions before 9.5 have no distance.
func (c *cursor) checkpointWork(ev *record.Event) {
	p := ev.Checkpoint
	for _, part := range bytes.Split(c.b, []byte("; ")) {
		k := cursor{part}
		if n, ok := k.int(); ok && (k.lit(" WAL file(s) added, ") || k.lit(" transaction log file(s) added, ")) {
			p.WALAdded = n
			p.WALRemoved, _ = k.int()
			if k.lit(" removed, ") {
				p.WALRecycled, _ = k.int()
			}
			continue
		}
		k = cursor{part}
		switch {
		case k.lit("write="):
			p.Write, _ = k.decimal(record.Second)
			if k.after(" sync=") {
				p.Sync, _ = k.decimal(record.Second)
			}
			fallthrough
		case k.lit("total="):
			if k.after("total=") || bytes.HasPrefix(part, []byte("total=")) {
				ev.Duration, _ = k.decimal(record.Second)
			}
		case k.lit("sync files="):
			if k.after(" longest=") {
				p.LongestSync, _ = k.decimal(record.Second)
			}
		case k.lit("distance="):
			if n, ok := k.int(); ok && n < 1<<52 {
				p.Distance = record.Some(n * 1024)
			}
		}
	}
}
