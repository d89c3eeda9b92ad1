package analysis

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// AnonymizePlans replaces the names and literals of sets as Anonymize does, the
// same everywhere by the same: in plans, statements, findings and places.
func AnonymizePlans(sets ...*PlanSet) {
	r, names := &Result{}, Names{}
	for _, s := range sets {
		s.give(r)
		names.Databases = append(names.Databases, s.Names.Databases...)
		names.Users = append(names.Users, s.Names.Users...)
		names.Applications = append(names.Applications, s.Names.Applications...)
		names.Statements = append(names.Statements, s.Names.Statements...)
		names.Settings = append(names.Settings, s.Names.Settings...)
	}
	r = Anonymize(r, names)
	for _, s := range sets {
		s.take(r)
	}
}

// give appends what of s has names to r.
func (s *PlanSet) give(r *Result) {
	r.Findings = append(r.Findings, s.Findings...)
	for i := range s.Plans {
		p := &s.Plans[i]
		for _, f := range p.Findings {
			r.Findings = append(r.Findings, f.Finding)
		}
		x := p.PlanExample
		if x.Plan == nil {
			x.Plan = &record.Plan{}
		}
		r.Plans = append(r.Plans, x)
		giveNames(r, x.Plan)
	}
	for i := range s.Files {
		f := &s.Files[i]
		r.Inputs = append(r.Inputs, Input{File: f.File, Losses: f.Losses})
		for _, p := range f.Repairs {
			r.Losses = append(r.Losses, record.Loss{Pos: p.Pos})
		}
	}
}

// giveNames tells which names of a plan are tables and which are indexes.
func giveNames(r *Result, p *record.Plan) {
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.RelationName != "" {
			r.Relations = append(r.Relations, RelationRow{Name: n.SchemaName + "." + n.RelationName})
		}
		if n.IndexName != "" {
			r.Indexes = append(r.Indexes, IndexRow{Name: n.IndexName})
		}
	}
}

// take sets what give gave, and takes it off r.
func (s *PlanSet) take(r *Result) {
	s.Findings, r.Findings = cut(r.Findings, len(s.Findings))
	for i := range s.Plans {
		p := &s.Plans[i]
		for k := range p.Findings {
			p.Findings[k].Finding = r.Findings[k]
		}
		r.Findings = r.Findings[len(p.Findings):]
		if p.Plan == nil {
			r.Plans[i].Plan = nil
		}
		p.PlanExample = r.Plans[i]
	}
	r.Plans = r.Plans[len(s.Plans):]
	for i := range s.Files {
		f := &s.Files[i]
		f.File, f.Losses = r.Inputs[i].File, r.Inputs[i].Losses
		for k := range f.Repairs {
			f.Repairs[k].Pos = r.Losses[k].Pos
		}
		r.Losses = r.Losses[len(f.Repairs):]
	}
	r.Inputs = r.Inputs[len(s.Files):]
}

func cut[T any](list []T, n int) (head, rest []T) { return slices.Clip(list[:n]), list[n:] }

// subplan rewrites the name of a subplan: "CTE x" names one of the input, the
// others are EXPLAIN's.
func (d *dictionary) subplan(s string) string {
	if name, ok := strings.CutPrefix(s, "CTE "); ok {
		return "CTE " + d.name(name)
	}
	return s
}

// subplanReference is how an expression names an InitPlan or a SubPlan, whose
// numbers are no constants: "(InitPlan 2).col1", "(hashed SubPlan 1)".
var subplanReference = regexp.MustCompile(`(?:hashed )?(?:InitPlan|SubPlan) \d+\)?(?:\.col\d+)?`)

// expressions rewrites an expression, or a JSON list of them, of a plan.
func (d *dictionary) expressions(s string) string {
	var list []string
	if strings.HasPrefix(s, "[") && json.Unmarshal([]byte(s), &list) == nil {
		for i := range list {
			list[i] = d.expression(list[i])
		}
		if text, err := json.Marshal(list); err == nil {
			return string(text)
		}
	}
	return d.expression(s)
}

func (d *dictionary) expression(s string) string {
	var b strings.Builder
	at := 0
	for _, m := range subplanReference.FindAllStringIndex(s, -1) {
		b.WriteString(d.sql(s[at:m[0]]) + s[m[0]:m[1]])
		at = m[1]
	}
	b.WriteString(d.sql(s[at:]))
	return b.String()
}
