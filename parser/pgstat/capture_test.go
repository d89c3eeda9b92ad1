package pgstat

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

// oddTable is a table that was captured: everything that a name may hold.
const oddTable = "line\nbreak, \"quoted\" 'x' \\b 表"

var section = regexp.MustCompile(`(?m)^-- (\S+) --\n`)

// sections are the files of one capture: CSV by view.
func sections(t *testing.T, name string) map[record.View][]byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	files := map[record.View][]byte{}
	heads := section.FindAllSubmatchIndex(data, -1)
	for i, m := range heads {
		end := len(data)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		files[record.View(data[m[2]:m[3]])] = data[m[1]:end]
	}
	return files
}

// TestCapturesOfEachVersion: what pgassay snapshot-sql writes on PostgreSQL 12
// to 18 is recognised, and every value is what another reader of CSV sees.
func TestCapturesOfEachVersion(t *testing.T) {
	files, err := filepath.Glob("testdata/captures/pg*.txt")
	if err != nil || len(files) != 7 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		for view, data := range sections(t, name) {
			where := name + " " + string(view)
			if d := detect("x.csv", data); d == nil || d.View != view || d.TimeFrom != record.TimeColumn {
				t.Errorf("%s: %+v", where, d)
				continue
			}
			want, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
			if err != nil {
				t.Fatal(where, err)
			}
			b := read(t, "x.csv", data, 1<<20)
			if len(b.Samples) != len(want)-1 || len(b.Losses) > 0 {
				t.Errorf("%s: %d of %d rows, losses %v", where, len(b.Samples), len(want)-1, b.Losses)
				continue
			}
			for i := range b.Samples {
				for j, v := range b.Samples[i].Values {
					if v.Text != want[i+1][j] {
						t.Errorf("%s: row %d, %s is %q, want %q", where, i+1, want[0][j], v.Text, want[i+1][j])
					}
				}
			}
		}
	}
}

// TestCapturesHaveOneVocabulary: columns that were renamed have one name in
// every version, and what the analysis reads by name is there.
func TestCapturesHaveOneVocabulary(t *testing.T) {
	columns := map[record.View]string{
		record.ViewServer:       "server_version in_recovery postmaster_start_time system_identifier block_size next_xid wal_lsn datname",
		record.ViewStatements:   "queryid query calls rows total_exec_time mean_exec_time shared_blk_read_time datname usename",
		record.ViewVacuuming:    "phase num_dead_item_ids relname schemaname",
		record.ViewIndexing:     "phase indexrelname relname",
		record.ViewDatabase:     "numbackends frozenxid_age mxid_age datallowconn stats_reset",
		record.ViewActivity:     "pid backend_xmin backend_xmin_age wait_event",
		record.ViewSlots:        "slot_name xmin catalog_xmin xmin_age retained_bytes",
		record.ViewPrepared:     "gid prepared owner transaction_age",
		record.ViewReplication:  "backend_xmin replay_lag_bytes",
		record.ViewRoleSettings: "datname rolname name setting",
		record.ViewTables: "relid schemaname relname relkind relpages reltuples relallvisible relfilenode reloptions partition_parent " +
			"frozenxid_age mxid_age relation_size table_size indexes_size toast_size total_relation_size",
		record.ViewIndexes: "indexrelid relpages relfilenode index_size indexdef amname indisvalid indisready indisunique indisprimary " +
			"indisexclusion indisreplident conname partition_parent",
	}
	for version := 12; version <= 18; version++ {
		name := fmt.Sprintf("testdata/captures/pg%d.txt", version)
		files := sections(t, name)
		for view, names := range columns {
			line, _, _ := strings.Cut(string(files[view]), "\n")
			l := newLayout(strings.Split(line, ","))
			for _, n := range strings.Fields(names) {
				if l == nil || !l.columns.Has(n) {
					t.Errorf("%s: %s has no %s", name, view, n)
				}
			}
		}
	}
}

// TestCaptureAsJSON: the other form holds all views in one file.
func TestCaptureAsJSON(t *testing.T) {
	data, err := os.ReadFile("testdata/captures/pg18.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	if d := detect("x.ndjson", data); d.Detail != "server and other views" {
		t.Error(d.Detail)
	}
	b := read(t, "x.ndjson", data, 4096)
	if int64(len(b.Samples)) != b.Entries || len(b.Losses) > 0 {
		t.Fatal(dump(b))
	}
	var views []record.View
	odd := 0
	for i := range b.Samples {
		s := &b.Samples[i]
		if !slices.Contains(views, s.View) {
			views = append(views, s.View)
		}
		if s.CapturedAt != b.Samples[0].CapturedAt || !s.CapturedAt.Known() {
			t.Errorf("%s: captured at %v", s.Pos, s.CapturedAt)
		}
		if name, _ := s.Text("relname"); name == oddTable {
			odd++
		}
	}
	want := []record.View{record.ViewServer, record.ViewActivity, record.ViewVacuuming, record.ViewIndexing, record.ViewPrepared,
		record.ViewSlots, record.ViewStatements, record.ViewStatementsInfo, record.ViewTables, record.ViewIndexes, record.ViewStatioTables,
		record.ViewStatioIndex, record.ViewDatabase, record.ViewBgwriter, record.ViewCheckpointer, record.ViewIO, record.ViewWAL,
		record.ViewSettings, record.ViewRoleSettings}
	if !slices.Equal(views, want) || odd != 4 {
		t.Errorf("%d rows of the odd table, views %v", odd, views)
	}
}
