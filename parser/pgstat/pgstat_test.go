package pgstat

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// detect is what the formats say of data together.
func detect(name string, data []byte) *source.Detection {
	head := &source.Head{Name: name, Data: data[:min(len(data), source.HeadSize)], EOF: len(data) <= source.HeadSize}
	var best *source.Detection
	for _, f := range []source.Format{CSV, NDJSON, Document} {
		if d := f.Detect(head); d != nil && (best == nil || d.Score > best.Score) {
			best = d
		}
	}
	return best
}

// read reads data in blocks of about the given size.
func read(t testing.TB, name string, data []byte, block int) *record.Batch {
	t.Helper()
	d := detect(name, data)
	if d == nil || d.Reason != "" {
		t.Fatalf("%s is not recognised: %+v", name, d)
	}
	b := &record.Batch{}
	at := d.Begin(data)
	for at < len(data) {
		size := min(block, len(data)-at)
		n := len(data) - at
		for ; size < len(data)-at; size *= 2 {
			if cut := d.Cut(data[at : at+size]); cut > 0 {
				n = cut
				break
			}
		}
		pos := record.Pos{File: name, Line: 1 + int64(bytes.Count(data[:at], []byte{'\n'})), Offset: int64(at)}
		d.Parse(data[at:at+n:at+n], pos, b)
		at += n
	}
	return b
}

func dump(b *record.Batch) string {
	var out strings.Builder
	for i := range b.Samples {
		s := &b.Samples[i]
		at := "-"
		if s.CapturedAt.Known() {
			at = s.CapturedAt.Std().Format("2006-01-02T15:04:05.999999")
		}
		fmt.Fprintf(&out, "%s offset %d %s %s from %d\n", s.Pos, s.Pos.Offset, s.View, at, s.TimeSource)
		for j, n := range s.Columns.Names {
			if s.Values[j].Valid {
				fmt.Fprintf(&out, "  %s=%q\n", n, s.Values[j].Text)
			} else {
				fmt.Fprintf(&out, "  %s null\n", n)
			}
		}
	}
	for _, l := range b.Losses {
		fmt.Fprintf(&out, "%s %s: %s (%d)\n", l.Pos, l.Kind, l.Text, l.Count)
	}
	fmt.Fprintf(&out, "entries %d understood %d\n", b.Entries, b.Understood)
	return out.String()
}

// TestViewsOfRealExports holds every value of pieces of real exports, as CSV of
// PostgreSQL 15 and as NDJSON of 16 and later, against golden files.
func TestViewsOfRealExports(t *testing.T) {
	want := map[string]record.View{
		"activity": record.ViewActivity, "database": record.ViewDatabase, "indexes": record.ViewIndexes,
		"settings": record.ViewSettings, "statements": record.ViewStatements, "statio_indexes": record.ViewStatioIndex,
		"statio_tables": record.ViewStatioTables, "tables": record.ViewTables,
	}
	for stem, view := range want {
		for _, ext := range []string{".csv", ".ndjson"} {
			name := stem + ext
			data, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			if d := detect(name, data); d == nil || d.View != view || d.TimeFrom != record.TimeColumn {
				t.Errorf("%s: %+v", name, d)
				continue
			}
			got := dump(read(t, name, data, 1<<20))
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if wantText, _ := os.ReadFile(golden); got != string(wantText) {
				t.Errorf("%s differs from its golden file; run with -update and compare", name)
			}
		}
	}
}

// shapes are headers of exports: order, delimiter, aliases, missing and further
// columns.
func shapes() []shape {
	return []shape{
		{"odd order", "n_dead_tup,relname,n_live_tup,captured_at,schemaname", record.ViewTables, "relname schemaname n_dead_tup"},
		{"few columns", "relname,n_dead_tup", record.ViewTables, "relname"},
		{"sizes only", "now,tablename,pg_relation_size,pg_total_relation_size", record.ViewTables, "relname relation_size total_relation_size"},
		{"pg_class", "nspname,relname,relkind,relpages,reltuples,relallvisible,age", record.ViewTables, "schemaname frozenxid_age"},
		{"semicolons", "ts;schemaname;indexname;idx_scan;pg_relation_size", record.ViewIndexes, "indexrelname index_size"},
		{"tabs", "indexrelname\trelname\tsize_bytes\tindisvalid", record.ViewIndexes, "index_size indisvalid"},
		{"index and statio", "indexrelname,idx_blks_read,idx_blks_hit,idx_scan,index_size", record.ViewIndexes, "idx_blks_hit"},
		{"table and statio", "relname,heap_blks_read,heap_blks_hit,n_live_tup,n_dead_tup,seq_scan", record.ViewTables, "heap_blks_read"},
		{"statio and size", "relname,heap_blks_read,heap_blks_hit,toast_blks_hit,relation_size", record.ViewStatioTables, "relation_size"},
		{"statements of 12", "queryid,query,calls,total_time,mean_time,rows,blk_read_time", record.ViewStatements, "total_exec_time mean_exec_time shared_blk_read_time"},
		{"statements of 18", "query_id,datname,calls,total_exec_time,rows", record.ViewStatements, "queryid datname"},
		{"activity", "pid,state,query", record.ViewActivity, "query"},
		{"database", "datname,deadlocks,temp_bytes,blk_read_time", record.ViewDatabase, "blk_read_time"},
		{"settings", "NAME,Setting", record.ViewSettings, "name setting"},
		{"ages", "datname,datfrozenxid,age", record.ViewDatabase, "datname frozenxid_age"},
		{"vacuums of 16", "pid,datid,datname,relid,phase,heap_blks_total,heap_blks_scanned,max_dead_tuples,num_dead_tuples", record.ViewVacuuming, "num_dead_item_ids"},
		{"vacuums of 18", "pid,datname,relid,phase,heap_blks_total,dead_tuple_bytes,num_dead_item_ids,delay_time", record.ViewVacuuming, "num_dead_item_ids"},
		{"builds", "pid,datname,relid,index_relid,command,phase,lockers_total,blocks_total", record.ViewIndexing, "index_relid"},
		{"analyzes", "pid,datname,relid,phase,sample_blks_total,delay_time", record.ViewAnalyzing, "sample_blks_total"},
		{"rewrites", "pid,datname,relid,command,phase,cluster_index_relid,heap_tuples_scanned,heap_blks_total,heap_blks_scanned", record.ViewRewriting, "command"},
		{"standbys", "pid,usename,application_name,state,sent_lsn,replay_lsn,backend_xmin", record.ViewReplication, "state"},
		{"slots", "slot_name,slot_type,database,active,active_pid,xmin,catalog_xmin,restart_lsn", record.ViewSlots, "datname catalog_xmin"},
		{"prepared", "transaction,gid,prepared,owner,database", record.ViewPrepared, "datname gid"},
		{"bgwriter of 16", "checkpoints_timed,checkpoints_req,buffers_clean,buffers_backend,stats_reset", record.ViewBgwriter, "stats_reset"},
		{"bgwriter of 17", "buffers_clean,maxwritten_clean,buffers_alloc,stats_reset", record.ViewBgwriter, "buffers_alloc"},
		{"checkpointer", "num_timed,num_requested,write_time,sync_time,buffers_written", record.ViewCheckpointer, "num_timed"},
		{"io", "backend_type,object,context,reads,read_time,writes,op_bytes,hits", record.ViewIO, "op_bytes"},
		{"wal", "wal_records,wal_fpi,wal_bytes,wal_buffers_full,stats_reset", record.ViewWAL, "wal_bytes"},
		{"info", "dealloc,stats_reset", record.ViewStatementsInfo, "dealloc"},
		{"server", "now,server_version,pg_is_in_recovery,pg_postmaster_start_time", record.ViewServer, "in_recovery postmaster_start_time"},
		{"role settings", "datname,rolname,name,setting", record.ViewRoleSettings, "rolname"},
		{"role settings as stored", "setdatabase,setrole,setconfig", record.ViewRoleSettings, "setconfig"},
		{"scores", "relid,schemaname,relname,score,xid_score,vacuum_score,do_vacuum,for_wraparound", record.ViewScores, "do_vacuum"},
		{"column sizes", "now,schemaname,tablename,attname,p10,p50,p90,p99,n", record.ViewColumnSizes, "relname attname p10 p99 n"},
		{"column sizes of one's own", "table_name,column_name,size_p10,median,size_p90,count", record.ViewColumnSizes, "relname attname p10 p50 p90 n"},
		{"quoted header", `"relname","n_live_tup","Total Size"`, record.ViewTables, "total size"},
	}
}

type shape struct {
	name, header string
	view         record.View
	has          string // canonical columns that must be there
}

func TestColumnsInAnyShape(t *testing.T) {
	for _, c := range shapes() {
		d := detect("x", []byte(c.header+"\n"))
		if d == nil || d.View != c.view {
			t.Errorf("%s: %+v", c.name, d)
			continue
		}
		delim, names := sniffHeader([]byte(c.header))
		row := strings.Repeat(string(delim), len(names)-1)
		b := read(t, "x", []byte(c.header+"\n"+row+"\n"), 1<<20)
		if len(b.Samples) != 1 {
			t.Errorf("%s: %d samples, losses %v", c.name, len(b.Samples), b.Losses)
			continue
		}
		for _, n := range strings.Split(c.has, " ") {
			if c.name == "quoted header" {
				n = c.has
			}
			if !b.Samples[0].Columns.Has(n) {
				t.Errorf("%s: no column %s in %q", c.name, n, b.Samples[0].Columns.Names)
			}
		}
	}
}

// TestOthersFilesAreNotClaimed: logs, plans and other tables.
func TestOthersFilesAreNotClaimed(t *testing.T) {
	for name, text := range map[string]string{
		"csvlog":      "2026-11-30 14:06:28.117 UTC,,,13217,,6b0d82e4.33a1,1,,2026-11-30 14:06:28 UTC,,0,LOG,00000,\"x\",,,,,,,,,\"\",\"postmaster\",,0\n",
		"jsonlog":     `{"timestamp":"2026-11-30 13:53:32.037 UTC","pid":1,"query":"x","query_id":0,"error_severity":"LOG","message":"m","backend_type":"client backend"}`,
		"plan":        `[{"Plan": {"Node Type": "Seq Scan", "Relation Name": "t"}}]`,
		"locks":       "locktype,pid,mode,granted,query,state\n",
		"receiver":    "pid,status,receive_start_lsn,written_lsn,flushed_lsn,slot_name,sender_host\n",
		"conflicts":   "datid,datname,confl_tablespace,confl_lock,confl_snapshot\n",
		"caches":      "name,blks_zeroed,blks_hit,blks_read,flushes,stats_reset\n",
		"slot stats":  "slot_name,spill_txns,spill_count,spill_bytes,stats_reset\n",
		"copy":        "pid,datid,datname,relid,command,type,bytes_processed,bytes_total\n",
		"roles":       "rolname,rolsuper,rolcanlogin,rolvaliduntil\n",
		"columns":     "schemaname,tablename,attname,null_frac\n",
		"widths":      "schemaname,tablename,attname,avg_width,n_distinct,correlation\n",
		"percentiles": "time,p50,p90,p99\n",
		"functions":   "funcid,schemaname,funcname,calls,total_time,self_time\n",
		"own table":   "id,name,price\n1,x,2\n",
		"sequences":   "relid,schemaname,relname,blks_read,blks_hit\n",
		"stderr log":  "2026-11-30 14:17:31.150 UTC [5781] LOG:  starting PostgreSQL 15.20 (Debian), compiled, 64-bit\n",
		"empty":       "",
		"text plan":   " Seq Scan on t  (cost=0.00..1.00 rows=1 width=4)\n",
	} {
		if d := detect(name, []byte(text)); d != nil && (d.Score > scoreNoMatch || d.Reason == "") {
			t.Errorf("%s is claimed: %+v", name, d)
		}
	}
	if d := detect("x", []byte("id,name,price\n1,x,2\n")); d == nil || !strings.HasPrefix(d.Reason, "CSV whose columns match no statistics view known: (id, name, price)") {
		t.Errorf("the reason does not name the columns: %+v", d)
	}
}

func TestNullsAndQuotes(t *testing.T) {
	b := read(t, "x.csv", []byte("pid,state,query,xact_start\r\n1,,\"\",\"a \"\"b\"\"\r\nc, d\"\r\n2,idle,x,\r\n"), 1<<20)
	want := "x.csv:2 offset 28 pg_stat_activity - from 0\n  pid=\"1\"\n  state null\n  query=\"\"\n  xact_start=\"a \\\"b\\\"\\r\\nc, d\"\n" +
		"x.csv:4 offset 51 pg_stat_activity - from 0\n  pid=\"2\"\n  state=\"idle\"\n  query=\"x\"\n  xact_start null\nentries 2 understood 2\n"
	if got := dump(b); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestAppendedRunsRepeatTheHeader: psql's footer and blank lines too.
func TestAppendedRunsRepeatTheHeader(t *testing.T) {
	run := "relname,n_live_tup\na,1\nb,2\n(2 rows)\n\n"
	b := read(t, "x.csv", []byte(run+run), 1<<20)
	if len(b.Samples) != 4 || len(b.Losses) != 0 || b.Entries != 4 {
		t.Error(dump(b))
	}
}

// TestDamagedRowsTakeNoOthersWithThem: cut rows, stray quotes, extra fields.
func TestDamagedRowsTakeNoOthersWithThem(t *testing.T) {
	text := "relname,n_live_tup,n_dead_tup\na,1,1\nb,1\n\"c,1,1\nd,1,1\ne,1,1,1\nf,1,1\n"
	b := read(t, "x.csv", []byte(text), 1<<20)
	if len(b.Samples) != 3 || len(b.Losses) != 3 || b.Losses[0].Pos.Line != 3 || b.Losses[1].Pos.Line != 4 || b.Losses[2].Pos.Line != 6 {
		t.Error(dump(b))
	}
	if b.Entries != 6 || b.Understood != 3 {
		t.Errorf("entries %d understood %d", b.Entries, b.Understood)
	}
}

func TestManyDamagedRowsStayFew(t *testing.T) {
	text := "relname,n_live_tup,n_dead_tup\n" + strings.Repeat("\"x,1\n1,1\n", 20000)
	b := read(t, "x.csv", []byte(text), 1<<30)
	var n int64
	for _, l := range b.Losses {
		n += l.Count
	}
	if len(b.Losses) > maxPlaces || n < 20000 {
		t.Errorf("%d losses with a count of %d", len(b.Losses), n)
	}
}

func TestJSONValuesKeepTheirText(t *testing.T) {
	text := "\n[{\"relname\": \"a\\u00e9\\n\\\"b\", \"n_live_tup\": 9223372036854775807, \"reloptions\": [\"x=1\", {\"y\": \"]\"}], \"ok\": true,\n" +
		" \"n_dead_tup\": null, \"ratio\": 2e-05, \"last_vacuum\": \"\"}\n,{\"relname\":\"c\",\"n_live_tup\":-1}]\n"
	b := read(t, "x.json", []byte(text), 1<<20)
	want := "x.json:2 offset 2 pg_stat_user_tables - from 0\n  relname=\"aé\\n\\\"b\"\n  n_live_tup=\"9223372036854775807\"\n" +
		"  reloptions=\"[\\\"x=1\\\", {\\\"y\\\": \\\"]\\\"}]\"\n  ok=\"true\"\n  n_dead_tup null\n  ratio=\"2e-05\"\n  last_vacuum=\"\"\n" +
		"x.json:4 offset 169 pg_stat_user_tables - from 0\n  relname=\"c\"\n  n_live_tup=\"-1\"\nentries 2 understood 2\n"
	if got := dump(b); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestMixedAndDamagedObjects: one file may hold several views; damaged lines
// and objects of no view are lost alone.
func TestMixedAndDamagedObjects(t *testing.T) {
	text := " to_jsonb \n{\"relname\":\"a\",\"n_live_tup\":1}\n{\"name\":\"work_mem\",\"setting\":\"4096\"}\n" +
		"{\"relname\":\"b\",\"n_live\n{\"foo\":1}\nnoise\n{\"relname\":\"c\",\"n_live_tup\":2}\n(5 rows)\n"
	b := read(t, "x", []byte(text), 1<<20)
	var views []string
	for _, s := range b.Samples {
		views = append(views, string(s.View))
	}
	if strings.Join(views, " ") != "pg_stat_user_tables pg_settings pg_stat_user_tables" || len(b.Losses) != 3 ||
		b.Losses[0].Pos.Line != 4 || b.Losses[1].Pos.Line != 5 || b.Losses[2].Pos.Line != 6 {
		t.Error(dump(b))
	}
}

func TestTimesFromColumnNameOrNowhere(t *testing.T) {
	for _, c := range []struct {
		file, header, row string
		from              record.TimeSource
		at                string
	}{
		{"x.csv", "now,relname,n_live_tup", "2026-11-30 14:00:00+02,a,1", record.TimeColumn, "2026-11-30T12:00:00Z"},
		{"x.csv", "relname,n_live_tup,epoch_ns", "a,1,1796040000000000000", record.TimeColumn, "2026-11-30T12:00:00Z"},
		{"tables-2026-11-30_120000.csv", "relname,n_live_tup", "a,1", record.TimeFileName, "2026-11-30T12:00:00Z"},
		{"tables-2026-11-30_120000.csv", "ts,relname,n_live_tup", "2026-11-30T13:00:00Z,a,1", record.TimeColumn, "2026-11-30T13:00:00Z"},
		{"tables.csv", "relname,n_live_tup", "a,1", record.TimeUnknown, ""},
	} {
		data := []byte(c.header + "\n" + c.row + "\n")
		d, b := detect(c.file, data), read(t, c.file, data, 1<<20)
		s := b.Samples[0]
		got := ""
		if s.CapturedAt.Known() {
			got = s.CapturedAt.Std().Format("2006-01-02T15:04:05Z")
		}
		if d.TimeFrom != c.from || s.TimeSource != c.from || got != c.at {
			t.Errorf("%s %s: time %q from %d, detection says %d", c.file, c.header, got, s.TimeSource, d.TimeFrom)
		}
	}
	b := read(t, "x.csv", []byte("now,relname,n_live_tup\nyesterday,a,1\n"), 1<<20)
	if len(b.Samples) != 1 || b.Samples[0].CapturedAt.Known() || len(b.Losses) != 1 {
		t.Errorf("an unreadable time: %s", dump(b))
	}
}

func TestIndexesInAPgClassExportAreNoTables(t *testing.T) {
	b := read(t, "x.csv", []byte("relname,relkind,relpages\na,r,1\na_pkey,i,1\nb,m,1\nv,v,0\n"), 1<<20)
	if len(b.Samples) != 2 || b.Understood != 4 || len(b.Losses) != 0 {
		t.Error(dump(b))
	}
}

// TestBlocksDoNotShow: cutting a file finer changes nothing.
func TestBlocksDoNotShow(t *testing.T) {
	files, err := filepath.Glob("testdata/*s.*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	inputs := map[string][]byte{
		"pretty": []byte("[\n  {\n    \"relname\": \"a{\",\n    \"n_live_tup\": 1\n  },\n  {\n    \"relname\": \"b\",\n    \"x\": {\"y\": [1]},\n    \"n_live_tup\": 2\n  }\n]\n"),
		"list":   []byte(`[{"relname": "a", "n_live_tup": 1}, {"relname": "b", "n_live_tup": 2}, {"relname": "c", "n_live_tup": 3}]`),
		"quotes": []byte("pid,query\n1,\"a\nb\n\"\n2,c\n3,\"\"\"\n\"\"\"\n4,d"),
	}
	for _, f := range files {
		if strings.HasSuffix(f, ".golden") {
			continue
		}
		if inputs[f], err = os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range inputs {
		want := dump(read(t, name, data, 1<<20))
		for _, size := range []int{1, 7, 100, 1000} {
			if got := dump(read(t, name, data, size)); got != want {
				t.Errorf("%s in blocks of %d:\n%s\nwant\n%s", name, size, got, want)
			}
		}
	}
}

// TestBeginAfterALongRow: behind a row that was capped the reading goes on at
// the next line.
func TestBeginAfterALongRow(t *testing.T) {
	d := detect("x", []byte("relname,n_live_tup\na,1\n"))
	if got := d.Begin([]byte("xxx\nb,1\n")); got != 4 {
		t.Errorf("csv begins at %d", got)
	}
	d = detect("x", []byte(`{"relname":"a","n_live_tup":1}`))
	if got := d.Begin([]byte("xxx}\n{\"relname\":\"b\"}\n")); got != 5 {
		t.Errorf("ndjson begins at %d", got)
	}
}
