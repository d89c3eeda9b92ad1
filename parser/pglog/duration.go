package pglog

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/record"
)

// durationEntry reads "duration: X ms", alone or with what took so long.
func (w *worker) durationEntry(e *record.Entry) bool {
	c := cursor{e.Message}
	if !c.lit("duration: ") {
		return false
	}
	d, ok := c.decimal(record.Millisecond)
	if !ok || !c.lit(" ms") {
		return false
	}
	x := w.execution(e)
	x.Duration, x.HasDuration = d, true
	c.b = bytes.TrimRight(c.b, "\r\n")
	if len(c.b) == 0 {
		x.Kind = record.ExecDuration
		w.add(e, x)
		return true
	}
	if !c.lit("  ") {
		return false
	}
	if c.lit("plan:") {
		x.Kind = record.ExecPlan
		w.plan(e, x, c.b)
		return true
	}
	rowsAndSize(&c)
	text, ok := w.statementKind(&c, x)
	if !ok {
		return false
	}
	x.Statement = w.statement(text)
	w.add(e, x)
	return true
}

// rowsAndSize passes over what Postgres Pro prints between duration and
// statement.
func rowsAndSize(c *cursor) {
	k := *c
	if !k.lit("rows: ") {
		return
	}
	if _, ok := k.int(); !ok || !k.lit("  size: ") {
		return
	}
	if _, ok := k.int(); ok && k.lit(" bytes  ") {
		*c = k
	}
}

// statementKind reads "statement: ", "parse NAME: " and the like and answers
// the query behind it. A name may hold colons, but hardly ": ".
func (w *worker) statementKind(c *cursor, x *record.Execution) (query []byte, ok bool) {
	switch {
	case c.lit("statement: "):
		x.Kind = record.ExecStatement
		return c.b, true
	case c.lit("execute fetch from "):
		x.Kind = record.ExecFetch
	case c.lit("execute "):
		x.Kind = record.ExecExecute
	case c.lit("parse "):
		x.Kind = record.ExecParse
	case c.lit("bind "):
		x.Kind = record.ExecBind
	default:
		return nil, false
	}
	name, ok := c.until(": ")
	if !ok || len(name) > maxNameLen {
		return nil, false
	}
	x.Name = w.name(name)
	return c.b, true
}

// textEntry reads what log_statement prints: a statement without a duration.
func (w *worker) textEntry(e *record.Entry) bool {
	c := cursor{e.Message}
	if e.Message[0] == 's' && !c.lit("statement: ") {
		return false
	}
	x := w.execution(e)
	text := c.b
	if e.Message[0] == 'e' {
		var ok bool
		if text, ok = w.statementKind(&c, x); !ok {
			return false
		}
	}
	x.Kind = record.ExecText
	x.Statement = w.statement(text)
	w.add(e, x)
	return true
}

// execution starts a record with what the entry says about its session. It is
// valid until the next call.
func (w *worker) execution(e *record.Entry) *record.Execution {
	w.exec = record.Execution{
		Pos: e.Pos, LogTime: e.LogTime, Resolution: e.Resolution,
		Session: w.sessionName(e), ProcessID: e.ProcessID, LineNum: e.SessionLineNum,
		UserName: w.name(e.UserName), Database: w.name(e.DatabaseName), Application: w.name(e.Application),
		Host: w.name(host(e.ConnectionFrom)), QueryID: e.QueryID, Nested: len(e.Context) > 0,
	}
	return &w.exec
}

func (w *worker) add(e *record.Entry, x *record.Execution) {
	if x.Parameters == "" {
		x.Parameters = parameters(e.Detail)
	}
	w.batch.Executions = append(w.batch.Executions, *x)
}

// parameters is the list in a DETAIL "parameters: $1 = …", with a capital P
// from version 17 on.
func parameters(detail []byte) string {
	c := cursor{detail}
	if c.lit("parameters: ") || c.lit("Parameters: ") {
		return excerpt(c.b, maxParameters)
	}
	return ""
}

// plan reads the payload of an auto_explain entry. A plan that is cut off gives
// its statement, not its figures.
func (w *worker) plan(e *record.Entry, x *record.Execution, payload []byte) {
	line := e.Pos.Line + 1
	if w.oneLine {
		line = 0
	}
	if len(payload) > 0 && payload[0] == '\n' {
		payload = payload[1:]
	}
	opt := explain.Options{Line: line}
	p, why := w.readPlan(payload, opt)
	if why != "" {
		w.loss(record.LossPlan, why, e.Pos, 1)
	}
	if p == nil {
		w.add(e, x)
		return
	}
	w.text = append(w.text[:0], p.QueryText...)
	x.Statement = w.statement(w.text)
	if p.QueryParameters != "" {
		w.text = append(w.text[:0], p.QueryParameters...)
		x.Parameters = excerpt(w.text, maxParameters)
	}
	if p.QueryID != 0 {
		x.QueryID = p.QueryID
	}
	if why == "" {
		x.HasPlan, x.Figures = true, p.Figures
	}
	w.add(e, x)
	if why == "" {
		w.keepPlan(payload, opt)
	}
}

// readPlan reads a plan in the format that its first byte tells; why says what
// is wrong with it, "" if nothing.
func (w *worker) readPlan(payload []byte, opt explain.Options) (p *record.Plan, why string) {
	text := bytes.TrimLeft(payload, " \t\r\n")
	var err error
	switch {
	case len(text) == 0:
		return nil, "auto_explain entry without a plan"
	case text[0] == '{' || text[0] == '[':
		p, _, err = w.plans.JSON(payload, opt)
	case text[0] == '<':
		p, _, err = w.plans.XML(payload, opt)
	case isYAML(text):
		p, _, err = w.plans.YAML(payload, opt)
	default:
		p, _, err = w.plans.Text(payload, opt)
	}
	switch {
	case err != nil || p == nil || len(p.Nodes) == 0:
		return nil, "auto_explain entry whose plan cannot be read"
	case p.Truncated:
		return p, "auto_explain entry whose plan is cut off"
	}
	return p, ""
}

// isYAML tells YAML from text: there the query is quoted, and a plan without one
// is a key of its own.
func isYAML(payload []byte) bool {
	return bytes.HasPrefix(payload, []byte(`Query Text: "`)) || bytes.HasPrefix(payload, []byte("Plan:"))
}

// planKey is what one earliest and one slowest tree of a batch are kept for.
type planKey struct {
	fingerprint string
	shape       uint64
}

// keptPlans are indexes in the batch's executions.
type keptPlans struct{ earliest, slowest int }

// keepPlan keeps the tree of the last execution if it is the earliest or the
// slowest of its statement and shape in this batch. Kept trees are few, so that
// only they are read once more, with their conditions.
func (w *worker) keepPlan(payload []byte, opt explain.Options) {
	all := w.batch.Executions
	last := len(all) - 1
	x := &all[last]
	key := planKey{shape: x.Figures.Shape}
	if x.Statement != nil {
		key.fingerprint = x.Statement.Fingerprint
	}
	k, ok := w.kept[key]
	opt.Extras = true
	if w.allPlans {
		x.Plan = w.wholePlan(payload, opt)
		return
	}
	if !ok {
		x.Plan = w.wholePlan(payload, opt)
		w.kept[key] = keptPlans{last, last}
		return
	}
	old := k
	if x.LogTime < all[k.earliest].LogTime {
		k.earliest = last
	}
	if x.Duration > all[k.slowest].Duration {
		k.slowest = last
	}
	if k == old {
		return
	}
	x.Plan = w.wholePlan(payload, opt)
	for _, i := range [...]int{old.earliest, old.slowest} {
		if i != k.earliest && i != k.slowest {
			all[i].Plan = nil
		}
	}
	w.kept[key] = k
}

// wholePlan reads a plan that was read before, to keep it.
func (w *worker) wholePlan(payload []byte, opt explain.Options) *record.Plan {
	p, why := w.readPlan(payload, opt)
	if why != "" {
		return nil
	}
	return explain.Clone(p)
}
