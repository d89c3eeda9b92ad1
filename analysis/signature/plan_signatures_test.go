package signature

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// planCaseTest is one plan and what a signature must say of it: "" nothing.
type planCaseTest struct {
	name string
	s    *Signature
	plan string
	want string // part of the title
}

const misjudgedLoop = `Nested Loop  (cost=1.00..900.00 rows=%s width=8) (actual time=0.050..950.000 rows=40000 loops=1)
  Buffers: shared hit=160500
  ->  Seq Scan on orders o  (cost=0.00..500.00 rows=%s width=4) (actual time=0.010..50.000 rows=40000 loops=1)
        Filter: ((o.status = 'new'::text) AND (o.region = 7))
        Rows Removed by Filter: 100
        Buffers: shared hit=500
  ->  Index Scan using item_order on item i  (cost=0.42..8.44 rows=1 width=8) (actual time=0.020..0.021 rows=1 loops=40000)
        Index Cond: (i.order_id = o.id)
        Buffers: shared hit=160000
Planning Time: 0.200 ms
Execution Time: 955.000 ms
`

// wideAppend scans n partitions with the condition; one of them gives rows.
func wideAppend(n int, condition, extra string) string {
	var b strings.Builder
	b.WriteString("Append  (cost=0.00..900.00 rows=10 width=8) (actual time=0.050..80.000 rows=10 loops=1)\n" + extra)
	for k := 1; k <= n; k++ {
		rows := 0
		if k == 1 {
			rows = 10
		}
		fmt.Fprintf(&b, "  ->  Seq Scan on event_p%d event_%d  (cost=0.00..90.00 rows=1 width=8) (actual time=0.010..8.000 rows=%d loops=1)\n", k, k, rows)
		fmt.Fprintf(&b, "        Filter: %s\n", condition)
	}
	return b.String() + "Execution Time: 81.000 ms\n"
}

// nodeCaseTests are about what one node says of itself.
func nodeCaseTests() []planCaseTest {
	sort := `Sort  (cost=9.00..9.10 rows=100000 width=8) (actual time=150.000..170.000 rows=100000 loops=1)
  Sort Key: v
  Sort Method: %s
  Buffers: shared hit=500%s
  ->  Seq Scan on t  (cost=0.00..8.00 rows=100000 width=8) (actual time=0.010..20.000 rows=100000 loops=1)
        Buffers: shared hit=500
Execution Time: 180.000 ms
`
	hash := `HashAggregate  (cost=9.00..9.10 rows=100000 width=8) (actual time=150.000..170.000 rows=90000 loops=1)
  Group Key: t.v
  Planned Partitions: 4  Batches: %d  Memory Usage: 4145kB%s
  ->  Seq Scan on t  (cost=0.00..8.00 rows=100000 width=8) (actual time=0.010..20.000 rows=100000 loops=1)
Execution Time: 180.000 ms
`
	bitmap := `Bitmap Heap Scan on t  (cost=9.00..99.00 rows=1000 width=8) (actual time=10.000..170.000 rows=1000 loops=1)
  Recheck Cond: (v < 10)
  Rows Removed by Index Recheck: %d
  Heap Blocks: exact=%d%s
  ->  Bitmap Index Scan on t_v  (cost=0.00..8.00 rows=1000 width=0) (actual time=9.000..9.000 rows=1000 loops=1)
        Index Cond: (v < 10)
Execution Time: 180.000 ms
`
	gather := `Gather  (cost=9.00..99.00 rows=1000 width=8) (actual time=10.000..170.000 rows=%d loops=1)
  Workers Planned: 3
  Workers Launched: %d
  ->  Parallel Seq Scan on t  (cost=0.00..8.00 rows=1000 width=0) (actual time=9.000..160.000 rows=1000 loops=%d)
Execution Time: 180.000 ms
`
	trigger := `Update on t  (cost=0.00..9.00 rows=0 width=0) (actual time=50.000..50.000 rows=0 loops=1)
  ->  Seq Scan on t  (cost=0.00..8.00 rows=10 width=8) (actual time=0.010..20.000 rows=10 loops=1)
Trigger audit: time=%s calls=10
Execution Time: 180.000 ms
`
	return []planCaseTest{
		{"disk sort", sortOrHashSpill, fmt.Sprintf(sort, "external merge  Disk: 1768kB", ", temp read=221 written=222"), "A sort writes 1.73 MB"},
		{"sort in memory", sortOrHashSpill, fmt.Sprintf(sort, "quicksort  Memory: 7419kB", ""), ""},
		{"hash aggregate on disk", sortOrHashSpill, fmt.Sprintf(hash, 5, "  Disk Usage: 9000kB"), "A hash aggregate writes 8.79 MB"},
		{"hash aggregate in memory", sortOrHashSpill, fmt.Sprintf(hash, 1, ""), ""},
		{"lossy", lossyBitmap, fmt.Sprintf(bitmap, 400000, 100, " lossy=5000"), "5,000 of 5,100 blocks are lossy"},
		{"inexact index, exact bitmap", lossyBitmap, fmt.Sprintf(bitmap, 400000, 5100, ""), ""},
		{"one of three launched", workersNotLaunched, fmt.Sprintf(gather, 2000, 1, 2), "1 of 3 planned parallel workers started"},
		{"all launched, leader idle", workersNotLaunched, fmt.Sprintf(gather, 3000, 3, 3), ""},
		{"slow trigger", triggerTime, fmt.Sprintf(trigger, "120.000"), "The trigger audit takes 67 % of the statement"},
		{"quick trigger", triggerTime, fmt.Sprintf(trigger, "9.000"), ""},
		{"filter", filterDiscard, strings.Replace(fmt.Sprintf(misjudgedLoop, "9", "9"), "Removed by Filter: 100", "Removed by Filter: 4000000", 1), "throws away 99.0 % of the 4,040,000 rows"},
		{"filter that keeps much", filterDiscard, fmt.Sprintf(misjudgedLoop, "9", "9"), ""},
	}
}

// treeCaseTests are about several nodes, or the plan as a whole.
func treeCaseTests() []planCaseTest {
	cold := `Index Scan using a on t  (cost=0.42..90.00 rows=900 width=8) (actual time=1.000..500.000 rows=900 loops=1)
  Buffers: shared hit=100 read=%d
  I/O Timings: shared read=%s
Execution Time: 501.000 ms
`
	page := `Limit  (cost=900.00..901.00 rows=20 width=8) (actual time=90.000..95.000 rows=20 loops=1)
  ->  Index Scan using o_day on o  (cost=0.42..9000.00 rows=90000 width=8) (actual time=0.020..93.000 rows=%d loops=1)
Execution Time: 96.000 ms
`
	jit := `Aggregate  (cost=120000.00..120000.01 rows=1 width=8) (actual time=400.000..400.001 rows=1 loops=1)
  ->  Seq Scan on t  (cost=0.00..100000.00 rows=1000 width=8) (actual time=300.000..390.000 rows=1000 loops=1)
Planning Time: 0.900 ms
JIT:
  Functions: 90
  Timing: Generation 9.100 ms, Inlining 30.000 ms, Optimization 180.000 ms, Emission 70.000 ms, Total %s ms
Execution Time: 410.000 ms
`
	planning := `Result  (cost=0.00..0.01 rows=1 width=4) (actual time=0.001..0.002 rows=1 loops=1)
Planning:
  Buffers: shared hit=9000
Planning Time: %s ms
Execution Time: 2.000 ms
`
	child := `Sort  (cost=9.00..9.10 rows=10 width=8) (actual time=50.000..%s rows=10 loops=1)
  Sort Key: v
  Sort Method: quicksort  Memory: 25kB
  ->  Seq Scan on t  (cost=0.00..8.00 rows=10 width=8) (actual time=0.010..200.000 rows=10 loops=1)
Execution Time: 210.000 ms
`
	serialize := `Seq Scan on t  (cost=0.00..50.00 rows=1000 width=900) (actual time=0.010..10.000 rows=1000 loops=1)
Serialization: time=%s ms  output=9000kB  format=text
Execution Time: 100.000 ms
`
	return []planCaseTest{
		{"outer estimate 400 times too low", rowMisestimate, fmt.Sprintf(misjudgedLoop, "100", "100"), "400x more rows from orders"},
		{"estimate right", rowMisestimate, fmt.Sprintf(misjudgedLoop, "40000", "39000"), ""},
		{"below a limit", rowMisestimate, "Limit  (cost=0.00..9.00 rows=100 width=8) (actual time=0.050..951.000 rows=40000 loops=1)\n  ->  " +
			strings.ReplaceAll(fmt.Sprintf(misjudgedLoop, "100", "100"), "\n  ", "\n        "), ""},
		{"inner side dominates", nestedLoopBlowUp, fmt.Sprintf(misjudgedLoop, "100", "100"), "40,000 times, 400x as often as planned"},
		{"loops as planned", nestedLoopBlowUp, fmt.Sprintf(misjudgedLoop, "40000", "39000"), ""},
		{"most of the time waits for reads", coldRead, fmt.Sprintf(cold, 900, "450.000"), "waits 90 % of its time for 900 blocks"},
		{"reads cost little", coldRead, fmt.Sprintf(cold, 900, "50.000"), ""},
		{"few blocks", coldRead, fmt.Sprintf(cold, 10, "450.000"), ""},
		{"offset", offsetOrCount, fmt.Sprintf(page, 50020), "OFFSET throws away 50,000 rows to give 20"},
		{"first page", offsetOrCount, fmt.Sprintf(page, 20), ""},
		{"compiling takes most", jitOverhead, fmt.Sprintf(jit, "289.100"), "71 % of its execution"},
		{"compiling takes little", jitOverhead, fmt.Sprintf(jit, "9.100"), ""},
		{"planning takes most", planningDominates, fmt.Sprintf(planning, "90.000"), "45.0x the time of the execution"},
		{"planning is short", planningDominates, fmt.Sprintf(planning, "4.500"), ""},
		{"child longer than parent", inconsistentPlan, fmt.Sprintf(child, "50.100"), "children of Sort exceed it"},
		{"within a tenth", inconsistentPlan, fmt.Sprintf(child, "199.000"), ""},
		{"serialization", clientTime, fmt.Sprintf(serialize, "85.000"), "89 % of the statement's time"},
		{"little serialization", clientTime, fmt.Sprintf(serialize, "2.000"), ""},
		{"function in the condition", partitionsNotPruned, wideAppend(10, "(date_trunc('day'::text, at) = '2026-01-01'::date)", ""), "9 of 10 partitions of event"},
		{"constants, no key in the condition", partitionsNotPruned, wideAppend(10, "(kind = 3)", ""), ""},
		{"pruned at execution", partitionsNotPruned, wideAppend(10, "(at = $1)", "  Subplans Removed: 12\n"), ""},
		{"few partitions", partitionsNotPruned, wideAppend(3, "(at = $1)", ""), ""},
	}
}

func TestPlanSignatures(t *testing.T) {
	for _, c := range append(nodeCaseTests(), treeCaseTests()...) {
		t.Run(c.s.Name+"/"+c.name, func(t *testing.T) {
			in := &planInput{t: t}
			in.text(c.plan)
			p := Run(in.model(), []*Signature{c.s}, nil)
			if len(p.Evaluated) != 1 {
				t.Fatal("not evaluated:", p.NotEvaluated)
			}
			switch {
			case c.want == "" && len(p.Findings) > 0:
				t.Errorf("says %q, must stay silent", p.Findings[0].Title)
			case c.want != "" && (len(p.Findings) != 1 || !strings.Contains(p.Findings[0].Title, c.want)):
				t.Errorf("findings %+v, want %q", findingLines(p), c.want)
			}
		})
	}
}

// one runs a signature and wants exactly one finding.
func (in *planInput) one(s *Signature) finding.Finding {
	in.t.Helper()
	p := Run(in.model(), []*Signature{s}, nil)
	if len(p.Findings) != 1 {
		in.t.Fatalf("%d findings of %s, want 1; not evaluated: %v", len(p.Findings), s.ID, p.NotEvaluated)
	}
	return p.Findings[0]
}

func TestMisestimateNamesStatisticsOfBothColumns(t *testing.T) {
	in := &planInput{t: t}
	in.text(fmt.Sprintf(misjudgedLoop, "100", "100"))
	f := in.one(rowMisestimate)
	if got := f.Actions[0].Do; got != "CREATE STATISTICS (dependencies, mcv, ndistinct) ON status, region FROM orders;" {
		t.Error(got)
	}
	if f.Severity != finding.Warning || f.Evidence[0].Pos.Line != 3 {
		t.Errorf("%s at line %d", f.Severity, f.Evidence[0].Pos.Line)
	}
}

func TestFloorsKeepTinyPlansQuiet(t *testing.T) {
	tiny := strings.NewReplacer("950.000", "1.500", "955.000", "1.600", "50.000", "0.300", "0.020..0.021", "0.000..0.000").Replace(fmt.Sprintf(misjudgedLoop, "100", "100"))
	in := &planInput{t: t}
	in.text(tiny)
	if p := Run(in.model(), planSignatures(), nil); len(p.Findings) > 0 {
		t.Error(findingLines(p))
	}
}

func TestShareIsOfTheLogsServerTime(t *testing.T) {
	in := &planInput{t: t}
	in.text(fmt.Sprintf(misjudgedLoop, "100", "100"))
	in.asLog(3, 955*record.Millisecond, 955*record.Millisecond)
	other := in.batch.Executions[0]
	other.Kind, other.Plan, other.HasPlan, other.Session = record.ExecStatement, nil, false, "2.b"
	other.Statement = &record.Statement{Fingerprint: "other", Normalized: "select 1", Command: "SELECT"}
	other.Duration = 3 * 955 * record.Millisecond
	in.batch.Executions = append(in.batch.Executions, other)
	f := in.one(nestedLoopBlowUp)
	if want := 0.5 * 840 / 955; f.Share < want-0.02 || f.Share > want+0.02 {
		t.Errorf("share %.3f, want about %.3f: half of the server time × the inner side's part", f.Share, want)
	}
	if !strings.Contains(f.N, "3 executions") {
		t.Error(f.N)
	}
}

// A bulk load that ran once, logged without times of nodes, is no warning.
func TestOneLoggedPlanWithoutTimesStaysInfo(t *testing.T) {
	const load = `Insert on item  (cost=0.00..9.00 rows=0 width=0) (actual rows=0 loops=1)
  Buffers: shared hit=4000, temp read=308 written=308
  ->  Function Scan on generate_series g  (cost=0.00..9.00 rows=180000 width=8) (actual rows=180000 loops=1)
        Buffers: temp read=308 written=308
`
	for n, want := range map[int]finding.Severity{1: finding.Info, 5: finding.Warning} {
		in := &planInput{t: t}
		in.text(load)
		in.asLog(n, 7750*record.Millisecond, 7750*record.Millisecond)
		if f := in.one(sortOrHashSpill); f.Severity != want {
			t.Errorf("%d executions: %s, want %s: %s", n, f.Severity, want, f.Title)
		}
	}
}

func TestClientTimeNeedsBothLines(t *testing.T) {
	rows := `Seq Scan on t  (cost=0.00..50.00 rows=1000 width=900) (actual time=0.010..10.000 rows=1000 loops=1)
`
	in := &planInput{t: t}
	in.text(rows)
	if p := Run(in.model(), []*Signature{clientTime}, nil); len(p.NotEvaluated) != 1 {
		t.Error("a plan alone says nothing of the client:", p.Evaluated)
	}
	in.asLog(3, 10*record.Millisecond, 90*record.Millisecond)
	if f := in.one(clientTime); !strings.Contains(f.Title, "89 %") {
		t.Error(f.Title)
	}
}

func TestPlansWithoutActualsAreNotAvailable(t *testing.T) {
	in := &planInput{t: t}
	in.text("Seq Scan on t  (cost=0.00..50.00 rows=1000 width=9)\n")
	for _, s := range planSignatures() {
		if p := Run(in.model(), []*Signature{s}, nil); len(p.NotEvaluated) != 1 || !strings.Contains(p.NotEvaluated[0].Lacks, "not available") {
			t.Errorf("%s: %v", s.ID, p.NotEvaluated)
		}
	}
	for _, s := range planSignatures() {
		if p := Run((&planInput{t: t}).model(), []*Signature{s}, nil); len(p.NotEvaluated) != 1 || p.NotEvaluated[0].Lacks != "no plans in input" {
			t.Errorf("%s: %v", s.ID, p.NotEvaluated)
		}
	}
}

func TestForeignKeyNamesColumnWithoutIndex(t *testing.T) {
	plan := `Delete on customers  (cost=0.28..8.30 rows=0 width=0) (actual time=0.500..0.501 rows=0 loops=1)
  ->  Index Scan using customers_pkey on customers  (cost=0.28..8.30 rows=1 width=6) (actual time=0.010..0.012 rows=1 loops=1)
        Index Cond: (id = 7)
Planning Time: 0.100 ms
Trigger for constraint orders_customer_id_fkey: time=95.000 calls=1
Execution Time: 96.000 ms
`
	in := &planInput{t: t}
	in.text(plan)
	if f := in.one(triggerTime); !strings.Contains(f.Actions[0].Do, "conname = 'orders_customer_id_fkey'") {
		t.Error(f.Actions[0].Do)
	}
	h := &hygiene{t: t}
	h.sample(record.ViewIndexes, second(1), "schemaname=public", "relname=orders", "indexrelname=orders_pkey", "index_size=8192",
		"indexdef=CREATE UNIQUE INDEX orders_pkey ON public.orders USING btree (id)")
	in.batch.Samples = h.batch.Samples
	if f := in.one(triggerTime); f.Actions[0].Do != "CREATE INDEX CONCURRENTLY ON public.orders (customer_id);" {
		t.Error(f.Actions[0].Do)
	}
}

func TestKnownIndexSilencesFilterDiscard(t *testing.T) {
	plan := `Seq Scan on orders  (cost=0.00..500.00 rows=10 width=4) (actual time=0.010..50.000 rows=10 loops=1)
  Filter: ((status = 'new'::text) AND (created_at > '2026-01-01'::date))
  Rows Removed by Filter: 90000
  Buffers: shared hit=500
`
	in := &planInput{t: t}
	in.text(plan)
	if f := in.one(filterDiscard); f.Actions[0].Do != "CREATE INDEX CONCURRENTLY ON orders (status, created_at);" {
		t.Error(f.Actions[0].Do)
	}
	h := &hygiene{t: t}
	h.sample(record.ViewIndexes, second(1), "schemaname=public", "relname=orders", "indexrelname=x", "index_size=8192",
		"indexdef=CREATE INDEX x ON public.orders USING btree (created_at DESC, status)")
	in.batch.Samples = h.batch.Samples
	if p := Run(in.model(), []*Signature{filterDiscard}, nil); len(p.Findings) > 0 {
		t.Error("an index leads with both columns:", findingLines(p))
	}
}
