package dataset

import (
	"math"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

// rows makes samples of a view; each row has a time in seconds and values by
// column.
func rows(view record.View, columns []string, values ...[]string) []record.Sample {
	c := record.NewColumns(columns)
	var out []record.Sample
	for i, v := range values {
		s := record.Sample{View: view, Columns: c, Pos: record.Pos{File: string(view), Line: int64(i + 2), Offset: int64(i)}, CapturedAt: record.NoTime}
		for _, text := range v {
			s.Values = append(s.Values, record.Value{Text: text, Valid: text != ""})
		}
		if t, ok := s.Time("captured_at"); ok {
			s.CapturedAt, s.TimeSource = t, record.TimeColumn
		}
		out = append(out, s)
	}
	return out
}

var indexColumns = []string{"captured_at", "schemaname", "relname", "indexrelname", "indexrelid", "relfilenode", "index_size"}

func buildSamples(samples []record.Sample, vacuums ...record.Vacuum) *Model {
	d := New(DefaultLimits(), intern)
	d.Fold(&record.Batch{Samples: samples, Vacuums: vacuums})
	return d.Build()
}

func at(text string) record.Time {
	t, ok := record.ParseTime(text)
	if !ok {
		panic(text)
	}
	return t
}

func TestIndexSizeIsInterpolatedBetweenReadingsOnly(t *testing.T) {
	m := buildSamples(rows(record.ViewIndexes, indexColumns,
		[]string{"2026-01-01 00:00:00Z", "public", "t", "i", "1", "1", "8192"},
		[]string{"2026-01-01 00:00:10Z", "public", "t", "i", "1", "1", "90112"}))
	x := m.Relation("t").Index("i")
	if p, ok := x.PagesAt(at("2026-01-01 00:00:05Z")); !ok || p != 6 {
		t.Errorf("pages halfway %g, %v, want 6", p, ok)
	}
	if _, ok := x.PagesAt(at("2026-01-01 00:00:11Z")); ok {
		t.Error("a size is given after the last reading")
	}
}

func TestNewRelfilenodeStartsANewIncarnation(t *testing.T) {
	m := buildSamples(rows(record.ViewIndexes, indexColumns,
		[]string{"2026-01-01 00:00:00Z", "public", "t", "i", "1", "1", "81920"},
		[]string{"2026-01-01 00:00:10Z", "public", "t", "i", "1", "2", "40960"}))
	x := m.Relation("public.t").Index("public.i")
	if len(x.Rebuilt) != 1 || x.Rebuilt[0].PagesBefore != 10 || x.Rebuilt[0].PagesAfter != 5 {
		t.Fatalf("rebuilt %+v, want one from 10 to 5 pages", x.Rebuilt)
	}
	if len(x.Sizes) != 1 || len(x.History) != 2 {
		t.Errorf("%d sizes of this incarnation and %d in all, want 1 and 2", len(x.Sizes), len(x.History))
	}
}

func TestRelpagesCountOnlyWhenRefreshed(t *testing.T) {
	columns := []string{"captured_at", "schemaname", "relname", "indexrelname", "relpages"}
	m := buildSamples(rows(record.ViewIndexes, columns,
		[]string{"2026-01-01 00:00:00Z", "public", "t", "i", "10"},
		[]string{"2026-01-01 00:00:10Z", "public", "t", "i", "10"},
		[]string{"2026-01-01 00:00:20Z", "public", "t", "i", "14"}))
	x := m.Relation("t").Index("i")
	if len(x.History) != 1 || x.History[0].Pages != 14 {
		t.Errorf("sizes %+v, want only the refreshed 14 pages", x.History)
	}
}

func TestVacuumSeenInLogAndSnapshotIsOne(t *testing.T) {
	columns := []string{"captured_at", "schemaname", "relname", "last_autovacuum", "last_vacuum"}
	samples := rows(record.ViewTables, columns,
		[]string{"2026-01-01 00:00:00Z", "public", "t", "2025-12-31 23:59:00Z", ""},
		[]string{"2026-01-01 00:01:00Z", "public", "t", "2026-01-01 00:00:30.2Z", ""},
		[]string{"2026-01-01 00:02:00Z", "public", "t", "2026-01-01 00:00:30.2Z", "2026-01-01 00:01:30Z"})
	m := buildSamples(samples, record.Vacuum{Kind: record.KindVacuum, LogTime: at("2026-01-01 00:00:30Z"), Schema: "public", Relation: "t",
		Elapsed: 5 * record.Second, HasElapsed: true, ProcessID: 1})
	v := m.Relation("t").Vacuums
	if len(v) != 2 {
		t.Fatalf("%d vacuums, want the logged one and the manual one; that before the first capture is none of ours", len(v))
	}
	if !v[0].FromLog || v[0].Start != at("2026-01-01 00:00:25Z") || v[1].FromLog || v[1].Auto {
		t.Errorf("vacuums %+v, %+v", v[0], v[1])
	}
}

func TestDifferencesAreSummedOverQueryIDsAndDropResets(t *testing.T) {
	columns := []string{"captured_at", "queryid", "query", "calls", "rows", "total_exec_time", "shared_blks_hit"}
	m := buildSamples(rows(record.ViewStatements, columns,
		[]string{"2026-01-01 00:00:00Z", "1", "q", "10", "100", "5.5", "1000"},
		[]string{"2026-01-01 00:00:10Z", "1", "q", "12", "120", "6.5", "1100"},
		[]string{"2026-01-01 00:00:20Z", "1", "q", "13", "130", "7.5", "1200"},
		[]string{"2026-01-01 00:00:20.001Z", "2", "q", "4", "40", "2", "7"},
		[]string{"2026-01-01 00:00:30Z", "1", "q", "1", "1", "1", "1"},
		[]string{"2026-01-01 00:00:30.001Z", "2", "q", "4", "40", "2", "7"}))
	d := m.Statement("q").Diffs
	if len(d) != 2 {
		t.Fatalf("%d differences, want 2: the reset drops the third", len(d))
	}
	if d[0].Calls != 2 || d[0].Rows != 20 || math.Abs(d[0].ExecTime-1) > 1e-9 || d[0].Hit != 100 {
		t.Errorf("first difference %+v", d[0])
	}
	if d[1].Calls != 5 || d[1].Rows != 50 || d[1].Hit != 107 {
		t.Errorf("second difference %+v: a new query id counts from 0", d[1])
	}
}

func TestRowsWithoutTimeAreCountedAndJoinNoSeries(t *testing.T) {
	m := buildSamples(rows(record.ViewIndexes, indexColumns, []string{"", "public", "t", "i", "1", "1", "8192"}))
	if m.Untimed[record.ViewIndexes] != 1 || len(m.Relation("t").Index("i").History) != 0 {
		t.Errorf("untimed %v, sizes %v", m.Untimed, m.Relation("t").Index("i").History)
	}
}

func TestColumnsOfTablesImplyTheLeastVersion(t *testing.T) {
	for column, want := range map[string]int{"relallfrozen": 18, "n_ins_since_vacuum": 13, "n_live_tup": 0} {
		m := buildSamples(rows(record.ViewTables, []string{"captured_at", "schemaname", "relname", column},
			[]string{"2026-01-01 00:00:00Z", "public", "t", "1"}))
		if m.LeastMajor != want {
			t.Errorf("%s implies %d, want %d", column, m.LeastMajor, want)
		}
	}
}
