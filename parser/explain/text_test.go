package explain

import (
	"errors"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

func mustText(t *testing.T, text string) *record.Plan {
	t.Helper()
	p, n, err := NewParser().Text([]byte(text), Options{Extras: true, Line: 1})
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if n > len(text) {
		t.Fatalf("%d of %d bytes consumed", n, len(text))
	}
	return p
}

const insertTree = `Insert on items  (cost=0.00..0.01 rows=0 width=0) (actual time=11.474..11.474 rows=0 loops=1)
  Buffers: shared hit=32 read=18 dirtied=1
  ->  Values Scan on "*VALUES*"  (cost=0.00..0.01 rows=10 width=4) (actual time=0.001..0.001 rows=10 loops=1)
        Buffers: shared hit=3
`

// The query text may hold lines that look like nodes, even whole plans.
func TestTextQueryEndsWhereTheTreeBegins(t *testing.T) {
	for name, query := range map[string]string{
		"plain":      "insert into items values ($1)",
		"lines":      "insert into items\n  values ($1),\n\n($2)",
		"arrow":      "insert -- \n->  Seq Scan on fake  (cost=0.00..1.00 rows=1 width=4) (actual time=9.000..9.000 rows=9 loops=9)\ninto items",
		"root":       "insert /*\nSeq Scan on fake  (cost=0.00..1.00 rows=1 width=4)\n  Filter: (a)\n*/ into items",
		"last line":  "insert into items -- \nSeq Scan on fake  (cost=0.00..1.00 rows=1 width=4)",
		"parameters": "insert into items values ($1) -- Query Parameters: $1 = 'no'",
		"tail":       "insert into items -- \nSettings: a = 'b'\n",
		"indented":   "insert into items\n  ->  Seq Scan on fake  (cost=0.00..1.00 rows=1 width=4)",
		"whole plan": "insert /*\n" + insertTree + "Settings: jit = 'off'\n*/ into items",
	} {
		for _, tabs := range []bool{false, true} {
			text := "Query Text: " + query + "\nQuery Parameters: $1 = '3', $2 = 'x''y'\n" + insertTree +
				"Settings: jit = 'off', search_path = '\"$user\", ''x'''\nQuery Identifier: -36976\nTrigger ta: time=5.342 calls=1"
			if tabs {
				text = "\t" + strings.ReplaceAll(text, "\n", "\n\t")
			}
			p := mustText(t, text)
			if p.QueryText != strings.TrimSpace(query) || p.QueryParameters != "$1 = '3', $2 = 'x''y'" {
				t.Errorf("%s: query %q, parameters %q", name, p.QueryText, p.QueryParameters)
			}
			if ShapeText(p) != "Insert on items > Values Scan" || p.Figures.Rows != 1000 || p.Figures.Own.Shared() != 47 {
				t.Errorf("%s: %s %+v", name, ShapeText(p), p.Figures)
			}
			if p.QueryID != -36976 || len(p.Triggers) != 1 || p.Triggers[0].Time != 5342 || len(p.Settings) != 2 || p.Settings[1].Value != `"$user", 'x'` {
				t.Errorf("%s: tail %+v %+v", name, p.Triggers, p.Settings)
			}
		}
	}
}

func TestTextNamesStayWhole(t *testing.T) {
	for line, want := range map[string]record.Node{
		`Seq Scan on public."we ird""t"`:                    {SchemaName: "public", RelationName: `we ird"t`, Alias: `we ird"t`},
		`Seq Scan on "a  (cost=0.00..1.00 rows=1 width=4)"`: {RelationName: "a  (cost=0.00..1.00 rows=1 width=4)", Alias: "a  (cost=0.00..1.00 rows=1 width=4)"},
		`Seq Scan on "->  x" "b.c"`:                         {RelationName: "->  x", Alias: "b.c"},
		`Index Only Scan Backward using "i on j" on s.t a`:  {SchemaName: "s", RelationName: "t", Alias: "a", IndexName: "i on j", ScanDirection: "Backward"},
		`Parallel Index Scan using i on "on x"`:             {RelationName: "on x", Alias: "on x", IndexName: "i", ParallelAware: true, ScanDirection: "Forward"},
		`Function Scan on pg_catalog.generate_series i`:     {SchemaName: "pg_catalog", FunctionName: "generate_series", Alias: "i"},
		`Subquery Scan on "*SELECT* 1"`:                     {Alias: "*SELECT* 1"},
		`WorkTable Scan on r r_1`:                           {CTEName: "r", Alias: "r_1"},
		`Bitmap Index Scan on big_g`:                        {IndexName: "big_g"},
		`Finalize HashAggregate`:                            {Strategy: "Hashed", PartialMode: "Finalize"},
		`Parallel Hash Right Semi Join`:                     {JoinType: "Right Semi", ParallelAware: true},
		`Nested Loop Left Join`:                             {JoinType: "Left"},
		`Merge Join`:                                        {JoinType: "Inner"},
		`HashSetOp Intersect All`:                           {Strategy: "Hashed", Extra: []record.KeyValue{{Key: "Command", Value: "Intersect All"}}},
		`Custom Scan (ChunkAppend) on metrics`:              {CustomPlanProvider: "ChunkAppend", RelationName: "metrics", Alias: "metrics"},
		`Foreign Update on remote`:                          {Operation: "Update", RelationName: "remote", Alias: "remote"},
		`Merge on b`:                                        {Operation: "Merge", RelationName: "b", Alias: "b"},
	} {
		for _, parts := range []string{
			"  (cost=0.29..8.31 rows=7 width=4) (actual time=0.005..0.006 rows=1.00 loops=1)",
			"  (cost=0.29..8.31 rows=7 width=4)", " (actual rows=1.00 loops=1)",
			"  (cost=0.29..8.31 rows=7 width=4) (never executed)",
		} {
			p := mustText(t, line+parts)
			got := p.Nodes[0]
			want.NodeType, want.Parent, want.Line = got.NodeType, -1, 1
			want.Fields, want.StartupCost, want.TotalCost, want.PlanRows, want.PlanWidth = got.Fields, got.StartupCost, got.TotalCost, got.PlanRows, got.PlanWidth
			want.ActualRows, want.ActualLoops = got.ActualRows, got.ActualLoops
			want.ActualStartupTime, want.ActualTotalTime = got.ActualStartupTime, got.ActualTotalTime
			if dumpNode(&got) != dumpNode(&want) {
				t.Errorf("%s%s:\n got %s\nwant %s", line, parts, dumpNode(&got), dumpNode(&want))
			}
			if strings.Contains(parts, "cost") && (got.TotalCost != 8.31 || got.PlanRows != 7) {
				t.Errorf("%s%s: costs %+v", line, parts, got)
			}
		}
	}
}

func dumpNode(n *record.Node) string {
	p := record.Plan{Nodes: []record.Node{*n}}
	return dump(&p, true)
}

func TestTextWithPsqlFrame(t *testing.T) {
	text := "\uFEFFBEGIN\r\n                 QUERY PLAN\r\n--------------------------------------------\r\n" +
		" Insert on items (actual rows=0 loops=1)\r\n   Buffers: shared hit=1450 read=1\r\n" +
		"   ->  Result (actual rows=1 loops=1)\r\n         Buffers: shared hit=1\r\n" +
		" Planning Time: 0.739 ms\r\n Execution Time: 1.424 ms\r\n(6 rows)\r\n\r\nROLLBACK\r\n"
	p, n, err := NewParser().Text([]byte(text), Options{Line: 1})
	if err != nil {
		t.Fatal(err)
	}
	if p.Figures.Own.Shared() != 1450 || p.Figures.Rows != 100 || p.ExecutionTime != 1424 || p.Nodes[0].RelationName != "items" {
		t.Errorf("%+v", p)
	}
	if p.Nodes[1].Line != 6 || !strings.HasPrefix(text[n:], "(6 rows)") {
		t.Errorf("line %d, rest %q", p.Nodes[1].Line, text[n:])
	}
}

func TestTextWithoutCosts(t *testing.T) {
	p := mustText(t, "QUERY PLAN\n----------\nLimit\n  ->  Hash Left Join\n        Hash Cond: (a.id = b.id)\n        ->  Seq Scan on a\n        ->  Hash\n              ->  Seq Scan on b\n(6 rows)\n")
	if got := ShapeText(p); got != "Limit > Hash Left Join (Seq Scan on a, Hash > Seq Scan on b)" {
		t.Error(got)
	}
	if p.Figures.HasRows || p.Figures.HasBuffers {
		t.Errorf("a plan without figures has some: %+v", p.Figures)
	}
}

// People copy a part of a tree.
func TestTextOfAPartOfATree(t *testing.T) {
	part := "        ->  Memoize  (cost=0.30..0.34 rows=1 width=4) (actual time=0.000..0.000 rows=1 loops=60000)\n" +
		"              Hits: 22700  Misses: 1000  Evictions: 0  Overflows: 0  Memory Usage: 102kB\n" +
		"              ->  Index Only Scan using a_pkey on a  (cost=0.29..0.33 rows=1 width=4) (actual time=0.001..0.001 rows=1 loops=3000)\n" +
		"                    Heap Fetches: 3\n"
	p := mustText(t, part)
	if ShapeText(p) != "Memoize > Index Only Scan using a_pkey on a" || p.Nodes[1].HeapFetches != 3 || len(p.Nodes[0].Extra) != 5 {
		t.Errorf("%s %+v", ShapeText(p), p.Nodes)
	}
	if b := read(t, Text, "x.txt", part); len(b.Executions) != 1 || len(b.Losses) != 0 {
		t.Errorf("%+v", b)
	}
}

// A constant may hold line breaks, and these may look like anything.
func TestTextConstantWithLineBreaks(t *testing.T) {
	p := mustText(t, "Seq Scan on b  (cost=0.00..1.00 rows=1 width=4)\n  Filter: (x = 'a\n->  Seq Scan on fake  (cost=0.00..1.00 rows=1 width=4)\nit''s'::text)\n  Rows Removed by Filter: 3\nPlanning Time: 0.1 ms\n")
	if len(p.Nodes) != 1 || p.Nodes[0].RowsRemovedFilter != 3 || !p.HasPlanning {
		t.Errorf("%+v", p)
	}
}

func TestTextCutInsideANode(t *testing.T) {
	cut := strings.Index(insertTree, "rows=10 width")
	p := mustText(t, "Query Text: q\n"+insertTree[:cut])
	if len(p.Nodes) != 1 || !p.Truncated {
		t.Errorf("%d nodes, truncated %v", len(p.Nodes), p.Truncated)
	}
	if p.Figures.HasRows {
		t.Error("a write without its child has rows")
	}
}

func TestTextThatIsNoPlanIsAnError(t *testing.T) {
	for _, text := range []string{"", "\n\n", "select 1", "Query Text: select 1", "Limit the rows\n"} {
		if _, _, err := NewParser().Text([]byte(text), Options{}); !errors.Is(err, ErrNoPlan) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// The same execution in both formats gives the same figures, to the last one.
func TestTextAndJSONOfOneExecution(t *testing.T) {
	text := mustText(t, `Update on s.t  (cost=1.00..2.00 rows=0 width=0) (actual time=1.000..2.500 rows=0.00 loops=1)
  Buffers: shared hit=10 read=9 dirtied=8 written=7, local hit=6 read=5 dirtied=4 written=3, temp read=2 written=1
  I/O Timings: shared read=1.500 write=0.250, local read=0.500, temp read=0.125 write=0.875
  WAL: records=402 fpi=3 bytes=30354
  ->  Index Scan using i on s.t  (cost=0.50..1.00 rows=3 width=10) (actual time=0.010..0.020 rows=2.50 loops=2)
        Filter: (a > 1)
        Rows Removed by Filter: 4
        Index Searches: 2
        Buffers: shared hit=3
Planning:
  Buffers: shared hit=5
Planning Time: 0.100 ms
Trigger x for constraint c on t: time=1.000 calls=2
Trigger for constraint fk: time=2.000 calls=3
Execution Time: 3.000 ms
`)
	json := mustJSON(t, `{"Plan":{"Node Type":"ModifyTable","Operation":"Update","Schema":"s","Relation Name":"t","Alias":"t",
"Startup Cost":1.00,"Total Cost":2.00,"Plan Rows":0,"Plan Width":0,"Actual Startup Time":1.000,"Actual Total Time":2.500,"Actual Rows":0.00,"Actual Loops":1,
"Shared Hit Blocks":10,"Shared Read Blocks":9,"Shared Dirtied Blocks":8,"Shared Written Blocks":7,
"Local Hit Blocks":6,"Local Read Blocks":5,"Local Dirtied Blocks":4,"Local Written Blocks":3,"Temp Read Blocks":2,"Temp Written Blocks":1,
"Shared I/O Read Time":1.500,"Shared I/O Write Time":0.250,"Local I/O Read Time":0.500,"Local I/O Write Time":0.000,"Temp I/O Read Time":0.125,"Temp I/O Write Time":0.875,
"WAL Records":402,"WAL FPI":3,"WAL Bytes":30354,
"Plans":[{"Node Type":"Index Scan","Parent Relationship":"Outer","Scan Direction":"Forward","Index Name":"i","Schema":"s","Relation Name":"t","Alias":"t",
"Startup Cost":0.50,"Total Cost":1.00,"Plan Rows":3,"Plan Width":10,"Actual Startup Time":0.010,"Actual Total Time":0.020,"Actual Rows":2.50,"Actual Loops":2,
"Filter":"(a > 1)","Rows Removed by Filter":4,"Index Searches":2,"Shared Hit Blocks":3,"Shared I/O Read Time":0.000,"WAL Records":0}]},
"Planning":{"Shared Hit Blocks":5},"Planning Time":0.100,
"Triggers":[{"Trigger Name":"x","Constraint Name":"c","Relation":"t","Time":1.000,"Calls":2},{"Constraint Name":"fk","Time":2.000,"Calls":3}],"Execution Time":3.000}`)
	for i := range json.Nodes {
		json.Nodes[i].Line, text.Nodes[i].Line = 0, 0
	}
	if x, y := dump(json, true), dump(text, true); x != y {
		t.Errorf("json\n%s\ntext\n%s", x, y)
	}
}
