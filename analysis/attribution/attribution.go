package attribution

import (
	"cmp"
	"math"
	"slices"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/series"
	"github.com/pgassay/pgassay/analysis/stats"
)

// Limits are what candidates are held against.
type Limits struct {
	// SlopeMin and SlopeMax are the band in buffers per page for a size.
	SlopeMin, SlopeMax float64
	// Level is by what share of the cost baseline + pages may miss it.
	Level float64
	// Weak is the partial correlation up to which a candidate is ruled out, and
	// WeakShare the part of the variance that it then adds at most.
	Weak, WeakShare float64
	// Strong is the part of the variance from which a candidate without an
	// equation explains the cost.
	Strong float64
}

// DefaultLimits are those of the catalogue: a unit slope within a fifth, a level
// within a tenth, 5 % of what is left, half of the variance.
func DefaultLimits() Limits {
	return Limits{SlopeMin: 0.8, SlopeMax: 1.2, Level: 0.1, Weak: 0.22, WeakShare: 0.05, Strong: 0.5}
}

// Question asks what explains a cost.
type Question struct {
	// Frame holds the readings to explain: without the transition after an
	// event. Readings before it may be among them only if the cause worked
	// before it too.
	Frame *series.Frame
	Cost  series.Kind
	// Baseline is the cost before the event, NaN if unknown: then the level of a
	// size cannot be checked.
	Baseline float64
	// Named is the index that the event names: of sizes that remain it is the
	// one. nil if the event names none.
	Named  *dataset.Index
	Limits Limits
}

// Answer is every candidate with its verdict: what explains the cost first, then
// by share, those that cannot be measured last.
type Answer struct {
	Cost       series.Kind
	Candidates []Candidate
}

// Candidate is one possible cause.
type Candidate struct {
	*series.Column
	Verdict finding.Verdict
	Why     string
	// Share is the part of the variance it explains: NaN if not measured.
	Share        float64
	Fit          stats.Fit // cost against candidate, not scaled
	Raw, Partial stats.Correlation
	// Equation says that its mechanism's equation holds.
	Equation bool
	// Proportional says that the cost grows by the same factor as the size,
	// though not by one buffer per page.
	Proportional bool
	// Offset is baseline + pages − cost: the pages that the mechanism leaves out;
	// NaN if the candidate is no size or the baseline is unknown.
	Offset float64

	x []float64
}

// Explaining are the candidates that explain the cost; several if the input
// cannot tell them apart.
func (a *Answer) Explaining() []*Candidate {
	var out []*Candidate
	for i := range a.Candidates {
		if c := &a.Candidates[i]; c.Verdict == finding.Explains || c.Verdict == finding.NotToldApart {
			out = append(out, c)
		}
	}
	return out
}

// Of is the first candidate of a kind, nil if there is none.
func (a *Answer) Of(kind series.Kind) *Candidate {
	for i := range a.Candidates {
		if c := &a.Candidates[i]; c.Kind == kind {
			return c
		}
	}
	return nil
}

// Ask weighs the candidates. The readings must be in order of time.
func Ask(q Question) Answer {
	a := Answer{Cost: q.Cost}
	cost := q.Frame.Column(q.Cost)
	if cost == nil {
		return a
	}
	e := newEngine(q, cost)
	for i := range q.Frame.Columns {
		c := &q.Frame.Columns[i]
		if !isCandidate(q.Cost, c) {
			continue
		}
		a.Candidates = append(a.Candidates, e.measure(c))
	}
	e.judge(a.Candidates)
	slices.SortStableFunc(a.Candidates, func(x, y Candidate) int { return cmp.Compare(y.rank(), x.rank()) })
	return a
}

// rank orders by share; what explains stands before the rest, what cannot be
// measured behind it.
func (c *Candidate) rank() float64 {
	switch {
	case c.Verdict == finding.NotMeasurable || math.IsNaN(c.Share):
		return -1
	case c.Verdict == finding.Explains || c.Verdict == finding.NotToldApart:
		return 1 + c.Share
	}
	return c.Share
}

// isCandidate tells what may explain a cost from other ways to tell the cost.
// The state of further tables counts only where it was read.
func isCandidate(cost series.Kind, c *series.Column) bool {
	switch c.Kind {
	case series.Given:
		return false
	case series.BuffersPerExecution:
		return cost == series.TimePerExecution || cost == series.TimePerRow
	case series.BuffersPerRow, series.TimePerRow, series.TimePerExecution, series.DirtiedPerExecution, series.WrittenPerExecution,
		series.WALPerExecution, series.LiveRows, series.InsertedSinceVacuum:
		return false
	case series.PlanningTime:
		// No buffers of a plan are read while it is made.
		return !inBuffers(cost) && c.Measured()
	case series.IOTimePerExecution, series.TempPerExecution, series.HeapFetchesPerRow, series.LoopsPerExecution, series.VisibleShare, series.WaitingBackends,
		series.ActiveBackends, series.WALRate, series.Checkpoints, series.AutovacuumWorkers, series.External:
		return c.Measured()
	}
	return true
}

// isSize reports whether the mechanism has an equation in pages.
func isSize(k series.Kind) bool { return k == series.IndexPages || k == series.TablePages }

// isLoad reports what a closed loop makes an effect of the cost.
func isLoad(k series.Kind) bool {
	return k == series.Concurrency || k == series.Throughput || k == series.ActiveBackends || k == series.WaitingBackends
}

func inBuffers(k series.Kind) bool {
	return k == series.BuffersPerRow || k == series.BuffersPerExecution
}
