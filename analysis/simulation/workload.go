package simulation

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/pgassay/pgassay/parser/record"
)

// Start is when every simulated run begins.
const Start = record.Time(1_800_000_000_000_000)

// Table is the qualified name of the table that the clients insert into.
const Table = "public.items"

// At is the instant so many seconds after Start.
func At(seconds float64) record.Time { return Start + record.Time(seconds*1e6) }

// Workload is a run: what the clients do, what the server does, what is logged.
// Times are seconds from Start, costs shared buffers, sizes pages.
type Workload struct {
	Seed   uint64
	Length float64 // of the run

	Clients     int
	Think       float64 // mean pause between a client's statements
	Ramp        float64 // clients at the end ÷ at the start; 0 counts as 1
	Swing       float64 // share by which the number of clients swings about its mean
	SwingPeriod float64
	Rows        []int // rows per statement, drawn evenly; nil means 1

	Base       float64 // buffers per row without anything else
	Noise      float64 // standard deviation of a statement's cost, share of Base
	Drift      Drift   // slow noise that all statements share
	Trend      float64 // buffers per row that each second adds, whatever happens
	Step       Step    // a change of cost that no index explains
	Contention float64 // share of Base that each other statement in flight adds

	Heap    Index // pages of the table itself; its Growth alone counts
	Indexes []Index
	Walks   []Walk
	Vacuums []Vacuum

	Snapshots float64 // seconds between captures; 0: none
	LogFloor  float64 // ms below which no plan is logged (auto_explain.log_min_duration)
	ReadShare float64 // of the buffers that are reads, not hits
}

// Drift is noise that lasts: an autoregression of first order.
type Drift struct {
	Share       float64 // standard deviation, share of Base
	Persistence float64 // seconds until it has faded to 1/e
}

// Step adds buffers per row from a time on.
type Step struct {
	At, Buffers float64
}

// Index is an index of the table.
type Index struct {
	Name, Method, Class string // "items_hnsw", "hnsw", "sparsevec_l2_ops"
	Column              string
	Pages               float64
	Growth              float64 // pages per row inserted
	Rebuilds            []float64
}

// Walk is a page walk on an index: rows read Slope buffers for each page
// behind Skip.
type Walk struct {
	Index    string
	From, To float64 // To 0: up to the end
	// Settling is how long freed slots fill: the cost climbs, and the index does
	// not grow.
	Settling float64
	Slope    float64
	Share    float64 // of the statements whose rows are too large for the freed slots
	Skip     float64 // pages before the walk's start
}

// Vacuum is a vacuum that ends at a time.
type Vacuum struct {
	At, Elapsed float64
	Cleans      []string // indexes it removes entries from
	Unlogged    bool     // only last_vacuum of the snapshots tells it
}

// Batch makes the records of the run.
func (w Workload) Batch() *record.Batch {
	s := &server{Workload: w, draw: rand.New(rand.NewPCG(w.Seed, 77)), out: &record.Batch{}}
	for i := range w.Indexes {
		s.pages = append(s.pages, w.Indexes[i].Pages)
		s.filenode = append(s.filenode, int64(1000*(i+1)))
	}
	s.heap = w.Heap.Pages
	s.run()
	return s.out
}

// walking is the share of its full length that a walk has at a time: 0 outside,
// rising while it settles.
func (w *Walk) walking(t float64) float64 {
	switch {
	case t < w.From || w.To > 0 && t >= w.To:
		return 0
	case t < w.From+w.Settling:
		return (t - w.From) / w.Settling
	}
	return 1
}

// settling reports whether freed slots take the rows of an index at a time.
func (w *Workload) settling(index string, t float64) bool {
	for i := range w.Walks {
		if k := &w.Walks[i]; k.Index == index && t >= k.From && t < k.From+k.Settling {
			return true
		}
	}
	return false
}

// active is the number of clients at work at a time.
func (w *Workload) active(t float64) float64 {
	n := float64(w.Clients)
	if w.Ramp > 0 {
		n *= 1 + (w.Ramp-1)*t/w.Length
	}
	if w.SwingPeriod > 0 {
		n *= 1 + w.Swing*math.Sin(2*math.Pi*t/w.SwingPeriod)
	}
	return n
}

func (w *Workload) clients() int {
	return int(math.Ceil(float64(w.Clients) * max(1, w.Ramp) * (1 + w.Swing)))
}

// definition is the CREATE INDEX statement.
func (x *Index) definition() string {
	return fmt.Sprintf("CREATE INDEX %s ON %s USING %s (%s %s)", x.Name, Table, x.Method, x.Column, x.Class)
}
