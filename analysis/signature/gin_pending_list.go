package signature

import (
	"math"
	"regexp"
	"slices"
	"sort"
	"strconv"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

var ginPendingList = &Signature{
	ID: "PGA109", Name: "gin-pending-list", Max: finding.Warning,
	Felt: "A search slows down as rows are written, and is fast again for no visible reason",
	What: "Every search through a GIN index also reads the index's pending list, which grows with the rows written and is emptied by vacuum or when it is full.",
	Why: "With fastupdate = on, the default, a write appends its entries to a list instead of the tree. Each scan reads the whole list, page by page, beside the tree. " +
		"VACUUM, autovacuum's ANALYZE, gin_clean_pending_list() or the write that finds the list larger than gin_pending_list_limit (4 MB by default) moves the entries to the tree.",
	Fix:    "A smaller gin_pending_list_limit for this index, earlier vacuums of the table, or fastupdate = off where searches matter more than writes.",
	Verify: "The buffers of the Bitmap Index Scan stay near their value right after a vacuum.",
	Needs:  []Need{needPlans, {"S", "pg_stat_user_tables over time, and indexes with their definition or access method"}},
	Silent: []string{"fastupdate = off", "an index that costs more since more rows match", "searches whose cost varies with what is searched for", "a list that stays short", "buffers beyond what gin_pending_list_limit allows"},
	Thresholds: []Threshold{
		{"min_pages", 50, "pages", "the list when it is longest"},
		{"min_r", 0.9, "", "correlation of the index's buffers with the rows written since the last cleanup"},
		{"min_partial_r", 0.8, "", "the same at equal matches and concurrency"},
		{"min_resets", 2, "resets", "falls of the buffers to their start"},
		{"max_over_limit", 1.25, "x", "the list ÷ gin_pending_list_limit: beyond it the cause is another"},
		{"tolerated", 0.5, "x", "the list ÷ what the statement reads without it; the advice keeps to it, or to min_pages"},
	},
	Detect: detectGINPendingList,
}

func detectGINPendingList(p *Pass) {
	list, told := ginIndexes(p.Model)
	counted := false
	for _, x := range list {
		written := writtenRows(x.Relation)
		counted = counted || len(written) > 2
		if l := p.worstPendingList(x, written); l != nil {
			p.Report(l.finding(p), false)
		}
	}
	measured := func(e *dataset.Execution) bool { return e.Figures0().HasBuffers }
	switch {
	case !told:
		p.Lacks("no access method of an index in input", "pg_indexes or pg_stat_user_indexes with indexdef")
	case len(list) == 0:
	case !slices.ContainsFunc(p.Model.Executions, measured):
		p.Lacks("no plans with buffers in input", needPlans.Doc)
	case !counted:
		p.Lacks("no table snapshots with n_tup_ins and n_tup_upd over time in input", "pg_stat_user_tables with captured_at, again and again")
	}
}

// ginIndexes are those that may have a pending list; told says that the method
// of any index is known.
func ginIndexes(m *dataset.Model) (list []*dataset.Index, told bool) {
	for _, r := range m.Relations {
		for _, x := range r.Indexes {
			told = told || methodOf(x) != ""
			if methodOf(x) == "gin" && !fastUpdateOff.MatchString(x.Definition) {
				list = append(list, x)
			}
		}
	}
	return list, told
}

// fastUpdateOff and pendingLimit find storage parameters in what
// pg_get_indexdef prints, with or without quotes.
var (
	fastUpdateOff = regexp.MustCompile(`(?i)\bfastupdate\s*=\s*'?(off|false|no|0)\b`)
	pendingLimit  = regexp.MustCompile(`(?i)\bgin_pending_list_limit\s*=\s*'?(\d{1,9})\b`)
)

// writtenRows is n_tup_ins + n_tup_upd over time, counted from the first
// capture; empty where the counters do not go on.
func writtenRows(r *dataset.Relation) []dataset.Reading {
	var out []dataset.Reading
	for i := range r.Points {
		t := &r.Points[i]
		if !t.Time.Known() || !t.Ins.Known || !t.Upd.Known {
			continue
		}
		if t.Broken && len(out) > 0 {
			return nil
		}
		out = append(out, dataset.Reading{Time: t.Time, Pages: float64(t.Ins.N + t.Upd.N), Pos: t.Pos})
	}
	return out
}

// listReading is what one execution read of the index, for each scan of it.
type listReading struct {
	exec         *dataset.Execution
	pages, rows  float64
	other        float64 // buffers of the statement beside the index
	since, total float64 // rows written since the last reset, and in all
}

// listReset is a fall of the pages to their start.
type listReset struct {
	last, first *listReading    // before and after it
	event       *dataset.Vacuum // nil: the list was full, or cleaned by hand
}

// pendingList is a GIN index whose scans follow the rows written.
type pendingList struct {
	Index     *dataset.Index
	Statement *dataset.Statement
	Readings  []listReading
	Resets    []listReset
	Line      stats.Line // pages against rows since the reset
	R         float64
	Partial   float64 // with matches and concurrency held; NaN if they cannot be told apart
	Worst     float64 // median of the readings before resets
	Limit     float64 // pages
	LimitFrom string
}

// list is how long the list was when it was longest.
func (l *pendingList) list() float64 { return l.Worst - l.fresh() }

// fresh is what a scan reads without a list.
func (l *pendingList) fresh() float64 { return max(1, l.Line.Intercept) }

// worstPendingList is that of the statement which lost most buffers to it.
func (p *Pass) worstPendingList(x *dataset.Index, written []dataset.Reading) *pendingList {
	var best *pendingList
	lost := func(l *pendingList) float64 { return l.list() * float64(len(l.Readings)) }
	for _, s := range p.Model.Statements {
		l := &pendingList{Index: x, Statement: s, Readings: listReadings(s, x, written)}
		if l.measure(p) && (best == nil || lost(l) > lost(best)) {
			best = l
		}
	}
	return best
}

// listReadings are the executions whose plan has one Bitmap Index Scan, which is
// on x, outside the cleanups themselves.
func listReadings(s *dataset.Statement, x *dataset.Index, written []dataset.Reading) []listReading {
	on := map[uint64]bool{}
	for i := range s.Shapes {
		on[s.Shapes[i].ID] = onlyBitmapOn(s.Shapes[i].First.Plan, x)
	}
	var out []listReading
	for _, e := range s.Executions {
		f := e.Figures0()
		if !f.HasBitmap || !f.HasBuffers || !on[f.Shape] || !e.Start.Known() {
			continue
		}
		total, ok := dataset.Interpolate(written, e.Start)
		if !ok || slices.ContainsFunc(cleanups(x.Relation), func(v *dataset.Vacuum) bool { return v.Start <= e.Time && e.Start <= v.End }) {
			continue
		}
		scans := float64(f.BitmapScans)
		out = append(out, listReading{exec: e, pages: float64(f.BitmapBuffers) / scans, rows: f.BitmapRows.Float() / scans,
			other: float64(f.Total.Shared() - f.BitmapBuffers), total: total})
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].exec.Start < out[j].exec.Start })
	return out
}

func onlyBitmapOn(plan *record.Plan, x *dataset.Index) bool {
	if plan == nil {
		return false
	}
	found := 0
	for i := range plan.Nodes {
		if n := &plan.Nodes[i]; n.NodeType == "Bitmap Index Scan" {
			if n.IndexName != x.Index {
				return false
			}
			found++
		}
	}
	return found == 1
}

// cleanups are what empties the pending lists of a table: its vacuums, and the
// analyzes of autovacuum (ginvacuumcleanup; a manual ANALYZE does not).
func cleanups(r *dataset.Relation) []*dataset.Vacuum {
	out := slices.Clone(r.Vacuums)
	for _, v := range r.Analyzes {
		if v.Auto {
			out = append(out, v)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].End < out[j].End })
	return out
}

// minListReadings is how many readings the whole claim needs.
const minListReadings = 30

// measure fits the readings and reports whether they follow a pending list.
func (l *pendingList) measure(p *Pass) bool {
	if len(l.Readings) < minListReadings {
		return false
	}
	l.split(p.limit("min_pages"))
	if float64(len(l.Resets)) < p.limit("min_resets") {
		return false
	}
	kept := l.Readings[l.settled():]
	since, pages, rows, load := make([]float64, len(kept)), make([]float64, len(kept)), make([]float64, len(kept)), make([]float64, len(kept))
	for i := range kept {
		since[i], pages[i], rows[i], load[i] = kept[i].since, kept[i].pages, kept[i].rows, float64(kept[i].exec.Concurrency)
	}
	l.Line.Slope, l.Line.Intercept = stats.TheilSen(since, pages)
	l.R, l.Partial = stats.Pearson(since, pages).R, stats.PartialCorrelation(since, pages, rows, load).R
	var worst []float64
	for _, r := range l.Resets {
		worst = append(worst, r.last.pages)
	}
	l.Worst = stats.Median(worst)
	l.Limit, l.LimitFrom = pendingPages(p.Model, l.Index)
	return l.R >= p.limit("min_r") && l.Partial >= p.limit("min_partial_r") && l.Line.Slope > 0 &&
		l.list() >= p.limit("min_pages") && slices.Max(pages)-l.fresh() <= p.limit("max_over_limit")*l.Limit
}

// split finds the resets and counts the rows written since each. A reset takes
// at least half of what the pages stand above their low, and least pages.
func (l *pendingList) split(least float64) {
	pages := make([]float64, len(l.Readings))
	for i := range l.Readings {
		pages[i] = l.Readings[i].pages
	}
	low := stats.Quantile(pages, 0.05)
	events := cleanups(l.Index.Relation)
	from := l.Readings[0].total
	for i := range l.Readings {
		x := &l.Readings[i]
		if i > 0 {
			prev := &l.Readings[i-1]
			if fall := prev.pages - x.pages; fall >= least && fall >= (prev.pages-low)/2 {
				r := listReset{last: prev, first: x}
				k := slices.IndexFunc(events, func(v *dataset.Vacuum) bool { return v.End >= prev.exec.Start && v.Start <= x.exec.Time })
				if k >= 0 {
					r.event = events[k]
				}
				l.Resets = append(l.Resets, r)
				from = x.total
			}
		}
		x.since = x.total - from
	}
}

// settled is the first reading after the first reset: the list's length before
// that is not known.
func (l *pendingList) settled() int {
	for i := range l.Readings {
		if &l.Readings[i] == l.Resets[0].first {
			return i
		}
	}
	return 0
}

// pendingPages is the limit of the list in pages: of the index, of the server, or
// PostgreSQL's default.
func pendingPages(m *dataset.Model, x *dataset.Index) (pages float64, from string) {
	kb, from := 4096.0, "PostgreSQL's default"
	if s, ok := m.Setting("gin_pending_list_limit"); ok {
		if v, ok := kilobytes(s.Value); ok {
			kb, from = v, "setting of the server"
		}
	}
	if found := pendingLimit.FindStringSubmatch(x.Definition); found != nil {
		kb, _ = strconv.ParseFloat(found[1], 64)
		from = "option of the index"
	}
	return math.Ceil(kb * 1024 / float64(m.BlockSize)), from
}

// byEvent counts the resets at a vacuum or analyze of the table.
func (l *pendingList) byEvent() int {
	n := 0
	for _, r := range l.Resets {
		if r.event != nil {
			n++
		}
	}
	return n
}
