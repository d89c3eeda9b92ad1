package explain

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

func mustJSON(t *testing.T, text string) *record.Plan {
	t.Helper()
	p, _, err := NewParser().JSON([]byte(text), Options{Extras: true, Line: 1})
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return p
}

func TestJSONStringsAreUnescaped(t *testing.T) {
	p := mustJSON(t, `{"Query Text":"a\"b\\ \n\t\u00e9 \ud83d\ude00 \ud83d \/","Plan":{"Node Type":"Seq Scan","Relation Name":"we ird\"t"}}`)
	if want := "a\"b\\ \n\té 😀 \ufffd /"; p.QueryText != want {
		t.Errorf("query text %q, want %q", p.QueryText, want)
	}
	if p.Nodes[0].RelationName != `we ird"t` {
		t.Errorf("relation %q", p.Nodes[0].RelationName)
	}
}

func TestJSONNumbersStayExact(t *testing.T) {
	p := mustJSON(t, `{"Plan":{"Node Type":"X","Total Cost":Infinity,"Startup Cost":372.20,
		"Plan Rows":1000000030094932666179617348410047823344959136071346133401600,
		"Actual Rows":0.98,"Actual Loops":50,"Actual Total Time":137.683,
		"Shared Hit Blocks":9007199254740993,"Heap Fetches":99999999999999999999999,"WAL Bytes":NaN,"Rows Removed by Filter":"7"}}`)
	n := p.Nodes[0]
	if !math.IsInf(n.TotalCost, 1) || n.StartupCost != 372.20 || n.PlanRows != 1e60+30094932666179617348410047823344959136071346133401600 {
		t.Errorf("costs %v %v rows %v", n.TotalCost, n.StartupCost, n.PlanRows)
	}
	if n.ActualRows != 98 || n.ActualTotalTime != 137683 || n.Buffers.SharedHit != 1<<53+1 || n.HeapFetches != math.MaxInt64 || n.RowsRemovedFilter != 7 {
		t.Errorf("figures %+v", n)
	}
	if n.Has(record.HasWAL) || !n.Has(record.HasFractionalRows) {
		t.Errorf("fields %b", n.Fields)
	}
	if p.Figures.Rows != 4900 || p.Figures.RowsErr != 25 {
		t.Errorf("rows %v ± %v, want 49 ± 0.25", p.Figures.Rows, p.Figures.RowsErr)
	}
}

func TestJSONKeyOrderIsIrrelevant(t *testing.T) {
	p := mustJSON(t, `{"Plan":{"Plans":[{"Plans":[{"Node Type":"C"}],"Node Type":"B"},{"Node Type":"D"}],"Actual Loops":2,"Node Type":"A"},"Query Text":"q"}`)
	if got := ShapeText(p); got != "A (B > C, D)" || p.QueryText != "q" || p.Nodes[0].ActualLoops != 2 {
		t.Errorf("got %s %+v", got, p)
	}
	for i, parent := range []int32{-1, 0, 1, 0} {
		if p.Nodes[i].Parent != parent {
			t.Errorf("node %d: parent %d, want %d", i, p.Nodes[i].Parent, parent)
		}
	}
}

func TestJSONOfAToolAroundThePlan(t *testing.T) {
	for _, text := range []string{
		`{"captured_at":"2026-11-30 14:20:14+00","plan":[{"Plan":{"Node Type":"Result"},"Execution Time":1.5}]}`,
		`{"captured_at":"2026-11-30 14:20:14+00","QUERY PLAN":[{"Plan":{"Node Type":"Result"},"Execution Time":1.5}]}`,
		`{"captured_at":"2026-11-30 14:20:14+00","plan":{"Plan":{"Node Type":"Result"}},"Execution Time":1.5}`,
		`{"captured_at":"2026-11-30 14:20:14+00","plan":{"Node Type":"Result"},"Execution Time":1.5}`,
	} {
		p := mustJSON(t, text)
		if len(p.Nodes) != 1 || p.ExecutionTime != 1500 || len(p.Extra) != 1 || p.Extra[0].Key != "captured_at" {
			t.Errorf("%s: %+v", text, p)
		}
	}
}

func TestJSONDuplicateScalarKeepsTheFirst(t *testing.T) {
	data, err := os.ReadFile("testdata/json_dupkeys.txt")
	if err != nil {
		t.Fatal(err)
	}
	p := mustJSON(t, strings.TrimLeft(string(data), "[\n "))
	if p.Nodes[0].Buffers.SharedHit != 182 {
		t.Errorf("shared hit %d, want 182", p.Nodes[0].Buffers.SharedHit)
	}
	if p.PlanningBuffers.SharedHit != 29 {
		t.Errorf("planning shared hit %d, want 29", p.PlanningBuffers.SharedHit)
	}
	if last := p.Extra[len(p.Extra)-1]; last.Key != "Duplicate Keys" || last.Value != "2" {
		t.Errorf("extra %v: the duplicates are not reported", p.Extra)
	}
}

func TestJSONMergesTwoWorkersLists(t *testing.T) {
	p := mustJSON(t, `{"Plan":{"Node Type":"Sort",
		"Workers":[{"Worker Number":0,"Sort Method":"external merge","Sort Space Used":21056,"Sort Space Type":"Disk"},{"Worker Number":1}],
		"Workers":[{"Worker Number":0,"Actual Total Time":1671.889,"Shared Hit Blocks":5},{"Worker Number":2}]}}`)
	ws := p.Nodes[0].Workers
	if len(ws) != 3 || ws[0].SortSpaceKB != 21056 || ws[0].ActualTotal != 1671889 || ws[0].Buffers.SharedHit != 5 {
		t.Errorf("workers %+v", ws)
	}
}

// A plan cut at any byte gives what is whole, as soon as the root is known.
func TestJSONCutAnywhere(t *testing.T) {
	data, err := os.ReadFile("testdata/autoexplain_insert.json")
	if err != nil {
		t.Fatal(err)
	}
	rootKnown := strings.Index(string(data), `"ModifyTable"`) + len(`"ModifyTable"`)
	end := strings.LastIndex(string(data), "}") + 1
	p := NewParser()
	for i := range end {
		plan, n, err := p.JSON(data[:i], Options{Line: 1})
		if n > i {
			t.Fatalf("cut at %d: %d bytes consumed", i, n)
		}
		switch {
		case i < rootKnown && err == nil:
			t.Fatalf("cut at %d: a plan without a root", i)
		case i >= rootKnown && err != nil:
			t.Fatalf("cut at %d: %v", i, err)
		case i >= rootKnown && !plan.Truncated:
			t.Fatalf("cut at %d: not marked truncated", i)
		case i >= rootKnown && plan.Nodes[0].ActualTotalTime != 0 && plan.Nodes[0].ActualTotalTime != 63080:
			t.Fatalf("cut at %d: half a number was read: %d", i, plan.Nodes[0].ActualTotalTime)
		}
	}
}

func TestJSONThatIsNoPlanIsAnError(t *testing.T) {
	for text, want := range map[string]error{
		``:                             nil,
		`[]`:                           nil,
		`{}`:                           ErrNoPlan,
		`{"a":1}`:                      ErrNoPlan,
		`{"Plan":[]}`:                  ErrNoPlan,
		`{"Plan":{}}`:                  ErrNoPlan,
		`{"query_block":{"a":[1]}}`:    ErrForeign,
		`{"Plan":{"Node Type":"A",5}}`: nil,
		`{"Plan" {"Node Type":"A"}}`:   nil,
	} {
		_, _, err := NewParser().JSON([]byte(text), Options{})
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: error %v, want %v", text, err, want)
		}
	}
}

func TestJSONDepthIsCapped(t *testing.T) {
	deep := func(n int) string {
		return `{"Plan":{"Node Type":"A"` + strings.Repeat(`,"Plans":[{"Node Type":"A"`, n) + strings.Repeat(`}]`, n) + `}}`
	}
	if p := mustJSON(t, deep(maxDepth-1)); len(p.Nodes) != maxDepth {
		t.Errorf("%d nodes", len(p.Nodes))
	}
	if _, _, err := NewParser().JSON([]byte(deep(maxDepth)), Options{}); err == nil {
		t.Error("no error")
	}
	nested := `{"x":` + strings.Repeat("[", 1e6) + strings.Repeat("]", 1e6) + `,"Plan":{"Node Type":"A"}}`
	mustJSON(t, nested)
}

func TestJSONNodesKnowTheirLines(t *testing.T) {
	data, err := os.ReadFile("testdata/autoexplain_insert.json")
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := NewParser().JSON(data, Options{Line: 100})
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Nodes {
		lines := strings.Split(string(data), "\n")
		if at := lines[p.Nodes[i].Line-100]; !strings.HasSuffix(strings.TrimSpace(at), "{") {
			t.Errorf("node %d: line %d is %q", i, p.Nodes[i].Line, at)
		}
	}
}

func TestParserReusesMemoryWithoutLeftovers(t *testing.T) {
	p := NewParser()
	first, _, err := p.JSON([]byte(`{"Query Text":"q","Plan":{"Node Type":"A","Filter":"f","Workers":[{"Worker Number":1}],"Plans":[{"Node Type":"B"}]},"Settings":{"a":"b"}}`), Options{Extras: true})
	if err != nil {
		t.Fatal(err)
	}
	kept := Clone(first)
	second, _, err := p.JSON([]byte(`{"Plan":{"Node Type":"C"}}`), Options{Extras: true})
	if err != nil {
		t.Fatal(err)
	}
	n := second.Nodes[0]
	if len(second.Nodes) != 1 || len(n.Extra)+len(n.Workers)+len(second.Settings) != 0 || second.QueryText != "" {
		t.Errorf("leftovers: %+v", second)
	}
	if got := fmt.Sprint(ShapeText(kept), kept.Nodes[0].Extra, kept.Settings); got != "A > B[{Filter f}] [{a b}]" {
		t.Errorf("the clone changed: %s", got)
	}
}
