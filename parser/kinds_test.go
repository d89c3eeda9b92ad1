package parser

import (
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

func TestKindsAreCountedByName(t *testing.T) {
	var k kinds
	k.add(&record.Batch{
		Executions: []record.Execution{{Kind: record.ExecPlan}, {Kind: record.ExecStatement}, {Kind: record.ExecExecute}, {Kind: 200}},
		Vacuums:    []record.Vacuum{{Kind: record.KindAnalyze}, {Kind: record.KindVacuum}, {Kind: record.KindAnalyze}},
		Events:     []record.Event{{Kind: record.EventError}, {Kind: record.EventLockWait}, {Kind: 200}},
		Samples:    make([]record.Sample, 3),
	})
	want := []KindCount{
		{"plans", 1}, {"durations", 2}, {"other executions", 1}, {"vacuums", 1}, {"analyzes", 2},
		{"lock waits", 1}, {"errors", 1}, {"other events", 1}, {"snapshot rows", 3},
	}
	got := k.list()
	if len(got) != len(want) {
		t.Fatalf("got %v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %v, want %v", got[i], want[i])
		}
	}
}
