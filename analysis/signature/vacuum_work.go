package signature

import (
	"math"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// vacuumWork is what one vacuum of the log read, held against what its pages
// explain.
type vacuumWork struct {
	Vacuum  *dataset.Vacuum
	Buffers float64 // hits + misses
	Heap    float64 // buffers that the table explains
	Index   float64 // buffers that reading each index once per pass explains
}

func (w *vacuumWork) explained() float64 { return w.Heap + w.Index }

func (w *vacuumWork) excess() float64 { return w.Buffers - w.explained() }

// workOf tells what the vacuum read; false where the line has no buffers (up to
// 9.6), or where it cleaned indexes whose sizes are not known.
//
// Each heap page that is scanned costs its own buffer and one of the visibility
// map; each with dead items the same again in the second pass over the heap;
// pages cut off at the end are looked at once more (vacuumlazy.c). An index is
// read from end to end in each pass (btvacuumscan and its kin).
func workOf(v *dataset.Vacuum) (vacuumWork, bool) {
	if !v.FromLog || !v.BufferHits.Known || !v.BufferMisses.Known || !v.PagesRemain.Known {
		return vacuumWork{}, false
	}
	w := vacuumWork{Vacuum: v, Buffers: float64(v.BufferHits.N + v.BufferMisses.N)}
	scanned := scannedPages(v)
	again := scanned
	if v.DeadItemPages.Known {
		again = float64(v.DeadItemPages.N)
	}
	w.Heap = 2*scanned + 2*again + 2*float64(v.PagesRemoved.N)
	pages, known := indexPages(v)
	w.Index = pages * float64(max(1, v.IndexScans))
	return w, known || v.IndexScans == 0
}

// scannedPages is what the line says (15), else what is not skipped.
func scannedPages(v *dataset.Vacuum) float64 {
	if v.PagesScanned.Known {
		return float64(v.PagesScanned.N)
	}
	return float64(max(0, v.PagesRemain.N+v.PagesRemoved.N-v.PagesSkippedPins.N-v.PagesSkippedFrozen.N))
}

// indexPages sums the indexes of the relation: the line's sizes (14), for
// others those of snapshots. known says that no size is missing.
func indexPages(v *dataset.Vacuum) (pages float64, known bool) {
	listed := map[string]bool{}
	for i := range v.Indexes {
		pages += float64(v.Indexes[i].Pages)
		listed[v.Indexes[i].Name] = true
	}
	known = len(v.Indexes) > 0 || len(v.Target.Indexes) > 0
	for _, x := range v.Target.Indexes {
		if listed[x.Index] {
			continue
		}
		n, ok := nearestPages(x, v.End)
		pages += n
		known = known && (ok || len(v.Indexes) > 0)
	}
	return pages, known
}

// nearestPages is the size of the index at t, else its first or last one known.
func nearestPages(x *dataset.Index, t record.Time) (float64, bool) {
	n := len(x.History)
	switch {
	case n == 0:
		return 0, false
	case t <= x.History[0].Time:
		return x.History[0].Pages, true
	case t >= x.History[n-1].Time:
		return x.History[n-1].Pages, true
	}
	return x.PagesAt(t)
}

// removedItems is how many dead rows the pass took away: item identifiers that
// it removed from the table and all indexes (14), which pruning may have emptied
// before; else tuples.
func removedItems(v *dataset.Vacuum) float64 {
	return math.Max(float64(v.DeadItems.N), float64(v.TuplesRemoved.N))
}

// vacuumShare weighs what happens to the vacuums of a relation for some seconds:
// the share of the observed server time that statements on the relation take,
// else, where no statement was observed, the share of the observed span.
func vacuumShare(m *dataset.Model, r *dataset.Relation, seconds float64) (share float64, what string) {
	share, observed := shareOf(m, func(s *dataset.Statement) bool { return uses(s, []*dataset.Relation{r}) })
	if observed {
		return share, "share is that of the statements that use the table: they do not wait for its vacuums, but run beside them, on what they leave"
	}
	if all := m.To.Sub(m.From).Seconds(); all > 0 {
		share = math.Min(1, seconds/all)
	}
	return share, "no statement was observed: share is the part of the observed time that this lasted"
}
