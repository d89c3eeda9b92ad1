package psql

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

var update = flag.Bool("update", false, "rewrite golden files")

// sample is a transcript of samples/hnsw-repro.
func sample(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../../samples/hnsw-repro/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// told lists plans and events by place.
func told(b *record.Batch) string {
	var lines []string
	for _, e := range b.Executions {
		lines = append(lines, fmt.Sprintf("%4d %5d plan     %s, %d buffers", e.Pos.Line, e.Pos.Offset, explain.ShapeText(e.Plan), e.Figures.Total.Shared()))
	}
	for _, e := range b.Events {
		text := ""
		switch e.Kind {
		case record.EventHeading:
			text = "heading  " + e.Text
		case record.EventCommand:
			text = fmt.Sprintf("command  %s, %d rows", e.Object, e.Count)
			if e.Statement != nil {
				text += ", " + e.Statement.Normalized
			}
		case record.EventSize:
			text = strings.TrimSpace(fmt.Sprintf("size     %s: %d %s", e.Object, e.Count, e.Unit))
			if e.CountErr > 0 {
				text += fmt.Sprintf(" ± %d", e.CountErr)
			}
			if e.Text != "" {
				text += " of " + e.Text
			}
		}
		lines = append(lines, fmt.Sprintf("%4d %5d %s", e.Pos.Line, e.Pos.Offset, text))
	}
	slices.SortStableFunc(lines, func(a, b string) int { return strings.Compare(a[:4], b[:4]) })
	return strings.Join(lines, "\n") + "\n"
}

func TestTranscriptTellsItsExperimentInOrder(t *testing.T) {
	for _, name := range []string{"repro-40000", "repro-80000"} {
		format, b := read(t, string(sample(t, name)))
		if format != "psql" || len(b.Losses) > 0 || len(b.Executions) != 5 {
			t.Fatalf("%s: %s, %d plans, losses %v", name, format, len(b.Executions), b.Losses)
		}
		golden := "testdata/" + name + ".golden"
		if *update {
			if err := os.WriteFile(golden, []byte(told(b)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got := told(b); got != string(want) {
			t.Errorf("%s: got\n%s", name, got)
		}
		for i, e := range b.Events {
			if e.LogTime.Known() || i > 0 && e.Pos.Offset <= b.Events[i-1].Pos.Offset {
				t.Errorf("%s: %+v", name, e)
			}
		}
	}
}

// around puts text before a plan in a frame, which makes a file psql's.
func around(t *testing.T, text string) *record.Batch {
	t.Helper()
	var b record.Batch
	data := []byte(text + "\n" + frames(t)["text.aligned.ascii.1.off"])
	intern := func(text []byte) *record.Statement {
		return &record.Statement{Normalized: strings.ReplaceAll(string(text), "\n", " ")}
	}
	parse(&source.Head{Name: "x", Data: data, EOF: true, Intern: intern}, data, record.Pos{File: "x", Line: 1}, &b)
	if len(b.Executions) != 1 {
		t.Fatalf("%d plans in\n%s", len(b.Executions), data)
	}
	b.Executions = nil
	return &b
}

// events are the events of a text, without their offsets.
func events(t *testing.T, text string) string {
	t.Helper()
	var out []string
	for _, line := range strings.Split(strings.TrimRight(told(around(t, text)), "\n"), "\n") {
		if len(line) > 11 {
			out = append(out, strings.Join(strings.Fields(line[11:]), " "))
		}
	}
	return strings.Join(out, "; ")
}

func TestSizesInEveryFrame(t *testing.T) {
	const want = "size index_pages: 3638 pages"
	for name, text := range map[string]string{
		"aligned":            " index_pages \n-------------\n        3638\n(1 row)\n",
		"border 2":           "+-------------+\n| index_pages |\n+-------------+\n|        3638 |\n+-------------+\n(1 row)\n",
		"unicode":            "┌─────────────┐\n│ index_pages │\n├─────────────┤\n│        3638 │\n└─────────────┘\n(1 row)\n",
		"expanded":           "-[ RECORD 1 ]-----\nindex_pages | 3638\n",
		"unaligned":          "index_pages\n3638\n(1 row)\n",
		"unaligned expanded": "index_pages|3638\n",
		"csv":                "index_pages\n3638\n",
		"html":               "<table border=\"1\">\n  <tr>\n    <th align=\"center\">index_pages</th>\n  </tr>\n  <tr>\n    <td align=\"right\">3638</td>\n  </tr>\n</table>\n",
		"other language":     " index_pages \n-------------\n        3638\n(1 Zeile)\n",
		"echo":               "index_pages: 3638\n",
	} {
		if got := events(t, text); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestSizesInEveryUnit(t *testing.T) {
	for text, want := range map[string]string{
		"relpages\n12\n(1 row)\n":                              "size relpages: 12 pages",
		"pg_relation_size\n29802496\n(1 row)\n":                "size pg_relation_size: 29802496 bytes",
		"pg_size_pretty\n28 MB\n(1 row)\n":                     "size pg_size_pretty: 29360128 bytes ± 524288",
		"pg_size_pretty\n8192 bytes\n(1 row)\n":                "size pg_size_pretty: 8192 bytes",
		"index_mb\n28.4\n(1 row)\n":                            "size index_mb: 29779558 bytes ± 52428",
		"relname|pages\nt_idx|12\nt_pkey|7\n(2 rows)\n":        "size pages: 12 pages of t_idx; size pages: 7 pages of t_pkey",
		"pages|index_size\n12|98304\n":                         "size pages: 12 pages; size index_size: 98304 bytes",
		"dead_pages\n12\n(1 row)\n":                            "heading dead_pages",
		"idx_blks_hit\n12\n(1 row)\n":                          "heading idx_blks_hit",
		" a | pages \n---+-------\n 1 |    12\n 2 |    13\n\n": "",
		"index_pages\nNaN\n":                                   "heading index_pages; heading NaN",
		"index_pages\n-3\n":                                    "heading index_pages",
		"index_size\n1e400 MB\n":                               "heading index_size; heading 1e400 MB",
	} {
		if got := events(t, text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestWhatIsHeadingCommandOrNeither(t *testing.T) {
	for text, want := range map[string]string{
		"### L1 large (nnz=500), first\n":                                             "heading L1 large (nnz=500), first",
		"-- L1 large\n/* L2 */\n===== L3 =====\n------\n":                             "heading L1 large; heading L2; heading L3",
		"now the vacuum\n":                                                            "heading now the vacuum",
		"Insert before the vacuum\n":                                                  "heading Insert before the vacuum",
		"Delete was done\nselect 1;\n":                                                "heading Delete was done",
		"DELETE 2000\nVACUUM\nINSERT 0 40000\nCREATE INDEX\n":                         "command DELETE, 2000 rows; command VACUUM, 0 rows; command INSERT, 40000 rows; command CREATE INDEX, 0 rows",
		"DELETE\nINSERT 5\nVACUUM 3\nREINDEXED\n":                                     "heading DELETE; heading INSERT 5; heading VACUUM 3; heading REINDEXED",
		"Time: 1.234 ms\nZeit: 1,234 ms\nTime: 1 ms (00:01)\n":                        "",
		"NOTICE:  x\npsql:a.sql:3: ERROR:  y\nLINE 1: z\n":                            "",
		"\\echo x\n\\timing\nTiming is on.\n":                                         "",
		"delete from a\nwhere b;\nDELETE 3\n":                                         "command DELETE, 3 rows, delete from a where b;",
		"app=# -- L1 large\napp=# delete from a\napp-# where b;\nDELETE 3\napp=*# \n": "heading L1 large; command DELETE, 3 rows, delete from a where b;",
		"app=> vacuum a;\nVACUUM\nanalyze a;\nCOMMIT\n":                               "command VACUUM, 0 rows, vacuum a;; command COMMIT, 0 rows",
	} {
		if got := events(t, text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Lines of a plan that stands without a frame are no headings.
func TestBarePlanMakesNoHeadings(t *testing.T) {
	var b record.Batch
	data := []byte("### L1\nBEGIN\nInsert on items (actual rows=0 loops=1)\n  Buffers: shared hit=4953\n  ->  Result (actual rows=1 loops=1)\n" +
		"Planning Time: 0.675 ms\nExecution Time: 5.255 ms\nROLLBACK\n")
	parse(&source.Head{Name: "x", Data: data, EOF: true}, data, record.Pos{File: "x", Line: 1}, &b)
	if len(b.Executions) != 1 {
		t.Fatalf("%d plans", len(b.Executions))
	}
	b.Executions = nil
	if got := told(&b); strings.Count(got, "\n") != 3 || !strings.Contains(got, "heading  L1") || !strings.Contains(got, "ROLLBACK") {
		t.Error(got)
	}
}

func TestManyHeadingsAreCapped(t *testing.T) {
	b := around(t, strings.Repeat("### x\n", maxEvents+5))
	if len(b.Events) != maxEvents || len(b.Losses) != 1 || b.Losses[0].Kind != record.LossCap || b.Losses[0].Pos.Line != maxEvents+1 {
		t.Errorf("%d events, losses %v", len(b.Events), b.Losses)
	}
}

func BenchmarkTranscript(b *testing.B) {
	data := bytes.Repeat(sample(b, "repro-40000"), 50)
	h := &source.Head{Name: "x", Data: data, EOF: true}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		parse(h, data, record.Pos{File: "x", Line: 1}, &record.Batch{})
	}
}

func TestATranscriptOfABuildNeedsNoPlan(t *testing.T) {
	const notice = "NOTICE:  hnsw graph no longer fits into maintenance_work_mem after 12345 tuples\nDETAIL:  Building will take significantly more time.\n"
	for text, want := range map[string]bool{
		"shop=# create index on items using hnsw (embedding vector_l2_ops);\n" + notice + "CREATE INDEX\n": true,
		"psql:build.sql:3: " + notice + "CREATE INDEX\n":                                                   true,
		notice:                       false, // of a server log with an empty prefix
		"CREATE INDEX\n":             false,
		"NOTICE:  x\nCREATE INDEX\n": false,
		"2026-11-30 14:20:14 UTC [7] " + notice + "2026-11-30 14:20:15 UTC [7] LOG:  duration: 1 ms\nCREATE INDEX\n": false,
	} {
		if d := Frame.Detect(&source.Head{Name: "x.txt", Data: []byte(text), EOF: true}); (d != nil) != want {
			t.Errorf("%q: %+v", text, d)
		}
	}
}
