package autovacuum

import (
	"math"
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

func setting(value string) []dataset.Setting {
	return []dataset.Setting{{Time: 0, Value: value}}
}

func TestLimitOfDeadRowsFollowsOptionsSettingsAndVersion(t *testing.T) {
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
		"defaults":                     {nil, "17.2", point(1000, ""), 250, "defaults of the server: no pg_settings in input"},
		"settings":                     {cluster, "17.2", point(1000, ""), 1100, ""},
		"options of the table first":   {cluster, "17.2", point(1000, "{autovacuum_vacuum_scale_factor=0.5,fillfactor=90}"), 1500, ""},
		"options as JSON":              {cluster, "17.2", point(1000, `["autovacuum_vacuum_threshold=7", "Autovacuum_Vacuum_Scale_Factor=0"]`), 7, ""},
		"never analyzed":               {cluster, "17.2", point(-1, ""), 1000, ""},
		"no cap before 18":             {cluster, "17.2", point(2e9, ""), 2e8 + 1000, ""},
		"the cap of 18":                {cluster, "18.1", point(2e9, ""), 1e8, ""},
		"the cap switched off":         {cluster, "18.1", point(2e9, "{autovacuum_vacuum_max_threshold=-1}"), 2e8 + 1000, ""},
		"off for the table":            {cluster, "17.2", point(1000, "{autovacuum_enabled=false}"), math.NaN(), "autovacuum_enabled is off for this table"},
		"off":                          {map[string][]dataset.Setting{"autovacuum": setting("off")}, "17.2", point(1000, ""), math.NaN(), "autovacuum is off"},
		"no reltuples":                 {cluster, "17.2", &dataset.TablePoint{Time: 100}, math.NaN(), "no reltuples in input"},
		"options that no server takes": {cluster, "17.2", point(1000, "{autovacuum_vacuum_threshold=NaN,autovacuum_vacuum_scale_factor=1e308}"), 1100, ""},
		"settings that no server takes": {map[string][]dataset.Setting{"autovacuum_vacuum_scale_factor": setting("-5"), "autovacuum_vacuum_threshold": setting("9223372036854775808")},
			"17.2", point(1000, ""), 250, ""},
		"options that are no number": {cluster, "17.2", point(1000, "{autovacuum_vacuum_threshold=x,=,autovacuum_vacuum_scale_factor}"), 1100, ""},
	} {
		l := LimitsAt(&dataset.Model{Settings: c.settings, Server: c.server}, c.point)
		if got, note := l.Dead.Value, l.Note+l.Dead.Off; got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) || note != c.note {
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

func TestLimitOfInsertedRowsFollowsTheVersion(t *testing.T) {
	half := func(options string) *dataset.TablePoint {
		return &dataset.TablePoint{Reltuples: record.Some(10_000), Relpages: record.Some(100), Relallfrozen: record.Some(50), Reloptions: options}
	}
	const scale = "{autovacuum_vacuum_insert_scale_factor=0.1}"
	for name, c := range map[string]struct {
		server string
		point  *dataset.TablePoint
		want   float64
		off    string
	}{
		"none before 13":               {"12.20", half(""), math.NaN(), "before PostgreSQL 13 inserted rows start no vacuum"},
		"defaults":                     {"13.1", half(""), 3000, ""},
		"the whole table before 18":    {"17.0", half(scale), 2000, ""},
		"only unfrozen pages from 18":  {"18.0", half(scale), 1500, ""},
		"18 without relallfrozen":      {"18.0", &dataset.TablePoint{Reltuples: record.Some(10_000), Relpages: record.Some(100)}, 3000, ""},
		"18 told by the column":        {"", half(scale), 1500, ""},
		"disabled by −1":               {"17.0", half("{autovacuum_vacuum_insert_threshold=-1}"), math.NaN(), "autovacuum_vacuum_insert_threshold is −1"},
		"more frozen than there is":    {"18.0", &dataset.TablePoint{Reltuples: record.Some(10_000), Relpages: record.Some(10), Relallfrozen: record.Some(50)}, 1000, ""},
		"switched off for this table":  {"18.0", half("{autovacuum_enabled=off}"), math.NaN(), "autovacuum_enabled is off for this table"},
		"never vacuumed, never analyz": {"17.0", &dataset.TablePoint{Reltuples: record.Some(-1)}, 1000, ""},
	} {
		m := &dataset.Model{Server: c.server, LeastMajor: 18}
		l := LimitsAt(m, c.point).Inserted
		if l.Value != c.want && !(math.IsNaN(l.Value) && math.IsNaN(c.want)) || l.Off != c.off {
			t.Errorf("%s: %v %q, want %v %q", name, l.Value, l.Off, c.want, c.off)
		}
	}
}

func TestOptionsMayOnlyLowerTheAge(t *testing.T) {
	m := &dataset.Model{Server: "17", Settings: map[string][]dataset.Setting{"autovacuum_freeze_max_age": setting("300000000")}}
	for options, want := range map[string]float64{
		"": 300_000_000, "{autovacuum_freeze_max_age=100000000}": 100_000_000, "{autovacuum_freeze_max_age=900000000}": 300_000_000,
		"{autovacuum_enabled=off}": 300_000_000,
	} {
		if got := LimitsAt(m, &dataset.TablePoint{Reloptions: options}).Freeze.Value; got != want {
			t.Errorf("%s: %v, want %v", options, got, want)
		}
	}
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

func TestAgeThatNoServerTakesIsNoLimit(t *testing.T) {
	m := &dataset.Model{Server: "17.2", Settings: map[string][]dataset.Setting{"autovacuum_freeze_max_age": setting("0")}}
	if got := LimitsAt(m, &dataset.TablePoint{}).Freeze.Value; got != 200_000_000 {
		t.Errorf("forced at %v, want the default", got)
	}
}
