package signature

import (
	"sort"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// period is a span in which something was wrong. Outside it are the times
// before From and after Healed; what lies between To and Healed is neither.
type period struct {
	From, To, Healed record.Time // To and Healed are NoTime while it lasts
}

func (s period) inside(t record.Time) bool { return t >= s.From && (!s.To.Known() || t <= s.To) }

func (s period) outside(t record.Time) bool {
	return t < s.From || s.Healed.Known() && t > s.Healed
}

// periodCost compares what one statement costs inside and outside a period.
type periodCost struct {
	Statement *dataset.Statement
	What      string // "heap fetches per row"
	Unit      string
	Outside   float64 // median
	Typical   float64 // median inside
	Worst     float64 // highest median of a tenth of the period
	WorstAt   costReading
	Inside    int
	N         int     // readings outside
	Share     float64 // of the server time observed in the period
	Points    []finding.Point
}

// text writes a cost: a duration with its unit, all else by What.
func (c *periodCost) text(v float64) string {
	if c.Unit == "ms" {
		return span(v / 1000)
	}
	return num(v)
}

func (c *periodCost) ratio() float64 { return c.Worst / c.Outside }

// felt reports whether the typical cost inside exceeds that outside by added at
// least, and by as much as makes a warning.
func (c *periodCost) felt(added float64) bool {
	return c.Typical-c.Outside >= added && c.Typical >= warningEffect*c.Outside
}

// excess is the time lost, in units of the observed server time.
func (c *periodCost) excess() float64 { return c.Share * (1 - 1/c.ratio()) }

// costReading is the cost of one execution, or of one difference of
// pg_stat_statements.
type costReading struct {
	At    record.Time
	Pos   record.Pos
	Value float64
}

// costMeasure is one way to tell what an execution costs.
type costMeasure struct {
	What, Unit string
	Of         func(*dataset.Execution) (float64, bool)
}

// workMeasures count work. They are tried in this order, before durations, which
// load and neighbours move too.
func workMeasures() []costMeasure {
	return []costMeasure{
		{"heap fetches per row", "fetches/row", func(e *dataset.Execution) (float64, bool) {
			f := e.Figures
			if f == nil || !f.HasHeapFetches || f.IndexOnlyRows < record.WholeRows(minFetchedRows) {
				return 0, false
			}
			return float64(f.HeapFetches) / f.IndexOnlyRows.Float(), true
		}},
		{"buffers per row", "buffers/row", func(e *dataset.Execution) (float64, bool) {
			f := e.Figures
			if f == nil || !f.HasBuffers || !f.HasRows {
				return 0, false
			}
			return float64(f.Total.Shared()) / max(1, f.Rows.Float()), true
		}},
	}
}

// minFetchedRows is the size of an index-only scan below which its heap
// fetches say nothing about the table.
const minFetchedRows = 100

// minCostReadings is how many readings a median of either side needs.
const minCostReadings = 5

// costliestIn finds, among the statements that use one of the relations, the
// one that lost most time in the period; nil if none can be compared.
func costliestIn(m *dataset.Model, relations []*dataset.Relation, s period) *periodCost {
	var best *periodCost
	all, fromLog := serverTimeIn(m, s)
	for _, st := range m.Statements {
		if !uses(st, relations) {
			continue
		}
		c := costIn(st, s)
		if c == nil {
			continue
		}
		if all > 0 {
			c.Share = timeIn(st, s, fromLog) / all
		}
		if best == nil || c.excess() > best.excess() {
			best = c
		}
	}
	return best
}

func uses(s *dataset.Statement, relations []*dataset.Relation) bool {
	for _, r := range relations {
		if s.Writes(r) {
			return true
		}
		for _, o := range s.Relations {
			if o == r {
				return true
			}
		}
	}
	return false
}

// costIn is the statement's cost by the first measure that both sides have.
func costIn(st *dataset.Statement, s period) *periodCost {
	for _, m := range workMeasures() {
		if c := costBy(st, s, m); c != nil {
			return c
		}
	}
	return durationIn(st, s)
}

// durationIn compares the statement's durations in ms: of executions, else means
// of the differences of pg_stat_statements. nil if there are too few of both.
func durationIn(st *dataset.Statement, s period) *periodCost {
	if c := costBy(st, s, costMeasure{"duration", "ms", func(e *dataset.Execution) (float64, bool) {
		return e.Duration.Milliseconds(), e.HasDuration
	}}); c != nil {
		return c
	}
	var rs []costReading
	for _, d := range st.Diffs {
		rs = append(rs, costReading{At: d.From + (d.To-d.From)/2, Pos: d.Pos, Value: d.ExecTime / float64(d.Calls)})
	}
	c := compare(rs, s)
	if c != nil {
		c.Statement, c.What, c.Unit = st, "mean duration", "ms"
	}
	return c
}

// costBy compares the statement's executions by one measure.
func costBy(st *dataset.Statement, s period, m costMeasure) *periodCost {
	var rs []costReading
	for _, e := range st.Executions {
		if v, ok := m.Of(e); ok && e.Start.Known() && e.Kind != record.ExecExplain {
			rs = append(rs, costReading{At: e.Start, Pos: e.Pos, Value: v})
		}
	}
	c := compare(rs, s)
	if c != nil {
		c.Statement, c.What, c.Unit = st, m.What, m.Unit
	}
	return c
}

// compare is nil where either side has too few readings or costs nothing
// outside the period.
func compare(rs []costReading, s period) *periodCost {
	sort.SliceStable(rs, func(i, j int) bool { return rs[i].At < rs[j].At })
	var in []costReading
	var out []float64
	c := &periodCost{}
	for _, r := range rs {
		c.Points = append(c.Points, finding.Point{X: float64(r.At), Y: r.Value})
		switch {
		case s.inside(r.At):
			in = append(in, r)
		case s.outside(r.At):
			out = append(out, r.Value)
		}
	}
	c.Inside, c.N = len(in), len(out)
	if len(in) < minCostReadings || len(out) < minCostReadings {
		return nil
	}
	c.Outside, c.Typical = stats.Median(out), stats.Median(values(in))
	size := max(minCostReadings, (len(in)+9)/10)
	for i := 0; i+minCostReadings <= len(in); i += size {
		group := in[i:min(len(in), i+size)]
		if v := stats.Median(values(group)); v > c.Worst {
			c.Worst, c.WorstAt = v, group[len(group)/2]
		}
	}
	if c.Outside <= 0 || c.Worst <= 0 {
		return nil
	}
	return c
}

func values(rs []costReading) []float64 {
	out := make([]float64, len(rs))
	for i, r := range rs {
		out[i] = r.Value
	}
	return out
}

// serverTimeIn sums the server time observed in the period: the log's in
// microseconds, else that of pg_stat_statements in milliseconds.
func serverTimeIn(m *dataset.Model, s period) (sum float64, fromLog bool) {
	for _, fromLog := range []bool{true, false} {
		for _, st := range m.Statements {
			sum += timeIn(st, s, fromLog)
		}
		if sum > 0 {
			return sum, fromLog
		}
	}
	return 0, false
}

// timeIn is the statement's part of serverTimeIn.
func timeIn(st *dataset.Statement, s period, fromLog bool) (sum float64) {
	if !fromLog {
		for _, d := range st.Diffs {
			if s.inside(d.To) {
				sum += d.ExecTime
			}
		}
		return sum
	}
	for _, e := range st.Executions {
		if s.inside(e.Start) || s.inside(e.Time) {
			sum += float64(e.ServerTime())
		}
	}
	return sum
}

// shareOf is the share of all server time observed that the chosen statements
// took, and whether any was observed: the log's, else that of
// pg_stat_statements.
func shareOf(m *dataset.Model, chosen func(*dataset.Statement) bool) (share float64, observed bool) {
	var logOwn, logAll, diffOwn, diffAll float64
	for _, st := range m.Statements {
		t, d := float64(st.Total), 0.0
		for i := range st.Diffs {
			d += st.Diffs[i].ExecTime
		}
		logAll, diffAll = logAll+t, diffAll+d
		if chosen(st) {
			logOwn, diffOwn = logOwn+t, diffOwn+d
		}
	}
	switch {
	case logAll > 0:
		return logOwn / logAll, true
	case diffAll > 0:
		return diffOwn / diffAll, true
	}
	return 0, false
}
