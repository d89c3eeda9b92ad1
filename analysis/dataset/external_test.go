package dataset

import (
	"fmt"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

// seriesRow is a row of a file of the user's; an empty text is null.
func seriesRow(file string, line int64, at record.Time, names []string, texts ...string) record.Sample {
	values := make([]record.Value, len(texts))
	for i, t := range texts {
		values[i] = record.Value{Text: t, Valid: t != ""}
	}
	return record.Sample{View: record.ViewSeries, CapturedAt: at, Pos: record.Pos{File: file, Line: line},
		Columns: record.NewColumns(append([]string{record.SeriesTime}, names...)), Values: append([]record.Value{{Text: "t", Valid: true}}, values...)}
}

func TestNumbersAreSeriesAndSparseTextsAreMarks(t *testing.T) {
	d := New(DefaultLimits(), intern)
	names := []string{"p95_ms", "tenants", "deploy"}
	d.Fold(&record.Batch{Samples: []record.Sample{
		seriesRow("app.csv", 4, 30, names, "450.5", "550", ""),
		seriesRow("app.csv", 2, 10, names, "150", "50", ""),
		seriesRow("app.csv", 3, 20, names, "", "300", "v2"),
	}})
	m := d.Build()
	if len(m.External) != 2 || m.External[0].Name != "p95_ms" || m.External[1].Name != "tenants" {
		t.Fatalf("series %+v, want p95_ms and tenants", m.External)
	}
	p95 := m.External[0]
	if p95.Unit != "ms" || len(p95.Points) != 2 || p95.Points[0].Value != 150 || p95.Points[1].Value != 450.5 || p95.Points[1].Pos.Line != 4 {
		t.Errorf("p95_ms %+v: a missing reading is none, not 0, and readings are by time", p95)
	}
	if len(m.Marks) != 1 || m.Marks[0].Text != "v2" || m.Marks[0].Time != 20 {
		t.Errorf("marks %+v, want v2 at 20", m.Marks)
	}
}

func TestTextsOfMostRowsSplitASeries(t *testing.T) {
	d := New(DefaultLimits(), intern)
	names := []string{"latency", "tenant"}
	d.Fold(&record.Batch{Samples: []record.Sample{
		seriesRow("app.csv", 2, 10, names, "1", "b"), seriesRow("app.csv", 3, 10, names, "2", "a"),
	}})
	m := d.Build()
	if len(m.External) != 2 || m.External[0].Name != "latency (tenant=a)" || m.External[1].Name != "latency (tenant=b)" || len(m.Marks) != 0 {
		t.Errorf("series %+v, marks %+v", m.External, m.Marks)
	}
}

func TestRowsWithoutNumbersAreMarks(t *testing.T) {
	d := New(DefaultLimits(), intern)
	d.Fold(&record.Batch{Samples: []record.Sample{
		seriesRow("deploys.csv", 2, 10, []string{"service", "version"}, "api", "v1.2.3"),
	}})
	m := d.Build()
	if len(m.External) != 0 || len(m.Marks) != 1 || m.Marks[0].Text != "api, v1.2.3" {
		t.Errorf("series %+v, marks %+v", m.External, m.Marks)
	}
}

func TestTooManyGroupsOfASeriesAreCounted(t *testing.T) {
	d := New(DefaultLimits(), intern)
	var b record.Batch
	for i := range 80 {
		b.Samples = append(b.Samples, seriesRow("app.csv", int64(i+2), record.Time(i), []string{"v", "zone", "rack"}, "1", fmt.Sprint("z", i/10), fmt.Sprint("r", i%10)))
	}
	d.Fold(&b)
	m := d.Build()
	if len(m.External) != maxLabels || m.Capped["groups of a series given"] != 80-maxLabels {
		t.Errorf("%d series, capped %v", len(m.External), m.Capped)
	}
}

func TestAColumnOfManyTextsSplitsNoSeries(t *testing.T) {
	d := New(DefaultLimits(), intern)
	var b record.Batch
	for i := range 1000 {
		b.Samples = append(b.Samples, seriesRow("app.csv", int64(i+2), record.Time(i), []string{"latency_ms", "tenant", "request_id"}, "1", fmt.Sprint("t", i%2), fmt.Sprint("id-", i)))
	}
	d.Fold(&b)
	m := d.Build()
	if len(m.External) != 2 || m.External[0].Name != "latency_ms (tenant=t0)" || len(m.External[0].Points) != 500 {
		t.Errorf("%d series, want one a tenant: %.300v", len(m.External), m.External)
	}
	if m.Capped["texts in a column of a series given, which splits no series,"] != 1 {
		t.Errorf("the column left out is not told: %v", m.Capped)
	}
}
