package series

import (
	"math"
	"sort"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// Collector makes Frames of one Model. It keeps what they share, the load of
// the server over time.
type Collector struct {
	model *dataset.Model
	load  *load
}

// New prepares the load of the server.
func New(m *dataset.Model) *Collector { return &Collector{model: m, load: loadOf(m)} }

// Frame lays everything known at the statement's independent readings side by
// side; nil if there are none.
func (c *Collector) Frame(s *dataset.Statement) *Frame {
	return c.FrameOver(s, Spans(s, c.model.BlockSize))
}

// FrameOver is Frame over readings that the caller has chosen, by time and
// without overlap; nil without any.
func (c *Collector) FrameOver(s *dataset.Statement, spans []Span) *Frame {
	if len(spans) == 0 {
		return nil
	}
	groups := group(s, spans)
	f := &Frame{Statement: s, Spans: spans, Censored: c.model.Logging.Why}
	logged := 0
	for _, g := range groups {
		f.at, f.places = append(f.at, g.start), append(f.places, g.place())
		n := float64(len(g.execs))
		logged += len(g.execs)
		if len(g.execs) == 0 {
			for _, d := range g.diffs {
				n += float64(d.Calls)
			}
		}
		f.Executions = append(f.Executions, n)
	}
	if logged == 0 {
		f.Source, f.Censored = FromStatements, ""
	}
	c.costs(f, groups)
	c.states(f)
	c.load.columns(f, groups)
	for i := range f.Columns {
		f.Columns[i].finish()
	}
	return f
}

// finish settles the unit and the number of independent readings, and says what
// is missing where nothing was read.
func (c *Column) finish() {
	if c.Name == "" {
		c.Name = c.Kind.String()
	}
	if c.Unit == "" {
		c.Unit = c.Kind.Unit()
	}
	known := c.known()
	if known == 0 && c.Missing == "" {
		c.Missing = "no " + c.Name + " in input"
	}
	if c.Readings == 0 || c.Readings > known {
		c.Readings = known
	}
}

// reading is what the input tells of a statement during one span.
type reading struct {
	span  Span
	start record.Time // mean start of the executions
	execs []*dataset.Execution
	diffs []*dataset.Diff
}

// place is where the reading begins in the input; the zero Pos if it is empty.
func (r *reading) place() record.Pos {
	switch {
	case len(r.execs) > 0:
		return r.execs[0].Pos
	case len(r.diffs) > 0:
		return r.diffs[0].Pos
	}
	return record.Pos{}
}

// group sorts executions by their start, differences by their middle, into the
// spans.
func group(s *dataset.Statement, spans []Span) []reading {
	out := make([]reading, len(spans))
	execs := executionsOf(s)
	k := 0
	for i, span := range spans {
		r := &out[i]
		r.span, r.start = span, span.middle()
		k += sort.Search(len(execs)-k, func(j int) bool { return execs[k+j].Start >= span.From })
		first := k
		for k < len(execs) && execs[k].Start <= span.To {
			k++
		}
		r.execs = execs[first:k]
		if len(r.execs) > 0 {
			r.start = meanStart(r.execs)
		}
	}
	for i := range s.Diffs {
		d := &s.Diffs[i]
		middle := Span{d.From, d.To}.middle()
		n := sort.Search(len(spans), func(j int) bool { return spans[j].To >= middle })
		if n < len(spans) && spans[n].From <= middle {
			out[n].diffs = append(out[n].diffs, d)
		}
	}
	return out
}

func meanStart(execs []*dataset.Execution) record.Time {
	first := execs[0].Start
	var sum float64
	for _, e := range execs {
		sum += float64(e.Start - first)
	}
	return first + record.Time(math.Round(sum/float64(len(execs))))
}

// costs adds the columns of the statement's own work: from executions, and
// from differences where no execution tells it.
func (c *Collector) costs(f *Frame, groups []reading) {
	for _, m := range executionMeasures() {
		col := Column{Kind: m.kind, Source: FromLog, Values: make([]float64, len(groups))}
		for i := range groups {
			col.Values[i] = m.over(groups[i].execs)
		}
		if col.known() == 0 && m.diff != nil {
			col.Source = FromStatements
			for i := range groups {
				col.Values[i] = overDiffs(groups[i].diffs, m.diff)
			}
		}
		f.Columns = append(f.Columns, col)
	}
	shapes := Column{Kind: OtherShapes, Values: make([]float64, len(groups))}
	usual, known := usualShape(groups)
	for i := range groups {
		shapes.Values[i] = otherShapes(groups[i].execs, usual)
	}
	if !known {
		shapes.Missing = "no plans in input"
	}
	f.Columns = append(f.Columns, shapes)
}

// measure is one way to tell what an execution does: a quotient whose
// denominator is 0 where it says nothing. Costs are medians over the
// executions of a reading, which a few cold or blocked ones do not move; what
// may explain them is the ratio of sums.
type measure struct {
	kind   Kind
	median bool
	exec   func(*dataset.Execution) (num, den float64)
	diff   func(*dataset.Diff) (num, den float64)
}

func (m *measure) over(execs []*dataset.Execution) float64 {
	if m.exec == nil {
		return math.NaN()
	}
	var num, den float64
	var each []float64
	for _, e := range execs {
		n, d := m.exec(e)
		if d <= 0 {
			continue
		}
		if m.median {
			each = append(each, n/d)
			continue
		}
		num, den = num+n, den+d
	}
	if m.median {
		return stats.Median(each)
	}
	if den == 0 {
		return math.NaN()
	}
	return num / den
}

func overDiffs(diffs []*dataset.Diff, of func(*dataset.Diff) (num, den float64)) float64 {
	var num, den float64
	for _, d := range diffs {
		n, m := of(d)
		num, den = num+n, den+m
	}
	if den <= 0 {
		return math.NaN()
	}
	return num / den
}

// usualShape is the most frequent plan shape; of several the least.
func usualShape(groups []reading) (shape uint64, known bool) {
	count := map[uint64]int{}
	for _, g := range groups {
		for _, e := range g.execs {
			if e.Figures != nil {
				count[e.Figures.Shape]++
			}
		}
	}
	for id, n := range count {
		if n > count[shape] || n == count[shape] && id < shape {
			shape = id
		}
	}
	return shape, len(count) > 0
}

// otherShapes is the share of the plans that have another shape.
func otherShapes(execs []*dataset.Execution, usual uint64) float64 {
	other, all := 0.0, 0.0
	for _, e := range execs {
		if e.Figures == nil {
			continue
		}
		all++
		if e.Figures.Shape != usual {
			other++
		}
	}
	return other / all // NaN without a plan
}
