package explain

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

type parseFunc func(*Parser, []byte, Options) (*record.Plan, int, error)

func mustParse(t *testing.T, parse parseFunc, text string) *record.Plan {
	t.Helper()
	p, n, err := parse(NewParser(), []byte(text), Options{Extras: true, Line: 1})
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if n > len(text) {
		t.Fatalf("%d of %d bytes consumed", n, len(text))
	}
	return p
}

// auto_explain prints no <Query> and no hyphen; in a log each line begins with a
// TAB.
func TestAutoExplainFormsOfXMLAndYAML(t *testing.T) {
	for file, parse := range map[string]parseFunc{
		"testdata/autoexplain_nested.xml":  (*Parser).XML,
		"testdata/autoexplain_nested.yaml": (*Parser).YAML,
	} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{string(data), strings.ReplaceAll("\n"+string(data), "\n\t", "\n")} {
			p := mustParse(t, parse, text)
			if p.QueryText != "select f(100), f(200)" || ShapeText(p) != "Result" || !p.Nodes[0].Has(record.HasTiming|record.HasBuffers) || p.Truncated {
				t.Errorf("%s: %q %s", file, p.QueryText, ShapeText(p))
			}
		}
	}
	p := mustParse(t, (*Parser).XML, "\t<explain>\n\t  <Query-Text>select 1\n\t  from a &lt; &quot;b&#10;\"</Query-Text>\n\t  <Plan>\n\t    <Node-Type>Result</Node-Type>\n\t    <I-O-Read-Time>1.500</I-O-Read-Time>\n\t  </Plan>\n\t</explain>")
	if p.QueryText != "select 1\n  from a < \"b\n\"" || p.Nodes[0].IOReadTime != 1500 || p.Nodes[0].Line != 4 {
		t.Errorf("%q %+v", p.QueryText, p.Nodes[0])
	}
}

func TestXMLThatIsCutOrDamaged(t *testing.T) {
	data, err := os.ReadFile("testdata/plans/pg18-cte.xml")
	if err != nil {
		t.Fatal(err)
	}
	whole := string(data)
	for cut := strings.Index(whole, "<Strategy>"); cut < len(whole)-30; cut += 97 {
		p := mustParse(t, (*Parser).XML, whole[:cut])
		if !p.Truncated || p.Nodes[0].NodeType != "Aggregate" {
			t.Fatalf("cut at %d: %+v", cut, p)
		}
		if p.Nodes[0].Has(record.HasCosts) && p.Nodes[0].TotalCost != 0 && p.Nodes[0].TotalCost != 2402.65 {
			t.Fatalf("cut at %d: half a figure %v", cut, p.Nodes[0].TotalCost)
		}
	}
	for text, want := range map[string]string{
		"<Query>\n<Plan>\n<Node-Type>A</Nod>":         "line 3: <Node-Type> is closed by </Nod>",
		strings.Repeat("<Query>", maxElements+2):      "elements in each other",
		"<html><Plan/></html>":                        ErrNoPlan.Error(),
		"<Query><Plan></Plan></Query>":                ErrNoPlan.Error(),
		"<explain><Query>\n<Notify /></Query>":        ErrNoPlan.Error(),
		"<?xml version='1.0'?><ShowPlanXML xmlns=''>": "a plan of SQL Server",
	} {
		_, n, err := NewParser().XML([]byte(text), Options{Line: 1})
		if err == nil || !strings.Contains(err.Error(), want) || n > len(text) {
			t.Errorf("%.60s: %v", text, err)
		}
	}
	if _, _, err := NewParser().XML([]byte("<ShowPlanXML a=''>"), Options{}); !errors.Is(err, ErrForeign) {
		t.Error(err)
	}
}

func TestXMLMarkup(t *testing.T) {
	p := mustParse(t, (*Parser).XML, `<?xml version="1.0"?><!DOCTYPE x><!-- a > b
--><e:explain xmlns:e="u"><e:Query><Plan><Node-Type><![CDATA[Seq Scan]]></Node-Type><Filter>(a &lt;&#x3d; 'x&amp;&unknown;')</Filter>
<Empty/><Group-Key><Item>1</Item></Group-Key></Plan></e:Query></e:explain>`)
	n := &p.Nodes[0]
	if n.NodeType != "Seq Scan" || n.Line != 2 || len(n.Extra) != 3 || n.Extra[0].Value != "(a <= 'x&&unknown;')" || n.Extra[2].Value != `["1"]` {
		t.Errorf("%+v", n)
	}
}

// YAML as common libraries write it.
func TestYAMLStyles(t *testing.T) {
	for name, text := range map[string]string{
		"postgres":  "- Plan: \n    Node Type: \"Limit\"\n    Filter: \"(a = 'x: y')\"\n    Total Cost: 1.50\n    Plans: \n      - Node Type: \"Seq Scan\"\n        Relation Name: \"t\"\n    Sort Key: \n      - \"a\"\n  Execution Time: 2.500\n",
		"flat list": "---\n- Execution Time: 2.5\n  Plan:\n    Filter: '(a = ''x: y'')'\n    Node Type: Limit\n    Plans:\n    - Node Type: Seq\n        Scan\n      Relation Name: t\n    Sort Key:\n    - a\n    Total Cost: 1.5\n",
		"quoted":    "# by a tool\n- \"Plan\":\n    \"Node Type\": \"Limit\"\n    \"Filter\": \"(a =\n      'x: y')\"\n    \"Total Cost\": 1.5\n    \"Plans\":\n      -\n        \"Node Type\": \"Seq Scan\"\n        \"Relation Name\": \"t\"\n    \"Sort Key\": [\"a\"]\n  \"Execution Time\": 2.5\n",
		"block":     "Plan:\n  Node Type: >\n    Limit\n  Filter: |-\n    (a = 'x: y')\n  Total Cost: 1.5\n  Plans:\n    - Node Type: Seq Scan\n      Relation Name: t\n  Sort Key: [\"a\"]\nExecution Time: 2.5",
		"log":       "\tPlan: \n\t  Node Type: \"Limit\"\n\t  Filter: \"(a = 'x: y')\"\n\t  Total Cost: 1.50\n\t  Plans: \n\t    - Node Type: \"Seq Scan\"\n\t      Relation Name: \"t\"\n\t  Sort Key: \n\t    - \"a\"\n\tExecution Time: 2.500",
	} {
		p := mustParse(t, (*Parser).YAML, text)
		extras := map[string]string{}
		for _, kv := range p.Nodes[0].Extra {
			extras[kv.Key] = kv.Value
		}
		if ShapeText(p) != "Limit > Seq Scan on t" || p.ExecutionTime != 2500 || p.Nodes[0].TotalCost != 1.5 ||
			extras["Filter"] != "(a = 'x: y')" || extras["Sort Key"] != `["a"]` || p.Truncated {
			t.Errorf("%s: %s %+v", name, ShapeText(p), p)
		}
	}
}

func TestYAMLPlansEndWhereTheNextBegins(t *testing.T) {
	one := "- Plan: \n    Node Type: \"Result\"\n  Triggers: \n  Execution Time: 1.000\n"
	bare := "Query Text: \"q\"\nPlan: \n  Node Type: \"Result\"\n"
	for text, want := range map[string]int{
		one + one: 2, one + "(4 rows)\n": 1, bare + bare: 2, one + "\n" + one + "\n": 2, bare + "\n\nText: x": 1,
	} {
		b := read(t, YAML, "x.yaml", text)
		if len(b.Executions) != want || len(b.Losses) > 0 {
			t.Errorf("%q: %d plans, %+v", text, len(b.Executions), b.Losses)
		}
	}
	b := read(t, YAML, "x.yaml", one+"- Plan: \n    Node Type: \"Result\"\n   Oops: 1\n"+one)
	if len(b.Executions) != 2 || len(b.Losses) != 1 || b.Losses[0].Pos.Line != 5 || !strings.Contains(b.Losses[0].Text, "line 7") {
		t.Errorf("%d plans, %+v", len(b.Executions), b.Losses)
	}
	b = read(t, YAML, "x.yaml", one+"- Plan: \n    Node Type: \"Result\"\n    Filter: \"(a")
	if len(b.Executions) != 2 || !b.Executions[1].Plan.Truncated {
		t.Errorf("%+v", b)
	}
}
