package pglog

import (
	"bytes"
	"strconv"
	"sync"
	"time"

	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// Limits on what is kept of an entry, in bytes.
const (
	maxParameters = 1 << 10
	maxText       = 512
	maxNames      = 1 << 14 // strings interned per worker
	maxNameLen    = 256
	maxLosses     = 64 // losses per block
	maxPlaces     = 20 // of one loss per block, and of unknown messages
)

// furtherLosses stands for the texts of a block beyond maxLosses.
const furtherLosses = "and others of this kind"

// workers is what the blocks of one file share: settings, and workers to reuse.
type workers struct {
	intern   func([]byte) *record.Statement
	location *time.Location
	badZone  string // the given time zone if it is not known
	allPlans bool   // source.Head.AllPlans
	idle     sync.Pool
}

func newWorkers(h *source.Head) *workers {
	ws := &workers{intern: h.Intern, allPlans: h.AllPlans}
	if h.Timezone != "" {
		loc, err := time.LoadLocation(h.Timezone)
		if err != nil {
			ws.badZone = "unknown time zone " + strconv.Quote(h.Timezone) + ": taken as UTC"
		}
		ws.location = loc
	}
	return ws
}

// get lends a worker for the batch b.
func (ws *workers) get(b *record.Batch) *worker {
	w, ok := ws.idle.Get().(*worker)
	if !ok {
		w = &worker{
			workers: ws,
			clock:   clock{location: ws.location, base: record.NoTime},
			names:   make(map[string]string),
			kept:    make(map[planKey]keptPlans),
			plans:   explain.NewParser(),
		}
		w.startClock = w.clock
	}
	w.batch = b
	w.firstLoss, w.firstStretch = len(b.Losses), len(b.Stretches)
	if ws.badZone != "" {
		w.loss(record.LossTime, ws.badZone, record.Pos{}, 1)
	}
	return w
}

func (ws *workers) put(w *worker) {
	w.batch = nil
	clear(w.kept)
	w.steps = steps{}
	w.entry = record.Entry{}
	ws.idle.Put(w)
}

// worker turns the entries of one block into records. It serves one goroutine.
type worker struct {
	*workers
	batch     *record.Batch
	firstLoss int // of this block in batch.Losses
	// firstStretch is the first of this block in batch.Stretches.
	firstStretch int
	clock        clock
	// startClock reads session starts, which lie in other hours than log times.
	startClock clock
	entry      record.Entry // the one being read
	jsonReader
	text    []byte // for one call
	exec    record.Execution
	names   map[string]string
	pid     int32 // whose session name was made last
	session string
	plans   *explain.Parser
	kept    map[planKey]keptPlans
	// oneLine says that an entry stands on one line of the file, so that its
	// parts have no lines of their own.
	oneLine bool
	steps   steps
}

// begin makes the entry ready to be filled, and scratch to be used again.
func (w *worker) begin(pos record.Pos) *record.Entry {
	w.scratch = w.scratch[:0]
	return w.blank(pos)
}

// blank makes the entry ready to be filled from what is in scratch.
func (w *worker) blank(pos record.Pos) *record.Entry {
	w.entry = record.Entry{Pos: pos, LogTime: record.NoTime, SessionStart: record.NoTime, SessionLineNum: -1}
	return &w.entry
}

// logTime reads the time of the entry.
func (w *worker) logTime(e *record.Entry, text []byte) bool {
	t, res, ok := w.clock.Time(text)
	if !ok {
		return false
	}
	e.LogTime, e.Resolution = t, res
	if w.clock.Note != "" {
		w.loss(record.LossTime, w.clock.Note, e.Pos, 1)
	}
	return true
}

// loss counts a loss. Those of one text in one block are one record with the
// place of the first; what could not be read at all keeps maxPlaces of them, the
// last of which counts what follows.
func (w *worker) loss(kind record.LossKind, text string, pos record.Pos, n int64) {
	of, last := 0, 0
	for i := w.firstLoss; i < len(w.batch.Losses); i++ {
		if l := &w.batch.Losses[i]; l.Kind == kind && l.Text == text {
			of, last = of+1, i
		}
	}
	if unreadable := kind == record.LossLine || kind == record.LossEntry; of == maxPlaces || of > 0 && !unreadable {
		w.batch.Losses[last].Count += n
		return
	}
	if len(w.batch.Losses)-w.firstLoss >= maxLosses && text != furtherLosses {
		w.loss(kind, furtherLosses, pos, n)
		return
	}
	w.batch.Losses = append(w.batch.Losses, record.Loss{Pos: pos, Kind: kind, Text: text, Count: n})
}

// name is b as a string that is made once per worker. "[unknown]" and nil are
// "", as csvlog prints them.
func (w *worker) name(b []byte) string {
	if len(b) == 0 || string(b) == "[unknown]" {
		return ""
	}
	if s, ok := w.names[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(s) > maxNameLen {
		return s
	}
	if len(w.names) >= maxNames {
		clear(w.names)
	}
	w.names[s] = s
	return s
}

// statement is the identity of a query, nil if there is no text.
func (w *worker) statement(text []byte) *record.Statement {
	if len(text) == 0 || w.intern == nil {
		return nil
	}
	return w.intern(text)
}

// sessionName is the session of the entry: its %c, else process id and session
// start, else the process id; "" if the entry has none.
func (w *worker) sessionName(e *record.Entry) string {
	if e.SessionID != nil {
		return w.name(e.SessionID)
	}
	if e.ProcessID == 0 {
		return ""
	}
	if e.SessionStart == record.NoTime {
		if e.ProcessID != w.pid {
			w.pid = e.ProcessID
			w.session = w.name(strconv.AppendInt(w.text[:0], int64(w.pid), 10))
		}
		return w.session
	}
	w.text = strconv.AppendInt(w.text[:0], int64(e.ProcessID), 10)
	w.text = append(w.text, '@')
	w.text = e.SessionStart.Std().AppendFormat(w.text, "2006-01-02T15:04:05Z")
	return w.name(w.text)
}

// excerpt is a copy of b, cut to max bytes at a character's start.
func excerpt(b []byte, max int) string {
	b = bytes.TrimRight(b, " \r\n\t")
	if len(b) <= max {
		return string(b)
	}
	for max > 0 && b[max]&0xC0 == 0x80 {
		max--
	}
	return string(b[:max])
}
