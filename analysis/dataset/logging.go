package dataset

import (
	"fmt"
	"sort"
	"strconv"

	"github.com/pgassay/pgassay/parser/record"
)

// Logging says how complete the log is.
type Logging struct {
	// Plans and Durations count the executions with a plan and with a duration
	// line of their own.
	Plans, Durations int64
	// PlanFloor and DurationFloor are the smallest durations logged of each
	// kind where settings or a sharp lower edge show a threshold; else 0.
	PlanFloor, DurationFloor record.Duration
	// Why tells how a threshold or sampling was recognised; "" if none was.
	Why string
	// Rate is the share of all executions that a uniform sampling logs, 0 if none
	// is known: auto_explain.sample_rate, where no threshold and no duration line
	// adds others.
	Rate float64
}

// Weight is how many executions a logged one stands for: an estimate where the
// log is a uniform sample, else 1.
func (l Logging) Weight() float64 {
	if l.Rate > 0 {
		return 1 / l.Rate
	}
	return 1
}

// Censored reports whether only part of the executions was logged.
func (l Logging) Censored() bool { return l.Why != "" }

func loggingOf(m *Model) Logging {
	var l Logging
	var plans, durations []record.Duration
	for _, e := range m.Executions {
		if e.Figures != nil && e.Kind != record.ExecExplain {
			l.Plans++
			if e.Kind == record.ExecPlan {
				plans = append(plans, e.Duration)
			}
		}
		if e.Kind != record.ExecPlan && e.Kind != record.ExecExplain && e.HasDuration {
			l.Durations++
			durations = append(durations, e.Duration)
		}
	}
	if d, ok := m.threshold("auto_explain.log_min_duration", plans); ok {
		l.PlanFloor, l.Why = d, "auto_explain.log_min_duration cuts plans below "+ms(d)
	}
	if d, ok := m.threshold("log_min_duration_statement", durations); ok {
		l.DurationFloor, l.Why = d, "log_min_duration_statement cuts durations below "+ms(d)
	}
	if share, ok := m.loggedShare(); ok && share < 0.9 && l.Why == "" {
		l.Why = fmt.Sprintf("it holds %.0f %% of the calls that pg_stat_statements counted of its statements", 100*share)
	}
	for _, name := range []string{"auto_explain.sample_rate", "log_statement_sample_rate", "log_transaction_sample_rate"} {
		s, ok := m.Setting(name)
		if !ok {
			continue
		}
		if r, err := strconv.ParseFloat(s.Value, 64); err == nil && r > 0 && r < 1 {
			l.Why = name + " = " + s.Value + " logs a sample"
			if name == "auto_explain.sample_rate" && l.Durations == 0 && l.PlanFloor == 0 {
				l.Rate = r
			}
		}
	}
	return l
}

func ms(d record.Duration) string {
	return strconv.FormatFloat(d.Milliseconds(), 'f', -1, 64) + " ms"
}

// threshold is the setting's value in the log's durations if it is above
// zero; without the setting, the sharp lower edge that a threshold leaves.
func (m *Model) threshold(name string, durations []record.Duration) (record.Duration, bool) {
	if n, ok := m.SettingInt(name); ok {
		return record.Duration(n) * record.Millisecond, n > 0
	}
	return lowerEdge(durations)
}

// lowerEdge recognises a threshold without the setting. A natural distribution
// climbs from its minimum; one that is cut at a round number of milliseconds
// begins there at full height: the first twentieth above the edge holds nearly
// as many executions as the next, and not most of all.
func lowerEdge(durations []record.Duration) (record.Duration, bool) {
	if len(durations) < 200 {
		return 0, false
	}
	s := append([]record.Duration(nil), durations...)
	sort.Slice(s, func(i, j int) bool { return s[i] < s[j] })
	below := func(limit float64) float64 {
		return float64(sort.Search(len(s), func(i int) bool { return float64(s[i]) >= limit }))
	}
	for _, t := range roundThresholds() {
		edge := float64(t)
		if float64(s[0]) < edge || float64(s[0]) > 1.02*edge {
			continue
		}
		first, second, near := below(1.05*edge), below(1.1*edge)-below(1.05*edge), below(1.2*edge)/float64(len(s))
		if first >= 10 && first >= 0.6*second && near >= 0.02 && near <= 0.5 {
			return t, true
		}
	}
	return 0, false
}

func roundThresholds() []record.Duration {
	var out []record.Duration
	for _, n := range []int64{2, 3, 5, 10, 20, 25, 30, 50, 100, 150, 200, 250, 300, 500, 750, 1000, 1500, 2000, 2500, 3000, 5000, 10000, 30000, 60000} {
		out = append(out, record.Duration(n)*record.Millisecond)
	}
	return out
}

// SettingInt is the latest value of an integer parameter in its base unit.
func (m *Model) SettingInt(name string) (int64, bool) {
	s, ok := m.Setting(name)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(s.Value, 10, 64)
	return n, err == nil
}

// loggedShare is Completeness over all statements of the log together; false
// unless pg_stat_statements counted at least 100 calls of them.
func (m *Model) loggedShare() (float64, bool) {
	var logged, counted float64
	for _, s := range m.Statements {
		if share, ok := s.Completeness(); ok {
			n := s.diffCalls()
			counted += n
			logged += share * n
		}
	}
	if counted < 100 {
		return 0, false
	}
	return logged / counted, true
}

// Completeness is the statement's calls in the log ÷ its calls in
// pg_stat_statements over the span of both; false where one is missing.
func (s *Statement) Completeness() (float64, bool) {
	if s.complete != nil {
		return s.complete.share, s.complete.known
	}
	counted, logged := s.diffCalls(), 0
	if counted == 0 || len(s.Executions) == 0 {
		return 0, false
	}
	diffs := s.comparable()
	i := 0
	for _, e := range s.Executions {
		for i < len(diffs) && e.Time > diffs[i].To {
			i++
		}
		if i < len(diffs) && e.Time > diffs[i].From && !e.Nested {
			logged++
		}
	}
	return float64(logged) / counted, true
}

func (s *Statement) diffCalls() float64 {
	n := int64(0)
	for _, d := range s.comparable() {
		n += d.Calls
	}
	return float64(n)
}

// comparable are the differences that lie wholly inside the span of the log.
func (s *Statement) comparable() []Diff {
	var out []Diff
	for _, d := range s.Diffs {
		if d.From >= s.logFrom && d.To <= s.logTo {
			out = append(out, d)
		}
	}
	return out
}
