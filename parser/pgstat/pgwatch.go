package pgstat

import (
	"bytes"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// PgWatch is what pgwatch's jsonfile sink writes: a line for each metric and
// database, {"metric": …, "data": [rows], "dbname": …, "custom_tags": …}; each
// row has epoch_ns, and columns that identify it are prefixed tag_.
var PgWatch = source.Format{
	Name:   "pgwatch",
	Doc:    "measurements of pgwatch's jsonfile sink",
	Detect: detectPgWatch,
}

const pgWatchLacks = "has the largest tables and indexes only, ages in place of vacuum times, no relpages, relallvisible and relfilenode: " +
	"PGA202, 203, 208 and 209 see less"

func detectPgWatch(h *source.Head) *source.Detection {
	start := objectStart(h.Data)
	if start == len(h.Data) {
		return nil
	}
	line, _ := firstLine(h.Data[start:])
	if !bytes.Contains(line, []byte(`"metric"`)) || !bytes.Contains(line, []byte(`"data"`)) || !bytes.Contains(h.Data, []byte(`"dbname"`)) {
		return nil
	}
	d := whole(pgWatchLacks, record.TimeColumn, (*foreign).pgWatch)
	d.Whole, d.Begin, d.Cut = false, beginObject, cutLines
	return d
}

// pgWatchMetric is a metric that becomes rows of a view.
type pgWatchMetric struct {
	view   record.View
	rename map[string]string
}

// pgWatchMetrics are those of the preset metrics that are read, by name. The
// prefix tag_ is gone when they are renamed.
var pgWatchMetrics = map[string]pgWatchMetric{
	"table_stats": {record.ViewTables, map[string]string{"schema": "schemaname", "table_name": "relname", "table_size_b": "table_size",
		"total_relation_size_b": "total_relation_size", "toast_size_b": "toast_size", "tx_freeze_age": "frozenxid_age"}},
	"table_io_stats": {record.ViewStatioTables, map[string]string{"schema": "schemaname", "table_name": "relname"}},
	"index_stats": {record.ViewIndexes, map[string]string{"schema": "schemaname", "table_name": "relname", "index_name": "indexrelname",
		"index_size_b": "index_size", "index_def": "index_shape"}},
	"stat_statements": {record.ViewStatements, map[string]string{"total_time": "total_exec_time", "blk_read_time": "shared_blk_read_time",
		"blk_write_time": "shared_blk_write_time"}},
	"db_stats":          {record.ViewDatabase, nil},
	"bgwriter":          {record.ViewBgwriter, nil},
	"checkpointer":      {record.ViewCheckpointer, nil},
	"replication_slots": {record.ViewSlots, map[string]string{"active_int": "active"}},
	"stat_activity":     {record.ViewActivity, nil},
}

func (x *foreign) pgWatch(s []byte) {
	x.eachObject(s, func(at, end int) {
		top, _, err := members(s[:end], at)
		if err != nil {
			x.batch.Entries++
			x.lose(x.pos(at), damagedObject)
			return
		}
		x.measurement(s, at, top)
	})
}

// measurement reads one line. A metric that no view has is understood, and
// gives no sample.
func (x *foreign) measurement(s []byte, at int, top []member) {
	var data member
	var metric, database string
	for _, m := range top {
		switch m.key {
		case "metric":
			metric = x.scalar(s, m).Text
		case "dbname":
			database = x.scalar(s, m).Text
		case "data":
			data = m
		}
	}
	of, known := pgWatchMetrics[metric]
	if !known || data.end == 0 || s[data.start] != '[' {
		x.batch.Entries++
		if metric == "" || known {
			x.lose(x.pos(at), unknownObject)
			return
		}
		x.batch.Understood++
		return
	}
	rows, _, err := members(s[:data.end], data.start)
	if err != nil {
		x.batch.Entries++
		x.lose(x.pos(data.start), damagedObject)
	}
	for _, m := range rows {
		if s[m.start] == '{' {
			x.pgWatchRow(s, m, &of, database)
		}
	}
}

// pgWatchRow adds a row of data.
func (x *foreign) pgWatchRow(s []byte, m member, of *pgWatchMetric, database string) {
	f, _, err := x.object(s[m.start:m.end])
	if err != nil {
		x.batch.Entries++
		x.lose(x.pos(m.start), damagedObject)
		return
	}
	for i := range f {
		f[i].name = strings.TrimPrefix(f[i].name, "tag_")
	}
	f.rename(of.rename)
	at := record.NoTime
	if text, ok := f.text("epoch_ns"); ok {
		if t, ok := parseTime(text); ok {
			at = t
		}
	}
	f = pgWatchFlags(f)
	if _, told := f.text("datname"); !told && database != "" {
		f = f.with("datname", database)
	}
	x.add(of.view, at, x.pos(m.start), f)
}

// pgWatchFlags turns the numbers that pgwatch makes of truths back.
func pgWatchFlags(f fields) fields {
	flag := func(column, yes, no string, from string) {
		if v, ok := f.text(from); ok {
			if v == "0" {
				f = f.with(column, no)
			} else {
				f = f.with(column, yes)
			}
		}
	}
	flag("indisvalid", "false", "true", "is_invalid_int")
	flag("indisprimary", "true", "false", "is_pk_int")
	flag("indisunique", "true", "false", "is_uq_or_exc")
	if v, ok := f.text("no_autovacuum"); ok && v != "0" {
		f = f.with("reloptions", "{autovacuum_enabled=off}")
	}
	return f
}
