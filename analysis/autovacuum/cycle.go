package autovacuum

import (
	"math"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// Cycle is the time from one vacuum to the next, with what was measured of the
// visibility map in it.
type Cycle struct {
	From, To *dataset.Vacuum // To is nil for the last
	Pages    float64
	// Start is the share of pages all-visible after From; Assumed says that the
	// input does not tell it and 1 stands for it.
	Start   float64
	Assumed bool
	// HeldBack says that From could not remove what was dead, and so left the
	// pages as they were.
	HeldBack bool
	Worst    []Measured // the last of each kind before To
}

// Measured is one measurement of the share that is not all-visible, with what
// the model expects for the same moment.
type Measured struct {
	What      string // "heap fetches", "relallvisible", "visibility map"
	Time      record.Time
	Pos       record.Pos
	Lost      float64
	Low, High float64 // the two bounds; NaN if the counters do not reach there
}

// Kinds of Measured.
const (
	ByFetches    = "heap fetches"
	ByCatalog    = "relallvisible"
	ByVacuumLine = "visibility map line"
	ByExtension  = "pg_visibility_map_summary"
)

// bandSlack is what a measurement may lie outside of the bounds and still count
// as inside: the share of pages stands for the share of rows.
const bandSlack = 0.03

// Between reports whether the measurement lies between the bounds.
func (x Measured) Between() bool {
	return x.Lost >= x.Low-bandSlack && x.Lost <= x.High+bandSlack
}

// Cycles are those that begin with one of the vacuums of r, passes. What scan fetched from the
// table is measured too, if scan is not nil. relallvisible is only taken where a
// VACUUM or an ANALYZE has just set it: it does not move in between.
func Cycles(m *dataset.Model, r *dataset.Relation, passes []Pass, scan *Scan) []Cycle {
	points := timed(r)
	t := touchesOf(points, float64(m.BlockSize))
	maps := append(catalogMaps(points), extensionMaps(m, r)...)
	var out []Cycle
	for i := range passes {
		v := passes[i].Vacuum
		c := Cycle{From: v, Start: 1, Assumed: true, Pages: pagesAt(m, r, v), HeldBack: passes[i].HeldBack()}
		if i+1 < len(passes) {
			c.To = passes[i+1].Vacuum
		}
		if !(c.Pages >= 1) {
			continue
		}
		c.measure(t, maps, scan)
		out = append(out, c)
	}
	return out
}

func (c *Cycle) contains(t record.Time) bool {
	return t >= c.From.End && (c.To == nil || t <= c.To.Start)
}

// measure finds the start and the last measurements of each kind.
func (c *Cycle) measure(t touches, maps []mapReading, scan *Scan) {
	since := c.From.End
	last := map[string]mapReading{}
	for _, x := range maps {
		if x.at <= c.From.Start-1 || c.To != nil && x.at > c.To.Start {
			continue // the log may round the end of a vacuum to after what it set
		}
		if x.what == ByCatalog && c.Assumed {
			// The first one is where the decay is measured from.
			c.Start, c.Assumed, since = min(1, x.visible/c.Pages), false, x.at
			continue
		}
		last[x.what] = x
	}
	for _, what := range []string{ByCatalog, ByExtension} {
		if x, ok := last[what]; ok {
			c.Worst = append(c.Worst, c.against(t, since, Measured{What: what, Time: x.at, Pos: x.pos, Lost: 1 - min(1, x.visible/c.Pages)}))
		}
	}
	if f := c.lastFetch(scan); f != nil {
		c.Worst = append(c.Worst, c.against(t, since, Measured{What: ByFetches, Time: f.Exec.Start, Pos: f.Exec.Pos, Lost: f.Share()}))
	}
	if v := c.To; v != nil && v.PagesSetAllVisible.Known {
		c.Worst = append(c.Worst, c.against(t, since, Measured{What: ByVacuumLine, Time: v.Start, Pos: v.Pos,
			Lost: min(1, float64(v.PagesSetAllVisible.N)/c.Pages)}))
	}
}

// lastFetch is the last scan that lies wholly inside the cycle.
func (c *Cycle) lastFetch(scan *Scan) *Fetch {
	if scan == nil {
		return nil
	}
	for i := len(scan.Readings) - 1; i >= 0; i-- {
		if e := scan.Readings[i].Exec; e.Time.Known() && c.contains(e.Start) && c.contains(e.Time) {
			return &scan.Readings[i]
		}
	}
	return nil
}

// against adds the bounds for the moment of x.
func (c *Cycle) against(t touches, since record.Time, x Measured) Measured {
	low, high := t.between(since, x.Time)
	x.Low, x.High = 1-Visible(c.Start, c.Pages, low), 1-Visible(c.Start, c.Pages, high)
	return x
}

// pagesAt is the size of the table's main fork about the end of v.
func pagesAt(m *dataset.Model, r *dataset.Relation, v *dataset.Vacuum) float64 {
	if v.PagesRemain.Known {
		return float64(v.PagesRemain.N)
	}
	best := math.NaN()
	for _, p := range timed(r) {
		if n, ok := pages(&p, float64(m.BlockSize)); ok {
			best = n
		} else if p.Relpages.Known {
			best = float64(p.Relpages.N)
		}
		if p.Time >= v.End {
			break
		}
	}
	return best
}

// mapReading is a number of pages all-visible at a time.
type mapReading struct {
	what    string
	at      record.Time
	pos     record.Pos
	visible float64
}

// catalogMaps are the values of relallvisible at the vacuum or analyze that set
// them: the last before the capture that shows them.
func catalogMaps(points []dataset.TablePoint) []mapReading {
	var out []mapReading
	for i := range points {
		p := &points[i]
		set := max(p.LastVacuum, p.LastAutovacuum, p.LastAnalyze, p.LastAutoanalyze)
		if !p.Relallvisible.Known || !set.Known() || len(out) > 0 && out[len(out)-1].at == set {
			continue
		}
		out = append(out, mapReading{ByCatalog, set, p.Pos, float64(p.Relallvisible.N)})
	}
	return out
}

// extensionMaps are the rows of pg_visibility_map_summary of the table.
func extensionMaps(m *dataset.Model, r *dataset.Relation) []mapReading {
	var out []mapReading
	rows := m.Rows(record.ViewVisibility)
	for i := range rows {
		s := &rows[i]
		name, _ := s.Text("relname")
		schema, told := s.Text("schemaname")
		n, ok := s.Int("all_visible")
		if ok && s.CapturedAt.Known() && name == r.Relation && (!told || schema == "" || schema == r.Schema) {
			out = append(out, mapReading{ByExtension, s.CapturedAt, s.Pos, float64(n)})
		}
	}
	return out
}

// touches are the cumulative touches of old pages at the captures.
type touches struct {
	at        []record.Time
	low, high []float64
}

// touchesOf sums updates and deletes (low), and with them the rows that were
// placed in space that others left (high): those for which the table did not
// grow by the pages that they need.
func touchesOf(points []dataset.TablePoint, blockSize float64) touches {
	var t touches
	var gone, reused float64
	var before *dataset.TablePoint
	for i := range points {
		p := &points[i]
		d, known := died(p)
		n, known2 := placed(p)
		if !known || !known2 {
			continue
		}
		if before != nil {
			bd, _ := died(before)
			bn, _ := placed(before)
			gone += max(0, d-bd)
			reused += max(0, max(0, n-bn)-newSpace(before, p, blockSize))
		}
		t.at, t.low, t.high = append(t.at, p.Time), append(t.low, gone), append(t.high, gone+reused)
		before = p
	}
	return t
}

// newSpace is how many rows fit into the pages by which the table grew.
func newSpace(a, b *dataset.TablePoint, blockSize float64) float64 {
	from, known := pages(a, blockSize)
	to, known2 := pages(b, blockSize)
	if !known || !known2 || to <= from || !b.LiveTup.Known || to < 1 {
		return 0
	}
	return (to - from) * float64(b.LiveTup.N) / to
}

// between interpolates the touches from one time to another; NaN outside of the
// captures.
func (t touches) between(from, to record.Time) (low, high float64) {
	at := func(y []float64, x record.Time) float64 {
		if len(t.at) == 0 || x < t.at[0] || x > t.at[len(t.at)-1] {
			return math.NaN()
		}
		i := 0
		for i+1 < len(t.at) && t.at[i+1] < x {
			i++
		}
		if i+1 == len(t.at) {
			return y[i]
		}
		return y[i] + (y[i+1]-y[i])*float64(x-t.at[i])/float64(t.at[i+1]-t.at[i])
	}
	return at(t.low, to) - at(t.low, from), at(t.high, to) - at(t.high, from)
}

// Decay sums up the measurements of one kind over the cycles.
type Decay struct {
	What      string
	Cycles    int // measured against bounds
	Between   int // of Cycles
	Lost      float64
	Low, High float64 // medians, as Lost
	First     Measured
	Last      Measured
}

// Decays are the measurements of each kind over the complete cycles that were
// not held back, in the order ByFetches, ByCatalog, ByExtension, ByVacuumLine. The log line counts
// pages that the pass set, which is at least what was lost less what it could
// not set.
func Decays(cycles []Cycle) []Decay {
	var out []Decay
	for _, what := range []string{ByFetches, ByCatalog, ByExtension, ByVacuumLine} {
		d := Decay{What: what}
		var lost, low, high []float64
		for i := range cycles {
			if cycles[i].To == nil || cycles[i].HeldBack {
				continue
			}
			for _, x := range cycles[i].Worst {
				if x.What != what || math.IsNaN(x.High) {
					continue
				}
				if d.Cycles == 0 {
					d.First = x
				}
				d.Last = x
				d.Cycles++
				if x.Between() {
					d.Between++
				}
				lost, low, high = append(lost, x.Lost), append(low, x.Low), append(high, x.High)
			}
		}
		if d.Cycles > 0 {
			d.Lost, d.Low, d.High = stats.Median(lost), stats.Median(low), stats.Median(high)
			out = append(out, d)
		}
	}
	return out
}
