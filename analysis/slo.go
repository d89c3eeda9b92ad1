package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/series"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// SLO is a limit of the user's on the cost of statements: "p95=200ms",
// "buffers_per_row=5000", "mean[insert into items]=5ms".
type SLO struct {
	Text    string  // as given
	Measure string  // p50, p90, p95, p99, max, mean, buffers_per_row or buffers
	Of      string  // fingerprint or part of a statement's text; "" for all
	Limit   float64 // ms, or buffers
}

// sloMeasures are the measures and how each is read.
var sloMeasures = []string{"p50", "p90", "p95", "p99", "max", "mean", "buffers_per_row", "buffers"}

// ParseSLO reads MEASURE=LIMIT or MEASURE[STATEMENT]=LIMIT. A limit of time has
// a unit (us, ms, s, min), one of buffers none.
func ParseSLO(text string) (SLO, error) {
	name, limit, ok := strings.Cut(text, "=")
	if at := strings.LastIndexByte(text, '='); strings.Contains(name, "[") {
		name, limit = text[:at], text[at+1:]
	}
	s := SLO{Text: text, Measure: strings.TrimSpace(name)}
	if measure, of, has := strings.Cut(s.Measure, "["); has {
		s.Measure, s.Of = measure, strings.TrimSuffix(of, "]")
	}
	if !ok || !slices.Contains(sloMeasures, s.Measure) {
		return s, fmt.Errorf("%q: expected MEASURE=LIMIT or MEASURE[STATEMENT]=LIMIT, as in p95=200ms or buffers_per_row=5000; measures are %s", text, strings.Join(sloMeasures, ", "))
	}
	limit = strings.TrimSpace(limit)
	if s.inBuffers() {
		n, err := strconv.ParseFloat(strings.ReplaceAll(limit, ",", ""), 64)
		if err != nil || !(n > 0) || math.IsInf(n, 0) {
			return s, fmt.Errorf("%q: %s is a number of buffers, as in %s=5000", text, limit, s.Measure)
		}
		s.Limit = n
		return s, nil
	}
	d, err := time.ParseDuration(strings.ReplaceAll(strings.Replace(limit, "min", "m", 1), " ", ""))
	if err != nil || d <= 0 {
		return s, fmt.Errorf("%q: %q is no time with a unit, as in %s=200ms", text, limit, s.Measure)
	}
	s.Limit = float64(d) / float64(time.Millisecond)
	return s, nil
}

func (s *SLO) inBuffers() bool { return strings.HasPrefix(s.Measure, "buffers") }

// Crossing is when a statement passes a limit of the user's.
type Crossing struct {
	SLO         SLO
	Fingerprint string
	Statement   string
	Now         float64 // median of the last readings
	// Since is when it has been above the limit, to the end of the input; else
	// NoTime.
	Since record.Time
	// At is when its trend passes the limit, with the 95 % interval of the
	// trend; NoTime without a trend towards it. The latest may be NoTime: never.
	At, Earliest, Latest record.Time
	N                    int // readings
	Why                  string
}

// Limits on what is told of an SLO.
const (
	sloStatements = 50  // statements held against it, costliest first
	leastForTrend = 10  // readings
	perQuantile   = 20  // executions of a reading of a quantile
	sloHorizon    = 365 // days beyond which no crossing is told
)

// crossings holds the costliest statements against each limit: those above it,
// those that will pass it, then by statement.
func crossings(m *dataset.Model, slos []SLO, findings []finding.Finding) []Crossing {
	var out []Crossing
	for i := range slos {
		for _, st := range costliest(m, slos[i].Of) {
			if c, ok := slos[i].crossing(m, st, onsetOf(findings, st)); ok {
				out = append(out, c)
			}
		}
	}
	return out
}

// costliest are the statements that the text means, by their time.
func costliest(m *dataset.Model, of string) []*dataset.Statement {
	var out []*dataset.Statement
	for _, s := range m.Statements {
		if of == "" || strings.HasPrefix(s.Fingerprint, of) || strings.Contains(strings.ToLower(s.Normalized), strings.ToLower(of)) {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b *dataset.Statement) int {
		return cmp.Or(cmp.Compare(timeOf(b), timeOf(a)), cmp.Compare(a.Fingerprint, b.Fingerprint))
	})
	return out[:min(len(out), sloStatements)]
}

// timeOf is the time the log holds of a statement, else what pg_stat_statements
// counted, in ms.
func timeOf(s *dataset.Statement) float64 {
	if s.Total > 0 {
		return s.Total.Milliseconds()
	}
	var sum float64
	for i := range s.Diffs {
		sum += s.Diffs[i].ExecTime
	}
	return sum
}

// onsetOf is when a finding says that the statement's cost began to change, with
// its transition; NoTime if none does. A trend is of one regime.
func onsetOf(findings []finding.Finding, s *dataset.Statement) record.Time {
	at := record.NoTime
	for i := range findings {
		f := &findings[i]
		if o := f.Onset; o != nil && f.Subject.Fingerprint == s.Fingerprint && o.Time.Known() && !o.End.Known() {
			at = max(at, o.Time.Add(o.Transition))
		}
	}
	return at
}

// crossing holds one statement against the limit. It is false where the input
// does not measure it, or nothing points to the limit.
func (s *SLO) crossing(m *dataset.Model, st *dataset.Statement, onset record.Time) (Crossing, bool) {
	at, y := s.readings(m, st)
	c := Crossing{SLO: *s, Fingerprint: st.Fingerprint, Statement: st.Normalized, N: len(y),
		Since: record.NoTime, At: record.NoTime, Earliest: record.NoTime, Latest: record.NoTime}
	if len(y) == 0 {
		return c, false
	}
	c.Now = stats.Median(y[max(0, len(y)-5):])
	if c.Now >= s.Limit {
		c.Since = at[0]
		for i := range y {
			if y[i] < s.Limit {
				c.Since = at[min(i+1, len(y)-1)]
			}
		}
		return c, true
	}
	for len(at) > leastForTrend && onset.Known() && at[0] < onset {
		at, y = at[1:], y[1:]
	}
	return c, c.trend(at, y)
}

// trend extends the robust trend of the readings to the limit.
func (c *Crossing) trend(at []record.Time, y []float64) bool {
	if len(y) < leastForTrend {
		return false
	}
	x := make([]float64, len(at))
	for i, t := range at {
		x[i] = t.Sub(at[0]).Seconds()
	}
	fit := stats.SlopeInterval(x, y, nil)
	if !fit.Interval.OK() || !(fit.Interval.Lo > 0) {
		return false
	}
	last := at[len(at)-1]
	in := func(slope float64) record.Time {
		seconds := (c.SLO.Limit - c.Now) / slope
		if !(slope > 0) || seconds > sloHorizon*86400 {
			return record.NoTime
		}
		return last.Add(record.Duration(seconds * 1e6))
	}
	c.N, c.At, c.Earliest, c.Latest = len(y), in(fit.Slope), in(fit.Interval.Hi), in(fit.Interval.Lo)
	return c.At.Known()
}

// readings are the values of the measure by time: a quantile has at least 20
// executions behind it.
func (s *SLO) readings(m *dataset.Model, st *dataset.Statement) (at []record.Time, y []float64) {
	switch s.Measure {
	case "mean":
		return columnOf(m, st, series.TimePerExecution)
	case "buffers_per_row":
		return columnOf(m, st, series.BuffersPerRow)
	case "buffers":
		return columnOf(m, st, series.BuffersPerExecution)
	}
	q := 1.0
	if n, err := strconv.Atoi(strings.TrimPrefix(s.Measure, "p")); err == nil {
		q = float64(n) / 100
	}
	var pool []float64
	for _, e := range st.Executions { // by end
		if e.ServerTime() == 0 || !e.Time.Known() {
			continue
		}
		if pool = append(pool, e.Duration.Milliseconds()); len(pool) >= max(perQuantile, len(st.Executions)/series.MaxReadings) {
			at, y = append(at, e.Time), append(y, stats.Quantile(pool, q))
			pool = pool[:0]
		}
	}
	return at, y
}

func columnOf(m *dataset.Model, st *dataset.Statement, kind series.Kind) (at []record.Time, y []float64) {
	f := series.New(m).Frame(st)
	if f == nil {
		return nil, nil
	}
	c := f.Column(kind)
	if c == nil {
		return nil, nil
	}
	for i, v := range c.Values {
		if !math.IsNaN(v) {
			at, y = append(at, f.Spans[i].To), append(y, v)
		}
	}
	return at, y
}

// text is the crossing in a sentence.
func (c *Crossing) text() string {
	unit := "ms"
	if c.SLO.inBuffers() {
		unit = "buffers"
	}
	head := fmt.Sprintf("SLO %s: %s is at %s", c.SLO.Text, shortText(c.Statement), amount(c.Now, unit))
	if c.Since.Known() {
		return fmt.Sprintf("%s, above the limit since %s (%s).", head, stamp(c.Since), readings(c.N))
	}
	latest := "later than a year"
	if c.Latest.Known() {
		latest = stamp(c.Latest)
	}
	return fmt.Sprintf("%s and crosses it at %s [%s, %s] if the trend goes on (%s).", head, stamp(c.At), stamp(c.Earliest), latest, readings(c.N))
}

func readings(n int) string {
	if n == 1 {
		return "1 reading"
	}
	return strconv.Itoa(n) + " readings"
}

func shortText(s string) string {
	const longest = 60
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > longest {
		return string(r[:longest-1]) + "…"
	}
	return string(r)
}

func stamp(t record.Time) string { return t.Std().Format("2006-01-02 15:04:05") }

// sloNotes are the crossings in words, and the limits that nothing crosses.
func sloNotes(slos []SLO, found []Crossing) []string {
	var out []string
	for i := range found {
		out = append(out, found[i].text())
	}
	for _, s := range slos {
		if !slices.ContainsFunc(found, func(c Crossing) bool { return c.SLO == s }) {
			out = append(out, "SLO "+s.Text+": no statement is above it, and no trend of the input leads there within a year.")
		}
	}
	return out
}
