package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/pgassay/pgassay/parser"
	"github.com/pgassay/pgassay/parser/pgstat"
	"github.com/pgassay/pgassay/report"
)

func newAnalyze(env *environment) *cobra.Command {
	var in reading
	cmd := &cobra.Command{
		Use:   "analyze PATH...",
		Short: "Read exported files and say what is wrong, and why",
		Long: "Reads logs, plans and statistics snapshots together and reports findings with their evidence.\n" +
			"A PATH is a file, a folder, a glob, or - for standard input. Compressed files and archives (gz,\n" +
			"zst, bz2, xz, lz4, zip, tar) are read as they are. What a file is, its content tells:\n\n" + inputFormats() +
			"\nViews, recognised by their columns, with captured_at or a date in the file's name:\n\n" + inputViews() +
			"\nOutputs, by the name of --format or the extension of --report:\n\n" + outputFormats(),
		Example: "  pgassay analyze postgresql.log.gz snapshots/\n" +
			"  pgassay analyze --report incident.xlsx --report incident.json exports/\n" +
			"  zcat postgresql.log.gz | pgassay analyze --prefix '%m [%p] %q%u@%d ' -",
		Args: needPaths,
		RunE: func(cmd *cobra.Command, paths []string) error {
			if err := in.configure(cmd, env); err != nil {
				return err
			}
			result, err := in.run(cmd, env, paths)
			if err != nil || !in.strict {
				return err
			}
			return incomplete(result)
		},
	}
	in.flags(cmd)
	completions(cmd)
	return cmd
}

func needPaths(cmd *cobra.Command, paths []string) error {
	if len(paths) == 0 {
		return usage(cmd.CommandPath(), "no input: name files, folders or globs, or - for standard input")
	}
	return nil
}

func inputFormats() string {
	var b strings.Builder
	for _, f := range parser.Formats {
		item(&b, f.Name, f.Doc)
	}
	return b.String()
}

func inputViews() string {
	var b strings.Builder
	for _, v := range pgstat.Views() {
		item(&b, string(v.View), v.Doc)
	}
	return b.String()
}

func outputFormats() string {
	var b strings.Builder
	for _, f := range report.Formats {
		item(&b, f.Name+" ("+f.Extension+")", f.Doc)
	}
	return b.String()
}
