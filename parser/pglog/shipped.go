package pglog

import (
	"sync"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// shipped reads a file through its carrier.
type shipped struct {
	carrier *carrier
	inner   *source.Detection
	lines   *stderrLog // what inner reads with, if it is the stderr format
	idle    sync.Pool
}

// carriedScore is the score of a carried log: above what the stderr format can
// get for taking the carrier's text for a prefix.
const carriedScore = 97

// detectShipped recognises what the carrier carries. nil if it carries no log.
func detectShipped(h *source.Head, c *carrier) *source.Detection {
	u := newUnwrapper()
	u.unwrap(c, h.Data, record.Pos{Line: 1})
	if len(u.segments) == 0 || u.damage.Count > int64(len(u.segments)) {
		return nil
	}
	inner := *h
	inner.Data = u.out[:min(len(u.out), source.HeadSize)]
	s := &shipped{carrier: c}
	if s.recognise(&inner); s.inner == nil {
		return nil
	}
	d := &source.Detection{
		Score: carriedScore, Reason: s.inner.Reason, Detail: s.inner.Detail, Zone: s.inner.Zone, Prefix: s.inner.Prefix,
		Begin: s.begin, Cut: s.cut, Parse: s.parse, GoesOn: s.goesOn, Opening: c.units.opening,
	}
	if d.Reason != "" {
		d.Score = s.inner.Score
	}
	return d
}

// recognise finds the format of what is carried.
func (s *shipped) recognise(h *source.Head) {
	for _, f := range [...]source.Format{CSVLog, JSONLog, CloudNativePG} {
		if d := f.Detect(h); d != nil && d.Reason == "" {
			s.inner = d
			s.inner.Detail = joinDetail(f.Name, d.Detail)
			return
		}
	}
	s.lines, s.inner = recogniseStderr(h, s.carrier)
}

func joinDetail(format, detail string) string {
	if detail == "" {
		return format
	}
	return format + ", " + detail
}

// starts reports whether an entry starts with what a unit carries.
func (s *shipped) starts(c *carried) bool {
	return c.kind == carriesText && c.chunk <= 1 && len(c.text) > 0 && s.inner.Begin(c.text) == 0
}

func (s *shipped) begin(data []byte) int {
	if s.carrier.newestFirst {
		return s.carrier.units.begin(data, func(c *carried) bool { return c.kind == carriesText })
	}
	return s.carrier.units.begin(data, s.starts)
}

// cut cuts before the last unit that starts an entry; behind it, further chunks
// of an earlier message may follow.
func (s *shipped) cut(data []byte) int {
	if s.carrier.newestFirst {
		return s.cutNewestFirst(data)
	}
	var behind behindCut
	return s.carrier.units.cut(data, func(c *carried) bool { return behind.resolved(c) && s.starts(c) })
}

// cutNewestFirst cuts behind the last unit that starts an entry: what belongs to
// that entry stands before it.
func (s *shipped) cutNewestFirst(data []byte) int {
	start := s.carrier.units.cut(data, s.starts)
	var c carried
	next := s.carrier.units.next(newUnwrapper(), data, start, &c)
	if !s.starts(&c) {
		return 0
	}
	return next
}

// behindCut are the writers whose chunks were seen while going backwards, but
// not the start of the message.
type behindCut struct {
	writers [8]string
	n       int
}

// resolved reports whether all messages that have chunks behind the unit start
// there too.
func (b *behindCut) resolved(c *carried) bool {
	if c.kind != carriesText {
		return false
	}
	i := 0
	for i < b.n && b.writers[i] != string(c.writer) {
		i++
	}
	switch {
	case c.chunk > 1 && i == b.n && b.n < len(b.writers):
		b.writers[b.n] = string(c.writer)
		b.n++
	case c.chunk <= 1 && i < b.n:
		b.n--
		b.writers[i] = b.writers[b.n]
	}
	return b.n == 0
}

// goesOn reports whether the first unit of data carries the rest of an entry.
func (s *shipped) goesOn(data []byte) bool {
	u := newUnwrapper()
	var c carried
	s.carrier.units.next(u, data, 0, &c)
	switch {
	case c.kind == carriesMore, c.kind == carriesText && c.chunk > 1:
		return true
	case c.kind != carriesText || len(c.text) == 0:
		return false
	}
	return c.text[0] == '\t' || s.inner.GoesOn != nil && s.inner.GoesOn(c.text)
}

func (s *shipped) parse(block []byte, pos record.Pos, b *record.Batch) {
	u, ok := s.idle.Get().(*unwrapper)
	if !ok {
		u = newUnwrapper()
	}
	defer s.idle.Put(u)
	u.unwrap(s.carrier, block, pos)
	for _, l := range [...]record.Loss{u.damage, u.orphans} {
		if l.Count > 0 {
			b.Losses = append(b.Losses, l)
		}
	}
	before := markBatch(b)
	carriedPos := record.Pos{File: pos.File, Line: 1}
	if s.lines != nil {
		s.lines.parseCarried(u.out, carriedPos, b, u.places)
	} else {
		s.inner.Parse(u.out, carriedPos, b)
	}
	before.relocate(b, u.places)
	clear(u.segments)
	clear(u.later)
	clear(u.places)
}

// batchMark is how much a batch held at some time.
type batchMark struct{ executions, vacuums, events, losses, unknown, stretches int }

func markBatch(b *record.Batch) batchMark {
	return batchMark{len(b.Executions), len(b.Vacuums), len(b.Events), len(b.Losses), len(b.Unknown), len(b.Stretches)}
}

// relocate gives what was added since the places of the file.
func (m batchMark) relocate(b *record.Batch, places []place) {
	line := func(n int64) int64 {
		if n < 1 || n > int64(len(places)) {
			return 0
		}
		return places[n-1].pos.Line
	}
	move := func(p *record.Pos) {
		if p.Line >= 1 && p.Line <= int64(len(places)) {
			*p = places[p.Line-1].pos
		}
	}
	for i := range b.Executions[m.executions:] {
		x := &b.Executions[m.executions+i]
		move(&x.Pos)
		if x.Plan != nil {
			for n := range x.Plan.Nodes {
				x.Plan.Nodes[n].Line = line(x.Plan.Nodes[n].Line)
			}
		}
	}
	for i := range b.Vacuums[m.vacuums:] {
		v := &b.Vacuums[m.vacuums+i]
		move(&v.Pos)
		for n := range v.Indexes {
			v.Indexes[n].Line = line(v.Indexes[n].Line)
		}
	}
	for i := range b.Stretches[m.stretches:] {
		s := &b.Stretches[m.stretches+i]
		move(&s.First)
		move(&s.Last)
	}
	for i := range b.Events[m.events:] {
		move(&b.Events[m.events+i].Pos)
	}
	for i := range b.Losses[m.losses:] {
		move(&b.Losses[m.losses+i].Pos)
	}
	for i := range b.Unknown[m.unknown:] {
		move(&b.Unknown[m.unknown+i])
	}
}
