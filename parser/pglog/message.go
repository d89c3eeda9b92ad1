package pglog

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/record"
)

// record turns the entry into records and counts it.
func (w *worker) record(e *record.Entry) {
	w.batch.Entries++
	w.stretch(e, w.step(e))
	w.verbose(e)
	w.cutShort(e)
	if w.message(e) {
		w.batch.Understood++
	} else if len(w.batch.Unknown) < maxPlaces {
		w.batch.Unknown = append(w.batch.Unknown, e.Pos)
	}
}

// verbose takes off what stands before a message in stderr: the SQLSTATE
// "22012: " of log_error_verbosity = verbose, and AlloyDB's "[postgres.c:123]  ".
func (w *worker) verbose(e *record.Entry) {
	m := e.Message
	if len(m) > 0 && m[0] == '[' {
		m = m[sourcePlace(m):]
		e.Message = m
	}
	if len(m) < 7 || m[5] != ':' || m[6] != ' ' || !isSQLState(m[:5]) {
		return
	}
	if e.SQLState == nil || bytes.Equal(e.SQLState, m[:5]) {
		e.SQLState, e.Message = m[:5], m[7:]
	}
}

// sourcePlace is the length of "[postgres.c:123]  " at the start of m, 0 if
// there is none.
func sourcePlace(m []byte) int {
	i := bytes.Index(m[:min(len(m), maxNameLen)], []byte("]  "))
	if i < 0 {
		return 0
	}
	colon := bytes.IndexByte(m[:i], ':')
	if colon < 0 || colon+1 == i || digits(m[colon+1:]) != i-colon-1 {
		return 0
	}
	return i + len("]  ")
}

// truncated is what Amazon RDS puts at the end of a message of more than 1 MB.
var truncated = []byte("[Your log message was truncated]")

// cutShort marks an entry that its platform has cut, and takes the mark off.
func (w *worker) cutShort(e *record.Entry) {
	for _, part := range [...]*[]byte{&e.Message, &e.Detail, &e.Context, &e.Query} {
		if n := len(*part) - len(truncated); n > 0 && (*part)[len(*part)-1] == ']' && bytes.HasSuffix(*part, truncated) {
			*part = bytes.TrimRight((*part)[:n], " \r\n\t")
			w.loss(record.LossTruncated, "entry cut by the platform, which logs no more than 1 MB of it", e.Pos, 1)
		}
	}
}

// message reports whether the entry was understood: it became a record, or is
// known to be of no interest.
func (w *worker) message(e *record.Entry) bool {
	switch e.ErrorSeverity {
	case record.SeverityError, record.SeverityFatal, record.SeverityPanic:
		w.errorEvent(e)
		return true
	case record.SeverityLog:
		return w.log(e) || w.foreign(e)
	case record.SeverityWarning:
		if !w.skipped(e) {
			w.warning(e)
		}
		return true
	case record.SeverityUnknown:
		return w.unknown(e)
	}
	if e.ErrorSeverity == record.SeverityNotice && w.buildNotice(e) {
		return true
	}
	w.skipped(e)
	return true
}

// buildNotice is what pgvector says of a build, where log_min_messages lets it
// into the log.
func (w *worker) buildNotice(e *record.Entry) bool {
	text := excerpt(e.Message, maxText)
	rows, ok := record.BuildNotice(text)
	if ok {
		ev := w.event(e, record.EventBuildNotice)
		ev.Text, ev.Count, ev.Statement = text, rows, w.statement(e.Query)
	}
	return ok
}

// warning is a WARNING of the server.
func (w *worker) warning(e *record.Entry) {
	ev := w.event(e, record.EventWarning)
	state := e.SQLState
	if state == nil {
		state = stateOf(e.Message)
	}
	ev.Text, ev.SQLState = excerpt(e.Message, maxText), w.name(state)
	ev.Statement = w.statement(e.Query)
}

// unknown is an entry whose severity is in a language that is not known:
// durations of plans are never translated, SQLSTATE neither.
func (w *worker) unknown(e *record.Entry) bool {
	if w.log(e) || w.foreign(e) {
		return true
	}
	if len(e.SQLState) == 5 && string(e.SQLState[:2]) > "02" {
		w.errorEvent(e)
		return true
	}
	if languageOf(e.Message) == "" {
		w.loss(record.LossLanguage, "messages with a severity that is not known; plans and SQLSTATE were read", e.Pos, 1)
	}
	return false
}

// log reads an entry of severity LOG. The message must start with the template
// of PostgreSQL: an application may log what looks like it further in.
func (w *worker) log(e *record.Entry) bool {
	m := e.Message
	if len(m) == 0 {
		return false
	}
	switch m[0] {
	case 'd':
		return w.durationEntry(e) || w.lifeEvent(e) || w.disconnection(e)
	case 's', 'e':
		return w.textEntry(e) || w.lifeEvent(e) || w.skipped(e) || w.recovery(e) || isBenign(m)
	case 'a':
		return w.vacuumEntry(e) || w.exit(e) || w.recovery(e) || isBenign(m)
	case 'c', 'r':
		return w.checkpoint(e) || w.connection(e) || w.ready(e) || w.lifeEvent(e) || w.recovery(e) || isBenign(m)
	case 'p':
		return w.lock(e) || w.parameter(e) || isBenign(m)
	case 't':
		return w.tempFile(e) || isBenign(m)
	}
	return w.exit(e) || isBenign(m)
}

// isBenign reports messages of PostgreSQL's own that tell nothing of use here.
func isBenign(m []byte) bool {
	for _, start := range benign {
		if len(m) >= len(start) && string(m[:len(start)]) == start {
			return true
		}
	}
	return bytes.HasPrefix(m, []byte(`background worker "`)) && bytes.Contains(m, []byte("exited with exit code"))
}

// benign are the starts of such messages, from the sources of PostgreSQL 10 to
// 18.
var benign = [...]string{
	"aborting any active transactions", "all server processes terminated",
	"archive command failed", "archived write-ahead log file", "autovacuum launcher ", "autovacuum: found orphan",
	"checkpointer process", "clearing OIDs", "configuration file ", "connection received: ", "connection authenticated: ",
	"could not accept SSL connection",
	"could not receive data from client", "could not send data to client", "database system was interrupted",
	"incomplete startup packet", "invalid length of startup packet", "invalid record length",
	"issuing SIGKILL", "listening on ", "logical decoding found ", "logical replication ", "number of prefetched",
	"parameter \"", "performing immediate shutdown", "redirecting log output", "recovered replication state",
	"recovery restart point", "replication terminated by",
	"restored log file", "shutting down", "skipping missing configuration",
	"started streaming WAL", "starting backup recovery", "starting archive recovery", "starting logical decoding",
	"starting point-in-time recovery", "startup process ", "terminating any other active", "terminating walsender",
	"terminating walreceiver", "transaction ID wrap limit", "MultiXactId wrap limit", "MultiXact member wraparound",
	"unexpected EOF on client", "using stale statistics", "waiting for WAL", "worker process: ", "oldest MultiXactId",
	"could not bind", "could not fork", "starting up replication slots", "last completed transaction was",
	"hot standby", "SSL ", "SSL error", "trigger file found", "promote trigger file",
	"sending cancel to blocking autovacuum", "background worker process ", "unregistering background",
	"starting background worker", "registering background worker", "completed backup recovery",
	"invalid magic number", "unexpected pageaddr", "record with incorrect prev-link", "invalid resource manager",
	"AUDIT: ", "cron job ", "invalidating obsolete replication slot", "terminating process ", "time zone ", "no match in usermap",
	"provided user name", "could not translate", "pg_hba.conf", "reloading", "force closing",
}
