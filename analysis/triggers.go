package analysis

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// What Result.Triggers keeps: points for charts of the tables with dead rows
// that came nearest to their trigger.
const (
	maxTriggerSeries = 30
	maxTriggerPoints = 2_000
)

// Trigger is a table's dead rows over time against what starts an autovacuum of
// it. The server vacuums when, strictly,
//
//	n_dead_tup > autovacuum_vacuum_threshold + autovacuum_vacuum_scale_factor · reltuples
//
// with the table's reloptions before the settings, reltuples −1 taken as 0, and
// from PostgreSQL 18 at most autovacuum_vacuum_max_threshold, which −1 disables.
type Trigger struct {
	Relation    string
	Last, Worst TriggerPoint   // by time, and by Ratio
	Points      []TriggerPoint // by time, thinned; nil for all but some tables
	Vacuums     []record.Time  // ends of the table's vacuums, for the tables with Points
	Note        string         // what the limit rests on beside the input, or why there is none
}

// TriggerPoint is one snapshot of a table.
type TriggerPoint struct {
	Time  record.Time
	Dead  int64
	Limit float64 // rows; NaN if unknown or if autovacuum is off
}

// Ratio is dead rows ÷ limit, NaN without a limit: above 1 a vacuum is due.
func (p TriggerPoint) Ratio() float64 {
	if p.Limit > 0 {
		return float64(p.Dead) / p.Limit
	}
	return math.NaN()
}

// triggers are the tables with dead rows in timed snapshots, nearest to their
// trigger first, then by name.
func triggers(m *dataset.Model) []Trigger {
	var out []Trigger
	for _, r := range m.Relations {
		if t, ok := triggerOf(m, r); ok {
			out = append(out, t)
		}
	}
	slices.SortStableFunc(out, func(a, b Trigger) int { return compareRatio(b.Worst.Ratio(), a.Worst.Ratio()) })
	for i := range out {
		if i >= maxTriggerSeries || !(out[i].Worst.Ratio() > 0) {
			out[i].Points, out[i].Vacuums = nil, nil
			continue
		}
		out[i].Points = thinTrigger(out[i].Points)
	}
	return out
}

// compareRatio orders numbers, those that are none below all others.
func compareRatio(a, b float64) int {
	switch {
	case math.IsNaN(a) && math.IsNaN(b):
		return 0
	case math.IsNaN(a) || a < b:
		return -1
	case math.IsNaN(b) || a > b:
		return 1
	}
	return 0
}

func triggerOf(m *dataset.Model, r *dataset.Relation) (Trigger, bool) {
	t := Trigger{Relation: r.Name}
	for i := range r.Points {
		p := &r.Points[i]
		if !p.Time.Known() || !p.DeadTup.Known {
			continue
		}
		limit, note := triggerLimit(m, p)
		t.Note = note
		t.Points = append(t.Points, TriggerPoint{p.Time, p.DeadTup.N, limit})
	}
	if len(t.Points) == 0 {
		return t, false
	}
	t.Last, t.Worst = t.Points[len(t.Points)-1], t.Points[0]
	for _, p := range t.Points {
		if compareRatio(p.Ratio(), t.Worst.Ratio()) > 0 {
			t.Worst = p
		}
	}
	for _, v := range r.Vacuums {
		if v.End.Known() && len(t.Vacuums) < maxTriggerPoints {
			t.Vacuums = append(t.Vacuums, v.End)
		}
	}
	return t, true
}

// triggerLimit is the number of dead rows that the table may have at the time of
// p. Source of the formula and of the defaults: relation_needs_vacanalyze of
// PostgreSQL 12 to 18, and its documentation, "The Autovacuum Daemon".
func triggerLimit(m *dataset.Model, p *dataset.TablePoint) (limit float64, note string) {
	options := reloptions(p.Reloptions)
	get := func(name string, standard float64) float64 {
		if v, ok := options[name]; ok {
			if n, err := strconv.ParseFloat(v, 64); err == nil {
				return n
			}
		}
		if v, ok := settingAt(m.Settings[name], p.Time); ok {
			if n, err := strconv.ParseFloat(v, 64); err == nil {
				return n
			}
		}
		if len(m.Settings) == 0 {
			note = "defaults of the server: no pg_settings in input"
		}
		return standard
	}
	if on, known := settingAt(m.Settings["autovacuum"], p.Time); known && isOff(on) {
		return math.NaN(), "autovacuum is off"
	}
	if isOff(options["autovacuum_enabled"]) {
		return math.NaN(), "autovacuum_enabled is off for this table"
	}
	if !p.Reltuples.Known {
		return math.NaN(), "no reltuples in input"
	}
	base := get("autovacuum_vacuum_threshold", 50)
	scale := get("autovacuum_vacuum_scale_factor", 0.2)
	limit = base + scale*float64(max(0, p.Reltuples.N))
	standard := -1.0
	if major(m.Server) >= 18 {
		standard = 100_000_000
	}
	if most := get("autovacuum_vacuum_max_threshold", standard); most >= 0 {
		limit = min(limit, most)
	}
	return limit, note
}

// major is the leading number of a version, 0 if it has none.
func major(version string) int {
	end := strings.IndexFunc(version, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(version)
	}
	n, _ := strconv.Atoi(version[:end]) // none is 0
	return n
}

// settingAt is the value in force at t: the last one captured until then, else
// the first.
func settingAt(values []dataset.Setting, t record.Time) (string, bool) {
	if len(values) == 0 {
		return "", false
	}
	v := values[0].Value
	for i := range values {
		if values[i].Time.Known() && values[i].Time > t {
			break
		}
		v = values[i].Value
	}
	return v, true
}

func isOff(value string) bool {
	switch strings.ToLower(value) {
	case "off", "false", "no", "0", "f", "n":
		return true
	}
	return false
}

// reloptions reads pg_class.reloptions as an array's text, {a=1,b=2}, or as
// JSON, ["a=1", "b=2"]. Numbers and booleans need no quotes inside.
func reloptions(text string) map[string]string {
	out := map[string]string{}
	for option := range strings.SplitSeq(strings.Trim(text, "{}[] "), ",") {
		name, value, ok := strings.Cut(strings.Trim(option, ` "`), "=")
		if ok {
			out[strings.ToLower(name)] = value
		}
	}
	return out
}

// thinTrigger keeps the points with the least and the most dead rows of each of
// maxTriggerPoints/2 equal stretches, so that neither a peak nor a vacuum is
// lost.
func thinTrigger(points []TriggerPoint) []TriggerPoint {
	if len(points) <= maxTriggerPoints {
		return points
	}
	const stretches = maxTriggerPoints / 2
	var out []TriggerPoint
	for s := range stretches {
		low, high := s*len(points)/stretches, s*len(points)/stretches
		for i := low; i < (s+1)*len(points)/stretches; i++ {
			if points[i].Dead < points[low].Dead {
				low = i
			}
			if points[i].Dead > points[high].Dead {
				high = i
			}
		}
		out = append(out, points[min(low, high)])
		if low != high {
			out = append(out, points[max(low, high)])
		}
	}
	return out
}
