package pgstat

import (
	"bytes"
	"strconv"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// PgMetrics is the report of pgmetrics as JSON (pgmetrics -f json), schema 1.0
// to 1.20: one object, all times in Unix seconds, 0 for never.
var PgMetrics = source.Format{
	Name:   "pgmetrics",
	Doc:    "report of pgmetrics -f json",
	Detect: detectPgMetrics,
}

const pgMetricsLacks = "has no relpages, relallvisible, reloptions, relfilenode and index validity: PGA202, 203, 208, 209 and 210 see less; " +
	"100 statements of 500 characters unless --statements-limit and --sql-length say more"

// detectPgMetrics looks for "meta" with the names of the databases collected.
func detectPgMetrics(h *source.Head) *source.Detection {
	start := objectStart(h.Data)
	if start == len(h.Data) {
		return nil
	}
	head := h.Data[start:min(len(h.Data), start+4096)]
	at := bytes.Index(head, []byte(`"meta"`))
	if at < 0 || !bytes.Contains(head[at:], []byte(`"collected_dbs"`)) && !bytes.Contains(head[at:], []byte(`"local"`)) {
		return nil
	}
	return whole(pgMetricsLacks, record.TimeColumn, (*foreign).pgMetrics)
}

// pgMetricsSection is a list of the report that becomes rows of a view.
type pgMetricsSection struct {
	view   record.View
	rename map[string]string
	zero   []string // columns that are null where they are 0
	absent []string // counters that the program leaves out where they are 0
}

// pgMetricsNames are columns that have the same name in every list.
var pgMetricsNames = map[string]string{"db_name": "datname", "schema_name": "schemaname", "role_name": "usename", "user": "usename"}

// pgMetricsSections are the lists and objects by their key. Several objects
// may give rows of one view.
var pgMetricsSections = map[string][]pgMetricsSection{
	"tables": {{
		view: record.ViewTables,
		rename: map[string]string{"name": "relname", "oid": "relid", "size": "table_size", "age_relfrozenxid": "frozenxid_age",
			"parent_name": "partition_parent"},
		zero:   []string{"last_vacuum", "last_autovacuum", "last_analyze", "last_autoanalyze", "last_seq_scan", "last_idx_scan"},
		absent: []string{"n_ins_since_vacuum"},
	}, {
		view:   record.ViewStatioTables,
		rename: map[string]string{"name": "relname", "oid": "relid"},
	}},
	"indexes": {{
		view: record.ViewIndexes,
		rename: map[string]string{"name": "indexrelname", "oid": "indexrelid", "table_name": "relname", "table_oid": "relid",
			"size": "index_size", "def": "indexdef"},
		zero: []string{"last_idx_scan"},
	}, {
		view:   record.ViewStatioIndex,
		rename: map[string]string{"name": "indexrelname", "oid": "indexrelid", "table_name": "relname", "table_oid": "relid"},
	}},
	"statements": {{
		view: record.ViewStatements,
		rename: map[string]string{"total_time": "total_exec_time", "min_time": "min_exec_time", "max_time": "max_exec_time",
			"stddev_time": "stddev_exec_time", "blk_read_time": "shared_blk_read_time", "blk_write_time": "shared_blk_write_time"},
		zero: []string{"stats_since", "minmax_stats_since"},
	}},
	"backends": {{
		view: record.ViewActivity,
		zero: []string{"backend_start", "xact_start", "query_start", "state_change", "backend_xid", "backend_xmin"},
	}},
	"databases": {{
		view:   record.ViewDatabase,
		rename: map[string]string{"name": "datname", "age_datfrozenxid": "frozenxid_age"},
		zero:   []string{"stats_reset"},
	}},
	"replication_slots": {{view: record.ViewSlots, zero: []string{"xmin", "catalog_xmin"}}},
	"vacuum_progress": {{
		view:   record.ViewVacuuming,
		rename: map[string]string{"table_name": "relname", "table_oid": "relid", "num_dead_tuples": "num_dead_item_ids", "dead_tuple_bytess": "dead_tuple_bytes"},
	}},
	"bg_writer":    {{view: record.ViewBgwriter, zero: []string{"stats_reset"}}},
	"checkpointer": {{view: record.ViewCheckpointer, zero: []string{"stats_reset"}}},
	"wal":          {{view: record.ViewWAL, zero: []string{"stats_reset"}}},
	"stat_ios":     {{view: record.ViewIO, zero: []string{"stats_reset"}}},
}

// pgMetricsServer are the members of the report that become the row about the
// server.
var pgMetricsServer = []struct{ key, column string }{
	{"system_identifier", "system_identifier"}, {"start_time", "postmaster_start_time"}, {"is_in_recovery", "in_recovery"}, {"next_xid", "next_xid"},
}

// pgMetrics reads the reports of a file. Of one that is cut short it reads what
// is there.
func (x *foreign) pgMetrics(s []byte) {
	if at := objectStart(s); at < len(s) && nestedEnd(s, at) < 0 {
		x.pgMetricsReport(s, at, len(s))
		return
	}
	x.eachObject(s, func(at, end int) { x.pgMetricsReport(s, at, end) })
}

func (x *foreign) pgMetricsReport(s []byte, at, end int) {
	top, _, err := members(s[:end], at)
	if err != nil {
		x.batch.Entries++
		x.lose(x.pos(at), "the report of pgmetrics is damaged or ends too early: what stands before is used")
	}
	if len(top) > 0 {
		r := pgMetricsReport{foreign: x, s: s, at: record.NoTime, values: map[string]record.Value{}}
		r.read(top)
	}
}

// pgMetricsReport is one report in the making.
type pgMetricsReport struct {
	*foreign
	s      []byte
	at     record.Time
	newIns bool // the schema has n_ins_since_vacuum
	values map[string]record.Value
}

func (r *pgMetricsReport) read(top []member) {
	for _, m := range top {
		switch {
		case m.key == "meta":
			r.meta(m)
		case r.s[m.start] != '{' && r.s[m.start] != '[':
			r.values[m.key] = r.scalar(r.s, m)
		}
	}
	if !r.at.Known() {
		r.batch.Entries++
		r.lose(r.pos(top[0].start), `a report of pgmetrics without meta.at, the time of its start: its rows join no series`)
	}
	for _, m := range top {
		if m.key == "settings" {
			r.settings(m)
		}
		for _, section := range pgMetricsSections[m.key] {
			r.section(&section, m)
		}
	}
}

func (r *pgMetricsReport) meta(m member) {
	f, _, err := r.object(r.s[m.start:m.end])
	if err != nil {
		return
	}
	if text, ok := f.text("at"); ok {
		if t, ok := parseTime(text); ok {
			r.at = t
		}
	}
	if v, ok := f.text("version"); ok && len(v) > 2 {
		minor, err := strconv.Atoi(v[2:])
		r.newIns = v[:2] == "1." && err == nil && minor >= 11
	}
}

// settings makes a row of each setting, and one about the server.
func (r *pgMetricsReport) settings(m member) {
	list, _, _ := members(r.s[:m.end], m.start)
	server := fields{}
	for _, c := range pgMetricsServer {
		if v := r.values[c.key]; v.Valid && v.Text != "0" && v.Text != "" {
			server = server.with(c.column, v.Text)
		}
	}
	pos := r.pos(m.start)
	for _, one := range list {
		if r.s[one.start] != '{' {
			continue
		}
		f, _, err := r.object(r.s[one.start:one.end])
		if err != nil {
			continue
		}
		r.add(record.ViewSettings, r.at, r.pos(one.start), f.with("name", one.key))
		if v, ok := f.text("setting"); ok && one.key == "server_version" {
			server = server.with("server_version", v)
		}
	}
	r.add(record.ViewServer, r.at, pos, server)
}

// section makes rows of a list of objects, or of one object.
func (r *pgMetricsReport) section(section *pgMetricsSection, m member) {
	list := []member{m}
	if r.s[m.start] == '[' {
		var err error
		if list, _, err = members(r.s[:m.end], m.start); err != nil {
			r.batch.Entries++
			r.lose(r.pos(m.start), damagedObject)
		}
	}
	for _, one := range list {
		if r.s[one.start] != '{' {
			continue
		}
		f, _, err := r.object(r.s[one.start:one.end])
		if err != nil {
			r.batch.Entries++
			r.lose(r.pos(one.start), damagedObject)
			continue
		}
		f.rename(section.rename)
		f.rename(pgMetricsNames)
		f.null("0", section.zero...)
		f.null("-1", "table_size", "index_size") // not collected
		if r.newIns {
			for _, name := range section.absent {
				if _, ok := f.text(name); !ok {
					f = f.with(name, "0")
				}
			}
		}
		r.add(section.view, r.at, r.pos(one.start), f)
	}
}
