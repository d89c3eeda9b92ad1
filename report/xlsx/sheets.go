package xlsx

import (
	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report/view"
)

func (b *book) statements() *table {
	rows := b.view.Result.Statements
	return &table{
		name: statementsSheet, optional: true, rows: len(rows), printed: 14,
		columns: []column{
			{"Finding", 10, text}, {"Share of server time", 10, share}, {"Total (ms)", 16, real}, {"Calls", 12, whole},
			{"Mean (ms)", 12, real}, {"p50 (ms)", 12, real}, {"p95 (ms)", 12, real}, {"Max (ms)", 12, real},
			{"Rows per call", 12, real}, {"Buffers per call (8 kB)", 14, real}, {"Buffers per row (8 kB)", 14, heat},
			{"Plan shapes", 8, whole}, {"Command", 14, text}, {"Statement", 70, wrapped}, {"Fingerprint", 20, text},
			{"Source", 18, text},
		},
		row: func(i int) []any {
			s := &rows[i]
			var p50, p95, most any // pg_stat_statements does not tell them
			if s.Max > 0 {
				p50, p95, most = s.P50.Milliseconds(), s.P95.Milliseconds(), s.Max.Milliseconds()
			}
			return []any{
				b.back(statementsSheet, s.Fingerprint), s.Share, s.Total.Milliseconds(), s.Calls, s.Mean.Milliseconds(),
				p50, p95, most, s.Rows, s.Buffers, s.BuffersPerRow,
				int64(s.Shapes), view.Line(s.Command), view.Block(s.Text), view.Line(s.Fingerprint), s.From,
			}
		},
	}
}

// relations is one row for each table; what of its trigger is known comes from
// Result.Triggers.
func (b *book) relations() *table {
	rows := b.view.Result.Relations
	known := map[string]*analysis.Trigger{}
	for i := range b.view.Result.Triggers {
		t := &b.view.Result.Triggers[i]
		known[t.Relation] = t
	}
	return &table{
		name: tablesSheet, optional: true, rows: len(rows),
		columns: []column{
			{"Finding", 10, text}, {"Table", 32, wrapped}, {"Live rows, first", 12, whole}, {"Live rows, last", 12, whole},
			{"Dead rows, last", 12, whole}, {"Vacuum trigger, last (dead rows)", 14, whole}, {"Dead ÷ trigger, last", 10, excess},
			{"Dead ÷ trigger, worst", 10, excess}, {"Worst at (UTC)", 23, moment}, {"Pages, first (8 kB)", 12, whole},
			{"Pages, last (8 kB)", 12, whole}, {"Vacuums", 9, whole}, {"Analyzes", 9, whole}, {"Last vacuum (UTC)", 23, moment},
			{"Chart", 7, text}, {"Note on the trigger", 30, wrapped},
		},
		row: func(i int) []any {
			r := &rows[i]
			var limit, last, worst, at, note any
			if t := known[r.Name]; t != nil {
				limit, last, worst, note = t.Last.Limit, t.Last.Ratio(), t.Worst.Ratio(), view.Line(t.Note)
				if t.Worst.Ratio() > 0 {
					at = t.Worst.Time
				}
			}
			return []any{
				b.back(tablesSheet, r.Name), view.Line(r.Name), r.LiveFirst, r.LiveLast, r.DeadLast, limit, last, worst, at,
				r.PagesFirst, r.PagesLast, r.Vacuums, r.Analyzes, r.LastVacuum, named("chart", b.triggers[r.Name]), note,
			}
		},
	}
}

func (b *book) indexes() *table {
	rows := b.view.Result.Indexes
	return &table{
		name: indexesSheet, optional: true, rows: len(rows),
		columns: []column{
			{"Finding", 10, text}, {"Index", 36, wrapped}, {"Table", 30, wrapped}, {"Access method", 10, text},
			{"Pages, first (8 kB)", 12, whole}, {"Pages, last (8 kB)", 12, whole}, {"Scans in the span", 12, whole},
			{"Valid", 7, state}, {"Ready", 7, state}, {"Rebuilt (UTC)", 23, moment}, {"Definition", 60, wrapped},
		},
		row: func(i int) []any {
			x := &rows[i]
			return []any{
				b.back(indexesSheet, x.Name), view.Line(x.Name), view.Line(x.Relation), view.Line(x.AccessMethod), x.PagesFirst,
				x.PagesLast, x.Scans, yesNo(x.Valid), yesNo(x.Ready), x.Rebuilt, view.Line(x.Definition),
			}
		},
	}
}

func yesNo(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}

// vacuums is the time line of the vacuums and analyzes that the log tells.
func (b *book) vacuums() *table {
	rows := b.view.Result.Vacuums
	return &table{
		name: vacuumsSheet, optional: true, rows: len(rows), printed: 17,
		columns: []column{
			{"Finding", 10, text}, {"Began (UTC)", 23, moment}, {"Ended (UTC)", 23, moment}, {"Elapsed (s)", 12, real},
			{"Kind", 9, text}, {"Table", 32, wrapped}, {"Index scans", 8, whole}, {"Pages removed (8 kB)", 10, whole},
			{"Pages remain (8 kB)", 12, whole}, {"Pages scanned (8 kB)", 12, whole}, {"Tuples removed", 12, whole},
			{"Tuples remain", 14, whole}, {"Dead, not yet removable", 14, alarm}, {"Dead item identifiers", 14, whole},
			{"Cutoff age (XIDs)", 14, whole}, {"Pages set all-visible (8 kB)", 12, whole}, {"Buffer hits (8 kB)", 12, whole},
			{"Buffer misses (8 kB)", 12, whole}, {"Buffers dirtied (8 kB)", 12, whole}, {"WAL (bytes)", 14, whole},
			{"Database", 16, text}, {"File", 36, wrapped}, {"Line", 11, whole},
		},
		row: func(i int) []any { return b.vacuum(&rows[i]) },
	}
}

func (b *book) vacuum(x *record.Vacuum) []any {
	kind, scans := "vacuum", record.Some(x.IndexScans)
	if x.Kind == record.KindAnalyze {
		kind, scans = "analyze", record.Count{}
	}
	var elapsed, began any
	if x.HasElapsed {
		elapsed = x.Elapsed.Seconds()
		if view.Known(x.LogTime) {
			began = x.LogTime.Add(-x.Elapsed)
		}
	}
	return []any{
		b.back(tablesSheet, x.QualifiedName()), began, x.LogTime, elapsed, kind, view.Line(x.QualifiedName()), scans,
		x.PagesRemoved, x.PagesRemain, x.PagesScanned, x.TuplesRemoved, x.TuplesRemain, x.TuplesNotRemovable, x.DeadItems,
		x.CutoffAge, x.PagesSetAllVisible, x.BufferHits, x.BufferMisses, x.BufferDirtied, x.WALBytes, view.Line(x.Database),
		view.Line(x.Pos.File), lineOf(x.Pos),
	}
}

func (b *book) inputs() *table {
	rows := b.view.Result.Inputs
	return &table{
		name: inputsSheet, rows: len(rows), printed: 18,
		columns: []column{
			{"File", 40, wrapped}, {"Format", 10, text}, {"Recognised", 30, wrapped}, {"Server", 16, wrapped}, {"Log zone", 10, text},
			{"View", 20, wrapped}, {"Size (bytes)", 14, whole}, {"Lines", 11, whole}, {"Entries", 10, whole},
			{"Entries understood", 11, whole}, {"Executions", 11, whole}, {"Plans", 9, whole}, {"Vacuums", 9, whole},
			{"Snapshot rows", 10, whole}, {"Snapshots", 10, whole}, {"Interval (s)", 10, real}, {"First (UTC)", 23, moment},
			{"Last (UTC)", 23, moment}, {"Kinds", 36, wrapped},
		},
		row: func(i int) []any { return inputRow(&rows[i]) },
	}
}

func inputRow(in *analysis.Input) []any {
	var interval any
	if in.Interval > 0 {
		interval = in.Interval.Seconds()
	}
	return []any{
		view.Line(in.Name), view.Line(in.Format), view.Line(in.Detail), view.Server(in.Version), view.Line(in.Zone),
		view.Line(string(in.View)), in.Bytes, in.Lines, in.Entries, in.Understood, in.Executions, in.Plans, in.Vacuums,
		in.Samples, in.Snapshots, interval, in.First, in.Last, view.Kinds(in.Kinds),
	}
}

func (b *book) losses() *table {
	rows := b.view.Result.Losses
	return &table{
		name: lossesSheet, rows: len(rows),
		columns: []column{
			{"File", 44, wrapped}, {"Line", 11, whole}, {"Kind", 22, text}, {"Count", 10, whole},
			{"What was expected", 80, wrapped},
		},
		row: func(i int) []any {
			l := &rows[i]
			return []any{view.Line(l.Pos.File), lineOf(l.Pos), view.Line(string(l.Kind)), max(l.Count, 1), view.Line(l.Text)}
		},
	}
}

func (b *book) signatures() *table {
	evaluated, not := b.view.Result.Evaluated, b.view.NotEvaluated
	return &table{
		name: signaturesSheet, rows: len(evaluated) + len(not),
		columns: []column{
			{"ID", 9, text}, {"Name", 28, text}, {"State", 14, state}, {"What the input lacks", 50, wrapped},
			{"What to add", 60, wrapped},
		},
		row: func(i int) []any {
			if i < len(evaluated) {
				return []any{view.Line(evaluated[i]), "", "evaluated", "", ""}
			}
			n := &not[i-len(evaluated)]
			return []any{n.ID, n.Name, "not evaluated", n.Lacks, n.Add}
		},
	}
}
