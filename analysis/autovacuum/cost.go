package autovacuum

import (
	"math"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// Cost is what one vacuum of a table takes. Figures of the log are medians over
// its vacuums, NaN without one.
type Cost struct {
	Logged        int     // vacuums behind the figures
	Seconds       float64 // elapsed
	Buffers       float64 // hits and misses
	WAL           float64 // bytes
	HeapPages     float64 // of the table
	Indexes       int
	IndexPages    float64 // of all of them; NaN if not all sizes are known
	WalkedIndexes int     // logged vacuums that walked the indexes
}

// CostOf reads what the vacuums of r took, and how large it and its indexes are.
// A vacuum that removes dead rows walks every index whole (below 2 % of the pages
// with dead rows PostgreSQL 14 and later leave them out); one that only inserts
// started finds nothing to remove and walks none.
func CostOf(m *dataset.Model, r *dataset.Relation) Cost {
	var seconds, buffers, wal []float64
	c := Cost{HeapPages: math.NaN()}
	for _, v := range r.Vacuums {
		if !v.FromLog {
			continue
		}
		c.Logged++
		if v.CleanedIndexes() {
			c.WalkedIndexes++
		}
		if v.HasElapsed {
			seconds = append(seconds, v.Elapsed.Seconds())
		}
		if v.BufferHits.Known {
			buffers = append(buffers, float64(v.BufferHits.N+v.BufferMisses.N))
		}
		if v.WALBytes.Known {
			wal = append(wal, float64(v.WALBytes.N))
		}
	}
	c.Seconds, c.Buffers, c.WAL = stats.Median(seconds), stats.Median(buffers), stats.Median(wal)
	if p := latest(r); p != nil {
		if n, ok := pages(p, float64(m.BlockSize)); ok {
			c.HeapPages = n
		} else if p.Relpages.Known {
			c.HeapPages = float64(p.Relpages.N)
		}
	}
	for _, x := range present(r) {
		c.Indexes++
		c.IndexPages += indexPages(x, float64(m.BlockSize))
	}
	return c
}

// present are the indexes that the last capture shows, or that only vacuum lines
// name: those of a rebuild go.
func present(r *dataset.Relation) []*dataset.Index {
	last := record.NoTime
	for _, x := range r.Indexes {
		if n := len(x.Points); n > 0 {
			last = max(last, x.Points[n-1].Time)
		}
	}
	var out []*dataset.Index
	for _, x := range r.Indexes {
		n := len(x.Points)
		gap := record.Second // rows of one capture stand closer
		if n > 1 && x.Points[n-1].Time.Known() {
			gap = max(gap, x.Points[n-1].Time.Sub(x.Points[n-2].Time)/2)
		}
		if n == 0 && !last.Known() || n > 0 && x.Points[n-1].Time.Add(gap) >= last {
			out = append(out, x)
		}
	}
	return out
}

// indexPages is the last known size, NaN if there is none.
func indexPages(x *dataset.Index, blockSize float64) float64 {
	if n := len(x.Sizes); n > 0 {
		return x.Sizes[n-1].Pages
	}
	for i := len(x.Points) - 1; i >= 0; i-- {
		if n, ok := x.Points[i].Pages(int64(blockSize)); ok {
			return n
		}
		if x.Points[i].Relpages.Known {
			return float64(x.Points[i].Relpages.N)
		}
	}
	return math.NaN()
}
