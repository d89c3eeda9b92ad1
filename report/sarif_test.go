package report

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/signature"
	"github.com/pgassay/pgassay/report/internal/fixture"
)

// sarifSchema is the schema that OASIS publishes with SARIF 2.1.0 (rtm.5), from
// the npm package that make deps installs into .cache.
func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	file, err := os.Open(filepath.FromSlash("../.cache/node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"))
	if err != nil {
		if os.Getenv("CI") != "true" {
			t.Skip("no SARIF schema on this machine: make deps installs it")
		}
		t.Fatal(err)
	}
	defer file.Close()
	doc, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSARIFIsAsItsSchemaSays(t *testing.T) {
	schema := sarifSchema(t)
	results := fixtures()
	results["compared"] = fixture.Incident()
	results["compared"].Comparison = &analysis.Comparison{Findings: []analysis.FindingChange{
		{Status: analysis.StatusNew}, {Status: analysis.StatusWorse}, {Status: analysis.StatusSame}, {Status: analysis.StatusSame},
	}}
	for name, r := range results {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(write(t, "sarif", r, DefaultOptions())))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// sarifDoc is what the tests read back.
type sarifDoc struct {
	Runs []struct {
		Tool struct {
			Driver struct {
				Rules []struct {
					ID         string
					Properties struct{ Tags []string }
				}
			}
		}
		Invocations []struct {
			ToolExecutionNotifications []struct {
				Message        struct{ Text string }
				AssociatedRule *struct{ ID string }
			}
		}
		Results []struct {
			RuleID              string
			RuleIndex           int
			Level               string
			PartialFingerprints map[string]string
			Properties          struct {
				Severity, Confidence string
				Effect, Share        float64
			}
		}
	}
}

func sarifOf(t *testing.T, data []byte) sarifDoc {
	t.Helper()
	var d sarifDoc
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestGoldenSARIF leaves out the rules, which are the signatures' own texts.
func TestGoldenSARIF(t *testing.T) {
	var log map[string]any
	if err := json.Unmarshal(write(t, "sarif", fixture.Incident(), DefaultOptions()), &log); err != nil {
		t.Fatal(err)
	}
	delete(log["runs"].([]any)[0].(map[string]any)["tool"].(map[string]any)["driver"].(map[string]any), "rules")
	out, err := json.MarshalIndent(log, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "incident.sarif", regexp.MustCompile(`"(ruleIndex|index)": \d+`).ReplaceAll(out, []byte(`"$1": 0`)))
}

func TestSARIFResultsPointToTheirRules(t *testing.T) {
	run := sarifOf(t, write(t, "sarif", fixture.Incident(), DefaultOptions())).Runs[0]
	rules := run.Tool.Driver.Rules
	if len(rules) < len(signature.List) {
		t.Errorf("%d rules, %d signatures", len(rules), len(signature.List))
	}
	for _, r := range rules {
		if len(r.Properties.Tags) == 0 || len(r.Properties.Tags) > 20 {
			t.Errorf("%s: %d tags", r.ID, len(r.Properties.Tags))
		}
	}
	for _, r := range run.Results {
		if r.RuleIndex >= len(rules) || rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("%s points to rule %d", r.RuleID, r.RuleIndex)
		}
	}
	n := run.Invocations[0].ToolExecutionNotifications
	if len(n) == 0 || n[0].AssociatedRule == nil || n[0].AssociatedRule.ID != "PGA205" {
		t.Error("what was not evaluated is not told")
	}
}

func TestSARIFKeepsTheLimitsOfCodeScanning(t *testing.T) {
	out := write(t, "sarif", many(2500), DefaultOptions())
	run := sarifOf(t, out).Runs[0]
	if len(run.Results) > sarifResults || len(run.Results) == 0 || run.Results[0].Level != "error" {
		t.Errorf("%d results", len(run.Results))
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(out); err != nil || z.Close() != nil || packed.Len() > 10<<20 {
		t.Errorf("%d bytes packed: %v", packed.Len(), err)
	}
	told := false
	for _, n := range run.Invocations[0].ToolExecutionNotifications {
		told = told || bytes.Contains([]byte(n.Message.Text), []byte("left out"))
	}
	if !told {
		t.Error("the cut is not stated")
	}
}
