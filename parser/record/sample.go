package record

import (
	"strconv"
	"strings"
)

// View is a statistics view or catalog that a snapshot file holds.
type View string

// Views recognised by their columns.
const (
	ViewTables       View = "pg_stat_user_tables"
	ViewIndexes      View = "pg_stat_user_indexes"
	ViewStatioTables View = "pg_statio_user_tables"
	ViewStatioIndex  View = "pg_statio_user_indexes"
	ViewStatements   View = "pg_stat_statements"
	ViewActivity     View = "pg_stat_activity"
	ViewDatabase     View = "pg_stat_database"
	ViewSettings     View = "pg_settings"

	ViewStatementsInfo View = "pg_stat_statements_info"
	ViewBgwriter       View = "pg_stat_bgwriter"
	ViewCheckpointer   View = "pg_stat_checkpointer"
	ViewIO             View = "pg_stat_io"
	ViewWAL            View = "pg_stat_wal"
	ViewSlots          View = "pg_replication_slots"
	ViewReplication    View = "pg_stat_replication"
	ViewPrepared       View = "pg_prepared_xacts"
	ViewVacuuming      View = "pg_stat_progress_vacuum"
	ViewIndexing       View = "pg_stat_progress_create_index"
	ViewAnalyzing      View = "pg_stat_progress_analyze"
	ViewRewriting      View = "pg_stat_progress_cluster"
	ViewRoleSettings   View = "pg_db_role_setting"
	ViewScores         View = "pg_stat_autovacuum_scores"
	// ViewServer is one row about the cluster: server_version, in_recovery,
	// postmaster_start_time, system_identifier, block_size, next_xid and the like.
	ViewServer View = "server"
	// ViewVisibility is pg_visibility_map_summary of a named relation.
	ViewVisibility View = "pg_visibility_map_summary"
	// ViewTupleStats is pgstattuple or pgstattuple_approx of a named relation.
	ViewTupleStats View = "pgstattuple"
	// ViewIndexStats is pgstatindex of a named index.
	ViewIndexStats View = "pgstatindex"
	// ViewColumnSizes is pg_column_size of one column of a named table, in bytes:
	// percentiles over all or some of its rows.
	ViewColumnSizes View = "pg_column_size"
	// ViewSeries is a series of the user's: a time and numbers (--series).
	ViewSeries View = "series"
)

// SeriesTime is the canonical name of the time column of ViewSeries.
const SeriesTime = "captured_at"

// TimeSource says where a sample's time comes from.
type TimeSource uint8

// Sources of a sample's time.
const (
	TimeUnknown  TimeSource = iota // joins no series
	TimeColumn                     // captured_at, now, ts, timestamp
	TimeFileName                   // a date and time in the file's name
)

// Columns names the values of samples; shared by all rows of one file.
type Columns struct {
	Names []string
	index map[string]int
}

// NewColumns makes the name table. Names are lower-cased and trimmed; of a
// repeated name the first counts.
func NewColumns(names []string) *Columns {
	c := &Columns{Names: make([]string, len(names)), index: make(map[string]int, len(names))}
	for i, n := range names {
		n = strings.ToLower(strings.TrimSpace(n))
		c.Names[i] = n
		if _, dup := c.index[n]; !dup {
			c.index[n] = i
		}
	}
	return c
}

// Has reports whether the column exists.
func (c *Columns) Has(name string) bool { _, ok := c.index[name]; return ok }

// Index is the position of the column, -1 if there is none.
func (c *Columns) Index(name string) int {
	if i, ok := c.index[name]; ok {
		return i
	}
	return -1
}

// Value is one column of one row: its text, or null.
type Value struct {
	Text  string
	Valid bool
}

// Sample is one row of a snapshot: a view, a time and its columns.
type Sample struct {
	Pos        Pos
	View       View
	CapturedAt Time
	TimeSource TimeSource
	Columns    *Columns
	Values     []Value
}

// Text is the column's text; false if the column is absent or null.
func (s *Sample) Text(name string) (string, bool) {
	i := s.Columns.Index(name)
	if i < 0 || i >= len(s.Values) || !s.Values[i].Valid {
		return "", false
	}
	return s.Values[i].Text, true
}

// Int is the column as an integer (a float such as 200000.0 or 2e+05 counts
// if whole); false if absent, null or no number.
func (s *Sample) Int(name string) (int64, bool) {
	t, ok := s.Text(name)
	if !ok {
		return 0, false
	}
	if n, err := strconv.ParseInt(t, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(t, 64)
	if err != nil || f != float64(int64(f)) {
		return 0, false
	}
	return int64(f), true
}

// Float is the column as a number; false if absent, null or no number.
func (s *Sample) Float(name string) (float64, bool) {
	t, ok := s.Text(name)
	if !ok {
		return 0, false
	}
	f, err := strconv.ParseFloat(t, 64)
	return f, err == nil
}

// Bool is the column as a boolean in PostgreSQL's spellings.
func (s *Sample) Bool(name string) (value, ok bool) {
	t, ok := s.Text(name)
	if !ok {
		return false, false
	}
	switch strings.ToLower(t) {
	case "t", "true", "on", "yes", "1", "y":
		return true, true
	case "f", "false", "off", "no", "0", "n":
		return false, true
	}
	return false, false
}

// Time is the column as an instant, read by ParseTime; false if absent, null
// or no time.
func (s *Sample) Time(name string) (Time, bool) {
	t, ok := s.Text(name)
	if !ok {
		return NoTime, false
	}
	return ParseTime(t)
}
