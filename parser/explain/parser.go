package explain

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/pgassay/pgassay/parser/record"
)

// Limits on one plan. PostgreSQL itself prints nothing near them.
const (
	maxDepth   = 1000
	maxNodes   = 100_000
	maxWorkers = 10_000 // of one plan
	maxExtras  = 100_000
)

// ErrNoPlan says that the input is well formed but holds no PostgreSQL plan.
var ErrNoPlan = errors.New("no plan in it")

// ErrForeign says that the plan comes from another database; a *ForeignError
// names it.
var ErrForeign = errors.New("a plan of another database, not PostgreSQL's")

// ForeignError is the plan of a database that was recognised.
type ForeignError struct {
	Database string
	Line     int64
}

// Error names the database.
func (e *ForeignError) Error() string {
	return fmt.Sprintf("line %d: %s", e.Line, e.reason())
}

func (e *ForeignError) reason() string { return "a plan of " + e.Database + ", not of PostgreSQL" }

// Unwrap is ErrForeign.
func (e *ForeignError) Unwrap() error { return ErrForeign }

// Options steer the reading of one plan.
type Options struct {
	// Extras keeps conditions, sort keys and unknown keys in Node.Extra and
	// Plan.Extra.
	Extras bool
	// Line is the file's line of data's first line; 0 if unknown, then
	// Node.Line stays 0.
	Line int64
	// Lines, if not nil, are the file's lines of each line of data, and of the
	// one behind; Line is ignored.
	Lines []int64
}

// fileLine is the file's line of the n-th line of data, 0 for the first.
func (o *Options) fileLine(n int) int64 {
	if o.Lines == nil {
		return o.Line + int64(n)
	}
	return o.Lines[min(n, len(o.Lines)-1)]
}

// Parser reads plans. It owns the memory of the plan it returns, which is valid
// until the next call; Clone makes a plan that lasts. A Parser is not safe for
// concurrent use.
type Parser struct {
	data    []byte
	pos     int
	opt     Options
	plan    record.Plan
	interns intern
	key     int    // where the last key of JSON stands in data,
	keyEnd  int    // and ends
	scratch []byte // an unescaped string, until the next one is read
	joined  []byte // a text line made of several, until the next one is read

	start      int    // where a text plan begins in data
	cut        bool   // the input ended inside the plan
	foreign    string // the other database
	duplicates int64
	workers    int
	extras     int
	err        error
	errPos     int
	counted    int // lines are counted up to this offset
	line       int // the line at counted, 0 for the first

	converted []byte // XML or YAML as JSON

	text textState
}

// NewParser makes a Parser. Keep it: names are interned per Parser.
func NewParser() *Parser {
	return &Parser{interns: intern{names: make(map[string]string)}}
}

// Clone returns a deep copy of p, independent of the Parser that read it.
func Clone(p *record.Plan) *record.Plan {
	c := *p
	c.Nodes = slices.Clone(p.Nodes)
	for i := range c.Nodes {
		n := &c.Nodes[i]
		n.Extra = cloned(n.Extra)
		n.Workers = cloned(n.Workers)
		for j := range n.Workers {
			n.Workers[j].Extra = cloned(n.Workers[j].Extra)
		}
	}
	c.Triggers = cloned(p.Triggers)
	c.Settings = cloned(p.Settings)
	c.Extra = cloned(p.Extra)
	return &c
}

// cloned copies s without spare capacity; an empty slice becomes nil, so that
// kept plans do not hold a Parser's scratch memory.
func cloned[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return slices.Clone(s)
}

func (p *Parser) reset(data []byte, opt Options) {
	old := p.plan
	p.plan = record.Plan{
		Nodes:    old.Nodes[:0],
		Triggers: old.Triggers[:0],
		Settings: old.Settings[:0],
		Extra:    old.Extra[:0],
	}
	p.data, p.pos, p.opt = data, 0, opt
	p.cut, p.foreign, p.duplicates, p.err, p.errPos = false, "", 0, nil, 0
	p.workers, p.extras, p.key, p.keyEnd = 0, 0, 0, 0
	p.counted, p.line = 0, 0
}

// fail notes the first error and ends the input.
func (p *Parser) fail(what string) {
	if p.err == nil {
		p.errPos = min(p.pos, len(p.data))
		line := p.opt.fileLine(bytes.Count(p.data[:p.errPos], newline))
		p.err = fmt.Errorf("line %d: %s", line, what)
	}
	p.pos = len(p.data)
}

var newline = []byte{'\n'}

// lineAt is the file line at offset; offsets must not decrease within a plan.
func (p *Parser) lineAt(offset int) int64 {
	if p.opt.Line == 0 && p.opt.Lines == nil {
		return 0
	}
	p.line += bytes.Count(p.data[p.counted:offset], newline)
	p.counted = offset
	return p.opt.fileLine(p.line)
}

// addNode appends a node, reusing the memory of an earlier plan, and returns
// its index, or −1 when a limit is hit.
func (p *Parser) addNode(parent, depth int32, offset int) int32 {
	n := len(p.plan.Nodes)
	if n >= maxNodes || depth >= maxDepth {
		p.fail(fmt.Sprintf("plan of more than %d nodes or %d levels", maxNodes, maxDepth))
		return -1
	}
	if n < cap(p.plan.Nodes) {
		p.plan.Nodes = p.plan.Nodes[:n+1]
	} else {
		p.plan.Nodes = append(p.plan.Nodes, record.Node{})
	}
	node := &p.plan.Nodes[n]
	*node = record.Node{
		Parent:  parent,
		Depth:   depth,
		Line:    p.lineAt(offset),
		Workers: node.Workers[:0],
		Extra:   node.Extra[:0],
	}
	return int32(n)
}

// worker finds or adds the worker of a node. PostgreSQL 12 prints the details
// of one worker in two places. The pointer is valid until the next call.
func (p *Parser) worker(node int32, number int64) *record.Worker {
	ws := p.plan.Nodes[node].Workers
	for i := len(ws) - 1; i >= 0 && i >= len(ws)-64; i-- {
		if ws[i].Number == number {
			return &ws[i]
		}
	}
	if p.workers++; p.workers > maxWorkers {
		p.fail(fmt.Sprintf("plan with more than %d workers", maxWorkers))
		return &record.Worker{}
	}
	ws = append(ws, record.Worker{Number: number})
	p.plan.Nodes[node].Workers = ws
	return &ws[len(ws)-1]
}

// keep appends an extra if extras are wanted. The strings may point into
// scratch memory.
func (p *Parser) keep(list *[]record.KeyValue, name string, value []byte) {
	if p.opt.Extras && p.extras < maxExtras {
		p.extras++
		*list = append(*list, record.KeyValue{Key: name, Value: string(value)})
	}
}

// duplicateKeys is the extra that counts the keys that came twice.
const duplicateKeys = "Duplicate Keys"

// finish sets what follows from the whole tree.
func (p *Parser) finish() {
	p.plan.Truncated = p.cut
	if p.duplicates > 0 {
		p.plan.Extra = append(p.plan.Extra, record.KeyValue{
			Key: duplicateKeys, Value: fmt.Sprint(p.duplicates),
		})
	}
	Summarize(&p.plan)
}

// intern keeps one copy of each short string, so that names do not cost an
// allocation per plan.
type intern struct {
	names map[string]string
	bytes int
}

const (
	maxInternLen   = 4 << 10 // of one string
	maxInternBytes = 4 << 20 // of all
)

func (t *intern) string(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if s, ok := t.names[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(s) > maxInternLen {
		return s
	}
	if t.bytes += len(s); t.bytes > maxInternBytes {
		clear(t.names)
		t.bytes = len(s)
	}
	t.names[s] = s
	return s
}
