package onset

import (
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
)

// Subject is whose happenings are asked for.
type Subject struct {
	Statement *dataset.Statement
	Relations []*dataset.Relation
	// Index is the one that a vacuum must have cleaned to count as an
	// IndexVacuum; nil if none is asked for.
	Index *dataset.Index

	tables, indexes []string // names without schema
}

// SubjectOf is a statement with its tables, and the indexes that they have or
// that its plans use.
func SubjectOf(s *dataset.Statement) Subject {
	out := Subject{Statement: s, Relations: slices.Clone(s.Relations)}
	if s.Target != nil && !slices.Contains(out.Relations, s.Target) {
		out.Relations = append(out.Relations, s.Target)
	}
	for _, name := range s.Statement.Relations {
		out.tables = append(out.tables, bareName(name))
	}
	for _, r := range out.Relations {
		out.tables = append(out.tables, r.Relation)
		for _, x := range r.Indexes {
			out.indexes = append(out.indexes, x.Index)
		}
	}
	for _, shape := range s.Shapes {
		if shape.First.Plan == nil {
			continue
		}
		for i := range shape.First.Plan.Nodes {
			n := &shape.First.Plan.Nodes[i]
			out.tables, out.indexes = append(out.tables, n.RelationName), append(out.indexes, n.IndexName)
		}
	}
	empty := func(name string) bool { return name == "" }
	out.tables, out.indexes = slices.DeleteFunc(out.tables, empty), slices.DeleteFunc(out.indexes, empty)
	return out
}

// concerned reports whether h may concern the subject.
func (s *Subject) concerned(h *Happening) bool {
	switch {
	case h.Statement != nil:
		return h.Statement == s.Statement
	case h.table == "" && h.index == "":
		return true
	case h.index != "" && slices.Contains(s.indexes, h.index):
		return true
	case h.Relation != nil && len(s.Relations) > 0:
		return slices.Contains(s.Relations, h.Relation)
	}
	return slices.Contains(s.tables, h.table)
}

// Of are the happenings that may concern the subject: those of its tables, of
// its statement and of the server. A vacuum that is known to have cleaned the
// subject's index comes as an IndexVacuum.
func Of(list []Happening, s Subject) []Happening {
	var out []Happening
	for _, h := range list {
		if !s.concerned(&h) {
			continue
		}
		if h.Kind == TableVacuum && h.Vacuum != nil && s.Index != nil {
			if cleaned, known := h.Vacuum.CleanedIndex(s.Index.Index); cleaned && known {
				h.Kind, h.Index = IndexVacuum, s.Index
				h.Text += " cleaned " + s.Index.Index
			}
		}
		out = append(out, h)
	}
	return out
}

// bareName is a name as statements write it without schema, quotes and what
// follows.
func bareName(s string) string {
	if i := strings.IndexAny(s, "(;,"); i >= 0 {
		s = s[:i]
	}
	if i := strings.LastIndexByte(s, '.'); i >= 0 {
		s = s[i+1:]
	}
	return strings.Trim(s, `"`)
}
