package analysis

import (
	"context"
	"fmt"

	"github.com/pgassay/pgassay/analysis/autovacuum"
	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/sqltext"
)

// Tuning is the vacuum advice for one table, and what it was read from.
type Tuning struct {
	*autovacuum.Advice
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
// index-only scan need the table. table is schema-qualified or not. Errors are an
// UnknownTableError and those of Run.
func Tune(ctx context.Context, paths []string, o Options, table string, tolerated float64) (*Tuning, error) {
	statements := sqltext.NewInterner(internedStatements)
	d := dataset.New(o.Limits, statements.Statement)
	rep, err := readAll(ctx, paths, o, statements, func(b *record.Batch) error {
		d.Fold(b)
		return nil
	})
	if err != nil {
		return nil, err
	}
	m := d.Build()
	r := m.Relation(table)
	if r == nil {
		unknown := &UnknownTableError{Name: table}
		for _, r := range m.Relations {
			unknown.Known = append(unknown.Known, r.Name)
		}
		return nil, unknown
	}
	t := &Tuning{Advice: autovacuum.Advise(m, r, tolerated), Server: m.Server, BlockSize: m.BlockSize, From: m.From, To: m.To}
	for i := range rep.Files {
		for _, l := range rep.Files[i].Losses {
			t.Losses += max(l.Count, 1)
		}
	}
	return t, nil
}
