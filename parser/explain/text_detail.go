package explain

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/record"
)

// detailNames are the figures that text prints several to a line, and their
// JSON names. A line not listed is kept under the name it has.
var detailNames = map[string]string{
	"Sort Method":        "Sort Method",
	"Buckets":            "Hash Buckets",
	"Memory Usage":       "Peak Memory Usage",
	"Disk Usage":         "Disk Usage",
	"Planned Partitions": "Planned Partitions",
	"Hits":               "Cache Hits",
	"Misses":             "Cache Misses",
	"Evictions":          "Cache Evictions",
	"Overflows":          "Cache Overflows",
	"Storage":            "Storage",
	"Maximum Storage":    "Maximum Storage",
}

// details keeps the figures and conditions of a line under their JSON names.
func (p *Parser) details(list *[]record.KeyValue, nodeType string, text []byte) {
	name, value, ok := cutKey(text)
	if !ok {
		return
	}
	switch {
	case string(name) == "Heap Blocks":
		p.heapBlocks(list, value)
		return
	case string(name) != "Batches" && detailNames[string(name)] == "":
		p.keep(list, p.interns.string(name), value)
		return
	}
	for part := range bytes.SplitSeq(text, []byte("  ")) {
		if name, value, ok := cutKey(part); ok {
			p.detail(list, nodeType, name, value)
		}
	}
}

// detail keeps one figure of several in a line.
func (p *Parser) detail(list *[]record.KeyValue, nodeType string, name, value []byte) {
	switch string(name) {
	case "Memory", "Disk": // behind "Sort Method"
		p.keep(list, "Sort Space Used", bytes.TrimSuffix(value, kilobytes))
		p.keep(list, "Sort Space Type", name)
		return
	case "Buckets", "Batches":
		if nodeType == "Hash" {
			p.hashSize(list, string(name), value)
			return
		}
		p.keep(list, "HashAgg Batches", value)
		return
	}
	key := detailNames[string(name)]
	if key == "" {
		key = p.interns.string(name)
	}
	p.keep(list, key, bytes.TrimSuffix(value, kilobytes))
}

// hashSize reads "16 (originally 1)"; what is not printed has not changed.
func (p *Parser) hashSize(list *[]record.KeyValue, name string, value []byte) {
	now, original, changed := bytes.Cut(value, []byte(" (originally "))
	original = bytes.TrimSuffix(original, []byte{')'})
	if !changed {
		original = now
	}
	p.keep(list, "Hash "+name, now)
	p.keep(list, "Original Hash "+name, original)
}

// heapBlocks reads "exact=711 lossy=7761".
func (p *Parser) heapBlocks(list *[]record.KeyValue, value []byte) {
	assignWords(value, func(name, value []byte) {
		switch string(name) {
		case "exact":
			p.keep(list, "Exact Heap Blocks", value)
		case "lossy":
			p.keep(list, "Lossy Heap Blocks", value)
		}
	})
}
