package pglog

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/record"
)

// A carrier is what syslog, a container runtime or a cloud's log service makes
// of a log: it puts something of its own around each line. It is taken off in
// one place, here; what remains is read as if it had never been shipped.

// carrier says how the lines of a log are carried.
type carrier struct {
	units units
	// hasTime and hasPID say that the carrier tells what the prefix may lack.
	hasTime, hasPID bool
	// exact says that its time is the server's, to the millisecond.
	exact bool
	// bare says that the lines have no prefix.
	bare bool
	// newestFirst says that the file is written backwards.
	newestFirst bool
}

// units are the pieces that a file of some carrier consists of: lines, objects
// or rows.
type units interface {
	// next reads the unit at offset at of data into c and answers the offset
	// behind it.
	next(u *unwrapper, data []byte, at int, c *carried) int
	// begin and cut are those of source.Detection, where accept knows whether
	// an entry begins with what a unit carries.
	begin(data []byte, accept func(c *carried) bool) int
	// opening is that of source.Detection.
	opening(data []byte) bool
	cut(data []byte, accept func(c *carried) bool) int
}

// carriedKind says what a unit carries.
type carriedKind uint8

const (
	carriesNothing carriedKind = iota // blank, or of another program
	carriesDamage                     // not a unit of this carrier
	carriesText                       // the start of a line
	carriesMore                       // a further line of the text before
)

// carried is what one unit carries.
type carried struct {
	kind   carriedKind
	text   []byte // without a line end at its end; may be several lines
	time   []byte // of the carrier, as PostgreSQL would print it
	pid    []byte
	state  []byte // SQLSTATE
	writer []byte // tells streams of lines apart
	// number and chunk are of a message that was cut into several: the chunks of
	// one number belong together. chunk is 0 if there are none.
	number, chunk int64
	unended       bool // the line goes on in the writer's next unit
	start         int  // offset of the unit, if it does not begin where it was looked for
}

// place is where a line of the carried text stands in the file, and what the
// carrier says about it.
type place struct {
	pos              record.Pos
	time, pid, state []byte
}

// segment is the text of one unit. Those of one message are put together.
type segment struct {
	place
	text    []byte
	message int32
	joined  bool // goes on in the line before
}

// writer is the message that a writer is writing.
type writer struct {
	message int32
	number  int64
	unended bool
	full    bool // the last chunk may have been cut inside a word
}

// laterUnit is a unit of a file that was written backwards: its further lines
// stand before it.
type laterUnit struct {
	carried carried
	pos     record.Pos
}

// unwrapper takes the carrier off one block.
type unwrapper struct {
	jsonReader
	row      csvRow
	segments []segment
	writers  map[string]*writer
	messages int32
	mixed    bool // messages come interleaved
	later    []laterUnit
	out      []byte // the log
	places   []place
	vain     int // see scanAllowance
	damage   record.Loss
	orphans  record.Loss
}

func newUnwrapper() *unwrapper { return &unwrapper{writers: make(map[string]*writer)} }

// unwrap fills out and places from a block.
func (u *unwrapper) unwrap(c *carrier, block []byte, pos record.Pos) {
	u.scratch, u.segments, u.out, u.places = u.scratch[:0], u.segments[:0], u.out[:0], u.places[:0]
	u.messages, u.mixed, u.vain = 0, false, 0
	u.damage = record.Loss{Kind: record.LossLine, Text: "line that is not of the carrier that the other lines have"}
	u.orphans = record.Loss{Kind: record.LossLine, Text: "rest of a message whose start is not in the input"}
	clear(u.writers)
	u.later = u.later[:0]
	lines := lineCounter{data: block, line: pos.Line}
	for at := 0; at < len(block); {
		var got carried
		next := c.units.next(u, block, at, &got)
		switch got.kind {
		case carriesDamage:
			countLoss(&u.damage, lines.pos(pos, max(at, got.start)))
		case carriesText, carriesMore:
			here := lines.pos(pos, max(at, got.start))
			if c.newestFirst {
				u.later = append(u.later, laterUnit{got, here})
			} else {
				u.add(&got, here)
			}
		}
		at = next
	}
	for i := len(u.later) - 1; i >= 0; i-- {
		u.add(&u.later[i].carried, u.later[i].pos)
	}
	u.order()
	for i := range u.segments {
		u.write(&u.segments[i])
	}
}

func countLoss(l *record.Loss, at record.Pos) {
	if l.Count == 0 {
		l.Pos = at
	}
	l.Count++
}

// add keeps what a unit carries.
func (u *unwrapper) add(c *carried, at record.Pos) {
	w, ok := u.writers[string(c.writer)]
	if !ok {
		w = &writer{message: -1}
		u.writers[string(c.writer)] = w
	}
	s := segment{text: c.text, place: place{pos: at, time: c.time, pid: c.pid, state: c.state}}
	switch {
	case w.unended:
		s.joined = true
	case c.chunk > 1:
		if w.message < 0 || w.number != c.number {
			countLoss(&u.orphans, at)
			return
		}
		s.joined = w.joins(c.text)
	case w.message >= 0 && (c.kind == carriesMore || c.chunk == 0 && len(c.text) > 0 && c.text[0] == '\t'):
	default:
		w.message, w.number = u.messages, c.number
		u.messages++
	}
	s.message = w.message
	w.unended = c.unended
	w.full = c.chunk > 0 && len(c.text) >= syslogFull && bytes.IndexByte(c.text, ' ') < 0
	u.mixed = u.mixed || s.message != u.messages-1
	u.segments = append(u.segments, s)
}

// syslogFull is the length of a chunk that PostgreSQL may have cut where there
// was no blank: less than PG_SYSLOG_LIMIT, 900, by a character.
const syslogFull = 890

// joins reports whether a further chunk goes on in the line of the chunk
// before. PostgreSQL cuts at line ends, which leaves a TAB or a prefix in front,
// and long lines at blanks. Heroku's prefix begins with a blank too.
func (w *writer) joins(text []byte) bool {
	switch {
	case len(text) == 0:
		return w.full
	case text[0] == '\t':
		return false
	case text[0] == ' ':
		return !startsPart(text)
	}
	return w.full
}

// startsPart reports lines that begin a DETAIL, a STATEMENT or the like.
func startsPart(line []byte) bool {
	i := findLabel(line)
	if i < 0 {
		return false
	}
	l, _, _ := readLabel(line[i:])
	return l != labelPrimary
}

// order puts the segments of each message together.
func (u *unwrapper) order() {
	if !u.mixed {
		return
	}
	starts := make([]int32, u.messages+1)
	for i := range u.segments {
		starts[u.segments[i].message+1]++
	}
	for i := range u.messages {
		starts[i+1] += starts[i]
	}
	sorted := make([]segment, len(u.segments))
	for _, s := range u.segments {
		sorted[starts[s.message]] = s
		starts[s.message]++
	}
	u.segments = sorted
}

// write appends the segment's lines to out.
func (u *unwrapper) write(s *segment) {
	if len(u.places) > 0 && !s.joined {
		u.out = append(u.out, '\n')
	}
	if !s.joined || len(u.places) == 0 {
		u.places = append(u.places, s.place)
	}
	for range bytes.Count(s.text, []byte{'\n'}) {
		u.places = append(u.places, s.place)
	}
	u.out = append(u.out, s.text...)
}
