package onset

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// expectedBefore is how often something must have been expected before its first
// appearance, at the rate that it has since, to count as new: a chance of
// e⁻¹⁰ that it was there and did not show (Poisson).
const expectedBefore = 10

// together is how close first appearances must be to be one deploy.
const together = 30 * record.Second

// maxApplications bounds the new names: beyond it names carry numbers of their
// own and tell nothing.
const maxApplications = 20

// appeared is something with its first and last appearance.
type appeared struct {
	name        string
	first, last record.Time
	pos         record.Pos
	times       int
}

// isNew reports whether it would have been seen between from and its first
// appearance.
func (a *appeared) isNew(from record.Time) bool {
	lasted := max(a.last.Sub(a.first).Seconds(), 1)
	rate := float64(a.times-1) / lasted
	return a.first.Known() && from.Known() && rate*a.first.Sub(from).Seconds() >= expectedBefore
}

// logStart is the start of the first execution of the log.
func logStart(m *dataset.Model) record.Time {
	from := record.Time(math.MaxInt64)
	for _, e := range m.Executions {
		if e.Time.Known() && e.Kind != record.ExecExplain {
			from = min(from, e.Start)
		}
	}
	if from == math.MaxInt64 {
		return record.NoTime
	}
	return from
}

func (a *appeared) see(e *dataset.Execution) {
	if a.times == 0 || e.Start < a.first {
		a.first, a.pos = e.Start, e.Pos
	}
	a.last = max(a.last, e.Start)
	a.times++
}

// applications are the application names whose sessions begin to work after the
// log does. Digits do not tell names apart.
func applications(m *dataset.Model) []Happening {
	seen := map[string]*appeared{}
	for _, e := range m.Executions {
		if e.Application == "" || e.Application == "[unknown]" || !e.Time.Known() {
			continue
		}
		name := strings.Map(func(c rune) rune {
			if c >= '0' && c <= '9' {
				return '#'
			}
			return c
		}, e.Application)
		if seen[name] == nil {
			seen[name] = &appeared{name: name}
		}
		seen[name].see(e)
	}
	if len(seen) > maxApplications {
		return nil
	}
	var out []Happening
	from := logStart(m)
	for _, a := range seen {
		if a.isNew(from) {
			out = append(out, Happening{Kind: NewApplication, Start: a.first, End: a.first, Pos: a.pos, Text: "first statement of application " + a.name})
		}
	}
	sortHappenings(out)
	return out
}

// newStatements are the statements that begin after the log does; those that
// begin together are one happening.
func newStatements(m *dataset.Model) []Happening {
	var fresh []appeared
	from := logStart(m)
	for _, s := range m.Statements {
		a := appeared{name: s.Normalized}
		for _, e := range s.Executions {
			if e.Time.Known() && e.Kind != record.ExecExplain {
				a.see(e)
			}
		}
		if a.isNew(from) {
			fresh = append(fresh, a)
		}
	}
	slices.SortStableFunc(fresh, func(a, b appeared) int { return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.name, b.name)) })
	var out []Happening
	for i := 0; i < len(fresh); {
		j := i + 1
		for j < len(fresh) && fresh[j].first.Sub(fresh[i].first) <= together {
			j++
		}
		text := "a new statement"
		if j > i+1 {
			text = fmt.Sprintf("%d new statements", j-i)
		}
		out = append(out, Happening{Kind: NewStatement, Start: fresh[i].first, End: fresh[i].first, Pos: fresh[i].pos, Text: text})
		i = j
	}
	return out
}

// marks are the moments that the user gave: deploys, switches.
func marks(m *dataset.Model) []Happening {
	var out []Happening
	for _, k := range m.Marks {
		out = append(out, Happening{Kind: UserMark, Start: k.Time, End: k.Time, Pos: k.Pos, Text: k.Text + " (given)"})
	}
	return out
}
