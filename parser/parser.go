package parser

import (
	"io"
	"runtime"

	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/pglog"
	"github.com/pgassay/pgassay/parser/pgstat"
	"github.com/pgassay/pgassay/parser/psql"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
	"github.com/pgassay/pgassay/parser/sqltext"
)

// Formats are the input formats, in the order in which ties of detection are
// decided.
var Formats = []source.Format{
	pglog.Stderr,
	pglog.CSVLog,
	pglog.JSONLog,
	pglog.Syslog,
	pglog.Heroku,
	pglog.Journald,
	pglog.Docker,
	pglog.CRI,
	pglog.CloudWatch,
	pglog.CloudSQL,
	pglog.Azure,
	pglog.AzureCSV,
	pglog.CloudNativePG,
	pglog.ShipperJSON,
	pglog.ShipperCSV,
	pglog.PgBouncer,
	explain.JSON,
	explain.Text,
	explain.XML,
	explain.YAML,
	explain.Any,
	psql.Frame,
	psql.Table,
	pgstat.PgMetrics,
	pgstat.PgWatch,
	pgstat.PgCenter,
	pgstat.PgGather,
	pgstat.PgProfile,
	pgstat.Checkup,
	pgstat.CSV,
	pgstat.NDJSON,
	pgstat.Document,
}

// internedStatements bounds the query texts whose identity a run remembers.
const internedStatements = 200_000

// UsageError is a path or option of the user's that cannot be used.
type UsageError = source.UsageError

// Options say how to read. A zero field means its value in DefaultOptions.
type Options struct {
	// Prefix is log_line_prefix of stderr logs; "" means detect it.
	Prefix string
	// Timezone is the IANA name of the zone of log times whose zone the text
	// does not tell; "" is UTC.
	Timezone string
	// Jobs is the number of blocks parsed at once. It does not change what is
	// read.
	Jobs int
	// BlockSize and EntryCap are in bytes: of a block, and of the longest log
	// entry that is read whole.
	BlockSize, EntryCap int
	// Stdin is what the path "-" reads; nil if there is no standard input.
	Stdin io.Reader
	// AllPlans keeps the tree of every plan of a log, not only of a few of each
	// statement and shape. It takes memory and time.
	AllPlans bool
	// Formats are tried on each file.
	Formats []source.Format
	// Intern gives the identity of a query text, as in source.Head; nil makes a
	// sqltext.Interner for this run.
	Intern func(text []byte) *record.Statement
	// OnProgress, if not nil, is called after each batch by the goroutine that
	// folds.
	OnProgress func(Progress)
}

// DefaultOptions are the options where the caller gives none.
func DefaultOptions() Options {
	return Options{
		Jobs:      runtime.GOMAXPROCS(0),
		BlockSize: source.DefaultBlockSize,
		EntryCap:  source.DefaultEntryCap,
		Formats:   Formats,
	}
}

func (o Options) withDefaults() Options {
	d := DefaultOptions()
	if o.Jobs <= 0 {
		o.Jobs = d.Jobs
	}
	if o.BlockSize <= 0 {
		o.BlockSize = d.BlockSize
	}
	if o.EntryCap <= 0 {
		o.EntryCap = d.EntryCap
	}
	if o.Formats == nil {
		o.Formats = d.Formats
	}
	if o.Intern == nil {
		o.Intern = sqltext.NewInterner(internedStatements).Statement
	}
	return o
}

// Progress is how far a run has come.
type Progress struct {
	File        string // being read
	Number, All int    // of the file, from 1, and of all files
	Bytes       int64  // of all files so far, after decompression
	Read, Size  int64  // of all files, compressed as they are: read so far, and in all; Size is 0 if not known
}
