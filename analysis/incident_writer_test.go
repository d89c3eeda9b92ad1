package analysis

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// incidentDay is when every rebuilt incident begins.
var incidentDay = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

// after is so many seconds into the incident.
func after(seconds float64) time.Time {
	return incidentDay.Add(time.Duration(seconds * float64(time.Second)))
}

const (
	minute = 60.0
	hour   = 60 * minute
	day    = 24 * hour
)

// incidentWriter makes the files of an incident in the formats that a server
// and psql write.
type incidentWriter struct {
	draw   *rand.Rand
	log    bytes.Buffer
	tables map[string]*table // by file name
}

// table is a CSV file under construction.
type table struct {
	header []string
	rows   [][]string
}

func newIncident(seed uint64) *incidentWriter {
	return &incidentWriter{draw: rand.New(rand.NewPCG(seed, 1025)), tables: map[string]*table{}}
}

// files are the incident's files by name.
func (w *incidentWriter) files() map[string][]byte {
	out := map[string][]byte{}
	if w.log.Len() > 0 {
		out["postgresql.log"] = w.log.Bytes()
	}
	for name, t := range w.tables {
		var b bytes.Buffer
		c := csv.NewWriter(&b)
		_ = c.Write(t.header) // a Buffer takes everything
		_ = c.WriteAll(t.rows)
		out[name+".csv"] = b.Bytes()
	}
	return out
}

// about is v give or take a share of it.
func (w *incidentWriter) about(v, share float64) float64 { return v * (1 + share*w.draw.NormFloat64()) }

// entry writes an entry of the log of a session; lines behind the first are
// indented as the server does.
func (w *incidentWriter) entry(at float64, pid int, application, text string) {
	who := ""
	if application != "" {
		who = "app@shop " + application + " "
	}
	fmt.Fprintf(&w.log, "%s UTC [%d] %sLOG:  %s\n", after(at).Format("2006-01-02 15:04:05.000"), pid, who,
		strings.ReplaceAll(text, "\n", "\n\t"))
}

// duration writes the line of log_min_duration_statement = 0.
func (w *incidentWriter) duration(at, ms float64, pid int, application, query string) {
	w.entry(at, pid, application, fmt.Sprintf("duration: %.3f ms  statement: %s", ms, query))
}

// plan writes an entry of auto_explain in text format.
func (w *incidentWriter) plan(at, ms float64, query, plan string) {
	w.entry(at, 100, "app", fmt.Sprintf("duration: %.3f ms  plan:\nQuery Text: %s\n%s", ms, query, plan))
}

// insert is the plan of a single-row INSERT that reads so many buffers.
func (w *incidentWriter) insert(at, buffers float64, relation, query string) {
	ms := buffers / 800
	w.plan(at, ms, query, fmt.Sprintf("Insert on %s  (cost=0.00..0.01 rows=0 width=0) (actual time=%.3f..%.3f rows=0 loops=1)\n"+
		"  Buffers: shared hit=%d dirtied=4\n"+
		"  ->  Result  (cost=0.00..0.01 rows=1 width=40) (actual time=0.002..0.003 rows=1 loops=1)", relation, ms, ms, int64(buffers)))
}

// vacuumLine is the entry of an automatic vacuum (PostgreSQL 17).
type vacuumLine struct {
	at, seconds                      float64
	relation                         string
	pages, scanned                   int64
	removed, remain, notYet          int64
	cutoff, cutoffAge                int64
	deadPages, deadItems             int64
	indexes                          []string // cleaned ones, with pages
	indexPages                       []int64
	hits, misses, dirtied, indexScan int64
}

func (w *incidentWriter) vacuum(v vacuumLine) {
	var b strings.Builder
	fmt.Fprintf(&b, "automatic vacuum of table \"shop.%s\": index scans: %d\n", v.relation, v.indexScan)
	fmt.Fprintf(&b, "pages: 0 removed, %d remain, %d scanned (%.2f%% of total)\n", v.pages, v.scanned, 100*float64(v.scanned)/float64(v.pages))
	fmt.Fprintf(&b, "tuples: %d removed, %d remain, %d are dead but not yet removable\n", v.removed, v.remain, v.notYet)
	fmt.Fprintf(&b, "removable cutoff: %d, which was %d XIDs old when operation ended\n", max(v.cutoff, 900_000), v.cutoffAge)
	what := "index scan not needed"
	if v.indexScan > 0 {
		what = "index scan needed"
	}
	fmt.Fprintf(&b, "%s: %d pages from table (%.2f%% of total) had %d dead item identifiers removed\n", what,
		v.deadPages, 100*float64(v.deadPages)/float64(v.pages), v.deadItems)
	for i, name := range v.indexes {
		fmt.Fprintf(&b, "index \"%s\": pages: %d in total, 0 newly deleted, 0 currently deleted, 0 reusable\n", name, v.indexPages[i])
	}
	fmt.Fprintf(&b, "avg read rate: 0.000 MB/s, avg write rate: 0.100 MB/s\n")
	fmt.Fprintf(&b, "buffer usage: %d hits, %d misses, %d dirtied\n", v.hits, v.misses, v.dirtied)
	fmt.Fprintf(&b, "WAL usage: %d records, 10 full page images, %d bytes\n", v.dirtied, 200*v.dirtied)
	fmt.Fprintf(&b, "system usage: CPU: user: 0.10 s, system: 0.02 s, elapsed: %.2f s", v.seconds)
	w.entry(v.at, 50, "", b.String())
}

// row adds a row to a snapshot file; columns and values alternate. The first
// row gives the header.
func (w *incidentWriter) row(file string, at float64, cells ...any) {
	t := w.tables[file]
	if t == nil {
		t = &table{header: []string{"captured_at"}}
		for i := 0; i < len(cells); i += 2 {
			t.header = append(t.header, cells[i].(string))
		}
		w.tables[file] = t
	}
	row := []string{stampOf(at)}
	for i := 1; i < len(cells); i += 2 {
		row = append(row, fmt.Sprint(cells[i]))
	}
	t.rows = append(t.rows, row)
}

// stampOf is how psql prints a timestamptz.
func stampOf(at float64) string { return after(at).Format("2006-01-02 15:04:05.000000-07") }

// settings are a pg_settings snapshot; names and values alternate.
func (w *incidentWriter) settings(pairs ...string) {
	for i := 0; i < len(pairs); i += 2 {
		w.row("settings", 0, "name", pairs[i], "setting", pairs[i+1], "unit", "", "source", "configuration file")
	}
}

// index captures an index.
func (w *incidentWriter) index(at float64, relation, name, method, definition string, pages, scans int64) {
	w.row("indexes", at, "schemaname", "public", "relname", relation, "indexrelname", name, "indexrelid", 20000+len(name), "relfilenode", 20000+len(name),
		"idx_scan", scans, "index_size", pages*8192, "indisvalid", "t", "indisready", "t", "indisunique", boolText(strings.Contains(definition, "UNIQUE")),
		"amname", method, "indexdef", definition)
}

func boolText(v bool) string {
	if v {
		return "t"
	}
	return "f"
}

// tableRow is what a capture of pg_stat_user_tables tells.
type tableRow struct {
	name                                   string
	live, dead, ins, upd, del, hot         int64
	insSinceVacuum, modSinceAnalyze        int64
	pages, allVisible                      int64
	lastVacuum, lastAutovacuum, lastAnalyz string
	vacuums                                int64
	reloptions                             string
	seqScan, idxScan                       int64
}

func (w *incidentWriter) table(at float64, t tableRow) {
	w.row("tables", at, "schemaname", "public", "relname", t.name, "relid", 16000+len(t.name), "relfilenode", 16000+len(t.name),
		"seq_scan", t.seqScan, "idx_scan", t.idxScan,
		"n_tup_ins", t.ins, "n_tup_upd", t.upd, "n_tup_del", t.del, "n_tup_hot_upd", t.hot, "n_live_tup", t.live, "n_dead_tup", t.dead,
		"n_mod_since_analyze", t.modSinceAnalyze, "n_ins_since_vacuum", t.insSinceVacuum,
		"last_vacuum", t.lastVacuum, "last_autovacuum", t.lastAutovacuum, "last_analyze", "", "last_autoanalyze", t.lastAnalyz,
		"vacuum_count", 0, "autovacuum_count", t.vacuums,
		"relpages", t.pages, "reltuples", t.live, "relallvisible", t.allVisible, "reloptions", t.reloptions, "relation_size", t.pages*8192)
}

// statement captures a row of pg_stat_statements.
func (w *incidentWriter) statement(at float64, id int, query string, calls int64, ms float64, rows, hit, read int64) {
	w.row("statements", at, "userid", 10, "dbid", 5, "toplevel", "t", "queryid", id, "query", query, "calls", calls,
		"total_exec_time", fmt.Sprintf("%.3f", ms), "mean_exec_time", fmt.Sprintf("%.3f", ms/float64(max(calls, 1))), "rows", rows,
		"shared_blks_hit", hit, "shared_blks_read", read, "shared_blks_dirtied", 0, "shared_blks_written", 0)
}
