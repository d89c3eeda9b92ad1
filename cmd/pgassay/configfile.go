package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/signature"
	"github.com/pgassay/pgassay/parser/record"
)

// configName is the file that is looked for in the working directory and the
// folders above it, up to a repository's.
const configName = ".pgassay.yaml"

// maxConfig bounds a configuration file, in bytes.
const maxConfig = 1 << 20

// Keys of the file that are no flags.
const (
	keyThresholds   = "thresholds"
	keySuppressions = "suppressions"
)

// configFile is what a configuration file says.
type configFile struct {
	path         string
	flags        []configValue // by flag name, in the order of the file
	thresholds   []configValue // by threshold name
	suppressions []analysis.Suppression
}

// configValue is one key of the file.
type configValue struct {
	name   string
	values []string
	line   int
}

// findConfig looks for configName from dir upwards, at most to the folder that
// holds .git; "" if there is none.
func findConfig(dir string) (string, error) {
	for {
		path := filepath.Join(dir, configName)
		info, err := os.Stat(path)
		if err == nil && !info.IsDir() {
			return path, nil
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("configuration: %w", err)
		}
		parent := filepath.Dir(dir)
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil || parent == dir {
			return "", nil
		}
		dir = parent
	}
}

// readConfig reads a configuration file. keys are the flags that it may set.
func readConfig(path string, keys []string) (*configFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return parseConfig(path, text, keys)
}

// parseConfig is readConfig without the reading. Errors name path and line.
func parseConfig(path string, text []byte, keys []string) (*configFile, error) {
	if len(text) > maxConfig {
		return nil, fmt.Errorf("%s: longer than %d bytes", path, maxConfig)
	}
	c := &configFile{path: path}
	d := yaml.NewDecoder(strings.NewReader(string(text)))
	var doc yaml.Node
	if err := d.Decode(&doc); err == io.EOF {
		return c, nil
	} else if err != nil {
		return nil, fmt.Errorf("%s: %s", path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if d.Decode(new(yaml.Node)) != io.EOF {
		return nil, fmt.Errorf("%s: more than one YAML document", path)
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return c, nil
	}
	keys = append(slices.Clone(keys), keyThresholds, keySuppressions)
	return c, c.pairs(root, "the configuration", keys, c.key)
}

// at is an error at a node.
func (c *configFile) at(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", c.path, n.Line, fmt.Sprintf(format, args...))
}

// pairs calls use with each pair of a mapping, whose keys are among names.
func (c *configFile) pairs(n *yaml.Node, what string, names []string, use func(name string, key, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return c.at(n, "%s is a mapping of names to values", what)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name := key.Value
		switch {
		case key.Kind != yaml.ScalarNode:
			return c.at(key, "a key of %s is a name", what)
		case !slices.Contains(names, name):
			return c.at(key, "unknown key %q%s", name, meant(name, names))
		case seen[name]:
			return c.at(key, "%s stands twice", name)
		}
		seen[name] = true
		if err := use(name, key, value); err != nil {
			return err
		}
	}
	return nil
}

func (c *configFile) key(name string, key, value *yaml.Node) error {
	switch name {
	case keyThresholds:
		return c.pairs(value, name, thresholdNames(), c.threshold)
	case keySuppressions:
		return c.suppressionList(value)
	}
	values, err := c.values(name, value)
	c.flags = append(c.flags, configValue{name, values, key.Line})
	return err
}

// values are a scalar or a list of them.
func (c *configFile) values(name string, n *yaml.Node) ([]string, error) {
	list := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		list = n.Content
	}
	values := make([]string, 0, len(list))
	for _, v := range list {
		text, err := c.scalar(name, v)
		if err != nil {
			return nil, err
		}
		values = append(values, text)
	}
	return values, nil
}

func (c *configFile) scalar(name string, n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return "", c.at(n, "%s has no plain value", name)
	}
	return n.Value, nil
}

func (c *configFile) threshold(name string, key, value *yaml.Node) error {
	text, err := c.scalar(name, value)
	if err != nil {
		return err
	}
	if _, err := thresholdValue(text); err != nil {
		return c.at(value, "%s: %s", name, err)
	}
	c.thresholds = append(c.thresholds, configValue{name, []string{text}, key.Line})
	return nil
}

// thresholdValue is a number that a threshold may have.
func thresholdValue(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
		return 0, fmt.Errorf("%q is no number from 0 on", text)
	}
	return v, nil
}

func (c *configFile) suppressionList(n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		return c.at(n, "%s is a list", keySuppressions)
	}
	for _, item := range n.Content {
		s := analysis.Suppression{Place: record.Pos{File: c.path, Line: int64(item.Line)}}
		err := c.pairs(item, "a suppression", suppressionKeys(), func(name string, _, value *yaml.Node) error {
			return c.suppressionKey(&s, name, value)
		})
		if err == nil {
			err = c.complete(&s, item)
		}
		if err != nil {
			return err
		}
		c.suppressions = append(c.suppressions, s)
	}
	return nil
}

func suppressionKeys() []string { return []string{"id", "fingerprint", "subject", "reason", "expires"} }

// fingerprintForm is how finding.Finding.Fingerprint prints.
var fingerprintForm = regexp.MustCompile(`^[0-9a-f]{16}$`)

func (c *configFile) suppressionKey(s *analysis.Suppression, name string, value *yaml.Node) error {
	text, err := c.scalar(name, value)
	if err != nil {
		return err
	}
	switch name {
	case "id":
		if !slices.Contains(signatureIDs(), text) {
			return c.at(value, "no signature %q%s", text, meant(text, signatureIDs()))
		}
		s.ID = text
	case "fingerprint":
		if !fingerprintForm.MatchString(text) {
			return c.at(value, "%q is no fingerprint of a finding: the json report has them", text)
		}
		s.Fingerprint = text
	case "subject":
		s.Subject = text
	case "reason":
		s.Reason = strings.TrimSpace(text)
	case "expires":
		if s.Expires, err = time.Parse(time.DateOnly, text); err != nil {
			return c.at(value, "expires %q is no date such as 2027-01-31", text)
		}
	}
	return nil
}

// complete refuses a suppression that lacks something.
func (c *configFile) complete(s *analysis.Suppression, item *yaml.Node) error {
	switch {
	case (s.ID == "") == (s.Fingerprint == ""):
		return c.at(item, "a suppression has either id or fingerprint")
	case s.Subject != "" && s.ID == "":
		return c.at(item, "subject goes with id: a fingerprint has its subject in it")
	case s.Reason == "":
		return c.at(item, "a suppression needs a reason")
	case s.Expires.IsZero():
		return c.at(item, "a suppression needs the date on which it expires")
	}
	return nil
}

func signatureIDs() []string {
	var ids []string
	for _, s := range signature.List {
		ids = append(ids, s.ID)
	}
	return ids
}

// meant is a hint at the nearest of names, "" if none is near.
func meant(typed string, names []string) string {
	if near := nearest(typed, names); near != "" {
		return ", did you mean " + near + "?"
	}
	return ""
}
