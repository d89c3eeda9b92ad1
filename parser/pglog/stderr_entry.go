package pglog

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/record"
)

// openEntries is how many entries wait for further lines of their own while
// lines of other sessions come in between.
const openEntries = 8

// openEntry is an entry whose lines are being collected.
type openEntry struct {
	pos     record.Pos
	line    []byte // the primary line
	matched matched
	session []byte
	carried *place             // what the carrier says; nil without one
	parts   [labelCount][]byte // as they stand in the block
}

// session is the process id or session id of a line, nil if it has none.
func (m *matched) session(line []byte) []byte {
	if pid := m.field(line, fieldPID); pid != nil {
		return pid
	}
	return m.field(line, fieldSessionID)
}

// assembly puts the lines of one block together to entries, in the order of
// their primary lines.
type assembly struct {
	log    *stderrLog
	w      *worker
	block  []byte
	places []place // by line of the block; nil without a carrier
	ring   [openEntries]openEntry
	first  int // in ring
	n      int
	// The part that is being read.
	entry *openEntry // nil: lines belong to no entry
	part  label
	start int
}

func (s *stderrLog) parse(block []byte, pos record.Pos, b *record.Batch) {
	s.parseCarried(block, pos, b, nil)
}

// parseCarried reads lines that a carrier brought: places[i] is what it says
// about the i-th line, and pos counts the lines from 1.
func (s *stderrLog) parseCarried(block []byte, pos record.Pos, b *record.Batch, places []place) {
	w := s.get(b)
	defer s.put(w)
	a := assembly{log: s, w: w, block: block, places: places}
	var m matched
	for at := 0; at < len(block); pos.Line++ {
		if block[at] == '\t' && a.entry != nil {
			at = nextLine(block, at)
			continue
		}
		line, next := cutLine(block, at)
		here := record.Pos{File: pos.File, Line: pos.Line, Offset: pos.Offset + int64(at)}
		switch {
		case s.match(line, &m):
			a.close(at)
			a.open(line, at, &m, here)
		case startsWithTime(line) || s.tabbed && isMisfit(line):
			a.close(at)
			a.entry = nil
			a.strange(line, here)
		case len(line) > 0 && (a.entry == nil || s.tabbed && line[0] != ' ' && line[0] != '\t'):
			a.close(at)
			a.entry = nil
			w.loss(record.LossLine, "line that belongs to no entry", here, 1)
		}
		at = next
	}
	a.close(len(block))
	for a.n > 0 {
		a.flush()
	}
}

func nextLine(block []byte, at int) int {
	if i := bytes.IndexByte(block[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(block)
}

// startsWithTime reports lines that are no continuation: PostgreSQL puts a TAB
// before those.
func startsWithTime(line []byte) bool {
	n, _ := timeLength(line)
	return n > 0
}

// isMisfit reports an entry behind blanks, which its empty values left. Where a
// TAB begins each further line, such a line is none.
func isMisfit(line []byte) bool {
	return len(line) > 0 && line[0] == ' ' && startsWithTime(bytes.TrimLeft(line, " ")) && findLabel(line) >= 0
}

// strange counts a line that starts an entry or a part of one, but which prefix
// or label do not explain.
func (a *assembly) strange(line []byte, pos record.Pos) {
	if findLabel(line) < 0 {
		a.w.loss(record.LossLine, "line with a time but without a severity that is known", pos, 1)
		return
	}
	a.w.loss(record.LossLine, a.log.unexplained, pos, 1)
}

// open begins the part of an entry that line starts.
func (a *assembly) open(line []byte, at int, m *matched, pos record.Pos) {
	a.part, a.start = m.label, at+m.body
	session, carried := m.session(line), a.carried(pos)
	if session == nil && carried != nil {
		session = carried.pid
	}
	if m.label != labelPrimary {
		a.entry = a.find(session)
		if a.entry == nil {
			a.w.loss(record.LossLine, "DETAIL, STATEMENT or the like without its entry", pos, 1)
		}
		return
	}
	if a.n == openEntries {
		a.flush()
	}
	a.entry = &a.ring[(a.first+a.n)%openEntries]
	a.n++
	*a.entry = openEntry{pos: pos, line: line, matched: *m, session: session, carried: carried}
}

// carried is what the carrier says about the line at pos, nil without one.
func (a *assembly) carried(pos record.Pos) *place {
	if i := pos.Line - 1; i >= 0 && i < int64(len(a.places)) {
		return &a.places[i]
	}
	return nil
}

// find is the latest open entry of the session; of any if the prefix tells
// none.
func (a *assembly) find(session []byte) *openEntry {
	for i := a.n - 1; i >= 0; i-- {
		e := &a.ring[(a.first+i)%openEntries]
		if session == nil || bytes.Equal(e.session, session) {
			return e
		}
	}
	return nil
}

// close ends the part that is being read at offset end.
func (a *assembly) close(end int) {
	if a.entry != nil {
		a.entry.parts[a.part] = bytes.TrimRight(a.block[a.start:end], "\r\n")
	}
}

// flush records the oldest open entry.
func (a *assembly) flush() {
	o := &a.ring[a.first]
	a.first = (a.first + 1) % openEntries
	a.n--
	w := a.w
	e := w.begin(o.pos)
	a.fillTime(e, o)
	a.fillSession(e, o)
	e.ErrorSeverity = o.matched.severity
	e.Message = w.primaryText(o.parts[labelPrimary])
	e.Detail, e.Hint = w.untab(o.parts[labelDetail]), w.untab(o.parts[labelHint])
	e.InternalQuery, e.Context = w.untab(o.parts[labelQuery]), w.untab(o.parts[labelContext])
	e.Query, e.Location = w.untab(o.parts[labelStatement]), o.parts[labelLocation]
	for _, lack := range a.log.lacks {
		w.loss(record.LossPrefix, lack, o.pos, 1)
	}
	if o.matched.loose {
		w.loss(record.LossPrefix, "prefix '"+a.log.prefix.text+"' holds a word that other lines lack, likely a user or database; give --prefix", o.pos, 1)
	}
	if skipped := o.matched.field(o.line, fieldSkip); len(bytes.TrimSpace(skipped)) > 0 {
		w.loss(record.LossPrefix, "prefix explains only the start of some lines: user, database and application unknown; give --prefix", o.pos, 1)
	}
	w.record(e)
}

func (a *assembly) fillTime(e *record.Entry, o *openEntry) {
	text := o.matched.field(o.line, fieldTimeMS)
	if text == nil {
		text = o.matched.field(o.line, fieldTime)
	}
	ok := true
	if n := o.matched.field(o.line, fieldEpoch); text == nil && n != nil {
		e.LogTime, ok = epochTime(n)
		e.Resolution = record.Millisecond
	} else if text != nil {
		ok = a.w.logTime(e, text)
	} else if o.carried != nil && o.carried.time != nil {
		ok = a.w.logTime(e, o.carried.time)
	}
	if !ok {
		a.w.loss(record.LossTime, "time that is none", o.pos, 1)
	}
	if a.log.exact && ok && e.Resolution == record.Second && o.carried != nil {
		a.refineTime(e, o.carried.time)
	}
}

// refineTime takes the carrier's time if it is the same but for the fraction
// that %t does not print.
func (a *assembly) refineTime(e *record.Entry, text []byte) {
	t, res, ok := a.w.clock.Time(text)
	if ok && t >= e.LogTime && t < e.LogTime.Add(record.Second) {
		e.LogTime, e.Resolution = t, res
	}
}

func (a *assembly) fillSession(e *record.Entry, o *openEntry) {
	m, line := &o.matched, o.line
	e.UserName, e.DatabaseName = m.field(line, fieldUser), m.field(line, fieldDatabase)
	e.Application, e.BackendType = m.field(line, fieldApplication), m.field(line, fieldBackendType)
	e.ProcessID, e.LeaderPID = parsePID(m.field(line, fieldPID)), parsePID(m.field(line, fieldLeaderPID))
	if e.ConnectionFrom = m.field(line, fieldRemote); e.ConnectionFrom == nil {
		e.ConnectionFrom = m.field(line, fieldHost)
	}
	e.SessionID = m.field(line, fieldSessionID)
	if start := m.field(line, fieldSessionStart); start != nil && e.SessionID == nil {
		e.SessionStart, _, _ = a.w.startClock.Time(start)
	}
	if n, ok := parseInt(m.field(line, fieldLineNum)); ok {
		e.SessionLineNum = n
	}
	e.CommandTag, e.VirtualTxID = m.field(line, fieldCommandTag), m.field(line, fieldVirtualTxID)
	if e.SQLState = m.field(line, fieldSQLState); o.carried != nil {
		a.carriedSession(e, o.carried)
	}
	e.QueryID, _ = parseInt(m.field(line, fieldQueryID))
	e.HasQueryID = e.QueryID != 0
}

// carriedSession fills in what the prefix does not tell.
func (a *assembly) carriedSession(e *record.Entry, c *place) {
	if e.ProcessID == 0 {
		e.ProcessID = parsePID(c.pid)
	}
	if e.SQLState == nil {
		e.SQLState = c.state
	}
}

// primaryText is the text of the primary line. A plan in JSON keeps its TABs: there
// they are blanks, and copying the largest entries is saved.
func (w *worker) primaryText(raw []byte) []byte {
	if i := bytes.IndexByte(raw, '\n'); i >= 0 && i < 80 && bytes.HasPrefix(raw[i:], jsonPayload) && bytes.Contains(raw[:i], []byte(" ms  plan:")) {
		return raw
	}
	return w.untab(raw)
}

var jsonPayload = []byte("\n\t{")

// untab joins the lines of a part: each after the first lost its TAB, and all
// their carriage return.
func (w *worker) untab(raw []byte) []byte {
	if bytes.IndexByte(raw, '\n') < 0 {
		return raw
	}
	start := len(w.scratch)
	for {
		i := bytes.IndexByte(raw, '\n')
		if i < 0 {
			break
		}
		w.scratch = append(w.scratch, bytes.TrimSuffix(raw[:i], []byte("\r"))...)
		w.scratch = append(w.scratch, '\n')
		if raw = raw[i+1:]; len(raw) > 0 && raw[0] == '\t' {
			raw = raw[1:]
		}
	}
	w.scratch = append(w.scratch, raw...)
	return w.scratch[start:len(w.scratch):len(w.scratch)]
}
