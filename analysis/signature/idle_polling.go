package signature

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

var idlePolling = &Signature{
	ID: "PGA404", Name: "idle-polling", Max: finding.Warning,
	Felt: "The server is busy even when nobody works",
	What: "A statement asks for work at a constant rate, whatever the load, and nearly always finds none.",
	Why: "Workers that look for jobs on a timer call the same statement again and again. Each call is cheap and returns nothing; " +
		"together they are a large part of all calls, keep connections and CPUs awake, and grow with the number of workers, not with the work.",
	Fix: "Wake the workers instead: LISTEN and NOTIFY with a slow poll as a fallback; stop after an empty answer and back off; " +
		"let one process look for many workers. An index does not help: the calls are cheap already.",
	Verify: "Calls per second of the statement fall, rows per call rise, and the work done stays the same.",
	Needs:  []Need{needStatements},
	Silent: []string{
		"a lookup that often finds nothing but follows the load",
		"a poller that is slow itself, or that returns a row (count(*)): the server is then busy",
		"statements of transaction control, which never return rows",
	},
	Thresholds: []Threshold{
		{"max_rows_per_call", 0.1, "rows/call", "rows per call up to which calls count as empty"},
		{"min_calls", 500, "calls", "calls over the span"},
		{"min_rate", 0.5, "calls/s", "median rate"},
		{"max_spread", 0.25, "of the rate", "spread of the rate (1.4826 MAD over the median) that still counts as constant"},
		{"max_follow", 0.5, "r", "correlation with the other calls from which the rate follows the load"},
		{"max_mean_ms", 50, "ms", "mean time from which the statement is work, not waiting"},
	},
	Detect: detectIdlePolling,
}

var needStatements = Need{"S", "snapshots of pg_stat_statements over time with captured_at"}

// minPollIntervals is the least number of intervals that show a rate to be
// constant.
const minPollIntervals = 6

func detectIdlePolling(p *Pass) {
	series := pollSeriesOf(p.Model)
	if len(series) == 0 {
		p.Lacks("no pg_stat_statements over time in input (at least 7 captures)", "pg_stat_statements with captured_at, again and again")
		return
	}
	var found []*pollSeries
	var all float64
	for _, s := range series {
		all += s.time
		if s.isPolling(p) {
			found = append(found, s)
		}
	}
	slices.SortStableFunc(found, func(a, b *pollSeries) int {
		return cmp.Or(cmp.Compare(b.calls, a.calls), cmp.Compare(a.statement.Fingerprint, b.statement.Fingerprint))
	})
	for _, s := range found {
		s.follow(series, found)
		if s.r > p.limit("max_follow") {
			continue
		}
		f := s.finding(p, found, all)
		p.Report(f, !s.varied)
	}
}

// pollSeries is a statement's calls by interval of pg_stat_statements.
type pollSeries struct {
	statement   *dataset.Statement
	rates       []float64 // calls/s
	calls, rows float64
	time        float64 // ms
	seconds     float64
	share       float64 // of all calls

	load   []float64 // calls/s of the statements that do not poll
	varied bool      // the load did
	r      float64   // of rate and load
}

// pollSeriesOf are the statements with enough intervals.
func pollSeriesOf(m *dataset.Model) []*pollSeries {
	var out []*pollSeries
	for _, st := range m.Statements {
		if len(st.Diffs) < minPollIntervals {
			continue
		}
		s := &pollSeries{statement: st}
		for i := range st.Diffs {
			d := &st.Diffs[i]
			seconds := d.To.Sub(d.From).Seconds()
			if seconds <= 0 {
				continue
			}
			s.rates = append(s.rates, float64(d.Calls)/seconds)
			s.calls += float64(d.Calls)
			s.rows += float64(d.Rows)
			s.time += d.ExecTime
			s.seconds += seconds
		}
		out = append(out, s)
	}
	return out
}

func (s *pollSeries) isPolling(p *Pass) bool {
	switch s.statement.Command {
	case "SELECT", "UPDATE", "DELETE":
	default:
		return false
	}
	rate := stats.Median(s.rates)
	return len(s.rates) >= minPollIntervals && s.calls >= p.limit("min_calls") && rate >= p.limit("min_rate") &&
		s.rows/s.calls <= p.limit("max_rows_per_call") && s.time/s.calls <= p.limit("max_mean_ms") &&
		s.spread() <= p.limit("max_spread")
}

// spread is a robust coefficient of variation of the rate.
func (s *pollSeries) spread() float64 {
	const normal = 1.4826 // MAD to standard deviation
	return normal * stats.MAD(s.rates) / stats.Median(s.rates)
}

// minLoadSpread is the spread of the other calls from which a rate can be seen
// not to follow them.
const minLoadSpread = 0.15

// follow holds the rate against the calls of all statements that do not poll.
func (s *pollSeries) follow(all, polling []*pollSeries) {
	at := map[record.Time]int{}
	for i := range s.statement.Diffs {
		at[s.statement.Diffs[i].To] = i
	}
	s.load = make([]float64, len(s.statement.Diffs))
	var calls float64
	for _, o := range all {
		calls += o.calls
		if slices.Contains(polling, o) {
			continue
		}
		for i := range o.statement.Diffs {
			d := &o.statement.Diffs[i]
			if k, ok := at[d.To]; ok {
				if seconds := d.To.Sub(d.From).Seconds(); seconds > 0 {
					s.load[k] += float64(d.Calls) / seconds
				}
			}
		}
	}
	s.share = s.calls / calls
	level := stats.Median(s.load)
	s.varied = level > 0 && (stats.Quantile(s.load, 0.9)-stats.Quantile(s.load, 0.1))/level >= minLoadSpread
	if s.varied && len(s.load) == len(s.rates) {
		if s.r = stats.Pearson(s.rates, s.load).R; math.IsNaN(s.r) {
			s.r = 0
		}
	}
}

func (s *pollSeries) finding(p *Pass, found []*pollSeries, all float64) finding.Finding {
	st := s.statement
	rate, mean := stats.Median(s.rates), s.time/s.calls
	f := finding.Finding{
		Subject: finding.Subject{Fingerprint: st.Fingerprint, Statement: st.Normalized},
		Title:   fmt.Sprintf("%s calls a second look for work and find none", num(rate)),
		Effect:  s.calls / math.Max(s.rows, 1),
		N:       fmt.Sprintf("n = %d intervals of pg_stat_statements, %s calls", len(s.rates), thousands(int64(s.calls))),
	}
	if all > 0 {
		f.Share = s.time / all
	}
	f.Confidence, f.WhyConfidence = finding.Likely, "equation: a constant rate of empty calls; control: the other calls vary and the rate does not follow them"
	if !s.varied {
		f.Confidence = finding.Possible
		f.WhyConfidence = "equation: a constant rate of empty calls; missing: the load did not vary, so that a rate which follows it would look the same"
	}
	f.Summary = fmt.Sprintf("The statement is called %s times a second, %s of all calls, and returns %s rows per call. A call takes %s ms: the server is not the bottleneck, "+
		"the calls are. They come from a timer and grow with the number of workers.", num(rate), percent(s.share), num(s.rows/s.calls), num(mean))
	f.Figures = []finding.Figure{
		{What: "calls", Value: rate, Unit: "calls/s", Limit: "at least " + num(p.limit("min_rate")), Says: "median of the intervals"},
		{What: "spread of the rate", Value: s.spread(), Unit: "of the rate", Limit: "at most " + num(p.limit("max_spread")), Says: "constant"},
		{What: "rows per call", Value: s.rows / s.calls, Unit: "rows/call", Limit: "at most " + num(p.limit("max_rows_per_call")), Says: "empty"},
		{What: "share of all calls", Value: s.share * 100, Unit: "%"},
		{What: "mean time", Value: mean, Unit: "ms", Limit: "at most " + num(p.limit("max_mean_ms")), Says: "not slow itself"},
	}
	f.RuledOut = []finding.RuledOut{s.loadRival(), {Rival: "a slow statement", Verdict: finding.RuledOutVerdict,
		Figure: fmt.Sprintf("%s ms a call, %s of the counted time", num(mean), percent(f.Share))}}
	f.Evidence = s.evidence()
	f.Actions = []finding.Action{
		{Do: "Wake the workers with LISTEN and NOTIFY, and poll rarely as a fallback", Cost: "a change of the application; NOTIFY is sent at commit"},
		{Do: fmt.Sprintf("Or back off after an empty answer: at most %s calls a second are needed to take %s rows a second", num(math.Max(2*s.rows/s.seconds, 0.1)), num(s.rows/s.seconds))},
	}
	f.WillNotHelp = []string{"an index, more memory or faster disks: the calls are cheap already", "more workers: each adds its own polls"}
	f.Verify = []string{"calls per second of this statement in pg_stat_statements fall and rows per call rise while the work done stays the same"}
	if len(found) > 1 {
		f.Notes = append(f.Notes, fmt.Sprintf("%d statements poll, %s calls/s together: equal or integer ratios of their rates are one loop", len(found), num(sumOfRates(found))))
	}
	return f
}

func (s *pollSeries) loadRival() finding.RuledOut {
	if !s.varied {
		return notMeasurable("it follows the load", "the other calls did not vary over the span")
	}
	return finding.RuledOut{Rival: "it follows the load", Verdict: finding.RuledOutVerdict, Raw: &s.r,
		Figure: fmt.Sprintf("r %s with the other calls, which vary from %s to %s calls/s", correlationText(s.r), num(stats.Quantile(s.load, 0.1)), num(stats.Quantile(s.load, 0.9)))}
}

func sumOfRates(found []*pollSeries) (sum float64) {
	for _, s := range found {
		sum += stats.Median(s.rates)
	}
	return sum
}

// evidence is the first, the busiest and the latest interval.
func (s *pollSeries) evidence() []finding.Evidence {
	place := func(what string, i int) finding.Evidence {
		d := &s.statement.Diffs[i]
		return finding.Evidence{What: what, Pos: d.Pos, Time: d.To, Value: float64(d.Calls) / d.To.Sub(d.From).Seconds(), Unit: "calls/s"}
	}
	worst := 0
	for i, r := range s.rates {
		if r > s.rates[worst] {
			worst = i
		}
	}
	return []finding.Evidence{place("first", 0), place("worst", worst), place("latest", len(s.rates)-1)}
}
