package signature

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/pglog"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
	"github.com/pgassay/pgassay/parser/sqltext"
)

// serverDays are trimmed logs of servers on which a script made, one after the
// other: a lock queue, statement timeouts, errors, deadlocks, temporary files,
// checkpoints with max_wal_size = 32MB, kill -9 of a backend, a restart. The
// stderr log has the default prefix, without SQLSTATE.
func serverDays() map[string]source.Format {
	return map[string]source.Format{"pg18.log": pglog.Stderr, "pg15.csv": pglog.CSVLog}
}

// serverDay reads one of them.
func serverDay(t *testing.T, name string, format source.Format) *hygiene {
	t.Helper()
	h := &hygiene{t: t}
	f, err := os.Open(filepath.Join("testdata", "server", name+".gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	h.log(name, format, data)
	return h
}

// log reads the text of a server log.
func (h *hygiene) log(name string, format source.Format, data []byte) {
	h.t.Helper()
	head := &source.Head{Name: name, Data: data[:min(len(data), source.HeadSize)], EOF: len(data) <= source.HeadSize, Intern: sqltext.NewInterner(1000).Statement}
	d := format.Detect(head)
	if d == nil || d.Reason != "" {
		h.t.Fatalf("%s: not recognised", name)
	}
	begin := d.Begin(data)
	d.Parse(data[begin:], record.Pos{File: name, Line: int64(1 + bytes.Count(data[:begin], []byte{'\n'})), Offset: int64(begin)}, &h.batch)
}

// stderr adds lines of a log with the default prefix: "seconds pid message".
func (h *hygiene) stderr(lines ...string) {
	h.t.Helper()
	var b strings.Builder
	for _, line := range lines {
		var at float64
		var pid int
		if _, err := fmt.Sscanf(line, "%f %d", &at, &pid); err != nil {
			h.t.Fatal(err)
		}
		_, rest, _ := strings.Cut(line, " ")
		_, rest, _ = strings.Cut(rest, " ")
		fmt.Fprintf(&b, "%s [%d] %s\n", second(at).Std().Format("2006-01-02 15:04:05.000 UTC"), pid, rest)
	}
	h.log("log", pglog.Stderr, []byte(b.String()))
}

// eventAt adds an event of a log.
func (h *hygiene) eventAt(at float64, e record.Event) {
	e.LogTime, e.Pos = second(at), record.Pos{File: "log", Line: int64(len(h.batch.Events) + 1), Offset: int64(len(h.batch.Events))}
	h.batch.Events = append(h.batch.Events, e)
}

// quietHour is an hour of log with an entry every ten seconds.
func quietHour(t *testing.T) *hygiene {
	h := &hygiene{t: t}
	for i := range 361 {
		h.eventAt(float64(10*i), record.Event{Kind: record.EventDisconnection, ProcessID: int32(1000 + i)})
	}
	return h
}

func serverSignatures() []*Signature {
	return []*Signature{lockQueueSignature, deadlock, checkpointPressure, tempFileStorm, errorBurst, cancelBurst, crash}
}

// Both servers, in two formats of two versions, tell the same story.
func TestServerEventsOfARealDay(t *testing.T) {
	want := map[string][]string{
		"PGA501": {"8 sessions queue for shop behind report"},
		"PGA503": {"because of WAL, instead of every 5 minutes"},
		"PGA504": {"temporary files in"},
		"PGA502": {"deadlocks between executions of one statement, update shop set"},
		"PGA506": {"300 statements fail with"},
		"PGA507": {"30 statements fail with statement timeout"},
		"PGA508": {"was killed by signal 9 and took the server down", "The server was restarted on request"},
	}
	for name, format := range serverDays() {
		for _, s := range serverSignatures() {
			p := serverDay(t, name, format).run(s)
			if len(p.Findings) != len(want[s.ID]) || len(p.Evaluated) != 1 {
				t.Errorf("%s %s: %d findings, want %d", name, s.ID, len(p.Findings), len(want[s.ID]))
				continue
			}
			for i, part := range want[s.ID] {
				wantText(t, name, p.Findings[i].Title, part)
				if p.Findings[i].Evidence[0].Pos.Line == 0 {
					t.Errorf("%s %s has no place", name, s.ID)
				}
			}
		}
	}
}

func TestServerEventsNeedALog(t *testing.T) {
	for _, s := range serverSignatures() {
		h := &hygiene{t: t}
		h.table(0, 1, 0, 0, 0, 0, 0, 0)
		h.lacks(s, "no ")
	}
}

func TestQuietLogHasNoServerEvents(t *testing.T) {
	for _, s := range []*Signature{deadlock, errorBurst, cancelBurst, crash} {
		quietHour(t).silent(s)
	}
}

func TestErrorBurstIsHeldAgainstTheUsualRate(t *testing.T) {
	errors := func(h *hygiene, from, to, step float64, state string) {
		for at := from; at < to; at += step {
			h.eventAt(at, record.Event{Kind: record.EventError, SQLState: state, Text: `relation "t" does not exist`, ProcessID: 7, Application: "web"})
		}
	}
	h := quietHour(t)
	errors(h, 0, 3600, 60, "22012")
	errors(h, 1800, 1920, 0.5, "42P01")
	h.eventAt(1795, record.Event{Kind: record.EventParameterChanged, Object: "search_path", Text: "app"})
	f := h.one(errorBurst)
	if f.Subject.Event != "42P01" || f.Confidence != finding.Confirmed || f.Severity != finding.Warning {
		t.Errorf("%v %v on %q", f.Severity, f.Confidence, f.Subject.Event)
	}
	wantText(t, "event", f.Onset.Event, "parameter search_path changed to app")
	wantText(t, "actions", f.Actions, "Compare what was deployed with the schema")

	steady := quietHour(t)
	errors(steady, 0, 3600, 0.5, "42P01")
	steady.silent(errorBurst)
}

func TestABurstNeedsALogThatShowsTheUsualRate(t *testing.T) {
	const missing = `relation "t" does not exist`
	most := quietHour(t)
	for at := 600.0; at < 3600; at += 0.5 {
		most.eventAt(at, record.Event{Kind: record.EventError, SQLState: "42P01", Text: missing, ProcessID: 7})
	}
	most.lacks(errorBurst, "they come in more than half of the log")

	short := &hygiene{t: t}
	for at := 0.0; at < 5; at += 0.1 {
		short.eventAt(at, record.Event{Kind: record.EventError, SQLState: "42P01", Text: missing, ProcessID: 7})
		short.eventAt(at, record.Event{Kind: record.EventError, SQLState: "57014", Text: "canceling statement due to statement timeout", ProcessID: 7})
	}
	short.lacks(errorBurst, "the log spans")
	short.lacks(cancelBurst, "the log spans")

	few := &hygiene{t: t}
	for at := range 5 {
		few.eventAt(float64(at), record.Event{Kind: record.EventError, SQLState: "42P01", Text: missing, ProcessID: 7})
	}
	few.silent(errorBurst)
}

func TestCancelsOfAutovacuumAreNoBurst(t *testing.T) {
	h := quietHour(t)
	for at := 1800.0; at < 1830; at++ {
		h.eventAt(at, record.Event{Kind: record.EventError, SQLState: "57014", Text: "canceling autovacuum task", Object: "db.public.t", ProcessID: int32(at)})
		h.eventAt(at, record.Event{Kind: record.EventError, SQLState: "57014", Text: "storniere Autovacuum-Aufgabe", Object: "db.public.t", ProcessID: int32(at)})
	}
	h.silent(cancelBurst)
	h.silent(errorBurst)
	for at := 1800.0; at < 1830; at++ {
		h.eventAt(at, record.Event{Kind: record.EventError, SQLState: "57014", Text: "canceling statement due to user request", ProcessID: int32(at)})
	}
	f := h.one(cancelBurst)
	wantText(t, "title", f.Title, "30 statements fail with user request")
	wantText(t, "actions", f.Actions, "Many drivers cancel")
}

func TestOneDeadlockIsInfo(t *testing.T) {
	h := quietHour(t)
	h.stderr("1800 7 ERROR:  deadlock detected", "1800 7 DETAIL:  Process 7 waits for ShareLock on transaction 9; blocked by process 8.",
		"1800 7 STATEMENT:  update t set v = 1")
	if f := h.one(deadlock); f.Severity != finding.Info || f.Confidence != finding.Possible {
		t.Errorf("%v %v", f.Severity, f.Confidence)
	}
}

func TestServerThatEndedWithoutAWord(t *testing.T) {
	h := quietHour(t)
	h.stderr("1800 1 LOG:  starting PostgreSQL 17.2 on x86_64", "1800 2 LOG:  database system was interrupted; last known up at 2027-01-15 08:00:00 UTC",
		"1801 2 LOG:  database system was not properly shut down; automatic recovery in progress", "1801 2 LOG:  redo starts at 0/1",
		"1895 2 LOG:  redo done at 0/9", "1900 1 LOG:  database system is ready to accept connections")
	f := h.one(crash)
	if f.Severity != finding.Critical || f.Subject.Event != "unclean end" || f.Onset.End != second(1900) {
		t.Errorf("%v %+v %v", f.Severity, f.Subject, f.Onset)
	}
	wantText(t, "summary", f.Summary, "100 s later it accepted connections again")
	if r := figure(t, f, "replay of WAL"); r.Value != 94 {
		t.Errorf("replay %v", r)
	}
}

// A start in the middle of a log without the stop before it: the log of the stop
// is missing, not a crash.
func TestStartWithoutAStopIsInfo(t *testing.T) {
	h := quietHour(t)
	h.stderr("1800 1 LOG:  starting PostgreSQL 17.2 on x86_64", "1800 2 LOG:  database system was shut down at 2027-01-15 08:00:00 UTC",
		"1801 1 LOG:  database system is ready to accept connections")
	f := h.one(crash)
	if f.Severity != finding.Info || f.Confidence != finding.Likely {
		t.Errorf("%v %v", f.Severity, f.Confidence)
	}
	wantText(t, "title", f.Title, "stopped and started again")
}

func TestPlannedStartsAndStopsAreNoCrash(t *testing.T) {
	h := &hygiene{t: t}
	h.stderr("0 1 LOG:  starting PostgreSQL 17.2 on x86_64", "0 2 LOG:  database system was shut down at 2027-01-15 08:00:00 UTC", "0.1 1 LOG:  database system is ready to accept connections",
		"900 1 LOG:  received fast shutdown request", `900 1 LOG:  background worker "logical replication launcher" (PID 9) exited with exit code 1`, "901 3 LOG:  database system is shut down")
	h.silent(crash)
}

// A row held by an open transaction, a second that waits for the first, and an
// ALTER TABLE: one queue with the idle transaction at its head.
func TestLockQueueNamesItsHead(t *testing.T) {
	h := quietHour(t)
	h.stderr(
		"1000 70 LOG:  connection authorized: user=u database=db application_name=report",
		"1001 70 LOG:  duration: 1.000 ms  statement: update t set v = 1 where id = 5",
		"1011 71 LOG:  process 71 still waiting for ShareLock on transaction 9 after 1000.100 ms",
		"1011 71 DETAIL:  Process holding the lock: 70. Wait queue: 71.",
		"1011 71 STATEMENT:  update t set v = 2 where id = 5",
		"1013 72 LOG:  process 72 still waiting for ExclusiveLock on tuple (0,5) of relation 16384 of database 5 after 1000.100 ms",
		"1013 72 DETAIL:  Process holding the lock: 71. Wait queue: 72.",
		"1013 72 STATEMENT:  update t set v = 3 where id = 5",
		"1100 71 LOG:  process 71 acquired ShareLock on transaction 9 after 90000.000 ms",
		"1100 72 LOG:  process 72 acquired ExclusiveLock on tuple (0,5) of relation 16384 of database 5 after 88000.000 ms",
	)
	h.sample(record.ViewTables, second(5), "relid=16384", "schemaname=public", "relname=t")
	f := h.one(lockQueueSignature)
	if f.Subject.Relation != "public.t" || f.Subject.Session != "report" || f.Severity < finding.Warning || f.Confidence != finding.Confirmed {
		t.Errorf("%v %v on %+v: %s", f.Severity, f.Confidence, f.Subject, f.WhyConfidence)
	}
	wantText(t, "title", f.Title, "2 sessions queue for public.t behind report (process 70)")
	wantText(t, "summary", f.Summary, "it had ended update t set", "left its transaction open", "waited 2.97 minutes in all")
	wantText(t, "actions", f.Actions, "alter role u set idle_in_transaction_session_timeout = '30s'")
	wantText(t, "rivals", f.RuledOut, "2 of 2 waits are for a row")
}

func TestOneShortLockWaitIsNoQueue(t *testing.T) {
	h := quietHour(t)
	h.stderr("1011 71 LOG:  process 71 still waiting for ShareLock on transaction 9 after 1000.100 ms",
		"1011 71 DETAIL:  Process holding the lock: 70. Wait queue: 71.",
		"1013 71 LOG:  process 71 acquired ShareLock on transaction 9 after 3000.000 ms")
	h.silent(lockQueueSignature)
}

func TestLockQueueFromSamples(t *testing.T) {
	h := &hygiene{t: t}
	for at := 100.0; at <= 160; at += 10 {
		h.activity(at, 90, 70, 1000, "report", "update t set v = 1", "query_start="+second(91).Std().Format("2006-01-02T15:04:05Z"))
		for pid := 71; pid < 74; pid++ {
			h.sample(record.ViewActivity, second(at), kv("pid", pid), "application_name=api", "state=active", "wait_event_type=Lock", "wait_event=relation",
				"query_start="+second(95).Std().Format("2006-01-02T15:04:05Z"), "query=select 1", "blocked_by={70}")
		}
	}
	f := h.one(lockQueueSignature)
	wantText(t, "title", f.Title, "3 sessions queue for", "behind report (process 70)")
	if f.Confidence == finding.Confirmed {
		t.Error("samples do not show when a wait ended")
	}
}

func TestLockQueueWithoutBlockersSaysWhatNamesTheHead(t *testing.T) {
	h := &hygiene{t: t}
	for at := 100.0; at <= 160; at += 10 {
		for pid := 71; pid < 74; pid++ {
			h.sample(record.ViewActivity, second(at), kv("pid", pid), "application_name=api", "state=active", "wait_event_type=Lock", "wait_event=relation",
				"query_start="+second(95).Std().Format("2006-01-02T15:04:05Z"), "query=select 1")
		}
	}
	f := h.one(lockQueueSignature)
	wantText(t, "title", f.Title, "behind a session that the input does not name")
	wantText(t, "notes", f.Notes, "The head of the queue is not named", "pg_blocking_pids(pid)")
}

func TestLockWaitsThatAreNotLoggedAreNotHealthy(t *testing.T) {
	h := quietHour(t)
	h.lacks(lockQueueSignature, "log_lock_waits is not known to be on")
	h.sample(record.ViewSettings, second(1), "name=log_lock_waits", "setting=on")
	h.silent(lockQueueSignature)
}

// checkpointsEvery adds n checkpoints of one cause, each after distance bytes.
func (h *hygiene) checkpointsEvery(from, step float64, n int, cause string, distance int64) {
	for i := range n {
		at := from + step*float64(i)
		h.eventAt(at, record.Event{Kind: record.EventCheckpointStart, Text: cause})
		h.eventAt(at+step*0.8, record.Event{Kind: record.EventCheckpoint, Count: 1000, Checkpoint: &record.Checkpoint{Distance: record.Some(distance), Write: record.Second}})
	}
}

func TestCheckpointPressureComputesMaxWALSize(t *testing.T) {
	h := quietHour(t)
	h.checkpointsEvery(0, 300, 4, "time", 10<<20)
	h.checkpointsEvery(1200, 30, 60, "wal", 540<<20)
	h.sample(record.ViewSettings, second(1), "name=max_wal_size", "setting=1024", "unit=MB")
	h.sample(record.ViewSettings, second(1), "name=checkpoint_completion_target", "setting=0.9")
	f := h.one(checkpointPressure)
	// 540 MB in 30 s are 18 MB/s: × 300 s × 1.9 = 10,260 MB, in steps of 64 MB.
	wantText(t, "actions", f.Actions, "max_wal_size = '10304MB'")
	if f.Severity != finding.Critical || f.Confidence != finding.Confirmed || f.Effect != 10 {
		t.Errorf("%v %v effect %v", f.Severity, f.Confidence, f.Effect)
	}
}

func TestCheckpointsByTimeAndOneLoadAreNoPressure(t *testing.T) {
	h := quietHour(t)
	h.checkpointsEvery(0, 300, 12, "time", 10<<20)
	h.checkpointsEvery(1210, 20, 2, "wal", 540<<20)
	h.checkpointsEvery(2000, 5, 3, "immediate force wait", 1<<20)
	h.silent(checkpointPressure)
	rare := quietHour(t)
	rare.checkpointsEvery(0, 200, 15, "wal", 1<<30) // well below checkpoint_timeout they are not
	rare.silent(checkpointPressure)
	quietHour(t).lacks(checkpointPressure, "no checkpoints")
}

func TestCheckpointPressureFromCounters(t *testing.T) {
	h := &hygiene{t: t}
	for i := range 11 {
		h.sample(record.ViewCheckpointer, second(float64(60*i)), kv("num_timed", 0), kv("num_requested", 3*i))
	}
	f := h.one(checkpointPressure)
	if f.Confidence > finding.Possible {
		t.Errorf("%v: the counters do not tell who asked", f.Confidence)
	}
	wantText(t, "rivals", f.RuledOut, "the counters hold both kinds")
}

func TestTempFileStorm(t *testing.T) {
	s := &record.Statement{Fingerprint: "sort", Normalized: "select * from big order by t", Command: "SELECT"}
	h := quietHour(t)
	for i := range 60 {
		h.eventAt(2000+float64(i), record.Event{Kind: record.EventTempFile, Object: "base/pgsql_tmp/x", Count: 20 << 20, Statement: s, ProcessID: int32(i % 4)})
	}
	f := h.one(tempFileStorm)
	wantText(t, "actions", f.Actions, "work_mem = '64MB'", "explain (analyze, buffers) select * from big order by t")
	steady := quietHour(t)
	for i := range 700 {
		steady.eventAt(5*float64(i), record.Event{Kind: record.EventTempFile, Count: 20 << 20, Statement: s})
	}
	steady.silent(tempFileStorm)
	quietHour(t).lacks(tempFileStorm, "log_temp_files is not known to be on")
}
