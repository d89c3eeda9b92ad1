package dataset

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

// intern gives each text its own identity.
func intern(text []byte) *record.Statement {
	return &record.Statement{Fingerprint: string(text), Normalized: string(text)}
}

// line makes a log line of session s at t ms with a duration in µs.
func line(kind record.ExecutionKind, s, text string, t int64, d record.Duration) record.Execution {
	return record.Execution{
		Pos: record.Pos{File: "log", Line: t, Offset: t}, LogTime: record.Time(t * 1000), Resolution: record.Millisecond,
		Kind: kind, Session: s, ProcessID: 7, LineNum: -1, Duration: d, HasDuration: kind != record.ExecText, Statement: intern([]byte(text)),
	}
}

func plan(s, text string, t int64, d record.Duration, write bool) record.Execution {
	e := line(record.ExecPlan, s, text, t, d)
	e.HasPlan = true
	e.Figures = record.Figures{IsWrite: write, HasRows: true, Rows: record.WholeRows(1), Shape: 1}
	return e
}

func build(execs ...record.Execution) *Model {
	for i := range execs {
		execs[i].Pos.Offset = int64(i)
	}
	d := New(DefaultLimits(), intern)
	d.Fold(&record.Batch{Executions: execs})
	return d.Build()
}

// said is what became of the executions: text, canonical duration, plan
// duration.
func said(m *Model) []string {
	var out []string
	for _, e := range m.Executions {
		out = append(out, fmt.Sprintf("%s %d %d", e.Fingerprint, e.Duration, e.PlanDuration))
	}
	return out
}

func expect(t *testing.T, m *Model, want ...string) {
	t.Helper()
	if got := said(m); !reflect.DeepEqual(got, want) {
		t.Errorf("executions\n got %q\nwant %q", got, want)
	}
}

func TestPlanBeforeStatementDurationIsOneExecution(t *testing.T) {
	m := build(
		plan("a", "select 1", 1000, 41_900, false),
		line(record.ExecStatement, "a", "select 1", 1001, 42_317),
	)
	expect(t, m, "select 1 42317 41900")
}

func TestPlanAfterExecuteOfAQueryIsOneExecution(t *testing.T) {
	m := build(
		line(record.ExecBind, "a", "q", 1000, 187),
		line(record.ExecExecute, "a", "q", 1000, 92),
		plan("a", "q", 1000, 88, false),
		line(record.ExecExecute, "a", "q", 2000, 95),
		plan("a", "q", 2000, 90, false),
	)
	expect(t, m, "q 92 88", "q 95 90")
	if n := len(m.Sessions[0].Steps); n != 3 {
		t.Errorf("%d steps, want bind and two executions", n)
	}
}

func TestPlanBeforeExecuteOfAWriteIsOneExecution(t *testing.T) {
	m := build(
		plan("a", "w", 1000, 100, true), line(record.ExecExecute, "a", "w", 1000, 298),
		plan("a", "w", 2000, 110, true), line(record.ExecExecute, "a", "w", 2000, 300),
	)
	expect(t, m, "w 298 100", "w 300 110")
}

func TestPairingIsPerSessionNotByAdjacency(t *testing.T) {
	m := build(
		plan("a", "q", 1000, 400_000, false),
		plan("b", "q", 1000, 900, false),
		line(record.ExecStatement, "b", "q", 1001, 960),
		line(record.ExecStatement, "a", "q", 1002, 489_168),
	)
	expect(t, m, "q 960 900", "q 489168 400000")
}

func TestBareDurationBelongsToTheTextOfItsSession(t *testing.T) {
	m := build(
		line(record.ExecText, "501", "slow", 1000, 0),
		line(record.ExecText, "502", "fast", 1001, 0),
		line(record.ExecDuration, "502", "", 1002, 960),
		line(record.ExecDuration, "501", "", 1490, 489_168),
		line(record.ExecText, "501", "third", 1500, 0),
	)
	expect(t, m, "fast 960 0", "slow 489168 0", "third 0 0")
	if m.Executions[2].HasDuration {
		t.Error("the third statement has no duration line, but HasDuration is set")
	}
}

func TestPlanOfACursorBelongsToItsDeclaration(t *testing.T) {
	declare := line(record.ExecStatement, "a", "declare c", 1000, 150)
	declare.Statement.Command = "DECLARE CURSOR"
	m := build(
		declare,
		line(record.ExecStatement, "a", "fetch c", 1100, 90_000),
		plan("a", "declare c", 1200, 91_000, false),
		line(record.ExecStatement, "a", "close c", 1201, 400),
	)
	expect(t, m, "declare c 150 91000", "fetch c 90000 0", "close c 400 0")
}

func TestStringOfSeveralStatementsIsOneExecution(t *testing.T) {
	m := build(
		plan("a", "a; b; c", 1000, 10_000, false), plan("a", "a; b; c", 1020, 20_000, false), plan("a", "a; b; c", 1030, 5_000, false),
		line(record.ExecStatement, "a", "a; b; c", 1031, 40_000),
	)
	expect(t, m, "a; b; c 40000 35000")
	if r := m.Executions[0].Figures.Rows; r != record.WholeRows(3) {
		t.Errorf("%g rows, want those of the three plans", r.Float())
	}
}

func TestFilesThatFollowEachOtherAreNoCopies(t *testing.T) {
	a, b := line(record.ExecStatement, "7", "q", 1000, 500), line(record.ExecStatement, "7", "q", 1000, 500)
	first, last := line(record.ExecStatement, "7", "q", 1, 400), line(record.ExecStatement, "7", "q", 5000, 300)
	a.Pos.File, first.Pos.File = "1.log", "1.log"
	b.Pos.File, last.Pos.File = "2.log", "2.log"
	d := New(DefaultLimits(), intern)
	d.Fold(&record.Batch{Executions: []record.Execution{first, a, b, last}})
	if n := len(d.Build().Executions); n != 4 {
		t.Errorf("%d executions, want 4: two files that meet in one millisecond are no copies", n)
	}
}

func TestPlanLongerThanItsDurationLineDoesNotPair(t *testing.T) {
	m := build(
		plan("a", "q", 1000, 50_000, false),
		line(record.ExecStatement, "a", "q", 1001, 10_000),
	)
	if len(m.Executions) != 2 {
		t.Errorf("%d executions, want 2: %q", len(m.Executions), said(m))
	}
}

func TestNestedPlansAddNoServerTime(t *testing.T) {
	inner := plan("a", "inner", 999, 30_000, false)
	inner.Nested = true
	m := build(inner, plan("a", "outer", 1000, 40_000, false))
	if m.ServerTime() != 40_000 {
		t.Errorf("server time %d µs, want the outer statement's 40000", m.ServerTime())
	}
}

func TestSameEntryInTwoDestinationsCountsOnce(t *testing.T) {
	a := line(record.ExecStatement, "6b0d.33a1", "q", 1000, 500)
	b := line(record.ExecStatement, "7", "q", 1000, 500)
	a.Pos.File, b.Pos.File = "pg.csv", "pg.log"
	twice := line(record.ExecStatement, "6b0d.33a1", "q", 1000, 500)
	twice.Pos.File = "pg.csv"
	d := New(DefaultLimits(), intern)
	d.Fold(&record.Batch{Executions: []record.Execution{a, twice, b}})
	m := d.Build()
	if len(m.Executions) != 2 {
		t.Fatalf("%d executions, want the two of the csv file", len(m.Executions))
	}
	for _, e := range m.Executions {
		if e.Pos.File != "pg.csv" {
			t.Errorf("kept the copy of %s, want that with session ids", e.Pos.File)
		}
	}
}

func TestConcurrencyCountsOthersInFlightAtTheStart(t *testing.T) {
	m := build(
		line(record.ExecStatement, "a", "q", 1000, 500_000), // 500 … 1000
		line(record.ExecStatement, "b", "q", 900, 100_000),  // 800 … 900
		line(record.ExecStatement, "c", "q", 1300, 100_000), // 1200 … 1300
	)
	got := map[string]int{}
	for _, e := range m.Executions {
		got[e.Session] = e.Concurrency
	}
	if want := map[string]int{"a": 0, "b": 1, "c": 0}; !reflect.DeepEqual(got, want) {
		t.Errorf("concurrency %v, want %v", got, want)
	}
}

// workload makes executions of several sessions and minutes.
func workload(n int) []record.Execution {
	r := rand.New(rand.NewPCG(1, 2))
	var out []record.Execution
	for i := range n {
		s := fmt.Sprintf("s%d", r.IntN(20))
		e := line(record.ExecStatement, s, fmt.Sprintf("q%d", r.IntN(5)), int64(r.IntN(3_600_000)), record.Duration(r.IntN(10_000)+1))
		e.Pos.Offset = int64(i)
		out = append(out, e)
	}
	return out
}

func TestOrderAndMergeDoNotShow(t *testing.T) {
	all := workload(5000)
	limits := DefaultLimits()
	limits.Executions = 1000
	one := New(limits, intern)
	one.Fold(&record.Batch{Executions: all})

	r := rand.New(rand.NewPCG(3, 4))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	parts := []*Dataset{New(limits, intern), New(limits, intern), New(limits, intern)}
	for i := range all {
		parts[i%3].Fold(&record.Batch{Executions: all[i : i+1]})
	}
	parts[2].Merge(parts[0])
	parts[2].Merge(parts[1])

	a, b := one.Build(), parts[2].Build()
	if a.Sampled >= 1 || len(a.Executions) > limits.Executions {
		t.Fatalf("sampled %g, %d executions: the limit of %d was not kept", a.Sampled, len(a.Executions), limits.Executions)
	}
	if a.Sampled != b.Sampled || !reflect.DeepEqual(said(a), said(b)) {
		t.Errorf("one dataset keeps %d executions (%g), three merged ones %d (%g), or others", len(a.Executions), a.Sampled, len(b.Executions), b.Sampled)
	}
}

func TestSamplingKeepsWholeMinutesOfSessions(t *testing.T) {
	all := workload(5000)
	limits := DefaultLimits()
	limits.Executions = 1000
	d := New(limits, intern)
	d.Fold(&record.Batch{Executions: all})
	total, kept := map[string]int{}, map[string]int{}
	chunk := func(s string, t record.Time) string { return fmt.Sprint(s, " ", int64(t)/int64(minute)) }
	for i := range all {
		total[chunk(all[i].Session, all[i].LogTime)]++
	}
	for _, e := range d.Build().Executions {
		kept[chunk(e.Session, e.Time)]++
	}
	for c, n := range kept {
		if n != total[c] {
			t.Errorf("minute %s kept %d of %d executions: it has a hole", c, n, total[c])
		}
	}
}

func TestLowerEdgeOfDurationsShowsAThreshold(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var smooth, cut []record.Duration
	for range 2000 {
		d := record.Duration(1000 * (1 + 40*r.ExpFloat64()))
		smooth = append(smooth, d)
		if d >= 20*record.Millisecond {
			cut = append(cut, d)
		}
	}
	if d, ok := lowerEdge(smooth); ok {
		t.Errorf("an uncut workload shows a threshold of %d µs", d)
	}
	if d, ok := lowerEdge(cut); !ok || d != 20*record.Millisecond {
		t.Errorf("a log cut at 20 ms shows %d µs, %v", d, ok)
	}
}
