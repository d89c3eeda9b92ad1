package report

import (
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report/view"
)

// csvTables are the files of the csv report. Rows that belong to a finding
// begin with its ID and fingerprint.
var csvTables = []csvTable{
	{"findings.csv", []string{
		"id", "fingerprint", "name", "severity", "confidence", "title", "subject_kind", "subject", "database",
		"statement_fingerprint", "effect_x", "share_of_time", "since_utc", "event", "event_utc", "ended_utc", "summary",
		"actions", "costs", "will_not_help", "verify", "why_confidence", "n", "notes", "cause",
		"status", "incident", "story",
	}, csvFindings},
	{"suppressed.csv", []string{
		"id", "fingerprint", "name", "severity", "title", "subject_kind", "subject", "reason", "expires_utc", "file", "line",
	}, csvSuppressed},
	{"changes.csv", []string{"status", "id", "name", "title", "subject", "why"}, csvChanges},
	{"dearer.csv", []string{
		"statement_fingerprint", "unit", "was", "now", "ratio_x", "rise_per_call", "calls_was", "calls", "statement",
	}, csvDearer},
	{"evidence.csv", []string{
		"id", "fingerprint", "what", "file", "line", "time_utc", "value", "unit", "limit", "excerpt",
	}, csvEvidence},
	{"figures.csv", []string{
		"id", "fingerprint", "kind", "what", "value", "unit", "low_95", "high_95", "text", "limit", "says", "p_corrected",
	}, csvFigures},
	{"ruled_out.csv", []string{
		"id", "fingerprint", "rival", "verdict", "figure", "raw_r", "partial_r", "why",
	}, csvRuledOut},
	{"attribution.csv", []string{
		"id", "fingerprint", "candidate", "verdict", "share_of_variance", "slope", "unit", "low_95", "high_95", "limit",
		"p_corrected", "raw_r", "partial_r", "n", "effective_n", "why",
	}, csvAttribution},
	{"statements.csv", []string{
		"statement_fingerprint", "command", "calls", "total_ms", "mean_ms", "p50_ms", "p95_ms", "max_ms", "share_of_time",
		"rows_per_call", "buffers_per_call", "buffers_per_row", "plan_shapes", "source", "approximate", "statement",
	}, csvStatements},
	{"tables.csv", []string{
		"table", "live_rows_first", "live_rows_last", "dead_rows_last", "pages_first", "pages_last", "vacuums", "analyzes",
		"last_vacuum_utc",
	}, csvRelations},
	{"indexes.csv", []string{
		"index", "table", "access_method", "pages_first", "pages_last", "scans", "valid", "ready", "rebuilt_utc", "definition",
	}, csvIndexes},
	{"vacuums.csv", []string{
		"logged_utc", "elapsed_s", "kind", "table", "index_scans", "pages_remain", "tuples_removed", "tuples_remain",
		"tuples_not_removable", "dead_items", "cutoff_age_xids", "buffer_hits", "buffer_misses", "buffers_dirtied", "file", "line",
	}, csvVacuums},
	{"series.csv", []string{
		"id", "fingerprint", "series", "column", "unit", "time_utc", "x", "x_unit", "y",
	}, csvSeries},
	{"inputs.csv", []string{
		"file", "format", "detail", "server", "zone", "view", "size_bytes", "lines", "entries", "understood", "executions",
		"plans", "vacuums", "snapshot_rows", "snapshots", "interval_s", "first_utc", "last_utc", "kinds",
	}, csvInputs},
	{"losses.csv", []string{"file", "line", "kind", "count", "text"}, csvLosses},
	{"signatures.csv", []string{"id", "name", "state", "lacks", "add"}, csvSignatures},
}

func csvFindings(v *view.View, row func(...any)) {
	for i := range v.Findings {
		f := &v.Findings[i]
		raw := f.Raw
		var onset finding.Onset
		if raw.Onset != nil {
			onset = *raw.Onset
		}
		var effect any
		if raw.Effect != 0 {
			effect = raw.Effect
		}
		var incident any
		if f.Incident > 0 {
			incident = f.Incident
		}
		var dos, costs []string
		for _, a := range f.Actions {
			dos, costs = append(dos, a.Do), append(costs, a.Cost)
		}
		row(f.ID, raw.Fingerprint(), view.Line(raw.Name), raw.Severity.String(), raw.Confidence.String(), f.Title, f.Kind,
			f.Subject, view.Line(raw.Subject.Database), view.Line(raw.Subject.Fingerprint), effect, raw.Share, onset.Time,
			view.Line(onset.Event), onset.EventTime, onset.End, f.Summary, strings.Join(dos, "\n"), strings.Join(costs, "\n"),
			f.WillNotHelp, strings.Join(f.Verify, "\n"), view.Line(raw.WhyConfidence), f.N, strings.Join(f.Notes, "\n"),
			view.Line(raw.Cause), f.Status, incident, f.Story)
	}
}

func csvEvidence(v *view.View, row func(...any)) {
	for i := range v.Findings {
		f := &v.Findings[i]
		for j := range f.Raw.Evidence {
			e := &f.Raw.Evidence[j]
			row(f.ID, f.Raw.Fingerprint(), view.Line(e.What), view.Line(e.Pos.File), csvLine(e.Pos), e.Time, e.Value,
				view.Line(e.Unit), view.Line(e.Limit), view.Block(e.Excerpt))
		}
	}
}

// csvLine is the line of a place, nothing if it is not known.
func csvLine(p record.Pos) any {
	if p.Line <= 0 {
		return nil
	}
	return p.Line
}

func csvFigures(v *view.View, row func(...any)) {
	for i := range v.Findings {
		f := &v.Findings[i]
		add := func(kind string, figures []finding.Figure) {
			for j := range figures {
				g := &figures[j]
				var value, low, high any
				if g.Text == "" || g.Value != 0 {
					value = g.Value
				}
				if g.Interval != nil {
					low, high = g.Interval[0], g.Interval[1]
				}
				row(f.ID, f.Raw.Fingerprint(), kind, view.Line(g.What), value, view.Line(g.Unit), low, high,
					view.FigureText(g), view.Line(g.Limit), view.Line(g.Says), g.PValue)
			}
		}
		add("working", f.Raw.Figures)
		add("forecast", f.Raw.Forecast)
	}
}

func csvRuledOut(v *view.View, row func(...any)) {
	for i := range v.Findings {
		f := &v.Findings[i]
		for j := range f.Raw.RuledOut {
			r := &f.Raw.RuledOut[j]
			row(f.ID, f.Raw.Fingerprint(), view.Line(r.Rival), view.Line(string(r.Verdict)), view.Line(r.Figure), r.Raw,
				r.Partial, view.Line(r.Why))
		}
	}
}

func csvStatements(v *view.View, row func(...any)) {
	for i := range v.Result.Statements {
		s := &v.Result.Statements[i]
		row(view.Line(s.Fingerprint), view.Line(s.Command), s.Calls, s.Total.Milliseconds(), s.Mean.Milliseconds(),
			s.P50.Milliseconds(), s.P95.Milliseconds(), s.Max.Milliseconds(), s.Share, s.Rows, s.Buffers, s.BuffersPerRow,
			s.Shapes, view.Line(s.From), s.Approximate, view.Block(s.Text))
	}
}

func csvRelations(v *view.View, row func(...any)) {
	for i := range v.Result.Relations {
		r := &v.Result.Relations[i]
		row(view.Line(r.Name), r.LiveFirst, r.LiveLast, r.DeadLast, r.PagesFirst, r.PagesLast, r.Vacuums, r.Analyzes, r.LastVacuum)
	}
}

func csvIndexes(v *view.View, row func(...any)) {
	for i := range v.Result.Indexes {
		x := &v.Result.Indexes[i]
		row(view.Line(x.Name), view.Line(x.Relation), view.Line(x.AccessMethod), x.PagesFirst, x.PagesLast, x.Scans, x.Valid,
			x.Ready, x.Rebuilt, view.Line(x.Definition))
	}
}

func csvVacuums(v *view.View, row func(...any)) {
	for i := range v.Result.Vacuums {
		x := &v.Result.Vacuums[i]
		kind := "vacuum"
		if x.Kind == record.KindAnalyze {
			kind = "analyze"
		}
		var elapsed any
		if x.HasElapsed {
			elapsed = x.Elapsed.Seconds()
		}
		row(x.LogTime, elapsed, kind, view.Line(x.QualifiedName()), x.IndexScans, x.PagesRemain, x.TuplesRemoved,
			x.TuplesRemain, x.TuplesNotRemovable, x.DeadItems, x.CutoffAge, x.BufferHits, x.BufferMisses, x.BufferDirtied,
			view.Line(x.Pos.File), csvLine(x.Pos))
	}
}

func csvSeries(v *view.View, row func(...any)) {
	for i := range v.Findings {
		f := &v.Findings[i]
		for j := range f.Raw.Series {
			s := &f.Raw.Series[j]
			for k := range s.Columns {
				c := &s.Columns[k]
				for _, p := range c.Points {
					var at, x any
					if s.Kind == finding.SeriesTime && finite(p.X) {
						at = record.Time(p.X)
					} else {
						x = p.X
					}
					row(f.ID, f.Raw.Fingerprint(), view.Line(s.Name), view.Line(c.Name), view.Line(c.Unit), at, x,
						view.Line(s.XUnit), p.Y)
				}
			}
		}
	}
}

func csvInputs(v *view.View, row func(...any)) {
	for i := range v.Result.Inputs {
		in := &v.Result.Inputs[i]
		var interval any
		if in.Interval > 0 {
			interval = in.Interval.Seconds()
		}
		row(view.Line(in.Name), view.Line(in.Format), view.Line(in.Detail), view.Line(in.Version), view.Line(in.Zone),
			view.Line(string(in.View)), in.Bytes, in.Lines, in.Entries, in.Understood, in.Executions, in.Plans, in.Vacuums,
			in.Samples, in.Snapshots, interval, in.First, in.Last, view.Kinds(in.Kinds))
	}
}

func csvLosses(v *view.View, row func(...any)) {
	for _, l := range v.Result.Losses {
		row(view.Line(l.Pos.File), csvLine(l.Pos), view.Line(string(l.Kind)), max(l.Count, 1), view.Line(l.Text))
	}
}

func csvSignatures(v *view.View, row func(...any)) {
	for _, id := range v.Result.Evaluated {
		row(view.Line(id), nil, "evaluated", nil, nil)
	}
	for _, n := range v.NotEvaluated {
		row(n.ID, n.Name, "not evaluated", n.Lacks, n.Add)
	}
}
