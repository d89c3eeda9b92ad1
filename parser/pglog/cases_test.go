package pglog

import (
	"slices"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

// Each case is a small reconstruction of a report about another log reader;
// names and figures are invented.

func query(x *record.Execution) string {
	if x.Statement == nil {
		return ""
	}
	return x.Statement.Normalized
}

func lossCount(b *record.Batch, kind record.LossKind) (n int64) {
	for _, l := range b.Losses {
		if l.Kind == kind {
			n += l.Count
		}
	}
	return n
}

func TestCSVPlanOfQueryWithoutSemicolon(t *testing.T) {
	b := parseText(t, CSVLog, `2026-03-02 08:00:01.100 UTC,"app","shop",4101,"10.0.0.5:40112",69a54000.1005,7,"SELECT",2026-03-02 08:00:00 UTC,3/41,0,LOG,00000,"duration: 52.114 ms  plan:
Query Text: select * from items where kind = 32
Seq Scan on items  (cost=0.00..9633.33 rows=1 width=4) (actual time=0.270..52.105 rows=1 loops=1)
  Filter: (kind = 32)
  Rows Removed by Filter: 333333
  Buffers: shared hit=120 read=4301",,,,,,,,,"worker-a","client backend",,8812345678901234567
`)
	if len(b.Executions) != 1 {
		t.Fatalf("%d executions", len(b.Executions))
	}
	x := &b.Executions[0]
	if x.Kind != record.ExecPlan || x.Duration != 52114 || query(x) != "select * from items where kind = 32" {
		t.Errorf("%+v %q", x, query(x))
	}
	if x.QueryID != 8812345678901234567 || x.ProcessID != 4101 || x.Application != "worker-a" || x.Session != "69a54000.1005" {
		t.Errorf("%+v", x)
	}
	if x.Figures.Total.SharedHit != 120 || x.Figures.Total.SharedRead != 4301 || x.Plan == nil || x.Plan.Nodes[0].NodeType != "Seq Scan" {
		t.Errorf("%+v", x.Figures)
	}
}

func TestPlanAndDurationOfOneExecutionStayTwo(t *testing.T) {
	b := parseText(t, Stderr, `2026-03-02 08:00:01.100 UTC [4101] app@shop LOG:  duration: 41.900 ms  plan:
	Query Text: select count(*)
	from items
	where kind = 32;
	Aggregate  (cost=10.00..10.01 rows=1 width=8) (actual time=41.800..41.801 rows=1 loops=1)
	  Buffers: shared hit=4421
	  ->  Seq Scan on items  (cost=0.00..9.00 rows=4 width=0) (actual time=0.010..41.700 rows=4 loops=1)
	        Filter: (kind = 32)
	        Buffers: shared hit=4421
2026-03-02 08:00:01.101 UTC [4101] app@shop LOG:  duration: 42.317 ms  statement: select count(*)
	from items
	where kind = 32;
`)
	if len(b.Executions) != 2 {
		t.Fatalf("%d executions", len(b.Executions))
	}
	plan, statement := &b.Executions[0], &b.Executions[1]
	if plan.Kind != record.ExecPlan || plan.Duration != 41900 || !plan.HasPlan || plan.Figures.Total.SharedHit != 4421 {
		t.Errorf("plan %+v", plan)
	}
	if statement.Kind != record.ExecStatement || statement.Duration != 42317 {
		t.Errorf("statement %+v", statement)
	}
	if query(plan) != query(statement) || plan.Session != statement.Session {
		t.Errorf("cannot be paired: %q %q", query(plan), query(statement))
	}
}

func TestBareDurationsKeepTheirSession(t *testing.T) {
	b := parseText(t, Stderr, `2026-03-02 08:00:01.100 UTC [501] user=u1,db=aa LOG:  statement: select slow_thing()
2026-03-02 08:00:01.110 UTC [502] user=u2,db=bb LOG:  statement: select fast_thing()
2026-03-02 08:00:01.111 UTC [502] user=u2,db=bb LOG:  duration: 0.960 ms
2026-03-02 08:00:01.589 UTC [501] user=u1,db=aa LOG:  duration: 489.168 ms
2026-03-02 08:00:01.590 UTC [501] user=u1,db=aa LOG:  statement: select 3
`)
	want := []struct {
		session  string
		kind     record.ExecutionKind
		duration record.Duration
	}{
		{"501", record.ExecText, 0}, {"502", record.ExecText, 0}, {"502", record.ExecDuration, 960},
		{"501", record.ExecDuration, 489168}, {"501", record.ExecText, 0},
	}
	for i, w := range want {
		x := b.Executions[i]
		if x.Session != w.session || x.Kind != w.kind || x.Duration != w.duration || x.HasDuration != (w.kind == record.ExecDuration) {
			t.Errorf("%d: %+v", i, x)
		}
	}
}

func TestStatementWithoutDurationGetsNone(t *testing.T) {
	row := func(line, message, detail string) string {
		return `2026-03-02 08:00:01.100 UTC,"app","shop",501,"10.0.0.5:1",69a54000.1f5,` + line +
			`,"SELECT",2026-03-02 08:00:00 UTC,3/1,0,LOG,00000,"` + message + `","` + detail + `",,,,,,,,"svc","client backend",,0` + "\n"
	}
	b := parseText(t, CSVLog, row("1", "duration: 134.418 ms  execute <unnamed>: select * from ledger where name = $1", "parameters: $1 = 'x'")+
		row("2", "execute <unnamed>: update ledger set name = $1", "parameters: $1 = 'y'"))
	x, y := b.Executions[0], b.Executions[1]
	if x.Kind != record.ExecExecute || x.Duration != 134418 || x.Name != "<unnamed>" || x.Parameters != "$1 = 'x'" || x.LineNum != 1 {
		t.Errorf("%+v", x)
	}
	if y.Kind != record.ExecText || y.HasDuration || y.Name != "<unnamed>" || y.Parameters != "$1 = 'y'" || y.QueryID != 0 {
		t.Errorf("%+v", y)
	}
}

func TestParametersOverSeveralLines(t *testing.T) {
	b := parseText(t, Stderr, `2026-03-02 08:00:01.100 UTC [801] app@shop LOG:  duration: 9.500 ms  execute <unnamed>: insert into notes(a,b,c) values ($1,$2,$3)
2026-03-02 08:00:01.100 UTC [801] app@shop DETAIL:  Parameters: $1 = '41', $2 = 'first line
	        second line, $9 = ''not a param''', $3 = NULL
2026-03-02 08:00:01.200 UTC [801] app@shop LOG:  duration: 1.000 ms  statement: select 1
`)
	const want = "$1 = '41', $2 = 'first line\n        second line, $9 = ''not a param''', $3 = NULL"
	if got := b.Executions[0].Parameters; got != want {
		t.Errorf("%q", got)
	}
	if len(b.Executions) != 2 || b.Executions[1].Parameters != "" {
		t.Errorf("%+v", b.Executions)
	}
}

func TestParametersAreCapped(t *testing.T) {
	long := strings.Repeat("é", maxParameters)
	b := parseText(t, Stderr, "2026-03-02 08:00:01.100 UTC [801] LOG:  duration: 9.500 ms  execute a: select $1\n"+
		"2026-03-02 08:00:01.100 UTC [801] DETAIL:  parameters: $1 = '"+long+"'\n")
	got := b.Executions[0].Parameters
	if len(got) > maxParameters || !strings.HasSuffix(got, "é") {
		t.Errorf("%d bytes, ends in %q", len(got), got[len(got)-2:])
	}
}

func TestRemoteHostsOfEveryKind(t *testing.T) {
	text := `2026-03-02 08:00:01 UTC [951]: [1-1] user=app,db=shop,host=10.1.2.3(56312) LOG:  duration: 12.000 ms  statement: select 1
2026-03-02 08:00:02 UTC [952]: [1-1] user=app,db=shop,host=[local] LOG:  duration: 13.000 ms  statement: select 2
2026-03-02 08:00:03 UTC [953]: [1-1] user=app,db=shop,host=fe80::1(56312) LOG:  duration: 14.000 ms  statement: select 3
2026-03-02 08:00:04 UTC [954]: [1-1] user=,db=,host= LOG:  checkpoint starting: time
`
	b := parseText(t, Stderr, text)
	if len(b.Executions) != 3 || len(b.Events) != 1 || b.Events[0].Kind != record.EventCheckpointStart || b.Events[0].UserName != "" {
		t.Fatalf("%+v %+v", b.Executions, b.Events)
	}
	x := b.Executions[2]
	if x.UserName != "app" || x.Database != "shop" || x.Session != "953" || x.LineNum != 1 || x.Resolution != record.Second {
		t.Errorf("%+v", x)
	}
}

func TestTempFilesAfterTheStatement(t *testing.T) {
	b := parseText(t, Stderr, `2026-03-02 08:00:04 UTC:10.2.3.4(4401):app@shop:[991]:LOG:  duration: 117221.712 ms  execute <unnamed>: SELECT big_sort()
2026-03-02 08:00:04 UTC:10.2.3.4(4401):app@shop:[991]:DETAIL:  parameters: $1 = '5'
2026-03-02 08:00:04 UTC:10.2.3.4(4401):app@shop:[991]:LOG:  temporary file: path "base/pgsql_tmp/pgsql_tmp991.2584", size 1073741824
2026-03-02 08:00:04 UTC:10.2.3.4(4401):app@shop:[991]:LOG:  temporary file: path "base/pgsql_tmp/pgsql_tmp991.2585", size 408690683
`)
	var bytes int64
	for _, e := range b.Events {
		if e.Kind != record.EventTempFile || e.Session != "991" || e.Statement != nil {
			t.Errorf("%+v", e)
		}
		bytes += e.Count
	}
	if len(b.Events) != 2 || bytes != 1482432507 || b.Executions[0].Parameters != "$1 = '5'" || b.Executions[0].Duration != 117221712 {
		t.Errorf("%d bytes, %+v", bytes, b.Executions)
	}
}

func TestPrefixWithoutProcessID(t *testing.T) {
	const text = `2026-03-02 08:00:01.100 UTC app psql 10.0.0.9 LOG:  duration: 21.701 ms  statement: select * from trails
2026-03-02 08:00:02.100 UTC app psql 10.0.0.9 ERROR:  parse error - invalid geometry at character 130
2026-03-02 08:00:02.100 UTC app psql 10.0.0.9 STATEMENT:  select st_x('')
`
	h := headOf([]byte(text))
	h.Prefix = "%m %u %a %h "
	b := parse(t, Stderr, h, []byte(text))
	if x := b.Executions[0]; x.UserName != "app" || x.Application != "psql" || x.Session != "" || x.Duration != 21701 {
		t.Errorf("%+v", x)
	}
	e := b.Events[0]
	if e.Kind != record.EventError || e.Text != "parse error - invalid geometry" || e.Statement == nil || e.Statement.Normalized != "select st_x('')" {
		t.Errorf("%+v", e)
	}
	if len(b.Losses) != 1 || !strings.Contains(b.Losses[0].Text, "%p or %c") || b.Losses[0].Count != 2 {
		t.Errorf("%+v", b.Losses)
	}
}

func TestPaddedPrefixWithLeader(t *testing.T) {
	const text = `2026-03-02 08:00:01.100 UTC [  501]  client backend           /   app@shop LOG:  duration: 21.701 ms  statement: select 1
2026-03-02 08:00:02.100 UTC [  777]  parallel worker       501/   app@shop LOG:  temporary file: path "base/pgsql_tmp/pgsql_tmp777.0", size 8192
`
	p, err := compilePrefix("%m [%5p]  %-20b%5P/ %q%6u@%d ")
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Split(text, "\n")[1]
	var m matched
	if !p.match([]byte(line), &m) {
		t.Fatal("not matched")
	}
	for field, want := range map[int]string{
		fieldPID: "777", fieldLeaderPID: "501", fieldBackendType: "parallel worker", fieldUser: "app", fieldDatabase: "shop",
	} {
		if got := string(m.field([]byte(line), field)); got != want {
			t.Errorf("%%%c: %q, want %q", escapes[field], got, want)
		}
	}
	h := headOf([]byte(text))
	h.Prefix = p.text
	if b := parse(t, Stderr, h, []byte(text)); len(b.Executions) != 1 || len(b.Events) != 1 || len(b.Losses) != 0 {
		t.Errorf("%+v", b)
	}
}

func TestNamesThatLookLikeThePrefix(t *testing.T) {
	b := parseText(t, Stderr, `2026-03-02 08:00:01.100 UTC [11] user=jörg@corp,db=my-db 2,app=sidekiq 7 default[0 of 50 busy],client=10.0.0.1 LOG:  duration: 21.701 ms  statement: select 1
2026-03-02 08:00:02.100 UTC [11] user=jörg@corp,db=my-db 2,app=a,b=c LOG: fake,client=10.0.0.1 LOG:  duration: 31.701 ms  statement: select 'ERROR:  not an error INFO: neither'
`)
	if len(b.Executions) != 2 || len(b.Events) != 0 {
		t.Fatalf("%+v %+v", b.Executions, b.Events)
	}
	x, y := b.Executions[0], b.Executions[1]
	if x.UserName != "jörg@corp" || x.Database != "my-db 2" || x.Application != "sidekiq 7 default[0 of 50 busy]" {
		t.Errorf("%+v", x)
	}
	if y.Application != "a,b=c LOG: fake" || y.Duration != 31701 || query(&y) != "select 'ERROR:  not an error INFO: neither'" {
		t.Errorf("%+v", y)
	}
}

func TestSameEventsInTwoDestinationsCanBeMatched(t *testing.T) {
	x := parseText(t, Stderr, "2026-03-02 08:00:01.100 UTC [501] c=69a54000.1f5 l=1 LOG:  duration: 134.418 ms  statement: select 1\n").Executions
	y := parseText(t, CSVLog, `2026-03-02 08:00:01.100 UTC,"app","shop",501,"10.0.0.5:1",69a54000.1f5,1,"SELECT",2026-03-02 08:00:00 UTC,3/1,0,LOG,00000,"duration: 134.418 ms  statement: select 1",,,,,,,,,"svc","client backend",,0`+"\n").Executions
	if len(x) != 1 || len(y) != 1 || x[0].Session != y[0].Session || x[0].LogTime != y[0].LogTime || query(&x[0]) != query(&y[0]) {
		t.Errorf("%+v\n%+v", x, y)
	}
}

func TestGermanLog(t *testing.T) {
	b := parseText(t, Stderr, `2026-03-02 08:00:01 CET [961]: [13-1] db=shop,user=app LOG:  00000: Dauer: 0.385 ms  Parsen pdo_stmt_00000002: SELECT schema_major FROM rev ORDER BY 1
2026-03-02 08:00:01 CET [961]: [14-1] db=shop,user=app ORT:  exec_parse_message, postgres.c:1433
2026-03-02 08:00:01 CET [961]: [15-1] db=shop,user=app LOG:  00000: Dauer: 1204.011 ms  Anweisung: SELECT count(*) FROM rev
2026-03-02 08:00:01 CET [961]: [16-1] db=shop,user=app FEHLER:  22012: Division durch Null
2026-03-02 08:00:01 CET [961]: [17-1] db=shop,user=app ANWEISUNG:  SELECT 1/0
2026-03-02 08:00:02 CET [961]: [18-1] db=shop,user=app LOG:  00000: duration: 900.100 ms  plan:
	Query Text: SELECT count(*) FROM rev
	Aggregate  (cost=1.00..1.01 rows=1 width=8)
	  ->  Seq Scan on rev  (cost=0.00..1.00 rows=1 width=0)
2026-03-02 08:00:03 CET [961]: [19-1] db=shop,user=app LOG:  00000: die Verbindung wurde nicht angenommen
`)
	if got := summary(b); got != `1 exec 5 07:00:01.000 app@shop pid=961 took=385 params="" plan=false id=0 SELECT schema_major FROM rev ORDER BY 1
3 exec 2 07:00:01.000 app@shop pid=961 took=1204011 params="" plan=false id=0 SELECT count(*) FROM rev
6 exec 1 07:00:02.000 app@shop pid=961 took=900100 params="" plan=true id=0 SELECT count(*) FROM rev
4 event 16 07:00:01.000 app@shop pid=961 state=22012 text="Division durch Null" SELECT 1/0
loss 10 message not in English: German messages not understood; plans and SQLSTATE were read × 1
` {
		t.Error(got)
	}
	if b.Entries != 5 || b.Understood != 4 {
		t.Errorf("%d entries, %d understood, %+v", b.Entries, b.Understood, b.Losses)
	}
}

func TestSecondaryLinesBetweenOtherSessions(t *testing.T) {
	b := parseText(t, Stderr, `2026-03-02 08:00:01.100 UTC [1] LOG:  duration: 1.000 ms  execute a: select $1
2026-03-02 08:00:01.100 UTC [2] ERROR:  division by zero
2026-03-02 08:00:01.100 UTC [1] DETAIL:  parameters: $1 = '1'
2026-03-02 08:00:01.100 UTC [2] STATEMENT:  select 1
	/0
2026-03-02 08:00:01.100 UTC [3] STATEMENT:  of nothing
	at all
`)
	if b.Executions[0].Parameters != "$1 = '1'" || b.Events[0].Statement.Normalized != "select 1\n/0" {
		t.Errorf("%+v %+v", b.Executions, b.Events)
	}
	if n := lossCount(b, record.LossLine); n != 2 {
		t.Errorf("%d lines lost, want the STATEMENT without its entry and what follows it: %+v", n, b.Losses)
	}
}

func TestCarriageReturnsAreNoText(t *testing.T) {
	text := strings.ReplaceAll(`2026-03-02 08:00:01.100 UTC [1] LOG:  duration: 1.000 ms  statement: select 1,
	2
2026-03-02 08:00:01.100 UTC [1] LOG:  duration: 2.000 ms
`, "\n", "\r\n")
	b := parseText(t, Stderr, text)
	if len(b.Executions) != 2 || query(&b.Executions[0]) != "select 1,\n2" || b.Executions[1].Duration != 2000 {
		t.Errorf("%q %+v", query(&b.Executions[0]), b.Executions)
	}
	row := strings.ReplaceAll(`2026-03-02 08:00:01.100 UTC,"app","shop",501,"10.0.0.5:1",69a54000.1f5,1,"SELECT",2026-03-02 08:00:00 UTC,3/1,0,LOG,00000,"duration: 134.418 ms",,,,,,,,,"svc"`+"\n", "\n", "\r\n")
	b = parseText(t, CSVLog, row+row)
	if len(b.Executions) != 2 || b.Executions[1].Application != "svc" || len(b.Losses) != 0 {
		t.Errorf("%+v %+v", b.Executions, b.Losses)
	}
}

func TestNoTextTakenForAMessage(t *testing.T) {
	for _, m := range []string{
		"custom log: duration: 1.000 ms  plan:", "duration: 1.000 ms plan:", "duration: x ms", "duration: 1.000 s",
		"duration: 1.000 ms  vacuum: x", "statements: 3", "process data", "temporary file: path x", "automatic vacuum of tables",
	} {
		b := parseText(t, Stderr, "2026-03-02 08:00:01.100 UTC [1] LOG:  "+m+"\n")
		if b.Entries != 1 || b.Understood != 0 || len(b.Executions)+len(b.Events)+len(b.Vacuums)+len(b.Losses) != 0 {
			t.Errorf("%q: %+v", m, b)
		}
	}
}

func TestNamesOfStatements(t *testing.T) {
	tests := []struct {
		message, name, query string
		kind                 record.ExecutionKind
	}{
		{"parse S_1:x: select 1", "S_1:x", "select 1", record.ExecParse},
		{"bind S_1/C_2: select 1", "S_1/C_2", "select 1", record.ExecBind},
		{"execute my stmt: select ': '", "my stmt", "select ': '", record.ExecExecute},
		{"execute fetch from S_3/C_4: select 1", "S_3/C_4", "select 1", record.ExecFetch},
		{"rows: 3  size: 40 bytes  execute a: select 1", "a", "select 1", record.ExecExecute},
	}
	for _, test := range tests {
		b := parseText(t, Stderr, "2026-03-02 08:00:01.100 UTC [5] LOG:  duration: 1.000 ms  "+test.message+"\n")
		if len(b.Executions) != 1 {
			t.Errorf("%q: not read", test.message)
			continue
		}
		if x := &b.Executions[0]; x.Name != test.name || query(x) != test.query || x.Kind != test.kind {
			t.Errorf("%q: %+v %q", test.message, x, query(x))
		}
	}
}

func TestPlansOfFormatsNotReadKeepTheirDuration(t *testing.T) {
	for _, payload := range []string{"<explain xmlns=\"http://www.postgresql.org/2009/explain\">", `Query Text: "select 1"`, "{ broken", ""} {
		b := parseText(t, Stderr, "2026-03-02 08:00:01.100 UTC [5] LOG:  duration: 1.500 ms  plan:\n\t"+payload+"\n")
		if len(b.Executions) != 1 || b.Executions[0].Duration != 1500 || b.Executions[0].HasPlan || lossCount(b, record.LossPlan) != 1 {
			t.Errorf("%q: %+v %+v", payload, b.Executions, b.Losses)
		}
	}
}

func TestTreesAreKeptForEarliestAndSlowest(t *testing.T) {
	var text strings.Builder
	for _, ms := range []string{"5.000", "9.000", "7.000", "11.000", "3.000"} {
		text.WriteString("2026-03-02 08:00:01.100 UTC [5] LOG:  duration: " + ms + " ms  plan:\n" +
			"\t{\"Query Text\": \"select 1\", \"Plan\": {\"Node Type\": \"Result\", \"Actual Rows\": 1, \"Actual Loops\": 1}}\n")
	}
	b := parseText(t, Stderr, text.String())
	var kept []record.Duration
	for _, x := range b.Executions {
		if x.Plan != nil {
			kept = append(kept, x.Duration)
		}
	}
	if !slices.Equal(kept, []record.Duration{5000, 11000}) {
		t.Errorf("trees of %v", kept)
	}
}
