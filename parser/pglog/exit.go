package pglog

import (
	"bytes"
	"strconv"

	"github.com/pgassay/pgassay/parser/record"
)

// maxProcessName bounds the name of a process before its "(PID 7)".
const maxProcessName = 64

// exit reads what the postmaster says of a process that a signal has ended or
// that exited by itself: "server process (PID 5) was terminated by signal 9:
// Killed", "client backend (PID 5) exited with exit code 2" (18). The DETAIL
// tells what it was running. From LogChildExit of postmaster.c.
func (w *worker) exit(e *record.Entry) bool {
	c := cursor{e.Message}
	name, ok := c.until(" (PID ")
	if !ok || len(name) == 0 || len(name) > maxProcessName {
		return false
	}
	pid := parsePID(c.b[:digits(c.b)])
	c.b = c.b[digits(c.b):]
	x := &record.ProcessExit{Process: w.name(name), ProcessID: pid}
	switch {
	case c.lit(") was terminated by signal "):
		x.Signal, ok = c.int()
	case c.lit(") was terminated by exception 0x"):
		code, _, _ := bytes.Cut(c.b, []byte(":"))
		n, err := strconv.ParseInt(string(code), 16, 64)
		x.Code, ok = n, err == nil
	case c.lit(") exited with exit code "):
		x.Code, ok = c.int()
		if isWorker(name) && x.Code <= 1 {
			return ok // ends so at every shutdown
		}
	default:
		return false
	}
	if !ok || pid == 0 {
		return false
	}
	ev := w.event(e, record.EventCrash)
	ev.Text, ev.Exit = excerpt(e.Message, maxText), x
	if d := (cursor{e.Detail}); d.lit("Failed process was running: ") {
		ev.Statement = w.statement(d.b)
	}
	return true
}

// isWorker reports a background worker, which may exit by itself.
func isWorker(process []byte) bool {
	return bytes.HasPrefix(process, []byte("background worker")) || bytes.HasPrefix(process, []byte("worker process"))
}
