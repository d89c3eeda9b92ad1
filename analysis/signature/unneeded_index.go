package signature

import (
	"sort"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

var unneededIndex = &Signature{
	ID: "PGA211", Name: "unused-or-redundant-index", Max: finding.Info,
	Felt: "Writes pay for an index that nothing needs",
	What: "An index is maintained by every write and read by nothing, or another index of the table can do all that it does.",
	Why: "Each insert, and each update that is not HOT, adds an entry to every index of the table; vacuum reads them all; they take cache and disk, and an index on a column " +
		"that is updated keeps those updates from being HOT (214). A b-tree whose columns are the first ones of another b-tree adds nothing but its smaller size.",
	Fix:    "DROP INDEX CONCURRENTLY, one at a time, its definition kept; first look at the standbys, which count their own scans.",
	Verify: "Statements on the table keep their plans and times over the next busy days, and writes to it touch fewer buffers.",
	Needs:  []Need{needSeries},
	Silent: []string{
		"unique indexes, primary keys, constraints and the replica identity: they are used without a scan",
		"a span shorter than a week without a scan: reports and month ends use indexes seldom",
		"a table that nobody writes to, and small indexes",
		"an index that a plan in the input uses",
		"columns that agree but not in order, operator class, collation, direction or predicate",
	},
	Thresholds: []Threshold{
		{"min_days", 7, "days", "without a scan"},
		{"min_size", 1 << 20, "bytes", "of the index, below which nothing is said"},
		{"min_writes", 100, "rows", "inserted or updated (not HOT) over the captures"},
	},
	Detect: detectUnneededIndex,
}

func detectUnneededIndex(p *Pass) {
	all := unneededIndexes(p, p.limits(p.now))
	switch short := all.observed < p.limit("min_days")*86400; {
	case short && !all.defined:
		p.Lacks("no week of index scans and no index definitions in input", addIndexScans)
	case short:
		p.Lacks("no week of index scans in input: only duplicates were looked for", addIndexScans)
	}
	for _, u := range all.found {
		p.Report(u.finding(p), true)
	}
}

// unneededList is what is unneeded, the largest first, and what was looked at.
type unneededList struct {
	found    []*unneeded
	observed float64 // seconds over which scans are told, of the index with most
	defined  bool    // a definition is in input
}

// unneededIndexes is shared with PGA101, which asks whether the index that is
// walked is needed; the limits are 211's.
func unneededIndexes(p *Pass, limits map[string]float64) unneededList {
	return shared(p, "unneeded", func(*dataset.Model) unneededList { return p.findUnneeded(limits) })
}

// of is what the list says of an index, nil if it may be needed.
func (l unneededList) of(x *dataset.Index) *unneeded {
	for _, u := range l.found {
		if u.Index == x {
			return u
		}
	}
	return nil
}

func (p *Pass) findUnneeded(limits map[string]float64) unneededList {
	used := indexesInPlans(p)
	reset := statisticsReset(p.Model)
	var out unneededList
	var all []*unneeded
	for _, r := range p.Model.Relations {
		writes := indexedWrites(r)
		for _, x := range r.Indexes {
			last := latestPoint(x)
			if last == nil || !last.Time.Known() {
				continue
			}
			u := &unneeded{Index: x, Last: last, Writes: writes, Definition: x.Definition}
			out.observed = max(out.observed, u.quiet(reset))
			out.defined = out.defined || x.Definition != ""
			u.Unused = u.Quiet >= limits["min_days"]*86400 && !used[x.Index]
			u.Covering = coveringIndex(x)
			all = append(all, u)
		}
	}
	out.found = p.unneededOf(all, limits)
	sort.SliceStable(out.found, func(i, j int) bool { return out.found[i].Bytes > out.found[j].Bytes })
	return out
}

// unneededOf chooses those worth telling. An index that is not read itself is no
// reason to drop the one that it covers.
func (p *Pass) unneededOf(all []*unneeded, limits map[string]float64) []*unneeded {
	unused := map[*dataset.Index]bool{}
	for _, u := range all {
		unused[u.Index] = u.Unused && u.droppable()
	}
	var found []*unneeded
	for _, u := range all {
		if unused[u.Covering] {
			u.Covering = nil
		}
		pages, ok := nearestPages(u.Index, u.Last.Time)
		u.Bytes = pages * float64(p.Model.BlockSize)
		worth := ok && u.Bytes >= limits["min_size"] && u.Writes.Rows >= limits["min_writes"]
		if worth && (u.Unused || u.Covering != nil) && u.droppable() && !invalidNow(u.Index) {
			found = append(found, u)
		}
	}
	return found
}

const addIndexScans = "pg_stat_user_indexes with idx_scan, indisunique, index_size, pg_get_indexdef(indexrelid) as indexdef and captured_at, over at least a week"

// unneeded is an index that nothing reads, or that another one covers.
type unneeded struct {
	Index      *dataset.Index
	Last       *dataset.IndexPoint
	Definition string
	Bytes      float64
	Writes     writeCount
	Quiet      float64 // seconds without a scan up to the last capture
	Since      finding.Evidence
	How        string // what tells Quiet
	Unused     bool
	Covering   *dataset.Index // nil if no other index covers it
}

// droppable reports that nothing but scans uses the index, as far as the input
// tells; what it does not tell counts as used.
func (u *unneeded) droppable() bool {
	l := u.Last
	if d, ok := definitionOf(u.Definition); ok && d.Unique || l.Constraint != "" {
		return false
	}
	for _, c := range []record.Count{l.Unique, l.Primary, l.Exclusion, l.ReplicaIdentity} {
		if c.Known && c.N == 1 {
			return false
		}
	}
	return l.Unique.Known || u.Definition != ""
}

// writeCount is what the captures of a table say of writes that add an entry to
// each index.
type writeCount struct {
	Rows, Seconds float64
}

func indexedWrites(r *dataset.Relation) writeCount {
	var w writeCount
	var prev *dataset.TablePoint
	for i := range r.Points {
		t := &r.Points[i]
		if !t.Time.Known() || !t.Ins.Known {
			continue
		}
		if prev != nil && !t.Broken {
			w.Rows += rise(prev.Ins, t.Ins) + max(0, rise(prev.Upd, t.Upd)-rise(prev.HotUpd, t.HotUpd))
			w.Seconds += t.Time.Sub(prev.Time).Seconds()
		}
		prev = t
	}
	return w
}

// quiet sets how many seconds before its last capture the index was scanned
// last: by last_idx_scan (16), by captures between which idx_scan stood still, or
// by a counter of zero since the statistics were reset; 0 if nothing tells. It
// answers over how many seconds scans are told at all.
func (u *unneeded) quiet(reset finding.Evidence) (observed float64) {
	last, points := u.Last, u.Index.Points
	if !last.Scans.Known {
		return 0
	}
	still, oldest := last, last
	for i := len(points) - 1; i >= 0; i-- {
		q := &points[i]
		if !q.Time.Known() || q.Time > last.Time {
			continue
		}
		if q.Scans.Known {
			oldest = q
			if q.Scans.N == last.Scans.N {
				still = q
			}
		}
		if q.Broken {
			break
		}
	}
	before := func(t record.Time) float64 { return last.Time.Sub(t).Seconds() }
	observed, u.Quiet, u.How = before(oldest.Time), before(still.Time), "idx_scan stood still between captures"
	u.Since = finding.Evidence{What: "first", Pos: still.Pos, Time: still.Time, Value: float64(still.Scans.N), Unit: "scans", Limit: "= the last"}
	if last.LastScan.Known() {
		observed = max(observed, before(last.LastScan))
		if before(last.LastScan) > u.Quiet {
			u.Quiet, u.How = before(last.LastScan), "last_idx_scan"
			u.Since = finding.Evidence{What: "last scan", Pos: last.Pos, Time: last.LastScan, Value: float64(last.Scans.N), Unit: "scans"}
		}
	}
	if reset.Time.Known() && before(reset.Time) > observed {
		observed = before(reset.Time)
		if last.Scans.N == 0 {
			u.Quiet, u.How = observed, "idx_scan is 0 since stats_reset; a crash since would have lost scans"
			u.Since = reset
		}
	}
	return observed
}

// statisticsReset is the latest stats_reset of the databases in the input; its
// time is unknown where no row has one.
func statisticsReset(m *dataset.Model) finding.Evidence {
	out := finding.Evidence{What: "reset", Time: record.NoTime, Unit: "scans"}
	rows := m.Rows(record.ViewDatabase)
	for i := range rows {
		if t, ok := rows[i].Time("stats_reset"); ok && (!out.Time.Known() || t > out.Time) {
			out.Time, out.Pos = t, rows[i].Pos
		}
	}
	return out
}

// indexesInPlans are the names of indexes that the plans kept of the input use.
func indexesInPlans(p *Pass) map[string]bool {
	used := map[string]bool{}
	for _, c := range planCases(p) {
		for i := range c.Plan.Nodes {
			if name := c.Plan.Nodes[i].IndexName; name != "" {
				used[name] = true
			}
		}
	}
	return used
}
