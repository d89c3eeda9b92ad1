package pgstat

import (
	"bytes"
	"encoding/json"
	"path"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// PgCenter is a member of a tar that pgcenter record writes: one result set as
// JSON, named view.YYYYMMDDTHHMMSS.mmm.json. Columns have pgcenter's names, nulls
// are 0, and blocks read are KiB.
var PgCenter = source.Format{
	Name:   "pgcenter",
	Doc:    "result sets inside a tar of pgcenter record",
	Detect: detectPgCenter,
}

const pgCenterLacks = "has no vacuum times, index sizes, relpages, relallvisible, reloptions and database of a relation: PGA201 to 214 see less"

func detectPgCenter(h *source.Head) *source.Detection {
	start := objectStart(h.Data)
	if start == len(h.Data) || !bytes.Contains(h.Data, []byte(`"Ncols"`)) || !bytes.Contains(h.Data, []byte(`"Nrows"`)) {
		return nil
	}
	from := record.TimeUnknown
	if _, ok := record.TimeFromName(h.Name); ok {
		from = record.TimeFileName
	}
	name := h.Name
	d := whole(pgCenterLacks, from, func(x *foreign, s []byte) { x.pgCenter(name, s) })
	d.View = pgCenterViews[pgCenterView(name)].view
	return d
}

// pgCenterView is the view that a member's name tells.
func pgCenterView(name string) string {
	base := path.Base(strings.ReplaceAll(name, "!", "/"))
	view, _, _ := strings.Cut(base, ".")
	return view
}

// pgCenterResult is pgcenter's PGresult.
type pgCenterResult struct {
	Values [][]struct {
		String string
		Valid  bool
	}
	Cols []string
}

// pgCenterSpec is how the rows of a view of pgcenter become a view's.
type pgCenterSpec struct {
	view   record.View
	rename map[string]string
}

// pgCenterViews by name. Of the views on statements the timings are read: the
// others count the same calls again.
var pgCenterViews = map[string]pgCenterSpec{
	"tables": {record.ViewTables, map[string]string{"seq_read": "seq_tup_read", "idx_fetch": "idx_tup_fetch", "inserts": "n_tup_ins",
		"updates": "n_tup_upd", "deletes": "n_tup_del", "hot_updates": "n_tup_hot_upd", "live": "n_live_tup", "dead": "n_dead_tup",
		"heap_hit": "heap_blks_hit", "toast_hit": "toast_blks_hit", "tidx_hit": "tidx_blks_hit", "idx_hit": "idx_blks_hit"}},
	"indexes": {record.ViewIndexes, map[string]string{"idx_hit": "idx_blks_hit"}},
	"sizes":   {record.ViewTables, nil},
	"statements_timings": {record.ViewStatements, map[string]string{"all_t": "total_exec_time", "read_t": "shared_blk_read_time",
		"write_t": "shared_blk_write_time", "user": "usename", "database": "datname"}},
	"activity": {record.ViewActivity, map[string]string{"cl_addr": "client_addr", "appname": "application_name", "wait_etype": "wait_event_type"}},
}

// pgCenterKiB are columns in KiB and the canonical columns in bytes.
var pgCenterKiB = map[string]string{"total_size": "total_relation_size", "rel_size": "relation_size"}

func (x *foreign) pgCenter(name string, s []byte) {
	var result pgCenterResult
	x.batch.Entries++
	if err := json.Unmarshal(bytes.TrimPrefix(s, []byte("\ufeff")), &result); err != nil {
		x.lose(x.pos(0), "a result set of pgcenter is damaged: "+err.Error())
		return
	}
	x.batch.Understood++
	spec, known := pgCenterViews[pgCenterView(name)]
	if !known {
		return
	}
	at := record.NoTime
	x.from = record.TimeFileName
	if t, ok := record.TimeFromName(name); ok {
		at = t
	}
	for _, row := range result.Values {
		if len(row) != len(result.Cols) || len(row) > maxColumns {
			x.batch.Entries++
			x.lose(x.pos(0), wrongColumns)
			continue
		}
		f := make(fields, len(row))
		for i, v := range row {
			column, _, _ := strings.Cut(strings.ToLower(result.Cols[i]), ",") // "heap_read,KiB"
			f[i] = field{column, record.Value{Text: v.String, Valid: v.Valid}}
		}
		f.rename(spec.rename)
		x.add(spec.view, at, x.pos(0), pgCenterRow(spec.view, f))
	}
}

// pgCenterRow splits the joined names and turns KiB into bytes.
func pgCenterRow(view record.View, f fields) fields {
	switch view {
	case record.ViewTables:
		if name, ok := f.text("relation"); ok {
			schema, table, _ := strings.Cut(name, ".")
			f = f.with("schemaname", schema).with("relname", table)
		}
	case record.ViewIndexes:
		if name, ok := f.text("index"); ok {
			if parts := strings.SplitN(name, ".", 3); len(parts) == 3 {
				f = f.with("schemaname", parts[0]).with("relname", parts[1]).with("indexrelname", parts[2])
			}
		}
	}
	for i := range f {
		if canonical, ok := pgCenterKiB[f[i].name]; ok {
			if n, err := strconv.ParseInt(f[i].value.Text, 10, 64); err == nil {
				f = f.with(canonical, strconv.FormatInt(n*1024, 10))
			}
		}
	}
	return f
}
