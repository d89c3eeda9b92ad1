package signature

import (
	"fmt"

	"github.com/pgassay/pgassay/analysis/finding"
)

// outageActions say where to look for what ended the server.
func outageActions(cause string, o *outage) []finding.Action {
	var out []finding.Action
	switch cause {
	case causeRestart:
		return []finding.Action{{Do: "Nothing, if it was planned. After it the cache is empty: pg_prewarm can fill it.", Cost: "no change to the database"}}
	case causeImmediate:
		return []finding.Action{{Do: "Stop the server with pg_ctl stop -m fast: it writes a checkpoint, and needs no recovery.", Cost: "the stop takes as long as that checkpoint"}}
	case causeSilent:
		return []finding.Action{{Do: "Look at the host's log for that time: power, kernel, container limits, a kill -9 of the postmaster. The server itself had no time to say anything.", Cost: "no change to the database"}}
	case "signal 9":
		pid := int32(0)
		if o.exit != nil {
			pid = o.exit.Exit.ProcessID
		}
		out = []finding.Action{
			{Do: fmt.Sprintf("Look for process %d in the kernel log (dmesg -T | grep -i 'killed process'): if it is there, memory ran out; if not, somebody sent kill -9. Use pg_terminate_backend, never kill -9.", pid), Cost: "no change to the database"},
			{Do: "If memory ran out: vm.overcommit_memory = 2 on the host, a memory limit that holds shared_buffers and work_mem × sorts × sessions, and a smaller work_mem for what was running.",
				Cost: "a statement that asks for too much then fails alone, with SQLSTATE 53200"},
		}
	case "signal 6", "signal 7", "signal 11":
		out = []finding.Action{
			{Do: "Install the latest minor release of the server and of its extensions; then look at the core dump (ulimit -c unlimited, gdb postgres core, bt).", Cost: "a restart"},
			{Do: "If it stays: test the memory and the disk, and check the data with pg_amcheck. For signal 7 look whether /dev/shm or the huge pages ran out.", Cost: "pg_amcheck reads what it checks"},
		}
	default:
		out = []finding.Action{{Do: "Look at what the process logged just before, and at the extensions it had loaded.", Cost: "no change to the database"}}
	}
	if o.exit != nil && o.exit.Statement != nil {
		out = append(out, finding.Action{SQL: true, Do: "explain " + o.exit.Statement.Normalized, Cost: "plans only; run it elsewhere if the statement itself is what brings the server down"})
	}
	return out
}
