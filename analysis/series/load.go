package series

import (
	"math"
	"slices"
	"sort"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// load is what went on in the whole server, by time.
type load struct {
	model    *dataset.Model
	ends     []record.Time           // of all top-level executions of the log
	calls    map[record.Time]float64 // of all statements, by the end of their differences
	active   []dataset.Reading       // client backends in state active
	waiting  []dataset.Reading       // of them those that wait
	wal      []dataset.Reading       // bytes/s
	locks    []record.Time           // lock waits in the log
	checking []Span
	vacuums  []Span // of autovacuum workers
}

func loadOf(m *dataset.Model) *load {
	l := &load{model: m, calls: map[record.Time]float64{}}
	for _, e := range m.Executions {
		if e.ServerTime() > 0 && e.Time.Known() {
			l.ends = append(l.ends, e.Time)
		}
	}
	slices.Sort(l.ends)
	for _, s := range m.Statements {
		for i := range s.Diffs {
			l.calls[s.Diffs[i].To] += float64(s.Diffs[i].Calls)
		}
	}
	for i := range m.Events {
		switch e := &m.Events[i]; {
		case !e.LogTime.Known():
		case e.Kind == record.EventLockWait:
			l.locks = append(l.locks, e.LogTime)
		case e.Kind == record.EventCheckpoint:
			l.checking = append(l.checking, Span{e.LogTime.Add(-e.Duration), e.LogTime})
		}
	}
	for _, v := range m.Vacuums {
		if v.FromLog && v.Auto && v.End.Known() {
			l.vacuums = append(l.vacuums, Span{v.Start, v.End})
		}
	}
	l.backends(m.Activity)
	l.wal = rates(m.Deltas(record.ViewWAL, "wal_bytes", func(*record.Sample) bool { return true }))
	return l
}

// backends counts the client backends of each capture of pg_stat_activity. A
// capture ends where a process returns or a second passes.
func (l *load) backends(points []dataset.ActivityPoint) {
	seen := map[int64]bool{}
	var at record.Time
	var active, waiting float64
	flush := func() {
		if len(seen) > 0 {
			l.active = append(l.active, dataset.Reading{Time: at, Pages: active})
			l.waiting = append(l.waiting, dataset.Reading{Time: at, Pages: waiting})
		}
		clear(seen)
		active, waiting = 0, 0
	}
	for i := range points {
		p := &points[i]
		if !p.Time.Known() {
			break
		}
		if seen[p.PID] || p.Time.Sub(at) > record.Second {
			flush()
			at = p.Time
		}
		seen[p.PID] = true
		if p.State != "active" || p.BackendType != "" && p.BackendType != "client backend" {
			continue
		}
		active++
		if p.WaitEventType != "" {
			waiting++
		}
	}
	flush()
}

// rates are the growth per second of a counter between its captures; none
// across a reset.
func rates(deltas []dataset.Delta) []dataset.Reading {
	var out []dataset.Reading
	for _, d := range deltas {
		out = append(out, dataset.Reading{Time: Span{d.From, d.To}.middle(), Pages: float64(d.N) / d.To.Sub(d.From).Seconds(), Pos: d.Pos})
	}
	return out
}

// columns adds the load beside the readings of the frame, and the clock.
func (l *load) columns(f *Frame, groups []reading) {
	f.Columns = append(f.Columns, l.throughput(f, groups),
		snapshot(f, ActiveBackends, l.active, "no pg_stat_activity samples in input"),
		snapshot(f, WaitingBackends, l.waiting, "no pg_stat_activity samples in input"),
		snapshot(f, WALRate, l.wal, "no pg_stat_wal samples in input"),
		l.lockWaits(f),
		l.share(f, Checkpoints, l.checking, "log_checkpoints", "no checkpoints in the log"),
		l.share(f, AutovacuumWorkers, l.vacuums, "log_autovacuum_min_duration", "no vacuum lines in the log"))
	for i := range l.model.External {
		f.Columns = append(f.Columns, external(f, &l.model.External[i]))
	}
	clock := Column{Kind: WallClock, Values: make([]float64, f.Len()), Readings: f.Len()}
	for i, t := range f.at {
		clock.Values[i] = t.Sub(f.at[0]).Seconds()
	}
	f.Columns = append(f.Columns, clock)
}

func snapshot(f *Frame, kind Kind, rs []dataset.Reading, missing string) Column {
	col := interpolated(f, kind, rs)
	if col.known() == 0 {
		col.Missing = missing
	}
	return col
}

func external(f *Frame, x *dataset.External) Column {
	rs := make([]dataset.Reading, len(x.Points))
	for i, p := range x.Points {
		rs[i] = dataset.Reading{Time: p.Time, Pages: p.Value, Pos: p.Pos}
	}
	col := interpolated(f, External, rs)
	col.Name, col.Unit, col.Source = x.Name, x.Unit, FromExternal
	return col
}

// leastWindow is over which time executions are counted at least.
const leastWindow = record.Second

// window is the reading's span, a second at least.
func window(s Span) Span {
	if d := s.To.Sub(s.From); d < leastWindow {
		half := (leastWindow - d) / 2
		return Span{s.From.Add(-half), s.To.Add(half)}
	}
	return s
}

func countIn(times []record.Time, s Span) int {
	from := sort.Search(len(times), func(i int) bool { return times[i] >= s.From })
	return sort.Search(len(times), func(i int) bool { return times[i] > s.To }) - from
}

// throughput counts the executions of all statements: those that end in the
// reading's time, each weighted by what a sampled log leaves out, or those of
// pg_stat_statements.
func (l *load) throughput(f *Frame, groups []reading) Column {
	col := Column{Kind: Throughput, Values: absent(f)}
	for i, g := range groups {
		if len(l.ends) > 0 {
			w := window(g.span)
			col.Values[i] = l.model.Logging.Weight() * float64(countIn(l.ends, w)) / w.To.Sub(w.From).Seconds()
			continue
		}
		var calls, seconds float64
		for _, d := range g.diffs {
			calls += l.calls[d.To]
			seconds += d.To.Sub(d.From).Seconds()
		}
		if seconds > 0 {
			col.Values[i] = calls / seconds
		}
	}
	return col
}

// lockWaits are the lock waits that the log tells. Without log_lock_waits their
// absence says nothing.
func (l *load) lockWaits(f *Frame) Column {
	col := Column{Kind: LockWaits, Values: absent(f)}
	if on, ok := l.model.Setting("log_lock_waits"); len(l.locks) == 0 && !(ok && on.Value == "on") {
		col.Missing = "log_lock_waits not known to be on"
		return col
	}
	for i, s := range f.Spans {
		w := window(s)
		col.Values[i] = float64(countIn(l.locks, w)) / w.To.Sub(w.From).Seconds()
	}
	return col
}

// share is the mean number of spans in progress. None at all is 0 where the
// setting logs them, else unknown.
func (l *load) share(f *Frame, kind Kind, spans []Span, setting, missing string) Column {
	col := Column{Kind: kind, Values: absent(f)}
	if len(spans) == 0 && !l.logs(setting) {
		col.Missing = missing
		return col
	}
	for i, s := range f.Spans {
		w := window(s)
		var overlap float64
		for _, o := range spans {
			overlap += math.Max(0, min(o.To, w.To).Sub(max(o.From, w.From)).Seconds())
		}
		col.Values[i] = overlap / w.To.Sub(w.From).Seconds()
	}
	return col
}

func (l *load) logs(setting string) bool {
	s, ok := l.model.Setting(setting)
	return ok && (s.Value == "on" || s.Value == "0")
}
