package signature

import (
	"math"
	"sort"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// Limits of what counts as a loop above the database.
const (
	fanOutFactor   = 5    // executions of the child per run of the parent, at least
	fanOutCoverage = 0.90 // share of the child's executions that follow a parent
	fanOutRequests = 5    // requests below which nothing is said
	fanOutChildren = 32   // statements of a group looked at as children
	fanOutParents  = 8    // parents of one child

	// loopGap is the longest median pause between two children of a loop in a
	// program; a timer or a person waits longer. steadyGap is the limit where
	// nothing but the evenness of N speaks for a loop.
	loopGap   = 200 * record.Millisecond
	steadyGap = 20 * record.Millisecond
	// thinkTime cuts a request: a pause that long, and thinkFactor times the
	// median pause, is not part of a loop.
	thinkTime   = 500 * record.Millisecond
	thinkFactor = 100

	steadyChange = 0.10 // median change of N from one request to the next
	apartFactor  = 5    // pause before a parent ÷ 95th percentile of pauses inside
	rowsAgree    = 0.05 // child calls against the parent's rows
)

// fanOuts finds the loops of the group: one fanOutGroup per parent and child.
func (g *sessionGroup) fanOuts(m *dataset.Model) []*fanOutGroup {
	parents := map[*dataset.Statement][]*dataset.Statement{} // of a child
	children := map[*dataset.Statement][]*dataset.Statement{}
	var order []*dataset.Statement
	for _, c := range g.candidates() {
		parents[c] = g.parentsOf(c)
		for _, p := range parents[c] {
			if children[p] == nil {
				order = append(order, p)
			}
			children[p] = append(children[p], c)
		}
	}
	var out []*fanOutGroup
	for _, p := range order {
		closers := map[*dataset.Statement]bool{}
		for _, c := range children[p] {
			for _, q := range parents[c] {
				closers[q] = true
			}
		}
		l := &loop{m: m, parent: p, children: children[p], closers: closers}
		out = append(out, l.groups(g)...)
	}
	return out
}

// candidates are the statements that run often enough to be children, most
// frequent first.
func (g *sessionGroup) candidates() []*dataset.Statement {
	var out []*dataset.Statement
	for s, n := range g.counts {
		if n >= fanOutFactor*fanOutRequests {
			out = append(out, s)
		}
	}
	sort.Slice(out, func(i, j int) bool {
		if a, b := g.counts[out[i]], g.counts[out[j]]; a != b {
			return a > b
		}
		return out[i].Fingerprint < out[j].Fingerprint
	})
	return out[:min(len(out), fanOutChildren)]
}

// edge is how often a run of a child began after this parent.
type edge struct {
	parent           *dataset.Statement
	runs, executions int
}

// parentsOf are the statements after which nearly all executions of the child
// come, in runs of fanOutFactor or more. Only statements that much rarer than
// the child begin a run: what alternates with it belongs to the same loop.
func (g *sessionGroup) parentsOf(child *dataset.Statement) []*dataset.Statement {
	rare := g.counts[child] / fanOutFactor
	edges := map[*dataset.Statement]*edge{}
	for _, s := range g.sessions {
		var last *dataset.Statement
		var run *edge
		for _, t := range s.turns {
			switch {
			case t.statement == child:
				if last != nil {
					run = edges[last]
					if run == nil {
						run = &edge{parent: last}
						edges[last] = run
					}
					run.runs++
					last = nil
				}
				if run != nil {
					run.executions++
				}
			case t.count <= rare:
				last = t.statement
			}
		}
	}
	return loopParents(edges, g.counts[child])
}

func loopParents(edges map[*dataset.Statement]*edge, executions int) []*dataset.Statement {
	var good []*edge
	for _, e := range edges {
		if e.runs >= fanOutRequests && e.executions >= fanOutFactor*e.runs {
			good = append(good, e)
		}
	}
	sort.Slice(good, func(i, j int) bool {
		if good[i].executions != good[j].executions {
			return good[i].executions > good[j].executions
		}
		return good[i].parent.Fingerprint < good[j].parent.Fingerprint
	})
	good = good[:min(len(good), fanOutParents)]
	var out []*dataset.Statement
	covered := 0
	for _, e := range good {
		out = append(out, e.parent)
		covered += e.executions
	}
	if float64(covered) < fanOutCoverage*float64(executions) {
		return nil
	}
	return out
}

// loop cuts the requests of one parent out of the sessions.
type loop struct {
	m        *dataset.Model
	parent   *dataset.Statement
	children []*dataset.Statement // most frequent first
	closers  map[*dataset.Statement]bool

	inside, before []float64       // pauses before a child and before a parent, µs
	within         []float64       // pauses before anything inside a request, µs
	rows           float64         // of the parent, by its plans
	planned        int             // parents with such a plan
	longest        record.Duration // pause that ends a request
	found          []loopRequest
}

// loopRequest counts each child of the loop.
type loopRequest struct {
	request
	counts []int
	// pending are pauses after the last child so far: they are inside the
	// request only if another one follows.
	pending []float64
}

// groups measures pauses, cuts the requests and makes a group of each child
// for which the loop is shown by more than its order.
func (l *loop) groups(g *sessionGroup) []*fanOutGroup {
	for _, s := range g.sessions {
		l.pauses(s)
	}
	pause := stats.Median(l.inside)
	if !(pause <= float64(loopGap)) {
		return nil
	}
	l.longest = max(thinkTime, record.Duration(thinkFactor*pause))
	for _, s := range g.sessions {
		l.cut(s)
	}
	sort.SliceStable(l.found, func(i, j int) bool { return l.found[i].start < l.found[j].start })
	var out []*fanOutGroup
	for k, c := range l.children {
		f := &fanOutGroup{name: g.name, database: g.database, parent: l.parent, child: c, dominant: k == 0}
		if f.dominant {
			f.others = l.children[1:]
		}
		for _, r := range l.found {
			if r.n = r.counts[k]; r.n > 0 {
				f.requests = append(f.requests, r.request)
				f.plansOnly = f.plansOnly || r.parent.Kind == record.ExecPlan
			}
		}
		f.rowsRatio, f.rowsFrom = l.parentRows(f)
		switch {
		case !oneForEachRow(f.rowsRatio):
		case f.rowsFrom == "plans":
			f.interleaved = interleaved(f.requests)
			f.leaveMixedOut()
		default:
			f.interleaved = unlikeParents(f.requests)
		}
		if len(f.requests) >= fanOutRequests && l.shown(f, pause) {
			out = append(out, f)
		}
	}
	return out
}

// shown reports whether more than the order of statements speaks for a loop:
// one child for each row of the parent, an N that hardly changes between
// neighbours, or pauses that stand apart from those inside, whatever runs
// after them: transactions that come between hold pauses of the client too. A
// random mix of statements has none of these.
func (l *loop) shown(f *fanOutGroup, pause float64) bool {
	if oneForEachRow(f.rowsRatio) {
		return true
	}
	if stats.Median(l.before) >= apartFactor*stats.Quantile(l.within, 0.95) {
		return true
	}
	return pause <= float64(steadyGap) && steady(f.requests)
}

// steady reports whether N hardly changes from one request to the next.
func steady(requests []request) bool {
	var change []float64
	for i := 1; i < len(requests); i++ {
		a, b := float64(requests[i-1].n), float64(requests[i].n)
		change = append(change, math.Abs(a-b)/max(a, b))
	}
	return stats.Median(change) <= steadyChange
}

func (l *loop) isChild(s *dataset.Statement) int {
	for k, c := range l.children {
		if c == s {
			return k
		}
	}
	return -1
}

// pauses collects how long the session was idle before each child that follows
// another turn, and before each parent; and the parent's rows.
func (l *loop) pauses(s sessionTurns) {
	for i, t := range s.turns {
		if p := s.Steps[t.step].Execution.Figures; t.statement == l.parent && p != nil && p.HasRows && !p.IsWrite {
			l.rows += p.Rows.Float()
			l.planned++
		}
		if i == 0 {
			continue
		}
		idle := float64(s.Steps[t.step].Start.Sub(s.Steps[s.turns[i-1].step].End))
		switch {
		case t.statement == l.parent:
			l.before = append(l.before, idle)
		case l.isChild(t.statement) >= 0:
			l.inside = append(l.inside, idle)
		}
	}
}

// cut finds the requests of a session.
func (l *loop) cut(s sessionTurns) {
	var open *loopRequest
	for i, t := range s.turns {
		step := &s.Steps[t.step]
		if open != nil {
			idle := step.Start.Sub(s.Steps[s.turns[i-1].step].End)
			open.pending = append(open.pending, float64(idle))
			if l.closers[t.statement] || idle > l.longest {
				l.close(open)
				open = nil
			}
		}
		k := l.isChild(t.statement)
		switch {
		case t.statement == l.parent:
			open = &loopRequest{counts: make([]int, len(l.children))}
			open.session, open.parent = s.Session, step.Execution
			open.from, open.to = firstStep(s.Session, t.step), t.step
		case k >= 0 && open != nil:
			open.counts[k]++
			open.to = t.step
			l.within = append(l.within, open.pending...)
			open.pending = open.pending[:0]
		}
	}
	if open != nil && !l.cutByEnd(open) {
		l.close(open)
	}
}

// cutByEnd reports whether the session's last request may go on after the log.
func (l *loop) cutByEnd(r *loopRequest) bool {
	last := l.m.Executions[len(l.m.Executions)-1].Time
	if n := len(l.m.Events); n > 0 {
		last = max(last, l.m.Events[n-1].LogTime)
	}
	steps := r.session.Steps
	return r.to == len(steps)-1 && last.Sub(steps[r.to].End) < l.longest/10
}

// firstStep is the first of the parse and bind steps before an execution.
func firstStep(s *dataset.Session, i int) int {
	for i > 0 && s.Steps[i-1].Execution == nil && s.Steps[i-1].Statement == s.Steps[i].Statement {
		i--
	}
	return i
}

// close keeps the request if children followed the parent. Of a sampled log
// only requests within one minute are whole (see dataset.Limits).
func (l *loop) close(r *loopRequest) {
	steps := r.session.Steps[r.from : r.to+1]
	r.start, r.end = steps[0].Start, steps[len(steps)-1].End
	if len(steps) < 2 || r.end <= r.start {
		return
	}
	const minute = record.Time(60 * record.Second)
	if l.m.Sampled < 1 && r.start/minute != r.end/minute {
		return
	}
	for i := range steps {
		r.server += steps[i].Duration
	}
	r.pending = nil
	for _, n := range r.counts {
		if n > 0 {
			l.found = append(l.found, *r)
			return
		}
	}
}

// parentRows is the child's calls ÷ the parent's rows, from plans of the
// parent or else from pg_stat_statements; NaN if neither tells.
func (l *loop) parentRows(f *fanOutGroup) (ratio float64, from string) {
	var calls, rows float64
	for i := range f.requests {
		calls += float64(f.requests[i].n)
	}
	if l.rows > 0 && l.planned >= len(f.requests) {
		return calls / l.rows, "plans"
	}
	calls = 0
	intervals := map[record.Time]dataset.Diff{}
	for _, d := range f.child.Diffs {
		intervals[d.To] = d
	}
	for _, d := range f.parent.Diffs {
		if c, ok := intervals[d.To]; ok {
			calls += float64(c.Calls)
			rows += float64(d.Rows)
		}
	}
	if rows > 0 {
		return calls / rows, "pg_stat_statements"
	}
	return math.NaN(), ""
}

// oneForEachRow is false for NaN.
func oneForEachRow(ratio float64) bool { return math.Abs(ratio-1) <= rowsAgree }
