package signature

import (
	"math"

	"github.com/pgassay/pgassay/analysis/autovacuum"
	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
)

var vacuumThreshold = &Signature{
	ID: "PGA203", Name: "vacuum-threshold-too-large", Max: finding.Warning,
	Felt: "A query is slow for most of the time between two vacuums",
	What: "The next vacuum of a table comes far later than its queries need it.",
	Why: "Autovacuum waits for a share of the table: by default a fifth of the rows dead, or a fifth inserted. On a large table that is weeks or months, " +
		"while the queries read the newest month, or pages that a small part of those writes has touched.",
	Fix:    "Lower the trigger that the writes of this table move, for this table: that of inserted rows where nearly all writes are inserts, else that of dead rows.",
	Verify: "The vacuums come at the predicted period, and heap fetches stay within what is tolerated just before each.",
	Needs:  []Need{needSeries, needSnapshot},
	Silent: []string{"a table whose settings keep its map good", "deletes and updates that bring the vacuum in time", "vacuums that are held back (PGA205)", "a table that no query feels", "a table whose rows change faster than any vacuum comes (PGA202 tells)"},
	Thresholds: []Threshold{
		{"felt_share", 0.05, "of rows", "heap fetches from which queries feel the decay"},
		{"tolerated_share", 0.10, "of rows", "heap fetches that the advised setting keeps"},
		{"late", 2, "x", "time to the trigger ÷ time within which the share is tolerated"},
		{"long_days", 30, "days", "since the last vacuum and to the next, from which a table counts as stuck below its trigger"},
		{"min_dead", 100_000, "rows", "dead, of a stuck table"},
		{"min_dead_share", 0.05, "of live rows", "dead, of a stuck table"},
		{"min_inside", 0.75, "of cycles", "in which the decay must lie between its bounds to count as explained"},
		{"floor_ms", 1, "ms", "added time per execution below which nothing is said, or info if it adds up to floor_share"},
		{"floor_share", 0.01, "of server time", "added in all, however short the single execution"},
	},
	Detect: detectVacuumThreshold,
}

func detectVacuumThreshold(p *Pass) {
	judged := false
	scans, held := heapScans(p), heldVacuums(p)
	for _, r := range p.Model.Relations {
		a := autovacuum.Advise(p.Model, r, p.limit("tolerated_share"))
		if a.Lacks != "" {
			continue
		}
		judged = true
		if a.HeldBack > 0 || anyHeld(r, held) {
			continue
		}
		if x := feltMost(scans[r.Name]); x != nil && x.Typical >= p.limit("felt_share") && x.felt(p.limit("floor_ms"), p.limit("floor_share")) && p.late(a) {
			p.Report(lateFinding(p, x, a), !(x.AddedMS >= p.limit("floor_ms")))
		} else if d, ok := p.stuck(r, a); ok && x == nil {
			p.Report(stuckFinding(p, r, a, d), true)
		}
	}
	if !judged {
		p.Lacks("no rates of dead and inserted rows of a table with reltuples in input",
			"two snapshots of pg_stat_user_tables joined with pg_class (relpages, reltuples, reloptions), with captured_at, and pg_settings")
	}
}

// feltMost is the scan with most heap fetches ÷ rows that has more than a
// negligible share; nil if there is none.
func feltMost(scans []*heapScan) *heapScan {
	var best *heapScan
	for _, x := range scans {
		if best == nil || x.TimeShare*x.Typical > best.TimeShare*best.Typical {
			best = x
		}
	}
	return best
}

// late reports whether the trigger is reached long after the share is no longer
// tolerated, and something can be set against it that helps.
func (p *Pass) late(a *autovacuum.Advice) bool {
	within := a.Workload.Within(a.Tolerated)
	return len(a.Set) > 0 && a.Helps() && a.Now.Seconds > p.limit("late")*math.Max(within, a.Naptime.Value)
}

// stuck finds a table with many dead rows that was not vacuumed for long and
// will not be for long: nearest is the trigger that comes first.
func (p *Pass) stuck(r *dataset.Relation, a *autovacuum.Advice) (nearest autovacuum.Due, ok bool) {
	last, n := vacuumedAt(r), len(r.Points)
	if !last.Known() || n == 0 {
		return nearest, false
	}
	x := &r.Points[n-1]
	const day = 86400
	nearest, ok = autovacuum.Next(a.Dues[:2])
	return nearest, ok && x.Time.Known() && x.Time.Sub(last).Seconds() >= p.limit("long_days")*day && nearest.In >= p.limit("long_days")*day &&
		float64(x.DeadTup.N) >= math.Max(p.limit("min_dead"), p.limit("min_dead_share")*float64(x.LiveTup.N))
}
