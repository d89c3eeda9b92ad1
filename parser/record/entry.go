package record

// Severity is ErrorSeverity in English, whatever the log's language.
type Severity uint8

// Severities in PostgreSQL's order. SeverityUnknown is a word that is neither
// English nor a known translation.
const (
	SeverityUnknown Severity = iota
	SeverityDebug
	SeverityInfo
	SeverityNotice
	SeverityWarning
	SeverityError
	SeverityLog
	SeverityFatal
	SeverityPanic
)

// Entry is one log entry with its DETAIL, HINT, CONTEXT and STATEMENT joined.
// Field names are the csvlog columns'. Byte slices point into the parser's
// buffer and are valid only until the parser reads on; whoever keeps one must
// copy it. A nil slice means the input did not report the field.
type Entry struct {
	Pos            Pos
	LogTime        Time
	Resolution     Duration // of LogTime: Millisecond, or Second with %t
	UserName       []byte
	DatabaseName   []byte
	ProcessID      int32 // 0 if not reported
	LeaderPID      int32
	ConnectionFrom []byte // host:port, host(port), [local] as printed
	SessionID      []byte // %c
	SessionLineNum int64  // -1 if not reported
	SessionStart   Time
	CommandTag     []byte
	VirtualTxID    []byte
	ErrorSeverity  Severity
	SQLState       []byte
	Message        []byte // stderr's leading TAB of continuation lines removed
	Detail         []byte
	Hint           []byte
	InternalQuery  []byte
	Context        []byte
	Query          []byte // the STATEMENT line, or csvlog's query
	Location       []byte
	Application    []byte
	BackendType    []byte
	QueryID        int64
	HasQueryID     bool // false also for query id 0, which means "none"
}
