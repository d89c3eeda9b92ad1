package signature

import (
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// indexBuild is what a CREATE INDEX or REINDEX statement builds: an index, the
// indexes of a table, or, with neither, any index.
type indexBuild struct {
	Index, Table string // lower case, without schema and quotes
}

// buildIn finds a CREATE INDEX or REINDEX at the start of a query, or after
// another statement or a comment in it.
func buildIn(query string) (indexBuild, bool) {
	words := strings.Fields(strings.ToLower(query))
	for i, w := range words {
		if i > 0 && !strings.HasSuffix(words[i-1], ";") && !strings.HasSuffix(words[i-1], "*/") {
			continue
		}
		rest := words[i+1:]
		switch {
		case w == "reindex" || strings.HasPrefix(w, "reindex("):
			return reindexTarget(rest), true
		case w == "create" && len(rest) > 0 && (rest[0] == "index" || len(rest) > 1 && rest[0] == "unique" && rest[1] == "index"):
			return createTarget(rest), true
		}
	}
	return indexBuild{}, false
}

// reindexTarget reads the words after REINDEX.
func reindexTarget(words []string) indexBuild {
	for i, w := range words {
		kind := strings.TrimLeft(w, "()")
		if kind != "index" && kind != "table" {
			continue
		}
		rest := words[i+1:]
		if len(rest) > 0 && rest[0] == "concurrently" {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			break
		}
		if kind == "index" {
			return indexBuild{Index: bareName(rest[0])}
		}
		return indexBuild{Table: bareName(rest[0])}
	}
	return indexBuild{}
}

// createTarget reads the words after CREATE.
func createTarget(words []string) indexBuild {
	for i, w := range words {
		if w != "on" {
			continue
		}
		rest := words[i+1:]
		if len(rest) > 0 && rest[0] == "only" {
			rest = rest[1:]
		}
		if len(rest) > 0 {
			return indexBuild{Table: bareName(rest[0])}
		}
	}
	return indexBuild{}
}

// bareName cuts schema, quotes and what follows a name.
func bareName(s string) string {
	if i := strings.IndexAny(s, "(;"); i >= 0 {
		s = s[:i]
	}
	if i := strings.LastIndexByte(s, '.'); i >= 0 {
		s = s[i+1:]
	}
	return strings.Trim(s, `"`)
}

// of reports whether the build may be that of x.
func (b indexBuild) of(x *dataset.Index) bool {
	base, _ := leftover(x.Index)
	switch {
	case b.Index != "":
		return b.Index == strings.ToLower(x.Index) || b.Index == strings.ToLower(base)
	case b.Table != "":
		return b.Table == strings.ToLower(x.Relation.Relation)
	}
	return true
}

// buildTraces is what activity and log show of index builds in general.
type buildTraces struct {
	rows   []buildRow
	errors []buildError
}

type buildRow struct {
	point *dataset.ActivityPoint
	build indexBuild
}

// buildError is an error whose text speaks of an index, or whose statement
// builds one.
type buildError struct {
	event *record.Event
	build indexBuild
	ended bool // the statement built an index
}

func buildTracesOf(m *dataset.Model) buildTraces {
	var t buildTraces
	for i := range m.Activity {
		if b, ok := buildIn(m.Activity[i].Query); ok {
			t.rows = append(t.rows, buildRow{&m.Activity[i], b})
		}
	}
	for i := range m.Events {
		e := &m.Events[i]
		if e.Kind != record.EventError {
			continue
		}
		x := buildError{event: e}
		if e.Statement != nil {
			x.build, x.ended = buildIn(e.Statement.Normalized)
		}
		if x.ended || strings.Contains(e.Text, "index") {
			t.errors = append(t.errors, x)
		}
	}
	return t
}

// of are the activity rows whose statement may build x, by time.
func (t *buildTraces) of(x *dataset.Index) []*dataset.ActivityPoint {
	var out []*dataset.ActivityPoint
	for _, r := range t.rows {
		if r.build.of(x) {
			out = append(out, r.point)
		}
	}
	return out
}

// failure is the last error that names x, or that ended a statement building
// it; nil if there is none.
func (t *buildTraces) failure(x *dataset.Index) *record.Event {
	base, _ := leftover(x.Index)
	for i := len(t.errors) - 1; i >= 0; i-- {
		e := &t.errors[i]
		if e.ended && e.build.of(x) || strings.Contains(e.event.Text, `"`+x.Index+`"`) || strings.Contains(e.event.Text, `"`+base+`"`) {
			return e.event
		}
	}
	return nil
}
