package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pgassay/pgassay/report/view"
)

// Main runs one command line and returns the exit code. Reports go to stdout;
// the reason for a code other than 0 is one line on stderr. environ is as
// os.Environ gives it.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string) int {
	root := newRoot(&environment{stdin, stdout, stderr, environ})
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	err := root.ExecuteContext(ctx)
	if errors.Is(err, context.Canceled) {
		err = &exit{exitInterrupted, "interrupted: no report is written"}
	}
	if err != nil {
		fmt.Fprintln(stderr, "pgassay: "+view.Line(err.Error()))
	}
	return codeOf(err)
}

// newRoot builds a fresh tree of commands.
func newRoot(env *environment) *cobra.Command {
	root := &cobra.Command{
		Use:   "pgassay",
		Short: "Say why a PostgreSQL got slow, from its logs, plans and statistics",
		Long: "pgassay reads exported logs, plans and statistics snapshots of a PostgreSQL server and says why\n" +
			"it got slow: what happens, since when, to which statement, table or index, how sure that is,\n" +
			"what it is not, and what to do. It needs no network and no database.",
		Example: "  pgassay analyze postgresql.log.gz snapshots/\n" +
			"  pgassay check --fail-on critical --report report.json exports/\n" +
			"  pgassay explain PGA101",
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          unknownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate(versionText())
	root.SuggestionsMinimumDistance = 2 // as cobra's own
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) {
			return usage(cmd.CommandPath(), "%s%s", err, meantFlag(cmd, unknown.GetSpecifiedName()))
		}
		return usage(cmd.CommandPath(), "%s", err)
	})
	root.AddCommand(
		newAnalyze(env),
		newCheck(env),
		newPlan(env),
		newDiff(env),
		newTune(env),
		newSnapshotSQL(env),
		newSignatures(env),
		newExplain(env),
		newConfig(env),
		newVersion(),
		newMan(),
	)
	root.AddCommand(newTopics()...)
	return root
}

// meantFlag is a hint at the nearest flag.
func meantFlag(cmd *cobra.Command, typed string) string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := nearest(typed, names); near != "" {
		return ", did you mean --" + near + "?"
	}
	return ""
}

// unknownCommand refuses what is no subcommand.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	near := cmd.SuggestionsFor(args[0])
	if len(near) == 0 {
		return usage(cmd.CommandPath(), "unknown command %q", args[0])
	}
	return usage(cmd.CommandPath(), "unknown command %q, did you mean %s?", args[0], strings.Join(near, " or "))
}

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(cmd.CommandPath(), "takes no argument, got %q", args[0])
	}
	return nil
}
