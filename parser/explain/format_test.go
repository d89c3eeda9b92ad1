package explain

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

func head(name, data string) *source.Head {
	return &source.Head{Name: name, Data: []byte(data), EOF: true}
}

func read(t *testing.T, f source.Format, name, data string) *record.Batch {
	t.Helper()
	d := f.Detect(head(name, data))
	if d == nil || d.Parse == nil {
		t.Fatalf("%s: not recognised as %s: %+v", name, f.Name, d)
	}
	if n := d.Cut([]byte(data)); n != len(data) || d.Begin([]byte(data)) != 0 || !d.Whole {
		t.Errorf("%s: not read whole", name)
	}
	var b record.Batch
	d.Parse([]byte(data), record.Pos{File: name, Line: 1}, &b)
	return &b
}

func file(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestFormatJSONReadsEveryPlanOfAFile(t *testing.T) {
	for name, want := range map[string]string{
		"json_concat.txt":           "2:11270 57:10911",
		"ndjson.txt":                "1:3544 2:3770",
		"json_autoexplain_obj.json": "1:1",
		"plans/pg18-rule2.json":     "2:84 92:44",
		"json_infinity.json":        "2:",
		"autoexplain_insert.json":   "1:63080",
	} {
		b := read(t, JSON, name, file(t, name))
		if got := places(b); got != want || len(b.Losses) != 0 {
			t.Errorf("%s: %s, want %s; losses %v", name, got, want, b.Losses)
		}
	}
}

// places lists line:duration of the executions.
func places(b *record.Batch) string {
	var out []string
	for _, e := range b.Executions {
		place := fmt.Sprintf("%d:", e.Pos.Line)
		if e.HasDuration {
			place += fmt.Sprint(int64(e.Duration))
		}
		out = append(out, place)
	}
	return strings.Join(out, " ")
}

func TestFormatJSONReportsDamageAndGoesOn(t *testing.T) {
	good := `[{"Plan":{"Node Type":"Result","Actual Total Time":1.5,"Actual Loops":1}}]` + "\n"
	b := read(t, JSON, "x.json", good+`[{"Plan":{"Node Type":"A",7}}]`+"\n"+good+"psql: error\n"+good+`{"no":"plan"}`+"\n")
	if got := places(b); got != "1:1500 3:1500 5:1500" {
		t.Errorf("plans at %s", got)
	}
	if len(b.Losses) != 3 || b.Losses[0].Pos.Line != 2 || b.Lines != 6 || b.Entries != 6 || b.Understood != 3 {
		t.Errorf("losses %+v, %d lines, %d entries", b.Losses, b.Lines, b.Entries)
	}
	b = read(t, JSON, "x.json", good+strings.Repeat("{}\n", 1000))
	if n := len(b.Losses); n != maxLosses || b.Losses[n-1].Count != 1000-maxLosses+1 {
		t.Errorf("%d losses, the last counts %d", n, b.Losses[n-1].Count)
	}
	b = read(t, JSON, "cut.json", file(t, "json_truncated.txt"))
	if len(b.Executions) != 1 || !b.Executions[0].Plan.Truncated || len(b.Losses) != 1 || b.Losses[0].Kind != record.LossTruncated {
		t.Errorf("cut file: %+v", b)
	}
}

func TestFormatTextReadsEveryTreeOfAFile(t *testing.T) {
	b := read(t, Text, "rules.txt", file(t, "plans/pg18-rule2.txt"))
	if got := places(b); got != "1:128 10:49" || len(b.Losses) != 0 {
		t.Errorf("%s, losses %v", got, b.Losses)
	}
	b = read(t, Text, "x.txt", "BEGIN\n       QUERY PLAN\n------------\n Result (actual rows=1 loops=1)\n Execution Time: 1.5 ms\n(2 rows)\n\n"+
		"       QUERY PLAN\n------------\n Limit\n   ->  Seq Scan on t\n(2 rows)\n\nROLLBACK\n")
	if got := places(b); got != "4:1500 10:" || b.Lines != 14 {
		t.Errorf("%s, %d lines, losses %v", got, b.Lines, b.Losses)
	}
}

func TestFormatsTellTheTimeOfAPlan(t *testing.T) {
	want, _ := record.ParseTime("2026-11-30 14:20:14+00")
	plan := `{"captured_at":"2026-11-30 14:20:14+00","Plan":{"Node Type":"Result"}}`
	if e := read(t, JSON, "x.json", plan).Executions[0]; e.LogTime != want {
		t.Errorf("captured_at: %v", e.LogTime.Std())
	}
	plan = `{"Plan":{"Node Type":"Result"}}`
	if e := read(t, JSON, "plans/2026-11-30_14-20-14.json", plan).Executions[0]; e.LogTime != want {
		t.Errorf("file name: %v", e.LogTime.Std())
	}
	if e := read(t, JSON, "x.json", plan).Executions[0]; e.LogTime != record.NoTime || e.HasDuration {
		t.Errorf("no time: %+v", e)
	}
}

func TestFormatsMakeAStatementOfAPlanWithoutQuery(t *testing.T) {
	e := read(t, Text, "x.txt", insertTree).Executions[0]
	s := e.Statement
	if s.Command != "INSERT" || s.Target != "items" || len(s.Relations) != 1 ||
		!strings.HasPrefix(s.Fingerprint, "plan:") || s.Normalized != "Insert on items > Values Scan" {
		t.Errorf("%+v", s)
	}
	h := head("x.json", file(t, "autoexplain_insert.json"))
	h.Intern = func(text []byte) *record.Statement { return &record.Statement{Normalized: string(text)} }
	var b record.Batch
	JSON.Detect(h).Parse(h.Data, record.Pos{File: "x.json", Line: 1}, &b)
	if s := b.Executions[0].Statement; !strings.HasPrefix(s.Normalized, "insert into items") {
		t.Errorf("%+v", s)
	}
}

func TestFormatsLeaveOtherFilesAlone(t *testing.T) {
	for name, data := range map[string]string{
		"jsonlog":   `{"timestamp":"2026-11-30 13:53:40.738 UTC","pid":26735,"error_severity":"LOG","message":"duration: 0.072 ms  plan:\n{\n  \"Query Text\": \"q\",\n  \"Plan\": {\n    \"Node Type\": \"Limit\"}}"}` + "\n",
		"snapshots": `{"captured_at":"2026-11-30 13:53:40+00","view":"pg_stat_user_tables","relname":"t","n_live_tup":5}` + "\n",
		"pgmetrics": `{"meta":{"version":"1"},"plans":[{"plan":"x"}]}`,
		"stderr": "2026-11-30 14:10:44.820 UTC [24388] LOG:  duration: 13.026 ms  plan:\n\tQuery Text: q\n" +
			"\tAggregate  (cost=2356.00..2356.01 rows=1 width=72)\n",
		"stderr json": "2026-11-30 14:10:44.820 UTC [24388] LOG:  duration: 13.026 ms  plan:\n\t{\n\t  \"Plan\": {\"Node Type\": \"A\"}}\n",
		"csv":         "captured_at,relname\n2026-11-30,t\n",
		"empty":       "",
		"sql":         "select 1;\nLimit  (cost)\n",
	} {
		for _, f := range []source.Format{JSON, Text} {
			if d := f.Detect(head(name, data)); d != nil {
				t.Errorf("%s is claimed as %s", name, f.Name)
			}
		}
	}
}

func TestFormatsRefuseOtherDatabases(t *testing.T) {
	for name, data := range map[string]string{
		"mysql json":  `{"query_block":{"select_id":1,"cost_info":{"query_cost":"1.00"}}}`,
		"mysql tree":  "-> Table scan on t  (cost=0.35 rows=1)\n",
		"cockroachdb": "distribution: full\nvectorized: true\n\n• scan\n  table: t@pkey\n",
	} {
		refused := false
		for _, f := range []source.Format{JSON, Text} {
			d := f.Detect(head(name, data))
			refused = refused || d != nil && d.Reason != "" && d.Parse == nil
		}
		if !refused {
			t.Errorf("%s is not refused", name)
		}
	}
}

// TestOnePlanThatIsCutTakesNoOtherWithIt has three plans of which the second
// ends in the middle.
func TestOnePlanThatIsCutTakesNoOtherWithIt(t *testing.T) {
	const (
		json = `[{"Plan": {"Node Type": "Seq Scan", "Relation Name": "b", "Actual Rows": 1, "Actual Loops": 1}}]`
		xml  = "<explain xmlns=\"http://www.postgresql.org/2009/explain\">\n  <Query>\n    <Plan>\n      <Node-Type>Seq Scan</Node-Type>\n" +
			"      <Relation-Name>b</Relation-Name>\n    </Plan>\n  </Query>\n</explain>"
	)
	for _, c := range []struct {
		format source.Format
		whole  string
	}{{JSON, json}, {JSON, json[1 : len(json)-1]}, {JSON, strings.ReplaceAll(json, ", ", ",\n  ")}, {XML, xml}} {
		for cut := len(c.whole) / 3; cut < len(c.whole); cut++ {
			b := read(t, c.format, "x", c.whole+"\n"+c.whole[:cut]+"\n"+c.whole+"\n")
			n := 0
			for i := range b.Executions {
				if p := b.Executions[i].Plan; !p.Truncated && p.Nodes[0].RelationName == "b" {
					n++
				}
			}
			if n < 2 || len(b.Executions) > 3 {
				t.Errorf("%s: %d whole plans of %d after %q: %+v", c.format.Name, n, len(b.Executions), c.whole[:cut], b.Losses)
			}
		}
	}
}
