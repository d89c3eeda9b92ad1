package dataset

import (
	"slices"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// linkPartitions links each table whose rows name a partition_parent to it. The
// parent is named as "schema.table", or as a table of the same schema.
func (b *builder) linkPartitions() {
	rows := b.d.samples[record.ViewTables]
	for i := range rows {
		s := &rows[i]
		parent, name := text(s, "partition_parent"), text(s, "relname")
		if parent == "" || name == "" {
			continue
		}
		database := text(s, "datname")
		r := b.relation(database, text(s, "schemaname"), name)
		if p := b.parent(r, database, parent); r.Parent == nil && p != r {
			r.Parent = p
			p.Partitions = append(p.Partitions, r)
		}
	}
	for _, r := range b.relations {
		sortBy(r.Partitions, func(x, y **Relation) bool { return (*x).Name < (*y).Name })
	}
}

func (b *builder) parent(r *Relation, database, name string) *Relation {
	for _, known := range []string{r.prefix() + name, strings.TrimSuffix(r.prefix(), r.Schema+".") + name} {
		if p := b.relations[known]; p != nil {
			return p
		}
	}
	if schema, table, ok := strings.Cut(name, "."); ok {
		return b.relation(database, schema, table)
	}
	return b.relation(database, r.Schema, name)
}

// Leaves are the tables that hold the rows: the relation itself, or the
// partitions of a partitioned table and of those below it.
func (r *Relation) Leaves() []*Relation {
	if len(r.Partitions) == 0 {
		return []*Relation{r}
	}
	var out []*Relation
	seen := map[*Relation]bool{r: true}
	for todo := slices.Clone(r.Partitions); len(todo) > 0; todo = todo[1:] {
		p := todo[0]
		if seen[p] {
			continue // damaged input: a circle
		}
		seen[p] = true
		if len(p.Partitions) == 0 {
			out = append(out, p)
		}
		todo = append(todo, p.Partitions...)
	}
	return out
}

// Targets are the tables that a write may go to: its target, or that one's
// partitions. The indexes that it pays for are theirs.
func (s *Statement) Targets() []*Relation {
	if s.Target == nil {
		return nil
	}
	return s.Target.Leaves()
}

// TargetIndexes are the indexes of all Targets.
func (s *Statement) TargetIndexes() []*Index {
	var out []*Index
	for _, r := range s.Targets() {
		out = append(out, r.Indexes...)
	}
	return out
}

// maxDepth bounds how far partitions are followed upwards: damaged input may
// hold a circle.
const maxDepth = 64

// Writes reports whether the statement may write the table: it is its target, or
// a partition of it.
func (s *Statement) Writes(r *Relation) bool {
	for depth := 0; r != nil && s.Target != nil && depth < maxDepth; r, depth = r.Parent, depth+1 {
		if r == s.Target {
			return true
		}
	}
	return false
}
