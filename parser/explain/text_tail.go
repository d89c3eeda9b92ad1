package explain

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/record"
)

// tailNames are the lines behind a tree.
var tailNames = map[string]key{
	"Settings":         keySettings,
	"Query Identifier": keyQueryIdentifier,
	"Planning":         keyPlanning,
	"Planning Time":    keyPlanningTime,
	"Planning time":    keyPlanningTime, // up to 10
	"Execution Time":   keyExecutionTime,
	"Execution time":   keyExecutionTime,
	"Total runtime":    keyExecutionTime, // up to 9.3
	"JIT":              keyWrapper,
	"Serialization":    keyUnknown,
	"Planning Memory":  keyUnknown,
	"Memory":           keyUnknown,
}

// isTail tells a line that may stand behind a tree.
func isTail(text []byte) bool {
	if bytes.HasPrefix(text, triggerPrefix) {
		return bytes.Contains(text, []byte(": time=")) || bytes.Contains(text, []byte(": calls="))
	}
	name, _, ok := cutKey(text)
	if !ok {
		return false
	}
	_, ok = tailNames[string(name)]
	return ok
}

// isForeignTail tells a line behind a tree that PostgreSQL itself does not
// print, but extensions and forks do: "Optimizer: GPORCA", "Storage Read
// Requests: 3". psql's "Time:" and messages such as "NOTICE:" are none.
func isForeignTail(text []byte) bool {
	const longest = 40
	name, value, ok := cutKey(text)
	if !ok || len(value) == 0 || len(name) > longest || len(name) < 2 || string(name) == "Time" {
		return false
	}
	if name[0] < 'A' || name[0] > 'Z' || bytes.ContainsAny(name, "()<>=,.;'\"") {
		return false
	}
	return !bytes.Equal(bytes.ToUpper(name), name)
}

var triggerPrefix = []byte("Trigger ")

// tailLine reads a line behind the tree.
func (p *Parser) tailLine(text []byte) {
	p.text.section = keyUnknown
	if bytes.HasPrefix(text, triggerPrefix) {
		p.triggerLine(text)
		return
	}
	name, value, ok := cutKey(text)
	if !ok {
		return
	}
	plan := &p.plan
	switch k := tailNames[string(name)]; k {
	case keySettings:
		p.settingsLine(value)
	case keyQueryIdentifier:
		plan.QueryID, _, _ = fixed(value, 0)
	case keyPlanningTime:
		plan.PlanningTime, plan.HasPlanning = textMilliseconds(value)
	case keyExecutionTime:
		plan.ExecutionTime, plan.HasExecution = textMilliseconds(value)
	case keyPlanning, keyWrapper:
		p.text.section = k
		if len(value) > 0 {
			p.keep(&plan.Extra, p.interns.string(name), value)
		}
	default:
		p.keep(&plan.Extra, p.interns.string(name), value)
	}
}

func textMilliseconds(value []byte) (record.Duration, bool) {
	v, _, ok := fixed(bytes.TrimSuffix(value, []byte(" ms")), 3)
	return record.Duration(v), ok
}

// sectionLine reads a line below "Planning:" or "JIT:".
func (p *Parser) sectionLine(text []byte) {
	name, value, ok := cutKey(text)
	if !ok {
		return
	}
	switch {
	case p.text.section == keyPlanning && string(name) == "Buffers":
		readBuffers(&p.plan.PlanningBuffers, value)
		p.plan.HasPlanBuffers = true
	case p.text.section == keyPlanning:
		p.keep(&p.plan.Extra, "Planning "+string(name), value)
	default:
		p.keep(&p.plan.Extra, "JIT "+string(name), value)
	}
}

// triggerLine reads "Trigger NAME for constraint NAME on RELATION: time=1.000
// calls=3", of which only "Trigger", the name or the constraint, and calls are
// certain.
func (p *Parser) triggerLine(text []byte) {
	i := bytes.LastIndex(text, []byte(": "))
	if i < 0 || len(p.plan.Triggers) >= maxExtras {
		return
	}
	var t record.Trigger
	name := bytes.TrimPrefix(text[:i], triggerPrefix)
	if j := bytes.LastIndex(name, []byte(" on ")); j >= 0 {
		t.Relation = p.interns.string(name[j+len(" on "):])
		name = name[:j]
	}
	const constraint = "for constraint "
	if j := bytes.Index(name, []byte(constraint)); j == 0 || j > 0 && name[j-1] == ' ' {
		t.Constraint = p.interns.string(name[j+len(constraint):])
		name = bytes.TrimSpace(name[:j])
	}
	t.Name = p.interns.string(name)
	assignWords(text[i+2:], func(name, value []byte) {
		switch string(name) {
		case "time":
			t.Time, _ = textMilliseconds(value)
		case "calls":
			t.Calls, _, _ = fixed(value, 0)
		}
	})
	p.plan.Triggers = append(p.plan.Triggers, t)
}

// settingsLine reads "jit = 'off', search_path = '"$user", public'"; a quote
// inside a value is doubled.
func (p *Parser) settingsLine(text []byte) {
	for len(text) > 0 && len(p.plan.Settings) < maxExtras {
		name, rest, ok := bytes.Cut(text, []byte(" = '"))
		if !ok {
			return
		}
		value := p.scratch[:0]
		i := 0
		for ; i < len(rest); i++ {
			if rest[i] == '\'' {
				if i+1 == len(rest) || rest[i+1] != '\'' {
					break
				}
				i++
			}
			value = append(value, rest[i])
		}
		p.scratch = value
		p.plan.Settings = append(p.plan.Settings, record.KeyValue{
			Key: p.interns.string(name), Value: p.interns.string(value),
		})
		text = bytes.TrimLeft(rest[min(i+1, len(rest)):], ", ")
	}
}

// inferGroups marks the groups of figures that text leaves out where they are
// zero: if one node reports buffers, all were counted.
func (p *Parser) inferGroups() {
	var groups record.Fields
	if p.plan.HasPlanBuffers {
		groups |= record.HasBuffers
	}
	const optional = record.HasBuffers | record.HasIOTime | record.HasWAL
	nodes := p.plan.Nodes
	for i := range nodes {
		groups |= nodes[i].Fields & optional
	}
	for i := range nodes {
		n := &nodes[i]
		if n.Has(record.HasActual) {
			n.Fields |= groups
			if n.Operation == "Merge" && n.ActualLoops > 0 {
				n.Fields |= record.HasTuples // 15 and later, as MERGE itself
			}
		}
	}
}
