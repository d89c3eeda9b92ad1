package dataset

import (
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

func columnSizeRow(line int64, at record.Time, names []string, texts ...string) record.Sample {
	s := seriesRow("sizes.csv", line, at, names, texts...)
	s.View = record.ViewColumnSizes
	return s
}

func TestColumnSizesAreThoseOfTheLatestCapture(t *testing.T) {
	d := New(DefaultLimits(), intern)
	names := []string{"relname", "attname", "n", "p10", "p90", "p99"}
	d.Fold(&record.Batch{Samples: []record.Sample{
		columnSizeRow(2, 20, names, "items", "embedding", "5000", "253.9", "653", "698"),
		columnSizeRow(3, 10, names, "items", "embedding", "10", "100", "100", "100"),
		columnSizeRow(4, record.NoTime, names, "items", "embedding", "10", "200", "200", "200"),
		columnSizeRow(5, 20, names, "items", "title", "5000", "30", "31", ""),
		columnSizeRow(6, 20, names, "other", "embedding", "5000", "1", "1", "1"),
		columnSizeRow(7, 30, names, "items", "embedding", "5000", "9", "-1", ""),
	}})
	m := d.Build()
	got := m.ColumnSizes(&Relation{Schema: "public", Relation: "items"})
	if len(got) != 2 || got[0].Column != "embedding" || got[0].Pos.Line != 2 || got[1].Column != "title" {
		t.Fatalf("%+v, want the rows of lines 2 and 5", got)
	}
	if low, high, ok := got[0].Spread(); !ok || low != (SizeAt{"p10", 253.9}) || high != (SizeAt{"p90", 653}) || !got[0].Varies() || got[0].Fixed() {
		t.Errorf("spread %v %v %v of %+v", low, high, ok, got[0])
	}
	if got[1].Varies() || got[1].Fixed() {
		t.Errorf("%+v: a byte is alignment, and nothing tells the tenth above p90", got[1])
	}
	m.Database = "shop"
	if r := (&Relation{Schema: "public", Relation: "items", Database: "other"}); len(m.ColumnSizes(r)) > 0 {
		t.Error("rows without a database are those of another than the main one")
	}
	if m.From.Known() {
		t.Errorf("span from %v: sizes are looked at whenever it suits", m.From)
	}
}

func TestColumnSizesOfADatabase(t *testing.T) {
	d := New(DefaultLimits(), intern)
	d.Fold(&record.Batch{Samples: []record.Sample{
		columnSizeRow(2, 20, []string{"datname", "relname", "attname", "p10", "p90"}, "shop", "public.items", "embedding", "100", "200"),
	}})
	m := d.Build()
	for _, c := range []struct {
		main, of string
		want     int
	}{{"shop", "", 1}, {"", "", 1}, {"other", "shop", 1}, {"other", "", 0}, {"shop", "other", 0}, {"", "other", 0}} {
		m.Database = c.main
		if got := m.ColumnSizes(&Relation{Database: c.of, Schema: "public", Relation: "items"}); len(got) != c.want {
			t.Errorf("main %q, table of %q: %+v", c.main, c.of, got)
		}
	}
}
