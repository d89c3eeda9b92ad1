package pglog

import (
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

func TestEventsByMessage(t *testing.T) {
	tests := []struct {
		message string
		want    record.Event
	}{
		{"starting PostgreSQL 15.20 (Debian 15.20-0+deb12u1) on x86_64", record.Event{Kind: record.EventServerStart, Text: "15.20"}},
		{"starting PostgreSQL 19devel on x86_64", record.Event{Kind: record.EventServerStart, Text: "19devel"}},
		{"database system is ready to accept connections", record.Event{Kind: record.EventReady}},
		{"database system is ready to accept read-only connections", record.Event{Kind: record.EventReady}},
		{"received immediate shutdown request", record.Event{Kind: record.EventShutdown, Text: "received immediate shutdown request"}},
		{"received SIGHUP, reloading configuration files", record.Event{Kind: record.EventReload}},
		{`parameter "work_mem" changed to "64MB"`, record.Event{Kind: record.EventParameterChanged, Object: "work_mem", Text: "64MB"}},
		{`parameter "work_mem" removed from configuration file, reset to default`, record.Event{Kind: record.EventParameterChanged, Object: "work_mem"}},
		{"server process (PID 5) was terminated by signal 9: Killed", record.Event{Kind: record.EventCrash, Text: "server process (PID 5) was terminated by signal 9: Killed"}},
		{"database system was not properly shut down; automatic recovery in progress", record.Event{Kind: record.EventCrash, Text: "database system was not properly shut down; automatic recovery in progress"}},
		{"connection authorized: user=my app database=a b application_name=x y SSL enabled (protocol=TLSv1.3)", record.Event{Kind: record.EventConnection, UserName: "my app", Database: "a b", Application: "x y"}},
		{"replication connection authorized: user=rep application_name=walreceiver", record.Event{Kind: record.EventConnection, UserName: "rep", Application: "walreceiver"}},
		{"disconnection: session time: 1:00:02.468 user=u database=d host=10.0.0.1 port=5", record.Event{Kind: record.EventDisconnection, UserName: "u", Database: "d", Duration: 3602468000}},
		{"checkpoint starting: immediate force wait", record.Event{Kind: record.EventCheckpointStart, Text: "immediate force wait"}},
		{"process 5 still waiting for ShareLock on transaction 7 after 1000.123 ms", record.Event{Kind: record.EventLockWait, Text: "ShareLock", Object: "transaction 7", Duration: 1000123}},
		{"process 5 acquired ExclusiveLock on tuple (0,1) of relation 16384 of database 1 after 12.5 ms", record.Event{Kind: record.EventLockAcquired, Text: "ExclusiveLock", Object: "tuple (0,1) of relation 16384 of database 1", Duration: 12500}},
		{`skipping vacuum of "t" --- lock not available`, record.Event{Kind: record.EventVacuumSkipped, Object: "t", Text: `skipping vacuum of "t" --- lock not available`}},
		{"ending log output to stderr", record.Event{Kind: record.EventLogDestination, Text: "stderr"}},
	}
	for _, test := range tests {
		b := parseText(t, Stderr, "2026-03-02 08:00:01.100 UTC [5] LOG:  "+test.message+"\n")
		if len(b.Events) != 1 || b.Understood != 1 {
			t.Errorf("%q: %d events", test.message, len(b.Events))
			continue
		}
		got := b.Events[0]
		got.Pos, got.LogTime, got.Session, got.ProcessID = record.Pos{}, 0, "", 0
		if line := dump(&record.Batch{Events: []record.Event{got}})[0]; line != dump(&record.Batch{Events: []record.Event{test.want}})[0] {
			t.Errorf("%q: %s", test.message, line)
		}
	}
}

func TestCheckpointFigures(t *testing.T) {
	for _, m := range []string{
		"checkpoint complete: wrote 1234 buffers (7.5%); 0 WAL file(s) added, 0 removed, 1 recycled; write=1.234 s, sync=0.005 s, total=2.345 s; sync files=1",
		"checkpoint complete: wrote 1234 buffers (7.5%), wrote 3 SLRU buffers; 0 WAL file(s) added, 0 removed, 1 recycled; write=1.234 s, sync=0.005 s, total=2.345 s; sync files=1",
		"checkpoint complete (13): wrote 1234 buffers (7.5%); 0 transaction log file(s) added; write=1.234 s, sync=0.005 s, total=2.345 s",
		"restartpoint complete: wrote 1234 buffers (7.5%); 0 WAL file(s) added; write=1.234 s, sync=0.005 s, total=2.345 s",
	} {
		b := parseText(t, Stderr, "2026-03-02 08:00:01.100 UTC [5] LOG:  "+m+"\n")
		if e := b.Events[0]; e.Kind != record.EventCheckpoint || e.Count != 1234 || e.Duration != 2345000 {
			t.Errorf("%q: %+v", m, e)
		}
	}
}

func TestCheckpointWork(t *testing.T) {
	b := parseText(t, Stderr, "2026-03-02 08:00:01.100 UTC [5] LOG:  checkpoint complete: wrote 12 buffers (7.5%), wrote 3 SLRU buffers; 4 WAL file(s) added, 5 removed, 6 recycled; "+
		"write=1.234 s, sync=0.005 s, total=2.345 s; sync files=1, longest=0.004 s, average=0.002 s; distance=32769 kB, estimate=40000 kB; lsn=0/1C, redo lsn=0/1B\n"+
		"2026-03-02 08:00:02.100 UTC [5] LOG:  checkpoints are occurring too frequently (24 seconds apart)\n")
	want := record.Checkpoint{Write: 1234000, Sync: 5000, LongestSync: 4000, WALAdded: 4, WALRemoved: 5, WALRecycled: 6, Distance: record.Some(32769 * 1024)}
	if e := b.Events[0]; e.Checkpoint == nil || *e.Checkpoint != want || e.Duration != 2345000 || e.Count != 12 {
		t.Errorf("%+v %+v", e, e.Checkpoint)
	}
	if e := b.Events[1]; e.Kind != record.EventCheckpointsFrequent || e.Duration != 24*record.Second {
		t.Errorf("%+v", e)
	}
}

func TestLockQueueIsNamed(t *testing.T) {
	b := parseText(t, Stderr, `2026-03-02 08:00:01.100 UTC [5] LOG:  process 5 still waiting for ShareLock on transaction 7 after 1000.123 ms
2026-03-02 08:00:01.100 UTC [5] DETAIL:  Processes holding the lock: 1, 2. Wait queue: 5, 6, 7.
2026-03-02 08:00:01.100 UTC [5] STATEMENT:  update t set v = 1
`)
	e := b.Events[0]
	if len(e.Holders) != 2 || e.Holders[1] != 2 || len(e.Queue) != 3 || e.Queue[2] != 7 || e.Statement == nil {
		t.Errorf("%+v", e)
	}
}

func TestCancelledAutovacuumNamesItsTable(t *testing.T) {
	b := parseText(t, Stderr, `2026-03-02 08:00:01.100 UTC [5] ERROR:  canceling autovacuum task
2026-03-02 08:00:01.100 UTC [5] CONTEXT:  automatic vacuum of table "shop.public.orders"
`)
	if e := b.Events[0]; e.Kind != record.EventError || e.Object != "shop.public.orders" {
		t.Errorf("%+v", e)
	}
}
