package autovacuum

import (
	"math"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/stats"
)

// MinScanRows is the size of an index-only scan, in rows, below which its heap
// fetches say nothing about the table.
const MinScanRows = 100

// Scan is the index-only scans of one statement on one table.
type Scan struct {
	Statement *dataset.Statement
	Relation  *dataset.Relation
	Readings  []Fetch // by time
}

// Fetch is what one execution read and how much of it needed the table. Heap
// fetches count entries of dead rows too, so that they may exceed the rows.
type Fetch struct {
	Exec    *dataset.Execution
	Rows    float64
	Fetched float64
}

// Share is heap fetches ÷ rows, at most 1.
func (f Fetch) Share() float64 { return min(1, f.Fetched/f.Rows) }

// Scans are the index-only scans of MinScanRows rows or more on r, by
// fingerprint of their statement. Executions tell the sum over a plan: a
// statement whose plans read other tables index-only is left out.
func Scans(m *dataset.Model, r *dataset.Relation) []Scan {
	var out []Scan
	for _, s := range m.Statements {
		if !indexOnlyOn(s, r) {
			continue
		}
		scan := Scan{Statement: s, Relation: r}
		for _, e := range s.Executions {
			f := e.Figures
			if f != nil && f.HasHeapFetches && f.IndexOnlyRows.Float() >= MinScanRows {
				scan.Readings = append(scan.Readings, Fetch{e, f.IndexOnlyRows.Float(), float64(f.HeapFetches)})
			}
		}
		if len(scan.Readings) > 0 {
			out = append(out, scan)
		}
	}
	return out
}

// indexOnlyOn reports whether every index-only scan of the plans that were kept
// of s is on r. Without plans the statement must name r alone.
func indexOnlyOn(s *dataset.Statement, r *dataset.Relation) bool {
	found, plans := false, 0
	for i := range s.Shapes {
		for _, x := range []*dataset.Example{&s.Shapes[i].First, &s.Shapes[i].Slowest} {
			if x.Plan == nil {
				continue
			}
			plans++
			for k := range x.Plan.Nodes {
				n := &x.Plan.Nodes[k]
				if n.NodeType != "Index Only Scan" {
					continue
				}
				if n.RelationName != r.Relation || n.SchemaName != "" && n.SchemaName != r.Schema {
					return false
				}
				found = true
			}
		}
	}
	if plans == 0 {
		return len(s.Relations) == 1 && s.Relations[0] == r
	}
	return found && (len(s.Relations) == 0 || names(s, r))
}

func names(s *dataset.Statement, r *dataset.Relation) bool {
	for _, o := range s.Relations {
		if o == r {
			return true
		}
	}
	return false
}

// Rows is the median number of rows that a scan returned.
func (s *Scan) Rows() float64 {
	return s.quantile(0.5, func(f Fetch) float64 { return f.Rows })
}

// Share is the q-quantile of heap fetches ÷ rows.
func (s *Scan) Share(q float64) float64 { return s.quantile(q, Fetch.Share) }

func (s *Scan) quantile(q float64, of func(Fetch) float64) float64 {
	v := make([]float64, len(s.Readings))
	for i, f := range s.Readings {
		v[i] = of(f)
	}
	return stats.Quantile(v, q)
}

// fetched is the sum of all heap fetches.
func (s *Scan) fetched() float64 {
	sum := 0.0
	for _, f := range s.Readings {
		sum += f.Fetched
	}
	return sum
}

// Worst is the scan of those given that fetched most from the table in all; nil
// if there is none.
func Worst(scans []Scan) *Scan {
	var best *Scan
	most := math.Inf(-1)
	for i := range scans {
		if n := scans[i].fetched(); n > most {
			best, most = &scans[i], n
		}
	}
	return best
}
