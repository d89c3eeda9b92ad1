package explain

import (
	"bytes"
	"fmt"

	"github.com/pgassay/pgassay/parser/record"
)

// JSON reads one plan at the start of data: auto_explain's object
// {"Query Text": …, "Plan": {…}}, one element of the list that EXPLAIN (FORMAT
// JSON) prints, or an object that a tool has put around one of these. n is the
// number of bytes consumed; after an error it is the place of the damage.
//
// Input that ends inside the plan gives what is whole, with Plan.Truncated set,
// if at least the root's node type was read. The error is ErrNoPlan for an
// object without a plan and ErrForeign for another database's.
func (p *Parser) JSON(data []byte, opt Options) (plan *record.Plan, n int, err error) {
	p.reset(data, opt)
	if p.peek() != '{' {
		return nil, p.pos, fmt.Errorf("line %d: expected an object with a plan", opt.fileLine(0))
	}
	p.object(0)
	switch {
	case p.err != nil:
		return nil, p.errPos, p.err
	case p.foreign != "" && len(p.plan.Nodes) == 0:
		return nil, p.pos, &ForeignError{p.foreign, opt.fileLine(0)}
	case len(p.plan.Nodes) == 0 || p.plan.Nodes[0].NodeType == "":
		return nil, p.pos, fmt.Errorf("line %d: %w", opt.fileLine(0), ErrNoPlan)
	}
	p.finish()
	return &p.plan, p.pos, nil
}

// maxWrappers is how deep a plan may sit in what tools put around it.
const maxWrappers = 8

// object reads the object that holds a plan.
func (p *Parser) object(depth int) {
	bare := false // a node without the object around it
	start, extras := p.pos, len(p.plan.Extra)
	p.pos++
	for {
		name, ok := p.member()
		if !ok {
			break
		}
		switch k := names[string(name)]; k {
		case keyPlan, keyWrapper:
			p.wrapped(k, name, depth)
		case keyNodeType:
			bare = true
			p.skip()
		case keyUnknown:
			if len(p.plan.Nodes) == 0 && p.foreign == "" {
				p.foreign = foreignKeys[string(name)]
			}
			p.extra(&p.plan.Extra, name)
		default:
			p.topValue(k, name)
		}
	}
	if bare && len(p.plan.Nodes) == 0 && p.err == nil {
		p.pos = start
		p.cut = false
		p.plan.Extra = p.plan.Extra[:extras]
		p.node(-1, 0)
	}
}

// wrapped reads the value of "Plan", which is the root node, or of a key such
// as "QUERY PLAN", which holds an object with a plan or a list of them; only
// the first of a list is read.
func (p *Parser) wrapped(k key, name []byte, depth int) {
	if len(p.plan.Nodes) > 0 || depth >= maxWrappers {
		p.skip()
		return
	}
	switch c := p.peek(); {
	case c == '{' && k == keyPlan:
		p.node(-1, 0)
	case c == '{':
		p.object(depth + 1)
	case c == '[' && k == keyWrapper:
		p.pos++
		for p.element() {
			if len(p.plan.Nodes) == 0 && p.peek() == '{' {
				p.object(depth + 1)
				continue
			}
			p.skip()
		}
	default:
		p.extra(&p.plan.Extra, name)
	}
}

func (p *Parser) topValue(k key, name []byte) {
	plan := &p.plan
	switch k {
	case keyQueryText:
		plan.QueryText = p.interns.string(p.scalar())
	case keyQueryParameters:
		plan.QueryParameters = string(p.scalar())
	case keyQueryIdentifier:
		plan.QueryID, _, _ = fixed(p.scalar(), 0)
	case keyPlanningTime:
		plan.PlanningTime, plan.HasPlanning = p.milliseconds()
	case keyExecutionTime:
		plan.ExecutionTime, plan.HasExecution = p.milliseconds()
	case keyPlanning:
		p.planning()
	case keyTriggers:
		p.triggers()
	case keySettings:
		p.settings()
	default:
		p.extra(&plan.Extra, name)
	}
}

func (p *Parser) milliseconds() (record.Duration, bool) {
	v, _, ok := fixed(p.scalar(), 3)
	return record.Duration(v), ok
}

// extra keeps or skips a value that has no field of its own.
func (p *Parser) extra(list *[]record.KeyValue, name []byte) {
	if bytes.IndexByte(p.data[p.key:p.keyEnd], '\n') >= 0 {
		p.fail("a line break inside a key that is not known")
		return
	}
	if !p.opt.Extras {
		p.skip()
		return
	}
	key := p.interns.string(name) // before the value overwrites scratch
	value := p.scalarOrRaw()
	if value != nil {
		p.keep(list, key, value)
	}
}

func (p *Parser) scalarOrRaw() []byte {
	if c := p.peek(); c == '{' || c == '[' {
		raw := p.skip()
		if raw != nil {
			p.scratch = appendCompact(p.scratch[:0], raw)
			raw = p.scratch
		}
		return raw
	}
	return p.scalar()
}

// appendCompact appends a list or an object without white space between its
// tokens, so that all formats and layouts give the same text.
func appendCompact(out, raw []byte) []byte {
	inside := false
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case inside && c == '\\' && i+1 < len(raw):
			out = append(out, c)
			i++
			c = raw[i]
		case c == '"':
			inside = !inside
		case c <= ' ' && !inside:
			continue
		case c < ' ':
			out = appendQuotedByte(out, c)
			continue
		}
		out = append(out, c)
	}
	return out
}

// planning reads the "Planning" object of 13 and later: buffers, and memory
// from 17 on.
func (p *Parser) planning() {
	if !p.enter('{') {
		return
	}
	var seen [numKeys]bool
	for {
		name, ok := p.member()
		if !ok {
			return
		}
		k := names[string(name)]
		if fields[k].kind != kindBlocks {
			p.planningExtra(name)
			continue
		}
		if seen[k] {
			p.duplicates++
			p.skip()
			continue
		}
		seen[k] = true
		if v, _, ok := fixed(p.scalar(), 0); ok {
			*blocks(&p.plan.PlanningBuffers, k) = v
			p.plan.HasPlanBuffers = true
		}
	}
}

// planningExtra keeps a key of "Planning" apart from those of the plan.
func (p *Parser) planningExtra(name []byte) {
	if p.opt.Extras {
		p.extra(&p.plan.Extra, append([]byte("Planning "), name...))
		return
	}
	p.skip()
}

// enter moves into an object or list; anything else is skipped.
func (p *Parser) enter(bracket byte) bool {
	if p.peek() != bracket {
		p.skip()
		return false
	}
	p.pos++
	return true
}

func (p *Parser) triggers() {
	if !p.enter('[') {
		return
	}
	for p.element() {
		if !p.enter('{') {
			continue
		}
		var t record.Trigger
		for {
			name, ok := p.member()
			if !ok {
				break
			}
			p.triggerValue(&t, names[string(name)])
		}
		if len(p.plan.Triggers) < maxExtras {
			p.plan.Triggers = append(p.plan.Triggers, t)
		}
	}
}

func (p *Parser) triggerValue(t *record.Trigger, k key) {
	switch k {
	case keyTriggerName:
		t.Name = p.interns.string(p.scalar())
	case keyConstraintName:
		t.Constraint = p.interns.string(p.scalar())
	case keyTriggerRelation:
		t.Relation = p.interns.string(p.scalar())
	case keyTriggerTime:
		t.Time, _ = p.milliseconds()
	case keyTriggerCalls:
		t.Calls, _, _ = fixed(p.scalar(), 0)
	default:
		p.skip()
	}
}

func (p *Parser) settings() {
	if !p.enter('{') {
		return
	}
	for {
		name, ok := p.member()
		if !ok {
			return
		}
		key := p.interns.string(name)
		value := p.interns.string(p.scalar())
		if len(p.plan.Settings) < maxExtras {
			p.plan.Settings = append(p.plan.Settings, record.KeyValue{Key: key, Value: value})
		}
	}
}
