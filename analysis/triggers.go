package analysis

import (
	"math"
	"slices"

	"github.com/pgassay/pgassay/analysis/autovacuum"
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
// it (autovacuum.LimitsAt).
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
		limits := autovacuum.LimitsAt(m, p)
		t.Note = limits.Note + limits.Dead.Off // one of them is empty
		t.Points = append(t.Points, TriggerPoint{p.Time, p.DeadTup.N, limits.Dead.Value})
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
