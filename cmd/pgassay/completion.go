package main

import "github.com/spf13/cobra"

// completions tells shells the values of flags that have a list of them.
func completions(cmd *cobra.Command) {
	complete := func(flag string, values []string, d cobra.ShellCompDirective) {
		if cmd.Flags().Lookup(flag) != nil {
			// The only error is a flag that is not defined.
			_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, d))
		}
	}
	for _, flag := range []string{"format", "color", "fail-on", "require"} {
		complete(flag, choices(flag), cobra.ShellCompDirectiveNoFileComp)
	}
	complete("threshold", thresholdNames(), cobra.ShellCompDirectiveNoSpace)
	complete("report", extensionPatterns(), cobra.ShellCompDirectiveFilterFileExt)
	complete("baseline", []string{"json"}, cobra.ShellCompDirectiveFilterFileExt)
	complete("config", []string{"yaml"}, cobra.ShellCompDirectiveFilterFileExt)
}
