package pglog

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/record"
)

var deadlockState = []byte("40P01")

// isDeadlock recognises the message in the languages that are known.
func (w *worker) isDeadlock(message []byte) bool {
	if bytes.HasPrefix(message, []byte("deadlock detected")) {
		return true
	}
	return len(message) < maxText && message != nil && bytes.Equal(w.english(message), []byte("deadlock detected"))
}

// stateOf is the SQLSTATE of the messages that say why a statement or a session
// was ended by others, or not let in; nil for the rest.
func stateOf(message []byte) []byte {
	for _, known := range cancels {
		if bytes.HasPrefix(message, []byte(known.message)) {
			return []byte(known.state)
		}
	}
	return nil
}

// cancels are from the sources of PostgreSQL 10 to 18 (postgres.c, proc.c,
// postmaster.c, postinit.c).
var cancels = [...]struct{ message, state string }{
	{"canceling statement due to statement timeout", "57014"},
	{"canceling statement due to user request", "57014"},
	{"canceling statement due to lock timeout", "55P03"},
	{"canceling statement due to conflict with recovery", "40001"},
	{"canceling autovacuum task", "57014"},
	{"canceling authentication due to timeout", "57014"},
	{"terminating connection due to idle-in-transaction timeout", "25P03"},
	{"terminating connection due to transaction timeout", "25P04"},
	{"terminating connection due to idle-session timeout", "57P05"},
	{"terminating connection due to administrator command", "57P01"},
	{"terminating connection because of crash of another server process", "57P02"},
	{"terminating connection because of unexpected SIGQUIT signal", "57P02"},
	{"terminating connection due to conflict with recovery", "40001"},
	{"could not obtain lock on ", "55P03"},
	{"the database system is ", "57P03"},
	{"sorry, too many clients already", "53300"},
	{"remaining connection slots are reserved", "53300"},
	{"too many connections for ", "53300"},
}

// deadlockCycle reads the DETAIL of a deadlock: for each process "Process 1
// waits for ShareLock on transaction 7; blocked by process 2.", then "Process 1:
// UPDATE …", whose text may go over several lines.
func (w *worker) deadlockCycle(detail []byte) []record.DeadlockWait {
	var cycle []record.DeadlockWait
	for len(detail) > 0 && len(cycle) < maxPIDs {
		line, next := cutLine(detail, 0)
		wait, ok := w.deadlockWait(line)
		if !ok {
			break
		}
		cycle = append(cycle, wait)
		detail = detail[next:]
	}
	for i := 0; i < len(cycle) && len(detail) > 0; i++ {
		k := cursor{detail}
		if !k.lit("Process ") {
			break
		}
		pid, ok := k.int()
		if !ok || !k.lit(": ") {
			break
		}
		text := k.b
		if end := bytes.Index(text, []byte("\nProcess ")); end >= 0 && i+1 < len(cycle) {
			text, detail = text[:end], text[end+1:]
		} else {
			detail = nil
		}
		for n := range cycle {
			if int64(cycle[n].ProcessID) == pid {
				cycle[n].Statement = w.statement(text)
			}
		}
	}
	return cycle
}

func (w *worker) deadlockWait(line []byte) (wait record.DeadlockWait, ok bool) {
	k := cursor{line}
	if !k.lit("Process ") {
		return wait, false
	}
	pid := k.b[:digits(k.b)]
	k.b = k.b[len(pid):]
	if !k.lit(" waits for ") {
		return wait, false
	}
	mode, ok := k.until(" on ")
	if !ok {
		return wait, false
	}
	object, ok := k.until("; blocked by process ")
	if !ok {
		return wait, false
	}
	return record.DeadlockWait{
		ProcessID: parsePID(pid), BlockedBy: parsePID(k.b[:digits(k.b)]),
		Mode: w.name(mode), Object: excerpt(object, maxText),
	}, true
}
