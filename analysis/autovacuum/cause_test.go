package autovacuum

import (
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// Two captures 100 s apart around a vacuum in the middle.
func TestCauseOfAVacuum(t *testing.T) {
	capture := func(at record.Time, dead, inserted, deletes, inserts, age int64) dataset.TablePoint {
		return dataset.TablePoint{Time: at, DeadTup: record.Some(dead), InsSinceVacuum: record.Some(inserted), Del: record.Some(deletes), Upd: record.Some(0),
			Ins: record.Some(inserts), Reltuples: record.Some(10_000), FrozenXidAge: record.Some(age)} // limits 2,050 and 3,000
	}
	vacuum := func() *dataset.Vacuum { return &dataset.Vacuum{Start: at(50), End: at(50), Auto: true} }
	byHand, wraparound := vacuum(), vacuum()
	byHand.Auto, wraparound.ToPreventWraparound = false, true
	held := &dataset.Vacuum{Start: at(20), End: at(20), Auto: true}
	held.TuplesNotRemovable = record.Some(2500)
	for name, c := range map[string]struct {
		before, after   dataset.TablePoint
		vacuum, earlier *dataset.Vacuum
		want            Cause
	}{
		"dead rows":                 {capture(at(0), 2000, 0, 5000, 0, 1), capture(at(100), 100, 0, 5200, 0, 1), vacuum(), nil, ByDeadRows},
		"inserted rows":             {capture(at(0), 10, 2900, 0, 9000, 1), capture(at(100), 0, 200, 0, 9400, 1), vacuum(), nil, ByInsertedRows},
		"both":                      {capture(at(0), 2100, 3100, 0, 0, 1), capture(at(100), 0, 0, 0, 0, 1), vacuum(), nil, ByBoth},
		"neither":                   {capture(at(0), 100, 100, 0, 0, 1), capture(at(100), 0, 0, 0, 0, 1), vacuum(), nil, ByUnknown},
		"the age":                   {capture(at(0), 100, 100, 0, 0, 200_000_001), capture(at(100), 0, 0, 0, 0, 1), vacuum(), nil, ByFreeze},
		"by hand":                   {capture(at(0), 2100, 0, 0, 0, 1), capture(at(100), 0, 0, 0, 0, 1), byHand, nil, ByHand},
		"the log's word":            {capture(at(0), 2100, 0, 0, 0, 1), capture(at(100), 0, 0, 0, 0, 1), wraparound, nil, ByFreeze},
		"what was left before":      {capture(at(0), 2100, 0, 0, 0, 1), capture(at(100), 0, 0, 0, 0, 1), vacuum(), held, ByDeadRows},
		"a reset between the two":   {capture(at(0), 2000, 0, 5000, 0, 1), capture(at(100), 100, 0, 10, 0, 1), vacuum(), nil, ByUnknown},
		"captures that do not tell": {dataset.TablePoint{Time: at(0)}, dataset.TablePoint{Time: at(100)}, vacuum(), nil, ByUnknown},
	} {
		r := &dataset.Relation{Points: []dataset.TablePoint{c.before, c.after}, Vacuums: []*dataset.Vacuum{c.vacuum}}
		if c.earlier != nil {
			r.Vacuums = []*dataset.Vacuum{c.earlier, c.vacuum}
		}
		passes := Passes(&dataset.Model{Server: "17"}, r)
		if got := passes[len(passes)-1]; got.Cause != c.want || got.Why == "" {
			t.Errorf("%s: %s (%s), want %s", name, got.Cause, got.Why, c.want)
		}
	}
	outside := Passes(&dataset.Model{}, &dataset.Relation{Vacuums: []*dataset.Vacuum{vacuum()}})
	if outside[0].Cause != ByUnknown || outside[0].Why != "no captures before and after it" {
		t.Errorf("without captures: %+v", outside[0])
	}
}

func TestRateNeedsQuietGapsAndGivesAnInterval(t *testing.T) {
	var points []dataset.TablePoint
	dead := int64(0)
	vacuumed := record.NoTime
	for i := range int64(20) {
		dead += 100 + 10*(i%2)
		if i == 10 {
			dead, vacuumed = 5, at(95)
		}
		points = append(points, dataset.TablePoint{Time: at(float64(10 * i)), DeadTup: record.Some(dead), LastAutovacuum: vacuumed})
	}
	r := &dataset.Relation{Points: points}
	a := ActivityOf(&dataset.Model{BlockSize: 8192}, r)
	if d := a.Dead; d.PerSecond < 10 || d.PerSecond > 11 || !d.Contains(d.PerSecond) || d.Hi-d.Lo > 2 {
		t.Errorf("dead rows %+v a second, want about 10.5", d)
	}
	if a.Died.Known() || a.Grown.Known() {
		t.Errorf("counters that the input lacks have rates: %+v", a)
	}
	if none := ActivityOf(&dataset.Model{}, &dataset.Relation{}); none.Dead.Known() {
		t.Errorf("no captures: %+v", none)
	}
}
