package dataset

import (
	"cmp"
	"slices"
	"sort"

	"github.com/pgassay/pgassay/parser/record"
)

// executions sorts what was logged into sessions, pairs plan and duration
// lines, and fills Model.Executions and Model.Sessions.
func (b *builder) executions() {
	rank := b.fileRanks()
	execs := onceExecs(b.d.execs.pointers(), b.spans)
	slices.SortStableFunc(execs, func(x, y *Exec) int { return logOrder(x, y, rank) })
	for i := 0; i < len(execs); {
		j := i + 1
		for j < len(execs) && execs[j].Session == execs[i].Session {
			j++
		}
		b.session(execs[i:j])
		i = j
	}
	m := b.m
	slices.SortStableFunc(m.Executions, func(x, y *Execution) int {
		return cmp.Or(cmp.Compare(x.Time, y.Time), posOrder(x.Pos, y.Pos))
	})
	concurrency(m.Executions)
	b.keep()
	for _, e := range m.Executions {
		s := e.Statement
		s.Executions = append(s.Executions, e)
		s.Calls++
		s.Total += e.ServerTime()
		if e.Time.Known() && (!s.FirstSeen.Known() || e.Start < s.FirstSeen) {
			s.FirstSeen = e.Start
		}
	}
}

// fileRanks orders files by their first entry, so that a log cut into files
// keeps its order whatever the files are called.
func (b *builder) fileRanks() map[string]int {
	names := make([]string, 0, len(b.d.files))
	for n := range b.d.files {
		names = append(names, n)
	}
	sort.Slice(names, func(i, j int) bool {
		if a, c := b.d.files[names[i]], b.d.files[names[j]]; a != c {
			return a < c
		}
		return names[i] < names[j]
	})
	rank := make(map[string]int, len(names))
	for i, n := range names {
		rank[n] = i
	}
	return rank
}

func logOrder(a, b *Exec, rank map[string]int) int {
	if c := cmp.Compare(a.Session, b.Session); c != 0 {
		return c
	}
	if c := cmp.Compare(a.Time, b.Time); c != 0 {
		return c
	}
	if a.LineNum >= 0 && b.LineNum >= 0 && a.LineNum != b.LineNum {
		return cmp.Compare(a.LineNum, b.LineNum)
	}
	if a.Pos.File != b.Pos.File {
		return cmp.Compare(rank[a.Pos.File], rank[b.Pos.File])
	}
	return cmp.Compare(a.Pos.Offset, b.Pos.Offset)
}

// session pairs the lines of one session, in log order.
func (b *builder) session(lines []*Exec) {
	p := pairer{b: b, session: &Session{Name: lines[0].Session}}
	for _, x := range lines {
		p.line(x)
	}
	p.flush()
	if lines[0].Session == "" {
		return
	}
	s := p.session
	for _, x := range lines {
		s.Application = firstText(s.Application, x.Application)
		s.User = firstText(s.User, x.User)
		s.Database = firstText(s.Database, x.Database)
	}
	b.m.Sessions = append(b.m.Sessions, s)
}

func firstText(a, b string) string {
	if a != "" && a != "[unknown]" {
		return a
	}
	return b
}

// concurrency counts for each execution the others in flight at its start.
func concurrency(execs []*Execution) {
	starts, ends := make([]record.Time, 0, len(execs)), make([]record.Time, 0, len(execs))
	for _, e := range execs {
		if e.ServerTime() > 0 && e.Time.Known() {
			starts = append(starts, e.Start)
			ends = append(ends, e.Time)
		}
	}
	slices.Sort(starts)
	slices.Sort(ends)
	for _, e := range execs {
		if e.ServerTime() == 0 || !e.Time.Known() {
			continue
		}
		begun := sort.Search(len(starts), func(i int) bool { return starts[i] > e.Start })
		ended := sort.Search(len(ends), func(i int) bool { return ends[i] > e.Start })
		e.Concurrency = max(0, begun-ended-1)
	}
}
