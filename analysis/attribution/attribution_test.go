package attribution

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/series"
	"github.com/pgassay/pgassay/parser/record"
)

// scene is 80 readings of a statement. An index, the primary key and the table
// grow together, a page and more per reading; load swings; the clock runs.
type scene struct {
	r       *rand.Rand
	frame   *series.Frame
	walked  *dataset.Index
	pages   []float64 // of the index
	others  []float64 // throughput
	dead    []float64
	minutes []float64
}

const readings = 80

func newScene(seed uint64) *scene {
	s := &scene{r: rand.New(rand.NewPCG(seed, 9)), walked: &dataset.Index{Index: "items_hnsw"}, frame: &series.Frame{}}
	for i := range readings {
		t := record.Time(i) * record.Time(60*record.Second)
		s.frame.Spans = append(s.frame.Spans, series.Span{From: t, To: t + record.Time(59*record.Second)})
		s.frame.Executions = append(s.frame.Executions, 50)
		s.pages = append(s.pages, 5000+25*float64(i)+5*s.r.NormFloat64())
		s.others = append(s.others, 100+40*math.Sin(float64(i)/5)+5*s.r.NormFloat64())
		s.dead = append(s.dead, 1000*float64(i%20)+50*s.r.NormFloat64())
		s.minutes = append(s.minutes, 60*float64(i))
	}
	return s
}

// costs sets the cost and makes the frame's columns.
func (s *scene) costs(kind series.Kind, of func(i int) float64) *scene {
	cost, pkey, heap, concurrent, rows := make([]float64, readings), make([]float64, readings), make([]float64, readings), make([]float64, readings), make([]float64, readings)
	for i := range readings {
		cost[i] = of(i)
		pkey[i] = 300 + s.pages[i]/40
		heap[i] = 900 + 1.05*(s.pages[i]-5000)
		concurrent[i] = s.others[i] * cost[i] / 1e5
		rows[i] = 5 + s.r.Float64()
	}
	add := func(k series.Kind, name string, x *dataset.Index, v []float64) {
		s.frame.Columns = append(s.frame.Columns, series.Column{Kind: k, Name: name, Unit: k.Unit(), Index: x, Values: v, Readings: readings})
	}
	add(kind, kind.String(), nil, cost)
	add(series.RowsPerExecution, "rows per statement", nil, rows)
	add(series.IndexPages, "pages of items_hnsw", s.walked, s.pages)
	add(series.IndexPages, "pages of items_pkey", &dataset.Index{Index: "items_pkey"}, pkey)
	add(series.TablePages, "pages of items", nil, heap)
	add(series.DeadRows, "dead rows of items", nil, s.dead)
	add(series.Concurrency, "concurrency", nil, concurrent)
	add(series.Throughput, "throughput", nil, s.others)
	s.frame.Columns = append(s.frame.Columns, series.Column{Kind: series.LockWaits, Name: "lock waits", Missing: "log_lock_waits not known to be on", Values: make([]float64, readings)})
	add(series.WallClock, "wall clock", nil, s.minutes)
	return s
}

func (s *scene) withoutSizes() {
	s.frame.Columns = slices.DeleteFunc(s.frame.Columns, func(c series.Column) bool { return c.Kind == series.IndexPages || c.Kind == series.TablePages })
}

func (s *scene) ask(kind series.Kind, baseline float64) Answer {
	return Ask(Question{Frame: s.frame, Cost: kind, Baseline: baseline, Limits: DefaultLimits()})
}

// verdicts are the names of what explains.
func explaining(a Answer) string {
	text := ""
	for _, c := range a.Explaining() {
		text += fmt.Sprintf("%s: %s; ", c.Name, c.Verdict)
	}
	return text
}

func want(t *testing.T, a Answer, text string) {
	t.Helper()
	if got := explaining(a); got != text {
		t.Errorf("explains: %q, want %q", got, text)
		for _, c := range a.Candidates {
			t.Logf("%-22s %-14s share %.3f slope %.3g %v raw %.2f partial %.2f: %s", c.Name, c.Verdict, c.Share, c.Fit.Slope, c.Fit.Interval, c.Raw.R, c.Partial.R, c.Why)
		}
	}
}

func TestWalkIsToldFromWhatGrowsWithItByUnitSlopeAndLevel(t *testing.T) {
	for seed := range uint64(5) {
		s := newScene(seed)
		s.costs(series.BuffersPerRow, func(i int) float64 { return 500 + s.pages[i] + 30*s.r.NormFloat64() })
		a := s.ask(series.BuffersPerRow, 500)
		want(t, a, "pages of items_hnsw: explains; ")
		for _, c := range a.Candidates[1:] {
			if c.Verdict != finding.RuledOutVerdict && c.Verdict != finding.NotMeasurable {
				t.Errorf("seed %d: %s is %s: %s", seed, c.Name, c.Verdict, c.Why)
			}
		}
		if c := a.Of(series.LockWaits); c.Verdict != finding.NotMeasurable || c.Why == "" {
			t.Errorf("lock waits: %+v", c)
		}
	}
}

func TestTwoSizesThatRemainAreBothNamed(t *testing.T) {
	s := newScene(1)
	s.costs(series.BuffersPerRow, func(i int) float64 { return 500 + s.pages[i] + 30*s.r.NormFloat64() })
	want(t, s.ask(series.BuffersPerRow, math.NaN()), "pages of items_hnsw: not told apart; pages of items: not told apart; ")
	// The index that the vacuum line names is the one.
	a := Ask(Question{Frame: s.frame, Cost: series.BuffersPerRow, Baseline: math.NaN(), Named: s.walked, Limits: DefaultLimits()})
	want(t, a, "pages of items_hnsw: explains; ")
}

func TestSlopesOutsideTheBandExplainNothing(t *testing.T) {
	s := newScene(2)
	s.costs(series.BuffersPerRow, func(i int) float64 { return 500 + 0.05*s.pages[i] + 2*s.r.NormFloat64() })
	a := s.ask(series.BuffersPerRow, 500)
	for _, c := range a.Explaining() {
		if c.Kind == series.IndexPages || c.Kind == series.TablePages {
			t.Errorf("%s explains a cost of %.2f buffers per page", c.Name, c.Fit.Slope)
		}
	}
}

func TestFlatCostHasNoCause(t *testing.T) {
	for seed := range uint64(20) {
		s := newScene(seed)
		s.costs(series.BuffersPerRow, func(int) float64 { return 500 + 20*s.r.NormFloat64() })
		want(t, s.ask(series.BuffersPerRow, 500), "")
	}
}

func TestDeadRowsExplainASawtooth(t *testing.T) {
	s := newScene(3)
	s.costs(series.BuffersPerRow, func(i int) float64 { return 40 + s.dead[i]/100 + 5*s.r.NormFloat64() })
	want(t, s.ask(series.BuffersPerRow, 40), "dead rows of items: explains; ")
}

// A statement that reads its inner table more and more often is told from the
// sizes and the clock that grow beside it.
func TestLoopsExplainTimeAndBuffers(t *testing.T) {
	for _, kind := range []series.Kind{series.TimePerExecution, series.BuffersPerExecution} {
		s := newScene(12)
		loops := make([]float64, readings)
		for i := range loops {
			loops[i] = 200 + 10*float64(i) + 60*s.r.NormFloat64()
		}
		s.costs(kind, func(i int) float64 { return 20 + 7*loops[i] + 20*s.r.NormFloat64() })
		s.frame.Columns = append(s.frame.Columns[:1:1], append([]series.Column{{Kind: series.LoopsPerExecution, Name: "loops of table scans", Values: loops, Readings: readings}}, s.frame.Columns[1:]...)...)
		want(t, s.ask(kind, 1420), "loops of table scans: explains; ")
	}
}

func TestPlanningIsNoCauseOfBuffers(t *testing.T) {
	s := newScene(13)
	s.costs(series.BuffersPerExecution, func(i int) float64 { return 500 + s.pages[i] })
	s.frame.Columns = append(s.frame.Columns, series.Column{Kind: series.PlanningTime, Name: "planning time", Values: s.pages, Readings: readings})
	if a := s.ask(series.BuffersPerExecution, 500); a.Of(series.PlanningTime) != nil {
		t.Error("planning is weighed as a cause of the execution's buffers")
	}
}

// Two things that grow correlate, whatever the cause: what keeps to the common
// trend but moves by itself around it is not the cause.
func TestGrowthThatSharesOnlyTheTrendIsNoCause(t *testing.T) {
	s := newScene(14)
	for i := range s.dead {
		s.dead[i] = 1000 + 50*float64(i) + 400*s.r.NormFloat64()
	}
	s.costs(series.TimePerExecution, func(i int) float64 { return 10 + s.minutes[i]/500 + 0.5*s.r.NormFloat64() })
	s.withoutSizes()
	a := s.ask(series.TimePerExecution, 10)
	want(t, a, "wall clock: explains; ")
	if c := a.Of(series.DeadRows); c.Verdict != finding.RuledOutVerdict || c.Raw.R < 0.8 {
		t.Errorf("dead rows are %s with raw r %.2f: %s", c.Verdict, c.Raw.R, c.Why)
	}
}

func TestClosedLoopLoadIsNoCause(t *testing.T) {
	s := newScene(4)
	s.costs(series.BuffersPerRow, func(i int) float64 { return 500 + s.pages[i] + 30*s.r.NormFloat64() })
	// The same clients wait for their own statements: throughput is 1 / cost.
	throughput := s.frame.Column(series.Throughput).Values
	cost := s.frame.Column(series.BuffersPerRow).Values
	for i := range throughput {
		throughput[i] = 1e6 / cost[i] * (1 + 0.01*s.r.NormFloat64())
	}
	a := s.ask(series.BuffersPerRow, 500)
	want(t, a, "pages of items_hnsw: explains; ")
	if c := a.Of(series.Throughput); c.Verdict != finding.RuledOutVerdict || !(c.Raw.R < -0.9) {
		t.Errorf("throughput %s with raw r %.2f: %s", c.Verdict, c.Raw.R, c.Why)
	}
}

func TestLoadAloneIsNeverTheCause(t *testing.T) {
	s := newScene(11)
	for i := range s.others {
		s.others[i] = 60 + 80*s.r.Float64()
	}
	s.costs(series.TimePerExecution, func(i int) float64 { return 10 + s.others[i]/10 + 0.5*s.r.NormFloat64() })
	a := s.ask(series.TimePerExecution, 10)
	want(t, a, "")
	for _, k := range []series.Kind{series.Concurrency, series.Throughput} {
		if c := a.Of(k); c.Verdict != finding.NotRuledOut || c.Raw.R < 0.9 {
			t.Errorf("%s is %s with raw r %.2f: %s", c.Name, c.Verdict, c.Raw.R, c.Why)
		}
	}
}

func TestOnlyTheClockIsLeft(t *testing.T) {
	s := newScene(5)
	s.costs(series.TimePerExecution, func(i int) float64 { return 10 + s.minutes[i]/500 + 0.5*s.r.NormFloat64() })
	s.withoutSizes()
	want(t, s.ask(series.TimePerExecution, 10), "wall clock: explains; ")
}

func TestGrowthThatFollowsTheClockIsNotToldFromIt(t *testing.T) {
	s := newScene(6)
	s.costs(series.TimePerExecution, func(i int) float64 { return 10 + s.minutes[i]/500 + 0.5*s.r.NormFloat64() })
	a := s.ask(series.TimePerExecution, 10)
	for _, c := range a.Explaining() {
		if c.Verdict != finding.NotToldApart {
			t.Errorf("%s alone explains what the clock explains as well", c.Name)
		}
	}
	if len(a.Explaining()) < 2 {
		t.Errorf("explains: %s", explaining(a))
	}
}

func TestTableRegistersItsTests(t *testing.T) {
	s := newScene(7)
	s.costs(series.BuffersPerRow, func(i int) float64 { return 500 + s.pages[i] + 30*s.r.NormFloat64() })
	a := s.ask(series.BuffersPerRow, 500)
	var tests []*float64
	table := a.Table(DefaultLimits(), func(p float64) *float64 { tests = append(tests, &p); return &p })
	if len(table) != len(a.Candidates) || len(tests) < 4 {
		t.Fatalf("%d rows, %d tests", len(table), len(tests))
	}
	if top := table[0]; top.Verdict != finding.Explains || top.Slope.Unit != "buffers/page" || *top.Share < 0.9 || top.EffectiveN < 20 {
		t.Errorf("%+v", top)
	}
	*tests[0] = 1
	if p := table[1].Slope.PValue; *p != 1 {
		t.Errorf("the corrected p-value does not show: %v", *p)
	}
}

func TestTooFewReadingsAreNotMeasurable(t *testing.T) {
	s := newScene(8)
	s.costs(series.BuffersPerRow, func(i int) float64 { return 500 + s.pages[i] })
	a := Ask(Question{Frame: s.frame.Slice(0, 0), Cost: series.BuffersPerRow, Baseline: 500, Limits: DefaultLimits()})
	want(t, a, "")
	for _, c := range a.Candidates {
		if c.Verdict != finding.NotMeasurable {
			t.Errorf("%s without readings: %s", c.Name, c.Verdict)
		}
	}
}

// A throughput that differs by the rounding of its intervals alone.
func TestConstantCandidatesHaveNoSlope(t *testing.T) {
	s := newScene(11)
	for i := range s.others {
		s.others[i] = 100 + 1e-6*s.r.NormFloat64()
	}
	s.costs(series.BuffersPerRow, func(i int) float64 { return 500 + s.pages[i] })
	a := s.ask(series.BuffersPerRow, 500)
	table := a.Table(DefaultLimits(), func(p float64) *float64 { return &p })
	for i, c := range a.Candidates {
		if c.Kind == series.Throughput && (c.Why != "constant" || table[i].Slope != nil) {
			t.Errorf("%s: %s, slope %+v", c.Verdict, c.Why, table[i].Slope)
		}
		if c.Kind == series.LockWaits && table[i].Slope != nil {
			t.Errorf("lock waits not measured, slope %+v", table[i].Slope)
		}
	}
}

func BenchmarkAsk(b *testing.B) {
	s := newScene(1)
	s.costs(series.BuffersPerRow, func(i int) float64 { return 500 + s.pages[i] + 30*s.r.NormFloat64() })
	for range b.N {
		s.ask(series.BuffersPerRow, 500)
	}
}
