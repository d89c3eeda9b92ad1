package dataset

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// told is how one entry is recognised in another destination. %l is no help:
// stderr counts DETAIL and STATEMENT lines too.
type told[K comparable] struct {
	key  K
	file string
	rich bool // it has a session id
	ok   bool // it can be recognised at all
}

// onceOf drops entries that another file tells as well: of each entry the
// copies of one file are kept, the file that has most of them and, among
// equals, the one with session ids. Files whose spans do not overlap are no
// copies of each other, whatever they hold.
func onceOf[T any, K comparable](items []T, spans fileSpans, tell func(T) told[K]) []T {
	if len(spans) < 2 {
		return items
	}
	groups := map[K][]int{}
	tells := make([]told[K], len(items))
	for i, x := range items {
		if tells[i] = tell(x); tells[i].ok {
			groups[tells[i].key] = append(groups[tells[i].key], i)
		}
	}
	drop := make([]bool, len(items))
	for _, g := range groups {
		if len(g) > 1 {
			dropCopies(tells, g, spans, drop)
		}
	}
	kept := items[:0]
	for i := range items {
		if !drop[i] {
			kept = append(kept, items[i])
		}
	}
	return kept
}

func dropCopies[K comparable](tells []told[K], group []int, spans fileSpans, drop []bool) {
	count, rich := map[string]int{}, map[string]bool{}
	var files []string
	for _, i := range group {
		t := &tells[i]
		if count[t.file] == 0 {
			files = append(files, t.file)
		}
		count[t.file]++
		rich[t.file] = rich[t.file] || t.rich
	}
	if len(files) < 2 {
		return
	}
	slices.SortFunc(files, func(a, b string) int {
		if rich[a] != rich[b] && count[a] == count[b] {
			if rich[a] {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
	for _, i := range group {
		f := tells[i].file
		drop[i] = f != files[0] && spans.copies(files[0], f)
	}
}

// fileSpans are the first and last time of each log file.
type fileSpans map[string]fileSpan

type fileSpan struct {
	first, last record.Time
	coarse      bool // a clock of one second
}

func (s fileSpans) see(file string, t record.Time, coarse bool) {
	if !t.Known() {
		return
	}
	x, ok := s[file]
	if !ok {
		x = fileSpan{first: t, last: t}
	}
	x.first, x.last = min(x.first, t), max(x.last, t)
	x.coarse = x.coarse || coarse
	s[file] = x
}

// copies reports whether two files may tell the same entries: they overlap by
// more than the second at which one may end and the next begin, or one lies
// within the other.
func (s fileSpans) copies(a, b string) bool {
	x, y := s[a], s[b]
	overlap := min(x.last, y.last).Sub(max(x.first, y.first))
	if overlap > record.Second {
		return true
	}
	within := func(p, q fileSpan) bool {
		slack := record.Duration(0)
		if p.coarse != q.coarse {
			slack = record.Second
		}
		return p.first >= q.first.Add(-slack) && p.last <= q.last.Add(slack)
	}
	return within(x, y) || within(y, x)
}

// clock is the time by which entries of several files are compared: to the
// second if any of them tells no more.
func (s fileSpans) clock(t record.Time) record.Time {
	for _, x := range s {
		if x.coarse {
			return t - t%record.Time(record.Second)
		}
	}
	return t
}

type execKey struct {
	pid         int32
	kind        record.ExecutionKind
	time        record.Time
	duration    record.Duration
	fingerprint string
}

func onceExecs(execs []*Exec, spans fileSpans) []*Exec {
	return onceOf(execs, spans, func(x *Exec) told[execKey] {
		return told[execKey]{
			key:  execKey{x.ProcessID, x.Kind, spans.clock(x.Time), x.Duration, x.Fingerprint},
			file: x.Pos.File, rich: strings.Contains(x.Session, "."), ok: x.Time.Known() && x.ProcessID != 0,
		}
	})
}

type eventKey struct {
	pid                    int32
	kind                   record.EventKind
	time                   record.Time
	object, text, sqlstate string
	count                  int64
}

func onceEvents(events []record.Event, spans fileSpans) []record.Event {
	return onceOf(events, spans, func(e record.Event) told[eventKey] {
		return told[eventKey]{
			key:  eventKey{e.ProcessID, e.Kind, spans.clock(e.LogTime), e.Object, e.Text, e.SQLState, e.Count},
			file: e.Pos.File, rich: strings.Contains(e.Session, "."), ok: e.LogTime.Known() && e.ProcessID != 0,
		}
	})
}

type vacuumKey struct {
	pid                        int32
	kind                       record.VacuumKind
	time                       record.Time
	database, schema, relation string
}

func onceVacuums(vacuums []record.Vacuum, spans fileSpans) []record.Vacuum {
	return onceOf(vacuums, spans, func(v record.Vacuum) told[vacuumKey] {
		return told[vacuumKey]{
			key:  vacuumKey{v.ProcessID, v.Kind, spans.clock(v.LogTime), v.Database, v.Schema, v.Relation},
			file: v.Pos.File, ok: v.LogTime.Known() && v.ProcessID != 0,
		}
	})
}
