package dataset

import (
	"fmt"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

// statementCaptures are rows of pg_stat_statements: five captures of four
// statements, a second apart, each row a microsecond after the one before. The
// rows from number cut on stand in another file.
func statementCaptures(cut int) *record.Batch {
	b := &record.Batch{}
	columns := record.NewColumns([]string{"queryid", "query", "calls"})
	for c := range 5 {
		for q := range 4 {
			n := len(b.Samples)
			pos := record.Pos{File: "a.csv", Line: int64(n + 2), Offset: int64(n)}
			if n >= cut {
				pos.File = "b.csv"
			}
			b.Samples = append(b.Samples, record.Sample{View: record.ViewStatements, Pos: pos, Columns: columns,
				CapturedAt: record.Time(c)*record.Time(record.Second) + record.Time(q),
				Values:     []record.Value{{Text: fmt.Sprint(q), Valid: true}, {Text: fmt.Sprintf("select %d", q), Valid: true}, {Text: fmt.Sprint(10 * (c + 1) * (q + 1)), Valid: true}}})
		}
	}
	return b
}

func TestACaptureCutIntoTwoFilesLosesNoStatement(t *testing.T) {
	for _, cut := range []int{20, 4, 6, 9, 10, 19} {
		d := New(DefaultLimits(), intern)
		d.Fold(statementCaptures(cut))
		m := d.Build()
		if n := m.SnapshotTimes[record.ViewStatements]; n != 5 {
			t.Errorf("cut at row %d: %d captures, want 5", cut, n)
		}
		for _, s := range m.Statements {
			var calls int64
			for _, x := range s.Diffs {
				calls += x.Calls
			}
			if want := 40 * int64(s.Diffs[0].Calls) / 10; len(s.Diffs) != 4 || calls != want {
				t.Errorf("cut at row %d: %s has %d differences and %d calls, want 4 and %d", cut, s.Fingerprint, len(s.Diffs), calls, want)
			}
		}
		if len(m.Statements) != 4 {
			t.Errorf("cut at row %d: %d statements, want 4", cut, len(m.Statements))
		}
	}
}
