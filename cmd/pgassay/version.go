package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release is set by the linker: -ldflags "-X main.release=v1.2.3".
var release string

// grammar is the PostgreSQL whose grammar pg_query_go v5 carries (PG_VERSION in
// its pg_query.h). Newer syntax takes the approximate fingerprint.
const grammar = "16.1"

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(cmd.OutOrStdout(), versionText())
			return err
		},
	}
}

// version is the release, else what the build knows of itself: the module's
// version, the commit, or "devel".
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "devel-" + s.Value[:min(len(s.Value), 12)]
		}
	}
	return "devel"
}

func versionText() string {
	return fmt.Sprintf("pgassay %s\n%s %s/%s\nSQL grammar of PostgreSQL %s\n",
		version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, grammar)
}
