package explain

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// dump describes a plan with everything that does not depend on the run, or,
// with figures, with everything.
func dump(p *record.Plan, figures bool) string {
	var b strings.Builder
	for i := range p.Nodes {
		n := p.Nodes[i]
		fmt.Fprintf(&b, "%s%s|%s|%s|%s|%s|%s|%s.%s %s|%s|%s|%s|%s|%s|%s|%s|parallel %v|width %d|workers %d\n",
			strings.Repeat("  ", int(n.Depth)), n.NodeType, n.Operation, relationship(p.Nodes, &n),
			n.SubplanName, n.CTEName, n.CustomPlanProvider, n.SchemaName, n.RelationName, n.Alias,
			n.IndexName, n.FunctionName, n.JoinType, n.Strategy, n.PartialMode, n.ScanDirection,
			fieldNames(&n), n.ParallelAware, n.PlanWidth, n.WorkersPlanned)
		if !figures {
			continue
		}
		n.Extra, n.Workers = nil, nil
		fmt.Fprintf(&b, "%+v\n", n)
		for _, w := range p.Nodes[i].Workers {
			fmt.Fprintf(&b, "%+v\n", w)
		}
		for _, kv := range p.Nodes[i].Extra {
			fmt.Fprintf(&b, "%s = %s\n", kv.Key, kv.Value)
		}
	}
	fmt.Fprintf(&b, "query id %d, %d triggers, settings %v, planning %v, execution %v\n",
		p.QueryID, len(p.Triggers), p.Settings, p.HasPlanning, p.HasExecution)
	if figures {
		fmt.Fprintf(&b, "planning %d %+v execution %d triggers %+v\nextra %q\nfigures %+v\n",
			p.PlanningTime, p.PlanningBuffers, p.ExecutionTime, p.Triggers, p.Extra, p.Figures)
	}
	return b.String()
}

// fieldNames leaves out the groups that text does not print where they are 0,
// and the times of a node that was never executed.
func fieldNames(n *record.Node) string {
	f := n.Fields &^ (record.HasBuffers | record.HasIOTime | record.HasWAL)
	if n.ActualLoops == 0 {
		f &^= record.HasTiming
	}
	return fmt.Sprint(int(f))
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update rewrites it):\n%s", file, got)
	}
}

// plansOf reads all plans of a file in any format.
func plansOf(t *testing.T, file string) []*record.Plan {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p := NewParser()
	parse := map[string]func([]byte, Options) (*record.Plan, int, error){
		".json": p.JSON, ".txt": p.Text, ".xml": p.XML, ".yaml": p.YAML,
	}[filepath.Ext(file)]
	var plans []*record.Plan
	for {
		if filepath.Ext(file) == ".json" {
			data = bytes.TrimLeft(data, "[], \r\n")
		}
		if len(bytes.TrimSpace(data)) == 0 || len(plans) > 0 && string(bytes.TrimSpace(data)) == "</explain>" {
			return plans
		}
		plan, n, err := parse(data, Options{Extras: true, Line: 1})
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		plans = append(plans, Clone(plan))
		data = data[n:]
	}
}

func dumpAll(plans []*record.Plan, figures bool) string {
	var b strings.Builder
	for _, p := range plans {
		b.WriteString(ShapeText(p) + "\n" + dump(p, figures))
	}
	return b.String()
}

// Text and JSON of a query are of two executions, so that times, hits against
// reads, and what each worker did differ; the tree may not.
func TestTextAndJSONGiveTheSameTree(t *testing.T) {
	files, _ := filepath.Glob("testdata/plans/*.json")
	if len(files) < 20 {
		t.Fatal("plans missing")
	}
	for _, file := range files {
		fromJSON := plansOf(t, file)
		fromText := plansOf(t, strings.TrimSuffix(file, ".json")+".txt")
		if len(fromJSON) != len(fromText) {
			t.Errorf("%s: %d plans in JSON, %d in text", file, len(fromJSON), len(fromText))
			continue
		}
		for i, a := range fromJSON {
			b := fromText[i]
			if x, y := dump(a, false), dump(b, false); x != y {
				t.Errorf("%s: trees differ\njson\n%stext\n%s", file, x, y)
			}
			if a.Figures.Shape != b.Figures.Shape {
				t.Errorf("%s: shapes differ", file)
			}
			sameTotals(t, file, a, b)
		}
	}
}

// XML and YAML of a query are of two more executions; their trees are the same
// to the last key.
func TestXMLAndYAMLGiveTheTreeOfJSON(t *testing.T) {
	files, _ := filepath.Glob("testdata/plans/*.xml")
	if len(files) < 10 {
		t.Fatal("plans missing")
	}
	for _, file := range files {
		base := strings.TrimSuffix(file, ".xml")
		want := plansOf(t, base+".json")
		for _, ext := range []string{".xml", ".yaml"} {
			got := plansOf(t, base+ext)
			if len(got) != len(want) {
				t.Errorf("%s%s: %d plans, %d in JSON", base, ext, len(got), len(want))
				continue
			}
			for i, p := range got {
				if x, y := dump(want[i], false)+keysOf(want[i]), dump(p, false)+keysOf(p); x != y {
					t.Errorf("%s%s: trees differ\njson\n%s\ngot\n%s", base, ext, x, y)
				}
				sameTotals(t, base+ext, want[i], p)
			}
		}
	}
}

// keysOf lists the extras in order.
func keysOf(p *record.Plan) string {
	var b strings.Builder
	list := func(extras []record.KeyValue) {
		for _, kv := range extras {
			b.WriteString(kv.Key + "; ")
		}
		b.WriteString("\n")
	}
	for i := range p.Nodes {
		list(p.Nodes[i].Extra)
		for _, w := range p.Nodes[i].Workers {
			list(w.Extra)
		}
	}
	list(p.Extra)
	return b.String()
}

// sameTotals compares what two executions have in common.
func sameTotals(t *testing.T, file string, a, b *record.Plan) {
	t.Helper()
	for i := range a.Nodes {
		x, y := &a.Nodes[i], &b.Nodes[i]
		xRows, xErr := rowsTotal(x)
		yRows, yErr := rowsTotal(y)
		underLimit := strings.Contains(file, "psort") || strings.Contains(file, "q20")
		if !underLimit && max(xRows-yRows, yRows-xRows) > xErr+yErr {
			t.Errorf("%s: rows of node %d (%s): json %v text %v", file, i, x.NodeType, xRows, yRows)
		}
	}
	if a.Figures.Rows != b.Figures.Rows || a.Figures.IsWrite != b.Figures.IsWrite {
		t.Errorf("%s: figures\njson %+v\ntext %+v", file, a.Figures, b.Figures)
	}
}

func TestPlansGolden(t *testing.T) {
	for _, name := range []string{
		"pg12-psort", "pg15-merge15", "pg18-options-q15-o1",
	} {
		for _, ext := range []string{".json", ".txt", ".xml", ".yaml"} {
			file := "testdata/plans/" + name + ext
			golden(t, file+".golden", dumpAll(plansOf(t, file), true))
		}
	}
}
