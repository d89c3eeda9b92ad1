package signature

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// tally counts events by a property, the most frequent first.
type tally struct {
	names  []string
	counts map[string]int
	total  int
}

func tallyOf(events []*record.Event, of func(*record.Event) string) tally {
	t := tally{counts: map[string]int{}, total: len(events)}
	for _, e := range events {
		if name := of(e); name != "" {
			if t.counts[name] == 0 {
				t.names = append(t.names, name)
			}
			t.counts[name]++
		}
	}
	slices.SortFunc(t.names, func(a, b string) int {
		return cmp.Or(cmp.Compare(t.counts[b], t.counts[a]), cmp.Compare(a, b))
	})
	return t
}

// tally counts by application.
func (l *serverLog) tally(events []*record.Event) tally { return tallyOf(events, l.application) }

func statementOf(e *record.Event) string {
	if e.Statement == nil {
		return ""
	}
	return e.Statement.Normalized
}

// most is the most frequent name and its share of all events; "" if none is
// known.
func (t tally) most() (name string, share float64) {
	if len(t.names) == 0 {
		return "", 0
	}
	return t.names[0], float64(t.counts[t.names[0]]) / float64(t.total)
}

// figure is the most frequent of what, with its share.
func (t tally) figure(what string) finding.Figure {
	name, share := t.most()
	if name == "" {
		return finding.Figure{What: "most frequent " + what, Text: "not told"}
	}
	return finding.Figure{What: "most frequent " + what, Value: 100 * share, Unit: "%", Text: percent(share) + " " + shorten(name, 100), Says: plural(len(t.names), "kind")}
}

// sentence is "They come from a (90 %) and 2 others."; "" if no name is known.
func (t tally) sentence(lead string) string {
	name, share := t.most()
	switch {
	case name == "":
		return ""
	case len(t.names) == 1:
		return fmt.Sprintf("%s %s.", lead, shorten(name, 100))
	}
	return fmt.Sprintf("%s %s (%s) and %d others.", lead, shorten(name, 100), percent(share), len(t.names)-1)
}

// oneOf is the value that all events share; "" if they differ.
func oneOf(events []*record.Event, of func(*record.Event) string) string {
	value := of(events[0])
	for _, e := range events {
		if of(e) != value {
			return ""
		}
	}
	return value
}
