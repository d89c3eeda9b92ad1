package main

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pgassay/pgassay/analysis/signature"
)

// environmentPrefix begins the variables that set flags: PGASSAY_FAIL_ON.
const environmentPrefix = "PGASSAY_"

// Origins of values that no place in a file and no variable tells.
const (
	fromDefault = "default"
	fromFlag    = "flag"
)

// settings are where the values of a command's flags come from: the command
// line wins over the environment, that over the configuration file, that over
// the defaults.
type settings struct {
	file   *configFile       // nil if there is none
	origin map[string]string // by flag; absent is fromDefault
}

// configurable reports whether a flag may stand in the configuration file.
func configurable(f *pflag.Flag) bool {
	switch f.Name {
	case "help", "config", "threshold", "schema":
		return false
	}
	return true
}

// configKeys are the flags that a configuration file may set: those of check,
// which has all that analyze has.
func configKeys() []string {
	var keys []string
	newCheck(&environment{}).Flags().VisitAll(func(f *pflag.Flag) {
		if configurable(f) {
			keys = append(keys, f.Name)
		}
	})
	return keys
}

// variable is the environment variable of a flag.
func variable(flag string) string {
	return environmentPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// configure sets the flags that the command line leaves open.
func configure(cmd *cobra.Command, env *environment) (*settings, error) {
	s := &settings{origin: map[string]string{}}
	cmd.Flags().Visit(func(f *pflag.Flag) { s.origin[f.Name] = fromFlag })
	if err := knownVariables(cmd, env); err != nil {
		return nil, err
	}
	if err := s.fromEnvironment(cmd, env); err != nil {
		return nil, err
	}
	path, err := s.path(cmd)
	if path == "" || err != nil {
		return s, err
	}
	if s.file, err = readConfig(path, configKeys()); err != nil {
		return nil, &exit{exitUsage, err.Error() + hint("pgassay config")}
	}
	for _, v := range s.file.flags {
		f := cmd.Flags().Lookup(v.name)
		if f == nil || s.origin[v.name] != "" {
			continue
		}
		s.origin[v.name] = s.file.place(v.line)
		if err := set(cmd, f, v.values); err != nil {
			return nil, usage(cmd.CommandPath(), "%s: %s: %s", s.origin[v.name], v.name, err)
		}
	}
	return s, nil
}

// farFromTyping are variables that pipelines use beside those of flags.
var farFromTyping = []string{"PGASSAY_IMAGE", "PGASSAY_PATHS"}

// knownVariables refuses a variable that is nearly that of a flag: a gate must
// not fall back to its default over a typing error. What resembles none is
// somebody else's.
func knownVariables(cmd *cobra.Command, env *environment) error {
	var names []string
	for _, key := range append(configKeys(), "config", "threshold") {
		names = append(names, variable(key))
	}
	names = append(names, farFromTyping...)
	for _, v := range env.variables {
		name, value, _ := strings.Cut(v, "=")
		if value == "" || !strings.HasPrefix(name, environmentPrefix) || slices.Contains(names, name) {
			continue
		}
		for _, known := range names {
			if editDistance(name, known) <= 2 {
				return usage(cmd.CommandPath(), "unknown variable %s, did you mean %s?", name, known)
			}
		}
	}
	return nil
}

func (s *settings) fromEnvironment(cmd *cobra.Command, env *environment) error {
	var failed error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		name := variable(f.Name)
		value := env.getenv(name)
		if value == "" || !configurable(f) && f.Name != "config" && f.Name != "threshold" || s.origin[f.Name] != "" || failed != nil {
			return
		}
		values := []string{value}
		if _, list := f.Value.(pflag.SliceValue); list {
			values = strings.Split(strings.TrimRight(value, "\n"), "\n")
		}
		s.origin[f.Name] = name
		if err := set(cmd, f, values); err != nil {
			failed = usage(cmd.CommandPath(), "%s: %s", name, err)
		}
	})
	return failed
}

// path is the configuration file: as named, else found, else "".
func (s *settings) path(cmd *cobra.Command) (string, error) {
	if f := cmd.Flags().Lookup("config"); f != nil && f.Value.String() != "" {
		return f.Value.String(), nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	path, err := findConfig(dir)
	if rel, err := filepath.Rel(dir, path); path != "" && err == nil {
		path = rel
	}
	return filepath.ToSlash(path), err
}

// set gives a flag its values. A flag with one value takes one.
func set(cmd *cobra.Command, f *pflag.Flag, values []string) error {
	if f.Value.Type() == "stringSlice" { // divided at commas as on the command line
		values = []string{strings.Join(values, ",")}
	} else if list, ok := f.Value.(pflag.SliceValue); ok {
		f.Changed = true
		return list.Replace(values)
	}
	if len(values) != 1 {
		return &exit{exitUsage, "takes one value, not " + strconv.Itoa(len(values))}
	}
	return cmd.Flags().Set(f.Name, values[0])
}

func (c *configFile) place(line int) string { return c.path + ":" + strconv.Itoa(line) }

// of is where the value of a flag comes from.
func (s *settings) of(flag string) string {
	if o := s.origin[flag]; o != "" {
		return o
	}
	return fromDefault
}

// said names a flag as the user set it, for messages.
func (s *settings) said(flag string) string {
	switch o := s.of(flag); {
	case o == fromDefault || o == fromFlag:
		return "--" + flag
	case strings.HasPrefix(o, environmentPrefix):
		return o
	default:
		return o + ": " + flag
	}
}

// thresholds are those of the file and, over them, those of the flag.
func (s *settings) thresholds(command string, given []string) (signature.Thresholds, error) {
	out := signature.Thresholds{}
	if s.file != nil {
		for _, v := range s.file.thresholds {
			n, err := thresholdValue(v.values[0])
			if err != nil {
				return nil, err
			}
			out[v.name] = n
		}
	}
	return out, setThresholds(command, s.said("threshold"), given, out)
}
