package signature

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// lockWait is one wait for one lock by one process, put together from its "still
// waiting" and "acquired" lines, or from samples of pg_stat_activity.
type lockWait struct {
	PID          int32
	Object, Mode string
	Start, End   record.Time
	First, Last  record.Pos
	Acquired     bool
	Holders      []int32 // who held the lock, of all lines
	Queue        int     // the longest wait queue that a line tells
	Statement    *record.Statement
}

// length is how long it lasted, as far as the log tells.
func (w *lockWait) length() record.Duration { return w.End.Sub(w.Start) }

// overlaps reports whether two waits lasted at one time.
func (w *lockWait) overlaps(o *lockWait) bool { return w.Start <= o.End && o.Start <= w.End }

// exclusive reports a wait for a lock that every reader of a table must wait
// behind.
func (w *lockWait) exclusive() bool { return w.Mode == "AccessExclusiveLock" }

// sameWait is how far the starts that two lines of one wait give may lie apart:
// the log's clock has milliseconds, or seconds.
const sameWait = record.Second

// lockWaits are the waits that the log tells, by start. A wait that no line ends
// lasted until its process failed, else until its last line.
func (l *serverLog) lockWaits() []*lockWait {
	type key struct {
		pid    int32
		object string
	}
	open := map[key]*lockWait{}
	byPID := map[int32]*lockWait{}
	var out []*lockWait
	for _, e := range l.all(record.EventLockWait, record.EventLockAcquired, record.EventError, record.EventDeadlock) {
		if e.Kind == record.EventError || e.Kind == record.EventDeadlock {
			if w := byPID[e.ProcessID]; w != nil && !w.Acquired {
				w.End = max(w.End, e.LogTime)
				delete(byPID, e.ProcessID)
			}
			continue
		}
		k, start := key{e.ProcessID, e.Object}, e.LogTime.Add(-e.Duration)
		w := open[k]
		if w == nil || w.Acquired || start > w.Start.Add(sameWait) {
			w = &lockWait{PID: e.ProcessID, Object: e.Object, Mode: e.Text, Start: start, First: e.Pos}
			open[k] = w
			out = append(out, w)
		}
		w.add(e)
		byPID[e.ProcessID] = w
	}
	slices.SortStableFunc(out, func(a, b *lockWait) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.PID, b.PID))
	})
	return out
}

func (w *lockWait) add(e *record.Event) {
	w.Last, w.End = e.Pos, e.LogTime
	w.Acquired = e.Kind == record.EventLockAcquired
	w.Queue = max(w.Queue, len(e.Queue))
	for _, h := range e.Holders {
		if !slices.Contains(w.Holders, h) {
			w.Holders = append(w.Holders, h)
		}
	}
	if w.Statement == nil {
		w.Statement = e.Statement
	}
}

// lockQueue is waits that hang together: for one object, or for one another.
type lockQueue struct {
	Waits []*lockWait // by start
	Head  int32       // the process that holds what the first waits for, and waits for nothing itself; 0 if not told
}

func (q *lockQueue) from() record.Time { return q.Waits[0].Start }

func (q *lockQueue) to() record.Time {
	end := q.Waits[0].End
	for _, w := range q.Waits {
		end = max(end, w.End)
	}
	return end
}

// waited is the sum of all waits.
func (q *lockQueue) waited() record.Duration {
	var sum record.Duration
	for _, w := range q.Waits {
		sum += w.length()
	}
	return sum
}

func (q *lockQueue) longest() *lockWait {
	worst := q.Waits[0]
	for _, w := range q.Waits {
		if w.length() > worst.length() {
			worst = w
		}
	}
	return worst
}

// waiters counts the processes that waited.
func (q *lockQueue) waiters() int {
	seen := map[int32]bool{}
	for _, w := range q.Waits {
		seen[w.PID] = true
	}
	return len(seen)
}

// lockQueues joins waits into queues, by start: a wait belongs to the queue of a
// wait for the same object that still lasts, of the process it waits for, or of
// one that waits for it.
func lockQueues(waits []*lockWait) []*lockQueue {
	root := make([]int, len(waits))
	for i := range root {
		root[i] = i
	}
	find := func(i int) int {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	last := map[string]int{} // by object, and by process as waiter and as holder
	join := func(key string, i int) {
		if k, ok := last[key]; ok && waits[k].overlaps(waits[i]) {
			root[find(i)] = find(k)
		}
	}
	note := func(key string, i int) {
		if k, ok := last[key]; !ok || waits[k].End <= waits[i].End {
			last[key] = i
		}
	}
	for i, w := range waits {
		join(w.Object, i)
		join("held by "+processName(w.PID), i)
		for _, h := range w.Holders {
			join("waits "+processName(h), i)
			join("held by "+processName(h), i)
			note("held by "+processName(h), i)
		}
		note(w.Object, i)
		note("waits "+processName(w.PID), i)
	}
	return collect(waits, find)
}

func collect(waits []*lockWait, find func(int) int) []*lockQueue {
	byRoot := map[int]*lockQueue{}
	var out []*lockQueue
	for i, w := range waits {
		q := byRoot[find(i)]
		if q == nil {
			q = &lockQueue{}
			byRoot[find(i)] = q
			out = append(out, q)
		}
		q.Waits = append(q.Waits, w)
	}
	for _, q := range out {
		q.Head = q.head()
	}
	return out
}

// head is the process that most waits name as holder and that waits for nothing
// itself, the smallest among equals.
func (q *lockQueue) head() int32 {
	waiting := map[int32]bool{}
	for _, w := range q.Waits {
		waiting[w.PID] = true
	}
	count := map[int32]int{}
	best := int32(0)
	for _, w := range q.Waits {
		for _, h := range w.Holders {
			if waiting[h] {
				continue
			}
			count[h]++
			if best == 0 || count[h] > count[best] || count[h] == count[best] && h < best {
				best = h
			}
		}
	}
	return best
}

// relationOf is the object id of the relation that a lock's object belongs to:
// "relation 16384 of database 5", "tuple (0,1) of relation 16384 of database 5";
// "" for a transaction or an advisory lock.
func relationOf(object string) string {
	_, rest, ok := strings.Cut(object, "relation ")
	if !ok {
		return ""
	}
	oid, _, _ := strings.Cut(rest, " ")
	return oid
}
