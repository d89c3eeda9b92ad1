package record

// Loss is a piece of input that was not understood, or a cap that was hit.
// Losses of one kind in one file are counted; the first few keep their places.
type Loss struct {
	Pos   Pos
	Kind  LossKind
	Text  string // what was expected and what to do, without the offending data
	Count int64
}

// LossKind classifies losses.
type LossKind string

// Kinds of losses.
const (
	LossLine      LossKind = "unreadable line"    // no entry could be made of it
	LossEntry     LossKind = "unreadable entry"   // csv or json damaged
	LossPlan      LossKind = "unreadable plan"    // auto_explain header without a plan
	LossVacuum    LossKind = "unreadable figures" // a maintenance line not understood
	LossFile      LossKind = "unrecognised file"  // no format fits
	LossRow       LossKind = "unreadable row"     // snapshot row
	LossTruncated LossKind = "truncated"          // compressed stream or entry cut
	LossCap       LossKind = "cap hit"            // a limit of ours
	LossLanguage  LossKind = "message not in English"
	LossTime      LossKind = "uncertain time"    // no zone, or one that means several
	LossPrefix    LossKind = "incomplete prefix" // log_line_prefix lacks what the analysis needs
)

// Repair is damage that a carrier did to the text (a frame, quotes, numbers,
// broken lines) and that was undone before the text was read.
type Repair struct {
	Pos   Pos // the first line repaired
	Name  string
	Count int64 // lines
}

// Silence is the least time without an entry that ends a Stretch.
const Silence = 60 * Second

// Stretch is a run of log entries, of any kind, without a Silence between them:
// a part of one block. What lies between the stretches of all files is what the
// log does not tell of.
type Stretch struct {
	First, Last Pos // places of the first and the last entry
	From, To    Time
	Entries     int64
	// Back is how much earlier an entry at First is than the one before it in its
	// session, if the stretch begins with a step of the clock; else 0.
	Back Duration
}

// Batch is what one block of one file yielded, in input order. Batches of one
// file are delivered in order.
type Batch struct {
	File       *File
	Executions []Execution
	Vacuums    []Vacuum
	Events     []Event
	Samples    []Sample
	Losses     []Loss
	Stretches  []Stretch // of logs
	Repairs    []Repair
	Lines      int64
	Entries    int64
	Bytes      int64 // decompressed
	// Understood counts entries that became a record or are known to be of no
	// interest.
	Understood int64
	// Unknown are the places of the first entries of a block that were not
	// understood. They are no loss: anybody may log anything.
	Unknown []Pos
}

// File describes one input after it was read. Fields below Format are complete
// only when the whole input has been read.
type File struct {
	Name     string // as the user named it; "-" for standard input
	Format   string // name in parser.Formats: "stderr", "csvlog", "explain-json" …
	Detail   string // prefix detected, columns, view
	Version  string // server version if the file tells
	Zone     string // zone of the log's times as printed
	View     View   // of a snapshot
	TimeFrom TimeSource
}
