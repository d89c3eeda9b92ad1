package dataset

import (
	"slices"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

func names(rs []*Relation) []string {
	var out []string
	for _, r := range rs {
		out = append(out, r.Name)
	}
	return out
}

// partitioned is events (2025 (h1, h2), 2026): version 13 does not list the
// parents; pgmetrics names a parent without its schema.
func partitioned() []record.Sample {
	columns := []string{"captured_at", "schemaname", "relname", "partition_parent"}
	indexes := rows(record.ViewIndexes, []string{"captured_at", "schemaname", "relname", "indexrelname"},
		minuteRow(0, "events_2026", "events_2026_v"), minuteRow(0, "events_h1", "events_h1_v"))
	return append(rows(record.ViewTables, columns,
		minuteRow(0, "events_2025", "public.events"), minuteRow(0, "events_2026", "events"),
		minuteRow(0, "events_h1", "public.events_2025"), minuteRow(0, "events_h2", "public.events_2025"), minuteRow(0, "other", "")), indexes...)
}

func TestWriteToAParentPaysForItsPartitions(t *testing.T) {
	d := New(DefaultLimits(), intern)
	x := line(record.ExecStatement, "a", "insert", 1000, 10)
	x.Statement.Target, x.Statement.Relations = "events", []string{"events"}
	d.Fold(&record.Batch{Samples: partitioned(), Executions: []record.Execution{x}})
	m := d.Build()
	s := m.Statement("insert")
	if s.Target == nil || s.Target.Name != "public.events" {
		t.Fatalf("target %v, want the parent that no snapshot lists", s.Target)
	}
	leaves := []string{"public.events_2026", "public.events_h1", "public.events_h2"}
	if got := names(s.Targets()); !slices.Equal(got, leaves) {
		t.Errorf("targets %q, want %q", got, leaves)
	}
	if got := names(s.Relations); !slices.Equal(got, append([]string{"public.events"}, leaves...)) {
		t.Errorf("relations %q", got)
	}
	if n := len(s.TargetIndexes()); n != 2 {
		t.Errorf("%d indexes, want those of two leaves", n)
	}
	if !s.Writes(m.Relation("events_h1")) || s.Writes(m.Relation("other")) {
		t.Error("the insert writes events_h1 and not other")
	}
}

func TestCircleOfPartitionsEnds(t *testing.T) {
	m := buildSamples(rows(record.ViewTables, []string{"captured_at", "schemaname", "relname", "partition_parent"},
		minuteRow(0, "a", "b"), minuteRow(0, "b", "a"), minuteRow(0, "c", "c")))
	if got := names(m.Relation("a").Leaves()); len(got) != 0 {
		t.Errorf("leaves %q of a circle", got)
	}
	if (&Statement{Target: m.Relation("c")}).Writes(m.Relation("a")) {
		t.Error("a is no partition of c")
	}
}
