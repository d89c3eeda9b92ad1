package dataset

import (
	"cmp"
	"maps"
	"slices"

	"github.com/pgassay/pgassay/parser/record"
)

// databaseIDs name the databases of pg_stat_statements, whose rows tell dbid.
type databaseIDs map[string]string

// statementDatabases takes the names from pg_stat_database. An id without a
// name is the main database if that one is not named otherwise and most calls
// are of that id, else a database of its own.
func (b *builder) statementDatabases() databaseIDs {
	ids := databaseIDs{}
	for i := range b.d.samples[record.ViewDatabase] {
		s := &b.d.samples[record.ViewDatabase][i]
		if id, name := text(s, "datid"), text(s, "datname"); id != "" && name != "" {
			ids[id] = b.databaseName(name)
		}
	}
	calls := map[string]int64{}
	for i := range b.d.samples[record.ViewStatements] {
		s := &b.d.samples[record.ViewStatements][i]
		if text(s, "datname") == "" {
			n, _ := s.Int("calls")
			calls[text(s, "dbid")] += n
		}
	}
	main := b.main != "" && slices.Contains(slices.Collect(maps.Values(ids)), "")
	byCalls := slices.SortedFunc(maps.Keys(calls), func(x, y string) int {
		return cmp.Or(cmp.Compare(calls[y], calls[x]), cmp.Compare(x, y))
	})
	for _, id := range byCalls {
		if _, named := ids[id]; named && b.main != "" {
			continue
		}
		if !main {
			ids[id], main = "", true
		} else if ids[id] == "" {
			ids[id] = "database " + id
		}
	}
	ids[""] = ""
	return ids
}

// of is the database of a row; "" is the main one.
func (ids databaseIDs) of(b *builder, s *record.Sample) string {
	if name := text(s, "datname"); name != "" {
		return b.databaseName(name)
	}
	return ids[text(s, "dbid")]
}
