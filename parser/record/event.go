package record

import (
	"strconv"
	"strings"
)

// EventKind classifies log entries that are neither executions nor vacuums.
type EventKind uint8

// Kinds of events.
const (
	EventOther               EventKind = iota
	EventServerStart                   // "starting PostgreSQL …"; Text is the version
	EventReady                         // "database system is ready to accept connections"
	EventShutdown                      // fast, smart or immediate shutdown request
	EventCrash                         // "terminated by signal", "was not properly shut down"
	EventReload                        // "received SIGHUP, reloading configuration files"
	EventParameterChanged              // "parameter "x" changed to "y"": Object x, Text y
	EventConnection                    // connection authorized
	EventDisconnection                 // Duration is the session time
	EventCheckpointStart               // Text is the cause
	EventCheckpoint                    // complete; Count is buffers written, Duration total
	EventLockWait                      // "still waiting": Object lock object, Text mode, Duration wait
	EventLockAcquired                  // "acquired … after"
	EventDeadlock                      //
	EventTempFile                      // Count is bytes
	EventVacuumSkipped                 // "skipping vacuum of …"
	EventError                         // ERROR, FATAL or PANIC; SQLState set
	EventLogDestination                // "ending log output to stderr"
	EventBenign                        // understood, of no interest
	EventWarning                       // WARNING; Text is the message
	EventLockFailed                    // "could not obtain MODE on OBJECT" of log_lock_failures (18)
	EventConnectionReady               // "connection ready: setup total=…" (18): Duration is the setup
	EventRecovery                      // redo, consistency, promotion: Text is the message
	EventCheckpointsFrequent           // "checkpoints are occurring too frequently": Duration is how far apart

	// EventBuildNotice is what pgvector says of the build of an index: Text; Count
	// is the rows after which the graph left memory, 0 for other notices.
	EventBuildNotice

	// What stands between the plans of a psql transcript. These have no time:
	// their order is that of their places.
	EventHeading // a comment, or what \echo printed: Text
	EventCommand // command tag: Object is "DELETE" or "CREATE INDEX", Count the rows
	EventSize    // size of a relation: Object is the column, Text the relation if told, Count ± CountErr in Unit
	EventNotice  // as EventBuildNotice, told to the client
)

// Units of an EventSize.
const (
	UnitPages = "pages"
	UnitBytes = "bytes"
)

// OfTranscript reports whether events of this kind come from a psql transcript,
// not from a log.
func (k EventKind) OfTranscript() bool {
	return k >= EventHeading
}

// buildNotices begin what pgvector says of a build that goes wrong. Source:
// pgvector, src/hnswbuild.c and src/ivfbuild.c; they are not translated.
const (
	noticeSpilled   = "hnsw graph no longer fits into maintenance_work_mem after "
	noticeUntrained = "ivfflat index created with little data"
)

// BuildNotice reads a message of pgvector about the build of an index; false if
// it is any other. rows is 0 where the message tells none.
func BuildNotice(message string) (rows int64, ok bool) {
	if rest, spilled := strings.CutPrefix(message, noticeSpilled); spilled {
		number, _, _ := strings.Cut(rest, " ")
		rows, err := strconv.ParseInt(number, 10, 64)
		return rows, err == nil && rows > 0
	}
	return 0, strings.HasPrefix(message, noticeUntrained)
}

// Event is a log entry of interest other than a duration, plan or vacuum.
type Event struct {
	Pos       Pos
	LogTime   Time
	Kind      EventKind
	Session   string
	ProcessID int32
	UserName  string
	Database  string
	// Application is %a, or application_name= of a "connection authorized".
	Application string
	Object      string
	Text        string
	SQLState    string
	Severity    Severity // of an EventError: ERROR, FATAL or PANIC
	Count       int64
	CountErr    int64  // half width of the rounding interval of Count
	Unit        string // of Count where it may be one of several
	Duration    Duration
	Statement   *Statement // of the STATEMENT line, or that a transcript echoes; nil if absent
	// Inferred marks a Statement that the entry did not tell: it is the one that
	// the session ran at that time.
	Inferred bool
	// Holders and Queue are the process ids that the DETAIL of an EventLockWait,
	// EventLockAcquired or EventLockFailed names: who holds the lock and who
	// waits, in order.
	Holders, Queue []int32
	// Cycle is the DETAIL of an EventDeadlock: who waits for whom.
	Cycle []DeadlockWait
	// Checkpoint is what an EventCheckpoint tells of its work; nil for others.
	Checkpoint *Checkpoint
	// Exit is the process that an EventCrash says has ended; nil where it tells of
	// the recovery. Statement is then what it was running.
	Exit *ProcessExit
}

// Checkpoint is the work of a checkpoint or restartpoint. What the line does not
// tell is zero, except where a Count says so.
type Checkpoint struct {
	Write, Sync, LongestSync Duration
	WALAdded                 int64
	WALRemoved, WALRecycled  int64 // files
	Distance                 Count // bytes of WAL since the checkpoint before
}

// ProcessExit is a process of the server that ended by a signal or with an exit
// code: "server process (PID 7) was terminated by signal 9: Killed".
type ProcessExit struct {
	Process   string // "server process", "client backend", "checkpointer process"
	ProcessID int32
	Signal    int64 // 0 if it exited by itself
	Code      int64 // exit code; of Windows the exception
}

// DeadlockWait is one process of a deadlock: "Process 1 waits for ShareLock on
// transaction 7; blocked by process 2."
type DeadlockWait struct {
	ProcessID, BlockedBy int32
	Mode, Object         string
	Statement            *Statement // nil if the DETAIL does not show it
}
