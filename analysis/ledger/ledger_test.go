package ledger

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser"
	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/record"
)

// plansDir holds real plans of PostgreSQL 12 to 18.
const plansDir = "../../parser/explain/testdata/plans"

func realPlans(t *testing.T) map[string]*record.Plan {
	t.Helper()
	plans := map[string]*record.Plan{}
	_, err := parser.Stream(context.Background(), []string{plansDir}, parser.Options{}, func(b *record.Batch) error {
		for i := range b.Executions {
			if p := b.Executions[i].Plan; p != nil {
				plans[filepath.Base(b.File.Name)] = p
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(plans) == 0 {
		t.Fatal("no plans")
	}
	return plans
}

func textPlan(t *testing.T, text string) *record.Plan {
	t.Helper()
	p, _, err := explain.NewParser().Text([]byte(text), explain.Options{Extras: true})
	if err != nil {
		t.Fatal(err)
	}
	return explain.Clone(p)
}

func TestSelfTimesAddUpToTheRootAndWhatRanAfterIt(t *testing.T) {
	for name, p := range realPlans(t) {
		l := New(p, 0)
		if math.Abs(l.Residual) > l.Tolerance+1e-6 {
			t.Errorf("%s: self times %v, whole %v: residual %v beyond %v", name, l.Self, l.Whole, l.Residual, l.Tolerance)
		}
		if !l.HasExecution {
			continue
		}
		sum := l.Root
		for _, o := range l.Outside {
			sum += o.Time
		}
		if math.Abs(sum-l.Execution) > 1e-6 {
			t.Errorf("%s: root and outside are %v, execution %v", name, sum, l.Execution)
		}
	}
}

func TestSelfBuffersAddUpToThePlan(t *testing.T) {
	for name, p := range realPlans(t) {
		l := New(p, 0)
		var sum record.Buffers
		for i := range l.Nodes {
			sum = sum.Add(l.Nodes[i].SelfBuffers)
		}
		if sum != l.Blocks {
			t.Errorf("%s: nodes %+v, plan %+v", name, sum, l.Blocks)
		}
	}
}

func TestRoundedRowsAreNoMisestimate(t *testing.T) {
	l := New(textPlan(t, `Nested Loop  (cost=0.42..900.00 rows=25000 width=12) (actual time=0.050..95.000 rows=19 loops=1)
  ->  Seq Scan on parcel  (cost=0.00..400.00 rows=25000 width=8) (actual time=0.010..9.000 rows=25000 loops=1)
  ->  Index Scan using tag_pkey on tag  (cost=0.42..0.45 rows=1 width=4) (actual time=0.003..0.003 rows=0 loops=25000)
`), 0)
	for i, want := range []Estimate{{Factor: 19.0 / 25000}, {Factor: 1}, {Factor: 1}} {
		if got := l.Nodes[i].Estimate; got != want {
			t.Errorf("node %d: %+v, want %+v", i, got, want)
		}
	}
	if r := l.Nodes[2].Rows; r != (Range{0, 0, 12500}) {
		t.Errorf("rows of the index scan: %+v", r)
	}
	if !math.IsNaN(l.Nodes[2].PerRow) {
		t.Error("rows that rounding leaves open give no buffers per row")
	}
}

func TestNothingIsJudgedBelowALimitOrWherePlansPrintNoRows(t *testing.T) {
	l := New(textPlan(t, `Limit  (cost=0.00..1.00 rows=10 width=4) (actual time=0.010..0.020 rows=10 loops=1)
  ->  Seq Scan on big  (cost=0.00..900.00 rows=50000 width=4) (actual time=0.005..0.015 rows=10 loops=1)
`), 0)
	if got := l.Nodes[1].Estimate.Why; got != StopsEarly {
		t.Errorf("below a Limit: %q", got)
	}
	if got := l.Nodes[0].Estimate.Factor; got != 1 {
		t.Errorf("Limit: %v", got)
	}
}

func TestBeforeTriggersAreInsideAndAfterTriggersOutside(t *testing.T) {
	l := New(textPlan(t, `Insert on t  (cost=0.00..0.03 rows=0 width=0) (actual time=29.522..29.523 rows=0.00 loops=1)
  ->  ProjectSet  (cost=0.00..0.03 rows=3 width=4) (actual time=0.003..0.011 rows=3.00 loops=1)
        ->  Result  (cost=0.00..0.01 rows=1 width=0) (actual time=0.001..0.002 rows=1.00 loops=1)
Planning Time: 0.101 ms
Trigger ta: time=16.093 calls=3
Trigger tb: time=28.690 calls=3
Execution Time: 45.678 ms
`), 0)
	var got []string
	for _, o := range l.Outside {
		got = append(got, o.What)
	}
	if strings.Join(got, ", ") != "trigger ta, executor start and stop" {
		t.Errorf("outside: %q", got)
	}
	if rest := l.Outside[len(l.Outside)-1].Time; math.Abs(rest-0.062) > 1e-9 {
		t.Errorf("rest %v, want 0.062", rest)
	}
	if r := l.Nodes[0].Rows; r.Value != 3 {
		t.Errorf("rows written: %+v, want those of the child", r)
	}
}

func TestSkewIsShownAsZeroAndKeptInTheSum(t *testing.T) {
	l := New(textPlan(t, `Finalize Aggregate  (cost=9000.00..9000.01 rows=1 width=8) (actual time=834.000..834.000 rows=1 loops=1)
  ->  Gather  (cost=8999.00..8999.20 rows=2 width=8) (actual time=830.000..850.000 rows=3 loops=1)
        Workers Planned: 2
        Workers Launched: 2
        ->  Partial Aggregate  (cost=7999.00..7999.01 rows=1 width=8) (actual time=830.000..830.000 rows=1 loops=3)
              ->  Parallel Seq Scan on f  (cost=0.00..7000.00 rows=400000 width=0) (actual time=0.010..470.000 rows=333333 loops=3)
Execution Time: 850.100 ms
`), 0)
	if math.Abs(l.Skew+16) > 1e-9 || l.Nodes[0].Shown != 0 || math.Abs(l.Self-834) > 1e-9 {
		t.Errorf("skew %v, shown %v, sum %v", l.Skew, l.Nodes[0].Shown, l.Self)
	}
}

func TestTheLogTellsTheExecutionOfPlansThatDoNot(t *testing.T) {
	p := textPlan(t, "Result  (cost=0.00..0.01 rows=1 width=0) (actual time=5.000..5.001 rows=1 loops=1)\n")
	if l := New(p, 5_021); !l.HasExecution || math.Abs(l.Outside[0].Time-0.020) > 1e-9 {
		t.Errorf("%+v", l.Outside)
	}
	if l := New(p, 0); l.HasExecution || len(l.Outside) > 0 {
		t.Errorf("without a log: %+v", l.Outside)
	}
}

func TestSumsOfNodesCoverThePlan(t *testing.T) {
	for name, p := range realPlans(t) {
		l := New(p, 0)
		nodes, shown, want := 0, 0.0, 0.0
		for _, s := range l.ByNodeType() {
			nodes += s.Nodes
			shown += s.Self
		}
		for i := range l.Nodes {
			want += l.Nodes[i].Shown
		}
		if nodes != len(p.Nodes) || math.Abs(shown-want) > 1e-6 {
			t.Errorf("%s: %d nodes, %v ms; want %d, %v", name, nodes, shown, len(p.Nodes), want)
		}
	}
}

func FuzzLedger(f *testing.F) {
	files, err := filepath.Glob(plansDir + "/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, _, err := explain.NewParser().Text(bytes.Clone(data), explain.Options{Extras: true})
		if err != nil {
			return
		}
		l := New(p, 1000)
		if len(l.Sorted(OrderRows)) != len(p.Nodes) {
			t.Fatal("a node is missing from the list")
		}
		l.ByRelation()
		for i := range l.Nodes {
			if e := l.Nodes[i].Estimate; e.Why == "" && !(e.Error() >= 1) {
				t.Fatalf("node %d: %+v", i, e)
			}
		}
	})
}
