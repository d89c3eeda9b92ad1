package dataset

import (
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

func TestTempFilesWithoutStatementBelongToTheSessionsExecution(t *testing.T) {
	file := func(session string, at int64) record.Event {
		return record.Event{Kind: record.EventTempFile, Session: session, ProcessID: 7, LogTime: record.Time(at * 1000), Count: 100, Pos: record.Pos{File: "log", Offset: at}}
	}
	d := New(DefaultLimits(), intern)
	d.Fold(&record.Batch{
		Executions: []record.Execution{
			line(record.ExecExecute, "a", "big sort", 4000, 117_000),
			line(record.ExecExecute, "a", "cursor", 9000, 3_000_000), // 6000 … 9000
			line(record.ExecExecute, "b", "other", 4000, 1_000),
		},
		Events: []record.Event{file("a", 4000), file("a", 4001), file("a", 8990), file("c", 4000)},
	})
	var got []string
	for _, e := range d.Build().Events {
		if e.Statement == nil {
			got = append(got, "-")
			continue
		}
		if !e.Inferred {
			t.Errorf("%s at %d is not marked as inferred", e.Statement.Normalized, e.LogTime)
		}
		got = append(got, e.Statement.Normalized)
	}
	want := []string{"big sort", "-", "big sort", "cursor"}
	for i := range want {
		if len(got) != len(want) || got[i] != want[i] {
			t.Fatalf("temporary files of %q, want %q", got, want)
		}
	}
}
