package signature

import (
	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// statementLog is what the log tells of the executions of one statement.
type statementLog struct {
	total   record.Duration // of all that have a duration
	calls   int64           // of these
	planned record.Duration // of those with a plan, by the plan
	plans   int64           // of these
	reads   []float64       // share of buffers read, of each plan with buffers
	shapes  map[uint64]*shapeLog
}

// shapeLog is what the log tells of the executions of one plan shape.
type shapeLog struct {
	total record.Duration // by the plan, which began after planning and waiting for tables
	whole record.Duration // by the duration line
	ms    []float64
	// around is the time between the duration line and the plan of the same
	// execution, in ms, where both were logged.
	around []float64
}

// statementLogOf sums the executions of s. One that ran inside another
// statement counts too: its time is part of the outer one's. Plans from files
// are left out of all but reads.
func statementLogOf(s *dataset.Statement) *statementLog {
	l := &statementLog{shapes: map[uint64]*shapeLog{}}
	for _, e := range s.Executions {
		if f := e.Figures; f != nil && f.HasBuffers && f.Total.Shared() > 0 {
			l.reads = append(l.reads, float64(f.Total.SharedRead)/float64(f.Total.Shared()))
		}
		if !e.HasDuration || e.Kind == record.ExecExplain {
			continue
		}
		l.total += e.Duration
		l.calls++
		if e.Figures == nil {
			continue
		}
		own := e.Duration
		if e.PlanDuration > 0 {
			own = e.PlanDuration
		}
		l.planned += own
		l.plans++
		x := l.shapes[e.Figures.Shape]
		if x == nil {
			x = &shapeLog{}
			l.shapes[e.Figures.Shape] = x
		}
		x.total += own
		x.whole += e.Duration
		x.ms = append(x.ms, e.Duration.Milliseconds())
		if e.PlanDuration > 0 && !e.Nested && e.Kind != record.ExecPlan {
			x.around = append(x.around, max(0, (e.Duration-e.PlanDuration).Milliseconds()))
		}
	}
	return l
}

// weigh sets the shares of the observed server time. Where only some executions
// left a plan, the others are taken to cost as much, but not more than they did.
func (c *planCase) weigh(l *statementLog, all record.Duration) {
	c.Share, c.Whole, c.Logged = 1, 1, false
	c.log = l.shapes[c.Shape.ID]
	if c.log == nil {
		c.log = &shapeLog{}
	}
	c.usualReads, c.readings = 0, len(l.reads)
	if c.readings > 0 {
		c.usualReads = stats.Median(l.reads)
	}
	if all > 0 && l.planned > 0 {
		c.Logged = true
		seen := float64(l.calls) / float64(l.plans)
		most := min(1, float64(l.total)/float64(all))
		c.Share = min(most, seen*float64(c.log.total)/float64(all))
		c.Whole = min(most, seen*float64(c.log.whole)/float64(all))
	}
}

// minTypical is how many executions of a shape tell what is typical.
const minTypical = 5

// typical compares the example with the other executions of its shape.
func (c *planCase) typical() finding.RuledOut {
	const rival = "one slow execution"
	ms := c.log.ms
	if len(ms) < minTypical {
		return notMeasurable(rival, plural(len(ms), "logged execution")+" of this shape in input")
	}
	median, worst := stats.Median(ms), stats.Quantile(ms, 1)
	out := finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict,
		Figure: "median " + num(median) + " ms, slowest " + num(worst) + " ms of " + thousands(int64(len(ms)))}
	if worst > 3*median {
		out.Verdict = finding.NotRuledOut
	}
	return out
}
