package signature

import (
	"fmt"
	"math"

	"github.com/pgassay/pgassay/analysis/autovacuum"
	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
)

var visibilityDecay = &Signature{
	ID: "PGA202", Name: "visibility-decay", Max: finding.Warning,
	Felt: "A query whose index should answer it alone reads the table all the same, and is slow",
	What: "An index-only scan visits the table for many of its rows.",
	Why: "It may skip the table only for pages that the visibility map marks all-visible. Every update, delete and insert clears the mark of its page, and only a vacuum sets it again. " +
		"With N pages and writes at random (1 − 1/N)^k of the marks are left after k of them, so that 2 % of the rows can clear most pages long before a trigger counts 20 %.",
	Fix:    "Vacuum the table now, and so often that the map stays good: the trigger that its writes move, for this table alone.",
	Verify: "EXPLAIN (ANALYZE, BUFFERS) shows few Heap Fetches just before a vacuum, not only after it.",
	Needs:  []Need{needHeap, needSnapshot},
	Silent: []string{"scans of a few rows", "visits to the table that cost less than a millisecond and a hundredth of the server time", "a table whose heap fetches stay within what is tolerated", "vacuums that are held back (PGA205)"},
	Thresholds: []Threshold{
		{"tolerated_share", 0.10, "of rows", "heap fetches that are tolerated, as the median over the scans"},
		{"floor_ms", 1, "ms", "added time per execution below which nothing is said, or info if it adds up to floor_share"},
		{"floor_share", 0.01, "of server time", "added in all, however short the single execution"},
		{"min_inside", 0.75, "of cycles", "in which the decay must lie between its bounds to count as explained"},
	},
	Detect: detectVisibilityDecay,
}

func detectVisibilityDecay(p *Pass) {
	if !hasHeapFetches(p.Model) {
		p.Lacks("no plans with heap fetches of index-only scans in input", "a log with auto_explain.log_analyze = on, or EXPLAIN (ANALYZE, BUFFERS) output")
		return
	}
	if !hasTablePoints(p.Model) {
		p.Lacks("no snapshot of tables in input", "pg_stat_user_tables joined with pg_class (relpages, reltuples, relallvisible), with captured_at")
		return
	}
	scans := heapScans(p)
	for _, r := range p.Model.Relations {
		for _, x := range scans[r.Name] {
			if x.Typical >= p.limit("tolerated_share") && x.felt(p.limit("floor_ms"), p.limit("floor_share")) {
				p.Report(decayFinding(p, x), !(x.AddedMS >= p.limit("floor_ms")))
			}
		}
	}
}

// soonDue is how soon, in seconds, autovacuum comes by itself, so that nobody
// need vacuum by hand.
const soonDue = 600

func hasHeapFetches(m *dataset.Model) bool {
	for _, e := range m.Executions {
		if e.Figures != nil && e.Figures.HasHeapFetches {
			return true
		}
	}
	return false
}

func hasTablePoints(m *dataset.Model) bool {
	for _, r := range m.Relations {
		if len(r.Points) > 0 {
			return true
		}
	}
	return false
}

func decayFinding(p *Pass, x *heapScan) finding.Finding {
	r := x.Relation
	a := autovacuum.Advise(p.Model, r, p.limit("tolerated_share"))
	f := finding.Finding{
		Subject: finding.Subject{Relation: r.Name, Fingerprint: x.Statement.Fingerprint, Statement: x.Statement.Normalized},
		Title:   fmt.Sprintf("An index-only scan of %s visits the table for %s of its rows", r.Name, x.visits()),
		Effect:  x.Effect, Share: x.TimeShare,
		Figures:     append(append(append(x.figures(), decayFigures(a)...), expectedFigure(a)...), triggerFigures(a.Dues)...),
		N:           fmt.Sprintf("%d executions, %d vacuums", len(x.Readings), len(r.Vacuums)),
		WillNotHelp: []string{"another index: the scan already has the right one", "more memory: the visits are to pages that mostly are in it"},
		Verify:      []string{"explain (analyze, buffers) of the statement, just before a vacuum: Heap Fetches at most " + percent(p.limit("tolerated_share")) + " of the rows"},
	}
	f.Confidence, f.WhyConfidence = decayConfidence(p, x, a)
	f.Summary = decaySummary(p, x, a)
	f.Onset = decayOnset(r)
	f.RuledOut = decayRivals(p, x, a)
	f.Evidence = x.evidence(p.limit("tolerated_share"))
	if next, ok := autovacuum.Next(a.Dues); !ok || next.In > soonDue {
		f.Actions = []finding.Action{{SQL: true, Do: "VACUUM " + r.SQL() + ";",
			Cost: "sets the map at once; reads the pages that are not all-visible, and each index if rows died; blocks no reads or writes"}}
	}
	p.tuned(&f, a)
	if autovacuum.Version(p.Model) >= 19 {
		f.Notes = append(f.Notes, "From PostgreSQL 19 on, reads may set marks too: the decay may be slower than its bounds.")
	}
	return f
}

// expectedFigure is what the counters of the last capture explain.
func expectedFigure(a *autovacuum.Advice) []finding.Figure {
	low, high := a.Expected()
	if math.IsNaN(high) || len(a.Decays) > 0 {
		return nil
	}
	return []finding.Figure{{What: "not all-visible at the last capture, expected from its counters", Value: high, Unit: "share",
		Text: fmt.Sprintf("between %s and %s", percent(low), percent(high))}}
}

// explained reports whether the writes explain what was measured: the decay in
// most cycles, or without cycles the counters of the last capture.
func explained(p *Pass, x *heapScan, a *autovacuum.Advice) (bool, string) {
	if len(a.Decays) > 0 {
		d := a.Decays[0]
		return float64(d.Between) >= p.limit("min_inside")*float64(d.Cycles),
			fmt.Sprintf("decay between its bounds in %d of %d cycles", d.Between, d.Cycles)
	}
	low, high := a.Expected()
	const slack = 0.05
	return x.Typical >= low-slack && x.Typical <= high+slack, fmt.Sprintf("rows changed since the last vacuum explain %s to %s", percent(low), percent(high))
}

// decayConfidence: the equation is the decay, the event the last vacuum, the
// control that one plan over the same rows fetched little right after one.
func decayConfidence(p *Pass, x *heapScan, a *autovacuum.Advice) (finding.Confidence, string) {
	held, missing := []string{}, []string{}
	note := func(ok bool, name string) {
		if ok {
			held = append(held, name)
		} else {
			missing = append(missing, name)
		}
	}
	equation, text := explained(p, x, a)
	note(equation && autovacuum.Version(p.Model) < 19, text)
	note(vacuumedAt(x.Relation).Known(), "the last vacuum is known")
	fresh := x.Share(0.05)
	note(fresh <= 0.5*x.Worst, fmt.Sprintf("the same scan also fetched as little as %s", percent(fresh)))
	why := "holds: " + orNone(held) + "; missing: " + orNone(missing)
	return finding.Confidence(max(0, len(held)-1)), why
}
