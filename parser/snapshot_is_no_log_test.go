package parser

import "testing"

// TestSnapshotIsNoLog: a row of a snapshot begins with a time too, and a count
// of five digits at the 13th column looks like a SQLSTATE.
func TestSnapshotIsNoLog(t *testing.T) {
	folder(t, map[string]string{"tables.csv": "captured_at,relid,schemaname,relname,seq_scan,seq_tup_read,idx_scan,idx_tup_fetch," +
		"n_tup_ins,n_tup_upd,n_tup_del,n_tup_hot_upd,n_live_tup,n_dead_tup,n_mod_since_analyze,n_ins_since_vacuum," +
		"last_vacuum,last_autovacuum,last_analyze,last_autoanalyze,vacuum_count,autovacuum_count,analyze_count,autoanalyze_count\n" +
		"2026-11-30 14:11:16.311995+00,16744,public,items,4,25000,0,0,25000,0,0,0,25000,0,0,25000,,,,,0,1,0,1\n"})
	f := run(t, Options{Formats: Formats}, "tables.csv").Report.Files[0]
	if f.Format != "snapshot-csv" || f.Samples != 1 || len(f.Losses) > 0 {
		t.Errorf("read as %s: %d samples, losses %+v", f.Format, f.Samples, f.Losses)
	}
}
