package analysis

import (
	"context"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser"
	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/record"
)

// PlanSet is every plan of an input, in its order.
type PlanSet struct {
	Plans []ReadPlan
	Files []parser.FileReport
	// Found counts the plans of the input; Plans may be fewer, as asked for.
	Found int64
	// Capped counts the plans whose trees were left out since those before them
	// have MaxPlanNodes nodes.
	Capped int64
	// Names are what the input calls its things, for Anonymize.
	Names Names
	// Findings are those that no plan of the set could be shown for.
	Findings []finding.Finding
}

// ReadPlan is one plan of an input.
type ReadPlan struct {
	PlanExample
	Number   int64 // in the input, from 1
	FromLog  bool  // Duration is what the log says
	Measured record.Figures
	Findings []PlacedFinding
}

// PlacedFinding is a finding at the node that its evidence names, −1 if it names
// the plan as a whole.
type PlacedFinding struct {
	Node    int
	Finding finding.Finding
}

// MaxPlanNodes bounds the trees that ReadPlans keeps, in nodes.
const MaxPlanNodes = 2_000_000

// Logged is what the log says the execution took; 0 if no log tells.
func (p *ReadPlan) Logged() record.Duration {
	if p.FromLog {
		return p.Duration
	}
	return 0
}

// Key identifies the statement: its fingerprint, or, if the plan does not carry
// its query, the relations that it reads or writes, whatever its shape.
func (p *ReadPlan) Key() string {
	if p.Plan == nil || !strings.HasPrefix(p.Fingerprint, "plan:") {
		return p.Fingerprint
	}
	relations := nameSet{}
	for i := range p.Plan.Nodes {
		if n := &p.Plan.Nodes[i]; n.RelationName != "" {
			relations.add(strings.TrimPrefix(n.SchemaName+"."+n.RelationName, "."))
		} else if n.Parent >= 0 && n.FunctionName != "" {
			relations.add(n.FunctionName + "()")
		}
	}
	return "plan of " + p.Plan.Nodes[0].Operation + " " + strings.Join(relations.sorted(), ", ")
}

// ReadPlans reads every plan that paths hold: of logs, of files of EXPLAIN
// output, in frames. wanted chooses by the number of a plan, nil all. Errors are
// those of parser.Stream.
func ReadPlans(ctx context.Context, paths []string, o Options, wanted func(number int64) bool) (*PlanSet, error) {
	r := planReader{set: &PlanSet{}, wanted: wanted,
		databases: nameSet{}, users: nameSet{}, applications: nameSet{}, statements: nameSet{}, settings: nameSet{}}
	rep, err := parser.Stream(ctx, paths, parser.Options{
		Prefix: o.Prefix, Timezone: o.Timezone, Jobs: o.Jobs, Stdin: o.Stdin, OnProgress: o.Progress, AllPlans: true,
	}, func(b *record.Batch) error {
		for i := range b.Executions {
			r.see(&b.Executions[i])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s := r.set
	s.Files = rep.Files
	s.Names = Names{
		Databases: r.databases.sorted(), Users: r.users.sorted(), Applications: r.applications.sorted(),
		Statements: r.statements.sorted(), Settings: r.settings.sorted(),
	}
	return s, nil
}

type planReader struct {
	set    *PlanSet
	wanted func(int64) bool
	nodes  int

	databases, users, applications, statements, settings nameSet
}

func (r *planReader) see(e *record.Execution) {
	if !e.HasPlan {
		return
	}
	r.set.Found++
	if r.wanted != nil && !r.wanted(r.set.Found) {
		return
	}
	p := ReadPlan{Number: r.set.Found, FromLog: e.Kind != record.ExecExplain, Measured: e.Figures}
	p.Pos, p.Time, p.Shape, p.Executions = e.Pos, e.LogTime, e.Figures.Shape, 1
	if e.HasDuration {
		p.Duration = e.Duration
	}
	if s := e.Statement; s != nil {
		p.Fingerprint, p.Statement = s.Fingerprint, s.Normalized
		r.name(e, s)
	}
	if e.Plan != nil && r.nodes+len(e.Plan.Nodes) <= MaxPlanNodes {
		r.nodes += len(e.Plan.Nodes)
		p.Plan = e.Plan
		for _, kv := range e.Plan.Settings {
			r.settings.add(kv.Key)
		}
	} else {
		r.set.Capped++
	}
	r.set.Plans = append(r.set.Plans, p)
}

func (r *planReader) name(e *record.Execution, s *record.Statement) {
	r.databases.add(e.Database)
	r.users.add(e.UserName)
	r.applications.add(e.Application)
	if !s.Approximate {
		r.statements.add(s.Normalized)
	}
}

// Place puts findings at the plans and nodes that their evidence names; those
// that name none stay in s.Findings.
func (s *PlanSet) Place(findings []finding.Finding) {
	type place struct {
		file   string
		offset int64
	}
	at := make(map[place][]int, len(s.Plans))
	for i := range s.Plans {
		p := place{s.Plans[i].Pos.File, s.Plans[i].Pos.Offset}
		at[p] = append(at[p], i)
	}
	for _, f := range findings {
		placed := false
		for _, e := range f.Evidence {
			for _, i := range at[place{e.Pos.File, e.Pos.Offset}] {
				if p := &s.Plans[i]; p.Plan != nil && !placed {
					p.Findings = append(p.Findings, PlacedFinding{p.nodeOf(&e), f})
					placed = true
				}
			}
		}
		if !placed {
			s.Findings = append(s.Findings, f)
		}
	}
}

// nodeOf finds the node that evidence names: by its line, and where several
// nodes stand on one line by the excerpt, which begins with the node's name.
// −1 if that names none.
func (p *ReadPlan) nodeOf(e *finding.Evidence) int {
	best, matched := -1, 0
	for i := range p.Plan.Nodes {
		n := &p.Plan.Nodes[i]
		score := 0
		if n.Line > 0 && n.Line == e.Pos.Line {
			score = 1
		}
		if score += excerptMatch(n, e.Excerpt); score > matched {
			best, matched = i, score
		}
	}
	if matched < 2 && best == 0 {
		return -1 // the line of a plan is that of its root
	}
	return best
}

// excerptMatch tells how well an excerpt names a node: 0 if not at all.
func excerptMatch(n *record.Node, excerpt string) int {
	for i, name := range [...]string{explain.NodeTitle(n), n.NodeType, n.Operation} {
		rest, ok := strings.CutPrefix(excerpt, name)
		if !ok || name == "" {
			continue
		}
		if i == 0 && (rest == "" || strings.HasPrefix(rest, " (")) {
			return 4
		}
		score := 2
		for _, object := range [...]string{n.IndexName, n.RelationName} {
			if object != "" && strings.Contains(rest, object) {
				score++
			}
		}
		return min(score, 3)
	}
	return 0
}
