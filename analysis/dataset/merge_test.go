package dataset

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

// everything is the records of a server with breaks of all kinds, one batch for
// each: real captures, and a log, statements, activity and settings made up.
func everything(t *testing.T, r *rand.Rand) []record.Batch {
	var out []record.Batch
	add := func(samples []record.Sample) {
		for i := range samples {
			samples[i].Pos.Offset = int64(len(out)) // no two rows have one place
			out = append(out, record.Batch{Samples: samples[i : i+1]})
		}
	}
	captures := readCaptures(t, []string{"13", "15", "17", "18"}[r.IntN(4)])
	add(captures)
	from := captures[0].CapturedAt
	stamp := func(n int) string {
		return from.Add(record.Duration(n) * record.Second).Std().Format("2006-01-02 15:04:05.999999Z07:00")
	}
	for i := range 60 {
		add(in(fmt.Sprintf("statements%d.csv", i%3), rows(record.ViewStatements,
			[]string{"captured_at", "queryid", "dbid", "query", "calls", "rows", "total_exec_time", "stats_since"},
			[]string{stamp(5 * (i / 4)), fmt.Sprint(i % 4), fmt.Sprint(5 + i%2), fmt.Sprintf("q%d", i%3), fmt.Sprint(r.IntN(1000)), "1", "1", stamp(r.IntN(60))})))
		add(in("activity.csv", rows(record.ViewActivity, []string{"captured_at", "pid", "query", "state"},
			[]string{stamp(i), fmt.Sprint(i % 7), fmt.Sprintf("q%d", i%5), "active"})))
	}
	add(in("info.csv", rows(record.ViewStatementsInfo, []string{"captured_at", "stats_reset"},
		[]string{stamp(0), stamp(-100)}, []string{stamp(30), stamp(20)}, []string{stamp(60), stamp(20)})))
	add(in("settings.csv", rows(record.ViewSettings, []string{"captured_at", "name", "setting"},
		[]string{stamp(0), "work_mem", "4096"}, []string{stamp(30), "work_mem", "8192"}, []string{stamp(30), "block_size", "8192"})))
	add(in("parts.csv", rows(record.ViewTables, []string{"captured_at", "datname", "schemaname", "relname", "partition_parent", "n_tup_ins"},
		[]string{stamp(0), "app", "public", "p1", "public.p", "5"}, []string{stamp(9), "app", "public", "p1", "public.p", "2"},
		[]string{stamp(0), "other", "public", "plain", "", "5"}, []string{"", "app", "public", "p2", "public.p", "5"})))
	for i, e := range workload(200) {
		e.Pos = record.Pos{File: fmt.Sprintf("log%d", i%2), Line: int64(i), Offset: int64(i)}
		e.LogTime = from.Add(record.Duration(r.IntN(100)) * record.Second)
		e.Database = []string{"app", "app", "other"}[i%3]
		out = append(out, record.Batch{Executions: []record.Execution{e}})
	}
	for i := range 20 {
		pos := record.Pos{File: "log0", Line: int64(1000 + i), Offset: int64(1000 + i)}
		at := from.Add(record.Duration(5*i) * record.Second)
		out = append(out,
			record.Batch{Events: []record.Event{{Pos: pos, LogTime: at, Kind: []record.EventKind{record.EventCrash, record.EventReload, record.EventServerStart}[i%3], Text: []string{"17.2", "16.1"}[i%2]}}},
			record.Batch{Vacuums: []record.Vacuum{{Pos: pos, LogTime: at, Kind: record.KindVacuum, ProcessID: int32(i), Database: "app", Schema: "public", Relation: "plain",
				Elapsed: record.Second, HasElapsed: true}}})
	}
	return out
}

// built folds the batches into some datasets, in a random order, merges these in
// a random order, and builds.
func built(batches []record.Batch, r *rand.Rand) (*Model, []ServerPart) {
	batches = slices.Clone(batches)
	r.Shuffle(len(batches), func(i, j int) { batches[i], batches[j] = batches[j], batches[i] })
	parts := make([]*Dataset, 1+r.IntN(6))
	for i := range parts {
		parts[i] = New(DefaultLimits(), intern)
	}
	for i := range batches {
		parts[r.IntN(len(parts))].Fold(&batches[i])
	}
	for len(parts) > 1 {
		i := r.IntN(len(parts) - 1)
		parts[i].Merge(parts[i+1])
		parts = slices.Delete(parts, i+1, i+2)
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	}
	return parts[0].Build(), parts[0].Servers()
}

// TestAnySplitAndOrderBuildTheSameModel is the law of Fold and Merge: both
// commute and associate, breaks and all.
func TestAnySplitAndOrderBuildTheSameModel(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 99))
		batches := everything(t, r)
		want, _ := built(batches, r)
		if len(want.Breaks) < 8 {
			t.Fatalf("seed %d: only %d breaks: the test says nothing", seed, len(want.Breaks))
		}
		for range 4 {
			got, _ := built(batches, r)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: another order or split builds another model: %s", seed, difference(got, want))
			}
		}
	}
}

// TestAnySplitAndOrderTellsTheSameServers is the same law for two servers.
func TestAnySplitAndOrderTellsTheSameServers(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 7))
		batches := everything(t, r)
		for i, s := range slices.Concat(aboutServer("b/s", 0, "2", "16.1", "f"), table("b/t", 0, "5"), table("b/t", 1, "9")) {
			s.Pos.Offset = int64(i)
			batches = append(batches, record.Batch{Samples: []record.Sample{s}})
		}
		_, want := built(batches, r)
		_, got := built(batches, r)
		if len(want) < 2 || len(got) != len(want) {
			t.Fatalf("seed %d: %d and %d servers", seed, len(got), len(want))
		}
		for i := range want {
			a, b := got[i].Build(), want[i].Build()
			if got[i].Name != want[i].Name || got[i].Told != want[i].Told || !slices.Equal(got[i].Files, want[i].Files) || !reflect.DeepEqual(a, b) {
				t.Fatalf("seed %d: %s %q or %s %q: %s", seed, got[i].Name, got[i].Told, want[i].Name, want[i].Told, difference(a, b))
			}
		}
	}
}

// difference names the fields of two models that differ.
func difference(a, b *Model) string {
	var out []string
	x, y := reflect.ValueOf(*a), reflect.ValueOf(*b)
	for i := range x.NumField() {
		f := x.Type().Field(i)
		if f.IsExported() && !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			out = append(out, f.Name)
		}
	}
	return fmt.Sprint(out)
}
