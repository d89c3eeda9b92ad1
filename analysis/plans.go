package analysis

import (
	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/record"
)

// Plans are examples: what a reader looks at, not what the findings rest on.
const (
	maxPlans             = 30
	maxPlansPerStatement = 4
)

// PlanExample is one logged plan of a statement, with what each node cost by
// itself.
type PlanExample struct {
	Fingerprint, Statement string
	Shape                  uint64
	Executions             int64  // of the statement with this shape
	Which                  string // "earliest" or "slowest" of its shape
	Pos                    record.Pos
	Time                   record.Time
	Duration               record.Duration // as logged; 0 if not known
	Plan                   *record.Plan
	Figures                []explain.NodeFigures // one per Plan.Nodes
}

// planExamples takes the plans of the statements that findings are about, then
// those of the costliest: of each shape the slowest, and of a finding's
// statement the earliest too, to set before and after side by side.
func planExamples(m *dataset.Model, r *Result) []PlanExample {
	var out []PlanExample
	taken := map[string]bool{}
	add := func(fingerprint string, both bool) {
		s := m.Statement(fingerprint)
		if s == nil || taken[fingerprint] || len(out) >= maxPlans {
			return
		}
		taken[fingerprint] = true
		plans := plansOf(s, both)
		out = append(out, plans[:min(len(plans), maxPlans-len(out))]...)
	}
	for i := range r.Findings {
		add(r.Findings[i].Subject.Fingerprint, true)
	}
	for i := range r.Statements {
		add(r.Statements[i].Fingerprint, false)
	}
	return out
}

func plansOf(s *dataset.Statement, both bool) []PlanExample {
	var out []PlanExample
	for _, shape := range s.Shapes {
		if both && shape.First.Pos != shape.Slowest.Pos {
			out = appendPlan(out, s, shape, shape.First, "earliest")
		}
		out = appendPlan(out, s, shape, shape.Slowest, "slowest")
	}
	return out
}

func appendPlan(out []PlanExample, s *dataset.Statement, shape dataset.Shape, x dataset.Example, which string) []PlanExample {
	if x.Plan == nil || len(x.Plan.Nodes) == 0 || len(out) >= maxPlansPerStatement {
		return out
	}
	return append(out, PlanExample{
		Fingerprint: s.Fingerprint, Statement: s.Normalized, Shape: shape.ID, Executions: shape.Executions, Which: which,
		Pos: x.Pos, Time: x.Time, Duration: x.Duration, Plan: x.Plan, Figures: explain.Arithmetic(x.Plan),
	})
}
