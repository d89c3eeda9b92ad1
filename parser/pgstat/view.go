package pgstat

import "github.com/pgassay/pgassay/parser/record"

// viewSpec says by which columns a view is recognised, in canonical names.
type viewSpec struct {
	view record.View
	doc  string
	// all lists columns that must all be there.
	all []string
	// any lists columns of which one must be there; the view with most of them
	// wins, of equal ones the earlier.
	any []string
	// none lists columns that other views have beside these.
	none []string
}

// views are the views that are read. Columns are those of PostgreSQL 12 to 18
// and, from pg_class, pg_index and the size functions, what exports join to
// them.
var views = []viewSpec{
	{
		view: record.ViewStatements,
		doc:  "statements since the last reset",
		all:  []string{"calls"},
		any: []string{"query", "queryid", "total_exec_time", "mean_exec_time", "total_plan_time", "shared_blks_hit",
			"shared_blks_read", "shared_blks_dirtied", "temp_blks_written", "stddev_exec_time", "wal_bytes", "toplevel"},
		none: []string{"funcname", "funcid"},
	},
	{
		view: record.ViewIndexes,
		doc:  "use, size and state of each index",
		all:  []string{"indexrelname"},
		any: []string{"idx_scan", "last_idx_scan", "idx_tup_read", "idx_tup_fetch", "index_size", "relpages", "reltuples",
			"relfilenode", "indisvalid", "indisready", "indisunique", "indisprimary", "amname", "indexdef"},
		none: []string{"phase", "locktype"},
	},
	{
		view: record.ViewStatioIndex,
		doc:  "blocks read of each index",
		all:  []string{"indexrelname"},
		any:  []string{"idx_blks_read", "idx_blks_hit"},
	},
	{
		view: record.ViewTables,
		doc:  "use, size and maintenance of each table",
		all:  []string{"relname"},
		any: []string{"seq_scan", "last_seq_scan", "seq_tup_read", "n_tup_ins", "n_tup_upd", "n_tup_del", "n_tup_hot_upd",
			"n_tup_newpage_upd", "n_live_tup", "n_dead_tup", "n_mod_since_analyze", "n_ins_since_vacuum", "last_vacuum",
			"last_autovacuum", "last_analyze", "last_autoanalyze", "vacuum_count", "autovacuum_count", "relpages",
			"reltuples", "relallvisible", "relation_size", "table_size", "total_relation_size", "frozenxid_age"},
		none: []string{"indexrelname", "attname", "phase", "locktype", "pid"},
	},
	{
		view: record.ViewStatioTables,
		doc:  "blocks read of each table",
		all:  []string{"relname"},
		any: []string{"heap_blks_read", "heap_blks_hit", "idx_blks_read", "idx_blks_hit", "toast_blks_read",
			"toast_blks_hit", "tidx_blks_read", "tidx_blks_hit"},
		none: []string{"indexrelname"},
	},
	{
		view: record.ViewActivity,
		doc:  "what each session is doing",
		all:  []string{"pid"},
		any: []string{"state", "query", "query_start", "xact_start", "backend_start", "state_change", "wait_event",
			"wait_event_type", "backend_xmin", "backend_xid"},
		none: []string{"error_severity", "locktype", "phase", "sent_lsn", "replay_lsn", "slot_name", "subname", "sslversion"},
	},
	{
		view: record.ViewDatabase,
		doc:  "counters of each database",
		all:  []string{"datname"},
		any: []string{"numbackends", "xact_commit", "xact_rollback", "blks_read", "blks_hit", "tup_returned", "tup_fetched",
			"tup_inserted", "tup_updated", "tup_deleted", "temp_files", "temp_bytes", "deadlocks", "session_time",
			"active_time", "sessions"},
		none: []string{"pid", "relname", "query", "queryid", "indexrelname", "funcname"},
	},
	{
		view: record.ViewSettings,
		doc:  "server settings",
		all:  []string{"name"},
		any:  []string{"setting"},
	},
}

// ViewDoc names a view that is read and says in one line what it holds.
type ViewDoc struct {
	View record.View
	Doc  string
}

// Views lists the views that are read, for the help and for messages.
func Views() []ViewDoc {
	docs := make([]ViewDoc, len(views))
	for i := range views {
		docs[i] = ViewDoc{views[i].view, views[i].doc}
	}
	return docs
}

// recognise finds the view that has the columns; names are as in the file, but
// lower-cased and trimmed. The second result is the canonical names.
func recognise(names []string) (record.View, []string, bool) {
	best, most := -1, 0
	var columns []string
	for i := range views {
		renamed := canonicalNames(views[i].view, names)
		if n := views[i].fits(renamed); n > most {
			best, most, columns = i, n, renamed
		}
	}
	if best < 0 {
		return "", nil, false
	}
	return views[best].view, columns, true
}

// fits counts how many of the view's any columns there are; 0 if it is not
// the view.
func (v *viewSpec) fits(names []string) int {
	have := make(map[string]bool, len(names))
	for _, n := range names {
		have[n] = true
	}
	for _, n := range v.all {
		if !have[n] {
			return 0
		}
	}
	for _, n := range v.none {
		if have[n] {
			return 0
		}
	}
	count := 0
	for _, n := range v.any {
		if have[n] {
			count++
		}
	}
	return count
}
