package series

import (
	"cmp"
	"slices"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

const (
	// leastExecutions of the log make a reading; a part of the time with fewer
	// joins the next.
	leastExecutions = 3
	// leastReadings of a size make it worth cutting the time at them.
	leastReadings = 8
	// equalParts is into how many parts the time is cut where no size is known.
	equalParts = 120
	// perPart is how many executions an equal part should hold.
	perPart = 5
)

// executionsOf are the statement's executions in the log, by start.
func executionsOf(s *dataset.Statement) []*dataset.Execution {
	out := make([]*dataset.Execution, 0, len(s.Executions))
	for _, e := range s.Executions {
		if e.Start.Known() && e.Kind != record.ExecExplain && (e.HasDuration || e.Figures != nil) {
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b *dataset.Execution) int { return cmp.Compare(a.Start, b.Start) })
	return out
}

// Spans are the independent readings of the statement's cost: the time between
// two readings of the sizes of its relations, each with at least three
// executions; else equal parts of the time; without executions in the log the
// differences of pg_stat_statements. nil if nothing has a time.
func Spans(s *dataset.Statement, blockSize int64) []Span {
	execs := executionsOf(s)
	if len(execs) < leastExecutions {
		return pooled(diffSpans(s))
	}
	cuts := sizeTimes(s, blockSize, execs[0].Start, execs[len(execs)-1].Start)
	if len(cuts) < leastReadings {
		cuts = equalCuts(execs)
	}
	return pooled(cut(execs, cuts))
}

func diffSpans(s *dataset.Statement) []Span {
	var out []Span
	for _, d := range s.Diffs {
		out = append(out, Span{d.From, d.To})
	}
	return out
}

// sizeTimes are the times within from and to at which a size of one of the
// statement's relations was read. Captures of several views stand close
// together: of times less than a quarter of the usual gap apart one counts.
func sizeTimes(s *dataset.Statement, blockSize int64, from, to record.Time) []record.Time {
	var times []record.Time
	add := func(rs []dataset.Reading) {
		for _, r := range rs {
			if r.Time >= from && r.Time <= to && !r.FromVacuum {
				times = append(times, r.Time)
			}
		}
	}
	for _, r := range relationsOf(s) {
		add(r.HeapSizes(blockSize))
		for _, x := range r.Indexes {
			add(x.History)
		}
	}
	slices.Sort(times)
	return apart(slices.Compact(times))
}

func apart(times []record.Time) []record.Time {
	if len(times) < 3 {
		return times
	}
	gaps := make([]record.Duration, 0, len(times))
	for i := 1; i < len(times); i++ {
		gaps = append(gaps, times[i].Sub(times[i-1]))
	}
	slices.Sort(gaps)
	// Most gaps may be those between the views of one capture.
	near := gaps[len(gaps)*19/20] / 4
	out := times[:1]
	for _, t := range times[1:] {
		if t.Sub(out[len(out)-1]) > near {
			out = append(out, t)
		}
	}
	return out
}

func equalCuts(execs []*dataset.Execution) []record.Time {
	first, last := execs[0].Start, execs[len(execs)-1].Start
	parts := min(equalParts, len(execs)/perPart)
	var cuts []record.Time
	for i := 1; i < parts; i++ {
		cuts = append(cuts, first+record.Time(int64(last-first)/int64(parts)*int64(i)))
	}
	return cuts
}

// cut groups the executions between the times.
func cut(execs []*dataset.Execution, times []record.Time) []Span {
	var out []Span
	begun, k := 0, 0
	for i, e := range execs {
		crossed := false
		for k < len(times) && times[k] <= e.Start {
			k++
			crossed = true
		}
		if crossed && i-begun >= leastExecutions {
			out = append(out, Span{execs[begun].Start, execs[i-1].Start})
			begun = i
		}
	}
	if begun < len(execs) {
		out = append(out, Span{execs[begun].Start, execs[len(execs)-1].Start})
	}
	return disjoint(out)
}

// disjoint joins a span to the one before that ends at its beginning: where
// executions start at the same time.
func disjoint(spans []Span) []Span {
	var out []Span
	for _, s := range spans {
		if n := len(out); n > 0 && s.From <= out[n-1].To {
			out[n-1].To = max(s.To, out[n-1].To)
			continue
		}
		out = append(out, s)
	}
	return out
}

// pooled joins neighbours until there are at most MaxReadings.
func pooled(spans []Span) []Span {
	for len(spans) > MaxReadings {
		half := make([]Span, 0, len(spans)/2+1)
		for pair := range slices.Chunk(spans, 2) {
			half = append(half, Span{pair[0].From, pair[len(pair)-1].To})
		}
		spans = half
	}
	return spans
}

// relationsOf are the relations that the statement names, its target first.
func relationsOf(s *dataset.Statement) []*dataset.Relation {
	var out []*dataset.Relation
	if s.Target != nil {
		out = append(out, s.Target)
	}
	for _, r := range s.Relations {
		if r != s.Target {
			out = append(out, r)
		}
	}
	return out
}
