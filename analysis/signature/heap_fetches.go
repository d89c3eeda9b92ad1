package signature

import (
	"fmt"
	"math"

	"github.com/pgassay/pgassay/analysis/autovacuum"
	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
)

// heapScan is the index-only scans of one statement on one table, with what the
// visits to the table cost.
type heapScan struct {
	autovacuum.Scan
	Typical, Worst float64 // heap fetches ÷ rows: median, and 95th percentile
	Effect         float64 // cost with the worst heap fetches ÷ without any: decay is judged at the worst point of its cycle
	By             string  // how Effect was found, for the reader
	AddedMS        float64 // per typical execution; NaN without durations
	TimeShare      float64 // of the observed server time
	LostShare      float64 // of the observed server time, what AddedMS adds up to; 0 if not known
}

// heapScans are the scans of every table by its name. Tables whose vacuums are
// held back are left out: there PGA205 tells why.
func heapScans(p *Pass) map[string][]*heapScan {
	held := heldVacuums(p)
	return shared(p, "heap scans", func(m *dataset.Model) map[string][]*heapScan {
		out := map[string][]*heapScan{}
		for _, r := range m.Relations {
			if anyHeld(r, held) {
				continue
			}
			for _, s := range autovacuum.Scans(m, r) {
				x := heapScanOf(m, s)
				if all := m.ServerTime().Milliseconds(); all > 0 && x.AddedMS > 0 {
					x.LostShare = x.AddedMS * float64(len(x.Readings)) / all
				}
				out[r.Name] = append(out[r.Name], x)
			}
		}
		return out
	})
}

// felt reports whether the visits to the table cost an execution floor ms, or in
// all floorShare of the server time; true where no durations tell.
func (x *heapScan) felt(floor, floorShare float64) bool {
	return !(x.AddedMS < floor) || x.LostShare >= floorShare
}

func anyHeld(r *dataset.Relation, held map[*dataset.Vacuum]bool) bool {
	for _, v := range r.Vacuums {
		if held[v] {
			return true
		}
	}
	return false
}

func heapScanOf(m *dataset.Model, s autovacuum.Scan) *heapScan {
	x := &heapScan{Scan: s, Typical: s.Share(0.5), Worst: s.Share(0.95), AddedMS: math.NaN(), TimeShare: timeShare(m, s.Statement, fromPlans)}
	var fetched, ms []float64
	for _, f := range s.Readings {
		if f.Exec.HasDuration {
			fetched, ms = append(fetched, f.Fetched), append(ms, f.Exec.Duration.Milliseconds())
		}
	}
	const minReadings, minSpread = 8, 0.2
	if len(ms) >= minReadings && x.Worst-s.Share(0.05) >= minSpread {
		if slope, base := stats.TheilSen(fetched, ms); slope > 0 {
			base = max(base, stats.Quantile(ms, 0.05)) // a time that was seen
			worst := base + slope*stats.Quantile(fetched, 0.95)
			x.Effect, x.By = worst/base, fmt.Sprintf("time with the worst heap fetches ÷ time without (fit over %d executions, not below the fastest twentieth)", len(ms))
			x.AddedMS = stats.Median(ms) - base
			return x
		}
	}
	x.byBuffers(stats.Median(ms))
	return x
}

// entriesPerPage is how few entries a leaf page of an index holds at least for
// the estimate of what an index-only scan reads without the table: entries of 80
// bytes.
const entriesPerPage = 100

// byBuffers takes the buffers beyond those of the index for visits to the table.
func (x *heapScan) byBuffers(ms float64) {
	last := x.Readings[len(x.Readings)-1]
	f := last.Exec.Figures
	if !f.HasBuffers {
		return
	}
	buffers := float64(f.Total.Shared())
	index := max(buffers-last.Fetched, 1+last.Rows/entriesPerPage)
	x.Effect, x.By = max(1, buffers/index), "buffers ÷ those of the index alone, at 80 bytes an entry or less"
	x.AddedMS = ms * (1 - 1/x.Effect)
}

// visits is the share of rows that need the table: the worst where it is far
// from the typical one.
func (x *heapScan) visits() string {
	const apart = 1.2
	if x.Worst > apart*x.Typical {
		return "up to " + percent(x.Worst)
	}
	return percent(x.Typical)
}

func (x *heapScan) figures() []finding.Figure {
	out := []finding.Figure{
		{What: "heap fetches ÷ rows of the index-only scans", Value: x.Typical, Unit: "share", Says: "typical",
			Text: fmt.Sprintf("%s (95th percentile %s)", percent(x.Typical), percent(x.Worst))},
		{What: "rows that a scan returns", Value: x.Rows(), Unit: "rows"},
	}
	if x.Effect > 0 {
		out = append(out, finding.Figure{What: x.By, Value: x.Effect, Unit: "x", Text: times(x.Effect)})
	}
	return out
}

// decayFigures set what was measured before vacuums beside what the writes
// explain.
func decayFigures(a *autovacuum.Advice) []finding.Figure {
	var out []finding.Figure
	for _, d := range a.Decays {
		f := finding.Figure{What: "not all-visible before a vacuum, by " + d.What, Value: d.Lost, Unit: "share",
			Text:  fmt.Sprintf("%s (median of %d cycles)", percent(d.Lost), d.Cycles),
			Limit: fmt.Sprintf("between %s and %s", percent(d.Low), percent(d.High)), Says: fmt.Sprintf("%d of %d inside", d.Between, d.Cycles)}
		out = append(out, f)
	}
	return out
}

// triggerFigures are the triggers of the next vacuum.
func triggerFigures(dues []autovacuum.Due) []finding.Figure {
	var out []finding.Figure
	for _, d := range dues {
		if d.Trigger != autovacuum.DeadRows && d.Trigger != autovacuum.InsertedRows {
			continue
		}
		f := finding.Figure{What: string(d.Trigger) + " since the last vacuum", Value: d.Now, Unit: "rows", Limit: d.Off, Text: num(d.Now)}
		if d.Limit.Known() {
			f.Limit, f.Says = "trigger at "+num(d.Value), dueText(d)
		}
		out = append(out, f)
	}
	return out
}

// dueText says when a trigger is reached.
func dueText(d autovacuum.Due) string {
	switch {
	case !d.Known():
		return "rate not known"
	case d.In == 0:
		return "due"
	case math.IsInf(d.In, 1):
		return "never at this rate"
	case d.Range.OK():
		return "in " + spanInterval(d.In, d.Range.Lo, d.Range.Hi)
	}
	return "in " + span(d.In)
}

// cycleNamed reports whether PGA201 tells of the vacuum cycle of r already: its
// advice is then the one.
func (p *Pass) cycleNamed(r *dataset.Relation) bool {
	for i := range p.Findings {
		if f := &p.Findings[i]; f.ID == vacuumSawtooth.ID && f.Subject.Relation == r.Name {
			return true
		}
	}
	return false
}

// tuned adds the settings that the arithmetic advises, or what it lacks.
func (p *Pass) tuned(f *finding.Finding, a *autovacuum.Advice) {
	switch {
	case a.Lacks != "":
		f.Notes = append(f.Notes, "The setting cannot be computed: "+a.Lacks+".")
		return
	case len(a.Set) == 0:
		return
	case p.cycleNamed(a.Relation):
		f.Actions = append(f.Actions, finding.Action{Do: "Set what " + vacuumSawtooth.ID + " advises for this table."})
	case !a.Helps():
		f.Actions = append(f.Actions, finding.Action{Do: "Keep the counts or sums that the query asks for in a table of their own, or read fewer of the rows that change: no vacuum setting of the table keeps up with their changes."})
	default:
		f.Actions = append(f.Actions, finding.Action{SQL: true, Do: a.SQL(), Cost: fmt.Sprintf(
			"a vacuum about every %s instead of every %s, each %s; takes a SHARE UPDATE EXCLUSIVE lock for a moment",
			span(a.Then.Period), span(a.Now.Period), passCost(a))})
	}
	f.Notes = append(f.Notes, expectedText(a), a.Knob.Why()+" "+a.Knob.Other(), "Set now: "+settingsNow(a)+".")
	if a.Limits.Note != "" {
		f.Notes = append(f.Notes, "Limits rest on "+a.Limits.Note+".")
	}
}

func expectedText(a *autovacuum.Advice) string {
	now := fmt.Sprintf("now %s to %s", percent(a.Now.Low), percent(a.Now.High))
	if !a.Reachable {
		return fmt.Sprintf("%s cannot be kept by a setting of this table: it is touched too often. Expected at best: %s to %s, %s.",
			percent(a.Tolerated), percent(a.Then.Low), percent(a.Then.High), now)
	}
	return fmt.Sprintf("Expected just before a vacuum: %s to %s of the rows need the table, %s.", percent(a.Then.Low), percent(a.Then.High), now)
}
