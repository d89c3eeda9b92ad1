package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/report/view"
)

// failOnNone lets check pass whatever was found.
const failOnNone = "none"

// severities are the values of --fail-on that name one, worst first.
var severities = []finding.Severity{finding.Critical, finding.Warning, finding.Info}

// checking is what check needs beside reading.
type checking struct {
	reading
	failOn  string
	require []string
	limit   *finding.Severity // nil for none
}

func (in *checking) flags(cmd *cobra.Command) {
	in.reading.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&in.failOn, "fail-on", finding.Warning.String(), "least severity that fails: "+strings.Join(limitNames(), ", "))
	f.StringSliceVar(&in.require, "require", nil, "exit with 3 if the signature `ID` could not be evaluated; repeatable, or with commas")
}

func newCheck(env *environment) *cobra.Command {
	var in checking
	cmd := &cobra.Command{
		Use:   "check PATH...",
		Short: "Like analyze, and exit with 1 on findings; for CI",
		Long: "Does what analyze does and ends with\n\n" +
			"  0  no finding at or above --fail-on\n" +
			"  1  findings at or above --fail-on, or a suppression that expired\n" +
			"  2  wrong usage, a file that cannot be read, nothing in the input was understood, or no signature\n" +
			"     could be evaluated\n" +
			"  3  a signature of --require could not be evaluated; with --strict: input was lost, or any signature\n" +
			"     could not be evaluated\n\n" +
			"in this order: 2, then 1, then 3. The reason is one line on standard error.\n\n" +
			"With --baseline only what is new or worse than in that report fails, and, unless --fail-on is critical\n" +
			"or none, statements whose rows became dearer: in buffers where both reports know them, else in\n" +
			"milliseconds. How much is worse:\n\n" + comparisonLimits(),
		Example: "  pgassay check exports/\n" +
			"  pgassay check --fail-on critical --require PGA101,PGA201 --report report.json exports/\n" +
			"  pgassay check --fail-on none --update-baseline last.json exports/\n" +
			"  pgassay check --baseline last.json exports/",
		Args: needPaths,
		RunE: func(cmd *cobra.Command, paths []string) error {
			if err := in.configure(cmd, env); err != nil {
				return err
			}
			if err := in.judges(cmd); err != nil {
				return err
			}
			result, err := in.run(cmd, env, paths)
			if err != nil {
				return err
			}
			return in.verdict(result)
		},
	}
	in.flags(cmd)
	completions(cmd)
	return cmd
}

// comparisonLimits lists the thresholds of a comparison.
func comparisonLimits() string {
	var b strings.Builder
	for _, t := range analysis.ComparisonThresholds() {
		item(&b, analysis.ComparisonID+"."+t.Name, fmt.Sprintf("%g %s: %s", t.Value, t.Unit, t.Doc))
	}
	return b.String()
}

// judges reads the flags that decide on the exit code.
func (in *checking) judges(cmd *cobra.Command) error {
	command := cmd.CommandPath()
	i := slices.Index(limitNames(), in.failOn)
	if i < 0 {
		return usage(command, "%s %q: one of %s", in.settings.said("fail-on"), in.failOn, strings.Join(limitNames(), ", "))
	}
	if in.failOn != failOnNone {
		in.limit = &severities[i]
	}
	for _, id := range in.require {
		if !slices.Contains(signatureIDs(), id) {
			return usage(command, "%s: no signature %q%s", in.settings.said("require"), id, meant(id, signatureIDs()))
		}
	}
	return nil
}

// validate refuses what run would.
func (in *checking) validate(cmd *cobra.Command) error {
	if err := in.judges(cmd); err != nil {
		return err
	}
	in.options.Now = time.Now()
	_, _, err := in.prepare(cmd)
	return err
}

func limitNames() []string {
	var names []string
	for _, s := range severities {
		names = append(names, s.String())
	}
	return append(names, failOnNone)
}

// verdict is the exit for what was understood: a gate that checked nothing is
// no pass.
func (in *checking) verdict(r *analysis.Result) error {
	if len(r.Evaluated) == 0 {
		return &exit{exitUsage, "check: no signature could be evaluated" + lacking(r.NotEvaluated)}
	}
	reasons := append(in.expired(), in.found(r)...)
	if len(reasons) > 0 {
		return &exit{exitFound, "check: " + strings.Join(reasons, "; ")}
	}
	if err := in.required(r); err != nil || !in.strict {
		return err
	}
	return incomplete(r)
}

// lacking says what most of the signatures that were not evaluated lacked.
func lacking(list []analysis.NotEvaluated) string {
	counts, most := map[string]int{}, ""
	for _, n := range list {
		if counts[n.Lacks]++; counts[n.Lacks] > counts[most] {
			most = n.Lacks
		}
	}
	if most == "" {
		return ""
	}
	return ": " + view.Line(most) + "; 'pgassay help collect' tells what to export"
}

// expired are the suppressions that have no effect any more.
func (in *checking) expired() []string {
	var out []string
	for i := range in.options.Suppressions {
		if s := &in.options.Suppressions[i]; !in.options.Now.Before(s.Expires) {
			out = append(out, fmt.Sprintf("%s: the suppression of %s expired on %s", s.Place, s, s.Expires.Format(time.DateOnly)))
		}
	}
	return out
}

// required is an exit if a signature of --require was not evaluated.
func (in *checking) required(r *analysis.Result) error {
	var reasons []string
	for _, n := range r.NotEvaluated {
		if slices.Contains(in.require, n.ID) {
			reasons = append(reasons, n.ID+" "+n.Name+" was not evaluated: "+n.Lacks+"; add "+n.Add)
		}
	}
	if len(reasons) == 0 {
		return nil
	}
	return &exit{exitStrict, "require: " + strings.Join(reasons, "; ")}
}

// shownFindings is how many findings a reason names.
const shownFindings = 3

// found tells what fails: findings at or above the limit, and with a baseline
// only those that are new or worse, and statements that became dearer.
func (in *checking) found(r *analysis.Result) []string {
	if in.limit == nil {
		return nil
	}
	var counts, names []string
	for _, s := range severities {
		n := 0
		for i := range r.Findings {
			if f := &r.Findings[i]; f.Severity == s && s >= *in.limit && fails(r.Comparison, i) {
				n++
				names = append(names, f.ID+" "+view.Shorten(view.Line(f.Subject.String()), 60)+status(r.Comparison, i))
			}
		}
		if n > 0 {
			counts = append(counts, view.Counted(int64(n), s.String()+" finding", s.String()+" findings"))
		}
	}
	var out []string
	if len(names) > 0 {
		out = append(out, fmt.Sprintf("%s (%s), limit %s", strings.Join(counts, ", "), firstOf(names), in.limit))
	}
	return append(out, in.dearer(r.Comparison)...)
}

// firstOf joins the first shownFindings of names.
func firstOf(names []string) string {
	if more := len(names) - shownFindings; more > 0 {
		names = append(names[:shownFindings:shownFindings], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// fails reports whether the i-th finding counts against the baseline.
func fails(c *analysis.Comparison, i int) bool {
	return c == nil || c.Findings[i].Status == analysis.StatusNew || c.Findings[i].Status == analysis.StatusWorse
}

// status is " new", or " worse: why"; "" without a baseline.
func status(c *analysis.Comparison, i int) string {
	switch {
	case c == nil:
		return ""
	case c.Findings[i].Status == analysis.StatusWorse:
		return " worse: " + c.Findings[i].Why
	}
	return " " + string(c.Findings[i].Status)
}

// dearer tells which statements regressed, which counts as a warning.
func (in *checking) dearer(c *analysis.Comparison) []string {
	if c == nil || len(c.Regressions) == 0 || *in.limit > finding.Warning {
		return nil
	}
	var names []string
	for i := range c.Regressions {
		x := &c.Regressions[i]
		names = append(names, fmt.Sprintf("%s: %s → %s", view.Shorten(view.Line(x.Text), 60), view.Quantity(x.Was, ""), view.Quantity(x.Now, x.Unit)))
	}
	return []string{view.Counted(int64(len(names)), "statement", "statements") + " dearer than in " + view.Line(c.Baseline) + " (" + firstOf(names) + ")"}
}
