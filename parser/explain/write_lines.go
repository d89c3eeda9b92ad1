package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// extra is the value of a key among extras.
func extra(list []record.KeyValue, key string) (string, bool) {
	for i := range list {
		if list[i].Key == key {
			return list[i].Value, true
		}
	}
	return "", false
}

// number prints a cost or an estimate as PostgreSQL does.
func number(f float64, digits int) string {
	switch text := strconv.FormatFloat(f, 'f', digits, 64); text {
	case "+Inf":
		return "Infinity"
	case "-Inf":
		return "-Infinity"
	default:
		return text
	}
}

func milliseconds(d record.Duration) string {
	return fmt.Sprintf("%d.%03d", d/1000, d%1000)
}

// rowsText prints rows with the decimals that were reported.
func rowsText(r record.Rows, f record.Fields) string {
	if f&record.HasFractionalRows != 0 {
		return fmt.Sprintf("%d.%02d", r/100, r%100)
	}
	return strconv.FormatInt(int64(r/100), 10)
}

// attached are the figures that text prints behind a line of their node. Zero
// is not printed.
func attached(n *record.Node, key string) (label string, count int64) {
	switch key {
	case "Index Cond", "Recheck Cond":
		return "Rows Removed by Index Recheck", n.RowsRemovedRecheck
	case "Filter":
		if n.NodeType != "Aggregate" {
			return "Rows Removed by Filter", n.RowsRemovedFilter
		}
	case "Join Filter":
		return "Rows Removed by Join Filter", n.RowsRemovedJoin
	}
	return "", 0
}

// hiddenInText are extras that text prints as part of another line, or not at
// all.
var hiddenInText = map[string]bool{
	"Command": true, "Async Capable": true, "Senders": true, "Receivers": true, "Slice": true,
	"Sort Space Used": true, "Sort Space Type": true,
	"Original Hash Buckets": true, "Hash Batches": true, "Original Hash Batches": true,
	"Cache Misses": true, "Cache Evictions": true, "Cache Overflows": true,
	"Maximum Storage": true, "Lossy Heap Blocks": true,
	ioTimings: true, localIORead: true, localIOWrite: true, walBuffersFull: true, tuplesSkipped: true,
	"Peak Memory Usage": true, "Disk Usage": true, subplansRemoved: true,
}

// subplansRemoved is printed behind all else, before the children.
const subplansRemoved = "Subplans Removed"

// nodeLines are the lines below a node, without indentation and workers.
// "Inner Unique" is printed with VERBOSE only.
func nodeLines(n *record.Node, verbose bool) []string {
	var lines []string
	seen := map[string]bool{}
	add := func(label string, count int64) {
		if count > 0 && !seen[label] {
			seen[label] = true
			lines = append(lines, label+": "+strconv.FormatInt(count, 10))
		}
	}
	if n.Has(record.HasDisabled) {
		lines = append(lines, "Disabled: true")
	}
	planned := isGather(n)
	for i, kv := range n.Extra {
		if planned && kv.Key == "Single Copy" {
			lines, planned = append(lines, workersText(n)...), false
		}
		if text, ok := extraLine(n.Extra, i); ok && (verbose || kv.Key != "Inner Unique") {
			lines = append(lines, text)
		}
		add(attached(n, kv.Key))
	}
	if planned {
		lines = append(lines, workersText(n)...)
	}
	add("Rows Removed by Index Recheck", n.RowsRemovedRecheck)
	add("Rows Removed by Join Filter", n.RowsRemovedJoin)
	add("Rows Removed by Filter", n.RowsRemovedFilter)
	if n.Has(record.HasHeapFetches) {
		lines = append(lines, fmt.Sprintf("Heap Fetches: %d", n.HeapFetches))
	}
	if n.Has(record.HasIndexSearches) {
		lines = append(lines, fmt.Sprintf("Index Searches: %d", n.IndexSearches))
	}
	lines = append(lines, tuplesText(n)...)
	if text := buffersText(&n.Buffers); text != "" {
		lines = append(lines, "Buffers: "+text)
	}
	if text := ioText(n); text != "" {
		lines = append(lines, ioTimings+": "+text)
	}
	if text := walText(n); text != "" {
		lines = append(lines, "WAL: "+text)
	}
	return lines
}

// isGather tells the nodes that start workers.
func isGather(n *record.Node) bool { return n.NodeType == "Gather" || n.NodeType == "Gather Merge" }

func workersText(n *record.Node) []string {
	lines := []string{fmt.Sprintf("Workers Planned: %d", n.WorkersPlanned)}
	if n.Has(record.HasActual) {
		lines = append(lines, fmt.Sprintf("Workers Launched: %d", n.WorkersLaunched))
	}
	return lines
}

// tuplesText is what a ModifyTable counted.
func tuplesText(n *record.Node) []string {
	if !n.Has(record.HasTuples) {
		return nil
	}
	if n.Operation != "Merge" {
		return []string{
			fmt.Sprintf("Tuples Inserted: %d", n.TuplesInserted/100),
			fmt.Sprintf("Conflicting Tuples: %d", n.ConflictingTuples/100),
		}
	}
	text := ""
	for _, c := range [...]struct {
		name string
		rows record.Rows
	}{{"inserted", n.TuplesInserted}, {"updated", n.TuplesUpdated}, {"deleted", n.TuplesDeleted}} {
		if c.rows > 0 {
			text += fmt.Sprintf(" %s=%d", c.name, c.rows/100)
		}
	}
	if skipped, ok := extra(n.Extra, tuplesSkipped); ok && skipped != "0" {
		text += " skipped=" + skipped
	}
	if text == "" {
		return nil
	}
	return []string{"Tuples:" + text}
}

// extraLine is the line of the extra at i; false if it has none of its own.
func extraLine(list []record.KeyValue, i int) (string, bool) {
	const near = 16 // extras that one line may be made of
	kv := list[i]
	rest := list[i:min(i+near, len(list))]
	value := func(key string) string { text, _ := extra(rest, key); return text }
	switch kv.Key {
	case targetTable:
		return kv.Value, true
	case "Sort Method":
		return "Sort Method: " + kv.Value + "  " + value("Sort Space Type") + ": " + value("Sort Space Used") + "kB", true
	case "Hash Buckets":
		return hashLine(rest), true
	case "Planned Partitions", "HashAgg Batches":
		if kv.Key == "HashAgg Batches" && i > 0 && list[i-1].Key == "Planned Partitions" {
			return "", false
		}
		return aggregateLine(rest)
	case "Cache Hits":
		return "Hits: " + kv.Value + "  Misses: " + value("Cache Misses") + "  Evictions: " + value("Cache Evictions") +
			"  Overflows: " + value("Cache Overflows") + "  Memory Usage: " + value("Peak Memory Usage") + "kB", kv.Value != "0" || value("Cache Misses") != "0"
	case "Storage":
		return "Storage: " + kv.Value + "  Maximum Storage: " + value("Maximum Storage") + "kB", true
	case "Exact Heap Blocks", "Lossy Heap Blocks":
		if kv.Key == "Lossy Heap Blocks" && i > 0 && list[i-1].Key == "Exact Heap Blocks" {
			return "", false
		}
		return heapBlocksLine(rest)
	case "Single Copy":
		return "Single Copy: true", kv.Value == "true"
	}
	if hiddenInText[kv.Key] || isZeroFigure(kv) {
		return "", false
	}
	return kv.Key + ": " + plainText(kv.Value), true
}

// isZeroFigure tells a figure that text does not print where it is 0.
func isZeroFigure(kv record.KeyValue) bool {
	return kv.Value == "0" && kv.Key == "Rows Removed by Conflict Filter"
}

// hashLine is the line of a Hash. If the buckets or the batches have changed,
// text prints both of both.
func hashLine(list []record.KeyValue) string {
	buckets, _ := extra(list, "Hash Buckets")
	batches, _ := extra(list, "Hash Batches")
	memory, _ := extra(list, "Peak Memory Usage")
	wereBuckets, _ := extra(list, "Original Hash Buckets")
	wereBatches, ok := extra(list, "Original Hash Batches")
	if ok && (wereBuckets != buckets || wereBatches != batches) {
		buckets += " (originally " + wereBuckets + ")"
		batches += " (originally " + wereBatches + ")"
	}
	return "Buckets: " + buckets + "  Batches: " + batches + "  Memory Usage: " + memory + "kB"
}

// aggregateLine is the line of a hashed aggregate.
func aggregateLine(list []record.KeyValue) (string, bool) {
	var parts []string
	for _, p := range [...]struct{ key, label, unit string }{
		{"Planned Partitions", "Planned Partitions: ", ""}, {"HashAgg Batches", "Batches: ", ""},
		{"Peak Memory Usage", "Memory Usage: ", "kB"}, {"Disk Usage", "Disk Usage: ", "kB"},
	} {
		text, ok := extra(list, p.key)
		if ok && (text != "0" || p.key == "Peak Memory Usage") {
			parts = append(parts, p.label+text+p.unit)
		}
	}
	return strings.Join(parts, "  "), len(parts) > 0
}

func heapBlocksLine(list []record.KeyValue) (string, bool) {
	text := "Heap Blocks:"
	if exact, ok := extra(list, "Exact Heap Blocks"); ok && exact != "0" {
		text += " exact=" + exact
	}
	if lossy, ok := extra(list, "Lossy Heap Blocks"); ok && lossy != "0" {
		text += " lossy=" + lossy
	}
	return text, text != "Heap Blocks:"
}

// workerLines are the lines of a worker.
func workerLines(w *record.Worker) []string {
	var lines []string
	if w.Fields&record.HasActual != 0 {
		lines = append(lines, actualText(w.ActualStartup, w.ActualTotal, w.ActualRows, w.ActualLoops, w.Fields))
	}
	if w.SortMethod != "" {
		lines = append(lines, fmt.Sprintf("Sort Method: %s  %s: %dkB", w.SortMethod, w.SortSpaceType, w.SortSpaceKB))
	}
	var last []string
	for i, kv := range w.Extra {
		switch {
		case kv.Key == ioTimings || kv.Key == "WAL":
			last = append(last, kv.Key+": "+kv.Value)
		default:
			if text, ok := extraLine(w.Extra, i); ok && !isWorkerFigure(kv.Key) {
				lines = append(lines, text)
			}
		}
	}
	if text := buffersText(&w.Buffers); text != "" {
		lines = append(lines, "Buffers: "+text)
	}
	return slices.Concat(lines, last)
}

// isWorkerFigure tells the figures of a worker that other formats list one by
// one.
func isWorkerFigure(key string) bool {
	return strings.HasSuffix(key, "I/O Read Time") || strings.HasSuffix(key, "I/O Write Time") || strings.HasPrefix(key, "WAL ")
}
