package explain

import (
	"strconv"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

const sortTree = `Sort  (cost=728.01..728.01 rows=1 width=8) (actual time=13.689..13.691 rows=1 loops=1)
  Sort Key: b.v
  Buffers: shared hit=185
  ->  Hash Join  (cost=0.00..728.00 rows=1 width=8) (actual time=0.020..13.648 rows=1 loops=1)
        Hash Cond: (b.id = c.id)
        ->  Seq Scan on b  (cost=0.00..728.00 rows=12 width=8) (actual time=0.020..13.648 rows=1 loops=1)
              Filter: ((v <> 7) AND (id = 3))
              Rows Removed by Filter: 40999
        ->  Hash  (cost=0.00..7.00 rows=1 width=8) (actual time=0.020..3.648 rows=1 loops=1)
              ->  Seq Scan on c  (cost=0.00..7.00 rows=1 width=8) (actual time=0.020..3.648 rows=1 loops=1)
Planning Time: 0.404 ms
Execution Time: 11.130 ms
`

const sortShape = "Sort > Hash Join (Seq Scan on b, Hash > Seq Scan on c)"

const scanJSON = `[
  {
    "Plan": {
      "Node Type": "Seq Scan",
      "Relation Name": "b",
      "Total Cost": 728.00,
      "Actual Rows": 12,
      "Actual Loops": 1,
      "Filter": "((v <> 7) AND (id = 3))",
      "Rows Removed by Filter": 40999
    },
    "Execution Time": 9.168
  }
]
`

func lines(text string, f func(i int, line string) string) string {
	var out strings.Builder
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		out.WriteString(f(i, line) + "\n")
	}
	return out.String()
}

func quote(_ int, line string) string { return "> " + line }

// hardWrap cuts lines at a width, as terminals do.
func hardWrap(text string, width int) string {
	return lines(text, func(_ int, line string) string {
		out := ""
		for len(line) > width {
			out, line = out+line[:width]+"\n", line[width:]
		}
		return out + line
	})
}

// mailWrap breaks lines at blanks, as mail does.
func mailWrap(text string, width int) string {
	return lines(text, func(_ int, line string) string {
		out := ""
		for len(line) > width {
			i := strings.LastIndexByte(line[:width], ' ')
			if i <= 0 || strings.TrimSpace(line[:i]) == "" {
				break
			}
			out, line = out+line[:i]+"\n", line[i+1:]
		}
		return out + line
	})
}

// tabs replaces each run of width blanks of the indentation.
func tabs(text string, width int) string {
	return lines(text, func(_ int, line string) string {
		n := (len(line) - len(strings.TrimLeft(line, " "))) / width
		return strings.Repeat("\t", n) + line[n*width:]
	})
}

// levelTabs has one TAB for each level of the tree.
func levelTabs(text string) string {
	return lines(text, func(_ int, l string) string {
		content := strings.TrimLeft(l, " ")
		return strings.Repeat("\t", (len(l)-len(content)+4)/6) + content
	})
}

// mendCases are plans in carriers: what is to be read of them, and the repairs.
var mendCases = []struct{ name, text, want, repairs string }{
	{"quoted mail", "Hello,\n" + lines(sortTree, quote) + "\nyours\n", "2 " + sortShape, "quote marks"},
	{"quoted twice", lines(lines(sortTree, quote), quote), "1 " + sortShape, "quote marks"},
	{"quoted json", lines(scanJSON, quote), "2 Seq Scan on b", "quote marks"},
	{"markdown", "Slow:\n\n```text\n" + sortTree + "```\n\nand\n\n~~~json\n" + scanJSON + "~~~\n", "4 " + sortShape + "; 22 Seq Scan on b", "code fences"},
	{"numbered", lines(sortTree, func(i int, l string) string { return itoa(i+1) + ". " + l }), "1 " + sortShape, "line numbers"},
	{"cat -n", lines(scanJSON, func(i int, l string) string { return "     " + itoa(i+1) + "\t" + l }), "2 Seq Scan on b", "line numbers"},
	{"grep -n", lines(sortTree, func(i int, l string) string { return itoa(i+101) + ": " + l }), "1 " + sortShape, "line numbers"},
	{"non-breaking", strings.ReplaceAll(sortTree, "  ", "\u00a0 "), "1 " + sortShape, "non-breaking spaces"},
	{"tabs of 8", tabs(sortTree, 8), "1 " + sortShape, "tabs"},
	{"tabs of 4", tabs(sortTree, 4), "1 " + sortShape, "tabs"},
	{"tabs of 2", tabs(sortTree, 2), "1 " + sortShape, "tabs"},
	{"a tab for a level", levelTabs(sortTree), "1 " + sortShape, "tabs"},
	{"one cell", `"` + strings.ReplaceAll(scanJSON[:len(scanJSON)-1], `"`, `""`) + "\"\n", "2 Seq Scan on b", "doubled quotes"},
	{"a cell to a line", lines(sortTree, func(_ int, l string) string { return `"` + strings.ReplaceAll(l, `"`, `""`) + `"` }), "1 " + sortShape, "doubled quotes"},
	{"escaped", `"` + strings.NewReplacer(`"`, `\"`, "\n", `\n`).Replace(scanJSON) + `"`, "1 Seq Scan on b", "escaped text"},
	{"syslog octal", "Nov 30 14:10:44 h postgres[12]: plan follows:#012" + strings.ReplaceAll(sortTree, "\n", "#012") + "\n", "1 " + sortShape, "escaped control characters"},
	{"syslog lines", "Nov 30 14:10:44 h postgres[12]: [5-1] LOG:  slow\n" + lines("Query Text: select 1\n"+sortTree, func(i int, l string) string {
		return "Nov 30 14:10:44 h postgres[12]: [5-" + itoa(i+2) + "] #011" + l
	}) + "Nov 30 14:10:45 h postgres[12]: [6-1] LOG:  done\n", "2 " + sortShape, "syslog prefixes"},
	{"terminal 80", hardWrap(sortTree, 80), "1 " + sortShape, "broken lines"},
	{"terminal 61", hardWrap(sortTree, 61), "1 " + sortShape, "broken lines"},
	{"mail 72", mailWrap(sortTree, 72), "1 " + sortShape, "broken lines"},
	{"mail 50", mailWrap(sortTree, 50), "1 " + sortShape, "broken lines"},
	{"json terminal", hardWrap(scanJSON, 25), "2 Seq Scan on b", "broken JSON"},
	{"json terminal 30", hardWrap(scanJSON, 30), "2 Seq Scan on b", "broken JSON"},
	{"json key", strings.Replace(scanJSON, "Actual Rows", "Actual R\nows", 1), "2 Seq Scan on b", "broken JSON"},
	{"json key at blank", strings.Replace(scanJSON, "Actual Rows", "Actual\nRows", 1), "2 Seq Scan on b", "broken JSON"},
	{"json number", strings.Replace(scanJSON, "12,", "1\n2,", 1), "2 Seq Scan on b", "broken JSON"},
	{"all formats", "text:\n" + sortTree + "\njson:\n" + scanJSON + "\nxml:\n<explain>\n <Query>\n  <Plan>\n   <Node-Type>Result</Node-Type>\n  </Plan>\n </Query>\n</explain>\nyaml:\n- Plan: \n    Node Type: \"Limit\"\n", "2 " + sortShape + "; 17 Seq Scan on b; 32 Result; 40 Limit", ""},
}

func itoa(i int) string { return strconv.Itoa(i) }

// readBest reads text with the format of this package that claims it first.
func readBest(t *testing.T, text string) *record.Batch {
	t.Helper()
	var best *source.Detection
	for _, f := range []source.Format{JSON, Text, XML, YAML, Any} {
		if d := f.Detect(head("x", text)); d != nil && (best == nil || d.Score > best.Score) {
			best = d
		}
	}
	if best == nil || best.Parse == nil {
		t.Fatalf("not recognised: %+v in\n%s", best, text)
	}
	var b record.Batch
	best.Parse([]byte(text), record.Pos{File: "x", Line: 1}, &b)
	return &b
}

func TestCarriersAreTakenOffAndReported(t *testing.T) {
	for _, c := range mendCases {
		b := readBest(t, c.text)
		var got, repairs []string
		for _, e := range b.Executions {
			got = append(got, itoa(int(e.Pos.Line))+" "+ShapeText(e.Plan))
		}
		for _, r := range b.Repairs {
			repairs = append(repairs, r.Name)
			if r.Count < 1 || r.Pos.Line < 1 {
				t.Errorf("%s: %+v", c.name, r)
			}
		}
		if strings.Join(got, "; ") != c.want || strings.Join(repairs, ", ") != c.repairs || len(b.Losses) > 0 {
			t.Errorf("%s: %q, repairs %q, losses %v in\n%s", c.name, got, repairs, b.Losses, c.text)
			continue
		}
		for _, e := range b.Executions {
			for i := range e.Plan.Nodes {
				n := &e.Plan.Nodes[i]
				if n.RelationName != "b" {
					continue
				}
				filter, _ := extra(n.Extra, "Filter")
				if n.RowsRemovedFilter != 40999 || n.TotalCost != 728 || filter != "((v <> 7) AND (id = 3))" {
					t.Errorf("%s: filter %q, %+v", c.name, filter, n)
				}
				if n.ActualRows != record.WholeRows(12) && n.PlanRows != 12 {
					t.Errorf("%s: rows %v, %v", c.name, n.ActualRows, n.PlanRows)
				}
			}
			if !e.HasDuration && c.name != "all formats" {
				t.Errorf("%s: no duration", c.name)
			}
		}
		if b.Lines != int64(strings.Count(strings.TrimSuffix(c.text, "\n"), "\n")+1) {
			t.Errorf("%s: %d lines", c.name, b.Lines)
		}
	}
}

// What cannot be repaired for certain is an error with its place.
func TestAmbiguousDamageIsALoss(t *testing.T) {
	flat := lines(sortTree, func(_ int, l string) string { return strings.TrimLeft(l, " ") })
	for name, c := range map[string]struct {
		text string
		line int64
		want string
	}{
		"unknown key": {strings.Replace(scanJSON, "Actual Loops", "Act\nLps", 1), 9, "a line break inside a key"},
		"flat tree":   {flat, 4, "a node that is not indented"},
	} {
		b := readBest(t, c.text)
		if len(b.Losses) == 0 || b.Losses[0].Kind != record.LossPlan || !strings.Contains(b.Losses[0].Text, c.want) ||
			!strings.Contains(b.Losses[0].Text, "line "+itoa(int(c.line))+":") {
			t.Errorf("%s: %+v", name, b.Losses)
		}
	}
}

// Sound plans are left as they are.
func TestSoundPlansAreNotRepaired(t *testing.T) {
	constant := "Seq Scan on b  (cost=0.00..1.00 rows=1 width=4)\n  Filter: (x = 'a (\nb'::text)\n  Rows Removed by Filter: 3\n"
	query := "{\"Query Text\": \"select a\n from b\", \"Plan\": {\"Node Type\": \"Result\"}}\n"
	for name, text := range map[string]string{"tree": sortTree, "json": scanJSON, "constant": constant, "query": query} {
		b := readBest(t, text)
		if len(b.Executions) != 1 || len(b.Repairs) != 0 || len(b.Losses) != 0 {
			t.Errorf("%s: %+v", name, b)
		}
	}
	if q := readBest(t, query).Executions[0].Plan.QueryText; q != "select a\n from b" {
		t.Errorf("%q", q)
	}
}

// Versions, forks and extensions: keys and nodes that are not known are kept.
func TestForksAndExtensions(t *testing.T) {
	for name, c := range map[string]struct{ text, shape, extras string }{
		"9.6":        {"Limit  (cost=0.00..1.00 rows=1 width=4) (actual time=0.010..0.011 rows=1 loops=1)\n  ->  Seq Scan on t  (cost=0.00..1.00 rows=1 width=4) (actual time=0.010..0.010 rows=1 loops=1)\nPlanning time: 0.100 ms\nExecution time: 1.500 ms\n(4 rows)\n", "Limit > Seq Scan on t", ""},
		"9.3 json":   {`[{"Plan":{"Node Type":"Limit","Plans":[{"Node Type":"Seq Scan","Relation Name":"t"}]},"Total Runtime":1.5}]`, "Limit > Seq Scan on t", ""},
		"greenplum":  {" Gather Motion 3:1  (slice1; segments: 3)  (cost=0.00..431.00 rows=1 width=4) (actual time=1.000..1.500 rows=1 loops=1)\n   ->  Seq Scan on t  (cost=0.00..431.00 rows=1 width=4) (actual time=0.100..0.200 rows=1 loops=1)\n Planning Time: 5.100 ms\n   (slice0)    Executor memory: 118K bytes.\n Optimizer: GPORCA\n Execution Time: 1.500 ms\n", "Gather Motion > Seq Scan on t", "Optimizer=GPORCA"},
		"yugabyte":   {"Limit  (cost=0.00..1.00 rows=1 width=4) (actual time=1.000..1.500 rows=1 loops=1)\n  ->  YB Seq Scan on t  (cost=0.00..1.00 rows=1 width=4) (actual time=0.100..0.200 rows=1 loops=1)\n        Storage Table Read Requests: 1\nPlanning Time: 5.100 ms\nExecution Time: 1.500 ms\nStorage Read Requests: 1\nPeak Memory Usage: 24 kB\n", "Limit > YB Seq Scan on t", "Storage Table Read Requests=1, Storage Read Requests=1, Peak Memory Usage=24 kB"},
		"timescale":  {"Custom Scan (ChunkAppend) on metrics  (cost=0.00..1.00 rows=1 width=4) (actual time=1.000..1.500 rows=1 loops=1)\n  Chunks excluded during startup: 2\n  ->  Custom Scan (ColumnarScan) on _hyper_1_1_chunk  (cost=0.00..1.00 rows=1 width=4) (actual time=0.100..0.200 rows=1 loops=1)\n        Vectorized Filter: (a > 1)\n", "Custom Scan on metrics > Custom Scan on _hyper_1_1_chunk", "Chunks excluded during startup=2, Vectorized Filter=(a > 1)"},
		"citus text": {"Custom Scan (Citus Adaptive)  (cost=0.00..0.00 rows=100000 width=8) (actual time=1.000..1.500 rows=1 loops=1)\n  Task Count: 32\n  Tasks Shown: One of 32\n  ->  Task\n        Tuple data received from node: 1 bytes\n        Node: host=localhost port=9701 dbname=postgres\n        ->  Aggregate  (cost=1.00..2.00 rows=1 width=8) (actual time=0.010..0.011 rows=1 loops=1)\n              ->  Seq Scan on t_102008 t  (cost=0.00..1.00 rows=1 width=0) (actual time=0.005..0.006 rows=1 loops=1)\n", "Custom Scan > Task > Aggregate > Seq Scan on t_102008", "Task Count=32, Tasks Shown=One of 32"},
		"citus json": {`[{"Plan":{"Node Type":"Custom Scan","Custom Plan Provider":"Citus Adaptive","Actual Total Time":1.5,"Actual Loops":1,"Distributed Query":{"Job":{"Task Count":2,"Tasks":[{"Node":"host=a","Remote Plan":[[{"Plan":{"Node Type":"Seq Scan"}}]]}]}}}}]`, "Custom Scan", `Distributed Query={"Job":{"Task Count":2,"Tasks":[{"Node":"host=a","Remote Plan":[[{"Plan":{"Node Type":"Seq Scan"}}]]}]}}`},
		"aurora":     {`[{"Plan":{"Node Type":"Seq Scan","Relation Name":"t","Actual Total Time":1.5,"Actual Loops":1,"Aurora Storage I/O Blocks":7,"Aurora Orcache Hit Blocks":2}}]`, "Seq Scan on t", "Aurora Storage I/O Blocks=7, Aurora Orcache Hit Blocks=2"},
		"redshift":   {" XN Limit  (cost=0.00..1.00 rows=1 width=4)\n   ->  XN Seq Scan on t  (cost=0.00..1.00 rows=1 width=4)\n", "XN Limit > XN Seq Scan on t", ""},
	} {
		b := readBest(t, c.text)
		if len(b.Executions) != 1 || len(b.Losses) != 0 {
			t.Errorf("%s: %d plans, %+v", name, len(b.Executions), b.Losses)
			continue
		}
		e := b.Executions[0]
		all := keysAndValues(e.Plan)
		for _, want := range strings.Split(c.extras, ", ") {
			if !strings.Contains(all, want) {
				t.Errorf("%s: no %q in %s", name, want, all)
			}
		}
		if ShapeText(e.Plan) != c.shape || name != "redshift" && e.Duration != 1500 {
			t.Errorf("%s: %s, %v", name, ShapeText(e.Plan), e.Duration)
		}
	}
}

func keysAndValues(p *record.Plan) string {
	var out []string
	for i := range p.Nodes {
		for _, kv := range p.Nodes[i].Extra {
			out = append(out, kv.Key+"="+kv.Value)
		}
	}
	for _, kv := range p.Extra {
		out = append(out, kv.Key+"="+kv.Value)
	}
	return strings.Join(out, ", ")
}

func TestForeignPlansAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		`{"query_block":{"select_id":1}}`: "MySQL",
		`{"query":"/* select#1 */","query_plan":{"operation":"Table scan"},"json_schema_version":"2.0"}`: "MySQL",
		"+----+-------------+\n| id | select_type | table |\n+----+-------------+\n":                     "MySQL",
		"-> Limit: 1 row(s)  (cost=0.35 rows=1)\n":                                                       "MySQL",
		"distribution: local\nvectorized: true\n\n• scan\n":                                              "CockroachDB",
		"<ShowPlanXML xmlns=\"x\" Version=\"1.5\"><BatchSequence/>":                                      "SQL Server",
		"Plan hash value: 1234\n\n-----------\n| Id  | Operation |\n":                                    "Oracle",
		"QUERY PLAN\n|--SCAN t\n":                                                                        "SQLite",
		`{"queryPlanner":{"plannerVersion":1}}`:                                                          "MongoDB",
	} {
		found := ""
		for _, f := range []source.Format{JSON, Text, XML, YAML, Any} {
			if d := f.Detect(head("x", text)); d != nil && d.Parse == nil {
				found = d.Reason
			}
		}
		if !strings.Contains(found, want) {
			t.Errorf("%.40q is refused as %q", text, found)
		}
	}
}

func TestDuplicateKeysAreReported(t *testing.T) {
	b := read(t, JSON, "x.json", file(t, "json_dupkeys.txt"))
	if len(b.Repairs) != 1 || b.Repairs[0].Name != "duplicate keys" || b.Repairs[0].Pos.Line != 2 {
		t.Errorf("%+v", b.Repairs)
	}
}
