package signature

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

var fanOutSignatures = []*Signature{fanOut, emptyFanOut, timeOutsideServer}

// Statements of the synthetic application.
var (
	listBuckets = &record.Statement{Fingerprint: "parent", Command: "SELECT", Relations: []string{"buckets"},
		Normalized: "select id from buckets where tenant_id = $1"}
	readBucket = &record.Statement{Fingerprint: "child", Command: "SELECT", Relations: []string{"memories"},
		Normalized: "select id, score from memories where tenant_id = $1 and bucket_id = $2 order by score desc limit $3"}
	otherRead  = &record.Statement{Fingerprint: "other", Command: "SELECT", Normalized: "select name from tags where bucket_id = $1"}
	writeRow   = &record.Statement{Fingerprint: "write", Command: "INSERT", Target: "rows", Normalized: "insert into rows (a, b) values ($1, $2)"}
	beginXact  = &record.Statement{Fingerprint: "begin", Command: "BEGIN", Normalized: "begin"}
	addBuckets = &record.Statement{Fingerprint: "add", Command: "INSERT", Target: "buckets", Relations: []string{"buckets"}, Normalized: "insert into buckets values ($1)"}
)

const requestsStart = record.Time(1_790_000_000_000_000)

// appLog writes the log of one application session by session, and counts
// statements as pg_stat_statements would.
type appLog struct {
	batch      record.Batch
	now        map[string]record.Time
	draw       *rand.Rand
	resolution record.Duration
	floor      record.Duration // durations below are not logged
	plans      bool            // log rows of each execution
	calls      []call
}

type call struct {
	at        record.Time
	statement *record.Statement
	rows      int64
	ms        float64
}

func newAppLog() *appLog {
	return &appLog{now: map[string]record.Time{}, draw: rand.New(rand.NewPCG(7, 7)), resolution: record.Millisecond}
}

// jitter is d give or take a fifth.
func (l *appLog) jitter(d record.Duration) record.Duration {
	return d*4/5 + record.Duration(l.draw.Int64N(max(1, int64(d)*2/5)))
}

func (l *appLog) idle(session string, d record.Duration) {
	if _, ok := l.now[session]; !ok {
		l.now[session] = requestsStart
	}
	l.now[session] = l.now[session].Add(d)
}

// run executes a statement with bind and execute.
func (l *appLog) run(session string, s *record.Statement, parameters string, own record.Duration, rows int64) {
	l.idle(session, 0)
	bind := own / 4
	l.line(session, s, record.ExecBind, parameters, bind, 0)
	l.line(session, s, record.ExecExecute, parameters, own, rows)
	l.calls = append(l.calls, call{l.now[session], s, rows, own.Milliseconds()})
}

func (l *appLog) line(session string, s *record.Statement, kind record.ExecutionKind, parameters string, d record.Duration, rows int64) {
	l.now[session] = l.now[session].Add(d)
	if d < l.floor {
		return
	}
	at := l.now[session] / record.Time(l.resolution) * record.Time(l.resolution)
	n := int64(len(l.batch.Executions) + 1)
	e := record.Execution{
		Pos: record.Pos{File: "app.log", Line: n, Offset: n}, LogTime: at, Resolution: l.resolution, Kind: kind,
		Session: session, LineNum: -1, Application: "app", Database: "shop", Duration: d, HasDuration: true, Statement: s, Parameters: parameters,
	}
	if l.plans && kind == record.ExecExecute {
		e.HasPlan, e.Figures = true, record.Figures{Shape: 1, HasRows: true, Rows: record.WholeRows(rows), IsWrite: s.Command != "SELECT"}
	}
	l.batch.Executions = append(l.batch.Executions, e)
}

// captures adds readings of pg_stat_statements every few seconds.
func (l *appLog) captures(every record.Duration) {
	sort.SliceStable(l.calls, func(i, j int) bool { return l.calls[i].at < l.calls[j].at })
	type sum struct {
		calls, rows int64
		ms          float64
	}
	sums := map[*record.Statement]*sum{}
	columns := record.NewColumns([]string{"captured_at", "queryid", "query", "calls", "rows", "total_exec_time", "shared_blks_hit"})
	take := func(at record.Time) {
		for _, s := range []*record.Statement{listBuckets, readBucket, otherRead, writeRow} {
			v := sums[s]
			if v == nil {
				continue
			}
			row := record.Sample{View: record.ViewStatements, CapturedAt: at, TimeSource: record.TimeColumn, Columns: columns,
				Pos: record.Pos{File: "statements.csv", Line: int64(len(l.batch.Samples) + 2), Offset: int64(len(l.batch.Samples))}}
			for _, t := range []string{"", s.Fingerprint, s.Normalized, fmt.Sprint(v.calls), fmt.Sprint(v.rows), fmt.Sprint(v.ms), fmt.Sprint(3 * v.calls)} {
				row.Values = append(row.Values, record.Value{Text: t, Valid: t != ""})
			}
			l.batch.Samples = append(l.batch.Samples, row)
		}
	}
	next := requestsStart.Add(every)
	for _, c := range l.calls {
		for ; c.at > next; next = next.Add(every) {
			take(next)
		}
		if sums[c.statement] == nil {
			sums[c.statement] = &sum{}
		}
		s := sums[c.statement]
		s.calls, s.rows, s.ms = s.calls+1, s.rows+c.rows, s.ms+c.ms
	}
	take(next)
}

// setting makes pg_settings show a value.
func (l *appLog) setting(name, value string) {
	l.batch.Samples = append(l.batch.Samples, record.Sample{View: record.ViewSettings, CapturedAt: requestsStart,
		Columns: record.NewColumns([]string{"name", "setting"}), Values: []record.Value{{Text: name, Valid: true}, {Text: value, Valid: true}}})
}

func (l *appLog) model() *dataset.Model {
	d := dataset.New(dataset.DefaultLimits(), func(text []byte) *record.Statement {
		for _, s := range []*record.Statement{listBuckets, readBucket, otherRead, writeRow} {
			if s.Normalized == string(text) {
				return s
			}
		}
		return &record.Statement{Fingerprint: string(text)}
	})
	d.Fold(&l.batch)
	return d.Build()
}

func (l *appLog) evaluate() *Pass { return Run(l.model(), fanOutSignatures, nil) }

// fanOutLoad is an application that runs a child for each row of a parent.
type fanOutLoad struct {
	child      *record.Statement
	levels     []int
	perLevel   int // requests of a session
	sessions   int
	gap, think record.Duration
	// own and rows are of the child for key k of n.
	own  func(k, n int) record.Duration
	rows func(k, n int) int64
	then func(l *appLog, session string, k int) // after each child
}

// bucketLoad grows from 10 to 60 children, of which the first ten return rows.
func bucketLoad() fanOutLoad {
	return fanOutLoad{
		child: readBucket, levels: []int{10, 20, 30, 40, 50, 60}, perLevel: 8, sessions: 2,
		gap: 2 * record.Millisecond, think: 900 * record.Millisecond,
		own: func(k, _ int) record.Duration {
			if k < 10 {
				return 150 * record.Microsecond
			}
			return 20 * record.Microsecond
		},
		rows: func(k, _ int) int64 {
			if k < 10 {
				return 20
			}
			return 0
		},
	}
}

func (f fanOutLoad) log(l *appLog) *appLog {
	for i, n := range f.levels {
		if i > 0 {
			l.run("setup", addBuckets, "", record.Millisecond, 10)
			l.batch.Executions[len(l.batch.Executions)-1].Application = "setup"
		}
		var latest record.Time
		for range f.perLevel {
			for s := range f.sessions {
				f.request(l, "s"+strconv.Itoa(s), n)
				latest = max(latest, l.now["s"+strconv.Itoa(s)])
			}
		}
		for session := range l.now {
			l.now[session] = latest
		}
		l.now["setup"] = latest
	}
	l.idle("setup", 5*record.Second)
	l.run("setup", addBuckets, "", record.Millisecond, 10)
	return l
}

func (f fanOutLoad) request(l *appLog, session string, n int) {
	l.idle(session, l.jitter(f.think))
	l.run(session, beginXact, "", 10*record.Microsecond, 0)
	l.run(session, listBuckets, "$1 = '1'", 300*record.Microsecond, int64(n))
	for k := range n {
		l.idle(session, l.jitter(f.gap))
		l.run(session, f.child, fmt.Sprintf("$1 = '1', $2 = '%d'", k), f.own(k, n), f.rows(k, n))
		if f.then != nil {
			f.then(l, session, k)
		}
	}
}

func wantEvaluated(t *testing.T, p *Pass, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if !slices.Contains(p.Evaluated, id) {
			t.Errorf("%s was not evaluated: %+v", id, p.NotEvaluated)
		}
	}
}

func wantNotEvaluated(t *testing.T, p *Pass, lacks string) {
	t.Helper()
	if len(p.NotEvaluated) != len(fanOutSignatures) || len(p.Findings) > 0 {
		t.Fatalf("findings %d, not evaluated %+v", len(p.Findings), p.NotEvaluated)
	}
	for _, n := range p.NotEvaluated {
		if !strings.Contains(n.Lacks, lacks) || n.Add == "" {
			t.Errorf("%s lacks %q, want %q", n.ID, n.Lacks, lacks)
		}
	}
}

func wantSilent(t *testing.T, p *Pass) {
	t.Helper()
	wantEvaluated(t, p, "PGA401", "PGA402", "PGA403")
	for _, f := range p.Findings {
		t.Errorf("%s must stay silent, but says: %s", f.ID, f.Title)
	}
}

func TestThinkTimeBetweenSingleStatementsIsNoRequest(t *testing.T) {
	for _, pause := range []record.Duration{0, 30 * record.Millisecond, 2 * record.Second} {
		l := newAppLog()
		l.setting("log_min_duration_statement", "0")
		for i := range 4000 {
			l.idle("s", l.jitter(pause))
			s := readBucket
			if l.draw.IntN(12) == 0 {
				s = listBuckets
			}
			l.run("s", s, fmt.Sprintf("$1 = '1', $2 = '%d'", i), 100*record.Microsecond, 3)
		}
		wantSilent(t, l.evaluate())
	}
}

func TestTimerWithHeartbeatIsNoRequest(t *testing.T) {
	l := newAppLog()
	l.setting("log_min_duration_statement", "0")
	for i := range 2000 {
		l.idle("s", 100*record.Millisecond)
		if i%10 == 0 {
			l.run("s", addBuckets, "", 100*record.Microsecond, 1)
		}
		l.run("s", readBucket, "$1 = '1', $2 = '1'", 100*record.Microsecond, 0)
	}
	wantSilent(t, l.evaluate())
}

func TestPoolerThatMixesRequestsGivesNoWallTime(t *testing.T) {
	l := newAppLog()
	l.plans = true
	l.setting("log_min_duration_statement", "0")
	for i := range 40 {
		l.idle("pool", 3*record.Millisecond)
		l.run("pool", listBuckets, "", 100*record.Microsecond, 10)
		l.idle("pool", record.Millisecond)
		l.run("pool", listBuckets, "", 100*record.Microsecond, 10)
		for range 20 {
			l.idle("pool", l.jitter(2*record.Millisecond))
			l.run("pool", readBucket, fmt.Sprintf("$1 = '%d'", i), 50*record.Microsecond, 1)
		}
	}
	l.idle("end", 10*record.Second)
	l.run("end", addBuckets, "", record.Millisecond, 1)
	p := l.evaluate()
	f := only(t, p, "PGA401")
	if f.Severity != finding.Info || f.Confidence != finding.Possible {
		t.Errorf("%s %s", f.Severity, f.Confidence)
	}
	wantText(t, "rivals", f.RuledOut, "requests interleave")
	silent(t, p, "PGA403")
}

func TestLogWithoutCompleteDurationsIsNotEvaluated(t *testing.T) {
	t.Run("threshold", func(t *testing.T) {
		l := newAppLog()
		l.floor = 100 * record.Microsecond
		l.setting("log_min_duration_statement", "1")
		bucketLoad().log(l).captures(2 * record.Second)
		wantNotEvaluated(t, l.evaluate(), "complete logging")
	})
	t.Run("unknown", func(t *testing.T) {
		wantNotEvaluated(t, bucketLoad().log(newAppLog()).evaluate(), "neither settings nor pg_stat_statements")
	})
	t.Run("sampled transactions", func(t *testing.T) {
		l := bucketLoad().log(newAppLog())
		l.setting("log_transaction_sample_rate", "0.1")
		wantNotEvaluated(t, l.evaluate(), "log_transaction_sample_rate = 0.1")
	})
	t.Run("part of the calls", func(t *testing.T) {
		l := bucketLoad().log(newAppLog())
		l.captures(2 * record.Second)
		for i := range l.batch.Executions {
			if e := &l.batch.Executions[i]; e.Statement == readBucket && i%25 == 1 {
				e.Nested = true
			}
		}
		wantNotEvaluated(t, l.evaluate(), "of the calls that pg_stat_statements counted")
	})
	t.Run("seconds", func(t *testing.T) {
		l := newAppLog()
		l.resolution = record.Second
		l.setting("log_min_duration_statement", "0")
		wantNotEvaluated(t, bucketLoad().log(l).evaluate(), "finer than a second")
	})
	t.Run("no sessions", func(t *testing.T) {
		l := bucketLoad().log(newAppLog())
		for i := range l.batch.Executions {
			l.batch.Executions[i].Session = ""
		}
		wantNotEvaluated(t, l.evaluate(), "session")
	})
	t.Run("no durations", func(t *testing.T) {
		wantNotEvaluated(t, newAppLog().evaluate(), "durations")
	})
}

func TestRequestsDoNotDependOnTheOrderOfFolding(t *testing.T) {
	l := bucketLoad().log(newAppLog())
	l.captures(2 * record.Second)
	want := told(l.evaluate())
	slices.Reverse(l.batch.Executions)
	if got := told(l.evaluate()); got != want {
		t.Errorf("reversed: %s\nwant %s", got, want)
	}
}

// told is what the findings say.
func told(p *Pass) string {
	var b strings.Builder
	for _, f := range p.Findings {
		fmt.Fprintln(&b, f.Title, f.Summary, f.WhyConfidence, f.N, f.Effect, f.Share, f.Notes, f.Actions)
		for _, g := range f.Figures {
			fmt.Fprintln(&b, g.What, g.Value, g.Text, g.Says)
		}
	}
	return b.String()
}

func BenchmarkSurveyRequests(b *testing.B) {
	load := bucketLoad()
	load.perLevel = 200
	l := load.log(newAppLog())
	l.captures(10 * record.Second)
	m := l.model()
	b.SetBytes(int64(len(l.batch.Executions)) * 300) // bytes of log that they stand for
	b.ReportAllocs()
	for b.Loop() {
		surveyRequests(m)
	}
}
