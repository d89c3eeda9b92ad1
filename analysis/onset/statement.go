package onset

import (
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// sameTime is how far the end of a statement in the log and what a snapshot or
// a vacuum line tells of it may stand apart; clocks may have one second.
const sameTime = 2 * record.Second

// maxNames bounds the objects that one statement may name.
const maxNames = 64

// statements are what logged commands did to tables, indexes and statistics. One
// that another happening tells too only places that one.
func statements(m *dataset.Model, known []Happening) []Happening {
	var out []Happening
	for _, s := range m.Statements {
		read, ok := commandOf(s.Statement)
		if !ok {
			continue
		}
		for _, e := range s.Executions {
			if !e.Time.Known() || e.Kind == record.ExecExplain {
				continue
			}
			for _, h := range read {
				h.Start, h.End, h.Pos = e.Start, e.Time, e.Pos
				if h.Relation = m.Relation(h.table); h.Relation != nil && (h.Kind == TableVacuum || h.Kind == Analyze) {
					h.Vacuum = &dataset.Vacuum{Start: h.Start, End: h.End, Target: h.Relation}
					h.Vacuum.Pos = h.Pos
				}
				if !placed(known, &h) {
					out = append(out, h)
				}
			}
		}
	}
	return out
}

// placed gives the time and place of h to the happening of the list that is the
// same, if there is one.
func placed(list []Happening, h *Happening) bool {
	for i := range list {
		k := &list[i]
		same := k.Kind == h.Kind && (h.index != "" && k.index == h.index || h.index == "" && h.table != "" && k.table == h.table)
		if !same || h.End < k.Start.Add(-sameTime) || h.Start > k.End.Add(sameTime) {
			continue
		}
		if k.Within {
			k.Start, k.End, k.Pos, k.Within = h.Start, h.End, h.Pos, false
		}
		return true
	}
	return false
}

// commandOf is what a statement does, without its times.
func commandOf(s *record.Statement) ([]Happening, bool) {
	words := strings.Fields(s.Normalized)
	if len(words) < 2 {
		return nil, false
	}
	switch s.Command {
	case "CREATE INDEX":
		return createdIndex(words), true
	case "DROP INDEX":
		return each(DropIndex, "drop of index ", listed(words[2:]), true), true
	case "REINDEX":
		return rebuilt(words[1:]), true
	case "ALTER TABLE", "TRUNCATE TABLE", "CLUSTER":
		rest := words[1:]
		if strings.EqualFold(rest[0], "table") {
			rest = rest[1:]
		}
		names := listed(rest)
		return each(TableChange, strings.ToLower(strings.TrimSuffix(s.Command, " TABLE"))+" of ", names[:min(1, len(names))], false), true
	case "VACUUM":
		return each(TableVacuum, "vacuum of ", listed(words[1:]), false), true
	case "ANALYZE":
		return each(Analyze, "analyze of ", listed(words[1:]), false), true
	}
	return nil, false
}

func each(kind Kind, text string, names []string, index bool) []Happening {
	var out []Happening
	for _, name := range names {
		h := Happening{Kind: kind, Text: text + name}
		if index {
			h.index = name
		} else {
			h.table = name
		}
		out = append(out, h)
	}
	return out
}

// listed are the names of a list at the start of words, options before it
// skipped.
func listed(words []string) []string {
	var out []string
	depth := 0
	for _, w := range words {
		depth += strings.Count(w, "(") - strings.Count(w, ")")
		if depth > 0 || strings.HasSuffix(w, ")") || option(w) {
			continue
		}
		name := bareName(w)
		if name != "" && len(out) < maxNames {
			out = append(out, name)
		}
		if !strings.HasSuffix(w, ",") && name != "" {
			break
		}
	}
	return out
}

func option(word string) bool {
	switch strings.ToLower(word) {
	case "concurrently", "if", "exists", "not", "only", "full", "freeze", "verbose", "analyze", "unique", ",":
		return true
	}
	return false
}

// createdIndex reads CREATE [UNIQUE] INDEX [CONCURRENTLY] [IF NOT EXISTS] [name]
// ON [ONLY] table.
func createdIndex(words []string) []Happening {
	on := slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, "on") })
	at := slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, "index") })
	if at < 0 || on < at {
		return nil
	}
	h := Happening{Kind: CreateIndex, Text: "creation of an index"}
	if names := listed(words[at+1 : on]); len(names) > 0 {
		h.index, h.Text = names[0], "creation of index "+names[0]
	}
	if names := listed(words[on+1:]); len(names) > 0 {
		h.table = names[0]
		h.Text += " on " + names[0]
	}
	return []Happening{h}
}

// rebuilt reads what follows REINDEX.
func rebuilt(words []string) []Happening {
	for i, w := range words {
		switch strings.ToLower(strings.TrimLeft(w, "()")) {
		case "index":
			return each(Reindex, "rebuild of index ", listed(words[i+1:]), true)
		case "table":
			return each(Reindex, "rebuild of the indexes of ", listed(words[i+1:]), false)
		}
	}
	return nil
}
