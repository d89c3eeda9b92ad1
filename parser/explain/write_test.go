package explain

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

func TestTextGivesBackItsOwnLayout(t *testing.T) {
	files, _ := filepath.Glob("testdata/plans/*.txt")
	for _, file := range files {
		if strings.Contains(file, "pg12-p") {
			continue // version 12 prints a worker in two places
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		for i, p := range plansOf(t, file) {
			if i > 0 {
				got.WriteString("\n")
			}
			if err := WriteText(&got, p); err != nil {
				t.Fatal(err)
			}
		}
		if got.String() != string(want) {
			t.Errorf("%s: got\n%s\nwant\n%s", file, got.String(), want)
		}
	}
}

func TestTextKeepsWhatOnlySomeVersionsPrint(t *testing.T) {
	for _, text := range []string{
		"Update on parent  (cost=0.00..1.00 rows=0 width=0)\n  Update on child1 parent_1\n  Update on child2 parent_2\n  ->  Append  (cost=0.00..1.00 rows=2 width=10)\n        Subplans Removed: 3\n        ->  Seq Scan on child1 parent_1  (cost=0.00..1.00 rows=1 width=10)\n",
		"Gather  (cost=0.00..1.00 rows=0 width=0) (actual time=1.000..2.000 rows=1 loops=1)\n  Workers Planned: 1\n  Workers Launched: 0\n  Single Copy: true\n  I/O Timings: read=0.500\n  WAL: records=3 fpi=1 bytes=90 buffers full=2\n  ->  Parallel Async Foreign Scan on \"Order\" \"select\"  (cost=0.00..1.00 rows=0 width=0) (never executed)\n        Remote SQL: SELECT a FROM public.\"Order\"\n",
		"Merge on b  (cost=0.00..1.00 rows=0 width=0) (actual rows=0.00 loops=1)\n  Tuples: inserted=1 skipped=4\n  Buffers: shared hit=3, local read=2, temp written=1\n  I/O Timings: shared read=1.000, local read=0.250 write=0.125\n  ->  Custom Scan (ChunkAppend) on metrics m  (cost=0.00..1.00 rows=1 width=10) (actual rows=1.00 loops=1)\n        Chunks excluded during startup: 2\nSettings: a.b = 'it''s'\nQuery Identifier: -5\nTrigger for constraint fk: calls=1\nJIT:\n  Functions: 3\n  Timing: Generation 1.000 ms, Total 2.000 ms\n",
		"Query Text: select 1\nQuery Parameters: $1 = '3'\nGather Motion 4:1  (slice1; segments: 4)  (cost=0.00..431.00 rows=1 width=8)\n  ->  Seq Scan on t  (cost=0.00..431.00 rows=1 width=8)\n",
		"Function Scan on pg_catalog.generate_series \"g\"\"x\"  (cost=0.00..Infinity rows=1000000030094932666179617348410047823344959136071346133401600 width=4)\n  Function Call: generate_series(1, 2)\n",
	} {
		p := mustText(t, text)
		var got bytes.Buffer
		if err := WriteText(&got, p); err != nil || got.String() != text {
			t.Errorf("%v got\n%s\nwant\n%s", err, got.String(), text)
		}
	}
}

// What is written in a format and read again is the same plan; text leaves
// figures out that are 0.
func TestEveryFormatIsReadAsItWasWritten(t *testing.T) {
	files, _ := filepath.Glob("testdata/plans/*.json")
	for _, file := range files {
		for _, p := range plansOf(t, file) {
			for i := range p.Nodes {
				p.Nodes[i].Line = 0
			}
			for name, f := range formats {
				var out bytes.Buffer
				if err := f.write(&out, p); err != nil {
					t.Fatal(err)
				}
				q, _, err := f.parse(NewParser(), bytes.TrimPrefix(out.Bytes(), []byte("[\n  ")), Options{Extras: true})
				if err != nil {
					t.Errorf("%s as %s: %v", file, name, err)
					continue
				}
				if x, y := dump(p, name != "text"), dump(q, name != "text"); x != y {
					t.Errorf("%s as %s: was\n%s\nis\n%s", file, name, x, y)
				}
			}
		}
	}
}

var formats = map[string]struct {
	write func(io.Writer, *record.Plan) error
	parse func(*Parser, []byte, Options) (*record.Plan, int, error)
}{
	"text": {WriteText, (*Parser).Text},
	"json": {WriteJSON, (*Parser).JSON},
	"xml":  {WriteXML, (*Parser).XML},
	"yaml": {WriteYAML, (*Parser).YAML},
}

// The structured formats look as PostgreSQL's do: keys, order, indentation.
func TestStructuredFormatsLookAsPostgreSQLPrintsThem(t *testing.T) {
	p := plansOf(t, "testdata/plans/pg18-neverexec.json")[0]
	for ext, write := range map[string]func(io.Writer, *record.Plan) error{"json": WriteJSON, "xml": WriteXML, "yaml": WriteYAML} {
		var out bytes.Buffer
		if err := write(&out, p); err != nil {
			t.Fatal(err)
		}
		golden(t, "testdata/neverexec."+ext+".golden", out.String())
	}
}
