package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// What other people's pipelines take from here: it must parse, and name only
// flags that there are.

func TestPipelineFilesAreYAML(t *testing.T) {
	for _, name := range []string{
		".github/actions/pgassay/action.yml", ".gitlab/pgassay.gitlab-ci.yml", ".pre-commit-hooks.yaml", ".goreleaser.yaml",
	} {
		f, err := os.Open(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		d := yaml.NewDecoder(f)
		for {
			var v any
			if err := d.Decode(&v); err == io.EOF {
				break
			} else if err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestActionUsesTheInputsThatItDeclares(t *testing.T) {
	text, err := os.ReadFile("../../.github/actions/pgassay/action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Inputs map[string]any
		Runs   struct{ Using string }
	}
	if err := yaml.Unmarshal(text, &action); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`inputs\.([a-z-]+)`).FindAllStringSubmatch(string(text), -1) {
		used[m[1]] = true
		if _, ok := action.Inputs[m[1]]; !ok {
			t.Errorf("input %s is not declared", m[1])
		}
	}
	for name := range action.Inputs {
		if !used[name] {
			t.Errorf("input %s has no effect", name)
		}
	}
	if action.Runs.Using != "composite" {
		t.Errorf("using %q", action.Runs.Using)
	}
	// Text of inputs in a script would be run by the shell.
	if script := regexp.MustCompile(`(?s)run: \|.*?\n    - `).FindString(string(text)); script == "" || strings.Contains(script, "${{") {
		t.Errorf("the script is not free of expressions: %s", script)
	}
}

func TestPagesNameFlagsThatThereAre(t *testing.T) {
	pages, err := filepath.Glob("help/*.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"--rm": true, "--network": true, "--csv": true, "--clean": true, "--help": true}
	for _, cmd := range newRoot(&environment{}).Commands() {
		for _, word := range regexp.MustCompile(`--[a-z-]+`).FindAllString(cmd.Flags().FlagUsages(), -1) {
			known[word] = true
		}
	}
	pages = append(pages, "../../.github/actions/pgassay/action.yml", "../../.gitlab/pgassay.gitlab-ci.yml", "../../.pre-commit-hooks.yaml", "../../README.md", "../../SECURITY.md")
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, flag := range regexp.MustCompile(`--[a-z][a-z-]+`).FindAllString(string(text), -1) {
			if !known[flag] {
				t.Errorf("%s names %s", page, flag)
			}
		}
	}
}
