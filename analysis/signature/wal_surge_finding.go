package signature

import (
	"fmt"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// mostlyPages is the share of whole pages from which they are what the surge is
// made of.
const mostlyPages = 0.5

func (w *walRates) finding(p *Pass) finding.Finding {
	worst, writers := w.worst(), w.writers()
	pages, counted := w.pageShare()
	f := finding.Finding{
		Subject: finding.Subject{Event: "WAL"},
		Title:   fmt.Sprintf("WAL comes at %s a second for %s, %s the usual", bytesText(w.rate()), span(w.to().Sub(w.from()).Seconds()), times(w.ratio(p))),
		Onset:   &finding.Onset{Time: w.from(), EventTime: w.from(), EventPos: w.loud[0].Pos, Event: "the first reading of the surge", End: w.to()},
		Effect:  w.ratio(p),
		Share:   w.to().Sub(w.from()).Seconds() / max(w.readings[len(w.readings)-1].To.Sub(w.readings[0].From).Seconds(), 1),
		Figures: []finding.Figure{
			{What: "WAL a second in the surge", Value: w.rate(), Unit: "bytes/s", Text: bytesText(w.rate()), Limit: fmt.Sprintf(">= %s times the usual, >= %s", num(p.limit("factor")), bytesText(p.limit("rate"))), Says: "a surge"},
			{What: "usual, median", Value: w.usual, Unit: "bytes/s", Text: bytesText(w.usual), Indent: true},
			{What: "WAL in the surge", Value: w.bytes(w.loud), Unit: "bytes", Text: bytesText(w.bytes(w.loud))},
		},
		WillNotHelp: []string{"a larger wal_buffers: it smooths writes, and does not make them fewer", "fsync = off: a crash then loses the database"},
		Verify:      []string{"select wal_bytes, wal_fpi from pg_stat_wal; twice: the difference is back at " + bytesText(w.usual) + " a second"},
		N:           fmt.Sprintf("%d of %d readings", len(w.loud), len(w.readings)),
		Notes:       []string{"share is that of the observed time"},
		Evidence: []finding.Evidence{
			{What: "first", Pos: w.loud[0].Pos, Time: w.loud[0].To, Value: rateOf(w.loud[0]), Unit: "bytes/s"},
			{What: "worst", Pos: worst.Pos, Time: worst.To, Value: rateOf(worst), Unit: "bytes/s"},
			{What: "latest", Pos: w.loud[len(w.loud)-1].Pos, Time: w.to(), Value: rateOf(w.loud[len(w.loud)-1]), Unit: "bytes/s"},
		},
		Series: []finding.Series{w.series()},
	}
	if w.to() == w.readings[len(w.readings)-1].To {
		f.Onset.End = record.NoTime
	}
	for _, x := range writers[:min(len(writers), 3)] {
		f.Figures = append(f.Figures, finding.Figure{What: "of it by " + shorten(x.name, 80), Value: 100 * x.bytes / w.bytes(w.loud), Unit: "%", Text: bytesText(x.bytes), Indent: true})
	}
	f.RuledOut = []finding.RuledOut{w.pagesRival(pages, counted)}
	named := len(writers) > 0 && writers[0].bytes > w.bytes(w.loud)/3
	f.Confidence = confidenceOf(true, named || counted && pages >= mostlyPages, w.fromView)
	f.WhyConfidence = "equation: " + times(w.ratio(p)) + " the usual rate in " + plural(len(w.loud), "reading") + " in a row; event: " +
		yes(named || counted && pages >= mostlyPages, "what wrote it is known", "no statement, vacuum or whole pages account for a third of it") +
		"; control: " + yes(w.fromView, "the counter is exact", "from the distances of checkpoints")
	f.Actions = w.actions(writers, named, counted && pages >= mostlyPages)
	f.Summary = fmt.Sprintf("From %s on WAL came at %s a second for %s, %s in all; usual is %s a second. ", clock(w.from()), bytesText(w.rate()), span(w.to().Sub(w.from()).Seconds()), bytesText(w.bytes(w.loud)), bytesText(w.usual))
	switch {
	case counted && pages >= mostlyPages:
		f.Summary += "Most of it is whole pages, which the first change of a page after a checkpoint writes."
	case named:
		f.Summary += "Most of it comes from " + shorten(writers[0].name, 100) + "."
	default:
		f.Summary += "What wrote it the input does not tell."
	}
	return f
}

// ratio is the rate against the usual one, of which at least what the limits
// leave to a usual one is taken.
func (w *walRates) ratio(p *Pass) float64 {
	return w.rate() / max(w.usual, p.limit("rate")/p.limit("factor"))
}

func (w *walRates) pagesRival(share float64, counted bool) finding.RuledOut {
	const rival = "whole pages after checkpoints"
	if !counted {
		return notMeasurable(rival, "no pg_stat_wal.wal_fpi in input")
	}
	out := finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: "at most " + percent(share) + " of the WAL"}
	if share >= mostlyPages {
		out.Verdict = finding.NotRuledOut
	}
	return out
}

func (w *walRates) actions(writers []walWriter, named, pages bool) []finding.Action {
	var out []finding.Action
	if pages {
		out = append(out, finding.Action{SQL: true, Do: "alter system set wal_compression = on", Cost: "then reload; whole pages get smaller, for some CPU"},
			finding.Action{Do: "Let checkpoints come less often: PGA503 computes max_wal_size.", Cost: "longer recovery after a crash"})
	}
	if named && writers[0].statement != nil && !pages {
		out = append(out, finding.Action{Do: "Let " + shorten(writers[0].name, 80) + " change only the rows that differ (… where column is distinct from new value), in batches; load new rows with COPY.", Cost: "the application's code"})
	}
	return append(out, finding.Action{SQL: true, Do: "select query, calls, wal_bytes, wal_fpi from pg_stat_statements order by wal_bytes desc limit 10", Cost: "reads a view (13 and later)"},
		finding.Action{SQL: true, Do: "select slot_name, active, pg_size_pretty(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)) from pg_replication_slots", Cost: "reads a view: what standbys and slots lag behind by keeps WAL on disk"})
}

func (w *walRates) series() finding.Series {
	points := make([]finding.Point, 0, seriesPoints)
	for _, i := range thinRows(allRows(len(w.readings)), seriesPoints) {
		d := w.readings[i]
		points = append(points, finding.Point{X: float64(d.From + (d.To-d.From)/2), Y: rateOf(d)})
	}
	return finding.Series{Name: "WAL comes in a surge", Kind: finding.SeriesTime, YLabel: "WAL",
		Columns: []finding.Column{{Name: "WAL", Unit: "bytes/s", Points: points}},
		Marks:   []finding.Mark{{Time: w.from(), Text: "surge"}}}
}
