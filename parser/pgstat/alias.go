package pgstat

import (
	"slices"

	"github.com/pgassay/pgassay/parser/record"
)

// alias is a canonical column name and the other names it comes under: those
// of earlier versions of PostgreSQL, of the function that psql names a column
// after, and of common monitoring queries.
type alias struct {
	name  string
	views []record.View // empty: all
	from  []string
}

var (
	ofTables     = []record.View{record.ViewTables, record.ViewStatioTables}
	ofIndexes    = []record.View{record.ViewIndexes, record.ViewStatioIndex}
	ofStatements = []record.View{record.ViewStatements}
	ofActivity   = []record.View{record.ViewActivity}
	ofDatabase   = []record.View{record.ViewDatabase}
	ofVacuuming  = []record.View{record.ViewVacuuming}
	ofServer     = []record.View{record.ViewServer}
	ofCounted    = []record.View{record.ViewTupleStats, record.ViewVisibility, record.ViewIndexStats}
	ofColumns    = []record.View{record.ViewColumnSizes}
	ofRelations  = slices.Concat(ofTables, ofIndexes)
)

// aliases: a column is renamed only where the canonical name is not there
// itself; of several the first in from counts.
var aliases = []alias{
	{"schemaname", ofRelations, []string{"nspname", "schema_name", "table_schema", "schema"}},
	{"relname", ofRelations, []string{"tablename", "table_name", "relation_name", "relation", "table"}},
	{"relid", ofTables, []string{"oid", "table_oid"}},
	{"indexrelname", ofIndexes, []string{"indexname", "index_name", "index"}},
	{"indexrelid", ofIndexes, []string{"index_oid"}},
	{"index_size", ofIndexes, []string{"pg_relation_size", "relation_size", "index_size_bytes", "index_bytes", "size_bytes", "size"}},
	{"indexdef", ofIndexes, []string{"pg_get_indexdef", "index_definition", "definition"}},
	{"amname", ofIndexes, []string{"access_method", "index_type", "am"}},
	{"indisvalid", ofIndexes, []string{"is_valid", "valid"}},
	{"indisready", ofIndexes, []string{"is_ready", "ready"}},
	{"indisunique", ofIndexes, []string{"is_unique"}},
	{"indisprimary", ofIndexes, []string{"is_primary"}},
	{"relation_size", ofTables, []string{"pg_relation_size", "heap_size", "relation_size_bytes", "size_bytes", "size"}},
	{"table_size", ofTables, []string{"pg_table_size", "table_size_bytes", "table_bytes"}},
	{"indexes_size", ofTables, []string{"pg_indexes_size", "indexes_size_bytes", "index_size", "index_bytes"}},
	{"total_relation_size", ofTables, []string{"pg_total_relation_size", "total_size", "total_size_bytes", "total_bytes"}},
	{"frozenxid_age", ofTables, []string{"relfrozenxid_age", "age_relfrozenxid", "xid_age", "age"}},
	{"mxid_age", ofTables, []string{"relminmxid_age", "age_relminmxid"}},
	{"toast_size", ofTables, []string{"toast_bytes", "toast_size_bytes"}},
	{"partition_parent", ofRelations, []string{"parent_name", "inhparent"}},
	{"queryid", ofStatements, []string{"query_id"}},
	{"total_exec_time", ofStatements, []string{"total_time"}}, // up to 12
	{"mean_exec_time", ofStatements, []string{"mean_time"}},
	{"min_exec_time", ofStatements, []string{"min_time"}},
	{"max_exec_time", ofStatements, []string{"max_time"}},
	{"stddev_exec_time", ofStatements, []string{"stddev_time"}},
	{"shared_blk_read_time", ofStatements, []string{"blk_read_time"}}, // up to 16
	{"shared_blk_write_time", ofStatements, []string{"blk_write_time"}},
	{"pid", ofActivity, []string{"procpid"}},
	{"query_id", ofActivity, []string{"queryid"}},
	{"frozenxid_age", ofDatabase, []string{"datfrozenxid_age", "age_datfrozenxid", "xid_age", "age"}},
	{"mxid_age", ofDatabase, []string{"datminmxid_age", "age_datminmxid"}},
	{"num_dead_item_ids", ofVacuuming, []string{"num_dead_tuples"}}, // up to 16
	{"schemaname", ofCounted, []string{"nspname", "schema_name", "table_schema", "schema"}},
	{"relname", ofCounted, []string{"indexrelname", "indexname", "index_name", "index", "tablename", "table_name", "relation_name", "relation", "table", "oid", "regclass"}},
	{"schemaname", ofColumns, []string{"nspname", "schema_name", "table_schema", "schema"}},
	{"relname", ofColumns, []string{"tablename", "table_name", "relation_name", "relation", "table", "attrelid", "regclass"}},
	{"attname", ofColumns, []string{"column_name", "columnname", "column"}},
	{"p10", ofColumns, []string{"size_p10", "p10_size", "p10_bytes", "p10_column_size", "pct10", "percentile_10"}},
	{"p50", ofColumns, []string{"size_p50", "p50_size", "p50_bytes", "p50_column_size", "pct50", "percentile_50", "median", "median_size"}},
	{"p90", ofColumns, []string{"size_p90", "p90_size", "p90_bytes", "p90_column_size", "pct90", "percentile_90"}},
	{"p99", ofColumns, []string{"size_p99", "p99_size", "p99_bytes", "p99_column_size", "pct99", "percentile_99"}},
	{"n", ofColumns, []string{"count", "rows", "sampled", "sample_rows"}},
	{"in_recovery", ofServer, []string{"pg_is_in_recovery"}},
	{"postmaster_start_time", ofServer, []string{"pg_postmaster_start_time"}},
	{"datname", nil, []string{"database_name", "dbname", "database"}},
	{"usename", nil, []string{"user_name", "username"}},
}

// timeColumns hold when a row was read, the most telling name first.
var timeColumns = []string{
	"captured_at", "now", "ts", "timestamp", "snapshot_time", "collected_at", "time",
	"clock_timestamp", "statement_timestamp", "transaction_timestamp", "current_timestamp",
	"capture_time", "collect_time", "collect_ts", "sampled_at", "sample_time", "snapshot_at", "snap_time", "epoch_ns",
}

// canonicalNames renames the columns of a view. names are lower-cased and
// trimmed; the result is a copy.
func canonicalNames(view record.View, names []string) []string {
	out := slices.Clone(names)
	for i := range aliases {
		a := &aliases[i]
		if len(a.views) > 0 && !slices.Contains(a.views, view) || slices.Contains(out, a.name) {
			continue
		}
		for _, from := range a.from {
			if at := slices.Index(out, from); at >= 0 {
				out[at] = a.name
				break
			}
		}
	}
	return out
}

// timeColumn is the position of the column with the time of the row, -1 if
// there is none.
func timeColumn(names []string) int {
	for _, n := range timeColumns {
		if at := slices.Index(names, n); at >= 0 {
			return at
		}
	}
	return -1
}
