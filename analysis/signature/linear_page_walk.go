package signature

import (
	"fmt"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
)

var linearPageWalk = &Signature{
	ID: "PGA101", Name: "linear-page-walk", Max: finding.Critical,
	Felt: "Inserts get slower with every row, whatever the load",
	What: "Each inserted row reads an index page by page, so that its cost grows by one buffer for every page the index gains.",
	Why: "pgvector's HNSW remembers one page from which it looks for room. A vacuum that removes elements sets it back to the first freed slot. " +
		"If new elements are larger than the freed ones (sparsevec of varying length), no slot fits, and every insert walks the chain of pages from there to the end. " +
		"The walk is CPU time while the index is cached, and buffer waits when it is not.",
	Fix: "REINDEX INDEX CONCURRENTLY rebuilds the index without holes. The next vacuum that cleans the index brings the walk back, " +
		"so keep deletes away from the table, or rebuild after each such vacuum, or use fixed-size vectors.",
	Verify: "After the rebuild buffers per inserted row are back at the baseline and do not follow the index's pages.",
	Needs:  []Need{needPlans, needSeries, needVacuum},
	Silent: []string{"fixed-size vectors", "vacuums that clean no index", "slow but flat HNSW inserts", "an expensive SELECT that feeds the INSERT"},
	Thresholds: []Threshold{
		{"slope_min", 0.8, "buffers/page", "lower end of the band that the slope's 95 % interval must lie in after the event"},
		{"slope_max", 1.2, "buffers/page", "upper end of that band"},
		{"quiet_slope", 0.2, "buffers/page", "half width of the band around 0 that it must lie in before the event"},
		{"min_readings", 8, "readings", "independent readings of the index size on either side of the event"},
		{"min_step", 1.2, "x", "cost per row at the end ÷ baseline"},
		{"level_tolerance", 0.1, "of the cost", "by which baseline + pages may miss the cost"},
		{"min_walking_share", 0.05, "of executions", "that must walk where rows of several sizes are mixed"},
		{"max_lag", 72, "hours", "after a vacuum within which the walk that it began may show: it waits until the rows that fit have filled the freed slots"},
		{"step_min", 0.8, "x", "without snapshots: plateau − baseline ÷ pages in the vacuum line, lower end"},
		{"step_max", 1.2, "x", "upper end"},
		{"transcript_min", 0.95, "x", "in a psql transcript: cost after the vacuum − baseline ÷ pages, lower end"},
		{"transcript_max", 1.05, "x", "upper end"},
		{"transcript_plans", 2, "plans", "of one content after the vacuum that a transcript must show"},
		{"floor_buffers", 200, "buffers/row", "added cost below which the finding stays info"},
	},
	Detect: detectLinearPageWalk,
}

func detectLinearPageWalk(p *Pass) {
	lim := walkLimitsOf(p.limits(p.now))
	walks := walksOf(p, lim)
	transcripts := transcriptWalksOf(p, p.limits(p.now))
	reportTranscripts(p, transcripts)
	if !p.canWalk(transcripts) {
		return
	}
	for _, w := range latestOf(walks, func(*walk) bool { return true }) {
		p.Report(w.finding(p), w.Now-w.Baseline < p.limit("floor_buffers"))
	}
	if len(walks) > 0 {
		return
	}
	steps := findSteps(p.Model, p.limit("step_min"), p.limit("step_max"), lim)
	for _, w := range steps {
		p.Report(w.finding(p), w.Plateau-w.Baseline < p.limit("floor_buffers"))
	}
	if len(steps) == 0 && tooThin(p.Model, lim) {
		p.Lacks(fmt.Sprintf("only few readings of an index size beside the cost of its writes in input (at least %d on either side of a vacuum)", lim.minReadings),
			"more snapshots of pg_stat_user_indexes with pg_relation_size and captured_at")
	}
}

// tooThin reports that an index could walk, but that no write on its table has
// readings enough to tell.
func tooThin(m *dataset.Model, lim walkLimits) bool {
	could := false
	for _, s := range m.Statements {
		if s.Target == nil || s.Command != "INSERT" && s.Command != "UPDATE" && s.Command != "MERGE" {
			continue
		}
		plans, diffs := planCosts(s), diffCosts(s)
		if len(plans)+len(diffs) == 0 {
			continue
		}
		for _, x := range s.TargetIndexes() {
			if treeMethods[x.AccessMethod] || x.AccessMethod == "" {
				continue
			}
			could = true
			if len(pool(plans, x.History)) >= 2*lim.minReadings || len(pool(diffs, x.History)) >= 2*lim.minReadings {
				return false
			}
		}
	}
	return could
}

// latestOf keeps of the walks of one statement on one index, which come in
// order of time, the last that is wanted.
func latestOf(walks []*walk, wanted func(*walk) bool) []*walk {
	var out []*walk
	for _, w := range walks {
		if !wanted(w) {
			continue
		}
		if n := len(out); n > 0 && out[n-1].Statement == w.Statement && out[n-1].Index == w.Index {
			out[n-1] = w
			continue
		}
		out = append(out, w)
	}
	return out
}

// canWalk reports whether the input holds what the walk is measured by, and
// says what is missing if not.
func (p *Pass) canWalk(transcripts *transcriptWalks) bool {
	plans, diffs, sizes := false, false, false
	for _, s := range p.Model.Statements {
		plans = plans || len(planCosts(s)) > 0
		diffs = diffs || len(s.Diffs) > 0
		if s.Target == nil {
			continue
		}
		for _, x := range s.TargetIndexes() {
			sizes = sizes || len(x.History) > 0
		}
	}
	switch lacks, add := transcripts.lacks(); {
	case transcripts.evaluated:
		return true
	case !plans && !diffs && lacks != "":
		p.Lacks(lacks, add)
	case !plans && !diffs && len(p.Model.Executions) == 0:
		p.Lacks("no statements in input", "a log with auto_explain plans, or snapshots of pg_stat_statements")
	case !plans && !diffs && !p.anyPlan():
		p.Lacks("no plans with buffers and no two snapshots of pg_stat_statements in input",
			"auto_explain.log_analyze, log_buffers and log_nested_statements, or pg_stat_statements with captured_at")
	case !sizes && p.writes():
		p.Lacks("no index sizes in input", "pg_stat_user_indexes with pg_relation_size and captured_at, or log_autovacuum_min_duration = 0")
	default:
		return true
	}
	return false
}

func (p *Pass) anyPlan() bool { return p.Model.Logging.Plans > 0 }

func (p *Pass) writes() bool {
	for _, s := range p.Model.Statements {
		if s.Command == "INSERT" && (len(s.Executions) > 0 || len(s.Diffs) > 0) {
			return true
		}
	}
	return false
}

// walksOf is shared by 101 and 102; the limits are 101's.
func walksOf(p *Pass, lim walkLimits) []*walk {
	if v, ok := p.cache["walks"]; ok {
		return v.([]*walk)
	}
	w := findWalks(p.Model, happenings(p), lim)
	p.cache["walks"] = w
	return w
}
