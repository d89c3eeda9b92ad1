package signature

import (
	"cmp"
	"math"
	"slices"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/stats"
)

var rowsPerStatementCost = &Signature{
	ID: "PGA107", Name: "rows-per-statement-cost", Max: finding.Info,
	Felt: "Writes cost what they cost, in large batches or small ones",
	What: "What a written row costs depends on how many rows a statement writes, or does not.",
	Why: "A statement has a fixed cost (planning, triggers, locks, the descent of indexes, the commit behind it) and a cost per row. " +
		"Where the fixed part is large, larger batches are cheaper per row; where it is not, another batch size changes nothing.",
	Fix:    "Write more rows per statement if the fixed part is large and the added wait per statement is acceptable. If the cost per row stays the same, look for it in the row: indexes, triggers, row size.",
	Verify: "The cost per row follows fixed ÷ rows + cost per row at the new batch size.",
	Needs:  []Need{needPlans},
	Silent: []string{"statements that always write the same number of rows", "a cost that the input cannot tell to depend or not", "sizes that were used at different times"},
	Thresholds: []Threshold{
		{"min_size_ratio", 2, "x", "largest ÷ smallest number of rows per statement"},
		{"min_per_size", 20, "executions", "of each of two sizes at least"},
		{"depends", 1.2, "x", "cost per row of the smallest ÷ of the largest size, from which it depends"},
		{"same", 0.1, "of the cost", "half width of the band that the 95 % interval of their difference must lie in to be the same"},
		{"min_share", 0.02, "of server time", "below which nothing is said"},
	},
	Detect: detectRowsPerStatementCost,
}

func detectRowsPerStatementCost(p *Pass) {
	writes := false
	for _, s := range p.Model.Statements {
		points := planCosts(s)
		if len(points) == 0 || !points[0].Exec.Figures.IsWrite {
			continue
		}
		writes = true
		if timeShare(p.Model, s, fromPlans) < p.limit("min_share") {
			continue
		}
		if c := batchesOf(p, s, points); c != nil && (c.depends(p) || c.same(p)) {
			p.Report(c.finding(p), true)
		}
	}
	if !writes {
		p.Lacks("no plans of writes with buffers in input", "auto_explain.log_analyze and log_buffers")
	}
}

// batch are the executions that wrote one number of rows.
type batch struct {
	Rows   float64
	PerRow []float64 // buffers per row, the drift of the time taken out
	MS     []float64 // ms per row, as logged
	Others []float64 // executions in flight
	First  *dataset.Execution
}

// batches compare what a row costs in statements of different sizes.
type batches struct {
	Statement *dataset.Statement
	Sizes     []batch // by rows, each with executions enough
	N         int     // executions in them
	// Fixed and Row are the robust fit: a statement costs Fixed + Row × rows
	// buffers.
	Fixed, Row float64
	// Step compares the largest size (before) with the smallest (after).
	Step stats.Step
}

// batchWindow is how many executions in a row count as the same time: within it
// sizes are compared, so that a cost that drifts does not look like one of size.
const batchWindow = 100

// batchesOf is nil where the rows per statement do not vary, or where no two
// sizes were used at the same time.
func batchesOf(p *Pass, s *dataset.Statement, points []costPoint) *batches {
	c := &batches{Statement: s}
	c.Sizes = sizesOf(levelled(points), int(p.limit("min_per_size")))
	if n := len(c.Sizes); n < 2 || c.Sizes[n-1].Rows < p.limit("min_size_ratio")*c.Sizes[0].Rows {
		return nil
	}
	var x, y []float64
	for _, b := range c.Sizes {
		c.N += len(b.PerRow)
		for _, v := range b.PerRow {
			x, y = append(x, b.Rows), append(y, v*b.Rows)
		}
	}
	c.Row, c.Fixed = stats.TheilSen(x, y)
	c.Step = stats.StepTest(c.Sizes[len(c.Sizes)-1].PerRow, c.Sizes[0].PerRow)
	return c
}

// levelled are the points with the drift of the cost per row taken out, by
// Tukey's median polish of its logarithm over windows of time and sizes. Windows
// in which one size alone was used tell nothing and are left out.
func levelled(points []costPoint) []costPoint {
	var out []costPoint
	var window []int // of each of out
	n := 0
	for part := range slices.Chunk(points, batchWindow) {
		if slices.IndexFunc(part, func(p costPoint) bool { return p.Rows != part[0].Rows }) < 0 {
			continue
		}
		out = append(out, part...)
		for range part {
			window = append(window, n)
		}
		n++
	}
	residual := make([]float64, len(out))
	for i, p := range out {
		residual[i] = math.Log(max(p.perRow(), 1e-9))
	}
	drift := make([]float64, n)
	for range polishRounds {
		for w, m := range takeMedians(residual, func(i int) int { return window[i] }) {
			drift[w] += m
		}
		takeMedians(residual, func(i int) float64 { return out[i].Rows })
	}
	level := stats.Median(drift)
	for i := range out {
		out[i].Buffers *= math.Exp(level - drift[window[i]])
	}
	return out
}

// polishRounds are enough for medians that hardly depend on each other.
const polishRounds = 5

// takeMedians subtracts from each value the median of its group, and answers the
// medians.
func takeMedians[K comparable](values []float64, group func(i int) K) map[K]float64 {
	groups := map[K][]float64{}
	for i, v := range values {
		groups[group(i)] = append(groups[group(i)], v)
	}
	medians := make(map[K]float64, len(groups))
	for k, g := range groups {
		medians[k] = stats.Median(g)
	}
	for i := range values {
		values[i] -= medians[group(i)]
	}
	return medians
}

// sizesOf groups the points by rows; sizes of fewer than least executions are
// left out.
func sizesOf(points []costPoint, least int) []batch {
	by := map[float64][]costPoint{}
	for _, p := range points {
		by[p.Rows] = append(by[p.Rows], p)
	}
	var out []batch
	for rows, group := range by {
		if len(group) < least {
			continue
		}
		b := batch{Rows: rows, First: group[0].Exec}
		for _, p := range group {
			b.PerRow = append(b.PerRow, p.perRow())
			b.Others = append(b.Others, float64(p.Exec.Concurrency))
			b.MS = append(b.MS, p.Exec.Duration.Milliseconds()/rows)
		}
		out = append(out, b)
	}
	slices.SortFunc(out, func(a, b batch) int { return cmp.Compare(a.Rows, b.Rows) })
	return out
}

func (c *batches) smallest() *batch { return &c.Sizes[0] }

func (c *batches) largest() *batch { return &c.Sizes[len(c.Sizes)-1] }

// depends reports a cost per row that differs by the ratio, beyond chance.
func (c *batches) depends(p *Pass) bool {
	limit, i := p.limit("depends"), c.Step.Shift.Interval
	return i.OK() && (c.Step.Ratio >= limit && i.Lo > 0 || c.Step.Ratio <= 1/limit && i.Hi < 0)
}

// same reports that the whole interval of the difference lies in the band.
func (c *batches) same(p *Pass) bool {
	band := p.limit("same") * c.Step.Before
	return c.Step.Shift.Interval.Within(-band, band)
}
