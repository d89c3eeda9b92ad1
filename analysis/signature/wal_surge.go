package signature

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// walSurge is PGA505.
var walSurge = &Signature{
	ID: "PGA505", Name: "wal-surge", Max: finding.Warning,
	Felt: "Disks and replicas have much more to write than usual",
	What: "The server writes WAL many times faster than it usually does.",
	Why: "All changes go through the WAL: to disk, to the archive and to every standby. A surge fills the disk of pg_wal, lets standbys fall behind and brings checkpoints on (503). " +
		"It is a mass of changed rows, or whole pages, which the first change of each page after a checkpoint writes.",
	Fix:    "Whole pages: fewer checkpoints, wal_compression. Changed rows: find the statement; change only the rows that differ, load with COPY, drop indexes that nothing reads.",
	Verify: "pg_stat_wal.wal_bytes rises at its usual rate.",
	Needs:  []Need{needSeries, needLog},
	Silent: []string{"WAL at a steady rate, however high", "one short interval", "a rate that is small in bytes"},
	Thresholds: []Threshold{
		{"factor", 5, "times the usual", "that WAL must come: the median of all readings"},
		{"rate", 1 << 20, "bytes/s", "of WAL, at least"},
		{"readings", 10, "readings", "of the rate that a usual one needs"},
		{"floor", 1 << 30, "bytes", "of WAL in the surge below which the finding stays info"},
	},
	Detect: detectWALSurge,
}

func detectWALSurge(p *Pass) {
	w := walReadings(p.Model, serverLogOf(p))
	if float64(len(w.readings)) < p.limit("readings") {
		p.Lacks(fmt.Sprintf("fewer than %s readings of the rate of WAL in input", num(p.limit("readings"))),
			"pg_stat_wal (14 and later) with captured_at again and again, or log_checkpoints = on over many checkpoints")
		return
	}
	if w.surge(p.limit("factor"), p.limit("rate")) {
		p.Report(w.finding(p), w.bytes(w.loud) < p.limit("floor"))
	}
}

// walRates are the readings of the rate of WAL, by time.
type walRates struct {
	m        *dataset.Model
	log      *serverLog
	fromView bool
	readings []dataset.Delta // bytes
	usual    float64         // bytes/s
	loud     []dataset.Delta // of the longest surge
}

// walReadings are those of pg_stat_wal, else the distances of checkpoints.
func walReadings(m *dataset.Model, l *serverLog) *walRates {
	w := &walRates{m: m, log: l, readings: m.Deltas(record.ViewWAL, "wal_bytes", everyRow), fromView: true}
	if len(w.readings) > 0 || l == nil {
		return w
	}
	w.fromView = false
	starts := l.all(record.EventCheckpointStart)
	for _, e := range l.all(record.EventCheckpoint) {
		k, _ := slices.BinarySearchFunc(starts, e.LogTime, func(s *record.Event, t record.Time) int { return cmp.Compare(s.LogTime, t) })
		if k >= 2 && e.Checkpoint != nil && e.Checkpoint.Distance.Known {
			w.readings = append(w.readings, dataset.Delta{From: starts[k-2].LogTime, To: starts[k-1].LogTime, Pos: e.Pos, N: e.Checkpoint.Distance.N})
		}
	}
	return w
}

func rateOf(d dataset.Delta) float64 { return float64(d.N) / max(d.To.Sub(d.From).Seconds(), 0.001) }

// fewestLoud is how many readings in a row make a surge.
const fewestLoud = 3

// surge finds the surge with most WAL.
func (w *walRates) surge(factor, least float64) bool {
	rates := make([]float64, len(w.readings))
	for i, d := range w.readings {
		rates[i] = rateOf(d)
	}
	w.usual = stats.Median(rates)
	from := 0
	for i := 0; i <= len(rates); i++ {
		if i < len(rates) && rates[i] >= least && rates[i] >= factor*w.usual {
			continue
		}
		if run := w.readings[from:i]; len(run) >= fewestLoud && w.bytes(run) > w.bytes(w.loud) {
			w.loud = run
		}
		from = i + 1
	}
	return len(w.loud) > 0
}

func (w *walRates) bytes(list []dataset.Delta) float64 {
	n, _ := dataset.Total(list)
	return float64(n)
}

func (w *walRates) from() record.Time { return w.loud[0].From }
func (w *walRates) to() record.Time   { return w.loud[len(w.loud)-1].To }

// rate is that of the whole surge, in bytes a second.
func (w *walRates) rate() float64 { return w.bytes(w.loud) / w.to().Sub(w.from()).Seconds() }

// worst is the reading with the highest rate.
func (w *walRates) worst() dataset.Delta {
	return slices.MaxFunc(w.loud, func(a, b dataset.Delta) int { return cmp.Compare(rateOf(a), rateOf(b)) })
}

// pageShare is the part of the surge that whole pages are, at most: as many
// blocks as wal_fpi counts.
func (w *walRates) pageShare() (float64, bool) {
	images := 0.0
	deltas := w.m.Deltas(record.ViewWAL, "wal_fpi", everyRow)
	for _, d := range deltas {
		if d.From >= w.from() && d.To <= w.to() {
			images += float64(d.N)
		}
	}
	if len(deltas) == 0 {
		return 0, false
	}
	return min(1, images*float64(w.m.BlockSize)/w.bytes(w.loud)), true
}

// walWriter is what wrote WAL in the surge, as far as the input tells.
type walWriter struct {
	statement *dataset.Statement
	name      string
	bytes     float64
}

// writers are the statements by pg_stat_statements, else by plans with WAL, and
// the vacuums, most first.
func (w *walRates) writers() []walWriter {
	var out []walWriter
	for _, s := range w.m.Statements {
		sum := 0.0
		for _, d := range s.Diffs {
			if d.To > w.from() && d.From < w.to() {
				sum += float64(d.WALBytes)
			}
		}
		if len(s.Diffs) == 0 {
			for _, e := range s.Executions {
				if f := e.Figures; f != nil && f.HasWAL && e.Time >= w.from() && e.Time <= w.to() {
					sum += float64(f.WALBytes)
				}
			}
		}
		if sum > 0 {
			out = append(out, walWriter{s, s.Normalized, sum})
		}
	}
	vacuums := map[string]float64{}
	for _, v := range w.m.Vacuums {
		if v.WALBytes.Known && v.End >= w.from() && v.End <= w.to() {
			vacuums["vacuum of "+v.QualifiedName()] += float64(v.WALBytes.N)
		}
	}
	for name, n := range vacuums {
		out = append(out, walWriter{nil, name, n})
	}
	slices.SortFunc(out, func(a, b walWriter) int {
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.name, b.name))
	})
	return out
}
