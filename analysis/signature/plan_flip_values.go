package signature

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/onset"
	"github.com/pgassay/pgassay/parser/record"
)

// flipParameters compare the parameters before a flip with those after it.
type flipParameters struct {
	Before, After int // executions with parameters
	Distinct      int // different parameters before
	Same          int // executions after it whose parameters were used before
}

// maxValues bounds the different parameters that are remembered.
const maxValues = 100_000

func valuesOf(f *onset.Flip) flipParameters {
	var v flipParameters
	seen := map[string]bool{}
	for _, e := range f.Before {
		if e.Parameters == "" {
			continue
		}
		v.Before++
		if len(seen) < maxValues {
			seen[e.Parameters] = true
		}
	}
	v.Distinct = len(seen)
	for _, e := range f.After {
		if e.Parameters == "" {
			continue
		}
		v.After++
		if seen[e.Parameters] {
			v.Same++
		}
	}
	return v
}

// known reports whether the same parameters came often enough to expect them
// again: values that never repeat tell nothing.
func (v *flipParameters) known() bool {
	return v.Before >= minCostReadings && v.After >= minCostReadings && 2*v.Distinct <= v.Before
}

// other reports that the parameters are others since the flip.
func (v *flipParameters) other() bool { return v.known() && v.Same == 0 }

func (v *flipParameters) verdict() finding.RuledOut {
	const rival = "other parameters"
	switch {
	case v.Before == 0 || v.After == 0:
		return notMeasurable(rival, "no parameters in input: log_parameter_max_length, and statements with bind parameters")
	case v.other():
		return finding.RuledOut{Rival: rival, Verdict: finding.NotRuledOut,
			Figure: fmt.Sprintf("none of the %s executions since has parameters that were used before", thousands(int64(v.After)))}
	case v.Same == 0:
		return notMeasurable(rival, "values hardly ever repeat")
	}
	return finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict,
		Figure: fmt.Sprintf("%s of %s executions since have parameters that were used before", thousands(int64(v.Same)), thousands(int64(v.After)))}
}

// parameterSign is a parameter in a condition as EXPLAIN prints it.
var parameterSign = regexp.MustCompile(`\$[1-9]`)

// goesGeneric reports whether the new plan leaves its parameters open where the
// old one knew their values: a prepared statement took its generic plan. Up to
// version 16 the results of init plans are printed alike, so plans with them do
// not count.
func (c *flipCase) goesGeneric() bool {
	before, after := c.plan(c.From), c.plan(c.To)
	return before != nil && after != nil && !opensParameters(before) && opensParameters(after)
}

func opensParameters(p *record.Plan) bool {
	open := false
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.ParentRelationship == "InitPlan" || n.ParentRelationship == "SubPlan" {
			return false
		}
		open = open || slices.ContainsFunc(n.Extra, func(kv record.KeyValue) bool { return parameterSign.MatchString(kv.Value) })
	}
	return open
}

// plan is the first example of a shape, nil if none was kept.
func (c *flipCase) plan(shape uint64) *record.Plan {
	for i := range c.Statement.Shapes {
		if x := &c.Statement.Shapes[i]; x.ID == shape {
			return x.First.Plan
		}
	}
	return nil
}
