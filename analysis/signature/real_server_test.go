package signature

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// The tests of this file are shapes that real servers showed.

// A client that draws its next transaction at random and waits between them:
// the pauses inside a transaction are short, those between transactions are the
// same before whatever comes next. Nothing begins a request.
func TestRandomMixOfTransactionsIsNoRequest(t *testing.T) {
	l := newAppLog()
	l.setting("log_min_duration_statement", "0")
	openOrder := &record.Statement{Fingerprint: "open", Command: "INSERT", Target: "orders", Normalized: "insert into orders values ($1)"}
	for range 2000 {
		l.idle("s", l.jitter(40*record.Millisecond))
		switch n := l.draw.IntN(31); {
		case n < 2:
			l.run("s", listBuckets, "", 20*record.Millisecond, 4)
		case n < 5:
			l.run("s", addBuckets, "", 100*record.Microsecond, 1)
		case n < 25:
			l.run("s", otherRead, "$1 = '1'", 100*record.Microsecond, 1)
		default:
			l.run("s", openOrder, "", 100*record.Microsecond, 1)
			for range 2 {
				l.idle("s", l.jitter(300*record.Microsecond))
				l.run("s", writeRow, "$1 = '1', $2 = '2'", 100*record.Microsecond, 1)
			}
		}
	}
	l.idle("end", 10*record.Second)
	l.run("end", addBuckets, "", record.Millisecond, 1)
	wantSilent(t, l.evaluate())
}

// A pool that mixes requests only now and then: their requests are left out,
// the others are timed.
func TestPoolThatMixesSomeRequestsTimesTheOthers(t *testing.T) {
	load := bucketLoad()
	l := newAppLog()
	l.plans = true
	l.setting("log_min_duration_statement", "0")
	for i := range 120 {
		n := 10 + 10*(i%4)
		load.request(l, "s", n)
		if i%5 == 0 { // children of a request whose parent another session ran
			l.run("t", listBuckets, "$1 = '1'", 300*record.Microsecond, 25)
			for range 25 {
				l.idle("s", l.jitter(load.gap))
				l.run("s", readBucket, "$1 = '1', $2 = '9'", 50*record.Microsecond, 1)
			}
		}
	}
	l.idle("end", 10*record.Second)
	l.run("end", addBuckets, "", record.Millisecond, 1)
	f := only(t, l.evaluate(), "PGA401")
	wantText(t, "N", f.N, "95 requests", "4 levels")
	wantText(t, "notes", strings.Join(f.Notes, "; "), "24 requests left out")
	if b := figure(t, f, "wall time per child (b)"); b.Value < 1.95 || b.Value > 2.2 {
		t.Errorf("b = %v", b)
	}
}

// Without plans a saturated pool shows in parents whose children change in
// number from run to run although their parameters are the same.
func TestSaturatedPoolWithoutPlansGivesNoWallTime(t *testing.T) {
	for _, mixed := range []bool{false, true} {
		l := newAppLog()
		var open []int // children to come, by request
		for range 4000 {
			l.idle("pool", l.jitter(record.Millisecond))
			if n := len(open); n == 0 || mixed && n < 4 {
				rows := 20 + 20*l.draw.IntN(3)
				l.run("pool", listBuckets, fmt.Sprintf("$1 = '%d'", rows), 100*record.Microsecond, int64(rows))
				open = append(open, rows)
				continue
			}
			k := l.draw.IntN(len(open))
			l.run("pool", readBucket, fmt.Sprintf("$1 = '%d'", open[k]), 50*record.Microsecond, 1)
			if open[k]--; open[k] == 0 {
				open = append(open[:k], open[k+1:]...)
			}
		}
		l.idle("end", 300*record.Second)
		l.run("end", addBuckets, "", record.Millisecond, 1)
		l.captures(record.Second)
		l.setting("log_min_duration_statement", "0")
		p := l.evaluate()
		f := only(t, p, "PGA401")
		if told := strings.Contains(fmt.Sprint(f.RuledOut), "requests interleave"); told != mixed {
			t.Errorf("mixed %v: %s; %v", mixed, f.Title, f.RuledOut)
		}
	}
}

func TestTimeOutsideTheServerOfABatchOfWritesStaysInfo(t *testing.T) {
	load := bucketLoad()
	load.child = writeRow
	load.rows = func(_, _ int) int64 { return 1 }
	load.own = func(_, _ int) record.Duration { return 160 * record.Microsecond }
	l := load.log(newAppLog())
	l.captures(2 * record.Second)
	if f := only(t, l.evaluate(), "PGA403"); f.Severity != finding.Info {
		t.Errorf("a batch that writes row by row is %s", f.Severity)
	}
}

// The snapshot of another database's session holds nothing in this one.
func TestSessionsOfAnotherDatabaseDoNotBlockVacuum(t *testing.T) {
	for name, c := range map[string]struct {
		database, xid string
		named         bool
	}{
		"this database":                  {"db", "", true},
		"another database":               {"elsewhere", "", false},
		"another database, with its xid": {"elsewhere", "1000", true},
	} {
		t.Run(name, func(t *testing.T) {
			h := pinned(t, 4)
			for at := 130.0; at < 400; at += 30 {
				h.activity(at, 122, 77, 1000, "reports", "select 1", "datname="+c.database, "backend_xid="+c.xid)
			}
			if f := h.one(vacuumBlocked); (f.Subject.Session == "reports") != c.named {
				t.Errorf("held by %q: %s", f.Subject.Session, f.Title)
			}
		})
	}
}

// What was open while a vacuum removed newer rows than it could see, or was
// gone while the cutoff still stood, is not what holds the cutoff.
func TestVacuumsDisproveAHolder(t *testing.T) {
	t.Run("open while vacuum was free", func(t *testing.T) {
		h := pinned(t, 4)
		for at := 30.0; at < 400; at += 30 {
			h.activity(at, 20, 77, 950, "decoy", "select 1")
		}
		if f := h.one(vacuumBlocked); f.Subject.Session != "" {
			t.Errorf("held by %q: a vacuum passed it at 119 s", f.Subject.Session)
		}
	})
	t.Run("gone while the cutoff stood", func(t *testing.T) {
		h := pinned(t, 8)
		for at := 130.0; at < 400; at += 30 {
			h.activity(at, 122, 77, 1000, "decoy", "select 1")
		}
		h.activity(430, 429, 90, 1500, "web", "select 2")
		if f := h.one(vacuumBlocked); f.Subject.Session != "" {
			t.Errorf("held by %q, which was gone while vacuums were held back", f.Subject.Session)
		}
	})
}

// Rows that were loaded before the cycles do not count as their inserts; the new
// versions of updates that are not HOT take a new place.
func TestSawtoothCadenceLeavesAnEarlierLoadOut(t *testing.T) {
	b := tenCycles.batch()
	h := &hygiene{t: t}
	for s := 0; s < tenCycles.seconds; s += 3 {
		inserted := 0
		if s > 5 {
			inserted = 1_000_000
		}
		h.sample(record.ViewTables, second(float64(s)), "schemaname=public", "relname=queue", kv("n_tup_ins", inserted), kv("n_tup_upd", 100*s), "n_tup_del=0")
	}
	b.Samples = h.batch.Samples
	f := only(t, run(b, vacuumSawtooth), "PGA201")
	wantText(t, "notes", strings.Join(f.Notes, "; "), "100 rows die in a second and 100 take a new place")
}

const compiledPlan = `Aggregate  (cost=108.00..108.01 rows=1 width=8) (actual time=400.000..400.001 rows=1 loops=1)
  ->  Seq Scan on t  (cost=0.00..100.00 rows=2000 width=4) (actual time=0.010..1.000 rows=2000 loops=1)
%sPlanning Time: 0.200 ms
JIT:
  Functions: 5
  Options: Inlining true, Optimization true, Expressions true, Deforming true
  Timing: Generation 1.000 ms, Inlining 20.000 ms, Optimization 200.000 ms, Emission 79.000 ms, Total 300.000 ms
Execution Time: 401.000 ms
`

func TestJITAdviceDoesNotLowerTheServersLimit(t *testing.T) {
	in := &planInput{t: t}
	in.text(strings.Replace(compiledPlan, "%s", "", 1))
	wantText(t, "actions", in.one(jitOverhead).Actions, "ALTER SYSTEM SET jit_above_cost = 300")
	in = &planInput{t: t}
	in.text(strings.Replace(compiledPlan, "%s", "Settings: jit_above_cost = '0'\n", 1))
	f := in.one(jitOverhead)
	wantText(t, "actions", f.Actions, "ALTER ROLE or ALTER DATABASE")
	for _, a := range f.Actions {
		if strings.Contains(a.Do, "ALTER SYSTEM") {
			t.Errorf("lowers the server's limit: %s", a.Do)
		}
	}
}

func TestVolatileFunctionIsNoCaseForAnExpressionIndex(t *testing.T) {
	in := &planInput{t: t}
	in.text(`Seq Scan on orders  (cost=0.00..1500.00 rows=1 width=8) (actual time=150.000..159.000 rows=1 loops=1)
  Filter: (id = currval('orders_id_seq'::regclass))
  Rows Removed by Filter: 60500
Execution Time: 159.100 ms
`)
	f := in.one(filterDiscard)
	wantText(t, "actions", f.Actions, "volatile", "(SELECT currval(…))")
}

// One stall among many quick executions is no slow client.
func TestStallOfOneExecutionIsNoClientTime(t *testing.T) {
	in := &planInput{t: t}
	in.text("Function Scan on s  (cost=0.00..12.50 rows=400 width=96) (actual time=0.300..0.400 rows=400 loops=1)\n")
	in.asLog(100, 600*record.Microsecond, 700*record.Microsecond)
	in.batch.Executions[100].Duration, in.batch.Executions[101].Duration = 4600*record.Microsecond, 4700*record.Microsecond
	// Most of the server's time goes elsewhere.
	other := in.batch.Executions[1]
	other.Statement, other.Duration = &record.Statement{Fingerprint: "other", Normalized: "select"}, 100*record.Second
	other.Pos, other.LogTime, other.Session = record.Pos{File: "log", Line: 900, Offset: 900}, second(2000), "1.b"
	in.batch.Executions = append(in.batch.Executions, other)
	if p := Run(in.model(), []*Signature{clientTime}, nil); len(p.Findings) > 0 || len(p.Evaluated) != 1 {
		t.Errorf("says %v, not evaluated %v", p.Findings, p.NotEvaluated)
	}
}
