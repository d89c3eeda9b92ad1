package signature

import (
	"math"
	"slices"

	"github.com/pgassay/pgassay/analysis/attribution"
	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/series"
	"github.com/pgassay/pgassay/analysis/stats"
)

var costTracksTableSize = &Signature{
	ID: "PGA103", Name: "cost-tracks-table-size", Max: finding.Warning,
	Felt: "A statement gets slower as its table grows, though it does the same for its caller",
	What: "A statement costs more as a table grows, although it returns no more rows.",
	Why: "It reads the whole table, or a fixed share of it, whatever it returns: no index serves its condition. Nothing broke on the day it became slow; it has always cost what the table holds. " +
		"The buffers follow the pages of the table one to one, or in proportion, and the time follows the buffers.",
	Fix:    "An index for the condition makes the cost follow the answer instead of the table. Where all rows are needed, keep fewer: partitions by time, an archive, or a summary that is kept up to date.",
	Verify: "The buffers per execution stay level while the table grows.",
	Needs:  []Need{needPlans, needSeries},
	Silent: []string{
		"rows returned that grow alike",
		"a table that grows by dead rows (PGA205, PGA209)",
		"writes that walk an index (PGA101)",
		"a plan that changed on the way (PGA105)",
	},
	Thresholds: []Threshold{
		{"min_growth", 1.2, "x", "pages of the table at the end ÷ at the beginning"},
		{"min_readings", 8, "readings", "independent readings of the table's size beside the cost"},
		{"slope_min", 0.8, "buffers/page", "lower end of the band that the slope's 95 % interval must lie in; also relative to cost ÷ pages"},
		{"slope_max", 1.2, "buffers/page", "upper end of that band"},
		{"min_explained", 0.8, "of the variance", "of the cost that the pages explain"},
		{"rows_share", 0.25, "of the growth", "of the cost that the growth of the rows returned may reach, both as logarithms"},
		{"live_share", 0.5, "of the growth", "of the table that live rows must make, both as logarithms; below it the table grows by dead rows"},
		{"min_time", 1.1, "x", "duration at the end ÷ at the beginning"},
		{"floor_buffers", 1000, "buffers", "added per execution, below which the finding stays info"},
	},
	Detect: detectCostTracksTableSize,
}

// sizeTracking is a statement whose buffers follow the pages of a table.
type sizeTracking struct {
	Statement *dataset.Statement
	Table     *dataset.Relation
	Frame     *series.Frame
	Answer    attribution.Answer
	Limits    attribution.Limits
	Pages     *attribution.Candidate
	Buffers   levels
	Time      levels
	Size      levels
	Rows      levels
	Control   *flatStatement
	Scan      *planCase // with a scan of the whole table at Node; nil if no plan shows one
	Node      int
}

// levels are a measure at the beginning and at the end of a frame,
// medians of up to five readings.
type levels struct{ First, Last float64 }

const levelReadings = 5

func levelsOf(c *series.Column) levels {
	if !c.Measured() {
		return levels{math.NaN(), math.NaN()}
	}
	var known []float64
	for _, v := range c.Values {
		if !math.IsNaN(v) {
			known = append(known, v)
		}
	}
	n := min(levelReadings, len(known))
	return levels{stats.Median(known[:n]), stats.Median(known[len(known)-n:])}
}

// ratio is NaN where one end is unknown or nothing.
func (g levels) ratio() float64 {
	if !(g.First > 0) || !(g.Last > 0) {
		return math.NaN()
	}
	return g.Last / g.First
}

func detectCostTracksTableSize(p *Pass) {
	readers, plans, sizes, found := false, false, false, false
	for _, s := range p.costly() {
		if !readsTables(s) {
			continue
		}
		readers = true
		f := p.frame(s)
		if f == nil || f.Column(series.BuffersPerExecution) == nil {
			continue
		}
		plans = true
		sizes = sizes || f.Column(series.TablePages) != nil
		if t := p.tracksSize(f); t != nil {
			found = true
			p.Report(t.finding(p), t.Buffers.Last-t.Buffers.First < p.limit("floor_buffers"))
		}
	}
	switch {
	case found || !readers && len(p.costly()) > 0:
	case !plans:
		p.Lacks("no buffers of statements that read tables in input", "auto_explain.log_analyze and log_buffers, or snapshots of pg_stat_statements with captured_at")
	case !sizes:
		p.Lacks("no table sizes over time in input", "pg_stat_user_tables with pg_relation_size and captured_at")
	}
}

// readsTables tells statements whose cost is that of finding rows. The cost of
// an INSERT lies in the indexes it writes.
func readsTables(s *dataset.Statement) bool {
	switch s.Command {
	case "SELECT", "UPDATE", "DELETE", "MERGE":
		return len(s.Statement.Relations) > 0
	}
	return false
}

// tracksSize is nil unless the buffers of the statement follow the pages of one
// of its tables while its rows do not.
func (p *Pass) tracksSize(f *series.Frame) *sizeTracking {
	t := &sizeTracking{Statement: f.Statement, Frame: f, Buffers: levelsOf(f.Column(series.BuffersPerExecution)),
		Time: levelsOf(f.Column(series.TimePerExecution)), Rows: levelsOf(f.Column(series.RowsPerExecution))}
	if !(t.Buffers.ratio() >= p.limit("min_growth")) || !(t.Time.ratio() >= p.limit("min_time")) || t.rowsGrow(p.limit("rows_share")) || flipped(f) {
		return nil
	}
	if !p.anyTableGrows(f) {
		return nil
	}
	t.Limits = attribution.DefaultLimits()
	t.Limits.SlopeMin, t.Limits.SlopeMax = p.limit("slope_min"), p.limit("slope_max")
	// Without rows the statement would read nothing.
	t.Answer = attribution.Ask(attribution.Question{Frame: f, Cost: series.BuffersPerExecution, Baseline: 0, Limits: t.Limits})
	for _, c := range t.Answer.Explaining() {
		if c.Kind == series.TablePages && c.Raw.N >= int(p.limit("min_readings")) && c.Raw.R*c.Raw.R >= p.limit("min_explained") && p.grows(f, c) && t.prefers(c) {
			t.Pages, t.Table, t.Size = c, c.Table, levelsOf(c.Column)
		}
	}
	if t.Pages == nil {
		return nil
	}
	t.findScan(p)
	t.Control = p.flatOn(t.Table, f)
	return t
}

// prefers takes the table whose slope is nearest to one buffer per page.
func (t *sizeTracking) prefers(c *attribution.Candidate) bool {
	return t.Pages == nil || math.Abs(c.Fit.Slope-1) < math.Abs(t.Pages.Fit.Slope-1)
}

// rowsGrow reports rows that grow as the cost does, or are not known. A
// statement that never returns a row returns no more.
func (t *sizeTracking) rowsGrow(share float64) bool {
	if math.IsNaN(t.Rows.First) || math.IsNaN(t.Rows.Last) {
		return true
	}
	first, last := max(1, t.Rows.First), max(1, t.Rows.Last)
	return math.Log(last/first) > share*math.Log(t.Buffers.ratio())
}

// flipped reports a frame whose plans change from one shape to others.
func flipped(f *series.Frame) bool {
	c := f.Column(series.OtherShapes)
	if c == nil {
		return false
	}
	g := levelsOf(c)
	return math.Abs(g.Last-g.First) > 0.5
}

// anyTableGrows spares the weighing where no table has grown.
func (p *Pass) anyTableGrows(f *series.Frame) bool {
	for i := range f.Columns {
		if c := &f.Columns[i]; c.Kind == series.TablePages && levelsOf(c).ratio() >= p.limit("min_growth") {
			return true
		}
	}
	return false
}

// grows reports that the table has grown, and by live rows.
func (p *Pass) grows(f *series.Frame, pages *attribution.Candidate) bool {
	size := levelsOf(pages.Column).ratio()
	if !(size >= p.limit("min_growth")) {
		return false
	}
	for i := range f.Columns {
		c := &f.Columns[i]
		if c.Kind != series.LiveRows || c.Table != pages.Table || !c.Measured() {
			continue
		}
		return math.Log(levelsOf(c).ratio()) >= p.limit("live_share")*math.Log(size)
	}
	return true
}

// findScan looks for a scan of the whole table in the kept plans.
func (t *sizeTracking) findScan(p *Pass) {
	for _, c := range planCases(p) {
		if c.Statement != t.Statement {
			continue
		}
		for i := range c.Plan.Nodes {
			if n := c.node(i); n.NodeType == "Seq Scan" && n.RelationName == t.Table.Relation {
				t.Scan, t.Node = c, i
				return
			}
		}
	}
}

// flatStatement is a control: another statement on the table whose cost stayed.
type flatStatement struct {
	Statement *dataset.Statement
	Buffers   levels
	N         int
}

// flatOn is the statement on the table, other than the frame's, with most
// readings whose buffers per execution stayed within a tenth; nil if there is
// none.
func (p *Pass) flatOn(r *dataset.Relation, f *series.Frame) *flatStatement {
	var best *flatStatement
	for _, s := range p.busiestOn(r) {
		o := p.collector().Frame(s)
		if s == f.Statement || o == nil {
			continue
		}
		g := levelsOf(o.Column(series.BuffersPerExecution))
		if o.Len() >= stats.MinReadings && math.Abs(g.ratio()-1) <= 0.1 && (best == nil || o.Len() > best.N) {
			best = &flatStatement{s, g, o.Len()}
		}
	}
	return best
}

// maxControls bounds the statements that are looked at for a control.
const maxControls = 6

// busiestOn are the statements on the table with most executions in the log.
func (p *Pass) busiestOn(r *dataset.Relation) []*dataset.Statement {
	var out []*dataset.Statement
	for _, s := range p.Model.Statements {
		if uses(s, []*dataset.Relation{r}) {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b *dataset.Statement) int { return len(b.Executions) - len(a.Executions) })
	return out[:min(len(out), maxControls)]
}
