package analysis

import (
	"math"
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

func TestTriggersAreNearestFirstAndThinnedToTheirPeaks(t *testing.T) {
	relation := func(name string, peak int64) *dataset.Relation {
		r := &dataset.Relation{Name: name}
		for i := range int64(10 * maxTriggerPoints) {
			dead := int64(1)
			if i == 12_345 {
				dead = peak
			}
			r.Points = append(r.Points, dataset.TablePoint{Time: record.Time(i), DeadTup: record.Some(dead), Reltuples: record.Some(0)})
		}
		return r
	}
	m := &dataset.Model{Relations: []*dataset.Relation{
		relation("a", 10), relation("b", 100), {Name: "c"}, {Name: "d", Points: []dataset.TablePoint{{Time: 1, DeadTup: record.Some(9)}}},
	}}
	got := triggers(m)
	if len(got) != 3 || got[0].Relation != "b" || got[1].Relation != "a" || got[2].Relation != "d" {
		t.Fatalf("%+v", got)
	}
	if w := got[0].Worst; w.Time != 12_345 || w.Ratio() != 2 {
		t.Errorf("worst %+v", w)
	}
	if got[2].Points != nil || !math.IsNaN(got[2].Last.Limit) {
		t.Errorf("without a limit: %+v", got[2])
	}
	if n := len(got[0].Points); n > maxTriggerPoints {
		t.Errorf("%d points", n)
	}
	for _, p := range got[0].Points {
		if p.Dead == 100 {
			return
		}
	}
	t.Error("the peak was thinned away")
}
