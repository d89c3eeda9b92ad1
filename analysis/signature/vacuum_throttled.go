package signature

import (
	"fmt"
	"math"

	"github.com/pgassay/pgassay/analysis/autovacuum"
	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
)

// throttled finds a table that is under vacuum most of the time, because its
// vacuums sleep for their cost.
func (p *Pass) throttled(r *dataset.Relation, all []*dataset.Vacuum) *trouble {
	var vs []*dataset.Vacuum
	slept, measured := 0.0, 0
	for _, v := range all {
		s, told, ok := autovacuum.ThrottleAt(p.Model, r, v.Start).Sleep(&v.Vacuum)
		if !ok || !v.HasElapsed || v.Elapsed.Seconds() < p.limit("min_slow") || s < p.limit("min_sleep")*v.Elapsed.Seconds() {
			continue
		}
		vs = append(vs, v)
		slept += s
		if told {
			measured++
		}
	}
	if len(vs) < 2 {
		return nil
	}
	ran, during := elapsedOf(vs), vs[len(vs)-1].End.Sub(vs[0].Start).Seconds()
	if ran < p.limit("min_busy")*during {
		return nil
	}
	x := autovacuum.ThrottleAt(p.Model, r, vs[len(vs)-1].Start)
	t := &trouble{From: vs[0].Start, To: vs[len(vs)-1].End, Pos: vs[0].Pos, Seconds: ran,
		Title:    fmt.Sprintf("sleep %s of their time and fill %s of the time there is", percent(slept/ran), percent(ran/during)),
		Effect:   ratio(ran, ran-slept),
		Evidence: places(vs, "s", func(v *dataset.Vacuum) float64 { return v.Elapsed.Seconds() }),
		N:        fmt.Sprintf("%d of %s of the table, %d with measured delay", len(vs), plural(len(all), "vacuum"), measured),
		Not:      []string{"more autovacuum workers: they share one cost limit", "lower thresholds: the next vacuum is due before this one is done already"},
		Verify:   "vacuums of " + r.Name + " take well below the time between them; from version 18 track_cost_delay_timing = on shows the delay in each line",
	}
	t.Summary = fmt.Sprintf("%s took %s of the %s from %s to %s, and slept %s of it: the next is due when one is done, and dead rows gather meanwhile. In force: %s, %s.",
		plural(len(vs), "vacuum"), span(ran), span(during), clock(t.From), clock(t.To), percent(slept/ran), x.Delay, x.Limit)
	t.Figures = []finding.Figure{
		{What: "asleep for cost", Value: slept / ran, Unit: "share", Limit: fmt.Sprintf(">= %g", p.limit("min_sleep")), Text: percent(slept / ran), Says: sleepSource(measured, len(vs))},
		{What: "under vacuum", Value: ran / during, Unit: "share", Limit: fmt.Sprintf(">= %g", p.limit("min_busy")), Text: percent(ran / during)},
		{What: "running time of one", Value: ran / float64(len(vs)), Unit: "s", Text: span(ran / float64(len(vs)))},
	}
	t.Equation, t.Event, t.Control = measured > 0 || x.Delay.Source != autovacuum.FromDefault, true, false
	t.Why = [3]string{yes(t.Equation, "the sleep is measured, or computed from the settings in force", "the settings in force are not in input: defaults are taken"),
		"the vacuum lines tell how long they ran", "missing: no vacuum of the table without the delay"}
	t.RuledOut = []finding.RuledOut{{Rival: "a slow disk", Verdict: finding.RuledOutVerdict, Figure: percent(1-slept/ran) + " of the time is left for reading and work"}}
	t.Actions = throttleActions(r, x, ran/during)
	return t
}

func sleepSource(measured, n int) string {
	if measured == n {
		return "measured"
	}
	return "computed from buffers, at least"
}

// throttleActions raise the limit so that vacuums fill a fifth of the time.
func throttleActions(r *dataset.Relation, x autovacuum.Throttle, busy float64) []finding.Action {
	limit := math.Min(10_000, math.Ceil(x.Limit.Value*busy/0.2/100)*100)
	read := limit / math.Max(1, x.Miss.Value) * 8192 / (math.Max(x.Delay.Value, 0.1) / 1000)
	return []finding.Action{{SQL: true, Do: fmt.Sprintf("alter table %s set (autovacuum_vacuum_cost_limit = %.0f);", r.SQL(), limit),
		Cost: fmt.Sprintf("vacuums of this table alone go %s as fast: up to %s/s read from disk; a table with its own limit takes no part in the sharing between workers", times(limit/x.Limit.Value), bytesText(read))}}
}
