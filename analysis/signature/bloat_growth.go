package signature

import (
	"fmt"
	"math"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// bloat is an index or a heap measured against its own minimum of bytes per
// live row since its last rebuild or rewrite.
type bloat struct {
	Relation  *dataset.Relation
	Name      string // of what is measured
	BlockSize float64
	Min       sizePoint
	Now       sizePoint
	Freed     float64 // rows deleted or updated (not HOT) since the minimum
	Width     float64 // bytes that a row written since took, at the most; 0 if unknown
	Waste     float64 // bytes
	Claim     string  // which bound holds
	Heap      bool    // dead rows take space until a vacuum frees it
	Counted   bool    // the rows now are bounded by what the counters say since the minimum
	Series    []sizePoint
}

// freedClaim says that the rows freed since the minimum bound the waste.
const freedClaim = "rows freed since the minimum"

// sizePoint is a size with the rows of its time.
type sizePoint struct {
	dataset.Reading
	Rows float64
}

func (b *bloat) perRow(s *sizePoint) float64 { return s.Pages * b.BlockSize / s.Rows }

func (b *bloat) size() float64    { return b.Now.Pages * b.BlockSize }
func (b *bloat) newSize() float64 { return b.size() - b.Waste }
func (b *bloat) ratio() float64   { return b.size() / b.newSize() }

// worst is the reading with most bytes per row.
func (b *bloat) worst() *sizePoint {
	worst := &b.Series[0]
	for i := range b.Series {
		if b.perRow(&b.Series[i]) > b.perRow(worst) {
			worst = &b.Series[i]
		}
	}
	return worst
}

// rowCounts tells the rows behind a size at a time, from below and from above.
type rowCounts func(t record.Time) (low, high float64, ok bool)

// measure finds the minimum per row and bounds what a rebuild would give back:
// the growth beyond the minimum per row, and what the rows freed since took.
// sizes are those since the last rebuild, by time. False if rows or sizes do not
// tell. A partial index has its own rows; the counters of the table do not count
// them.
func (b *bloat) measure(sizes []dataset.Reading, c []churn, rows rowCounts, partial bool) bool {
	for _, s := range sizes {
		if s.Time < c[0].Point.Time.Add(-dataset.SameCapture) {
			continue
		}
		low, _, ok := rows(s.Time)
		if !ok || s.Pages <= 0 {
			continue
		}
		p := sizePoint{Reading: s, Rows: low}
		if len(b.Series) == 0 || b.perRow(&p) < b.perRow(&b.Min) {
			b.Min = p
		}
		b.Series = append(b.Series, p)
	}
	if len(b.Series) < 2 {
		return false
	}
	b.Now = b.Series[len(b.Series)-1]
	from, to := captureAt(c, b.Min.Time), captureAt(c, b.Now.Time)
	if !b.rowsNow(c, from, to, rows, partial) {
		return false
	}
	b.Freed = c[to].Freed - c[from].Freed
	per := b.perRow(&b.Min)
	if b.Width = b.widthOf(sizes, c); !partial && b.Width > widerRow*per {
		per = b.Width
	}
	b.Claim = "growth beyond the minimum per row"
	b.Waste = b.size() - per*b.Now.Rows
	if freed := b.Freed * b.perRow(&b.Min); freed < b.Waste {
		b.Waste, b.Claim = freed, freedClaim
	}
	return true
}

// rowsNow sets the rows of the latest size: the most there were since the middle
// of the series, since rows that come and go need their space again. At each
// capture there were at most as many as the counters say, and as the estimates:
// n_live_tup and reltuples drift upwards where vacuums scan few pages, and the
// counters of a load may arrive after the first capture. Where the counters were
// reset, the estimates of the latest capture must do.
func (b *bloat) rowsNow(c []churn, from, to int, rows rowCounts, partial bool) bool {
	_, high, ok := rows(b.Now.Time)
	if !ok {
		return false
	}
	b.Now.Rows = high
	b.Counted = !partial && countersHold(c[from:to+1])
	if !b.Counted {
		return true
	}
	b.Now.Rows = 0
	for k := max(from, to/2); k <= to; k++ {
		counted := b.Min.Rows + rise(c[from].Point.Ins, c[k].Point.Ins) - rise(c[from].Point.Del, c[k].Point.Del)
		if _, high, ok := rows(c[k].Point.Time); ok {
			counted = math.Min(counted, high)
		}
		b.Now.Rows = math.Max(b.Now.Rows, counted)
	}
	b.Now.Rows += b.dead(c[to].Point)
	return b.Now.Rows > 0
}

// dead is the dead rows of a heap that still wait for a vacuum.
func (b *bloat) dead(p *dataset.TablePoint) float64 {
	if !b.Heap || !p.DeadTup.Known {
		return 0
	}
	return float64(p.DeadTup.N)
}

// countersHold reports that inserts and deletes are counted from the first to
// the last capture without a reset.
func countersHold(c []churn) bool {
	for i := range c {
		p := c[i].Point
		if !p.Ins.Known || !p.Del.Known || i > 0 && c[i].Broken {
			return false
		}
	}
	return true
}

// widerRow is how many times the minimum a row must take to count as wider: a
// page that splits in the middle, or one that is filled by fillfactor, takes
// less.
const widerRow = 1.5

// minWritten and minWrittenShare (of the rows) are what must be written between
// two sizes for their growth to tell the width of a row: counters arrive up to a
// second after the pages.
const (
	minWritten      = 1000
	minWrittenShare = 0.05
)

// widthOf is the most bytes by which one row that was inserted or updated (not
// HOT) made the relation grow, over any stretch in which enough were written.
// Freed space makes it less, never more. 0 if it cannot be told.
func (b *bloat) widthOf(sizes []dataset.Reading, c []churn) float64 {
	var most float64
	last := -1
	for i := range sizes {
		if last >= 0 && sizes[i].Pages > sizes[last].Pages {
			from, to := c[captureAt(c, sizes[last].Time)].Point, c[captureAt(c, sizes[i].Time)].Point
			written := rise(from.Ins, to.Ins) + max(0, rise(from.Upd, to.Upd)-rise(from.HotUpd, to.HotUpd))
			if written < math.Max(minWritten, minWrittenShare*b.Min.Rows) {
				continue
			}
			most = math.Max(most, (sizes[i].Pages-sizes[last].Pages)*b.BlockSize/written)
		}
		last = i
	}
	return most
}

// wider rules out that what is written now takes more than what was there.
func (b *bloat) wider(rival string) finding.RuledOut {
	out := finding.RuledOut{Rival: rival, Verdict: finding.RuledOutVerdict,
		Figure: fmt.Sprintf("%s is claimed, the space of the %s rows freed at the minimum's bytes per row", bytesText(b.Waste), num(b.Freed))}
	switch {
	case b.Width > 0:
		out.Figure = fmt.Sprintf("a row written since took at most %s bytes, at the minimum %s", num(b.Width), num(b.perRow(&b.Min)))
	case b.Claim != freedClaim && b.Freed < b.Now.Rows/2:
		out.Verdict = finding.NotRuledOut
	}
	return out
}
