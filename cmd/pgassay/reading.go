package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/report"
	"github.com/pgassay/pgassay/report/view"
)

// reading is what analyze and check share: the flags, the run, the outputs.
type reading struct {
	options analysis.Options
	filter  filterFlags
	format  string
	reports []string
	width   int
	color   string
	strict  bool

	config, baseline, newBaseline string
	thresholds, slos              []string
	quiet                         bool
	settings                      *settings
}

func (in *reading) flags(cmd *cobra.Command) {
	in.options = analysis.DefaultOptions()
	o, f := &in.options, cmd.Flags()
	f.StringVar(&o.Prefix, "prefix", o.Prefix, "log_line_prefix of stderr logs (default: detected)")
	f.StringVar(&o.Timezone, "timezone", o.Timezone, "zone of log times that do not tell theirs, as in Europe/Berlin (default UTC)")
	f.IntVar(&o.Jobs, "jobs", o.Jobs, "blocks parsed at once; changes no result (default: one per processor)")
	f.IntVar(&o.Limits.Executions, "limit-executions", o.Limits.Executions, "logged executions kept; more are sampled by session and minute")
	in.filter.flags(cmd)
	f.StringVar(&in.format, "format", report.Formats[0].Name, "what is written to standard output: "+strings.Join(formatNames(), ", "))
	f.StringArrayVar(&in.reports, "report", nil, "also write `FILE`, in the format of its extension, or FORMAT=FILE, or a folder of CSV files; repeatable")
	f.StringArrayVar(&o.Series, "series", nil, "`FILE` with a time column and numbers or texts of yours: latency as the application saw it, deploys; repeatable")
	f.StringArrayVar(&in.slos, "slo", nil, "limit whose crossing is dated, as `MEASURE=LIMIT` or MEASURE[STATEMENT]=LIMIT: p95=200ms, buffers_per_row=5000; repeatable")
	f.StringVar(&in.baseline, "baseline", "", "compare with an earlier JSON report in `FILE`")
	f.StringVar(&in.newBaseline, "update-baseline", "", "write the JSON report to `FILE`, as the next baseline, whatever is found")
	f.StringArrayVar(&in.thresholds, "threshold", nil, "limit of a signature, as `NAME=VALUE`, as in PGA101.min_step=1.5; repeatable")
	f.BoolVar(&o.Anonymize, "anonymize", false, "replace names and literals of the input, the same everywhere by the same")
	f.StringVar(&in.config, "config", "", "configuration `FILE` (default: .pgassay.yaml here or in a folder above)")
	f.BoolVarP(&in.quiet, "quiet", "q", false, "no progress bar")
	f.IntVar(&in.width, "width", 0, "columns of the page (default: COLUMNS, else 80)")
	f.StringVar(&in.color, "color", colorAuto, "colour: auto, always or never")
	f.BoolVar(&in.strict, "strict", false, "exit with 3 if input was lost or a signature was not evaluated")
}

func formatNames() []string {
	var names []string
	for _, f := range report.Formats {
		names = append(names, f.Name)
	}
	return names
}

// configure reads the environment and the configuration file.
func (in *reading) configure(cmd *cobra.Command, env *environment) (err error) {
	in.settings, err = configure(cmd, env)
	return err
}

// run reads the paths and writes every output. It fails on wrong usage, on I/O
// errors, and, after the outputs are written, if nothing was understood.
func (in *reading) run(cmd *cobra.Command, env *environment, paths []string) (*analysis.Result, error) {
	format, files, err := in.prepare(cmd)
	if err != nil {
		return nil, err
	}
	in.options.Stdin, in.options.Version, in.options.Now = env.stdin, version(), time.Now()
	if isTerminal(env.stderr) && !in.quiet {
		p := newProgress(env.stderr)
		defer p.clear()
		in.options.Progress = p.show
	}
	result, err := analysis.Run(cmd.Context(), paths, in.options)
	if err != nil {
		return nil, err
	}
	v := view.Build(result)
	for i, f := range files {
		if cmd.Context().Err() != nil {
			return nil, &exit{exitInterrupted, fmt.Sprintf("interrupted: %d of %d reports are written", i, len(files))}
		}
		if f.baseline && len(result.Evaluated) == 0 {
			continue // it would say that nothing is wrong
		}
		if err := f.write(v, report.Options{Width: env.width(in.width)}); err != nil {
			return nil, err
		}
	}
	if err := in.print(env, format, v); err != nil {
		return nil, err
	}
	return result, understood(result)
}

// prepare makes the options of the run from the flags, and refuses what cannot
// end well, before anything is read.
func (in *reading) prepare(cmd *cobra.Command) (report.Format, []reportFile, error) {
	command := cmd.CommandPath()
	format, err := in.check(command)
	if err != nil {
		return format, nil, err
	}
	files, err := reportFiles(command, in.settings.said("report"), in.reports)
	if err != nil {
		return format, nil, err
	}
	if in.newBaseline != "" {
		baseline, err := reportFiles(command, in.settings.said("update-baseline"), []string{"json=" + in.newBaseline})
		if err != nil {
			return format, nil, err
		}
		baseline[0].baseline = true
		files = append(files, baseline...)
	}
	if in.options.Filter, err = in.filter.filter(command); err != nil {
		return format, nil, err
	}
	if in.options.Thresholds, err = in.settings.thresholds(command, in.thresholds); err != nil {
		return format, nil, err
	}
	for _, text := range in.slos {
		slo, err := analysis.ParseSLO(text)
		if err != nil {
			return format, nil, usage(command, "%s %s", in.settings.said("slo"), err)
		}
		in.options.SLOs = append(in.options.SLOs, slo)
	}
	if f := in.settings.file; f != nil {
		in.options.Suppressions = f.suppressions
	}
	in.options.Baseline, err = in.readBaseline()
	return format, files, err
}

// readBaseline is nil without --baseline.
func (in *reading) readBaseline() (*analysis.Baseline, error) {
	if in.baseline == "" {
		return nil, nil
	}
	f, err := os.Open(in.baseline)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.settings.said("baseline"), err)
	}
	defer f.Close()
	return report.ReadBaseline(bufio.NewReader(f), in.baseline)
}

// check finds the format of standard output and refuses values that no flag
// type refuses.
func (in *reading) check(command string) (report.Format, error) {
	format, ok := report.ByName(in.format)
	switch {
	case !ok:
		return format, usage(command, "%s %q: one of %s%s", in.settings.said("format"), in.format, strings.Join(formatNames(), ", "), meant(in.format, formatNames()))
	case !slices.Contains([]string{colorAuto, colorAlways, colorNever}, in.color):
		return format, usage(command, "%s %q: auto, always or never", in.settings.said("color"), in.color)
	case in.width < 0 || in.options.Jobs < 0:
		return format, usage(command, "--width and --jobs are not negative")
	case in.options.Limits.Executions < 1:
		return format, usage(command, "%s is at least 1", in.settings.said("limit-executions"))
	case in.newBaseline != "" && in.options.Anonymize:
		return format, usage(command, "--update-baseline and --anonymize: the findings of an anonymized report cannot be recognised")
	}
	if _, err := time.LoadLocation(in.options.Timezone); err != nil {
		return format, usage(command, "%s: %s", in.settings.said("timezone"), err)
	}
	return format, nil
}

// print writes to standard output. A terminal gets no binary data.
func (in *reading) print(env *environment, format report.Format, v *view.View) error {
	terminal := isTerminal(env.stdout)
	var page bytes.Buffer
	err := format.Write(&page, v, report.Options{
		Width: env.width(in.width), Color: env.color(in.color, terminal),
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", format.Name, err)
	}
	if terminal && bytes.IndexByte(page.Bytes(), 0) >= 0 {
		return &exit{exitUsage, "--format " + format.Name + " is binary: use --report FILE" + format.Extension}
	}
	if _, err := env.stdout.Write(page.Bytes()); err != nil {
		return fmt.Errorf("write standard output: %w", err)
	}
	return nil
}
