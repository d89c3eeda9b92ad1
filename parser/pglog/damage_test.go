package pglog

import (
	"reflect"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

func TestDeadlockNamesItsProcesses(t *testing.T) {
	b := parseText(t, Stderr, `2026-03-02 08:00:01.100 UTC [501] ERROR:  deadlock detected
2026-03-02 08:00:01.100 UTC [501] DETAIL:  Process 501 waits for ShareLock on transaction 755; blocked by process 502.
	Process 502 waits for ShareLock on transaction 754; blocked by process 501.
	Process 501: update t set a = 1
	where id = 2
	Process 502: update t set a = 2 where id = 1
2026-03-02 08:00:01.100 UTC [501] HINT:  See server log for query details.
`)
	var got []record.DeadlockWait
	var texts []string
	for _, w := range b.Events[0].Cycle {
		texts = append(texts, w.Statement.Normalized)
		w.Statement = nil
		got = append(got, w)
	}
	want := []record.DeadlockWait{
		{ProcessID: 501, BlockedBy: 502, Mode: "ShareLock", Object: "transaction 755"},
		{ProcessID: 502, BlockedBy: 501, Mode: "ShareLock", Object: "transaction 754"},
	}
	if !reflect.DeepEqual(got, want) || b.Events[0].Kind != record.EventDeadlock || b.Events[0].SQLState != "40P01" {
		t.Errorf("%+v", b.Events[0])
	}
	if !reflect.DeepEqual(texts, []string{"update t set a = 1\nwhere id = 2", "update t set a = 2 where id = 1"}) {
		t.Errorf("%q", texts)
	}
}

func TestMessagesOfTheServer(t *testing.T) {
	for message, want := range map[string]record.Event{
		"ERROR:  canceling statement due to statement timeout":                        {Kind: record.EventError, SQLState: "57014"},
		"ERROR:  canceling statement due to lock timeout":                             {Kind: record.EventError, SQLState: "55P03"},
		"FATAL:  terminating connection due to idle-in-transaction timeout":           {Kind: record.EventError, SQLState: "25P03"},
		"FATAL:  sorry, too many clients already":                                     {Kind: record.EventError, SQLState: "53300"},
		"WARNING:  01000: there is no transaction in progress":                        {Kind: record.EventWarning, SQLState: "01000"},
		"NOTICE:  hnsw graph no longer fits into maintenance_work_mem after 9 tuples": {Kind: record.EventBuildNotice, Count: 9},
		"NOTICE:  ivfflat index created with little data":                             {Kind: record.EventBuildNotice},
		"LOG:  redo done at 0/1C system usage: CPU: user: 0.00 s":                     {Kind: record.EventRecovery},
		"LOG:  process 5 could not obtain ShareLock on transaction 755":               {Kind: record.EventLockFailed, Object: "transaction 755"},
		"LOG:  connection ready: setup total=12.345 ms, fork=0.5 ms":                  {Kind: record.EventConnectionReady, Duration: 12345},
		"LOG:  restartpoint complete: wrote 7 buffers (0.1%); total=1.500 s":          {Kind: record.EventCheckpoint, Count: 7, Duration: 1500000},
		"LOG:  checkpoint complete (93): wrote 8 buffers (0.1%); total=1.500 s":       {Kind: record.EventCheckpoint, Count: 8, Duration: 1500000},
		"LOG:  connection authorized: user=appdatabase=shop SSL enabled":              {Kind: record.EventConnection, UserName: "app", Database: "shop"},
		"LOG:  server process (PID 7) was terminated by signal 9: Killed":             {Kind: record.EventCrash},
		`WARNING:  skipping vacuum of "t" --- only table or database owner can it`:    {Kind: record.EventVacuumSkipped, Object: "t"},
	} {
		b := parseText(t, Stderr, "2026-03-02 08:00:01.100 UTC [5] "+message+"\n")
		if len(b.Events) != 1 || b.Understood != 1 {
			t.Errorf("%s: %+v", message, b)
			continue
		}
		e := b.Events[0]
		got := record.Event{Kind: e.Kind, SQLState: e.SQLState, Object: e.Object, Duration: e.Duration, Count: e.Count, UserName: e.UserName, Database: e.Database}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %+v\nwant %+v", message, got, want)
		}
	}
}

// A cursor's plan is logged when it is closed; both texts are kept for pairing.
func TestPlanOfACursor(t *testing.T) {
	b := parseText(t, Stderr, `2026-03-02 08:00:01.100 UTC [5] LOG:  duration: 9.000 ms  plan:
	Query Text: declare c cursor for select * from t
	Seq Scan on t  (cost=0.00..1.00 rows=1 width=4) (actual time=0.010..0.020 rows=1 loops=1)
2026-03-02 08:00:01.101 UTC [5] LOG:  duration: 0.100 ms  statement: close c
`)
	if got := summary(b); got != `1 exec 1 08:00:01.100 @ pid=5 took=9000 params="" plan=true id=0 declare c cursor for select * from t
4 exec 2 08:00:01.101 @ pid=5 took=100 params="" plan=false id=0 close c
` {
		t.Error(got)
	}
}

func TestEntryCutByThePlatformIsMarked(t *testing.T) {
	b := parseText(t, Stderr, `2026-03-02 08:00:01 UTC:10.2.3.4(4401):app@shop:[991]:LOG:  duration: 1.000 ms  statement: select a[Your log message was truncated]
2026-03-02 08:00:02 UTC:10.2.3.4(4401):app@shop:[991]:LOG:  duration: 2.000 ms  statement: select b
`)
	if query(&b.Executions[0]) != "select a" || lossCount(b, record.LossTruncated) != 1 || b.Losses[0].Pos.Line != 1 {
		t.Errorf("%+v %+v", b.Executions, b.Losses)
	}
}

// Other programs write to the same file: a line without PostgreSQL's TAB is no
// part of a query, unless the file has lost its TABs.
func TestLinesOfOtherPrograms(t *testing.T) {
	const text = `2026-03-02 08:00:01.100 UTC [5] LOG:  duration: 1.000 ms  statement: select 1
	from t
archive: copied 000000010000000000000001
2026-03-02 08:00:02.100 UTC [5] LOG:  duration: 1.000 ms  statement: select 2
`
	b := parseText(t, Stderr, text)
	if query(&b.Executions[0]) != "select 1\nfrom t" || lossCount(b, record.LossLine) != 1 || b.Losses[0].Pos.Line != 3 {
		t.Errorf("%q %+v", query(&b.Executions[0]), b.Losses)
	}
	b = parseText(t, Stderr, strings.ReplaceAll(text, "\t", ""))
	if query(&b.Executions[0]) != "select 1\nfrom t\narchive: copied 000000010000000000000001" || len(b.Losses) != 0 {
		t.Errorf("%q %+v", query(&b.Executions[0]), b.Losses)
	}
}

func TestClockStepIsCountedOnce(t *testing.T) {
	b := parseText(t, Stderr, `2026-03-02 08:00:05.100 UTC [5] LOG:  duration: 1.000 ms
2026-03-02 08:00:04.200 UTC [5] LOG:  duration: 1.000 ms
2026-03-02 07:00:05.000 UTC [6] LOG:  duration: 1.000 ms
2026-03-02 07:00:04.000 UTC [5] LOG:  duration: 1.000 ms
2026-03-02 06:00:04.000 UTC [5] LOG:  duration: 1.000 ms
`)
	if len(b.Losses) != 1 || b.Losses[0].Kind != record.LossTime || b.Losses[0].Pos.Line != 4 || !strings.HasPrefix(b.Losses[0].Text, "clock step") {
		t.Errorf("%+v", b.Losses)
	}
}

// A file that gives nothing says why.
func TestReasons(t *testing.T) {
	for text, want := range map[string]struct{ prefix, reason string }{
		"2026-03-02 08:00:01.100 UTC [5] app LOG:  x\n":              {"%m [%p] %u@%d ", `"@" is missing at`},
		"2026-03-02 08:00:01.100 UTC [5] LOG:  z\n":                  {"%m [%p] %Z|", "PostgreSQL knows no %Z"},
		"2026-03-02 08:00:01.100 UTC [5] LOG:  y\n":                  {"%m %e ", "%e is missing at \"[5] LOG:  y\""},
		"2026-03-02 08:00:01.100 UTC [5] hello\n":                    {"", "none has a severity of PostgreSQL"},
		"2026-03-02 08:00:01,100 INFO: no action. I am the leader\n": {"", "none has a severity of PostgreSQL"},
	} {
		h := headOf([]byte(text))
		h.Prefix = want.prefix
		if d := Stderr.Detect(h); d == nil || d.Score > 10 || !strings.Contains(d.Reason, want.reason) {
			t.Errorf("%q: %+v", text, d)
		}
	}
}

// A part of a log may not show what another part does: the prefix of the folder
// helps.
func TestPrefixOfTheFolder(t *testing.T) {
	const prefix = "%m [%p] %q%u@%d "
	for _, text := range []string{
		"2026-03-02 08:00:01.100 UTC [5] LOG:  checkpoint starting: time\n",
		"2026-03-02 08:00:01.100 UTC [5] app@shop LOG:  duration: 1.000 ms\n",
	} {
		h := headOf([]byte(text))
		h.Prefixes = []string{"%m ", prefix}
		if d := Stderr.Detect(h); d == nil || d.Prefix != prefix {
			t.Errorf("%+v", d)
		}
	}
	h := headOf([]byte("2026-03-02 08:00:01.100 UTC [5] app@shop LOG:  duration: 1.000 ms\n"))
	if d := Stderr.Detect(h); d == nil || d.Prefix != prefix {
		t.Errorf("without a background line: %+v", d)
	}
}

// A damaged object costs itself.
func TestDamagedObjects(t *testing.T) {
	for name, f := range map[string]source.Format{"cnpg": CloudNativePG, "cri": CRI} {
		line := cnpgLine
		if name == "cri" {
			line = "2026-03-02T08:00:01.1Z stdout F " + line
		}
		text := line + line[:300] + "\n" + line + strings.Replace(line, "error_severity", "x", 1) + line
		b := parseText(t, f, text)
		if len(b.Executions) != 3 || b.Executions[1].Pos.Line != 3 || lossCount(b, record.LossEntry) != 1 {
			t.Errorf("%s: %d executions, %+v", name, len(b.Executions), b.Losses)
		}
	}
}
