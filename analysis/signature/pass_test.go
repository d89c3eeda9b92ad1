package signature

import (
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
)

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
