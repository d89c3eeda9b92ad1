package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/ledger"
	"github.com/pgassay/pgassay/analysis/plandiff"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report"
)

// maxReport is the largest JSON report that diff reads, in bytes.
const maxReport = 256 << 20

// maxExamples bounds the statements whose slowest plans are set side by side.
const maxExamples = 30

// diffFlags are the flags of diff.
type diffFlags struct {
	planReading
	all bool
}

func newDiff(env *environment) *cobra.Command {
	var in diffFlags
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Compare two plans, two sets of plans, or two reports",
		Long: "Compares by what OLD and NEW hold:\n\n" +
			"  one plan each       node by node, matched by structure: what changed in shape, and the time,\n" +
			"                      rows, buffers and buffers per row that differ beyond noise\n" +
			"  many plans          statement by statement: medians of buffers and time, each with a test\n" +
			"  two JSON reports    which findings are new, worse, better or gone, and which statements\n\n" +
			"OLD and NEW are files, folders, or - for standard input. The noise of a time is what its printing\n" +
			fmt.Sprintf("leaves open, plus %g %% of the greater one and at least %g ms; of buffers, %d blocks.\n\nOutputs:\n\n",
				100*plandiff.TimeNoise, plandiff.TimeNoiseMS, plandiff.BlockNoise) + diffFormats(),
		Example: "  pgassay diff before.json after.json\n" +
			"  pgassay diff monday.log.gz tuesday.log.gz\n" +
			"  pgassay diff last-week.report.json today.report.json",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) != 2:
				return usage(cmd.CommandPath(), "two inputs are compared, OLD and NEW, got %d", len(args))
			case args[0] == "-" && args[1] == "-":
				return usage(cmd.CommandPath(), "only one input can be standard input")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return in.run(cmd, env, args[0], args[1]) },
	}
	in.flags(cmd, diffFormatNames())
	cmd.Flags().BoolVar(&in.all, "all", false, "show what is the same, too")
	return cmd
}

func diffFormats() string {
	var b strings.Builder
	for _, f := range report.DiffFormats {
		item(&b, f.Name, f.Doc)
	}
	return b.String()
}

func diffFormatNames() []string {
	var names []string
	for _, f := range report.DiffFormats {
		names = append(names, f.Name)
	}
	return names
}

func (in *diffFlags) run(cmd *cobra.Command, env *environment, old, new string) error {
	if err := in.check(cmd.CommandPath(), diffFormatNames()); err != nil {
		return err
	}
	d, err := in.compare(cmd, env, old, new)
	if err != nil {
		return err
	}
	d.OldName, d.NewName = old, new
	if in.anonymize {
		d.OldName, d.NewName = "old", "new"
	}
	for _, f := range report.DiffFormats {
		if f.Name != in.format {
			continue
		}
		if err := f.Write(env.stdout, d, report.DiffOptions{Options: in.page(env), All: in.all}); err != nil {
			return fmt.Errorf("write %s: %w", f.Name, err)
		}
	}
	return nil
}

func (in *diffFlags) compare(cmd *cobra.Command, env *environment, old, new string) (*report.Diff, error) {
	stdin := bufio.NewReader(orEmpty(env.stdin))
	a, err := readReport(old, stdin)
	if err != nil {
		return nil, err
	}
	b, err := readReport(new, stdin)
	if err != nil {
		return nil, err
	}
	switch {
	case a != nil && b != nil && in.anonymize:
		return nil, usage(cmd.CommandPath(), "--anonymize is for plans: make the reports with analyze --anonymize")
	case a != nil && b != nil:
		return &report.Diff{Reports: plandiff.CompareReports(a, b)}, nil
	case a != nil || b != nil:
		return nil, usage(cmd.CommandPath(), "one of %s and %s is a report, the other is not", old, new)
	}
	before, err := in.plans(cmd, stdin, old)
	if err != nil {
		return nil, err
	}
	after, err := in.plans(cmd, stdin, new)
	if err != nil {
		return nil, err
	}
	if in.anonymize {
		analysis.AnonymizePlans(before, after)
	}
	d := diffPlans(before, after)
	for _, set := range []*analysis.PlanSet{before, after} {
		for _, f := range set.Files {
			for _, l := range f.Losses {
				d.Losses = append(d.Losses, fmt.Sprintf("%s: %s: %s", l.Pos, l.Kind, l.Text))
			}
		}
	}
	return d, nil
}

func orEmpty(r io.Reader) io.Reader {
	if r == nil {
		return strings.NewReader("")
	}
	return r
}

// readReport reads a JSON report of pgassay; nil if the input is something else.
func readReport(name string, stdin *bufio.Reader) (_ *plandiff.Report, err error) {
	r := stdin
	if name != "-" {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return nil, nil // a folder or a glob, or the parser says what is wrong
		}
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("open: %w", err)
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		r = bufio.NewReader(f)
	}
	head, err := r.Peek(1 << 10)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if !plandiff.IsReport(head) {
		return nil, nil
	}
	data, err := io.ReadAll(io.LimitReader(r, maxReport+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	case len(data) > maxReport:
		return nil, fmt.Errorf("%s: a report of more than %d MiB", name, maxReport>>20)
	}
	rep, err := plandiff.ReadReport(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return rep, nil
}

func (in *diffFlags) plans(cmd *cobra.Command, stdin io.Reader, name string) (*analysis.PlanSet, error) {
	o := in.options
	o.Stdin = stdin
	set, err := analysis.ReadPlans(cmd.Context(), []string{name}, o, nil)
	if err != nil {
		return nil, err
	}
	if set.Found == 0 {
		return nil, noPlan(set)
	}
	return set, nil
}

// diffPlans compares node by node if there is one plan on each side, else by
// statement.
func diffPlans(before, after *analysis.PlanSet) *report.Diff {
	if len(before.Plans) == 1 && len(after.Plans) == 1 && before.Plans[0].Plan != nil && after.Plans[0].Plan != nil {
		a, b := &before.Plans[0], &after.Plans[0]
		return &report.Diff{Plan: &report.PlanPair{Old: a, New: b, Comparison: side(a, b)}}
	}
	sets := &report.StatementSets{Examples: map[string]*plandiff.Comparison{}}
	keys := planKeys(before, after)
	olds, news := samples(before, keys), samples(after, keys)
	sets.List, sets.Tests = plandiff.Statements(olds, news)
	a, b := slowest(before, olds), slowest(after, news)
	for i := range sets.List {
		s := &sets.List[i]
		if s.FreshShapes > 0 && a[s.Key] != nil && b[s.Key] != nil && len(sets.Examples) < maxExamples {
			sets.Examples[s.Key] = side(a[s.Key], b[s.Key])
		}
	}
	return &report.Diff{Statements: sets}
}

func side(a, b *analysis.ReadPlan) *plandiff.Comparison {
	return plandiff.Compare(ledger.New(a.Plan, a.Logged()), ledger.New(b.Plan, b.Logged()))
}

// planKeys gives the statement of each plan. A plan that does not carry its query
// is known by the name of its file and its place there, if both sets have such a
// file, else by the relations that it reads.
func planKeys(before, after *analysis.PlanSet) map[*analysis.ReadPlan]string {
	keys := map[*analysis.ReadPlan]string{}
	var named [2]map[string]bool
	names := map[*analysis.ReadPlan]string{}
	for k, set := range []*analysis.PlanSet{before, after} {
		named[k] = map[string]bool{}
		inFile := map[string]int{}
		for i := range set.Plans {
			p := &set.Plans[i]
			keys[p] = p.Key()
			if keys[p] == p.Fingerprint || len(set.Files) < 2 {
				continue
			}
			inFile[p.Pos.File]++
			base, _, _ := strings.Cut(path.Base(p.Pos.File), ".")
			names[p] = fmt.Sprintf("%s, plan %d", base, inFile[p.Pos.File])
			named[k][names[p]] = true
		}
	}
	for p, name := range names {
		if named[0][name] && named[1][name] {
			keys[p] = name
		}
	}
	return keys
}

// samples are the figures of all plans of a set.
func samples(set *analysis.PlanSet, keys map[*analysis.ReadPlan]string) []plandiff.Sample {
	out := make([]plandiff.Sample, 0, len(set.Plans))
	for i := range set.Plans {
		p := &set.Plans[i]
		text := p.Statement
		if keys[p] != p.Fingerprint {
			text = keys[p]
		}
		s := plandiff.Sample{Key: keys[p], Text: text, Shape: p.Shape, PlanIndex: i,
			MS: math.NaN(), Buffers: math.NaN(), Rows: math.NaN(), PerRow: math.NaN()}
		if p.Duration > 0 {
			s.MS = p.Duration.Milliseconds()
		}
		if m := &p.Measured; m.HasBuffers {
			s.Buffers = float64(m.Total.Shared())
		}
		if m := &p.Measured; m.HasRows {
			s.Rows = m.Rows.Float()
			if m.HasBuffers && m.Rows > 0 {
				s.PerRow = float64(m.Own.Shared()) / s.Rows
			}
		}
		out = append(out, s)
	}
	return out
}

// slowest is the plan of each statement that took longest, by key.
func slowest(set *analysis.PlanSet, samples []plandiff.Sample) map[string]*analysis.ReadPlan {
	out := map[string]*analysis.ReadPlan{}
	longest := map[string]record.Duration{}
	for _, s := range samples {
		p := &set.Plans[s.PlanIndex]
		if p.Plan != nil && (out[s.Key] == nil || p.Duration > longest[s.Key]) {
			out[s.Key], longest[s.Key] = p, p.Duration
		}
	}
	return out
}
