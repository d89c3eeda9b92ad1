package autovacuum

import "math"

// Expected is the share of the rows read that the counters of the last capture
// explain to lie on pages not all-visible; NaN if they do not tell. Where nearly
// all writes are inserts, low is for a query that reads old and new rows alike,
// high for one that reads the newest.
func (a *Advice) Expected() (low, high float64) {
	p := latest(a.Relation)
	if p == nil || !p.DeadTup.Known || !p.LiveTup.Known || !(a.Workload.Pages >= 1) {
		return math.NaN(), math.NaN()
	}
	live, dead, inserted := float64(max(1, p.LiveTup.N)), float64(p.DeadTup.N), float64(p.InsSinceVacuum.N)
	lost := func(touches float64) float64 { return 1 - Visible(a.Workload.Visible, a.Workload.Pages, touches) }
	if !a.insertOnly() {
		return lost(dead), lost(dead + inserted)
	}
	low, high = min(1, inserted/live), min(1, inserted/live)
	if a.Scan != nil {
		high = max(high, min(1, inserted/a.Scan.Rows()))
	}
	old := lost(dead)
	return low + (1-low)*old, high + (1-high)*old
}
