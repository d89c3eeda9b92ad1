package pglog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

// process is one that logs; without a user it has no session.
type process struct {
	pid                                int
	user, database, app, host, backend string
	port                               int
}

var processes = []process{
	{pid: 4101, user: "app", database: "shop", app: "worker-a", host: "10.0.0.5", port: 40112, backend: "client backend"},
	{pid: 4102, user: "reports", database: "shop", app: "psql", host: "[local]", backend: "client backend"},
	{pid: 88, backend: "checkpointer"},
	{pid: 4103, user: "app", database: "billing", app: "worker b", host: "10.0.0.17", port: 40999, backend: "client backend"},
	{pid: 52107, user: "[unknown]", database: "[unknown]", app: "[unknown]", host: "10.0.0.17", port: 41003, backend: "not initialized"},
}

// value prints an escape as PostgreSQL does; session values are empty for a
// process without one.
func (p process) value(letter byte, line int) string {
	session := p.user != ""
	clock := fmt.Sprintf("2026-03-02 08:%02d:%02d", line/60%60, line%60)
	switch letter {
	case 'm':
		return clock + fmt.Sprintf(".%03d UTC", line*7%1000)
	case 't':
		return clock + " UTC"
	case 'n':
		return fmt.Sprintf("%d.%03d", 1772438400+line, line*7%1000)
	case 's':
		return fmt.Sprintf("2026-03-02 07:00:%02d UTC", p.pid%60)
	case 'p':
		return fmt.Sprint(p.pid)
	case 'l':
		return fmt.Sprint(line/len(processes) + 1)
	case 'c':
		return fmt.Sprintf("69a54000.%x", p.pid)
	case 'x':
		return fmt.Sprint(line % 3 * 700)
	case 'e':
		return "00000"
	case 'Q':
		return fmt.Sprint(int64(line%2) * -5356525081885934456)
	case 'v':
		if session {
			return fmt.Sprintf("3/%d", line)
		}
		return ""
	case 'b':
		return p.backend
	case 'L':
		if session {
			return "10.0.0.1"
		}
		return "[none]"
	}
	if !session {
		return ""
	}
	switch letter {
	case 'u':
		return p.user
	case 'd':
		return p.database
	case 'a':
		return p.app
	case 'h':
		return p.host
	case 'r':
		if p.port > 0 {
			return fmt.Sprintf("%s(%d)", p.host, p.port)
		}
		return p.host
	case 'i':
		return []string{"SELECT", "idle in transaction", "INSERT"}[line%3]
	}
	return ""
}

// print is a log_line_prefix as PostgreSQL prints it.
func (p process) print(prefix string, line int) string {
	var s strings.Builder
	for i := 0; i < len(prefix); i++ {
		if prefix[i] != '%' {
			s.WriteByte(prefix[i])
			continue
		}
		i++
		start := i
		for strings.IndexByte("-0123456789", prefix[i]) >= 0 {
			i++
		}
		switch prefix[i] {
		case '%':
			s.WriteByte('%')
		case 'q':
			if p.user == "" {
				return s.String()
			}
		default:
			fmt.Fprintf(&s, "%"+prefix[start:i]+"s", p.value(prefix[i], line))
		}
	}
	return s.String()
}

// printLog is a log of n entries under a prefix.
func printLog(prefix string, n int) string {
	var s strings.Builder
	for i := range n {
		p := processes[i%len(processes)]
		fmt.Fprintf(&s, "%sLOG:  duration: %d.000 ms  statement: select %d,\n\t'ERROR:  none'\n", p.print(prefix, i), i+1, i)
		if i%4 == 0 {
			fmt.Fprintf(&s, "%sDETAIL:  parameters: $1 = '%d'\n", p.print(prefix, i), i)
		}
	}
	return s.String()
}

var arrangements = []string{
	"%m [%p] ",
	"%t [%p] ",
	"%m [%p] %q%u@%d ",
	"%m [%p] %q%u@%d %a ",
	"%m [%p] %q[user=%u,db=%d,app=%a] ",
	"%t:%r:%u@%d:[%p]:",
	"%t [%p]: [%l-1] user=%u,db=%d,app=%a,client=%h ",
	"%t [%p]: user=%u,db=%d,app=%a,client=%h ",
	"%m [%p]: [%l-1] db=%d,user=%u ",
	"%t [%p]: [%l-1] %quser=%u,db=%d,app=%a,client=%h ",
	"%m [%p-%l] %q%u@%d ",
	"%m [%c] %q%u@%d ",
	"%t-%c-",
	"%m %u %d %p ",
	"%m %u@%d %h %p ",
	"%m|%u|%d|%c|%h|",
	"%m;%p;%u;%d;",
	"%n [%p] %q%u@%d ",
	"%m p=%p,u=%u,d=%d,a=%a,h=%h,x=%x,e=%e ",
	"[%p] %t %u@%d ",
	"pid=%p user=%u db=%d app=%a time=%m ",
	"%m [%p] %b %q%u@%d ",
	"%m pid=%p sid=%c line=%l qid=%Q remote=%r ",
	"<%m %u %d> ",
	"%m [%5p] %q%u@%d ",
	"%m [%p] %v %x %e %q%u@%d ",
	"%m - %p - ",
	"db1: %m [%p] ",
}

// Whatever the arrangement, the entries must carry what their prefix printed.
func TestPrefixIsDetected(t *testing.T) {
	const n = 120
	for _, prefix := range arrangements {
		text := printLog(prefix, n)
		h := headOf([]byte(text))
		d := Stderr.Detect(h)
		if d == nil {
			t.Errorf("%q: not recognised", prefix)
			continue
		}
		b := parse(t, Stderr, h, []byte(text))
		if len(b.Executions) != n {
			t.Errorf("%q: %d executions; %s", prefix, len(b.Executions), d.Detail)
			continue
		}
		for i, x := range b.Executions {
			if wrong := processes[i%len(processes)].differs(prefix, &x, i); wrong != "" {
				t.Errorf("%q: execution %d: %s; %s", prefix, i, wrong, d.Detail)
				break
			}
		}
	}
}

func (p process) differs(prefix string, x *record.Execution, i int) string {
	known := func(s string) string { return strings.TrimSuffix(s, "[unknown]") }
	has := func(letters string) bool {
		for i := range letters {
			if strings.Contains(prefix, "%"+letters[i:i+1]) || strings.Contains(prefix, "%5"+letters[i:i+1]) {
				return true
			}
		}
		return false
	}
	switch {
	case has("u") && x.UserName != known(p.user):
		return "user " + x.UserName
	case has("d") && x.Database != known(p.database):
		return "database " + x.Database
	case has("a") && x.Application != known(p.app):
		return "application " + x.Application
	case has("p") && int(x.ProcessID) != p.pid:
		return fmt.Sprint("pid ", x.ProcessID)
	case has("mtn") && (x.LogTime-1772438400e6)/1e6 != record.Time(i):
		return fmt.Sprint("time ", x.LogTime)
	case has("pc") == (x.Session == ""):
		return "session " + x.Session
	case x.Duration != record.Duration(i+1)*record.Millisecond:
		return fmt.Sprint("duration ", x.Duration)
	case i%4 == 0 && x.Parameters != fmt.Sprintf("$1 = '%d'", i):
		return "parameters " + x.Parameters
	case query(x) != fmt.Sprintf("select %d,\n'ERROR:  none'", i):
		return "query " + query(x)
	}
	return ""
}

func TestDetectedPrefixIsShown(t *testing.T) {
	for _, prefix := range []string{
		"%m [%p] ", "%m [%p] %q%u@%d ", "%m [%p] %q%u@%d %a ", "%t:%r:%u@%d:[%p]:",
		"%t [%p]: [%l-1] user=%u,db=%d,app=%a,client=%h ", "%m [%p]: [%l-1] db=%d,user=%u ",
	} {
		d := Stderr.Detect(headOf([]byte(printLog(prefix, 60))))
		if want := "prefix '" + prefix + "'"; d == nil || d.Detail != want || d.Zone != "UTC" {
			t.Errorf("%+v, want %s", d, want)
		}
	}
}

// One line of a background process among many of sessions is enough to tell %q.
func TestPrefixWithRareBackgroundLines(t *testing.T) {
	const prefix = "%m [%p] %q%u@%d "
	var text strings.Builder
	for i := range 1500 {
		p := processes[i%2]
		if i == 777 {
			p = processes[2]
		}
		fmt.Fprintf(&text, "%sLOG:  duration: 1.000 ms\n", p.print(prefix, i))
	}
	if d := Stderr.Detect(headOf([]byte(text.String()))); d == nil || d.Detail != "prefix '"+prefix+"'" {
		t.Errorf("%+v", d)
	}
}

func TestPrefixAsGiven(t *testing.T) {
	for _, prefix := range arrangements {
		text := []byte(printLog(prefix, 30))
		h := headOf(text)
		h.Prefix = prefix
		b := parse(t, Stderr, h, text)
		for i, x := range b.Executions {
			if wrong := processes[i%len(processes)].differs(prefix, &x, i); wrong != "" {
				t.Errorf("%q: execution %d: %s", prefix, i, wrong)
				break
			}
		}
		if len(b.Executions) != 30 {
			t.Errorf("%q: %d executions", prefix, len(b.Executions))
		}
	}
}

func TestPrefixAsGivenWithoutItsLastBlank(t *testing.T) {
	text := []byte(printLog("%m [%p] %q%u@%d %a ", 30))
	h := headOf(text)
	h.Prefix = "%m [%p] %q%u@%d %a"
	if b := parse(t, Stderr, h, text); len(b.Executions) != 30 || b.Executions[3].Application != "worker b" || b.Executions[0].Application != "worker-a" {
		t.Errorf("%d executions, %+v", len(b.Executions), b.Executions[0])
	}
}

func TestPrefixThatDoesNotFitIsShown(t *testing.T) {
	h := headOf([]byte(printLog("%m [%p] ", 5)))
	h.Prefix = "%t <%p> "
	d := Stderr.Detect(h)
	if d == nil || d.Score > 10 || !strings.Contains(d.Reason, `"%t <%p> "`) || !strings.Contains(d.Reason, "2026-03-02 08:00:00.000 UTC [4101]") {
		t.Errorf("%+v", d)
	}
	h.Prefix = "%m [%"
	if d := Stderr.Detect(h); d == nil || d.Reason == "" {
		t.Errorf("%+v", d)
	}
}

func TestPrefixThatChangesInTheFile(t *testing.T) {
	text := printLog("%m [%p] ", 40) + printLog("%m [%p] %q%u@%d ", 4) + printLog("%t:%r:%u@%d:[%p]:", 3)
	h := headOf([]byte(text[:strings.Index(text, "app@shop")-40]))
	d := Stderr.Detect(h)
	b := new(record.Batch)
	d.Parse([]byte(text), record.Pos{File: "x", Line: 1}, b)
	if len(b.Executions) != 44 {
		t.Errorf("%d executions, want those whose line starts as before", len(b.Executions))
	}
	if lossCount(b, record.LossPrefix) == 0 || lossCount(b, record.LossLine) == 0 {
		t.Errorf("%+v", b.Losses)
	}
	for _, x := range b.Executions {
		if strings.Contains(query(&x), "UTC") {
			t.Errorf("another entry was taken for a part of the query %q", query(&x))
		}
	}
}

func TestNoPrefixInOtherFiles(t *testing.T) {
	for _, text := range []string{
		"", "\n", "schemaname,relname\npublic,t\n", " Seq Scan on t  (cost=0.00..1.00 rows=1 width=4)\n",
		"{\"Plan\": {}}\n", "postgres=# select 1/0;\nERROR:  division by zero\npostgres=#\n",
	} {
		if d := Stderr.Detect(headOf([]byte(text))); d != nil && d.Score > 20 {
			t.Errorf("%q: %+v", text, d)
		}
	}
}

func TestEscapesHaveTheirPlaces(t *testing.T) {
	for field, letter := range map[int]byte{
		fieldApplication: 'a', fieldUser: 'u', fieldDatabase: 'd', fieldRemote: 'r', fieldHost: 'h', fieldLocal: 'L',
		fieldBackendType: 'b', fieldPID: 'p', fieldLeaderPID: 'P', fieldTime: 't', fieldTimeMS: 'm', fieldEpoch: 'n',
		fieldQueryID: 'Q', fieldCommandTag: 'i', fieldSQLState: 'e', fieldSessionID: 'c', fieldLineNum: 'l',
		fieldSessionStart: 's', fieldVirtualTxID: 'v', fieldTxID: 'x',
	} {
		if escapes[field] != letter {
			t.Errorf("place %d is %%%c, want %%%c", field, escapes[field], letter)
		}
	}
	if len(escapes) != fieldSkip {
		t.Error(len(escapes))
	}
}
