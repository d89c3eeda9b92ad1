package signature

import (
	"slices"

	"github.com/pgassay/pgassay/analysis/dataset"
)

// coveringIndex is the index of the table that can do all that x does, the
// smallest first; nil if none can. Of two that are alike the one to keep is the
// one that a constraint needs, then the one that is read more, then the first by
// name.
func coveringIndex(x *dataset.Index) *dataset.Index {
	own, ok := definitionOf(x.Definition)
	if !ok {
		return nil
	}
	var best *dataset.Index
	for _, o := range x.Relation.Indexes {
		last := latestPoint(o)
		other, ok := definitionOf(o.Definition)
		if o == x || !ok || last == nil || invalidNow(o) || !other.covers(&own) {
			continue
		}
		if own.covers(&other) && preferred(x, o) && (&unneeded{Last: last, Definition: o.Definition}).droppable() {
			continue // alike: the other one is the one to drop
		}
		if best == nil || lastPages(o) < lastPages(best) {
			best = o
		}
	}
	return best
}

// preferred reports whether x is to be kept rather than o, which is alike.
func preferred(x, o *dataset.Index) bool {
	a, b := latestPoint(x), latestPoint(o)
	if a != nil && a.Scans.Known && b.Scans.Known && a.Scans.N != b.Scans.N {
		return a.Scans.N > b.Scans.N
	}
	return x.Name < o.Name
}

func lastPages(x *dataset.Index) float64 {
	if n := len(x.History); n > 0 {
		return x.History[n-1].Pages
	}
	return 0
}

// covers reports whether an index of d answers whatever one of o does: same
// method and predicate, o's keys the first ones of d in the same spelling (all of
// them unless d is a b-tree), and o's further columns somewhere in d.
func (d *indexDefinition) covers(o *indexDefinition) bool {
	if d.Method != o.Method || d.Predicate != o.Predicate || len(d.Keys) < len(o.Keys) || d.Method != "btree" && len(d.Keys) != len(o.Keys) {
		return false
	}
	if !slices.Equal(d.Keys[:len(o.Keys)], o.Keys) {
		return false
	}
	for _, column := range o.Include {
		inKeys := slices.ContainsFunc(d.Keys, func(k string) bool { return keyColumn(k) == column })
		if !inKeys && !slices.Contains(d.Include, column) {
			return false
		}
	}
	return true
}
