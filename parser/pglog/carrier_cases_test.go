package pglog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// every is the log formats in the order of parser.Formats.
var every = []source.Format{
	Stderr, CSVLog, JSONLog, Syslog, Heroku, Journald, Docker, CRI, CloudWatch,
	CloudSQL, Azure, AzureCSV, CloudNativePG, ShipperJSON, ShipperCSV, PgBouncer,
}

// recognised is the format that would be taken, as the parser decides.
func recognised(h *source.Head) (name string, best *source.Detection) {
	for _, f := range every {
		if d := f.Detect(h); d != nil && (best == nil || d.Score > best.Score || d.Score == best.Score && d.Reason == "" && best.Reason != "") {
			name, best = f.Name, d
		}
	}
	return name, best
}

func TestEachCarrierIsRecognised(t *testing.T) {
	for _, w := range carriers {
		data, _ := shipSample(t, w)
		if name, d := recognised(headOf(data)); name != w.format.Name || d.Reason != "" {
			t.Errorf("%s: taken for %s: %+v", w.name, name, d)
		}
	}
	for sample, want := range map[string]string{
		"pg18-pg.log": "stderr", "shop.log": "stderr", "pg18-extra.log": "stderr", "pg12-pg.csv": "csvlog",
		"localized.csv": "csvlog", "saw.json": "jsonlog",
	} {
		if name, _ := recognised(headOf(readSample(t, sample))); name != want {
			t.Errorf("%s: taken for %s", sample, name)
		}
	}
}

// shippedCase is a log as a platform hands it out, and what it says.
type shippedCase struct {
	name, format, text string
	want               string // records, a line each
}

// summary is what records say in short.
func summary(b *record.Batch) string {
	var out strings.Builder
	for _, x := range b.Executions {
		fmt.Fprintf(&out, "%d exec %d %s %s@%s pid=%d took=%d params=%q plan=%t id=%d %s\n",
			x.Pos.Line, x.Kind, x.LogTime.Std().Format("15:04:05.000"), x.UserName, x.Database, x.ProcessID,
			x.Duration, x.Parameters, x.HasPlan, x.QueryID, query(&x))
	}
	for _, e := range b.Events {
		fmt.Fprintf(&out, "%d event %d %s %s@%s pid=%d state=%s text=%q %s\n", e.Pos.Line, e.Kind, e.LogTime.Std().Format("15:04:05.000"),
			e.UserName, e.Database, e.ProcessID, e.SQLState, e.Text, strings.Trim(textOf(e.Statement), `"`))
	}
	for _, v := range b.Vacuums {
		fmt.Fprintf(&out, "%d vacuum %s\n", v.Pos.Line, v.Relation)
	}
	for _, l := range b.Losses {
		fmt.Fprintf(&out, "loss %d %s: %s × %d\n", l.Pos.Line, l.Kind, l.Text, l.Count)
	}
	return out.String()
}

var shippedCases = []shippedCase{
	{"syslog that tells time and process", "syslog", `Mar  2 08:00:01 db1 sshd[77]: Accepted publickey for root
Mar  2 08:00:01 db1 postgres[501]: [7-1] app@shop LOG:  duration: 21.701 ms  statement: select *
Mar  2 08:00:01 db1 postgres[502]: [4-1] app@shop ERROR:  division by zero
Mar  2 08:00:01 db1 postgres[501]: [7-2] #011from trails
Mar  2 08:00:01 db1 postgres[502]: [4-2] app@shop STATEMENT:  select 1/0
Mar  2 08:00:02 db1 postgres[33]: [9-1] LOG:  checkpoint starting: time
Jan  1 00:00:02 db1 postgres[33]: [10-1] LOG:  checkpoint starting: time
`, `2 exec 2 08:00:01.000 app@shop pid=501 took=21701 params="" plan=false id=0 select *
from trails
3 event 16 08:00:01.000 app@shop pid=502 state= text="division by zero" select 1/0
6 event 9 08:00:02.000 @ pid=33 state= text="time" -
7 event 9 00:00:02.000 @ pid=33 state= text="time" -
loss 2 uncertain time: syslog times have no year: taken as 2000 × 1
loss 2 uncertain time: times have no zone: taken as UTC; give --timezone × 4
`},
	{"syslog cut inside a line", "syslog", `2026-03-02T08:00:01.100123+01:00 db1 postgres[501]: [7-1] LOG:  duration: 21.701 ms  statement: select a,
2026-03-02T08:00:01.100123+01:00 db1 postgres[501]: [7-2]  b from t
`, `1 exec 2 07:00:01.100 @ pid=501 took=21701 params="" plan=false id=0 select a, b from t
`},
	{"journalctl with indented lines", "syslog", `Mar 02 08:00:01.100000 db1 postgres[501]: 2026-03-02 08:00:01.100 UTC [501] LOG:  duration: 1.000 ms  statement: select 1
                                          from t
Mar 02 08:00:02.100000 db1 systemd[1]: Started something.
`, `1 exec 2 08:00:01.100 @ pid=501 took=1000 params="" plan=false id=0 select 1
from t
`},
	{"heroku", "heroku", `2026-03-02T08:00:01+00:00 app[web.1]: GET /
2026-03-02T08:00:01+00:00 app[postgres.501]: [DATABASE] [7-1]  sql_error_code = 00000 time_ms = "2026-03-02 08:00:01.100 UTC" pid="501" proc_start_time="2026-03-02 08:00:00 UTC" session_id="69a54000.1f5" vtid="3/1" tid="0" log_line="5" database="d1" connection_source="10.0.0.1(5432)" user="u1" application_name="psql" LOG:  duration: 2.000 ms  statement: select 1
2026-03-02T08:00:02+00:00 app[postgres.44]: [DATABASE] [8-1]  sql_error_code = 00000 time_ms = "2026-03-02 08:00:02.100 UTC" pid="44" proc_start_time="2026-03-02 08:00:00 UTC" session_id="69a54000.44" vtid="" tid="0" log_line="1" LOG:  checkpoint starting: time
`, `2 exec 2 08:00:01.100 u1@d1 pid=501 took=2000 params="" plan=false id=0 select 1
3 event 9 08:00:02.100 @ pid=44 state= text="time" -
`},
	{"heroku of old", "heroku", `2026-03-02T08:00:01+00:00 app[postgres]: [15521-1]  [CHARCOAL] LOG:  checkpoint starting: time
2026-03-02T08:00:02+00:00 app[postgres.501]: [15522-1]  [CHARCOAL] LOG:  duration: 2.000 ms  statement: select 1
`, `2 exec 2 08:00:02.000 @ pid=501 took=2000 params="" plan=false id=0 select 1
1 event 9 08:00:01.000 @ pid=0 state= text="time" -
`},
	{"rds through cloudwatch", "cloudwatch", `2026-03-02T08:00:04.000Z 2026-03-02 08:00:04 UTC:10.2.3.4(4401):app@shop:[991]:LOG:  duration: 117.712 ms  execute <unnamed>: SELECT big_sort($1)
2026-03-02T08:00:04.000Z 2026-03-02 08:00:04 UTC:10.2.3.4(4401):app@shop:[991]:DETAIL:  Parameters: $1 = 'a
	b'
2026-03-02T08:00:05.000Z 2026-03-02 08:00:05 UTC::@:[33]:LOG:  checkpoint starting: time
`, `1 exec 3 08:00:04.000 app@shop pid=991 took=117712 params="$1 = 'a\nb'" plan=false id=0 SELECT big_sort($1)
4 event 9 08:00:05.000 @ pid=33 state= text="time" -
`},
	{"azure diagnostic log", "azure", `{"time":"2026-03-02T08:00:01.1000000Z","resourceId":"/X","category":"PostgreSQLLogs","operationName":"LogEvent","properties":{"timestamp":"2026-03-02 08:00:01.100 UTC","processId":501,"errorLevel":"LOG","sqlerrcode":"00000","message":"2026-03-02 08:00:01 UTC-69a54000.1f5-LOG:  duration: 3.000 ms  execute <unnamed>: select *\nfrom t where a = $1","detail":"Parameters: $1 = '1'","backend_type":"client backend"}}
{"time":"2026-03-02T08:00:02.1000000Z","resourceId":"/X","category":"PostgreSQLLogs","operationName":"LogEvent","properties":{"timestamp":"2026-03-02 08:00:02.100 UTC","processId":501,"errorLevel":"ERROR","sqlerrcode":"22012","message":"2026-03-02 08:00:02 UTC-69a54000.1f5-ERROR:  division by zero","statement":"select 1/0"}}
`, `1 exec 3 08:00:01.100 @ pid=501 took=3000 params="$1 = '1'" plan=false id=0 select *
from t where a = $1
2 event 16 08:00:02.100 @ pid=501 state=22012 text="division by zero" select 1/0
`},
	{"azure records, message alone", "azure", `{"records": [
 {"time":"2026-03-02T08:00:01.1000000Z","category":"PostgreSQLLogs","properties":{"processId":"501","errorLevel":"LOG","sqlerrcode":"00000","message":"duration: 3.000 ms  statement: select 'LOG:  x'"}},
 {"time":"2026-03-02T08:00:02.1000000Z","category":"PostgreSQLLogs","properties":{"processId":"501","errorLevel":"WARNING","sqlerrcode":"25P01","message":"there is no transaction in progress"}}
]}
`, `2 exec 2 08:00:01.100 @ pid=501 took=3000 params="" plan=false id=0 select 'LOG:  x'
3 event 19 08:00:02.100 @ pid=501 state=25P01 text="there is no transaction in progress" -
`},
	{"azure log analytics", "azure-csv", `"TimeGenerated [UTC]",Message,ErrorLevel,SqlErrorCode,ProcessId,Detail,Statement,BackendType
"3/2/2026, 8:00:01.100 AM","2026-03-02 08:00:01 UTC-69a54000.1f5-LOG:  duration: 3.000 ms  statement: select ""a""
from t",LOG,00000,501,,,client backend
"3/2/2026, 8:00:02.100 AM","2026-03-02 08:00:02 UTC-69a54000.1f5-ERROR:  division by zero",ERROR,22012,501,,"select 1/0",client backend
`, `2 exec 2 08:00:01.100 @ pid=501 took=3000 params="" plan=false id=0 select "a"
from t
4 event 16 08:00:02.100 @ pid=501 state=22012 text="division by zero" select 1/0
`},
	{"alloydb", "cloud-sql", `[
  {
    "insertId": "a",
    "labels": {
      "x": "y"
    },
    "logName": "projects/p/logs/alloydb.googleapis.com%2Fpostgres.log",
    "textPayload": "2026-03-02 08:00:01.100 UTC [501]: [1-1] db=shop,user=app LOG:  [postgres.c:2345]  duration: 3.000 ms  statement: select 1",
    "timestamp": "2026-03-02T08:00:01.100123Z"
  },
  {
    "insertId": "b",
    "protoPayload": {
      "x": "y"
    },
    "timestamp": "2026-03-02T08:00:01.200123Z"
  },
  {
    "insertId": "c",
    "textPayload": "2026-03-02 08:00:02.100 UTC [33]: [1-1] db=,user= LOG:  [checkpointer.c:9]  checkpoint starting: time",
    "timestamp": "2026-03-02T08:00:02.100123Z"
  }
]
`, `2 exec 2 08:00:01.100 app@shop pid=501 took=3000 params="" plan=false id=0 select 1
18 event 9 08:00:02.100 @ pid=33 state= text="time" -
`},
	{"cloud sql of old, without a time", "cloud-sql", `{"textPayload":"[501]: [1-1] db=shop,user=app LOG:  duration: 3.000 ms  statement: select 1","timestamp":"2026-03-02T08:00:01.100123Z","severity":"INFO"}
{"textPayload":"[501]: [2-1] db=shop,user=app ERROR:  division by zero","timestamp":"2026-03-02T08:00:01.200123Z","severity":"ERROR"}
{"textPayload":"[501]: [3-1] db=shop,user=app STATEMENT:  select 1/0","timestamp":"2026-03-02T08:00:01.200123Z","severity":"ERROR"}
`, `1 exec 2 08:00:01.100 app@shop pid=501 took=3000 params="" plan=false id=0 select 1
2 event 16 08:00:01.200 app@shop pid=501 state= text="division by zero" select 1/0
`},
	{"cloudnative-pg", "cloudnative-pg", cnpgLine + `{"level":"info","ts":"2026-03-02T08:00:02Z","logger":"instance-manager","msg":"reconciling","logging_pod":"pg-1"}
`, cnpgRecord(1)},
	{"cloudnative-pg through kubernetes", "cri", "2026-03-02T08:00:01.100123456Z stdout F " + cnpgLine, cnpgRecord(1)},
	{"csvlog through docker", "docker", `{"log":"2026-03-02 08:00:01.100 UTC,\"app\",\"shop\",501,\"10.0.0.5:1\",69a54000.1f5,1,\"SELECT\",2026-03-02 08:00:00 UTC,3/1,0,LOG,00000,\"duration: 4.000 ms  statement: select 1\n","stream":"stderr","time":"2026-03-02T08:00:01.1Z"}
{"log":"from t\",,,,,,,,,\"svc\",\"client backend\",,0\n","stream":"stderr","time":"2026-03-02T08:00:01.1Z"}
`, `1 exec 2 08:00:01.100 app@shop pid=501 took=4000 params="" plan=false id=0 select 1
from t
`},
	{"postgres pro", "stderr", `2026-03-02 08:00:01.100 UTC [501] LOG:  duration: 5.000 ms  rows: 3  size: 120 bytes  statement: select 1
`, `1 exec 2 08:00:01.100 @ pid=501 took=5000 params="" plan=false id=0 select 1
`},
}

const cnpgLine = `{"level":"info","ts":1772438401.96,"logger":"postgres","msg":"record","logging_pod":"pg-1","record":{"log_time":"2026-03-02 08:00:01.961 UTC","user_name":"app","database_name":"shop","process_id":"11282","connection_from":"10.42.8.57:34832","session_id":"69a54000.2c12","session_line_num":"8533","command_tag":"SELECT","session_start_time":"2026-03-02 07:01:44 UTC","virtual_transaction_id":"3/3493","transaction_id":"0","error_severity":"LOG","sql_state_code":"00000","message":"duration: 30.900 ms  plan:\n{\n  \"Query Text\": \"select m.id from m where m.id=$1\",\n  \"Query Parameters\": \"$1 = 'p:1'\",\n  \"Plan\": {\n    \"Node Type\": \"Seq Scan\",\n    \"Relation Name\": \"m\",\n    \"Actual Rows\": 1.00,\n    \"Actual Loops\": 1,\n    \"Shared Hit Blocks\": 4410\n  },\n  \"Query Identifier\": -77\n}","application_name":"svc","backend_type":"client backend","query_id":"-77"}}
`

func cnpgRecord(line int) string {
	return fmt.Sprintf("%d exec 1 08:00:01.961 app@shop pid=11282 took=30900 params=\"$1 = 'p:1'\" plan=true id=-77 select m.id from m where m.id=$1\n", line)
}

func TestPlatforms(t *testing.T) {
	for _, test := range shippedCases {
		data := []byte(test.text)
		name, d := recognised(headOf(data))
		if name != test.format || d.Reason != "" {
			t.Errorf("%s: taken for %s %+v", test.name, name, d)
			continue
		}
		if got := summary(parseCut(d, data, len(data))); got != test.want {
			t.Errorf("%s, %s:\n got\n%swant\n%s", test.name, d.Detail, got, test.want)
		}
	}
}

// A log of pgbouncer is named, not read.
func TestPgBouncerIsDeclined(t *testing.T) {
	for _, text := range []string{
		"2026-03-02 08:00:01.100 UTC [501] LOG C-0x55d0c8f0a0b0: shop/app@10.0.0.9:4711 login attempt: db=shop user=app tls=no\n" +
			"2026-03-02 08:00:02.100 UTC [501] LOG stats: 10 xacts/s, 20 queries/s, in 30 B/s, out 40 B/s\n",
		"2026-03-02 08:00:02.100 501 WARNING C-0x1: shop/app@unix:6432 pooler error: no such user\n",
		"Mar  2 08:00:01 db1 pgbouncer[501]: LOG stats: 10 xacts/s\n",
	} {
		if name, d := recognised(headOf([]byte(text))); name != "pgbouncer" || !strings.Contains(d.Reason, "pgbouncer") {
			t.Errorf("%s: %+v of %s", name, d, text)
		}
	}
	for _, sample := range []string{"pg18-pg.log", "pg18-pg.csv", "pg18-pg.json"} {
		if d := PgBouncer.Detect(headOf(readSample(t, sample))); d != nil {
			t.Errorf("%s: %+v", sample, d)
		}
	}
}
