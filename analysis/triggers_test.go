package analysis

import (
	"math"
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

func setting(value string) []dataset.Setting {
	return []dataset.Setting{{Time: 0, Value: value}}
}

func TestVacuumTriggerFollowsOptionsSettingsAndVersion(t *testing.T) {
	point := func(reltuples int64, options string) *dataset.TablePoint {
		return &dataset.TablePoint{Time: 100, Reltuples: record.Some(reltuples), Reloptions: options}
	}
	cluster := map[string][]dataset.Setting{"autovacuum_vacuum_scale_factor": setting("0.1"), "autovacuum_vacuum_threshold": setting("1000")}
	for name, c := range map[string]struct {
		settings map[string][]dataset.Setting
		server   string
		point    *dataset.TablePoint
		want     float64
		note     string
	}{
		"defaults":                   {nil, "17.2", point(1000, ""), 250, "defaults of the server: no pg_settings in input"},
		"settings":                   {cluster, "17.2", point(1000, ""), 1100, ""},
		"options of the table first": {cluster, "17.2", point(1000, "{autovacuum_vacuum_scale_factor=0.5,fillfactor=90}"), 1500, ""},
		"options as JSON":            {cluster, "17.2", point(1000, `["autovacuum_vacuum_threshold=7", "Autovacuum_Vacuum_Scale_Factor=0"]`), 7, ""},
		"never analyzed":             {cluster, "17.2", point(-1, ""), 1000, ""},
		"no cap before 18":           {cluster, "17.2", point(2e9, ""), 2e8 + 1000, ""},
		"the cap of 18":              {cluster, "18.1", point(2e9, ""), 1e8, ""},
		"the cap switched off":       {cluster, "18.1", point(2e9, "{autovacuum_vacuum_max_threshold=-1}"), 2e8 + 1000, ""},
		"off for the table":          {cluster, "17.2", point(1000, "{autovacuum_enabled=false}"), math.NaN(), "autovacuum_enabled is off for this table"},
		"off":                        {map[string][]dataset.Setting{"autovacuum": setting("off")}, "17.2", point(1000, ""), math.NaN(), "autovacuum is off"},
		"no reltuples":               {cluster, "17.2", &dataset.TablePoint{Time: 100}, math.NaN(), "no reltuples in input"},
		"options that are no number": {cluster, "17.2", point(1000, "{autovacuum_vacuum_threshold=x,=,autovacuum_vacuum_scale_factor}"), 1100, ""},
	} {
		got, note := triggerLimit(&dataset.Model{Settings: c.settings, Server: c.server}, c.point)
		if got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) || note != c.note {
			t.Errorf("%s: %v %q, want %v %q", name, got, note, c.want, c.note)
		}
	}
}

func TestSettingIsTheOneInForce(t *testing.T) {
	values := []dataset.Setting{{Time: 100, Value: "a"}, {Time: 200, Value: "b"}}
	for at, want := range map[record.Time]string{50: "a", 100: "a", 150: "a", 200: "b", 300: "b"} {
		if got, ok := settingAt(values, at); !ok || got != want {
			t.Errorf("at %d: %q, want %q", at, got, want)
		}
	}
}

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

func FuzzReloptions(f *testing.F) {
	f.Add("{autovacuum_vacuum_scale_factor=0.05,a=b}")
	f.Add(`["x=1", "y=\"2"]`)
	f.Fuzz(func(t *testing.T, s string) {
		for name, value := range reloptions(s) {
			if len(name)+len(value) > 4*len(s)+8 {
				t.Fatalf("%q gave %q=%q", s, name, value)
			}
		}
	})
}
