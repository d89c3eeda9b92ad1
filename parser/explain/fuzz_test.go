package explain

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

func seed(f *testing.F, globs ...string) {
	for _, glob := range globs {
		files, _ := filepath.Glob(glob)
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data[:min(len(data), 4096)])
		}
	}
}

// check holds what is true of every plan, however damaged its input.
func check(t *testing.T, data []byte, p *record.Plan, n int, err error) {
	t.Helper()
	if n < 0 || n > len(data) {
		t.Fatalf("%d of %d bytes consumed", n, len(data))
	}
	if err != nil {
		return
	}
	if len(p.Nodes) == 0 || len(p.Nodes) > len(data) {
		t.Fatalf("%d nodes of %d bytes", len(p.Nodes), len(data))
	}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if int(n.Parent) >= i || n.Parent < -1 || n.Parent >= 0 && n.Depth != p.Nodes[n.Parent].Depth+1 {
			t.Fatalf("node %d: parent %d, depth %d", i, n.Parent, n.Depth)
		}
	}
	ShapeText(p)
	if got := len(Arithmetic(Clone(p))); got != len(p.Nodes) {
		t.Fatalf("figures of %d of %d nodes", got, len(p.Nodes))
	}
}

// readAll reads a file that f claims, writes its plans in each format, and
// reads what JSON makes of them again.
func readAll(t *testing.T, f source.Format, data []byte) {
	t.Helper()
	d := f.Detect(head("x", string(data)))
	if d == nil || d.Parse == nil {
		return
	}
	var b record.Batch
	d.Parse(data, record.Pos{File: "x", Line: 1}, &b)
	for i := range b.Executions {
		p := b.Executions[i].Plan
		var out bytes.Buffer
		for _, write := range []func(io.Writer, *record.Plan) error{WriteText, WriteXML, WriteYAML, WriteJSON} {
			out.Reset()
			if err := write(&out, p); err != nil {
				t.Fatal(err)
			}
		}
		again, _, err := NewParser().JSON(out.Bytes()[2:], Options{})
		if err != nil || len(again.Nodes) != len(p.Nodes) {
			t.Fatalf("%v: %d nodes written, in\n%s", err, len(p.Nodes), out.String())
		}
	}
}

func FuzzXML(f *testing.F) {
	seed(f, "testdata/plans/*q15*.xml", "testdata/plans/pg18-quoted.xml", "testdata/*.xml")
	f.Add([]byte("<Query><Plan><Node-Type>A&#x41;<![CDATA[x]]></Node-Type><!-- --><Plans><Plan/></Plans></Plan>"))
	p := NewParser()
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, opt := range []Options{{}, {Extras: true, Line: 1}} {
			plan, n, err := p.XML(data, opt)
			check(t, data, plan, n, err)
		}
		readAll(t, XML, data)
	})
}

func FuzzYAML(f *testing.F) {
	seed(f, "testdata/plans/*q15*.yaml", "testdata/plans/pg18-quoted.yaml", "testdata/*.yaml")
	f.Add([]byte("Plan:\n  Node Type: Seq\n    Scan\n  Filter: |\n    a\n  Plans:\n  - 'Node Type': 'x'\n  - [\"v\"]\n"))
	p := NewParser()
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, opt := range []Options{{}, {Extras: true, Line: 1}} {
			plan, n, err := p.YAML(data, opt)
			check(t, data, plan, n, err)
		}
		readAll(t, YAML, data)
	})
}

func FuzzAny(f *testing.F) {
	for _, c := range mendCases {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, data []byte) { readAll(t, Any, data) })
}

func FuzzJSON(f *testing.F) {
	seed(f, "testdata/plans/*q15*.json", "testdata/plans/pg12-psort.json", "testdata/json_*", "testdata/*insert.json")
	f.Add([]byte(`{"plan":{"Node Type":"A\ud83d\u00","Plans":[{"x":[{}]}]}`))
	p := NewParser()
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, opt := range []Options{{}, {Extras: true, Line: 1}} {
			plan, n, err := p.JSON(data, opt)
			check(t, data, plan, n, err)
		}
		readAll(t, JSON, data)
	})
}

func FuzzText(f *testing.F) {
	seed(f, "testdata/plans/*.txt")
	f.Add([]byte("\tQuery Text: a\n\tQuery Parameters: b\n\tInsert on \"a b\" (actual rows=1 loops=1)\n\t  CTE x\n\t    ->  Result (never executed)\n"))
	p := NewParser()
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, opt := range []Options{{}, {Extras: true, Line: 1}} {
			plan, n, err := p.Text(data, opt)
			check(t, data, plan, n, err)
		}
		readAll(t, Text, data)
	})
}
