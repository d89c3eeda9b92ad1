package signature

import (
	"math"
	"sort"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

var tableBloat = &Signature{
	ID: "PGA209", Name: "table-bloat", Max: finding.Warning,
	Felt: "A table takes more disk and memory than its rows need, and scans of it read more",
	What: "A table takes far more bytes per live row than it did since its last rewrite, because deletes and updates left its pages partly empty.",
	Why: "An update writes a new version of the row and leaves the old one; vacuum frees it for reuse inside the table, and gives pages back only from the end of the file, " +
		"when they are empty to the last. A burst of updates or deletes, or a time without vacuum, makes the table as large as it was at the worst moment, and there it stays. " +
		"Scans, the cache and each vacuum pay for the pages. Measured against the table's own minimum, with the rows that the counters tell; " +
		"never more than deletes and non-HOT updates have freed since, and never what a row has grown.",
	Fix: "If the space will not be needed again: VACUUM FULL in a maintenance window, or pg_repack or pg_squeeze without one. " +
		"Then vacuum early enough that it does not come back (203). Where rows come back by themselves, leave it: they reuse the space.",
	Verify: "After the rewrite pg_relation_size is near the estimate, and bytes per row stay near the minimum over the next busy days.",
	Needs:  []Need{needSeries},
	Silent: []string{
		"live rows or row width grew, and rows that come and go: the space is needed again",
		"dead rows that no vacuum has freed yet: their space is counted as used (203, 205)",
		"fillfactor and pages that updates leave partly free, as far as the minimum had them",
	},
	Thresholds: []Threshold{
		{"min_ratio", 1.5, "x", "size ÷ estimated size after a rewrite; a table under updates settles near 1.2"},
		{"min_waste", 1 << 20, "bytes", "waste below which nothing is said (128 pages)"},
		{"floor_waste", 100 << 20, "bytes", "waste below which the finding stays info"},
		{"min_readings", 5, "readings", "sizes since the last rewrite"},
	},
	Detect: detectTableBloat,
}

func detectTableBloat(p *Pass) {
	sized, counted := false, false
	var found []*heapGrowth
	for _, r := range p.Model.Relations {
		c := churnOf(r)
		sizes, rewrite := heapSizes(r, p.Model.BlockSize)
		enough := float64(len(sizes)) >= p.limit("min_readings")
		sized = sized || enough
		counted = counted || enough && len(c) > 1
		if !enough || len(c) < 2 || heldNow(p, r) {
			continue
		}
		b := &heapGrowth{Rewrite: rewrite, bloat: bloat{Relation: r, Name: r.Name, BlockSize: float64(p.Model.BlockSize), Heap: true}}
		rows := func(t record.Time) (float64, float64, bool) { return tableRowsAt(c, t) }
		if b.measure(sizes, c, rows, false) && b.ratio() >= p.limit("min_ratio") && b.Waste >= p.limit("min_waste") {
			found = append(found, b)
		}
	}
	switch {
	case !sized:
		p.Lacks("no table sizes over time in input (at least 5 readings since the last rewrite)",
			"pg_stat_user_tables with pg_relation_size(relid) as relation_size, relfilenode and captured_at, again and again")
		return
	case !counted:
		p.Lacks("no table snapshots with n_live_tup, n_tup_upd and n_tup_del in input", "pg_stat_user_tables with captured_at, again and again")
		return
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].Waste > found[j].Waste })
	for _, b := range found {
		p.Report(b.finding(p), b.Waste < p.limit("floor_waste"))
	}
}

// heapGrowth is a table measured against its own minimum.
type heapGrowth struct {
	bloat
	Rewrite *rewrite // the last one that the input shows; nil if none
}

// rewrite is a change of the table's relfilenode: VACUUM FULL, CLUSTER, TRUNCATE
// or a rewriting ALTER TABLE.
type rewrite struct {
	By          record.Time // between the capture before and this one
	Pos         record.Pos
	PagesBefore float64 // NaN if unknown
	PagesAfter  float64
}

// heapSizes are the sizes of the table's main fork since its last rewrite.
func heapSizes(r *dataset.Relation, blockSize int64) ([]dataset.Reading, *rewrite) {
	var last *rewrite
	var prev *dataset.TablePoint
	pages := func(n record.Count) float64 {
		if !n.Known {
			return math.NaN()
		}
		return float64(n.N) / float64(blockSize)
	}
	for i := range r.Points {
		t := &r.Points[i]
		if !t.Time.Known() {
			break
		}
		if prev != nil && prev.Relfilenode.Known && t.Relfilenode.Known && prev.Relfilenode.N != t.Relfilenode.N {
			last = &rewrite{By: t.Time, Pos: t.Pos, PagesBefore: pages(prev.RelationSize), PagesAfter: pages(t.RelationSize)}
		}
		prev = t
	}
	sizes := r.HeapSizes(blockSize)
	if last == nil {
		return sizes, nil
	}
	from := sort.Search(len(sizes), func(i int) bool { return sizes[i].Time >= last.By })
	return sizes[from:], last
}
