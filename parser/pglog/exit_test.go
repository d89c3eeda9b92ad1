package pglog

import (
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

func TestEndOfAProcess(t *testing.T) {
	for message, want := range map[string]record.ProcessExit{
		"server process (PID 5) was terminated by signal 9: Killed":                      {Process: "server process", ProcessID: 5, Signal: 9},
		"client backend (PID 5) was terminated by signal 11: Segmentation fault":         {Process: "client backend", ProcessID: 5, Signal: 11},
		"autovacuum worker process (PID 7) was terminated by signal 6: Aborted":          {Process: "autovacuum worker process", ProcessID: 7, Signal: 6},
		"background writer process (PID 8) was terminated by signal 9: Killed":           {Process: "background writer process", ProcessID: 8, Signal: 9},
		"server process (PID 5) was terminated by exception 0xC0000005":                  {Process: "server process", ProcessID: 5, Code: 0xC0000005},
		"server process (PID 5) exited with exit code 2":                                 {Process: "server process", ProcessID: 5, Code: 2},
		`background worker "parallel worker" (PID 9) was terminated by signal 9: Killed`: {Process: `background worker "parallel worker"`, ProcessID: 9, Signal: 9},
	} {
		b := parseText(t, Stderr, "2026-03-02 08:00:01.100 UTC [1] LOG:  "+message+"\n2026-03-02 08:00:01.100 UTC [1] DETAIL:  Failed process was running: select 1\n")
		if len(b.Events) != 1 || b.Events[0].Kind != record.EventCrash || b.Events[0].Exit == nil || b.Understood != 1 {
			t.Errorf("%s: %+v", message, b.Events)
			continue
		}
		if e := b.Events[0]; *e.Exit != want || e.Statement == nil || e.Statement.Normalized != "select 1" {
			t.Errorf("%s: %+v %v", message, *e.Exit, e.Statement)
		}
	}
}

func TestWorkersThatExitAreNoCrash(t *testing.T) {
	for _, message := range []string{
		`background worker "logical replication launcher" (PID 9) exited with exit code 1`,
		"worker process: logical replication launcher (PID 9) exited with exit code 1",
		"the job (PID 9) was slow",
		"job (PID x) was terminated by signal 9: Killed",
	} {
		if b := parseText(t, Stderr, "2026-03-02 08:00:01.100 UTC [1] LOG:  "+message+"\n"); len(b.Events) != 0 {
			t.Errorf("%s: %+v", message, b.Events)
		}
	}
}
