package series

import (
	"cmp"
	"slices"
	"sort"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// FrameGiven lays a series of the user's beside the load of the server and the
// other series given: a reading for each of its points, the time since the one
// before. The series is the column of kind Given. nil if it has fewer than two
// points.
func (c *Collector) FrameGiven(x *dataset.External) *Frame {
	points := x.Points
	if len(points) > MaxReadings {
		points = thinned(points)
	}
	if len(points) < 2 {
		return nil
	}
	f := &Frame{Source: FromExternal}
	given := Column{Kind: Given, Name: x.Name, Unit: x.Unit, Source: FromExternal}
	var groups []reading
	for i, p := range points[1:] {
		if p.Time <= points[i].Time {
			continue
		}
		span := Span{points[i].Time + 1, p.Time}
		f.Spans = append(f.Spans, span)
		f.at, f.places = append(f.at, p.Time), append(f.places, p.Pos)
		f.Executions = append(f.Executions, 1)
		given.Values = append(given.Values, p.Value)
		groups = append(groups, reading{span: span, start: p.Time})
	}
	if f.Len() < 2 {
		return nil
	}
	f.Columns = append(f.Columns, given, c.load.serverTime(f))
	c.load.columns(f, groups)
	f.Columns = slices.DeleteFunc(f.Columns, func(o Column) bool { return o.Kind == External && o.Name == x.Name })
	for i := range f.Columns {
		f.Columns[i].finish()
	}
	return f
}

// thinned keeps at most MaxReadings points, the last included.
func thinned(points []dataset.ExternalPoint) []dataset.ExternalPoint {
	out := make([]dataset.ExternalPoint, 0, MaxReadings)
	for i := range MaxReadings {
		out = append(out, points[i*(len(points)-1)/(MaxReadings-1)])
	}
	return out
}

// serverTime is what all statements took per second of each reading: those that
// ended in it, by the log; without a log by pg_stat_statements.
func (l *load) serverTime(f *Frame) Column {
	ends, sums := l.spent()
	if len(ends) == 0 {
		col := interpolated(f, ServerTime, l.counted())
		if col.known() == 0 {
			col.Missing = "no durations of statements in input"
		}
		return col
	}
	col := Column{Kind: ServerTime, Values: absent(f)}
	for i, s := range f.Spans {
		w := window(s)
		from := sort.Search(len(ends), func(k int) bool { return ends[k] >= w.From })
		to := sort.Search(len(ends), func(k int) bool { return ends[k] > w.To })
		col.Values[i] = (sums[to] - sums[from]) / w.To.Sub(w.From).Seconds()
	}
	return col
}

// spent are the ends of all executions in order, and the ms that those before
// each took.
func (l *load) spent() (ends []record.Time, sums []float64) {
	sums = append(sums, 0)
	for _, e := range l.model.Executions { // by end
		if d := e.ServerTime(); d > 0 && e.Time.Known() {
			ends = append(ends, e.Time)
			sums = append(sums, sums[len(sums)-1]+d.Milliseconds())
		}
	}
	return ends, sums
}

// counted is the ms per second that pg_stat_statements counted, by the middle of
// its differences.
func (l *load) counted() []dataset.Reading {
	sums := map[Span]float64{}
	for _, s := range l.model.Statements {
		for i := range s.Diffs {
			sums[Span{s.Diffs[i].From, s.Diffs[i].To}] += s.Diffs[i].ExecTime
		}
	}
	var out []dataset.Reading
	for span, ms := range sums {
		if seconds := span.To.Sub(span.From).Seconds(); seconds > 0 {
			out = append(out, dataset.Reading{Time: span.middle(), Pages: ms / seconds})
		}
	}
	slices.SortFunc(out, func(a, b dataset.Reading) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Pages, b.Pages))
	})
	return out
}
