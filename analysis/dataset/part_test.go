package dataset

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

// in puts samples into a file.
func in(file string, samples []record.Sample) []record.Sample {
	for i := range samples {
		samples[i].Pos.File = file
	}
	return samples
}

// aboutServer is a row about a server at a minute.
func aboutServer(file string, minute int, system, version, recovery string) []record.Sample {
	return in(file, rows(record.ViewServer, []string{"captured_at", "system_identifier", "server_version", "in_recovery"},
		[]string{fmt.Sprintf("2026-01-01 00:%02d:00Z", minute), system, version, recovery}))
}

func table(file string, minute int, ins string) []record.Sample {
	return in(file, rows(record.ViewTables, tableColumns, minuteRow(minute, "t", ins, "0")))
}

// saidServers are the parts with what they are told by and their files.
func saidServers(samples []record.Sample, events ...record.Event) []string {
	d := New(DefaultLimits(), intern)
	d.Fold(&record.Batch{Samples: samples, Events: events})
	var out []string
	for _, p := range d.Servers() {
		out = append(out, fmt.Sprintf("%s [%s] %s", p.Name, p.Told, strings.Join(p.Files, " ")))
	}
	return out
}

func TestServersThatTheInputTellsApart(t *testing.T) {
	start := func(file, version string) record.Event {
		return record.Event{Kind: record.EventServerStart, Text: version, Pos: record.Pos{File: file}}
	}
	port := func(file, port string) []record.Sample {
		return in(file, rows(record.ViewSettings, []string{"captured_at", "name", "setting"}, []string{"2026-01-01 00:00:00Z", "port", port}))
	}
	cases := []struct {
		name    string
		samples [][]record.Sample
		events  []record.Event
		want    []string
	}{
		{"one server is one part", [][]record.Sample{aboutServer("a/s", 0, "1", "17.2", "f"), table("b/t", 0, "1")}, nil, []string{" [] "}},
		{"a minor update is one server", nil, []record.Event{start("a/1", "17.1"), start("b/2", "17.2")}, []string{" [] "}},
		{"by system_identifier, and the folder's other files with it",
			[][]record.Sample{aboutServer("a/s", 0, "1", "17.2", "f"), table("a/t", 0, "1"), aboutServer("b/s", 0, "2", "17.2", "f"), table("b/t", 0, "9")}, nil,
			[]string{"server1 [PostgreSQL 17, system 1] a/s a/t", "server2 [PostgreSQL 17, system 2] b/s b/t"}},
		{"by version, and what could be of any apart",
			[][]record.Sample{table("c/t", 0, "1")}, []record.Event{start("a/log", "15.3"), start("b/log", "17.2")},
			[]string{"server1 [PostgreSQL 15] a/log", "server2 [PostgreSQL 17] b/log", "server3 [] c/t"}},
		{"the nearest folder", [][]record.Sample{table("x/a/snap/t", 0, "1")}, []record.Event{start("x/a/log/l", "15.3"), start("x/b/log/l", "17.2")},
			[]string{"server1 [PostgreSQL 15] x/a/log/l x/a/snap/t", "server2 [PostgreSQL 17] x/b/log/l"}},
		{"by port", [][]record.Sample{port("a/s", "5432"), port("b/s", "5433")}, nil, []string{"server1 [port 5432] a/s", "server2 [port 5433] b/s"}},
		{"files of one folder that disagree", [][]record.Sample{aboutServer("a/1", 0, "1", "17.2", "f"), aboutServer("a/2", 0, "2", "17.2", "f")}, nil,
			[]string{"server1 [PostgreSQL 17, system 1] a/1", "server2 [PostgreSQL 17, system 2] a/2"}},
		{"a standby beside its primary", [][]record.Sample{aboutServer("a/s", 0, "1", "17.2", "f"), aboutServer("b/s", 1, "1", "17.2", "t")}, nil,
			[]string{"server1 [PostgreSQL 17, system 1] a/s", "server2 [PostgreSQL 17, system 1, standby] b/s"}},
		{"a promotion is one server", [][]record.Sample{aboutServer("a/s", 0, "1", "17.2", "t"), aboutServer("b/s", 1, "1", "17.2", "f")}, nil, []string{" [] "}},
	}
	for _, c := range cases {
		if got := saidServers(slices.Concat(c.samples...), c.events...); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

func TestPartsHoldNothingOfEachOther(t *testing.T) {
	d := New(DefaultLimits(), intern)
	for i, file := range []string{"a/", "b/"} {
		system := fmt.Sprint(i + 1)
		for minute := range 2 {
			d.Fold(&record.Batch{Samples: slices.Concat(aboutServer(file+"s", minute, system, "17.2", "f"), table(file+"t", minute, fmt.Sprint(1000*i+minute)))})
		}
		e := plan("1", "q", 1000, 50, false)
		e.Pos.File, e.Plan = file+"log", &record.Plan{}
		d.Fold(&record.Batch{Executions: []record.Execution{e}, Vacuums: []record.Vacuum{{Pos: e.Pos, Kind: record.KindVacuum, Schema: "public", Relation: "t"}}})
	}
	for _, p := range d.Servers() {
		m := p.Build()
		r := m.Relation("t")
		if len(r.Points) != 2 || len(r.Inserted()) != 1 || len(r.Vacuums) != 1 || len(m.Executions) != 1 || len(m.Breaks) > 0 || m.Mixed() {
			t.Errorf("%s: %d captures, %d vacuums, %d executions, breaks %q", p.Name, len(r.Points), len(r.Vacuums), len(m.Executions), saidBreaks(m))
		}
		if x := m.Statement("q").Shapes[0].First; x.Pos.File != m.Executions[0].Pos.File {
			t.Errorf("%s: the plan of %s stands for that of %s", p.Name, x.Pos.File, m.Executions[0].Pos.File)
		}
	}
}

func TestTablesThatAlternateAreMixed(t *testing.T) {
	columns := []string{"captured_at", "schemaname", "relname", "relid"}
	oids := func(oids ...string) *Model {
		var values [][]string
		for i, oid := range oids {
			values = append(values, minuteRow(i, "t", oid))
		}
		return buildSamples(rows(record.ViewTables, columns, values...))
	}
	if m := oids("1", "2", "1"); !m.Mixed() || !slices.Equal(m.Alternating, []string{"public.t"}) {
		t.Errorf("alternating %q, want public.t", m.Alternating)
	}
	if m := oids("1", "2", "2"); m.Mixed() || !slices.Equal(saidBreaks(m), []string{"dropped and created again public.t"}) {
		t.Errorf("a table made anew: alternating %q, breaks %q", m.Alternating, saidBreaks(m))
	}
}
