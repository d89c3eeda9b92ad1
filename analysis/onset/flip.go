package onset

import (
	"cmp"
	"slices"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

const (
	// minStretch is how many executions in a row, other shapes within
	// maxStrays left out, make a stretch of one plan.
	minStretch = 5
	// maxStrays is the share of executions with other shapes up to which a
	// stretch counts as one of its shape: sessions that keep an older plan, and
	// rare parameters.
	maxStrays = 0.1
)

// Flip is where a statement goes over from one plan shape to another, in one
// database.
type Flip struct {
	// Time is the start of the first execution of the new stretch, LastBefore
	// that of the last one of the old stretch.
	Time, LastBefore record.Time
	From, To         uint64 // shapes
	// Before and After are the executions with these shapes in the stretches on
	// either side, by start.
	Before, After []*dataset.Execution
}

// Flips are the flips of the statement's plan, by time. Two shapes that are used
// side by side, as parameters or sessions choose, are no flip.
func Flips(s *dataset.Statement) []Flip {
	var out []Flip
	for _, execs := range byDatabase(s.Executions) {
		out = append(out, flipsOf(execs)...)
	}
	slices.SortStableFunc(out, func(a, b Flip) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.After[0].Database, b.After[0].Database))
	})
	return out
}

// byDatabase are the executions that have a plan and a time, by start, of each
// database: its tables are others.
func byDatabase(execs []*dataset.Execution) [][]*dataset.Execution {
	var planned []*dataset.Execution
	for _, e := range execs {
		if e.Figures != nil && e.Start.Known() && e.Kind != record.ExecExplain {
			planned = append(planned, e)
		}
	}
	slices.SortStableFunc(planned, func(a, b *dataset.Execution) int {
		return cmp.Or(cmp.Compare(a.Database, b.Database), cmp.Compare(a.Start, b.Start))
	})
	var out [][]*dataset.Execution
	for i := 0; i < len(planned); {
		j := i + 1
		for j < len(planned) && planned[j].Database == planned[i].Database {
			j++
		}
		out = append(out, planned[i:j])
		i = j
	}
	return out
}

// stretch is a part of a statement's executions that one shape rules: those of
// that shape, and how many others lie between the first and the last of them.
type stretch struct {
	shape  uint64
	execs  []*dataset.Execution
	strays int // inside it
	after  int // between it and the next
}

func (s *stretch) pure() bool { return float64(s.strays) <= maxStrays*float64(len(s.execs)) }

func flipsOf(execs []*dataset.Execution) []Flip {
	var out []Flip
	list := stretches(execs)
	for i := 1; i < len(list); i++ {
		a, b := &list[i-1], &list[i]
		least := min(len(a.execs), len(b.execs))
		if !a.pure() || !b.pure() || float64(a.after) > max(2, 2*maxStrays*float64(least)) {
			continue
		}
		out = append(out, Flip{Time: b.execs[0].Start, LastBefore: a.execs[len(a.execs)-1].Start,
			From: a.shape, To: b.shape, Before: a.execs, After: b.execs})
	}
	return out
}

// stretches joins the runs of at least minStretch executions of one shape that
// follow each other without such a run of another shape between.
func stretches(execs []*dataset.Execution) []stretch {
	var out []stretch
	loose := 0
	for i := 0; i < len(execs); {
		shape := execs[i].Figures.Shape
		j := i + 1
		for j < len(execs) && execs[j].Figures.Shape == shape {
			j++
		}
		run := execs[i:j:j]
		i = j
		switch n := len(out); {
		case len(run) < minStretch:
			loose += len(run)
			continue
		case n > 0 && out[n-1].shape == shape:
			out[n-1].execs = append(out[n-1].execs, run...)
			out[n-1].strays += loose
		default:
			if n > 0 {
				out[n-1].after = loose
			}
			out = append(out, stretch{shape: shape, execs: run})
		}
		loose = 0
	}
	return out
}
