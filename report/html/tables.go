package html

import (
	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report/view"
)

// tablesOf makes the tables that have rows.
func tablesOf(v *view.View) []table {
	w := &writer{left: allTexts}
	var out []table
	for _, t := range []table{
		w.changes(v), w.dearer(v), w.suppressed(v),
		w.statements(v), w.relations(v.Result.Relations), w.indexes(v.Result.Indexes), w.vacuums(v.Result.Vacuums),
		w.inputs(v.Result.Inputs), w.losses(v.Result.Losses), signatures(v),
	} {
		if len(t.Rows) > 0 {
			out = append(out, t)
		}
	}
	return out
}

func (w *writer) statements(v *view.View) table {
	t := table{ID: "statements", Title: "Statements", Columns: []column{
		{"Share of time", number}, {"Total", number}, {"Calls", number}, {"Mean", number}, {"Statement", prose}, {"p50", number},
		{"p95", number}, {"Max", number}, {"Rows per call", number}, {"Buffers per call", number}, {"Buffers per row", number},
		{"Plan shapes", number}, {"Fingerprint", words}, {"Source", words},
	}}
	plans := planAnchors(v)
	t.rows(len(v.Result.Statements), func(i int) []cell {
		s := &v.Result.Statements[i]
		shapes := whole(int64(s.Shapes))
		shapes.Link = plans[s.Fingerprint]
		p50, p95, most := span(s.P50), span(s.P95), span(s.Max)
		if s.From != "log" { // pg_stat_statements keeps no distribution
			p50, p95, most = absent(), absent(), absent()
		}
		return []cell{
			decimal(s.Share, "fraction"), span(s.Total), whole(s.Calls), span(s.Mean), w.block(s.Text), p50, p95, most, decimal(s.Rows, ""),
			decimal(s.Buffers, ""), decimal(s.BuffersPerRow, ""), shapes, w.text(s.Fingerprint), w.text(s.From),
		}
	})
	return t
}

func (w *writer) relations(rows []analysis.RelationRow) table {
	t := table{ID: "tables", Title: "Tables", Columns: []column{
		{"Table", words}, {"Live rows, first", number}, {"Live rows, last", number}, {"Dead rows, last", number},
		{"Pages, first", number}, {"Pages, last", number}, {"Vacuums", number}, {"Analyzes", number}, {"Last vacuum", when},
	}}
	t.rows(len(rows), func(i int) []cell {
		r := &rows[i]
		return []cell{
			w.text(r.Name), optional(r.LiveFirst), optional(r.LiveLast), optional(r.DeadLast), optional(r.PagesFirst),
			optional(r.PagesLast), whole(r.Vacuums), whole(r.Analyzes), at(r.LastVacuum, notSeen),
		}
	})
	return t
}

func (w *writer) indexes(rows []analysis.IndexRow) table {
	t := table{ID: "indexes", Title: "Indexes", Columns: []column{
		{"Index", words}, {"Table", words}, {"Access method", words}, {"Pages, first", number}, {"Pages, last", number},
		{"Scans in the span", number}, {"Valid", words}, {"Ready", words}, {"Rebuilt", when}, {"Definition", prose},
	}}
	t.rows(len(rows), func(i int) []cell {
		x := &rows[i]
		return []cell{
			w.text(x.Name), w.text(x.Relation), w.text(x.AccessMethod), optional(x.PagesFirst), optional(x.PagesLast),
			optional(x.Scans), yesNo(x.Valid), yesNo(x.Ready), at(x.Rebuilt, notSeen), w.block(x.Definition),
		}
	})
	return t
}

func (w *writer) vacuums(rows []record.Vacuum) table {
	t := table{ID: "vacuums", Title: "Vacuum timeline", Columns: []column{
		{"Logged", when}, {"Elapsed", number}, {"Kind", words}, {"Table", words}, {"Index scans", number}, {"Pages remain", number},
		{"Tuples removed", number}, {"Tuples remain", number}, {"Dead, not yet removable", number}, {"Dead item identifiers", number},
		{"Cutoff age (XIDs)", number}, {"Buffer hits", number}, {"Buffer misses", number}, {"Buffers dirtied", number}, {"Place", words},
	}}
	t.rows(len(rows), func(i int) []cell {
		x := &rows[i]
		kind, scans := "vacuum", whole(x.IndexScans)
		if x.Kind == record.KindAnalyze {
			kind, scans = "analyze", absent()
		}
		elapsed := absent()
		if x.HasElapsed {
			elapsed = span(x.Elapsed)
		}
		return []cell{
			at(x.LogTime, view.Unknown), elapsed, {Text: kind}, w.text(x.QualifiedName()), scans, optional(x.PagesRemain),
			optional(x.TuplesRemoved), optional(x.TuplesRemain), optional(x.TuplesNotRemovable), optional(x.DeadItems),
			optional(x.CutoffAge), optional(x.BufferHits), optional(x.BufferMisses), optional(x.BufferDirtied),
			w.text(x.Pos.String()),
		}
	})
	return t
}

func (w *writer) inputs(rows []analysis.Input) table {
	t := table{ID: "inputs", Title: "Inputs", Columns: []column{
		{"File", words}, {"Format", words}, {"Recognised", prose}, {"Server", words}, {"Log zone", words}, {"Size", number},
		{"Lines", number}, {"Entries", number}, {"Understood", number}, {"Executions", number}, {"Plans", number}, {"Vacuums", number},
		{"Snapshot rows", number}, {"Snapshots", number}, {"Interval", number}, {"First", when}, {"Last", when},
		{"Kinds", prose},
	}}
	t.rows(len(rows), func(i int) []cell {
		in := &rows[i]
		interval := absent()
		if in.Interval > 0 {
			interval = span(in.Interval)
		}
		return []cell{
			w.text(in.Name), w.text(in.Format), w.text(in.Detail), w.text(view.Server(in.Version)), w.text(in.Zone),
			decimal(float64(in.Bytes), "bytes"), whole(in.Lines), whole(in.Entries), whole(in.Understood), whole(in.Executions),
			whole(in.Plans), whole(in.Vacuums), whole(in.Samples), whole(in.Snapshots), interval, at(in.First, view.Unknown), at(in.Last, view.Unknown),
			w.text(view.Kinds(in.Kinds)),
		}
	})
	return t
}

func (w *writer) losses(rows []record.Loss) table {
	t := table{ID: "losses", Title: "Losses", Columns: []column{
		{"Place", words}, {"Kind", words}, {"Count", number}, {"What was expected", prose},
	}}
	t.rows(len(rows), func(i int) []cell {
		l := &rows[i]
		place := l.Pos.File
		if l.Pos.Line > 0 {
			place = l.Pos.String()
		}
		return []cell{w.text(place), w.text(string(l.Kind)), whole(max(l.Count, 1)), w.text(l.Text)}
	})
	return t
}

func signatures(v *view.View) table {
	t := table{ID: "signatures", Title: "Signatures", Columns: []column{
		{"ID", words}, {"Name", words}, {"State", words}, {"What the input lacks", prose}, {"What to add", prose},
	}}
	evaluated := v.Result.Evaluated
	t.rows(len(v.NotEvaluated)+len(evaluated), func(i int) []cell {
		if i < len(v.NotEvaluated) {
			n := &v.NotEvaluated[i]
			return []cell{{Text: n.ID}, {Text: n.Name}, {Text: "not evaluated"}, {Text: n.Lacks}, {Text: n.Add}}
		}
		return []cell{{Text: view.Line(evaluated[i-len(v.NotEvaluated)])}, {}, {Text: "evaluated"}, {}, {}}
	})
	return t
}
