package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestConfigSchemaKnowsWhatTheFileMayHold holds the schema for editors to the
// reader of the file.
func TestConfigSchemaKnowsWhatTheFileMayHold(t *testing.T) {
	var b bytes.Buffer
	if code := Main([]string{"config", "--schema"}, nil, &b, &b, nil); code != exitDone {
		t.Fatalf("exit code %d: %s", code, b.String())
	}
	type node struct {
		Description string
		Properties  map[string]node
		Items       *node
	}
	var schema node
	if err := json.Unmarshal(b.Bytes(), &schema); err != nil {
		t.Fatal(err)
	}
	has := func(what string, properties map[string]node, keys []string) {
		if len(properties) != len(keys) {
			t.Errorf("%s: %d properties, %d keys", what, len(properties), len(keys))
		}
		for _, key := range keys {
			if properties[key].Description == "" {
				t.Errorf("%s: %s is not described", what, key)
			}
		}
	}
	has("file", schema.Properties, append(configKeys(), keyThresholds, keySuppressions))
	has(keyThresholds, schema.Properties[keyThresholds].Properties, thresholdNames())
	has(keySuppressions, schema.Properties[keySuppressions].Items.Properties, suppressionKeys())
}

func TestNearestKnowsTypingErrors(t *testing.T) {
	names := []string{"fail-on", "format", "report", "require", "strict"}
	for typed, want := range map[string]string{
		"fail_on": "fail-on", "reprot": "report", "requires": "require", "STRICT": "strict", "form": "format", "zzzzzz": "", "": "",
		strings.Repeat("x", 1<<20): "",
	} {
		if got := nearest(typed, names); got != want {
			t.Errorf("%.20s: %q, want %q", typed, got, want)
		}
	}
}

// TestThresholdValuesHaveALimit refuses what no limit can be.
func TestThresholdValuesHaveALimit(t *testing.T) {
	for _, text := range []string{"", "-1", "NaN", "Inf", "1e999", "1,5", "x"} {
		if v, err := thresholdValue(text); err == nil {
			t.Errorf("%q is %g", text, v)
		}
	}
	if v, err := thresholdValue("1.5"); err != nil || v != 1.5 {
		t.Errorf("%g, %v", v, err)
	}
}

// FuzzConfig reads anything as a configuration file: it is read or refused with
// its name.
func FuzzConfig(f *testing.F) {
	f.Add("fail-on: none\nrequire: [PGA101]\nthresholds:\n  PGA101.min_step: 1\nsuppressions:\n- id: PGA101\n  reason: x\n  expires: 2027-01-31\n")
	f.Add("a: &a [*a, {}]\n---\n? [x]\n: y")
	f.Add("suppressions:\n- {id: PGA101, subject: [a]}\nthresholds: 1")
	keys := configKeys()
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := parseConfig("x.yaml", []byte(text), keys); err == nil && c == nil || err != nil && !strings.Contains(err.Error(), "x.yaml") {
			t.Errorf("%+v, %v", c, err)
		}
	})
}
