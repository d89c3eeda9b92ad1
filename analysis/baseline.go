package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/signature"
	"github.com/pgassay/pgassay/parser/record"
)

// Baseline is what an earlier run said, as its JSON report kept it.
type Baseline struct {
	Name       string // of the file, as the user gave it
	Version    string // of the pgassay that wrote it
	From, To   record.Time
	Evaluated  []string
	Findings   []BaselineFinding // those that were suppressed too
	Statements []BaselineStatement
}

// BaselineFinding is a finding of an earlier run.
type BaselineFinding struct {
	Fingerprint     string // finding.Finding.Fingerprint
	ID, Name, Title string
	Subject         finding.Subject
	Severity        finding.Severity
	Effect          float64 // 0 if it has no ratio
}

// BaselineStatement is a statement of an earlier run. What is not known is NaN.
type BaselineStatement struct {
	Fingerprint, From            string
	Calls                        int64
	Mean, P50                    float64 // ms
	Rows, Buffers, BuffersPerRow float64 // of a call, and of a row
}

// Status of a finding against the baseline.
type Status string

// Statuses. A finding whose signature could not be evaluated this time is not
// known to be gone.
const (
	StatusNew     Status = "new"
	StatusWorse   Status = "worse"
	StatusSame    Status = "same"
	StatusGone    Status = "gone"
	StatusUnknown Status = "not evaluated"
)

// Statuses lists them in the order in which they are told.
func Statuses() []Status {
	return []Status{StatusNew, StatusWorse, StatusSame, StatusGone, StatusUnknown}
}

// Comparison is a Result held against a Baseline.
type Comparison struct {
	Baseline string // its name
	From, To record.Time
	// Findings are those of the Result, in its order.
	Findings []FindingChange
	// Absent are the findings of the baseline that the Result does not have.
	Absent []FindingChange
	// Regressions are the statements whose rows became dearer, worst first.
	Regressions []CostChange
	Compared    int64 // statements that had enough calls in both
}

// FindingChange is one finding then and now.
type FindingChange struct {
	Status          Status
	ID, Name, Title string
	Subject         finding.Subject
	Why             string // what makes it worse, or what limits the status
}

// CostChange is the cost of one statement then and now.
type CostChange struct {
	Fingerprint, Text string
	Unit              string  // "buffers/row", "buffers/call", "ms/row" or "ms/call"
	Was, Now          float64 // in Unit
	PerCall           float64 // buffers or ms that a call costs more, at its present rows
	CallsWas, Calls   int64
}

// Ratio is now ÷ then.
func (c *CostChange) Ratio() float64 { return c.Now / c.Was }

// ComparisonID is the prefix of the thresholds of Compare, where those of a
// signature have its ID.
const ComparisonID = "baseline"

// ComparisonThresholds are the limits of Compare with their defaults.
func ComparisonThresholds() []signature.Threshold {
	return []signature.Threshold{
		{Name: "effect_ratio", Value: 1.25, Unit: "x", Doc: "a finding is worse if its effect rose by this ratio, and by effect_floor"},
		{Name: "effect_floor", Value: 0.5, Unit: "x", Doc: "least rise of a finding's effect"},
		{Name: "cost_ratio", Value: 1.5, Unit: "x", Doc: "a statement regressed if its cost per row rose by this ratio, and by a floor"},
		{Name: "floor_buffers", Value: 20, Unit: "buffers/call", Doc: "least rise of a call's cost where buffers are known"},
		{Name: "floor_ms", Value: 1, Unit: "ms/call", Doc: "least rise of a call's time where buffers are not known"},
		{Name: "min_calls", Value: 20, Unit: "calls", Doc: "least calls of a statement in both reports"},
	}
}

// comparisonLimits are the thresholds as set.
type comparisonLimits struct {
	effectRatio, effectFloor            float64
	costRatio, floorBuffers, floorMS, n float64
}

func comparisonLimitsOf(set signature.Thresholds) comparisonLimits {
	v := map[string]float64{}
	for _, t := range ComparisonThresholds() {
		v[t.Name] = t.Value
		if own, ok := set[ComparisonID+"."+t.Name]; ok {
			v[t.Name] = own
		}
	}
	return comparisonLimits{v["effect_ratio"], v["effect_floor"], v["cost_ratio"], v["floor_buffers"], v["floor_ms"], v["min_calls"]}
}

// Compare holds r against an earlier report: findings by their fingerprint,
// statements by theirs. Costs are compared in buffers where both know them and
// in milliseconds elsewhere, per row where both know rows. set replaces
// ComparisonThresholds, by names as in "baseline.cost_ratio".
func Compare(r *Result, old *Baseline, set signature.Thresholds) *Comparison {
	l := comparisonLimitsOf(set)
	c := &Comparison{Baseline: old.Name, From: old.From, To: old.To}
	before := map[string]*BaselineFinding{}
	for i := range old.Findings {
		before[old.Findings[i].Fingerprint] = &old.Findings[i]
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		c.Findings = append(c.Findings, l.change(f, before[f.Fingerprint()], old))
		delete(before, f.Fingerprint())
	}
	for i := range r.Suppressed {
		delete(before, r.Suppressed[i].Finding.Fingerprint())
	}
	for i := range old.Findings {
		if f := &old.Findings[i]; before[f.Fingerprint] == f {
			c.Absent = append(c.Absent, absent(f, r))
		}
	}
	l.costs(c, r, old)
	return c
}

func (l *comparisonLimits) change(f *finding.Finding, was *BaselineFinding, old *Baseline) FindingChange {
	out := FindingChange{Status: StatusSame, ID: f.ID, Name: f.Name, Title: f.Title, Subject: f.Subject}
	switch {
	case was == nil:
		out.Status = StatusNew
		if !slices.Contains(old.Evaluated, f.ID) {
			out.Why = "the baseline could not evaluate it"
		}
	case f.Severity > was.Severity:
		out.Status, out.Why = StatusWorse, fmt.Sprintf("%s, was %s", f.Severity, was.Severity)
	case was.Effect > 0 && f.Effect >= l.effectRatio*was.Effect && f.Effect-was.Effect >= l.effectFloor:
		out.Status, out.Why = StatusWorse, fmt.Sprintf("effect %.3gx, was %.3gx", f.Effect, was.Effect)
	}
	return out
}

func absent(f *BaselineFinding, r *Result) FindingChange {
	out := FindingChange{Status: StatusGone, ID: f.ID, Name: f.Name, Title: f.Title, Subject: f.Subject}
	if !slices.Contains(r.Evaluated, f.ID) {
		out.Status, out.Why = StatusUnknown, "the input does not tell whether it is gone"
		for _, n := range r.NotEvaluated {
			if n.ID == f.ID {
				out.Why = n.Lacks
			}
		}
	}
	return out
}

// costs adds the regressions of statements.
func (l *comparisonLimits) costs(c *Comparison, r *Result, old *Baseline) {
	before := map[string]*BaselineStatement{}
	for i := range old.Statements {
		before[old.Statements[i].Fingerprint] = &old.Statements[i]
	}
	for i := range r.Statements {
		now := &r.Statements[i]
		was := before[now.Fingerprint]
		if was == nil || was.From != now.From || float64(min(was.Calls, now.Calls)) < l.n {
			continue
		}
		change, ok := costOf(now, was)
		if !ok {
			continue
		}
		c.Compared++
		if change.Ratio() >= l.costRatio && change.PerCall >= l.floorOf(change.Unit) && l.typical(now, was, change.Unit) {
			c.Regressions = append(c.Regressions, change)
		}
	}
	slices.SortStableFunc(c.Regressions, func(a, b CostChange) int {
		return cmp.Or(-cmp.Compare(a.Ratio(), b.Ratio()), cmp.Compare(a.Fingerprint, b.Fingerprint))
	})
}

func (l *comparisonLimits) floorOf(unit string) float64 {
	if unit == "ms/row" || unit == "ms/call" {
		return l.floorMS
	}
	return l.floorBuffers
}

// typical reports whether the median rose as well: a few slow executions move a
// mean of times.
func (l *comparisonLimits) typical(now *StatementRow, was *BaselineStatement, unit string) bool {
	if l.floorOf(unit) != l.floorMS || was.P50 <= 0 || now.P50 <= 0 {
		return true
	}
	ratio := now.P50.Milliseconds() / was.P50
	if unit == "ms/row" {
		ratio *= was.Rows / now.Rows
	}
	return ratio >= l.costRatio
}

// costOf chooses the measure that both know; false if there is none.
func costOf(now *StatementRow, was *BaselineStatement) (CostChange, bool) {
	c := CostChange{Fingerprint: now.Fingerprint, Text: now.Text, CallsWas: was.Calls, Calls: now.Calls}
	rows := now.Rows
	switch {
	case was.BuffersPerRow > 0 && now.BuffersPerRow > 0 && rows > 0:
		c.Unit, c.Was, c.Now = "buffers/row", was.BuffersPerRow, now.BuffersPerRow
	case was.Buffers > 0 && now.Buffers > 0:
		c.Unit, c.Was, c.Now, rows = "buffers/call", was.Buffers, now.Buffers, 1
	case was.Mean > 0 && now.Mean > 0 && was.Rows > 0 && rows > 0:
		c.Unit, c.Was, c.Now = "ms/row", was.Mean/was.Rows, now.Mean.Milliseconds()/rows
	case was.Mean > 0 && now.Mean > 0:
		c.Unit, c.Was, c.Now, rows = "ms/call", was.Mean, now.Mean.Milliseconds(), 1
	default:
		return c, false
	}
	c.PerCall = (c.Now - c.Was) * rows
	return c, !math.IsNaN(c.PerCall) && !math.IsInf(c.Ratio(), 0)
}
