package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/ledger"
	"github.com/pgassay/pgassay/report"
	"github.com/pgassay/pgassay/report/view"
)

// planFlags are the flags of plan; reading are those that it shares with diff.
type planFlags struct {
	planReading
	nth  []int64
	sort string
	show report.PlanOptions

	strict bool
}

// planReading is how plans are read and written.
type planReading struct {
	options   analysis.Options
	format    string
	width     int
	color     string
	anonymize bool
}

func (in *planReading) flags(cmd *cobra.Command, formats []string) {
	in.options = analysis.DefaultOptions()
	o, f := &in.options, cmd.Flags()
	f.StringVar(&o.Prefix, "prefix", o.Prefix, "log_line_prefix of stderr logs (default: detected)")
	f.StringVar(&o.Timezone, "timezone", o.Timezone, "zone of log times that do not tell theirs, as in Europe/Berlin (default UTC)")
	f.IntVar(&o.Jobs, "jobs", o.Jobs, "blocks parsed at once; changes no result (default: one per processor)")
	f.StringVar(&in.format, "format", formats[0], "what is written to standard output: "+strings.Join(formats, ", "))
	f.IntVar(&in.width, "width", 0, "columns of the page (default: COLUMNS, else 80)")
	f.StringVar(&in.color, "color", colorAuto, "colour: auto, always or never")
	f.BoolVar(&in.anonymize, "anonymize", false, "replace names and literals, the same everywhere by the same")
}

// check refuses values that no flag type refuses.
func (in *planReading) check(command string, formats []string) error {
	switch {
	case !slices.Contains(formats, in.format):
		return usage(command, "--format %q: one of %s", in.format, strings.Join(formats, ", "))
	case !slices.Contains([]string{colorAuto, colorAlways, colorNever}, in.color):
		return usage(command, "--color %q: auto, always or never", in.color)
	case in.width < 0 || in.options.Jobs < 0:
		return usage(command, "--width and --jobs are not negative")
	}
	return nil
}

// page is what only the command knows of the page.
func (in *planReading) page(env *environment) report.Options {
	return report.Options{Width: env.width(in.width), Color: env.color(in.color, isTerminal(env.stdout))}
}

func newPlan(env *environment) *cobra.Command {
	var in planFlags
	cmd := &cobra.Command{
		Use:   "plan FILE...",
		Short: "Show plans with what each node cost, and what is wrong with them",
		Long: "Shows every plan that the files hold: EXPLAIN output in any format, auto_explain's entries in logs,\n" +
			"plans in psql's frames, mail or markdown. A FILE is a file, a folder, a glob, or - for standard\n" +
			"input, which is read into memory. Each node is shown with the time it took by itself; the times\n" +
			"of all nodes add up to the root's, and what lies outside of it is listed.\n\nOutputs:\n\n" + planFormats(),
		Example: "  pgassay plan slow.txt\n" +
			"  psql -XAtc 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) …' | pgassay plan -\n" +
			"  pgassay plan --nth 3 --sort buffers postgresql.log.gz\n" +
			"  pgassay plan --anonymize --format text slow.json",
		Args: needPaths,
		RunE: func(cmd *cobra.Command, paths []string) error { return in.run(cmd, env, paths) },
	}
	in.flags(cmd, planFormatNames())
	f := cmd.Flags()
	f.Int64SliceVar(&in.nth, "nth", nil, "only the plan of this number in the input, from 1; repeatable (default: all)")
	f.StringVar(&in.sort, "sort", "", "a flat list of nodes, the greatest first, by: self, buffers, rows")
	f.BoolVar(&in.show.NodeTypes, "node-types", false, "add what the nodes of each type, relation and index cost together")
	f.BoolVar(&in.strict, "strict", false, "exit with 3 if a part of the input could not be read")
	f.BoolVar(&in.show.Verbose, "verbose", false, "all properties of nodes and workers, and the repairs made while reading")
	return cmd
}

func planFormats() string {
	var b strings.Builder
	for _, f := range report.PlanFormats {
		item(&b, f.Name, f.Doc)
	}
	return b.String()
}

func planFormatNames() []string {
	var names []string
	for _, f := range report.PlanFormats {
		names = append(names, f.Name)
	}
	return names
}

func (in *planFlags) run(cmd *cobra.Command, env *environment, paths []string) error {
	command := cmd.CommandPath()
	if err := in.check(command); err != nil {
		return err
	}
	format, _ := report.PlanFormatByName(in.format)
	stdin, err := heldInput(env, paths)
	if err != nil {
		return err
	}
	set, err := in.read(cmd, paths, stdin)
	if err != nil {
		return err
	}
	switch {
	case set.Found == 0:
		return noPlan(set)
	case len(set.Plans) == 0:
		return usage(command, "--nth: the input has %d plans", set.Found)
	}
	if !format.Bare {
		o := in.options
		o.Stdin, o.Version = stdin(), version()
		result, err := analysis.Run(cmd.Context(), paths, o)
		if err != nil {
			return err
		}
		set.Place(result.Findings)
		if len(in.nth) > 0 {
			set.Findings = nil // they are about plans that are not shown
		}
	}
	if in.anonymize {
		analysis.AnonymizePlans(set)
	}
	in.show.Options = in.page(env)
	if err := format.Write(env.stdout, set, in.show); err != nil {
		return fmt.Errorf("write %s: %w", format.Name, err)
	}
	lost := losses(set)
	switch text := view.Counted(lost, "loss", "losses") + " in the input"; {
	case lost == 0:
	case in.strict:
		return &exit{exitStrict, "--strict: " + text}
	case format.Bare: // which has no place to tell it
		fmt.Fprintln(env.stderr, "pgassay: "+text+": 'pgassay plan' without --format lists what could not be read")
	}
	return nil
}

// losses counts what could not be read.
func losses(set *analysis.PlanSet) int64 {
	n := set.Capped
	for i := range set.Files {
		for _, l := range set.Files[i].Losses {
			n += max(l.Count, 1)
		}
	}
	return n
}

func (in *planFlags) check(command string) error {
	if err := in.planReading.check(command, planFormatNames()); err != nil {
		return err
	}
	orders := []string{"", string(ledger.OrderSelf), string(ledger.OrderBuffers), string(ledger.OrderRows)}
	if !slices.Contains(orders, in.sort) {
		return usage(command, "--sort %q: self, buffers or rows", in.sort)
	}
	in.show.Sort = ledger.Order(in.sort)
	for _, n := range in.nth {
		if n < 1 {
			return usage(command, "--nth is at least 1")
		}
	}
	return nil
}

func (in *planFlags) read(cmd *cobra.Command, paths []string, stdin func() io.Reader) (*analysis.PlanSet, error) {
	o := in.options
	o.Stdin = stdin()
	var wanted func(int64) bool
	if len(in.nth) > 0 {
		wanted = func(n int64) bool { return slices.Contains(in.nth, n) }
	}
	return analysis.ReadPlans(cmd.Context(), paths, o, wanted)
}

// noPlan says why nothing can be shown: the first loss tells.
func noPlan(set *analysis.PlanSet) error {
	for i := range set.Files {
		for _, l := range set.Files[i].Losses {
			return &exit{exitUsage, fmt.Sprintf("no plan in the input: %s: %s: %s", l.Pos, l.Kind, l.Text)}
		}
	}
	return &exit{exitUsage, "no plan in the input"}
}

// heldInput makes standard input readable more than once, if a path names it.
func heldInput(env *environment, paths []string) (func() io.Reader, error) {
	if !slices.Contains(paths, "-") || env.stdin == nil {
		return func() io.Reader { return env.stdin }, nil
	}
	data, err := io.ReadAll(env.stdin)
	if err != nil {
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	return func() io.Reader { return bytes.NewReader(data) }, nil
}
