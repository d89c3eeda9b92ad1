package signature

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
)

func sortPoints(p []finding.Point) {
	sort.SliceStable(p, func(i, j int) bool { return p[i].X < p[j].X })
}

// cadence is how often the table must be vacuumed, worked out from its own
// cycles.
type cadence struct {
	target  float64 // of the metric at the worst point
	seconds float64 // after a vacuum at which the target is reached
	dead    float64 // rows that die in that time
	inserts float64 // rows inserted in that time
}

// cadenceOf reads from the folded cycles when half of the rise is reached, and
// from n_tup_del, n_tup_upd and n_tup_ins how many rows that takes. Zero rates
// mean that the input does not tell.
func (w *sawtooth) cadenceOf() cadence {
	c := cadence{target: (w.Fresh + w.Worst) / 2}
	var reached []float64
	for _, cy := range w.Cycles {
		for _, p := range cy.Points {
			if p.y >= c.target {
				reached = append(reached, p.exec.Start.Sub(cy.From.End).Seconds())
				break
			}
		}
	}
	c.seconds = stats.Median(reached)
	dead, inserts := w.writeRates()
	c.dead, c.inserts = dead*c.seconds, inserts*c.seconds
	return c
}

// writeRates are the rows that died and that were inserted per second between
// the first and the last vacuum: a load before the cycles is none of theirs.
// They are 0 if the captures do not tell.
func (w *sawtooth) writeRates() (dead, inserts float64) {
	from, to := w.Cycles[0].From.End, w.Cycles[len(w.Cycles)-1].To.Start
	within := func(deltas []dataset.Delta) (n, seconds float64) {
		for _, d := range deltas {
			if d.From >= from && d.To <= to {
				n, seconds = n+float64(d.N), seconds+d.To.Sub(d.From).Seconds()
			}
		}
		return n, seconds
	}
	deleted, s := within(w.Relation.Deleted())
	updated, _ := within(w.Relation.Updated())
	inserted, _ := within(w.Relation.Inserted())
	if s == 0 {
		return 0, 0
	}
	return (deleted + updated) / s, inserted / s
}

func (w *sawtooth) remedy(p *Pass, f *finding.Finding) {
	if w.Held > 0 {
		f.Actions = []finding.Action{{Do: "First end what holds vacuum back (PGA205), then collect again: the cycles outside that time are too few to tune by."}}
		f.Verify = []string{"no vacuum of the table leaves dead rows that are not yet removable"}
		return
	}
	c := w.cadenceOf()
	name := quote(w.Relation.Name)
	if c.dead >= 1 {
		dead, ins := roundDown(c.dead), roundDown(math.Max(c.inserts, c.dead))
		f.Actions = append(f.Actions, finding.Action{SQL: true,
			Do: fmt.Sprintf("ALTER TABLE %s SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = %s, "+
				"autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = %s);", name, dead, ins),
			Cost: fmt.Sprintf("a vacuum about every %s instead of every %s, each %s; takes a SHARE UPDATE EXCLUSIVE lock for a moment",
				span(c.seconds), span(w.Period), w.passCost())})
		f.Notes = append(f.Notes, fmt.Sprintf("Worked out: half of the rise (%s %s) is reached %s after a vacuum, in which %s rows die and %s are inserted. Set now: %s.",
			num(c.target), w.Metric.unit, span(c.seconds), num(c.dead), num(c.inserts), w.reloptions(p.Model)))
	} else {
		f.Actions = append(f.Actions, finding.Action{
			Do: fmt.Sprintf("Vacuum %s every %s instead of every %s, through autovacuum_vacuum_threshold and autovacuum_vacuum_scale_factor of this table: half of the rise is reached by then. "+
				"Snapshots of pg_stat_user_tables would tell the number of rows to set.", name, span(c.seconds), span(w.Period))})
	}
	f.WillNotHelp = []string{"another index: the plan is the right one", "VACUUM FULL: the decay begins anew", "cluster-wide autovacuum settings: only this table needs them",
		"judging by the readings right after a vacuum"}
	f.Verify = []string{
		fmt.Sprintf("the readings just before a vacuum stay below %s %s", num(c.target), w.Metric.unit),
		fmt.Sprintf("select relname, reloptions from pg_class where oid = '%s'::regclass;", strings.ReplaceAll(name, "'", "''")),
	}
}

// roundDown keeps two digits, downwards.
func roundDown(v float64) string {
	unit := math.Pow(10, math.Max(0, math.Floor(math.Log10(v))-1))
	return strconv.FormatFloat(math.Max(1, math.Floor(v/unit)*unit), 'f', 0, 64)
}

// passCost is what one vacuum of the relation costs, from its lines.
func (w *sawtooth) passCost() string {
	var elapsed, buffers []float64
	for _, v := range w.Relation.Vacuums {
		if v.FromLog && v.HasElapsed && v.BufferHits.Known {
			elapsed = append(elapsed, v.Elapsed.Seconds())
			buffers = append(buffers, float64(v.BufferHits.N+v.BufferMisses.N))
		}
	}
	if len(elapsed) == 0 {
		return "at the cost of one pass over table and indexes"
	}
	return fmt.Sprintf("%s and %s buffers (median of %d)", span(stats.Median(elapsed)), num(stats.Median(buffers)), len(elapsed))
}

// reloptions are the table's options, or the defaults in force.
func (w *sawtooth) reloptions(m *dataset.Model) string {
	for i := len(w.Relation.Points) - 1; i >= 0; i-- {
		if o := w.Relation.Points[i].Reloptions; o != "" && o != "{}" && o != "[]" {
			return o
		}
	}
	var parts []string
	for _, name := range []string{"autovacuum_vacuum_threshold", "autovacuum_vacuum_scale_factor", "autovacuum_vacuum_insert_threshold", "autovacuum_vacuum_insert_scale_factor"} {
		if s, ok := m.Setting(name); ok {
			parts = append(parts, name+"="+s.Value)
		}
	}
	if len(parts) == 0 {
		return "not known"
	}
	return strings.Join(parts, ", ") + " (of the server)"
}
