package analysis

import (
	"slices"
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

func TestChangedSettingsAreNames(t *testing.T) {
	m := &dataset.Model{
		Events: []record.Event{{Kind: record.EventParameterChanged, Object: "acme.plan", Text: "gold"}},
		Settings: map[string][]dataset.Setting{
			"search_path":  {{Value: "tenant7, public"}, {Value: "tenant8"}},
			"work_mem":     {{Value: "4096"}, {Value: "64MB"}},
			"cluster_name": {{Value: "kept"}},
		},
	}
	got := changedSettings(m)
	slices.Sort(got)
	if want := []string{"acme", "gold", "plan", "public", "tenant7", "tenant8"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
