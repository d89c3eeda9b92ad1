package main

import (
	"strings"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/signature"
)

// namedThreshold is a limit that can be set, with its full name.
type namedThreshold struct {
	name string // "PGA101.min_step"
	signature.Threshold
}

// allThresholds are those of the signatures and those of a comparison.
func allThresholds() []namedThreshold {
	var all []namedThreshold
	for _, s := range signature.List {
		for _, t := range s.Thresholds {
			all = append(all, namedThreshold{s.ID + "." + t.Name, t})
		}
	}
	for _, t := range analysis.ComparisonThresholds() {
		all = append(all, namedThreshold{analysis.ComparisonID + "." + t.Name, t})
	}
	return all
}

func thresholdNames() []string {
	var names []string
	for _, t := range allThresholds() {
		names = append(names, t.name)
	}
	return names
}

// setThresholds reads "PGA101.min_step=1.5"; said is how the user gave them.
func setThresholds(command, said string, given []string, into signature.Thresholds) error {
	names := thresholdNames()
	known := map[string]bool{}
	for _, n := range names {
		known[n] = true
	}
	for _, text := range given {
		name, value, ok := strings.Cut(text, "=")
		name = strings.TrimSpace(name)
		switch {
		case !ok:
			return usage(command, "%s %q: write NAME=VALUE, as in PGA101.min_step=1.5", said, text)
		case !known[name]:
			return usage(command, "%s: no threshold %q%s", said, name, meant(name, names))
		}
		v, err := thresholdValue(strings.TrimSpace(value))
		if err != nil {
			return usage(command, "%s %s: %s", said, name, err)
		}
		into[name] = v
	}
	return nil
}
