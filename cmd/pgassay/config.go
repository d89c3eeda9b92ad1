package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/report/view"
)

func newConfig(env *environment) *cobra.Command {
	var in checking
	var schema bool
	cmd := &cobra.Command{
		Use:   "config [FLAG...]",
		Short: "Print the effective configuration, and where each value comes from",
		Long: "Prints what check would run with here: the flags given, over PGASSAY_* in the environment (--fail-on is\n" +
			"PGASSAY_FAIL_ON; of a flag that is repeatable each line is one value), over " + configName + " in this folder or\n" +
			"one above it (not above a repository), over the defaults. Keys of the file are names of flags, and\n\n" +
			"  thresholds      names and values, as in PGA101.min_step: 1.5; 'pgassay explain ID' lists them\n" +
			"  suppressions    a list of id or fingerprint, subject (a name, * for any characters), reason and\n" +
			"                  expires, the date from which on it has no effect\n\n" +
			"Paths in it are from the working directory. What is printed may be used as such a file.",
		Example: "  pgassay config\n" +
			"  pgassay config --fail-on critical --threshold PGA101.min_step=1.5\n" +
			"  pgassay config --schema > pgassay.schema.json",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if schema {
				return writeJSON(env.stdout, configSchema(cmd.Flags()))
			}
			if err := in.configure(cmd, env); err != nil {
				return err
			}
			text, err := in.effective(cmd)
			if err != nil {
				return err
			}
			_, err = io.WriteString(env.stdout, text)
			return err
		},
	}
	in.flags(cmd)
	completions(cmd)
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of the file, for editors")
	return cmd
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(v)
}

// originColumn is where the origins stand beside the values.
const originColumn = 40

// effective is the configuration as YAML, with the origins as comments.
func (in *checking) effective(cmd *cobra.Command) (string, error) {
	if err := in.validate(cmd); err != nil {
		return "", err
	}
	var b strings.Builder
	line := func(text, from string) {
		pad := max(originColumn-view.Width(text), 1)
		b.WriteString(text + strings.Repeat(" ", pad) + "# " + view.Line(from) + "\n")
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if configurable(f) {
			line(f.Name+": "+yamlValue(f), in.settings.of(f.Name))
		}
	})
	in.effectiveThresholds(line)
	if len(in.options.Suppressions) > 0 {
		b.WriteString(keySuppressions + ":\n")
	}
	for i := range in.options.Suppressions {
		s := &in.options.Suppressions[i]
		from := s.Place.String()
		if !in.options.Now.Before(s.Expires) {
			from += ", expired"
		}
		for j, pair := range suppressionPairs(s) {
			lead := "    "
			if j == 0 {
				lead = "  - "
			}
			line(lead+pair[0]+": "+yamlString(pair[1]), from)
		}
	}
	return b.String(), nil
}

func (in *checking) effectiveThresholds(line func(text, from string)) {
	from := map[string]string{}
	if f := in.settings.file; f != nil {
		for _, v := range f.thresholds {
			from[v.name] = f.place(v.line)
		}
	}
	for _, text := range in.thresholds {
		name, _, _ := strings.Cut(text, "=")
		from[strings.TrimSpace(name)] = in.settings.of("threshold")
	}
	if len(from) > 0 {
		line(keyThresholds+":", "of "+strconv.Itoa(len(allThresholds())))
	}
	for _, t := range allThresholds() {
		if v, ok := in.options.Thresholds[t.name]; ok {
			line("  "+t.name+": "+strconv.FormatFloat(v, 'f', -1, 64), from[t.name]+", default "+strconv.FormatFloat(t.Value, 'f', -1, 64))
		}
	}
}

func suppressionPairs(s *analysis.Suppression) [][2]string {
	var pairs [][2]string
	for i, text := range []string{s.ID, s.Fingerprint, s.Subject, s.Reason, s.Expires.Format(time.DateOnly)} {
		if text != "" {
			pairs = append(pairs, [2]string{suppressionKeys()[i], text})
		}
	}
	return pairs
}

// yamlValue is the value of a flag on one line.
func yamlValue(f *pflag.Flag) string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		var all []string
		for _, s := range list.GetSlice() {
			all = append(all, yamlString(s))
		}
		return "[" + strings.Join(all, ", ") + "]"
	}
	if slices.Contains([]string{"bool", "int"}, f.Value.Type()) {
		return f.Value.String()
	}
	return yamlString(f.Value.String())
}

// yamlString is a string as YAML, in quotes where it needs them.
func yamlString(s string) string {
	if strings.ContainsAny(s, ",[]{}#\n") { // in quotes within a list and on one line
		return strconv.Quote(s)
	}
	text, err := yaml.Marshal(s)
	if err != nil {
		return fmt.Sprintf("%q", s)
	}
	return strings.TrimSuffix(string(text), "\n")
}
