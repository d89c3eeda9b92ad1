package dataset

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

// readCaptures reads testdata/breaks/<major>: captures of a real server of that
// version around the scripted events of wantBreaks. Before each event and after
// it every table got 100 rows. views leaves out what is not named; all if none.
func readCaptures(t *testing.T, major string, views ...record.View) []record.Sample {
	t.Helper()
	var out []record.Sample
	for file, view := range map[string]record.View{"tables": record.ViewTables, "indexes": record.ViewIndexes,
		"database": record.ViewDatabase, "server": record.ViewServer, "bgwriter": record.ViewBgwriter} {
		if len(views) > 0 && !slices.Contains(views, view) {
			continue
		}
		path := filepath.Join("testdata", "breaks", major, file+".csv")
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		all, err := csv.NewReader(f).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		samples := rows(view, all[0], all[1:]...)
		for i := range samples {
			samples[i].Pos.File = path
		}
		out = append(out, samples...)
	}
	return out
}

// wantBreaks is what the script did, in order, with what a crash's restart adds.
var wantBreaks = []string{
	"truncated public.trunc", "rewritten public.packed", "reindexed public.reidx_v", "reindexed concurrently public.reidx_v",
	"relallvisible refreshed by analyze public.plain", "statistics of one table reset public.single", "statistics reset ",
	"restart ", "crash ", "restart ", "crash ",
}

func saidBreaks(m *Model) []string {
	var out []string
	for _, b := range m.Breaks {
		name := b.Index
		if name == "" {
			name = b.Relation
		}
		out = append(out, b.Kind.String()+" "+name)
	}
	return out
}

func TestBreaksOfRealServersAreNamed(t *testing.T) {
	for _, major := range []string{"13", "15", "17", "18"} {
		m := buildSamples(readCaptures(t, major))
		got, want := saidBreaks(m), slices.Clone(wantBreaks)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("version %s: breaks\n got %q\nwant %q", major, got, want)
		}
	}
}

func TestNoDeltaCrossesABreakOfARealServer(t *testing.T) {
	for _, major := range []string{"13", "15", "17", "18"} {
		for _, views := range [][]record.View{nil, {record.ViewTables}} {
			m := buildSamples(readCaptures(t, major, views...))
			lost := map[string]int{"public.single": 4}
			for _, r := range m.Relations {
				deltas := r.Inserted()
				want := len(r.Points) - 1 - max(3, lost[r.Name])
				if len(deltas) != want {
					t.Errorf("version %s, %s: %d deltas of %d captures, want %d: a reset and two crashes end the counters", major, r.Name, len(deltas), len(r.Points), want)
				}
				for _, d := range deltas {
					if d.N != 100 && d.N != 200 {
						t.Errorf("version %s, %s: %d rows inserted by %s, the load inserted 100 or 200", major, r.Name, d.N, d.To.Std())
					}
				}
			}
		}
	}
}

// tableColumns are those of the small cases below.
var tableColumns = []string{"captured_at", "schemaname", "relname", "n_tup_ins", "n_tup_upd", "relation_size", "relallvisible", "vacuum_count", "autovacuum_count", "stats"}

func minuteRow(minute int, relation string, values ...string) []string {
	return append([]string{fmt.Sprintf("2026-01-01 00:%02d:00Z", minute), "public", relation}, values...)
}

func TestCrashOfTheLogEndsCountersThatCaughtUp(t *testing.T) {
	samples := rows(record.ViewTables, tableColumns,
		minuteRow(0, "t", "10", "0"), minuteRow(1, "t", "20", "0"), minuteRow(2, "t", "900", "0"), minuteRow(3, "t", "950", "0"))
	d := New(DefaultLimits(), intern)
	d.Fold(&record.Batch{Samples: samples, Events: []record.Event{
		{Kind: record.EventCrash, LogTime: at("2026-01-01 00:01:30Z"), Pos: record.Pos{File: "log", Line: 7}, Text: "server process (PID 5) was terminated by signal 9: Killed"},
		{Kind: record.EventCrash, LogTime: at("2026-01-01 00:01:31Z"), Pos: record.Pos{File: "log", Line: 9}, Text: "database system was not properly shut down"}}})
	m := d.Build()
	if got := saidBreaks(m); !slices.Equal(got, []string{"crash "}) || m.Breaks[0].Pos.Line != 7 {
		t.Errorf("breaks %q, want the one crash of line 7", got)
	}
	if n, _ := Total(m.Relation("t").Inserted()); n != 60 {
		t.Errorf("%d rows inserted, want 10 before and 50 after the crash", n)
	}
}

func TestCountersOfOneTableThatWentBackAreItsOwnReset(t *testing.T) {
	both := func(other string) *Model {
		return buildSamples(rows(record.ViewTables, tableColumns,
			minuteRow(0, "t", "10", "0"), minuteRow(0, "u", "500", "0"), minuteRow(1, "t", "5", "0"), minuteRow(1, "u", other, "0")))
	}
	if got := saidBreaks(both("501")); !slices.Equal(got, []string{"statistics of one table reset public.t"}) {
		t.Errorf("the other went on: breaks %q", got)
	}
	if got := saidBreaks(both("1")); !slices.Equal(got, []string{"statistics reset or crash "}) {
		t.Errorf("both went back: breaks %q", got)
	}
}

func TestRewriteWithoutRelfilenodeShowsInTheVisibilityMap(t *testing.T) {
	m := buildSamples(rows(record.ViewTables, tableColumns,
		minuteRow(0, "t", "10", "0", "81920", "9", "1", "0"), minuteRow(1, "t", "10", "0", "40960", "0", "1", "0"), // VACUUM FULL
		minuteRow(2, "t", "10", "0", "40960", "5", "2", "0"), minuteRow(3, "t", "10", "0", "8192", "0", "3", "0"))) // vacuum that truncates
	if got := saidBreaks(m); !slices.Equal(got, []string{"rewritten public.t"}) || m.Breaks[0].By != at("2026-01-01 00:01:00Z") {
		t.Errorf("breaks %q, want one rewrite by 00:01", got)
	}
}

// Version 13 shows a null stats_reset until the collector has written.
func TestFirstWordOfTheCollectorIsNoReset(t *testing.T) {
	for reset, want := range map[string][]string{
		"2026-01-01 00:00:00Z": nil, // before the first capture: the start of the server
		"2026-01-01 00:00:30Z": {"statistics of one table reset "},
	} {
		m := buildSamples(rows(record.ViewDatabase, []string{"captured_at", "datid", "datname", "xact_commit", "stats_reset"},
			[]string{"2026-01-01 00:00:01Z", "5", "shop", "0", ""}, []string{"2026-01-01 00:01:00Z", "5", "shop", "18", reset}))
		if got := saidBreaks(m); !slices.Equal(got, want) {
			t.Errorf("stats_reset %s: breaks %q, want %q", reset, got, want)
		}
	}
}

func TestStandbyTellsNoCountersOfWrites(t *testing.T) {
	server := rows(record.ViewServer, []string{"captured_at", "in_recovery"},
		[]string{"2026-01-01 00:00:00Z", "t"}, []string{"2026-01-01 00:01:00Z", "t"}, []string{"2026-01-01 00:02:00Z", "f"}, []string{"2026-01-01 00:03:00Z", "f"})
	m := buildSamples(append(server, rows(record.ViewTables, tableColumns,
		minuteRow(0, "t", "0", "0", "8192"), minuteRow(1, "t", "0", "0", "16384"), minuteRow(2, "t", "7", "0", "16384"), minuteRow(3, "t", "9", "0", "16384"))...))
	r := m.Relation("t")
	if !r.Points[0].Standby || r.Points[0].Ins.Known || !r.Points[0].RelationSize.Known || r.Points[2].Standby {
		t.Errorf("points %+v", r.Points)
	}
	if n, _ := Total(r.Inserted()); n != 2 {
		t.Errorf("%d rows inserted, want the 2 since the promotion was seen", n)
	}
	if got := saidBreaks(m); !slices.Equal(got, []string{"promotion "}) {
		t.Errorf("breaks %q", got)
	}
}

func TestResetOfStatementsCountsFromItsTime(t *testing.T) {
	statements := rows(record.ViewStatements, []string{"captured_at", "queryid", "query", "calls", "rows", "total_exec_time"},
		[]string{"2026-01-01 00:00:00Z", "1", "q", "10", "10", "1"}, []string{"2026-01-01 00:00:00.001Z", "2", "gone", "10", "10", "1"},
		[]string{"2026-01-01 00:01:00Z", "1", "q", "30", "30", "3"},
		[]string{"2026-01-01 00:01:00.001Z", "3", "new", "4", "4", "3"})
	info := rows(record.ViewStatementsInfo, []string{"captured_at", "dealloc", "stats_reset"},
		[]string{"2026-01-01 00:00:00Z", "0", "2025-12-01 00:00:00Z"}, []string{"2026-01-01 00:01:00Z", "0", "2026-01-01 00:00:50Z"})
	m := buildSamples(append(statements, info...))
	for fp, calls := range map[string]int64{"q": 30, "new": 4} {
		d := m.Statement(fp).Diffs
		if len(d) != 1 || d[0].Calls != calls || d[0].From != at("2026-01-01 00:00:50Z") {
			t.Errorf("%s: differences %+v, want %d calls since the reset", fp, d, calls)
		}
	}
	if got := saidBreaks(m); !slices.Equal(got, []string{"pg_stat_statements reset "}) {
		t.Errorf("breaks %q", got)
	}
}

func TestStatementsAndTablesOfTwoDatabasesStayApart(t *testing.T) {
	columns := []string{"captured_at", "datname", "queryid", "dbid", "query", "calls", "rows", "total_exec_time"}
	statements := rows(record.ViewStatements, columns,
		[]string{"2026-01-01 00:00:00Z", "", "1", "5", "q", "10", "10", "1"}, []string{"2026-01-01 00:00:00.001Z", "", "1", "6", "q", "100", "10", "1"},
		[]string{"2026-01-01 00:01:00Z", "", "1", "5", "q", "11", "10", "1"}, []string{"2026-01-01 00:01:00.001Z", "", "1", "6", "q", "200", "10", "1"})
	databases := rows(record.ViewDatabase, []string{"captured_at", "datid", "datname"},
		[]string{"2026-01-01 00:00:00Z", "5", "app"}, []string{"2026-01-01 00:00:00Z", "6", "other"})
	tables := rows(record.ViewTables, []string{"captured_at", "datname", "schemaname", "relname", "n_tup_ins"},
		[]string{"2026-01-01 00:00:00Z", "app", "public", "t", "1"}, []string{"2026-01-01 00:00:00Z", "other", "public", "t", "1000"},
		[]string{"2026-01-01 00:01:00Z", "app", "public", "t", "3"})
	m := buildSamples(slices.Concat(statements, databases, tables))
	var got []string
	for _, s := range m.Statements {
		got = append(got, fmt.Sprintf("%s %q %d", s.Fingerprint, s.Database, s.Diffs[0].Calls))
	}
	if want := []string{`q "" 1`, `q "other" 100`}; !slices.Equal(got, want) {
		t.Errorf("statements %q, want %q", got, want)
	}
	if n, _ := Total(m.Relation("t").Inserted()); n != 2 || m.Relation("other.public.t") == nil || len(m.Breaks) > 0 {
		t.Errorf("%d rows inserted in app's table, breaks %q", n, strings.Join(saidBreaks(m), ", "))
	}
}
