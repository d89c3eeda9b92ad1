package source

import "github.com/pgassay/pgassay/parser/record"

// Head is what a format may look at to recognise a file, and what it is given
// to read it.
type Head struct {
	Name string // as the user named it, without the compression suffix
	Data []byte // the first bytes after decompression, at most HeadSize
	EOF  bool   // Data is the whole file
	// Prefix is log_line_prefix as given by the user; "" means detect it.
	Prefix string
	// Prefixes are those that were detected in earlier files of the same folder:
	// a log that was split or rotated has one prefix.
	Prefixes []string
	// Timezone resolves log times whose zone the text does not tell; "" is UTC.
	Timezone string
	// AllPlans keeps the tree of every plan. Otherwise logs keep those of a few
	// executions of each block, as record.Execution says.
	AllPlans bool
	// Intern gives the identity of a query text. It is safe for concurrent use
	// and does not keep text.
	Intern func(text []byte) *record.Statement
}

// HeadSize is the number of bytes shown to Detect.
const HeadSize = 256 << 10

// Format is one input format: a literal in parser.Formats.
type Format struct {
	Name string // "stderr", "csvlog", "explain-json" …
	Doc  string // one line for the help
	// Detect looks at the head and answers how to read the file, or nil. It
	// never fails: what looks like the format but cannot be used gets a low
	// Score and a Reason.
	Detect func(h *Head) *Detection
}

// Detection is a recognised file, ready to be read.
type Detection struct {
	Score    int    // 0 … 100; the highest wins, ties go to the earlier format
	Reason   string // why it can not be used, for the user; "" if it can
	Detail   string // the prefix, columns or view recognised
	Zone     string // zone of the times as printed, "" if unknown
	View     record.View
	TimeFrom record.TimeSource
	Prefix   string // the log_line_prefix that was detected, "" if none
	// Whole asks for the file in one block (up to the entry cap) instead of a
	// stream of blocks.
	Whole bool
	// Begin returns the offset of the first byte of the first entry that starts
	// in data; what stands before it belongs to an entry of an earlier file.
	// len(data) if no entry starts there. Used once, on the head.
	Begin func(data []byte) int
	// GoesOn reports whether data, which stands before Begin, is the rest of an
	// entry: its further lines. nil: only what the text itself shows.
	GoesOn func(data []byte) bool
	// Opening reports whether data, which stands before Begin, only opens the
	// file: a csv header, the bracket of a list. nil: it never does.
	Opening func(data []byte) bool
	// Cut returns the offset of the last entry that starts in data, so that
	// data[:n] holds whole entries; 0 if it cannot be cut. data starts at an
	// entry.
	Cut func(data []byte) int
	// Parse reads whole entries and appends to b. pos is the place of block[0].
	// It is called from many goroutines at once, with different batches. It may
	// not keep block.
	Parse func(block []byte, pos record.Pos, b *record.Batch)
}

// Continues reports whether the entries of such a file may begin in an earlier
// file and go on in a later one: logs do, cut by rotation or split. What stands
// before Begin in a snapshot is its header, and a Whole file stands alone.
func (d *Detection) Continues() bool { return !d.Whole && d.View == "" && d.Begin != nil }
