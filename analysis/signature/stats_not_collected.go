package signature

import (
	"cmp"
	"maps"
	"slices"
	"sort"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

var statsNotCollected = &Signature{
	ID: "PGA215", Name: "stats-not-collected", Max: finding.Info,
	Felt: "Monitoring shows a quiet server, and autovacuum sees one",
	What: "The statistics that autovacuum and every other reader rely on are not counted, or were lost.",
	Why: "With track_counts = off no table counts its rows and scans: autovacuum then only acts against wraparound, and dead rows stay. " +
		"Transactions are counted all the same, so that xact_commit rises while blks_hit and every table stand still. " +
		"pg_stat_reset and a crash set all counters to 0, n_dead_tup and n_ins_since_vacuum with them: a table that was about to be vacuumed begins to count anew.",
	Fix: "Turn track_counts on. Do not reset the statistics of a database on a schedule: take differences between snapshots. " +
		"After a reset or a crash run ANALYZE on large tables, and VACUUM where dead rows had gathered.",
	Verify: "n_tup_ins of a table that is written rises, and stats_reset of pg_stat_database stays where it is.",
	Needs:  []Need{needSeries},
	Silent: []string{
		"an idle server: no table grows",
		"a load in one transaction, whose rows are counted when it ends: the counters of the database go on",
		"a standby, which counts no writes",
		"pg_stat_reset_shared and pg_stat_statements_reset, which touch no table",
	},
	Thresholds: []Threshold{
		{"min_commits", 10, "transactions", "counted by xact_commit while no block was"},
		{"min_pages", 8, "pages", "by which tables grow meanwhile"},
	},
	Detect: detectStatsNotCollected,
}

func detectStatsNotCollected(p *Pass) {
	m := p.Model
	rows := m.Rows(record.ViewDatabase)
	setting, told := m.Setting("track_counts")
	if len(rows) < 2 && !told && !sizesOverTime(m) {
		p.Lacks("no snapshots of pg_stat_database or of table sizes over time in input, and no track_counts",
			"pg_stat_database, pg_stat_user_tables with pg_relation_size, and pg_settings, each with captured_at, at least twice")
		return
	}
	off := told && (setting.Value == "off" || setting.Value == "false")
	flat := false
	for _, database := range databasesIn(rows) {
		q := quietOf(m, database)
		if q == nil || q.Commits < int64(p.limit("min_commits")) || q.grown() < p.limit("min_pages") {
			continue
		}
		flat = true
		q.Off = off
		p.Report(q.finding(p), true)
	}
	if off && !flat {
		p.Report(settingFinding(m, setting), true)
	}
	for _, l := range lossesOf(m) {
		p.Report(l.finding(m), true)
	}
}

// sizesOverTime reports whether a table has two sizes.
func sizesOverTime(m *dataset.Model) bool {
	return slices.ContainsFunc(m.Relations, func(r *dataset.Relation) bool { return len(r.HeapSizes(m.BlockSize)) > 1 })
}

func databasesIn(rows []record.Sample) []string {
	names := map[string]bool{}
	for i := range rows {
		if n, ok := rows[i].Text("datname"); ok {
			names[n] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// quiet is the last run of captures of a database over which transactions
// committed while no block and no row was counted, though tables grew.
type quiet struct {
	Database string
	From, To record.Time
	First    record.Pos // the first capture that shows it
	Last     record.Pos
	Captures int
	Commits  int64
	Before   int64 // blocks counted before the run: the control
	Tables   []grownTable
	Off      bool // track_counts is told to be off
}

// grownTable is a table that grew while none of its counters moved.
type grownTable struct {
	Relation *dataset.Relation
	From, To dataset.Reading
}

func (g *grownTable) pages() float64 { return g.To.Pages - g.From.Pages }

func (q *quiet) grown() (pages float64) {
	for i := range q.Tables {
		pages += q.Tables[i].pages()
	}
	return pages
}

// quietOf finds the run that ends the captures of the database; nil if blocks
// are counted to the end.
func quietOf(m *dataset.Model, database string) *quiet {
	of := func(s *record.Sample) bool { n, _ := s.Text("datname"); return n == database }
	commits := m.Deltas(record.ViewDatabase, "xact_commit", of)
	blocks := map[record.Time]int64{}
	for _, column := range []string{"blks_hit", "blks_read"} {
		for _, d := range m.Deltas(record.ViewDatabase, column, of) {
			blocks[d.To] += d.N
		}
	}
	q := &quiet{Database: database}
	i := len(commits)
	for ; i > 0; i-- {
		d := commits[i-1]
		if n, told := blocks[d.To]; !told || n > 0 || q.Captures > 0 && d.To != q.From {
			break
		}
		if q.Captures == 0 {
			q.To, q.Last = d.To, d.Pos
		}
		q.From, q.First = d.From, d.Pos
		q.Captures++
		q.Commits += d.N
	}
	if q.Captures == 0 {
		return nil
	}
	for _, d := range commits[:i] {
		q.Before += blocks[d.To]
	}
	q.Tables = grownWhile(m, database, q.From, q.To)
	return q
}

// grownWhile are the tables of the database that grew between two times while
// their counters stood still, the most first.
func grownWhile(m *dataset.Model, database string, from, to record.Time) []grownTable {
	var out []grownTable
	for _, r := range m.Relations {
		if cmp.Or(r.Database, m.Database) != database || !stoodStill(r, from, to) {
			continue
		}
		var sizes []dataset.Reading
		for _, s := range r.HeapSizes(m.BlockSize) {
			if s.Time >= from.Add(-dataset.SameCapture) && s.Time <= to.Add(dataset.SameCapture) {
				sizes = append(sizes, s)
			}
		}
		if n := len(sizes); n > 1 && sizes[n-1].Pages > sizes[0].Pages {
			out = append(out, grownTable{r, sizes[0], sizes[n-1]})
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].pages() > out[j].pages() })
	return out
}

// stoodStill reports whether the table's counters of writes are known over the
// time, by two captures or more, and did not move.
func stoodStill(r *dataset.Relation, from, to record.Time) bool {
	n := 0
	for _, d := range r.Written() {
		if d.From < from.Add(-dataset.SameCapture) || d.To > to.Add(dataset.SameCapture) {
			continue
		}
		if d.N > 0 {
			return false
		}
		n++
	}
	return n > 0
}

// lossOfStats is what set the statistics of a database or server to 0, once or
// several times.
type lossOfStats struct {
	Database string
	Breaks   []dataset.Break // by time
}

// lossesOf groups the resets and crashes of the snapshots by database.
func lossesOf(m *dataset.Model) []lossOfStats {
	byDatabase := map[string][]dataset.Break{}
	for _, b := range m.Breaks {
		switch b.Kind {
		case dataset.BreakReset, dataset.BreakCrash, dataset.BreakLost, dataset.BreakTableReset:
			name := cmp.Or(b.Database, m.Database)
			if b.Server {
				name = ""
			}
			byDatabase[name] = append(byDatabase[name], b)
		}
	}
	var out []lossOfStats
	for _, name := range slices.Sorted(maps.Keys(byDatabase)) {
		out = append(out, lossOfStats{name, byDatabase[name]})
	}
	return out
}
