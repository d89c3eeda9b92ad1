package signature

import (
	"slices"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
)

var vacuumSawtooth = &Signature{
	ID: "PGA201", Name: "vacuum-sawtooth", Max: finding.Critical,
	Felt: "A query is fast at times and slow at others, in a rhythm of its own",
	What: "A query gets slower until each vacuum of its table and recovers after it.",
	Why: "An index-only scan needs no table page that the visibility map marks all-visible. Deletes, updates and inserts clear the marks, a vacuum sets them again. " +
		"Between two vacuums the scan visits the table for ever more rows, with the same plan.",
	Fix:    "Vacuum this table more often: lower autovacuum_vacuum_scale_factor and autovacuum_vacuum_insert_scale_factor of this table, not of the cluster.",
	Verify: "The last readings before a vacuum come down to the tolerated share of heap fetches.",
	Needs:  []Need{needHeap, needVacuum, needSeries},
	Silent: []string{"vacuums that are held back (PGA205)", "a LIMIT or minimum that steps over dead entries (PGA108)", "a tuned table whose worst point is low", "scans of a few rows"},
	Thresholds: []Threshold{
		{"min_cycles", 3, "cycles", "complete cycles with readings"},
		{"min_rising", 0.75, "of cycles", "that must rise inside"},
		{"min_resets", 0.75, "of cycles", "that must begin at half of the reading before the vacuum, or less"},
		{"min_effect", 1.5, "x", "last reading ÷ first reading of a cycle"},
		{"tolerated_share", 0.10, "of rows", "heap fetches that are tolerated at the worst point"},
		{"min_rows", 100, "rows", "of the index-only scan; below it the scan is too small to matter"},
		{"max_p", 0.05, "", "of the sign test over cycles where there are six or more"},
		{"floor_ms", 1, "ms", "added time per execution below which the finding stays info"},
	},
	Detect: detectVacuumSawtooth,
}

func detectVacuumSawtooth(p *Pass) {
	readable, vacuumed := false, false
	for _, s := range p.Model.Statements {
		readable = readable || len(s.Executions) > 0
	}
	for _, r := range p.Model.Relations {
		vacuumed = vacuumed || len(r.Vacuums) > 0 || len(r.Points) > 1
	}
	switch {
	case !readable:
		p.Lacks("no executions over time in input", "a log with auto_explain plans, or with all durations")
		return
	case !vacuumed:
		p.Lacks("no vacuums in input", "log_autovacuum_min_duration = 0, or snapshots of pg_stat_user_tables with captured_at")
		return
	}
	held := heldVacuums(p)
	for _, w := range findSawtooths(p.Model, int(p.limit("min_cycles")), func(v *dataset.Vacuum) bool { return held[v] }) {
		if p.isSawtooth(w) && !p.deadEntriesNamed(w) {
			p.Report(w.finding(p), w.Held > 0 || w.Cost.worstMS-w.Cost.freshMS < p.limit("floor_ms"))
		}
	}
}

// deadEntriesNamed reports whether PGA108 names what the vacuums take away: then
// it has the advice.
func (p *Pass) deadEntriesNamed(w *sawtooth) bool {
	return slices.ContainsFunc(p.Findings, func(f finding.Finding) bool {
		return f.ID == deadEntryWalk.ID && f.Subject.Relation == w.Relation.Name && f.Subject.Fingerprint == w.Statement.Fingerprint
	})
}

func (p *Pass) isSawtooth(w *sawtooth) bool {
	n := float64(len(w.Cycles))
	switch {
	case float64(w.rising()) < p.limit("min_rising")*n:
	case w.Judged == 0 || !p.resets(w):
	case w.Worst < p.limit("min_effect")*w.Fresh:
	case len(w.Cycles) >= 6 && !(w.P < p.limit("max_p")):
	case w.Metric.heap && w.Rows < p.limit("min_rows"):
	case w.Metric.heap && w.Worst < p.limit("tolerated_share")*w.Rows:
	default:
		return true
	}
	return false
}

// resets reports whether the vacuums bring the metric down. Where the first
// reading of a cycle comes late, it may have risen past half again: then at
// least nine of ten openings of six cycles or more must lie lower than the
// reading before them, and the finding is possible at most.
func (p *Pass) resets(w *sawtooth) bool {
	if float64(w.Resets) >= p.limit("min_resets")*float64(w.Judged) {
		return true
	}
	w.Sparse = len(w.Cycles) >= 6 && 10*w.Falls >= 9*w.Judged
	return w.Sparse
}
