package plandiff

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/ledger"
	"github.com/pgassay/pgassay/parser"
	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/record"
)

// plansDir holds real plans of PostgreSQL 12 to 18.
const plansDir = "../../parser/explain/testdata/plans"

func plan(t testing.TB, text string) *record.Plan {
	t.Helper()
	p, _, err := explain.NewParser().Text([]byte(text), explain.Options{Extras: true, Line: 1})
	if err != nil {
		t.Fatal(err)
	}
	return explain.Clone(p)
}

func compared(old, new *record.Plan) *Comparison {
	return Compare(ledger.New(old, 0), ledger.New(new, 0))
}

// shape lists what differs in shape, a node per line.
func shape(c *Comparison) string {
	var b strings.Builder
	for i := range c.Nodes {
		for _, change := range c.Nodes[i].Changes {
			fmt.Fprintf(&b, "%s: %s\n", c.Nodes[i].Title, change)
		}
	}
	return b.String()
}

func TestAPlanDoesNotDifferFromItself(t *testing.T) {
	n := 0
	_, err := parser.Stream(context.Background(), []string{plansDir}, parser.Options{}, func(b *record.Batch) error {
		for i := range b.Executions {
			p := b.Executions[i].Plan
			if p == nil {
				continue
			}
			n++
			for i, k := range Match(p, p) {
				if i != k {
					t.Errorf("%s: node %d is matched with %d", b.File.Name, i, k)
				}
			}
			if c := compared(p, p); c.Differs() || !c.SameShape || len(c.Nodes) != len(p.Nodes) {
				t.Errorf("%s differs from itself:\n%s", b.File.Name, shape(c))
			}
		}
		return nil
	})
	if err != nil || n == 0 {
		t.Fatal(n, err)
	}
}

const nested = `Nested Loop  (cost=0.42..900.00 rows=10 width=12) (actual time=0.050..95.000 rows=10 loops=1)
  ->  Seq Scan on orders o  (cost=0.00..400.00 rows=10 width=8) (actual time=0.010..90.000 rows=10 loops=1)
        Filter: (day = '2026-11-30'::date)
        Rows Removed by Filter: 99990
        Buffers: shared hit=800
  ->  Index Scan using customers_pkey on customers c  (cost=0.42..0.45 rows=1 width=4) (actual time=0.003..0.003 rows=1 loops=10)
        Index Cond: (id = o.customer)
        Buffers: shared hit=40
`

func TestAnIndexScanIsThatSeqScan(t *testing.T) {
	new := strings.Replace(nested, "Seq Scan on orders o  (cost=0.00..400.00 rows=10 width=8) (actual time=0.010..90.000 rows=10 loops=1)\n"+
		"        Filter: (day = '2026-11-30'::date)\n        Rows Removed by Filter: 99990\n        Buffers: shared hit=800",
		"Index Scan using orders_day on orders o  (cost=0.00..4.00 rows=10 width=8) (actual time=0.010..0.090 rows=10 loops=1)\n"+
			"        Index Cond: (day = '2026-12-01'::date)\n        Buffers: shared hit=13", 1)
	c := compared(plan(t, nested), plan(t, new))
	if got, want := shape(c), "Index Scan using orders_day on orders o: was Seq Scan on orders o\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	scan := c.Nodes[1]
	if scan.Buffers.Old != 800 || scan.Buffers.New != 13 || !scan.Buffers.Differs() || !scan.Self.Differs() || scan.Rows.Differs() {
		t.Errorf("%+v", scan)
	}
	if c.Nodes[2].Differs() {
		t.Errorf("the other scan is the same: %+v", c.Nodes[2])
	}
}

func TestOtherConstantsAreNoChangeOfShape(t *testing.T) {
	new := strings.Replace(nested, "Index Cond: (id = o.customer)", "Index Cond: (id = 4711)", 1)
	old := strings.Replace(nested, "Index Cond: (id = o.customer)", "Index Cond: (id = $1)", 1)
	if got := shape(compared(plan(t, old), plan(t, new))); got != "" {
		t.Error(got)
	}
	if got := shape(compared(plan(t, nested), plan(t, new))); !strings.Contains(got, "Index Cond was (id = o.customer)") {
		t.Error("a column is no constant:", got)
	}
}

const hashed = `Sort  (cost=1.00..2.00 rows=10 width=8)
  Sort Key: a.x
  ->  Hash Join  (cost=1.00..2.00 rows=10 width=8)
        Hash Cond: (a.id = b.id)
        ->  Seq Scan on a  (cost=0.00..1.00 rows=10 width=8)
        ->  Hash  (cost=1.00..1.00 rows=10 width=8)
              ->  Seq Scan on b  (cost=0.00..1.00 rows=10 width=8)
`

func TestAJoinIsTheSameWhateverItsOrderAndMethod(t *testing.T) {
	swapped := `Sort  (cost=1.00..2.00 rows=10 width=8)
  Sort Key: a.x
  ->  Nested Loop  (cost=1.00..2.00 rows=10 width=8)
        ->  Seq Scan on b  (cost=0.00..1.00 rows=10 width=8)
        ->  Index Scan using a_pkey on a  (cost=0.00..1.00 rows=10 width=8)
              Index Cond: (id = b.id)
`
	got := shape(compared(plan(t, hashed), plan(t, swapped)))
	want := `Nested Loop: was Hash Join
Hash: gone
Index Scan using a_pkey on a: was Seq Scan on a
Index Scan using a_pkey on a: was the outer input, is the inner
`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestAGatherAboveTheSameTreeIsOneNewNode(t *testing.T) {
	parallel := `Sort  (cost=1.00..2.00 rows=10 width=8)
  Sort Key: a.x
  ->  Gather  (cost=1.00..2.00 rows=10 width=8)
        Workers Planned: 2
        ->  Hash Join  (cost=1.00..2.00 rows=10 width=8)
              Hash Cond: (a.id = b.id)
              ->  Parallel Seq Scan on a  (cost=0.00..1.00 rows=10 width=8)
              ->  Hash  (cost=1.00..1.00 rows=10 width=8)
                    ->  Seq Scan on b  (cost=0.00..1.00 rows=10 width=8)
`
	got := shape(compared(plan(t, hashed), plan(t, parallel)))
	if want := "Gather: new\nParallel Seq Scan on a: was Seq Scan on a\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := shape(compared(plan(t, parallel), plan(t, hashed))); !strings.Contains(got, "Gather: gone\n") {
		t.Error(got)
	}
}

func TestBitmapScanStandsForASeqScan(t *testing.T) {
	old := "Seq Scan on a  (cost=0.00..1.00 rows=10 width=8)\n"
	new := `Bitmap Heap Scan on a  (cost=0.00..1.00 rows=10 width=8)
  Recheck Cond: (x = 1)
  ->  Bitmap Index Scan on a_x  (cost=0.00..1.00 rows=10 width=0)
        Index Cond: (x = 1)
`
	if got, want := shape(compared(plan(t, old), plan(t, new))), "Bitmap Heap Scan on a: was Seq Scan on a\nBitmap Index Scan on a_x: new\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestRenamedRelationsStillHaveTheirPlace(t *testing.T) {
	c := compared(plan(t, hashed), plan(t, strings.NewReplacer("on a ", "on a2 ", "on b ", "on b2 ").Replace(hashed)))
	for i := range c.Nodes {
		if c.Nodes[i].Old != c.Nodes[i].New {
			t.Errorf("%+v", c.Nodes[i])
		}
	}
}

func TestDifferencesWithinNoiseAreNone(t *testing.T) {
	for _, d := range []struct {
		delta Delta
		want  bool
	}{
		{Delta{100, 119, 20}, false}, {Delta{100, 121, 20}, true}, {Delta{121, 100, 20}, true},
	} {
		if d.delta.Differs() != d.want {
			t.Errorf("%+v", d.delta)
		}
	}
	later := strings.NewReplacer("0.010..90.000", "0.010..99.000", "95.000", "104.000", "hit=800", "hit=804").Replace(nested)
	if c := compared(plan(t, nested), plan(t, later)); c.Differs() {
		t.Errorf("%+v", c.Nodes)
	}
}

func FuzzMatch(f *testing.F) {
	f.Add(nested, hashed)
	f.Add(hashed, nested)
	f.Fuzz(func(t *testing.T, old, new string) {
		var plans [2]*record.Plan
		for i, text := range []string{old, new} {
			p, _, err := explain.NewParser().Text([]byte(text), explain.Options{Extras: true})
			if err != nil {
				return
			}
			plans[i] = explain.Clone(p)
		}
		c := compared(plans[0], plans[1])
		seen := map[int]bool{}
		olds := 0
		for i := range c.Nodes {
			n := &c.Nodes[i]
			if n.Old >= 0 {
				olds++
			}
			if n.New >= 0 && seen[n.New] {
				t.Fatal("a node stands twice")
			}
			seen[n.New] = true
		}
		if olds != len(plans[0].Nodes) {
			t.Fatalf("%d of %d old nodes", olds, len(plans[0].Nodes))
		}
		for _, p := range plans {
			if compared(p, p).Differs() {
				t.Fatal("differs from itself")
			}
		}
	})
}

// large is a plan of n nodes: an Append of joins, with long chains in it.
func large(n int) *record.Plan {
	p := &record.Plan{Nodes: []record.Node{{Parent: -1, NodeType: "Append"}}}
	add := func(parent int, nodeType, relation string) int {
		p.Nodes = append(p.Nodes, record.Node{
			Parent: int32(parent), Depth: p.Nodes[parent].Depth + 1, NodeType: nodeType, RelationName: relation,
			Fields: record.HasActual | record.HasTiming | record.HasBuffers, ActualLoops: 1, ParentRelationship: "Outer",
		})
		return len(p.Nodes) - 1
	}
	for i := 0; len(p.Nodes) < n; i++ {
		join := add(0, "Hash Join", "")
		add(join, "Seq Scan", fmt.Sprintf("part_%d", i))
		add(add(join, "Hash", ""), "Seq Scan", "dim")
	}
	return p
}

func BenchmarkCompare10000Nodes(b *testing.B) {
	p := large(10_000)
	old, new := ledger.New(p, 0), ledger.New(p, 0)
	b.ReportAllocs()
	for b.Loop() {
		if Compare(old, new).Differs() {
			b.Fatal("differs from itself")
		}
	}
}
