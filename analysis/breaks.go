package analysis

import (
	"fmt"
	"strings"

	"github.com/pgassay/pgassay/analysis/dataset"
)

// maxBreaks is how many breaks a note lists.
const maxBreaks = 5

// breakNotes names what happened between the snapshots: first what ended
// counters, then what changed files and servers. What only refreshed an
// estimate is no news.
func breakNotes(breaks []dataset.Break) []string {
	var ended, changed []dataset.Break
	for _, b := range breaks {
		switch {
		case b.Kind.EndsCounters() || b.Kind == dataset.BreakStatements:
			ended = append(ended, b)
		case b.Kind != dataset.BreakVisible:
			changed = append(changed, b)
		}
	}
	var out []string
	if len(ended) > 0 {
		out = append(out, "Counters end at these points, and no figure crosses them: "+listBreaks(ended)+".")
	}
	if len(changed) > 0 {
		out = append(out, "Between the snapshots: "+listBreaks(changed)+".")
	}
	return out
}

func listBreaks(breaks []dataset.Break) string {
	var parts []string
	for i, b := range breaks {
		if i == maxBreaks {
			parts = append(parts, fmt.Sprintf("and %d more", len(breaks)-i))
			break
		}
		parts = append(parts, breakText(b))
	}
	return strings.Join(parts, "; ")
}

func breakText(b dataset.Break) string {
	const clock = "2006-01-02 15:04:05"
	when := "at " + b.By.Std().Format(clock)
	if b.After != b.By {
		when = "between " + b.After.Std().Format(clock) + " and " + b.By.Std().Format(clock)
	}
	return fmt.Sprintf("%s %s (%s)", b.What(), when, b.Known)
}

// standbyNote says what the snapshots of a standby cannot tell.
func standbyNote(m *dataset.Model) []string {
	n := 0
	for _, r := range m.Relations {
		for i := range r.Points {
			if r.Points[i].Standby {
				n++
			}
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d rows of pg_stat_user_tables are of a standby, which counts no writes, rows and vacuums: these are not evaluated. Take snapshots of the primary.", n)}
}
