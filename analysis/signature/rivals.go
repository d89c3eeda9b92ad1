package signature

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// weakPartial is the partial correlation up to which a rival counts as ruled
// out: it then explains less than 5 % of what the mechanism leaves.
const weakPartial = 0.22

// minForRivals is the least number of executions for a correlation.
const minForRivals = 30

// rivals holds what the rival explanations of a growing cost are tested on:
// executions since the event, their cost, and the mechanism's regressor. The
// first settling of them belong to the transition: they count for what a naive
// look would see (raw), not for the partial effect.
type rivals struct {
	p         *Pass
	statement *dataset.Statement
	points    []costPoint // with Exec
	cost      []float64
	mechanism []float64
	settling  int
	name      string // of the mechanism, "the index pages"
}

// correlated tests a rival that varies from execution to execution, raw and
// given the mechanism.
func (r *rivals) correlated(rival string, x []float64) finding.RuledOut {
	k := r.settling
	if len(r.cost)-k < minForRivals {
		return notMeasurable(rival, fmt.Sprintf("only %d readings", len(r.cost)-k))
	}
	raw := stats.Pearson(x, r.cost)
	partial := stats.PartialCorrelation(x[k:], r.cost[k:], r.mechanism[k:])
	if math.IsNaN(raw.R) || math.IsNaN(partial.R) {
		return finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: "constant"}
	}
	out := finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Raw: &raw.R, Partial: &partial.R,
		Figure: fmt.Sprintf("partial r %s (raw %s)", correlationText(partial.R), correlationText(raw.R)),
		Why:    "given " + r.name}
	if math.Abs(partial.R) > weakPartial {
		out.Verdict = finding.NotRuledOut
	}
	return out
}

// correlationText rounds to two decimals; what rounds to zero has no sign.
func correlationText(r float64) string {
	return strconv.FormatFloat(math.Round(r*100)/100+0, 'f', 2, 64)
}

func notMeasurable(rival, why string) finding.RuledOut {
	return finding.RuledOut{Rival: rival, Verdict: finding.NotMeasurable, Why: why}
}

func (r *rivals) concurrency() finding.RuledOut {
	x := make([]float64, len(r.points))
	for i, p := range r.points {
		x[i] = float64(p.Exec.Concurrency)
	}
	return r.correlated("concurrency", x)
}

// throughput counts the executions of all statements that ended in the same
// second.
func (r *rivals) throughput() finding.RuledOut {
	ended := map[record.Time]int{}
	for _, e := range r.p.Model.Executions {
		if e.ServerTime() > 0 {
			ended[e.Time/record.Time(record.Second)]++
		}
	}
	x := make([]float64, len(r.points))
	for i, p := range r.points {
		x[i] = float64(ended[p.Exec.Time/record.Time(record.Second)])
	}
	return r.correlated("throughput", x)
}

// rowsPerStatement compares the cost per row of statements of different sizes,
// the mechanism's part taken out.
func (r *rivals) rowsPerStatement(fit stats.Line) finding.RuledOut {
	const rival = "rows per statement"
	groups := map[float64][]float64{}
	for i, p := range r.points {
		if i < r.settling {
			continue
		}
		groups[p.Rows] = append(groups[p.Rows], r.cost[i]-fit.At(r.mechanism[i]))
	}
	level := stats.Median(r.cost[r.settling:])
	var sizes, medians []float64
	for rows, residuals := range groups {
		if len(residuals) >= 10 {
			sizes = append(sizes, rows)
		}
	}
	sort.Float64s(sizes)
	var words []string
	for _, rows := range sizes {
		medians = append(medians, level+stats.Median(groups[rows]))
		words = append(words, num0(rows))
	}
	switch len(sizes) {
	case 0:
		return notMeasurable(rival, "too few executions")
	case 1:
		return finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: "always " + words[0]}
	}
	if len(words) > 5 {
		words = append(words[:2:2], "…", words[len(words)-1])
	}
	spread := (stats.Quantile(medians, 1) - stats.Quantile(medians, 0)) / level
	out := finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict,
		Figure: fmt.Sprintf("%s rows: same cost per row within %s", strings.Join(words, ", "), percent(spread))}
	if spread > 0.1 {
		out.Verdict = finding.NotRuledOut
		out.Figure = fmt.Sprintf("%s rows: cost per row differs by %s", strings.Join(words, ", "), percent(spread))
	}
	return out
}

func num0(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// planChange asks whether the step shows inside each plan shape.
func planChange(before, after []costPoint) finding.RuledOut {
	const rival = "plan change"
	b, a := byShape(before), byShape(after)
	ids := make([]uint64, 0, len(a))
	for id := range a {
		ids = append(ids, id)
	}
	sort.Slice(ids, func(i, j int) bool { return ids[i] < ids[j] })
	var ratios []float64
	fresh := 0
	for _, id := range ids {
		switch {
		case len(b[id]) >= 5 && len(a[id]) >= 5:
			ratios = append(ratios, stats.Median(a[id])/stats.Median(b[id]))
		case len(b[id]) == 0:
			fresh += len(a[id])
		}
	}
	switch {
	case len(after) == 0 || len(a) == 0:
		return notMeasurable(rival, "no plans in input")
	case len(ratios) == 0 && len(before) == 0:
		return finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: shapesText(len(a))}
	case len(ratios) == 0 || float64(fresh) > 0.5*float64(len(after)):
		return finding.RuledOut{Rival: rival, Verdict: finding.NotRuledOut, Figure: "the shape after the event was not seen before it"}
	}
	return finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict,
		Figure: fmt.Sprintf("%s, the step shows in each (%s)", shapesText(len(ratios)), timesRange(ratios))}
}

func shapesText(n int) string {
	if n == 1 {
		return "one shape"
	}
	return fmt.Sprintf("%d shapes", n)
}

func timesRange(r []float64) string {
	lo, hi := times(stats.Quantile(r, 0)), times(stats.Quantile(r, 1))
	if lo == hi {
		return lo
	}
	return lo + " to " + hi
}

func byShape(points []costPoint) map[uint64][]float64 {
	out := map[uint64][]float64{}
	for _, p := range points {
		if p.Exec != nil && p.Exec.Figures != nil {
			out[p.Exec.Figures.Shape] = append(out[p.Exec.Figures.Shape], p.perRow())
		}
	}
	return out
}

// reads tells hits from reads: where nothing was read the disk is not it.
func reads(points []costPoint) finding.RuledOut {
	var hit, read int64
	for _, p := range points {
		if p.Exec != nil && p.Exec.Figures != nil && p.Exec.Figures.HasBuffers {
			hit += p.Exec.Figures.Own.SharedHit
			read += p.Exec.Figures.Own.SharedRead
		}
	}
	return readsOf(hit, read)
}

func readsOf(hit, read int64) finding.RuledOut {
	const rival = "reads"
	if hit+read == 0 {
		return notMeasurable(rival, "no buffers in input")
	}
	s := float64(read) / float64(hit+read)
	out := finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: percent(s) + " of buffers: all from cache, CPU time"}
	if s > 0.05 {
		out.Verdict = finding.NotRuledOut
		out.Figure = percent(s) + " of buffers are read: the cost shows as I/O waits"
	}
	return out
}

// lockWaits looks at activity samples of the statement and at lock events of
// the log.
func lockWaits(m *dataset.Model, s *dataset.Statement, from, to record.Time) finding.RuledOut {
	const rival = "lock waits"
	logged := 0
	for i := range m.Events {
		e := &m.Events[i]
		if e.Kind == record.EventLockWait && e.LogTime >= from && e.LogTime <= to {
			logged++
		}
	}
	active, waiting := 0, 0
	for i := range m.Activity {
		a := &m.Activity[i]
		if a.Fingerprint != s.Fingerprint || a.State != "active" || a.Time < from || a.Time > to {
			continue
		}
		active++
		if a.WaitEventType == "Lock" {
			waiting++
		}
	}
	if on, ok := m.Setting("log_lock_waits"); ok && on.Value == "on" && logged == 0 {
		return finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict, Figure: "log_lock_waits shows none"}
	}
	if active < 10 {
		if logged > 0 {
			return finding.RuledOut{Rival: rival, Verdict: finding.NotRuledOut, Figure: fmt.Sprintf("%d lock waits in the log", logged)}
		}
		return notMeasurable(rival, "log_lock_waits not known, fewer than 10 active samples of the statement")
	}
	out := finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict,
		Figure: fmt.Sprintf("%d of %d active samples wait for a lock", waiting, active)}
	if float64(waiting) > 0.1*float64(active) {
		out.Verdict = finding.NotRuledOut
	}
	return out
}

// rowSize compares the heap bytes that one inserted row took before and after.
func rowSize(r *dataset.Relation, onset record.Time) finding.RuledOut {
	const rival = "row size"
	before, after := bytesPerRow(r, record.NoTime, onset), bytesPerRow(r, onset, record.NoTime)
	if math.IsNaN(before) || math.IsNaN(after) {
		return notMeasurable(rival, "no table sizes with n_tup_ins before and after in input")
	}
	out := finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict,
		Figure: fmt.Sprintf("%s heap bytes per inserted row before, %s after", num(before), num(after))}
	if after > 1.5*before {
		out.Verdict = finding.NotRuledOut
	}
	return out
}

// bytesPerRow is the growth of the main fork per inserted row between the
// first and last capture in the window that no break lies between; NaN if it
// cannot be told.
func bytesPerRow(r *dataset.Relation, from, to record.Time) float64 {
	var first, last *dataset.TablePoint
	for i := range r.Points {
		p := &r.Points[i]
		if !p.Time.Known() || from.Known() && p.Time < from || to.Known() && p.Time > to || !p.RelationSize.Known || !p.Ins.Known {
			continue
		}
		if first == nil || p.Broken {
			first = p
		}
		last = p
	}
	if first == nil || last.Ins.N-first.Ins.N < 100 {
		return math.NaN()
	}
	return float64(last.RelationSize.N-first.RelationSize.N) / float64(last.Ins.N-first.Ins.N)
}
