package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/report"
)

// tuneFlags are the flags of tune.
type tuneFlags struct {
	options   analysis.Options
	filter    filterFlags
	table     string
	tolerated float64
	format    string
	width     int
	color     string
}

// standardHeapFetches is the share of rows that PGA201 tolerates as well.
const standardHeapFetches = 0.1

func newTune(env *environment) *cobra.Command {
	var in tuneFlags
	cmd := &cobra.Command{
		Use:   "tune --table TABLE PATH...",
		Short: "Work out how often a table must be vacuumed, and the settings for it",
		Long: "Works out which autovacuum settings of one table keep its visibility map good enough for its\n" +
			"index-only scans: from the rates of its writes, the settings in force, the vacuums seen and what\n" +
			"they cost. It needs two snapshots of pg_stat_user_tables with relpages, reltuples and reloptions;\n" +
			"pg_settings, vacuum lines and plans make it surer ('pgassay help collect'). Of several servers each\n" +
			"that has the table is advised by itself.\n\nOutputs:\n\n" + tuneFormats(),
		Example: "  pgassay tune --table public.queue_items postgresql.log.gz snapshots/\n" +
			"  pgassay tune --table events --max-heap-fetch-ratio 0.05 snapshots/",
		Args: needPaths,
		RunE: func(cmd *cobra.Command, paths []string) error { return in.run(cmd, env, paths) },
	}
	in.options = analysis.DefaultOptions()
	o, f := &in.options, cmd.Flags()
	f.StringVar(&in.table, "table", "", "the table, with its schema or without")
	f.Float64Var(&in.tolerated, "max-heap-fetch-ratio", standardHeapFetches, "heap fetches ÷ rows that are tolerated just before a vacuum, above 0 and below 1")
	f.StringVar(&o.Prefix, "prefix", o.Prefix, "log_line_prefix of stderr logs (default: detected)")
	f.StringVar(&o.Timezone, "timezone", o.Timezone, "zone of log times that do not tell theirs, as in Europe/Berlin (default UTC)")
	f.IntVar(&o.Jobs, "jobs", o.Jobs, "blocks parsed at once; changes no result (default: one per processor)")
	in.filter.flags(cmd)
	f.StringVar(&in.format, "format", report.TuneFormats[0].Name, "what is written to standard output: "+strings.Join(tuneFormatNames(), ", "))
	f.IntVar(&in.width, "width", 0, "columns of the page (default: COLUMNS, else 80)")
	f.StringVar(&in.color, "color", colorAuto, "colour: auto, always or never")
	return cmd
}

func tuneFormats() string {
	var b strings.Builder
	for _, f := range report.TuneFormats {
		item(&b, f.Name, f.Doc)
	}
	return b.String()
}

func tuneFormatNames() []string {
	var names []string
	for _, f := range report.TuneFormats {
		names = append(names, f.Name)
	}
	return names
}

func (in *tuneFlags) run(cmd *cobra.Command, env *environment, paths []string) error {
	command := cmd.CommandPath()
	if err := in.check(command); err != nil {
		return err
	}
	var err error
	if in.options.Filter, err = in.filter.filter(command); err != nil {
		return err
	}
	in.options.Stdin = env.stdin
	list, err := analysis.Tune(cmd.Context(), paths, in.options, in.table, in.tolerated)
	var unknown *analysis.UnknownTableError
	switch {
	case errors.As(err, &unknown):
		return &exit{exitUsage, unknown.Error() + knownTables(unknown)}
	case err != nil:
		return err
	}
	lacks := &exit{code: exitUsage}
	for i, t := range list {
		if i > 0 {
			fmt.Fprintln(env.stdout)
		}
		if err := in.print(env, t); err != nil {
			return err
		}
		if t.Lacks != "" {
			lacks.reason = "nothing can be advised for " + t.Relation.Name + ": " + t.Lacks
		}
	}
	if lacks.reason != "" {
		return lacks
	}
	return nil
}

// print writes the advice for one server to standard output.
func (in *tuneFlags) print(env *environment, t *analysis.Tuning) error {
	i := slices.IndexFunc(report.TuneFormats, func(f report.TuneFormat) bool { return f.Name == in.format })
	f := report.TuneFormats[i]
	err := f.Write(env.stdout, t, report.Options{Width: env.width(in.width), Color: env.color(in.color, isTerminal(env.stdout))})
	if err != nil {
		return fmt.Errorf("write %s: %w", f.Name, err)
	}
	return nil
}

// knownTables is a hint at the table that was meant, or at what the input lacks.
func knownTables(e *analysis.UnknownTableError) string {
	const most = 10
	near := nearest(e.Name, e.Known)
	switch {
	case len(e.Known) == 0:
		return ": it holds no snapshots of pg_stat_user_tables and no vacuum lines"
	case near != "":
		return ", did you mean " + near + "?"
	case len(e.Known) > most:
		return fmt.Sprintf(": it has %s and %d more", strings.Join(e.Known[:most], ", "), len(e.Known)-most)
	}
	return ": it has " + strings.Join(e.Known, ", ")
}

// check refuses values that no flag type refuses.
func (in *tuneFlags) check(command string) error {
	switch {
	case in.table == "":
		return usage(command, "--table is needed: the table to be vacuumed")
	case !(in.tolerated > 0 && in.tolerated < 1):
		return usage(command, "--max-heap-fetch-ratio %g: above 0 and below 1", in.tolerated)
	case !slices.Contains(tuneFormatNames(), in.format):
		return usage(command, "--format %q: one of %s", in.format, strings.Join(tuneFormatNames(), ", "))
	case !slices.Contains([]string{colorAuto, colorAlways, colorNever}, in.color):
		return usage(command, "--color %q: auto, always or never", in.color)
	case in.width < 0 || in.options.Jobs < 0:
		return usage(command, "--width and --jobs are not negative")
	}
	return nil
}
