package signature

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/sqltext"
)

// sampleModel reads one of the scenarios that come with the program.
func sampleModel(t *testing.T, scenario string) *dataset.Model {
	t.Helper()
	return modelOf(t, filepath.Join("..", "..", "samples", scenario))
}

// modelOf reads files as the program does.
func modelOf(t *testing.T, paths ...string) *dataset.Model {
	t.Helper()
	in := sqltext.NewInterner(10_000)
	d := dataset.New(dataset.DefaultLimits(), in.Statement)
	_, err := parser.Stream(context.Background(), paths, parser.Options{Intern: in.Statement},
		func(b *record.Batch) error { d.Fold(b); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return d.Build()
}

func TestThresholdsThatAreSetReplaceDefaults(t *testing.T) {
	var got, other float64
	first := &Signature{ID: "PGA001", Thresholds: []Threshold{{Name: "ratio", Value: 2}, {Name: "floor", Value: 3}}, Detect: func(p *Pass) {
		got = p.limit("ratio")
	}}
	second := &Signature{ID: "PGA002", Thresholds: []Threshold{{Name: "ratio", Value: 5}}, Detect: func(p *Pass) {
		other = p.limit("ratio")
		if l := p.limits(first); l["ratio"] != 4 || l["floor"] != 3 {
			t.Errorf("limits of another signature: %v", l)
		}
	}}
	Run(&dataset.Model{}, []*Signature{first, second}, Thresholds{"PGA001.ratio": 4, "PGA001.unknown": 1})
	if got != 4 || other != 5 {
		t.Errorf("%g and %g", got, other)
	}
}
