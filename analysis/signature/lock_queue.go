package signature

import (
	"cmp"
	"slices"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// lockQueueSignature is PGA501.
var lockQueueSignature = &Signature{
	ID: "PGA501", Name: "lock-queue", Max: finding.Critical,
	Felt: "Many sessions stand still at once, then all go on",
	What: "Sessions wait behind one another for a lock; the one at the head of the queue is named.",
	Why: "A lock is granted in the order of the queue. What waits for an exclusive lock on a table, an ALTER TABLE for instance, makes every later reader and writer wait behind it, although they " +
		"would not disturb who holds the lock now. So one transaction left open stops a whole table as soon as somebody wants to alter it.",
	Fix: "End the transaction at the head of the queue, and bound it: idle_in_transaction_session_timeout, transaction_timeout (17). " +
		"Give statements that take exclusive locks a short lock_timeout and try them again.",
	Verify: "Run pgassay on a later log: no queue behind the same application, and no waits as long.",
	Needs:  []Need{needLog, needActivity},
	Silent: []string{"a single wait of a few seconds", "waits that are no locks: I/O, LWLocks", "deadlocks (502)"},
	Thresholds: []Threshold{
		{"waiters", 2, "processes", "that must wait for one another or for one lock"},
		{"wait", 5, "s", "from which a wait of one process alone is told"},
		{"floor", 10, "s", "waited in all below which the finding stays info"},
	},
	Detect: detectLockQueue,
}

func detectLockQueue(p *Pass) {
	l := serverLogOf(p)
	var waits []*lockWait
	if l != nil {
		waits = l.lockWaits()
	}
	sampled := len(waits) == 0 && len(p.Model.Activity) > 0
	switch on, known := p.Model.Setting("log_lock_waits"); {
	case sampled:
		waits = sampledWaits(p.Model)
		if l == nil {
			l = &serverLog{m: p.Model, From: p.Model.From, To: p.Model.To}
		}
	case l == nil:
		p.Lacks(lacksLog+", and no pg_stat_activity", "add the server log with log_lock_waits = on, or samples of pg_stat_activity with pg_blocking_pids(pid)")
		return
	case len(waits) == 0 && !(known && on.Value == "on"):
		p.Lacks("no lock waits in input, and log_lock_waits is not known to be on", "set log_lock_waits = on and add pg_settings, or samples of pg_stat_activity with pg_blocking_pids(pid)")
		return
	}
	for _, g := range l.lockQueueGroups(p, waits) {
		g.sampled = sampled
		p.Report(g.finding(p), g.waited().Seconds() < p.limit("floor"))
	}
}

// lockQueueGroup is the queues on one subject, the one with most waiting first.
type lockQueueGroup struct {
	l       *serverLog
	subject finding.Subject
	queues  []*lockQueue
	holder  *lockHolder // of the worst; nil if the head is not told
	sampled bool        // from pg_stat_activity, not from the log
}

func (g *lockQueueGroup) worst() *lockQueue { return g.queues[0] }

func (g *lockQueueGroup) waited() record.Duration {
	var sum record.Duration
	for _, q := range g.queues {
		sum += q.waited()
	}
	return sum
}

// lockQueueGroups are the queues that are long enough, by subject.
func (l *serverLog) lockQueueGroups(p *Pass, waits []*lockWait) []*lockQueueGroup {
	var out []*lockQueueGroup
	bySubject := map[finding.Subject]*lockQueueGroup{}
	queues := slices.DeleteFunc(lockQueues(waits), func(q *lockQueue) bool {
		return float64(q.waiters()) < p.limit("waiters") && q.longest().length().Seconds() < p.limit("wait")
	})
	slices.SortStableFunc(queues, func(a, b *lockQueue) int {
		return cmp.Or(cmp.Compare(b.waited(), a.waited()), cmp.Compare(a.from(), b.from()))
	})
	for _, q := range queues {
		h := l.holder(q)
		s := l.lockSubject(q, h)
		g := bySubject[s]
		if g == nil {
			g = &lockQueueGroup{l: l, subject: s, holder: h}
			bySubject[s] = g
			out = append(out, g)
		}
		g.queues = append(g.queues, q)
	}
	return out
}

// lockSubject is the relation that the locks belong to, else the statement that
// waited longest, and the application at the head.
func (l *serverLog) lockSubject(q *lockQueue, h *lockHolder) finding.Subject {
	var s finding.Subject
	for _, w := range q.Waits {
		if s.Relation = relationName(l.m, relationOf(w.Object)); s.Relation != "" {
			break
		}
	}
	if w := q.firstStatement(); w != nil && s.Relation == "" {
		s.Relation = w.Target
		if s.Relation == "" && len(w.Relations) == 1 {
			s.Relation = w.Relations[0]
		}
		if s.Relation == "" {
			s.Fingerprint, s.Statement = w.Fingerprint, w.Normalized
		}
	}
	if h != nil {
		s.Session = cmp.Or(h.Application, h.User)
	}
	return s
}

// firstStatement is the statement of the first that waits, of those that tell
// theirs.
func (q *lockQueue) firstStatement() *record.Statement {
	for _, w := range q.Waits {
		if w.Statement != nil {
			return w.Statement
		}
	}
	return nil
}
