package signature

import (
	"math"
	"sort"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

var indexBloat = &Signature{
	ID: "PGA208", Name: "index-bloat", Max: finding.Warning,
	Felt: "An index takes more disk and memory than its rows need, and scans of it read more",
	What: "A b-tree index takes far more bytes per live row than it did since its last rebuild, because deletes and updates left its pages partly empty.",
	Why: "Vacuum removes index entries but gives a b-tree page back only when it is empty, and then for reuse inside the index. New keys at the right end " +
		"(serial ids, timestamps) never fill the gaps, so that the index grows while the rows do not. Every scan, the cache and each vacuum pay for the pages. " +
		"Measured against the index's own minimum, never by a catalog estimate; never more than deletes and non-HOT updates have freed since. " +
		"GIN, BRIN, HNSW and other methods reuse space differently and are not judged here.",
	Fix:    "REINDEX INDEX CONCURRENTLY, one index at a time. Vacuum will not shrink it.",
	Verify: "After the rebuild pg_relation_size is near the estimate, indisvalid is true, and bytes per row stay near the minimum for as long as they did before.",
	Needs:  []Need{needSeries},
	Silent: []string{
		"live rows or row width grew: no more is claimed than deletes and updates have freed",
		"a relation whose vacuums are held back (205)",
		"methods other than b-tree; invalid indexes (210)",
		"a partial index without reltuples of its own",
		"deduplicated and NULL-heavy indexes, as far as their own minimum tells",
	},
	Thresholds: []Threshold{
		{"min_ratio", 1.5, "x", "size ÷ estimated size after a rebuild; random inserts alone settle near 1.3 (90 % full to 69 %)"},
		{"min_waste", 1 << 20, "bytes", "waste below which nothing is said (128 pages)"},
		{"floor_waste", 100 << 20, "bytes", "waste below which the finding stays info"},
		{"min_readings", 5, "readings", "sizes since the last rebuild"},
	},
	Detect: detectIndexBloat,
}

func detectIndexBloat(p *Pass) {
	sized, counted := false, false
	var found reindexPlan
	for _, r := range p.Model.Relations {
		c := churnOf(r)
		for _, x := range r.Indexes {
			if x.AccessMethod != "" && x.AccessMethod != "btree" {
				continue
			}
			enough := float64(len(x.Sizes)) >= p.limit("min_readings")
			sized = sized || enough
			counted = counted || enough && len(c) > 1
			if !enough || len(c) < 2 || invalidNow(x) {
				continue
			}
			if b := bloatOf(p.Model, x, c); b != nil && b.ratio() >= p.limit("min_ratio") && b.Waste >= p.limit("min_waste") && !heldNow(p, r) {
				found = append(found, b)
			}
		}
	}
	switch {
	case !sized:
		p.Lacks("no b-tree index sizes over time in input (at least 5 readings since the last rebuild)",
			"pg_stat_user_indexes with pg_relation_size(indexrelid) as index_size, relfilenode and captured_at, again and again")
		return
	case !counted:
		p.Lacks("no table snapshots with n_live_tup, n_tup_upd and n_tup_del in input", "pg_stat_user_tables with captured_at beside the index sizes")
		return
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].Waste > found[j].Waste })
	for _, b := range found {
		p.Report(b.finding(p, found), b.Waste < p.limit("floor_waste"))
	}
}

// indexGrowth is an index measured against its own minimum.
type indexGrowth struct {
	bloat
	Index *dataset.Index
}

// churn is a capture of the table with the rows that had been freed by then.
type churn struct {
	Point *dataset.TablePoint
	Freed float64
	// Broken says that the counters do not go on from the churn before.
	Broken bool
}

// churnOf sums what deletes and non-HOT updates freed from capture to capture;
// what was freed across a break of the counters is not known and adds nothing.
// Captures that do not count live rows and deletes are left out. Without
// n_tup_hot_upd only deletes count.
func churnOf(r *dataset.Relation) []churn {
	var out []churn
	broken := false
	for i := range r.Points {
		t := &r.Points[i]
		broken = broken || t.Broken
		if !t.Time.Known() || !t.LiveTup.Known || !t.Del.Known {
			continue
		}
		c := churn{Point: t, Broken: broken}
		if len(out) > 0 {
			a := &out[len(out)-1]
			c.Freed = a.Freed
			if !broken {
				c.Freed += freedBetween(a.Point, t)
			}
		}
		broken = false
		out = append(out, c)
	}
	return out
}

// freedBetween is the rows that deletes and non-HOT updates freed between two
// captures whose counters go on.
func freedBetween(a, b *dataset.TablePoint) float64 {
	freed := rise(a.Del, b.Del)
	if b.HotUpd.Known {
		freed += max(0, rise(a.Upd, b.Upd)-rise(a.HotUpd, b.HotUpd))
	}
	return freed
}

// rise is how far a counter went on; 0 if it is unknown.
func rise(a, b record.Count) float64 {
	if !a.Known || !b.Known || b.N < a.N {
		return 0
	}
	return float64(b.N - a.N)
}

// captureAt is the last capture not after t, or one that is part of the same
// capture, the nearest first; else the first one.
func captureAt(c []churn, t record.Time) int {
	i := sort.Search(len(c), func(i int) bool { return c[i].Point.Time > t.Add(dataset.SameCapture) }) - 1
	for i > 0 && c[i].Point.Time > t && t.Sub(c[i-1].Point.Time) < c[i].Point.Time.Sub(t) {
		i--
	}
	return max(0, i)
}

// nearCaptures is how many captures on either side may lower or raise the rows
// of one: the statistics of a bulk load arrive late and count twice until the
// next vacuum or analyze.
const nearCaptures = 2

// rowsAt tells the rows of the index from below and from above: n_live_tup and
// reltuples disagree when statistics arrive late or an analyze is long ago. A
// partial index has only its own reltuples.
func rowsAt(x *dataset.Index, c []churn, t record.Time, partial bool) (low, high float64, ok bool) {
	if partial {
		i := sort.Search(len(x.Points), func(i int) bool {
			return !x.Points[i].Time.Known() || x.Points[i].Time > t.Add(dataset.SameCapture)
		})
		if i == 0 || !x.Points[i-1].Reltuples.Known || x.Points[i-1].Reltuples.N <= 0 {
			return 0, 0, false
		}
		n := float64(x.Points[i-1].Reltuples.N)
		return n, n, true
	}
	return tableRowsAt(c, t)
}

// tableRowsAt is rowsAt for the whole table.
func tableRowsAt(c []churn, t record.Time) (low, high float64, ok bool) {
	k := captureAt(c, t)
	low = float64(c[k].Point.LiveTup.N)
	high = low
	if n := c[k].Point.Reltuples; n.Known && n.N >= 0 {
		low, high = math.Min(low, float64(n.N)), math.Max(high, float64(n.N))
	}
	for i := max(0, k-nearCaptures); i < min(len(c), k+nearCaptures+1); i++ {
		n := float64(c[i].Point.LiveTup.N)
		low, high = math.Min(low, n), math.Max(high, n)
	}
	return low, high, low > 0
}

// bloatOf measures the index; nil if rows or sizes do not tell.
func bloatOf(m *dataset.Model, x *dataset.Index, c []churn) *indexGrowth {
	b := &indexGrowth{Index: x, bloat: bloat{Relation: x.Relation, Name: x.Name, BlockSize: float64(m.BlockSize)}}
	partial := isPartial(x.Definition)
	rows := func(t record.Time) (low, high float64, ok bool) { return rowsAt(x, c, t, partial) }
	if !b.measure(x.Sizes, c, rows, partial) {
		return nil
	}
	return b
}

// isPartial reports whether the definition has a predicate.
func isPartial(definition string) bool {
	return strings.Contains(strings.ToUpper(definition), " WHERE ")
}

// invalidNow reports whether the latest capture says so.
func invalidNow(x *dataset.Index) bool {
	p := latestPoint(x)
	return p != nil && p.Valid.Known && p.Valid.N == 0
}

// grownWhileHeld is the pages gained during runs of vacuums that were held
// back (205): that part of the growth would not have come otherwise.
func (b *indexGrowth) grownWhileHeld(l heldLimits) float64 {
	var sum float64
	for _, h := range heldRuns(b.Index.Relation, l) {
		from, ok1 := b.Index.PagesAt(h.Passes[0].End)
		to, ok2 := b.Index.PagesAt(h.latest().End)
		if ok1 && ok2 && h.Passes[0].End >= b.Min.Time && len(h.Passes) > 1 {
			sum += math.Max(0, to-from)
		}
	}
	return sum
}
