package dataset

import "github.com/pgassay/pgassay/parser/record"

// pairer joins the lines that one execution left in a session's log. Lines
// are joined by statement, never by adjacency. The order of the two lines
// follows from the server: ExecutorEnd logs the plan, and runs
//
//   - before the duration line for a simple statement and for every write,
//   - after it for a query run by Execute, whose portal is dropped later.
type pairer struct {
	b       *builder
	session *Session
	plans   map[string][]*Exec    // plans that wait for a duration line
	bare    map[string]*Execution // Execute lines that wait for a plan
	bound   *Exec                 // Bind line that waits for its Execute
	text    *Exec                 // log_statement text that waits for a bare duration
}

// planSlack is how much longer than its execution's duration line a plan may
// say it took: both are rounded to the microsecond.
const planSlack = 2 * record.Microsecond

// cursor is the command of a statement whose plan is logged at CLOSE.
const cursor = "DECLARE CURSOR"

func (p *pairer) line(x *Exec) {
	switch x.Kind {
	case record.ExecParse:
		p.step(x, nil)
	case record.ExecBind:
		p.bound = x
		p.step(x, nil)
	case record.ExecPlan:
		p.plan(x)
	case record.ExecStatement, record.ExecExecute, record.ExecFetch:
		p.duration(x)
	case record.ExecText:
		p.flushText()
		p.text = x
	case record.ExecDuration:
		if p.text == nil {
			p.step(x, nil)
			return
		}
		joined := *x
		joined.Fingerprint, joined.Parameters = p.text.Fingerprint, p.text.Parameters
		p.text = nil
		p.duration(&joined)
	case record.ExecExplain:
		p.add(x, x, 0)
	}
}

func (p *pairer) plan(x *Exec) {
	if x.Nested {
		p.add(x, x, x.Duration)
		return
	}
	if d := p.bare[x.Fingerprint]; d != nil && d.Statement.Command == cursor {
		// A cursor's plan is logged when it closes and spans its fetches, which
		// are logged by themselves: the figures are the declaration's.
		d.Exec = withFigures(d.Exec, x)
		d.PlanDuration = x.Duration
		delete(p.bare, x.Fingerprint)
		return
	}
	if d := p.bare[x.Fingerprint]; d != nil && !x.Figures0().IsWrite && x.Duration <= d.Duration+planSlack {
		d.Exec = withFigures(d.Exec, x)
		d.PlanDuration = x.Duration
		delete(p.bare, x.Fingerprint)
		return
	}
	if p.plans == nil {
		p.plans = map[string][]*Exec{}
	}
	p.plans[x.Fingerprint] = append(p.plans[x.Fingerprint], x)
}

func (p *pairer) duration(x *Exec) {
	waiting := p.plans[x.Fingerprint]
	for i := len(waiting) - 1; i >= 0; i-- {
		pl := waiting[i]
		if pl.Duration > x.Duration+planSlack || pl.Time < x.Time.Add(-x.Duration-x.Resolution) {
			continue
		}
		p.plans[x.Fingerprint] = nil
		joined, took := withFigures(x, pl), pl.Duration
		for k := i - 1; k >= 0; k-- {
			// A string of several statements leaves one plan for each, all with
			// the text of the whole string, and one duration line.
			part := waiting[k]
			if part.Time >= x.Time.Add(-x.Duration) && took+part.Duration <= x.Duration+planSlack {
				joined.Figures = sumFigures(joined.Figures, part.Figures)
				took += part.Duration
				continue
			}
			p.add(part, part, part.Duration)
		}
		p.add(joined, x, took)
		return
	}
	e := p.add(x, x, 0)
	if x.Kind != record.ExecStatement || e.Statement.Command == cursor {
		if p.bare == nil {
			p.bare = map[string]*Execution{}
		}
		p.bare[x.Fingerprint] = e
	}
}

// withFigures is the duration line x with the plan's figures.
func withFigures(x, plan *Exec) *Exec {
	joined := *x
	joined.Figures = plan.Figures
	if joined.Parameters == "" {
		joined.Parameters = plan.Parameters
	}
	return &joined
}

// sumFigures adds the figures of two plans of one execution; the shape is a's.
func sumFigures(a, b *record.Figures) *record.Figures {
	f := *a
	f.Rows, f.RowsErr = f.Rows+b.Rows, f.RowsErr+b.RowsErr
	f.Total, f.Own = f.Total.Add(b.Total), f.Own.Add(b.Own)
	f.HeapFetches, f.IndexOnlyRows = f.HeapFetches+b.HeapFetches, f.IndexOnlyRows+b.IndexOnlyRows
	f.BitmapBuffers, f.BitmapScans, f.BitmapRows = f.BitmapBuffers+b.BitmapBuffers, f.BitmapScans+b.BitmapScans, f.BitmapRows+b.BitmapRows
	f.Loops, f.HasLoops = f.Loops+b.Loops, f.HasLoops || b.HasLoops
	f.HasRows, f.HasBuffers = f.HasRows && b.HasRows, f.HasBuffers && b.HasBuffers
	f.IOReadTime, f.IOWriteTime, f.WALBytes = f.IOReadTime+b.IOReadTime, f.IOWriteTime+b.IOWriteTime, f.WALBytes+b.WALBytes
	f.IsWrite = f.IsWrite || b.IsWrite
	return &f
}

// Figures0 is the plan's figures, zero without a plan.
func (x *Exec) Figures0() record.Figures {
	if x.Figures == nil {
		return record.Figures{}
	}
	return *x.Figures
}

// flush adds what found no partner.
func (p *pairer) flush() {
	p.flushText()
	for _, waiting := range p.plans {
		for _, x := range waiting {
			p.add(x, x, x.Duration)
		}
	}
	sortBy(p.session.Steps, func(a, b *Step) bool {
		if a.End != b.End {
			return a.End < b.End
		}
		return posLess(a.Pos, b.Pos)
	})
}

func (p *pairer) flushText() {
	if p.text != nil {
		p.add(p.text, p.text, 0)
		p.text = nil
	}
}

// add makes an execution of x; line is the line that carries its duration.
func (p *pairer) add(x, line *Exec, plan record.Duration) *Execution {
	e := &Execution{Exec: x, Statement: p.b.statement(x.Fingerprint), Duration: line.Duration, PlanDuration: plan, Start: x.Time}
	if x.HasDuration {
		e.Start = x.Time.Add(-line.Duration)
	}
	if x.Kind == record.ExecExecute && p.bound != nil {
		if p.bound.Fingerprint == x.Fingerprint {
			e.Bind, e.HasBind = p.bound.Duration, p.bound.HasDuration
		}
		p.bound = nil
	}
	p.b.m.Executions = append(p.b.m.Executions, e)
	p.step(x, e)
	return e
}

func (p *pairer) step(x *Exec, e *Execution) {
	if p.session.Name == "" || x.Nested {
		return
	}
	p.session.Steps = append(p.session.Steps, Step{
		Kind: x.Kind, Start: x.Time.Add(-x.Duration), End: x.Time, Duration: x.Duration,
		Statement: p.b.statement(x.Fingerprint), Execution: e, Pos: x.Pos, line: x,
	})
}
