package psql

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// frames are what psql 15 printed of one query in each style that \pset knows,
// by name: format of EXPLAIN, format of psql, line style, border, expanded.
func frames(t testing.TB) map[string]string {
	t.Helper()
	f, err := os.Open("testdata/frames.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for _, part := range strings.Split("\n"+string(text), "\n## ")[1:] {
		name, frame, _ := strings.Cut(part, "\n")
		all[name] = frame + "\n"
	}
	return all
}

// read reads data with the format that claims it first among psql's and
// explain's.
func read(t *testing.T, data string) (string, *record.Batch) {
	t.Helper()
	h := &source.Head{Name: "x", Data: []byte(data), EOF: true}
	var best *source.Detection
	name := ""
	for _, f := range []source.Format{explain.JSON, explain.Text, explain.XML, explain.YAML, explain.Any, Frame} {
		if d := f.Detect(h); d != nil && (best == nil || d.Score > best.Score) {
			best, name = d, f.Name
		}
	}
	if best == nil || best.Parse == nil {
		t.Fatalf("not recognised: %+v in\n%s", best, data)
	}
	b := &record.Batch{}
	best.Parse([]byte(data), record.Pos{File: "x", Line: 1}, b)
	return name, b
}

// places lists the line and shape of each plan.
func places(b *record.Batch) string {
	var out []string
	for _, e := range b.Executions {
		out = append(out, fmt.Sprintf("%d %s", e.Pos.Line, explain.ShapeText(e.Plan)))
	}
	return strings.Join(out, "; ")
}

func TestEveryStyleGivesTheSamePlan(t *testing.T) {
	all := frames(t)
	if len(all) < 100 {
		t.Fatalf("%d frames", len(all))
	}
	const filter = `((v <> 7) AND (id >= 3) AND (id <= 90) AND ("we ird" <> 'a+ "q" |é'::text))`
	for name, frame := range all {
		_, b := read(t, frame)
		if len(b.Executions) != 1 || len(b.Losses) != 0 {
			t.Errorf("%s: %d plans, losses %v", name, len(b.Executions), b.Losses)
			continue
		}
		p := b.Executions[0].Plan
		if explain.ShapeText(p) != "Aggregate > Seq Scan on b" || p.Truncated {
			t.Errorf("%s: %s", name, explain.ShapeText(p))
			continue
		}
		scan := &p.Nodes[1]
		got := ""
		for _, kv := range scan.Extra {
			if kv.Key == "Filter" {
				got = kv.Value
			}
		}
		if got != filter || scan.RowsRemovedFilter != 40921 || scan.ActualRows != record.WholeRows(79) {
			t.Errorf("%s: filter %q, removed %d, rows %v", name, got, scan.RowsRemovedFilter, scan.ActualRows)
		}
	}
}

// Each node keeps the line of the file on which it stands, whatever was taken
// off.
func TestNodesKeepTheirLines(t *testing.T) {
	for name, frame := range frames(t) {
		lines := strings.Split(frame, "\n")
		_, b := read(t, frame)
		for _, n := range b.Executions[0].Plan.Nodes {
			near := strings.Join(lines[n.Line-1:min(int(n.Line)+2, len(lines))], "\n")
			if !strings.Contains(near, n.NodeType) && !strings.Contains(name, "wrapped") {
				t.Errorf("%s: %s is not at line %d:\n%s", name, n.NodeType, n.Line, near)
			}
		}
		if b.Lines != int64(len(lines)-1) || b.Bytes != int64(len(frame)) {
			t.Errorf("%s: %d lines, %d bytes", name, b.Lines, b.Bytes)
		}
	}
}

func TestCarriersGiveTheSamePlan(t *testing.T) {
	files, _ := filepath.Glob("testdata/carriers/*")
	if len(files) != 8 {
		t.Fatalf("%d carriers", len(files))
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, b := read(t, string(data))
		if len(b.Executions) != 1 || len(b.Losses) != 0 || name != "psql" {
			t.Errorf("%s: %s, %d plans, losses %v", file, name, len(b.Executions), b.Losses)
			continue
		}
		p := b.Executions[0].Plan
		scan := &p.Nodes[len(p.Nodes)-1]
		if scan.RelationName != "b" || scan.RowsRemovedFilter != 40999 || scan.Buffers.SharedHit != 182 || !p.HasExecution || !p.HasPlanBuffers {
			t.Errorf("%s: %+v", file, p)
		}
	}
}

func TestTranscriptGivesItsPlansInOrder(t *testing.T) {
	data, err := os.ReadFile("testdata/transcript.txt")
	if err != nil {
		t.Fatal(err)
	}
	name, b := read(t, string(data))
	if got := places(b); name != "psql" || got != "18 Insert on items > Result; 40 Insert on items > Result" {
		t.Errorf("%s: %s", name, got)
	}
	if len(b.Repairs) != 1 || b.Repairs[0].Count != 2 || b.Repairs[0].Pos.Line != 16 {
		t.Errorf("repairs %+v", b.Repairs)
	}
	if e := b.Executions[1]; e.Figures.Own.Shared() != 4952 || e.Duration != 5255 || e.Pos.Offset != int64(strings.Index(string(data), " Insert on items (actual rows=0 loops=1)\n   Buffers: shared hit=4953")) {
		t.Errorf("%+v", e)
	}
}

func TestFramesInMarkdownMailAndNumberedLines(t *testing.T) {
	frame := frames(t)["text.aligned.ascii.1.off"]
	numbered := ""
	for i, line := range strings.Split(strings.TrimSpace("x\n" + frame)[2:], "\n") {
		numbered += fmt.Sprintf("%3d: %s\n", i+1, line)
	}
	for name, text := range map[string]string{
		"markdown":  "It was slow:\n\n```\n" + frame + "```\nWhy?\n",
		"mail":      "Hello,\n> " + strings.ReplaceAll(strings.TrimRight(frame, "\n"), "\n", "\n> ") + "\nyours\n",
		"numbered":  numbered,
		"with crlf": strings.ReplaceAll(frame, "\n", "\r\n"),
		"with bom":  "\uFEFF" + frame,
		"prompt":    "app=# explain analyze select 1;\n" + frame + "app=# \\q\n",
		"two":       frame + frame,
	} {
		want := 1 + strings.Count(name, "two")
		if _, b := read(t, text); len(b.Executions) != want || len(b.Losses) > 0 || len(b.Executions[0].Plan.Nodes) != 2 {
			t.Errorf("%s: %s %+v", name, places(b), b.Losses)
		}
	}
}

func TestCellOfAWiderTable(t *testing.T) {
	text := ` id |                 plan                  | note 
----+---------------------------------------+------
  1 | {                                    +| a   +
    |   "Plan": {"Node Type": "Result"}    +| b
    | }                                     | 
  2 | {"Plan": {"Node Type": "Seq Scan"}}   | c
  3 |                                       | d
(3 rows)

`
	_, b := read(t, text)
	if got := places(b); got != "3 Result; 6 Seq Scan" || len(b.Losses) > 0 {
		t.Errorf("%s %+v", got, b.Losses)
	}
}

func TestCutFrameKeepsWhatIsWhole(t *testing.T) {
	frame := frames(t)["json.aligned.unicode.2.off"]
	cut := frame[:strings.Index(frame, `"Rows Removed`)]
	_, b := read(t, cut)
	if len(b.Executions) != 1 || !b.Executions[0].Plan.Truncated || len(b.Losses) != 1 || b.Losses[0].Kind != record.LossTruncated {
		t.Errorf("%+v", b)
	}
}

func TestOtherTablesAreLeftAlone(t *testing.T) {
	for name, text := range map[string]string{
		"table":   " index_pages \n-------------\n        3638\n(1 row)\n",
		"heading": "QUERY PLANS\n-----------\nA text about Node types and cost=1.\n",
		"log":     "2026-11-30 14:10:44.820 UTC [24388] LOG:  duration: 13.026 ms  plan:\n\tQuery Text: q\n\tSeq Scan on t  (cost=0.00..1.00 rows=1 width=4)\n" + frames(t)["text.aligned.ascii.1.off"],
		"empty":   "",
	} {
		if d := Frame.Detect(&source.Head{Name: name, Data: []byte(text), EOF: true}); d != nil {
			t.Errorf("%s is claimed: %+v", name, d)
		}
	}
}

// What begins like a frame and is none must not be read again from each line.
func TestHostileTextTakesLinearTime(t *testing.T) {
	const n = 100_000
	for _, line := range []string{
		"x   +\n", "-[ RECORD 1 ]---\n", "<table>\n", "QUERY PLAN\n", "QUERY PLAN|x\n", " a\n---\n", "+--+\n| a|\n", "\"a\n",
		"> ->  x\n", "1. ->  x\n", "{\"Plan\"\n", "Plan:\n", "<Query>\n", "#012",
		"select x\n", "app=# insert into t\n", "a|index_pages\n", "index_pages\n1\n", "relname|pages\nx|1\n",
	} {
		text := []byte("cost=\n" + strings.Repeat(line, n))
		h := &source.Head{Name: "x", Data: text[:source.HeadSize], EOF: false}
		start := time.Now()
		Frame.Detect(h)
		var b record.Batch
		parse(h, text, record.Pos{File: "x", Line: 1}, &b)
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%q: %v", line, took)
		}
	}
}

func FuzzFrame(f *testing.F) {
	for name, frame := range frames(f) {
		if !strings.HasPrefix(name, "xml") && !strings.HasPrefix(name, "yaml") {
			f.Add([]byte(frame))
		}
	}
	for _, name := range []string{"repro-40000", "repro-80000"} {
		f.Add(sample(f, name))
	}
	f.Add([]byte("QUERY PLAN\napp=# delete from a\napp-# where b;\nDELETE 3\nrelname|pages\na|4\n(1 row)\nsize: 812 kB\n-- x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		h := &source.Head{Name: "x", Data: data, EOF: true}
		Frame.Detect(h)
		var b record.Batch
		parse(h, data, record.Pos{File: "x", Line: 1}, &b)
		for _, e := range b.Executions {
			if e.Pos.Line < 1 || e.Pos.Line > b.Lines || e.Pos.Offset < 0 || e.Pos.Offset > int64(len(data)) {
				t.Fatalf("plan at %+v of %d lines", e.Pos, b.Lines)
			}
		}
		for i, e := range b.Events {
			if e.Pos.Line < 1 || e.Pos.Line > b.Lines || e.LogTime.Known() || !e.Kind.OfTranscript() || e.Count < 0 || len(e.Text) > 1000 {
				t.Fatalf("event %+v of %d lines", e, b.Lines)
			}
			if i > 0 && e.Pos.Line < b.Events[i-1].Pos.Line {
				t.Fatalf("event %+v after %+v", e, b.Events[i-1])
			}
		}
	})
}

func BenchmarkFrame(b *testing.B) {
	data := []byte(frames(b)["text.aligned.ascii.1.off"])
	h := &source.Head{Name: "x", Data: data, EOF: true}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		parse(h, data, record.Pos{File: "x", Line: 1}, &record.Batch{})
	}
}
