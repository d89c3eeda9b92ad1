package series

import (
	"math"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// MaxReadings bounds the rows of a Frame; beyond it neighbours are pooled.
const MaxReadings = 400

// Kind says what a Column measures.
type Kind uint8

// Kinds. Costs of the statement come first, then what may explain them: the
// statement's own work, the state of its relations, the load, the clock.
const (
	BuffersPerRow Kind = iota
	BuffersPerExecution
	TimePerRow
	TimePerExecution
	RowsPerExecution
	ReadsPerExecution
	DirtiedPerExecution
	WrittenPerExecution
	TempPerExecution
	IOTimePerExecution
	HeapFetchesPerRow
	LoopsPerExecution
	PlanningTime // per planning; no part of the cost in time
	WALPerExecution
	OtherShapes
	IndexPages
	TablePages
	LiveRows
	DeadRows
	InsertedSinceVacuum
	VisibleShare
	RowBytes
	SinceVacuum
	Concurrency
	Throughput
	ActiveBackends
	WaitingBackends
	LockWaits
	Checkpoints
	AutovacuumWorkers
	WALRate
	ServerTime
	External
	Given // a series of the user's that is itself to be explained
	Event // 0 before a happening, 1 after it
	WallClock
)

// measures are the name and the unit of each kind. Buffers and pages are blocks.
var measures = [...]struct{ name, unit string }{
	BuffersPerRow: {"buffers per row", "buffers/row"}, BuffersPerExecution: {"buffers per execution", "buffers"},
	TimePerRow: {"time per row", "ms/row"}, TimePerExecution: {"time per execution", "ms"},
	RowsPerExecution: {"rows per statement", "rows"}, ReadsPerExecution: {"blocks read", "blocks"},
	DirtiedPerExecution: {"blocks dirtied", "blocks"}, WrittenPerExecution: {"blocks written", "blocks"},
	TempPerExecution: {"temporary blocks", "blocks"}, IOTimePerExecution: {"I/O time", "ms"},
	HeapFetchesPerRow: {"heap fetches", "fetches/row"}, WALPerExecution: {"WAL", "bytes"},
	LoopsPerExecution: {"loops of table scans", "loops"}, PlanningTime: {"planning time", "ms"},
	OtherShapes: {"plan shape", "share"}, IndexPages: {"pages of", "pages"}, TablePages: {"pages of", "pages"},
	LiveRows: {"live rows of", "rows"}, DeadRows: {"dead rows of", "rows"},
	InsertedSinceVacuum: {"rows inserted since the vacuum of", "rows"}, VisibleShare: {"all-visible share of", "share"},
	RowBytes: {"bytes per live row of", "bytes/row"}, SinceVacuum: {"time since the vacuum of", "s"},
	Concurrency: {"concurrency", "executions"}, Throughput: {"throughput", "executions/s"},
	ActiveBackends: {"active backends", "backends"}, WaitingBackends: {"waiting backends", "backends"},
	LockWaits: {"lock waits", "waits/s"}, Checkpoints: {"checkpoints", "share of time"},
	AutovacuumWorkers: {"autovacuum workers", "workers"}, WALRate: {"WAL rate", "bytes/s"},
	ServerTime: {"server time", "ms/s"},
	External:   {"", ""}, Given: {"", ""}, Event: {"event", ""}, WallClock: {"wall clock", "s"},
}

// String is the kind's name: "buffers per row".
func (k Kind) String() string { return measures[k].name }

// Unit is the kind's unit: "pages".
func (k Kind) Unit() string { return measures[k].unit }

// Source says what a column was read from.
type Source uint8

// Sources.
const (
	FromLog        Source = iota
	FromStatements        // differences of pg_stat_statements
	FromSnapshots
	FromExternal // given with --series
)

// Span is the time of one reading, both ends included.
type Span struct{ From, To record.Time }

func (s Span) middle() record.Time { return s.From + (s.To-s.From)/2 }

// Column is one measure over the readings of a Frame.
type Column struct {
	Kind   Kind
	Name   string // "pages of items_pkey"
	Unit   string
	Source Source
	Index  *dataset.Index    // of IndexPages
	Table  *dataset.Relation // of the state of a relation
	Values []float64         // by reading; NaN where it was not read
	// Readings is the number of independent readings behind Values: captures of
	// a size may be fewer than the rows of the Frame.
	Readings int
	// Missing says what the input lacks where nothing was read; "" otherwise.
	Missing string
}

// Measured reports whether the column holds a value.
func (c *Column) Measured() bool { return c != nil && c.Missing == "" }

// Frame is the readings of one statement, by time.
type Frame struct {
	Statement *dataset.Statement
	Source    Source // of the statement's costs
	Spans     []Span
	// Executions is how many executions each reading pools.
	Executions []float64
	Columns    []Column
	// Censored says why the costs are of part of the executions only; "" if the
	// log is complete. Means over such readings compare like with like only
	// while the part stays the same.
	Censored string

	places []record.Pos
	at     []record.Time // mean start of each reading's executions: when state is read
}

// Place is where a reading stands in the input: its first execution, or the
// first difference's later row.
func (f *Frame) Place(i int) (record.Pos, record.Time) { return f.places[i], f.Spans[i].From }

// Len is the number of readings.
func (f *Frame) Len() int { return len(f.Spans) }

// Column is the first column of a kind that holds values, else nil.
func (f *Frame) Column(k Kind) *Column {
	for i := range f.Columns {
		if c := &f.Columns[i]; c.Kind == k && c.Measured() {
			return c
		}
	}
	return nil
}

// Slice is the readings from number i up to, not including, number j.
func (f *Frame) Slice(i, j int) *Frame {
	out := *f
	out.Spans, out.Executions = f.Spans[i:j], f.Executions[i:j]
	out.at, out.places = f.at[i:j], f.places[i:j]
	out.Columns = make([]Column, len(f.Columns))
	for k, c := range f.Columns {
		known := c.known()
		c.Values = c.Values[i:j]
		if known > 0 {
			c.Readings = min(c.Readings, max(1, c.Readings*c.known()/known))
		}
		out.Columns[k] = c
	}
	return &out
}

func (c *Column) known() int {
	n := 0
	for _, v := range c.Values {
		if !math.IsNaN(v) {
			n++
		}
	}
	return n
}

// Since adds a column that tells the readings after a happening from those
// before it: 0 up to the time before, 1 from the time after, NaN between.
func (f *Frame) Since(name string, before, after record.Time) *Frame {
	out := *f
	col := Column{Kind: Event, Name: name, Values: make([]float64, f.Len()), Readings: f.Len()}
	for i, s := range f.Spans {
		switch {
		case s.To >= after:
			col.Values[i] = 1
		case s.To > before:
			col.Values[i] = math.NaN()
		}
	}
	// The clock stays last.
	last := len(f.Columns) - 1
	out.Columns = append(append(append([]Column(nil), f.Columns[:last]...), col), f.Columns[last])
	return &out
}

// Set replaces the values of the first column of the kind: a caller that
// compares another part of the executions than their median.
func (f *Frame) Set(k Kind, values []float64) {
	for i := range f.Columns {
		if f.Columns[i].Kind == k {
			f.Columns[i].Values, f.Columns[i].Missing = values, ""
			return
		}
	}
}
