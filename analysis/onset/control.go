package onset

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/stats"
	"github.com/pgassay/pgassay/parser/record"
)

// Measure is one way to tell what an execution costs.
type Measure struct {
	Name, Unit string // "buffers per row", "buffers/row"
	Of         func(*dataset.Execution) (float64, bool)
}

// Question asks what should not have moved when the cost of a statement did.
type Question struct {
	Statement *dataset.Statement
	Index     *dataset.Index // that is held responsible; nil if none
	At        record.Time    // when the cost changed
	Settled   record.Time    // when it had changed; readings between are left out
	Measure   Measure
	// Band is by which factor a quiet control may move, up or down: 1.2.
	Band float64
	// MinReadings are needed on either side.
	MinReadings int
}

// Control is something that should not have moved, and what it did.
type Control struct {
	What          string // "other statement on public.orders: select …"
	Before, After float64
	Unit          string
	Ratio         float64 // After ÷ Before
	N, M          int     // readings before and after
	Quiet         bool    // it moved by less than the band
	Pos           record.Pos
}

// maxControls bounds the controls of one kind; those with most readings come
// first.
const maxControls = 3

// Controls are what the input offers as controls: the statement itself before
// the change, other statements on its tables, the same statement on another
// table, writes of tables whose index of the same method holds elements of a
// fixed size, and the growth of the other indexes of the table. Kinds that the
// input has none of are left out.
func Controls(m *dataset.Model, q Question) []Control {
	var out []Control
	if c, ok := q.before(); ok {
		out = append(out, c)
	}
	subject := SubjectOf(q.Statement)
	var other, twin, fixed []Control
	for _, s := range m.Statements {
		if s == q.Statement {
			continue
		}
		switch name := shorten(s.Normalized); {
		case s.Command != "" && template(s) == template(q.Statement):
			twin = q.add(twin, s, "the same statement on another table: "+name)
		case shares(s, &subject):
			other = q.add(other, s, "other statement on the table: "+name)
		case q.Index != nil && s.Target != nil && s.Command == q.Statement.Command && fixedSize(s.Target, q.Index.AccessMethod):
			fixed = q.add(fixed, s, "write of a fixed-size column: "+name)
		}
	}
	for _, list := range [][]Control{twin, fixed, other, q.otherIndexes()} {
		slices.SortStableFunc(list, func(a, b Control) int { return cmp.Compare(min(b.N, b.M), min(a.N, a.M)) })
		out = append(out, list[:min(len(list), maxControls)]...)
	}
	return out
}

func (q *Question) add(list []Control, s *dataset.Statement, what string) []Control {
	before, after, pos := q.readings(s)
	return q.compared(list, what, q.Measure.Unit, before, after, pos)
}

// compared adds a control if both sides have readings enough.
func (q *Question) compared(list []Control, what, unit string, before, after []float64, pos record.Pos) []Control {
	if len(before) < q.MinReadings || len(after) < q.MinReadings {
		return list
	}
	s := stats.StepTest(before, after)
	c := Control{What: what, Before: s.Before, After: s.After, Unit: unit, Ratio: s.Ratio, N: s.N, M: s.M, Pos: pos}
	if s.Before == 0 && s.After == 0 {
		c.Ratio = 1
	}
	c.Quiet = c.Ratio <= q.Band && c.Ratio >= 1/q.Band
	if math.IsNaN(c.Ratio) || math.IsInf(c.Ratio, 0) {
		return list
	}
	return append(list, c)
}

// readings are the statement's costs before the change and after it.
func (q *Question) readings(s *dataset.Statement) (before, after []float64, pos record.Pos) {
	for _, e := range s.Executions {
		v, ok := q.Measure.Of(e)
		if !ok || !e.Start.Known() || e.Kind == record.ExecExplain {
			continue
		}
		switch {
		case e.Start < q.At:
			before = append(before, v)
		case e.Start >= q.Settled:
			if len(after) == 0 {
				pos = e.Pos
			}
			after = append(after, v)
		}
	}
	return before, after, pos
}

// before compares the statement's first readings with its last before the
// change.
func (q *Question) before() (Control, bool) {
	before, _, pos := q.readings(q.Statement)
	half := len(before) / 2
	list := q.compared(nil, "the statement itself, before", q.Measure.Unit, before[:half], before[half:], pos)
	if len(list) == 0 {
		return Control{}, false
	}
	return list[0], true
}

// shares reports whether the statement reads or writes a table of the subject.
func shares(s *dataset.Statement, subject *Subject) bool {
	for _, r := range s.Relations {
		if slices.Contains(subject.Relations, r) {
			return true
		}
	}
	return slices.ContainsFunc(s.Statement.Relations, func(name string) bool { return slices.Contains(subject.tables, bareName(name)) })
}

// template is the statement's text with its tables left open. A text cut at the
// name of the table is compared as it is.
func template(s *dataset.Statement) string {
	text := s.Normalized
	for _, name := range s.Statement.Relations {
		text = strings.ReplaceAll(text, name, "?")
	}
	return text
}

// fixedSize reports whether the table has an index of the method over pgvector's
// vector, halfvec or bit, whose elements have one size (pgvector README,
// storage).
func fixedSize(r *dataset.Relation, method string) bool {
	for _, x := range r.Indexes {
		for _, class := range []string{"vector_", "halfvec_", "bit_"} {
			if x.AccessMethod == method && strings.Contains(x.Definition, " "+class) {
				return true
			}
		}
	}
	return false
}

// otherIndexes compare how many pages per reading the other indexes of the table
// grew by, before and after.
func (q *Question) otherIndexes() []Control {
	if q.Index == nil {
		return nil
	}
	var out []Control
	for _, x := range q.Index.Relation.Indexes {
		if x == q.Index {
			continue
		}
		var before, after []float64
		var pos record.Pos
		for i := 1; i < len(x.Sizes); i++ {
			a, b := x.Sizes[i-1], x.Sizes[i]
			hours := b.Time.Sub(a.Time).Seconds() / 3600
			if hours <= 0 {
				continue
			}
			growth := (b.Pages - a.Pages) / hours
			switch {
			case b.Time <= q.At:
				before = append(before, growth)
			case a.Time >= q.Settled:
				after, pos = append(after, growth), b.Pos
			}
		}
		out = q.compared(out, fmt.Sprintf("growth of %s", x.Index), "pages/hour", before, after, pos)
	}
	return out
}

// shorten cuts a statement for one line.
func shorten(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most-2]) + " …"
	}
	return s
}
