package main

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/pgassay/pgassay/report"
)

// configSchema is the JSON Schema of a configuration file that may set flags.
func configSchema(flags *pflag.FlagSet) map[string]any {
	properties := map[string]any{keyThresholds: thresholdSchema(), keySuppressions: suppressionSchema()}
	flags.VisitAll(func(f *pflag.Flag) {
		if configurable(f) {
			properties[f.Name] = flagSchema(f)
		}
	})
	return map[string]any{
		"$schema":              "https://json-schema.org/draft/2020-12/schema",
		"title":                configName + ", the configuration of pgassay",
		"type":                 []string{"object", "null"},
		"properties":           properties,
		"additionalProperties": false,
	}
}

func flagSchema(f *pflag.Flag) map[string]any {
	_, text := pflag.UnquoteUsage(f)
	out := map[string]any{"description": text}
	item := map[string]any{"type": "string"}
	if values := choices(f.Name); values != nil {
		item["enum"] = values
	}
	switch f.Value.Type() {
	case "bool":
		out["type"] = "boolean"
	case "int":
		out["type"] = "integer"
	case "stringArray", "stringSlice":
		out["anyOf"] = []any{item, map[string]any{"type": "array", "items": item}}
	default:
		out["type"] = "string"
		if values := item["enum"]; values != nil {
			out["enum"] = values
		}
	}
	return out
}

// choices are the values of a flag that has a list of them, nil for others.
func choices(flag string) []string {
	switch flag {
	case "format":
		return formatNames()
	case "color":
		return []string{colorAuto, colorAlways, colorNever}
	case "fail-on":
		return limitNames()
	case "require":
		return signatureIDs()
	}
	return nil
}

func thresholdSchema() map[string]any {
	properties := map[string]any{}
	for _, t := range allThresholds() {
		properties[t.name] = map[string]any{
			"type": "number", "minimum": 0, "default": t.Value, "description": strings.TrimSpace(t.Doc + " (" + t.Unit + ")"),
		}
	}
	return map[string]any{
		"description": "Limits in place of the defaults.", "type": "object", "properties": properties, "additionalProperties": false,
	}
}

func suppressionSchema() map[string]any {
	text := func(doc string) map[string]any { return map[string]any{"type": "string", "description": doc} }
	id := text("ID of a signature.")
	id["enum"] = signatureIDs()
	fingerprint := text("Fingerprint of a finding, as in the JSON report.")
	fingerprint["pattern"] = fingerprintForm.String()
	expires := text("The date from which on the suppression has no effect and fails a check.")
	expires["format"] = "date"
	reason := text("Why the finding is tolerated; it stands in every report.")
	reason["minLength"] = 1
	properties := map[string]any{"id": id, "fingerprint": fingerprint, "reason": reason, "expires": expires,
		"subject": text("Name of the index, table, statement or session; * stands for any characters.")}
	return map[string]any{
		"description": "Findings that do not fail a check.",
		"type":        "array",
		"items": map[string]any{
			"type": "object", "properties": properties, "additionalProperties": false, "required": []string{"reason", "expires"},
			"oneOf": []any{map[string]any{"required": []string{"id"}}, map[string]any{"required": []string{"fingerprint"}}},
		},
	}
}

// extensionPatterns is for the completion of --report.
func extensionPatterns() []string {
	var all []string
	for _, f := range report.Formats {
		all = append(all, strings.TrimPrefix(f.Extension, "."))
	}
	return all
}
