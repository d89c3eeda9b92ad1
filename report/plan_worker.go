package report

import (
	"math"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report/view"
)

// Keys of a Memoize node and of each of its workers.
const (
	cacheHits   = "Cache Hits"
	cacheMisses = "Cache Misses"
)

// cacheText is how often a Memoize node had the row already, in all processes:
// what EXPLAIN prints for the node itself is the leader's part. "" for others.
func cacheText(n *record.Node) string {
	hits, known := countOf(n.Extra, cacheHits)
	misses, also := countOf(n.Extra, cacheMisses)
	if !known || !also {
		return ""
	}
	for i := range n.Workers {
		more, _ := countOf(n.Workers[i].Extra, cacheHits)
		hits += more
		more, _ = countOf(n.Workers[i].Extra, cacheMisses)
		misses += more
	}
	text := "cache hits " + rowCount(hits) + " of " + rowCount(hits+misses)
	if hits+misses > 0 {
		text += " (" + view.Share(hits/(hits+misses)) + ")"
	}
	return text
}

func countOf(list []record.KeyValue, key string) (float64, bool) {
	for i := range list {
		if list[i].Key == key {
			v, err := strconv.ParseFloat(list[i].Value, 64)
			return v, err == nil && v >= 0 && !math.IsInf(v, 0)
		}
	}
	return 0, false
}

// leadersOwn reports whether a property is the leader's only and workers have
// their own.
func leadersOwn(n *record.Node, text string) bool {
	for i := range n.Workers {
		w := &n.Workers[i]
		if strings.HasPrefix(text, "Sort Method: ") && w.SortMethod != "" {
			return true
		}
		if _, ok := countOf(w.Extra, cacheHits); ok && strings.HasPrefix(text, "Hits: ") {
			return true
		}
		if _, ok := countOf(w.Extra, "HashAgg Batches"); ok && strings.HasPrefix(text, "Batches: ") {
			return true
		}
		if _, ok := countOf(w.Extra, "Exact Heap Blocks"); ok && strings.HasPrefix(text, "Heap Blocks: ") {
			return true
		}
	}
	return false
}

func workerText(w *record.Worker) string {
	text := "Worker " + strconv.FormatInt(w.Number, 10) + ":"
	if w.Fields&record.HasActual != 0 {
		text += " rows " + rowCount(w.ActualRows.Float()*float64(w.ActualLoops)) + ", " + view.Counted(w.ActualLoops, "loop", "loops")
	}
	if w.Fields&record.HasTiming != 0 {
		text += ", " + view.Quantity(w.ActualTotal.Milliseconds()*float64(w.ActualLoops), "ms")
	}
	if w.Fields&record.HasBuffers != 0 {
		text += ", buffers " + view.Count(w.Buffers.Shared())
	}
	if w.SortMethod != "" {
		text += ", " + w.SortMethod + " " + view.Quantity(float64(w.SortSpaceKB)*1024, "bytes")
	}
	for _, kv := range w.Extra {
		switch kv.Key {
		case cacheHits:
			text += ", hits " + kv.Value
		case cacheMisses:
			text += ", misses " + kv.Value
		}
	}
	return view.Line(text)
}
