package parser

import (
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

func TestReportCountsRepairsByKind(t *testing.T) {
	report, err := Stream(t.Context(), []string{"psql/testdata/transcript.txt", "psql/testdata/carriers/json_csv.txt"}, Options{}, func(*record.Batch) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Files {
		if f.Format != "psql" || len(f.Repairs) != 1 || f.Repairs[0].Name != "psql frames" || f.Repairs[0].Count != f.Plans || f.Repairs[0].Pos.File != f.Name {
			t.Errorf("%s: %s, %+v", f.Name, f.Format, f.Repairs)
		}
	}
	r := FileReport{}
	r.repair(record.Repair{Name: "a", Count: 1})
	r.repair(record.Repair{Name: "b", Count: 1})
	r.repair(record.Repair{Name: "a", Count: 2})
	if len(r.Repairs) != 2 || r.Repairs[0].Count != 3 {
		t.Errorf("%+v", r.Repairs)
	}
}
