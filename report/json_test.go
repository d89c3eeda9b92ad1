package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/report/internal/fixture"
)

// node is as much of JSON Schema as the report's schema uses.
type node struct {
	Ref        string           `json:"$ref"`
	Type       any              `json:"type"`
	Format     string           `json:"format"`
	Const      any              `json:"const"`
	Enum       []any            `json:"enum"`
	AnyOf      []*node          `json:"anyOf"`
	Properties map[string]*node `json:"properties"`
	Required   []string         `json:"required"`
	Items      *node            `json:"items"`
	MinItems   int              `json:"minItems"`
	Defs       map[string]*node `json:"$defs"`
}

func (n *node) check(root *node, at string, v any) []string {
	if n.Ref != "" {
		n = root.Defs[strings.TrimPrefix(n.Ref, "#/$defs/")]
	}
	if n == nil {
		return []string{at + ": no such definition"}
	}
	if n.AnyOf != nil {
		return n.checkAny(root, at, v)
	}
	if n.Const != nil && n.Const != v {
		return []string{fmt.Sprintf("%s: %v is not %v", at, v, n.Const)}
	}
	if n.Enum != nil && !slices.Contains(n.Enum, v) {
		return []string{fmt.Sprintf("%s: %v is none of %v", at, v, n.Enum)}
	}
	if n.Type != nil && !n.allows(v) {
		return []string{fmt.Sprintf("%s: %T is not %v", at, v, n.Type)}
	}
	switch v := v.(type) {
	case map[string]any:
		return n.checkObject(root, at, v)
	case []any:
		var errs []string
		if len(v) < n.MinItems {
			errs = append(errs, at+": too short")
		}
		for i, item := range v {
			errs = append(errs, n.Items.check(root, fmt.Sprintf("%s[%d]", at, i), item)...)
		}
		return errs
	case string:
		if n.Format == "date-time" {
			if _, err := time.Parse("2006-01-02T15:04:05.000000Z", v); err != nil {
				return []string{at + ": " + err.Error()}
			}
		}
	}
	return nil
}

func (n *node) checkAny(root *node, at string, v any) []string {
	var last []string
	for _, c := range n.AnyOf {
		if last = c.check(root, at, v); last == nil {
			return nil
		}
	}
	return last
}

// checkObject is stricter than the schema: a key that it does not document is
// an error of ours.
func (n *node) checkObject(root *node, at string, v map[string]any) []string {
	var errs []string
	for _, key := range n.Required {
		if _, ok := v[key]; !ok {
			errs = append(errs, at+": no "+key)
		}
	}
	for key, value := range v {
		p := n.Properties[key]
		if p == nil {
			errs = append(errs, at+": "+key+" is not documented")
			continue
		}
		errs = append(errs, p.check(root, at+"."+key, value)...)
	}
	return errs
}

func (n *node) allows(v any) bool {
	types, ok := n.Type.([]any)
	if !ok {
		types = []any{n.Type}
	}
	name := "null"
	switch v := v.(type) {
	case string:
		name = "string"
	case bool:
		name = "boolean"
	case map[string]any:
		name = "object"
	case []any:
		name = "array"
	case json.Number:
		name = "number"
		if !strings.ContainsAny(v.String(), ".eE") && slices.Contains(types, any("integer")) {
			name = "integer"
		}
	}
	return slices.Contains(types, any(name))
}

func TestJSONIsAsItsSchemaSays(t *testing.T) {
	var root node
	d := json.NewDecoder(strings.NewReader(Schema()))
	d.UseNumber()
	if err := d.Decode(&root); err != nil {
		t.Fatal(err)
	}
	onDisk, err := os.ReadFile(filepath.Join("schema", "report-1.schema.json"))
	if err != nil || string(onDisk) != Schema() {
		t.Errorf("embedded schema differs: %v", err)
	}
	for name, r := range map[string]*analysis.Result{
		"incident": fixture.Incident(), "healthy": fixture.Healthy(), "empty": fixture.Empty(), "hostile": fixture.Hostile(),
	} {
		out := write(t, "json", r, DefaultOptions())
		d := json.NewDecoder(bytes.NewReader(out))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, e := range root.check(&root, name, v) {
			t.Error(e)
		}
	}
}

func TestHostileJSONIsValidAndKeepsMarkup(t *testing.T) {
	out := write(t, "json", fixture.Hostile(), DefaultOptions())
	if !utf8.Valid(out) {
		t.Error("not UTF-8")
	}
	if !bytes.Contains(out, []byte("<script>")) {
		t.Error("HTML was escaped")
	}
	if bytes.ContainsAny(out, "\x00\x1b\x07\r") {
		t.Error("control characters are not escaped")
	}
}

func TestAbsentIsNullInJSON(t *testing.T) {
	var v struct {
		Period   map[string]any
		Findings []struct {
			Onset *map[string]any
		}
		Statements []map[string]any
	}
	if err := json.Unmarshal(write(t, "json", fixture.Incident(), DefaultOptions()), &v); err != nil {
		t.Fatal(err)
	}
	if v.Statements[0]["buffers_per_call"] != nil {
		t.Error("unknown buffers are a number")
	}
	if end := (*v.Findings[0].Onset)["end"]; end != nil {
		t.Errorf("an incident that lasts ended at %v", end)
	}
	if v.Findings[2].Onset != nil {
		t.Error("an onset appeared")
	}
}

// TestJSONShowsNoMarks has what turns the direction of writing, which a viewer
// would follow, as an escape that reads back as itself.
func TestJSONShowsNoMarks(t *testing.T) {
	const text = "a\u202eb\x7fc\u0085é\u2066"
	r := fixture.Healthy()
	r.Notes = []string{text}
	got := write(t, "json", r, DefaultOptions())
	if !strings.Contains(string(got), `"a\u202eb\u007fc\u0085é\u2066"`) {
		t.Errorf("%q is written as it is", text)
	}
	var back struct{ Notes []string }
	if err := json.Unmarshal(got, &back); err != nil || len(back.Notes) != 1 || back.Notes[0] != text {
		t.Errorf("reads back as %q, %v", back.Notes, err)
	}
}
