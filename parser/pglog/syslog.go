package pglog

import (
	"bytes"
	"strconv"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// Syslog is log_destination = syslog as syslog daemons write it, and what
// journalctl prints: BSD, RFC 3339 and RFC 5424 headers. Messages that
// PostgreSQL cut into chunks "[3-1]", "[3-2]" are put together by process; lines
// of other programs are passed over.
var Syslog = source.Format{
	Name:   "syslog",
	Doc:    "PostgreSQL log through syslog or journalctl: BSD, RFC 3339 and RFC 5424 headers",
	Detect: detectSyslog,
}

const (
	headerSearch = 50 // lines looked at for a header
	maxTags      = 8
)

// syslogLog is how one file names the server, and its year.
type syslogLog struct {
	years bsdYears
	tags  [][]byte // of the lines that PostgreSQL wrote
}

func detectSyslog(h *source.Head) *source.Detection {
	s := &syslogLog{years: bsdYears{year: noYear}}
	bsd := s.look(h.Data)
	if len(s.tags) == 0 {
		return nil
	}
	known := true
	if bsd > 0 {
		s.years, known = newBSDYears(h, bsd)
	}
	d := detectShipped(h, &carrier{units: lineUnits{s.read}, hasTime: true, hasPID: true})
	if d != nil && d.Reason == "" && bsd > 0 && !known {
		d.Parse = withoutYear(d.Parse)
	}
	return d
}

// withoutYear says with each block that the year was guessed.
func withoutYear(parse func([]byte, record.Pos, *record.Batch)) func([]byte, record.Pos, *record.Batch) {
	text := "syslog times have no year: taken as " + strconv.Itoa(noYear)
	return func(block []byte, pos record.Pos, b *record.Batch) {
		b.Losses = append(b.Losses, record.Loss{Pos: pos, Kind: record.LossTime, Text: text, Count: 1})
		parse(block, pos, b)
	}
}

// look finds the tags of lines with a severity, and the month of the first line
// with a BSD time, 0 if there is none.
func (s *syslogLog) look(data []byte) (month int) {
	u := newUnwrapper()
	var h syslogHeader
	headers := 0
	for at, n := 0, 0; at < len(data) && (headers > 0 || n < headerSearch); n++ {
		line, next := cutLine(data, at)
		at = next
		u.scratch = u.scratch[:0]
		if !u.header(line, s.years, &h) {
			continue
		}
		headers++
		if month == 0 {
			month = bsdMonth(line[priority(line):])
		}
		if len(s.tags) < maxTags && !s.ours(h.tag) && findLabel(line[h.n:]) >= 0 {
			s.tags = append(s.tags, bytes.Clone(h.tag))
		}
	}
	return month
}

func (s *syslogLog) ours(tag []byte) bool {
	for _, t := range s.tags {
		if bytes.Equal(t, tag) {
			return true
		}
	}
	return false
}

// read takes the header and the chunk's number off a line.
func (s *syslogLog) read(u *unwrapper, line []byte, c *carried) {
	var h syslogHeader
	if !u.header(line, s.years, &h) {
		c.journalLine(line)
		return
	}
	if !s.ours(h.tag) {
		return
	}
	c.kind, c.time, c.pid, c.writer = carriesText, h.time, h.pid, h.pid
	if c.writer == nil {
		c.writer = h.tag
	}
	c.chunked(line[h.n:])
	c.text = u.octal(c.text)
}

// journalLine is a further line of a message in journalctl's output, which
// indents it to the width of the header; anything else is damage.
func (c *carried) journalLine(line []byte) {
	text := bytes.TrimLeft(line, " ")
	if c.kind = carriesDamage; len(line)-len(text) > len("Mar 02 08:00:01 ") {
		c.kind, c.text = carriesMore, text
	}
}

// chunked reads "[3-1] " before the text; syslog_sequence_numbers = off leaves it
// out.
func (c *carried) chunked(text []byte) {
	c.text = text
	k := cursor{bytes.TrimLeft(text, " ")}
	if !k.lit("[") {
		return
	}
	number, ok := k.int()
	if !ok || number < 0 || !k.lit("-") {
		return
	}
	chunk, ok := k.int()
	if !ok || chunk < 1 || !k.lit("]") {
		return
	}
	k.lit(" ")
	c.number, c.chunk, c.text = number, chunk, k.b
}

// octal undoes what syslog daemons make of control characters: "#011" for a TAB,
// "#012" for a line end.
func (u *unwrapper) octal(text []byte) []byte {
	i := bytes.Index(text, []byte("#0"))
	if i < 0 {
		return text
	}
	start := len(u.scratch)
	for ; i >= 0; i = bytes.Index(text, []byte("#0")) {
		u.scratch = append(u.scratch, text[:i]...)
		if c, ok := octalControl(text[i:]); ok {
			u.scratch = append(u.scratch, c)
			text = text[i+4:]
			continue
		}
		u.scratch = append(u.scratch, text[i:i+2]...)
		text = text[i+2:]
	}
	u.scratch = append(u.scratch, text...)
	return u.scratch[start:len(u.scratch):len(u.scratch)]
}

// octalControl reads "#0" and two octal digits of a control character.
func octalControl(b []byte) (byte, bool) {
	if len(b) < 4 || b[2]-'0' > 3 || b[3]-'0' > 7 {
		return 0, false
	}
	return (b[2]-'0')<<3 | b[3] - '0', true
}
