package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pgassay/pgassay/analysis/signature"
)

func newSignatures(env *environment) *cobra.Command {
	var format string
	var width int
	cmd := &cobra.Command{
		Use:     "signatures",
		Short:   "List what is recognised, and which input each needs",
		Example: "  pgassay signatures\n  pgassay signatures --format json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch format {
			case "terminal":
				return signatureTable(env.stdout, signature.List, env.width(width))
			case "json":
				return signatureJSON(env.stdout, signature.List)
			case "markdown":
				return signatureMarkdown(env.stdout, signature.List)
			}
			return usage(cmd.CommandPath(), "--format %q: terminal, json or markdown", format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "terminal", "terminal, json or markdown")
	cmd.Flags().IntVar(&width, "width", 0, "columns of the page (default: COLUMNS, else 80)")
	return cmd
}

// letters are the needs as the catalogue abbreviates them: "P S V".
func letters(s *signature.Signature) string {
	var all []string
	for _, n := range s.Needs {
		all = append(all, n.Letter)
	}
	return strings.Join(all, " ")
}

func signatureTable(w io.Writer, list []*signature.Signature, width int) error {
	nameWidth, needWidth := len("name"), len("needs")
	for _, s := range list {
		nameWidth = max(nameWidth, len(s.Name))
		needWidth = max(needWidth, len(letters(s)))
	}
	var b strings.Builder
	row := func(id, name, limit, need, what string) {
		lead := fmt.Sprintf("%-6s  %-*s  %-8s  %-*s  ", id, nameWidth, name, limit, needWidth, need)
		hang(&b, lead, len(lead)+1, max(width, len(lead)+20), what)
	}
	row("ID", "name", "max", "needs", "what")
	for _, s := range list {
		row(s.ID, s.Name, s.Max.String(), letters(s), s.What)
	}
	b.WriteByte('\n')
	for _, n := range signature.Kinds() {
		hang(&b, n.Letter, 3, width, n.Doc)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func signatureMarkdown(w io.Writer, list []*signature.Signature) error {
	var b strings.Builder
	b.WriteString("| ID | name | max | needs | what |\n|---|---|---|---|---|\n")
	for _, s := range list {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", s.ID, s.Name, s.Max, letters(s), s.What)
	}
	var kinds []string
	for _, n := range signature.Kinds() {
		kinds = append(kinds, n.Letter+" "+n.Doc)
	}
	b.WriteString("\nNeeds: " + strings.Join(kinds, " · ") + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

type jsonSignature struct {
	ID         string          `json:"id"`
	Name       string          `json:"name"`
	Max        string          `json:"max_severity"`
	What       string          `json:"what"`
	Why        string          `json:"why"`
	Fix        string          `json:"fix"`
	Verify     string          `json:"verify"`
	Needs      []jsonNeed      `json:"needs"`
	Silent     []string        `json:"silent_on"`
	Thresholds []jsonThreshold `json:"thresholds"`
}

type jsonNeed struct {
	Letter string `json:"letter"`
	Doc    string `json:"doc"`
}

type jsonThreshold struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Doc   string  `json:"doc"`
}

func signatureJSON(w io.Writer, list []*signature.Signature) error {
	out := make([]jsonSignature, 0, len(list))
	for _, s := range list {
		j := jsonSignature{
			ID: s.ID, Name: s.Name, Max: s.Max.String(), What: s.What, Why: s.Why, Fix: s.Fix, Verify: s.Verify,
			Needs: []jsonNeed{}, Silent: append([]string{}, s.Silent...), Thresholds: []jsonThreshold{},
		}
		for _, n := range s.Needs {
			j.Needs = append(j.Needs, jsonNeed(n))
		}
		for _, t := range s.Thresholds {
			j.Thresholds = append(j.Thresholds, jsonThreshold(t))
		}
		out = append(out, j)
	}
	return writeJSON(w, out)
}
