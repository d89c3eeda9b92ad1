package signature

import (
	"sort"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
)

var indexVacuumAnomaly = &Signature{
	ID: "PGA207", Name: "index-vacuum-anomaly", Max: finding.Warning,
	Felt: "A vacuum takes far longer than the size of its table suggests",
	What: "A vacuum accesses many times more buffers than its table and indexes have pages: the time goes into one index that does more than be read once.",
	Why: "Vacuum reads the heap once or twice, and a b-tree from end to end once for each pass. A GIN index moves its pending list into the tree first, entry by entry; " +
		"an HNSW index repairs its graph (PGA601 where it is known to be one). " +
		"The autovacuum worker is busy for that long, dead rows of the table pile up meanwhile, and other tables wait for a worker.",
	Fix:    "GIN: keep the pending list short (gin_pending_list_limit, gin_clean_pending_list), or fastupdate = off. Else find the index first. Settings of the whole server do not help.",
	Verify: "Hits and misses of the next vacuum line are near the pages of table and indexes, or its elapsed time is short enough.",
	Needs:  []Need{needVacuum},
	Silent: []string{
		"tables that have b-tree indexes only",
		"vacuums shorter than a minute", "several index passes, and aggressive vacuums that freeze: their pages are counted (206)",
		"an index whose access method is not known, as long as the buffers are explained",
		"the one HNSW index of a table (PGA601)",
	},
	Thresholds: anomalyLimits(),
	Detect:     func(p *Pass) { p.detectVacuumAnomaly(func(a *vacuumAnomaly) bool { return !a.isGraph() }) },
}

// anomalyLimits are the thresholds of the signatures about vacuums that read
// more than the pages of their table.
func anomalyLimits() []Threshold {
	return []Threshold{
		{"min_ratio", 10, "x", "buffers ÷ what the pages of table and indexes explain"},
		{"min_excess", 100_000, "buffers", "accessed beyond it by one vacuum"},
		{"min_seconds", 60, "s", "that the vacuum ran: a shorter one keeps its worker for less than autovacuum_naptime by default"},
		{"floor_seconds", 600, "s", "the longest such vacuum below which the finding stays info"},
	}
}

// detectVacuumAnomaly reports the anomalies that are the running signature's
// own.
func (p *Pass) detectVacuumAnomaly(own func(*vacuumAnomaly) bool) {
	judged := 0
	for _, r := range p.Model.Relations {
		var all []vacuumWork
		for _, v := range r.Vacuums {
			if w, ok := workOf(v); ok {
				all = append(all, w)
			}
		}
		judged += len(all)
		if a := p.anomalyOf(r, all); a != nil && own(a) {
			p.Report(a.finding(p), a.longest() < p.limit("floor_seconds"))
		}
	}
	if judged == 0 {
		p.Lacks("no vacuum lines with buffer usage and known index sizes in input",
			"log_autovacuum_min_duration = 0; before version 14 also snapshots of pg_stat_user_indexes with index_size")
	}
}

// vacuumAnomaly is a relation whose vacuums read more than its pages.
type vacuumAnomaly struct {
	Relation *dataset.Relation
	Over     []vacuumWork // by time
	Normal   []vacuumWork // vacuums of the relation whose buffers are explained
	// Suspects are the indexes that may do it: those that are no b-trees, else
	// all whose method is not known. Sure says that one is left and its method
	// known.
	Suspects []*dataset.Index
	Sure     bool
}

// anomalyOf is nil if all vacuums are explained, or if the table is known to
// have b-trees only.
func (p *Pass) anomalyOf(r *dataset.Relation, all []vacuumWork) *vacuumAnomaly {
	a := &vacuumAnomaly{Relation: r}
	for _, w := range all {
		if w.Buffers >= p.limit("min_ratio")*w.explained() && w.excess() >= p.limit("min_excess") && w.Vacuum.Elapsed.Seconds() >= p.limit("min_seconds") {
			a.Over = append(a.Over, w)
		} else {
			a.Normal = append(a.Normal, w)
		}
	}
	if len(a.Over) == 0 {
		return nil
	}
	a.suspect()
	if len(a.Suspects) == 0 {
		return nil
	}
	return a
}

func (a *vacuumAnomaly) suspect() {
	var other, unknown []*dataset.Index
	for _, x := range a.Relation.Indexes {
		switch methodOf(x) {
		case "btree":
		case "":
			unknown = append(unknown, x)
		default:
			other = append(other, x)
		}
	}
	a.Suspects, a.Sure = other, len(other) == 1
	if len(other) == 0 {
		a.Suspects = unknown
	}
	at := a.worst().Vacuum.End
	sort.SliceStable(a.Suspects, func(i, j int) bool {
		m, _ := nearestPages(a.Suspects[i], at)
		n, _ := nearestPages(a.Suspects[j], at)
		return m > n
	})
}

// isGraph reports whether the one index that does it is known to be an HNSW
// graph.
func (a *vacuumAnomaly) isGraph() bool { return a.Sure && methodOf(a.Suspects[0]) == "hnsw" }

// methodOf is the access method that snapshots tell, by name or in the
// definition; "" if they do not.
func methodOf(x *dataset.Index) string {
	if x.AccessMethod != "" {
		return x.AccessMethod
	}
	d, _ := definitionOf(x.Definition)
	return d.Method
}

// worst is the vacuum that ran longest, of equal ones the one with most
// buffers.
func (a *vacuumAnomaly) worst() *vacuumWork {
	w := &a.Over[0]
	for i := range a.Over {
		o := &a.Over[i]
		if o.Vacuum.Elapsed > w.Vacuum.Elapsed || o.Vacuum.Elapsed == w.Vacuum.Elapsed && o.Buffers > w.Buffers {
			w = o
		}
	}
	return w
}

func (a *vacuumAnomaly) longest() float64 { return a.worst().Vacuum.Elapsed.Seconds() }

// ran is how many seconds such vacuums ran.
func (a *vacuumAnomaly) ran() (sum float64) {
	for i := range a.Over {
		sum += a.Over[i].Vacuum.Elapsed.Seconds()
	}
	return sum
}
