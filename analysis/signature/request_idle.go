package signature

import (
	"fmt"
	"sort"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
)

const (
	// maxParameters caps the parameters followed.
	maxParameters = 10_000
	// shownParameters is how many are listed.
	shownParameters = 20
)

// idleParameters are what a statement was asked for and never had.
type idleParameters struct {
	list  []idleParameter // most calls first
	lacks string          // why none or not all can be told, "" if all can
}

type idleParameter struct {
	value string
	calls int
}

// idleOf lists the parameters with which no execution of the statement returned
// a row, inside of requests or not, over the whole span. One whose rows are not
// known returned some.
func idleOf(m *dataset.Model, s *dataset.Statement) idleParameters {
	if m.Sampled < 1 {
		return idleParameters{lacks: "only a sample of the executions was kept"}
	}
	calls := map[string]int{} // −1: may have returned rows
	more := false
	for _, e := range s.Executions {
		n, known := calls[e.Parameters]
		switch {
		case e.Parameters == "":
		case !known && len(calls) >= maxParameters:
			more = true
		case e.Figures == nil || !e.Figures.HasRows || e.Figures.Rows != 0:
			calls[e.Parameters] = -1
		case n >= 0:
			calls[e.Parameters]++
		}
	}
	out := idleParameters{list: idleList(calls)}
	switch {
	case len(calls) == 0:
		out.lacks = "no parameters of the child in the log (its values stand in its text, or log_parameter_max_length cuts them off)"
	case more:
		out.lacks = fmt.Sprintf("only the first %s different parameters were followed", thousands(maxParameters))
	}
	return out
}

func idleList(calls map[string]int) []idleParameter {
	var out []idleParameter
	for p, n := range calls {
		if n > 0 {
			out = append(out, idleParameter{p, n})
		}
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].calls != out[j].calls {
			return out[i].calls > out[j].calls
		}
		return out[i].value < out[j].value
	})
	return out
}

// notes are the list, and what it cannot tell.
func (p idleParameters) notes() []string {
	var notes []string
	other := ""
	if len(p.list) > 0 {
		other = " other"
		var shown []string
		for _, x := range p.list[:min(len(p.list), shownParameters)] {
			shown = append(shown, fmt.Sprintf("%s (%s calls)", shorten(x.value, 60), thousands(int64(x.calls))))
		}
		notes = append(notes, fmt.Sprintf("%s parameters returned no row over the whole span; look at them, rows may yet come: %s",
			thousands(int64(len(p.list))), strings.Join(shown, "; ")))
	}
	if p.lacks != "" {
		notes = append(notes, "which"+other+" parameters returned no row over the whole span is not measurable: "+p.lacks)
	}
	return notes
}
