package analysis

import (
	"context"
	"fmt"
	"slices"

	"github.com/pgassay/pgassay/analysis/autovacuum"
	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/sqltext"
)

// Tuning is the vacuum advice for one table, and what it was read from.
type Tuning struct {
	*autovacuum.Advice
	Name      string      // of the server, "" if the input has one only
	Server    string      // version, "" if not told
	BlockSize int64       // bytes
	From, To  record.Time // of everything timed in the input
	Losses    int64       // parts of the input that could not be read
}

// UnknownTableError says that the input has no table of that name.
type UnknownTableError struct {
	Name  string
	Known []string // tables that it has, sorted
}

func (e *UnknownTableError) Error() string {
	return fmt.Sprintf("no table %q in the input", e.Name)
}

// Tune reads the paths and works out how often the table must be vacuumed so
// that, just before a vacuum, at most tolerated (0..1) of the rows of an
// index-only scan need the table: on each server that has it, by name. table is
// schema-qualified or not. Errors are an UnknownTableError and those of Run.
func Tune(ctx context.Context, paths []string, o Options, table string, tolerated float64) ([]*Tuning, error) {
	statements := sqltext.NewInterner(internedStatements)
	d := dataset.New(o.Limits, statements.Statement)
	filter := newFiltering(o, d)
	rep, err := readAll(ctx, paths, o, statements, func(b *record.Batch) error {
		filter.see(b)
		d.Fold(b)
		return nil
	})
	if err != nil {
		return nil, err
	}
	out, err := unless(ctx, func() []*Tuning { return tunings(d, rep, table, tolerated) })
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, &UnknownTableError{Name: table, Known: knownTables(d)}
	}
	return out, nil
}

// tunings is the advice of each server that has the table.
func tunings(d *dataset.Dataset, rep *parser.Report, table string, tolerated float64) []*Tuning {
	var out []*Tuning
	for _, part := range d.Servers() {
		m := part.Build()
		if r := m.Relation(table); r != nil {
			out = append(out, &Tuning{Advice: autovacuum.Advise(m, r, tolerated), Name: part.Name, Server: m.Server, BlockSize: m.BlockSize,
				From: m.From, To: m.To, Losses: losses(rep, &part)})
		}
	}
	return out
}

// knownTables are the tables of all servers, sorted.
func knownTables(d *dataset.Dataset) []string {
	var out []string
	for _, part := range d.Servers() {
		for _, r := range part.Build().Relations {
			out = append(out, r.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// losses counts what could not be read of the files of a server.
func losses(rep *parser.Report, part *dataset.ServerPart) int64 {
	var n int64
	for i := range rep.Files {
		if f := &rep.Files[i]; part.Name == "" || slices.Contains(part.Files, f.Name) {
			for _, l := range f.Losses {
				n += max(l.Count, 1)
			}
		}
	}
	return n
}
