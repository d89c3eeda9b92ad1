package html

import (
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

func TestPlanTreeHasGuidesSelfTimesAndShares(t *testing.T) {
	r := planned(t)
	p := planOf(&r.Plans[0], "plan-1")
	want := []string{
		"Sort|15 ms|16|0|",
		"└─ Hash Join|16 ms|17|0|",
		"   ├─ Seq Scan on public.a|60 ms|63|84|",
		"   └─ Hash|1 ms|1|0|",
		"      └─ Index Scan using b_pkey on public.b|3 ms|3|16|",
	}
	if len(p.Nodes) != len(want) {
		t.Fatalf("%d nodes", len(p.Nodes))
	}
	for i, n := range p.Nodes {
		got := n.Guide + n.Label + "|" + n.Self.Text + "|" + whole(int64(n.Share)).Text + "|" + whole(int64(n.BufferShare)).Text + "|"
		if got != want[i] {
			t.Errorf("node %d: %s, want %s", i, got, want[i])
		}
	}
	if d := strings.Join(p.Nodes[2].Details, "; "); !strings.Contains(d, "Filter: ") || !strings.Contains(d, "Rows Removed by Filter, per loop: 77") {
		t.Errorf("details %q", d)
	}
}

// A plan without timing has no times, not times of zero.
func TestFiguresThatAreNotReportedAreUnknown(t *testing.T) {
	r := planned(t)
	x := r.Plans[0]
	for i := range x.Plan.Nodes {
		x.Plan.Nodes[i].Fields = record.HasCosts
	}
	n := planOf(&x, "plan-1").Nodes[0]
	for name, c := range map[string]cell{"self": n.Self, "rows": n.Rows, "buffers": n.Buffers, "loops": n.Loops} {
		if !c.Absent || c.Text != "unknown" {
			t.Errorf("%s: %q", name, c.Text)
		}
	}
	if n.Share != 0 || n.Planned.Absent {
		t.Errorf("share %d, planned %q", n.Share, n.Planned.Text)
	}
}

func TestDeepPlanStopsIndenting(t *testing.T) {
	nodes := make([]record.Node, 900)
	for i := range nodes {
		nodes[i] = record.Node{Parent: int32(i) - 1, Depth: int32(i)}
	}
	g := guides(nodes)
	if got := len([]rune(g[899])); got > 3*maxGuide {
		t.Errorf("the guide is %d wide", got)
	}
}

func TestLabelSaysWhatExplainSays(t *testing.T) {
	for want, n := range map[string]record.Node{
		"ModifyTable (Insert) on public.items":     {NodeType: "ModifyTable", Operation: "Insert", SchemaName: "public", RelationName: "items", Alias: "items"},
		"Parallel Seq Scan on t x":                 {NodeType: "Seq Scan", ParallelAware: true, RelationName: "t", Alias: "x"},
		"Hash Join, Left join":                     {NodeType: "Hash Join", JoinType: "Left"},
		"Partial Hashed Aggregate":                 {NodeType: "Aggregate", PartialMode: "Partial", Strategy: "Hashed"},
		"CTE w: Index Only Scan using t_pkey on t": {NodeType: "Index Only Scan", SubplanName: "CTE w", IndexName: "t_pkey", RelationName: "t"},
		"CTE Scan on w w_1":                        {NodeType: "CTE Scan", CTEName: "w", Alias: "w_1"},
		"Function Scan on generate_series":         {NodeType: "Function Scan", FunctionName: "generate_series"},
	} {
		if got := label(&n); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
