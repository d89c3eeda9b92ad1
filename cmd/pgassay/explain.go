package main

import (
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pgassay/pgassay/analysis/signature"
	"github.com/pgassay/pgassay/report/view"
)

func newExplain(env *environment) *cobra.Command {
	var width int
	cmd := &cobra.Command{
		Use:     "explain ID",
		Short:   "Explain a signature: what, why, needs, thresholds, fix",
		Example: "  pgassay explain PGA101\n  pgassay explain linear-page-walk",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(cmd.CommandPath(), "one signature is explained, got %d: see 'pgassay signatures'", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			s := findSignature(signature.List, args[0])
			if s == nil {
				near := nearestSignature(signature.List, args[0])
				return usage(cmd.CommandPath(), "no signature %q; nearest is %s %s", args[0], near.ID, near.Name)
			}
			_, err := io.WriteString(env.stdout, explanation(s, env.width(width)))
			return err
		},
	}
	cmd.Flags().IntVar(&width, "width", 0, "columns of the page (default: COLUMNS, else 80)")
	return cmd
}

// findSignature finds by ID or name in any case, nil if there is none.
func findSignature(list []*signature.Signature, name string) *signature.Signature {
	for _, s := range list {
		if strings.EqualFold(s.ID, name) || strings.EqualFold(s.Name, name) {
			return s
		}
	}
	return nil
}

// nearestSignature is the one whose ID or name is nearest to what was typed,
// or begins with or contains it; of equal ones the first.
func nearestSignature(list []*signature.Signature, typed string) *signature.Signature {
	typed = strings.ToLower(typed)
	if len(typed) > 64 {
		typed = typed[:64]
	}
	best, least := list[0], -1
	for _, s := range list {
		for _, name := range []string{strings.ToLower(s.ID), s.Name} {
			d := editDistance(typed, name)
			if strings.Contains(name, typed) {
				d = 0
			}
			if least < 0 || d < least {
				best, least = s, d
			}
		}
	}
	return best
}

func explanation(s *signature.Signature, width int) string {
	const indent = 2
	var b strings.Builder
	b.WriteString(s.ID + " " + s.Name + " · at most " + s.Max.String() + "\n")
	section := func(title string) { b.WriteString("\n" + title + "\n") }
	text := func(title, body string) {
		section(title)
		hang(&b, "", indent, width, body)
	}
	if s.Felt != "" {
		text("Felt", s.Felt+".")
	}
	text("What", s.What)
	text("Why", s.Why)
	section("Needs")
	for _, n := range s.Needs {
		hang(&b, "  "+n.Letter, indent+3, width, n.Doc)
	}
	if len(s.Thresholds) > 0 {
		section("Thresholds")
		thresholds(&b, s.Thresholds, width)
		hang(&b, "", indent, width, "Set one with --threshold "+s.ID+"."+s.Thresholds[0].Name+"=VALUE, or under thresholds in "+configName+".")
	}
	section("Silent on")
	for _, silent := range s.Silent {
		hang(&b, "  -", indent+2, width, silent)
	}
	text("Fix", s.Fix)
	text("Verify", s.Verify)
	return b.String()
}

func thresholds(b *strings.Builder, list []signature.Threshold, width int) {
	const gap = 2
	names, values := make([]string, len(list)), make([]string, len(list))
	nameWidth, valueWidth := 0, 0
	for i, t := range list {
		names[i] = "  " + t.Name
		values[i] = strings.TrimSpace(strconv.FormatFloat(t.Value, 'f', -1, 64) + " " + t.Unit)
		nameWidth = max(nameWidth, view.Width(names[i])+gap)
		valueWidth = max(valueWidth, view.Width(values[i])+gap)
	}
	for i, t := range list {
		lead := names[i] + strings.Repeat(" ", nameWidth-view.Width(names[i])) + values[i]
		hang(b, lead, nameWidth+valueWidth, width, t.Doc)
	}
}
