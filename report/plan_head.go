package report

import (
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/ledger"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report/view"
)

// place is "plan 2 of 3 · day.log:98211 · 2026-11-30 14:20:14 UTC".
func (a *accounted) place(found int64) string {
	parts := []string{"plan " + view.Count(a.Number) + " of " + view.Count(found), view.Line(a.Pos.String())}
	if a.Time.Known() {
		parts = append(parts, a.Time.Std().Format("2006-01-02 15:04:05 UTC"))
	} else {
		parts = append(parts, "no time")
	}
	return strings.Join(parts, " · ")
}

// statement is the query of the plan, as it is shown; "" if it is not known.
func (a *accounted) statement() string {
	switch {
	case a.ReadPlan.Plan.QueryText != "":
		return view.Line(a.ReadPlan.Plan.QueryText)
	case strings.HasPrefix(a.Fingerprint, "plan:"):
		return ""
	}
	return view.Line(a.Statement)
}

// summary are the rows of the head: what the execution took, what of it lies
// outside the tree, and whether the figures add up.
func (a *accounted) summary() [][]string {
	var rows [][]string
	add := func(what, text string) { rows = append(rows, []string{what, text}) }
	p := a.ReadPlan.Plan
	switch {
	case !a.Executed:
		add("execution", "none: EXPLAIN without ANALYZE tells estimates only")
	case !a.Timed:
		add("execution", strings.TrimPrefix(a.untimed()+", without times of the nodes (TIMING OFF)", ", "))
	default:
		add("execution", a.execution())
	}
	if p.HasPlanning {
		text := view.Span(p.PlanningTime)
		if p.HasPlanBuffers {
			text += ", buffers " + view.Count(p.PlanningBuffers.Shared()+p.PlanningBuffers.LocalHit+p.PlanningBuffers.LocalRead)
		}
		add("planning", text)
	}
	for i := range a.Outside {
		add(first(i, "outside"), outsideText(&a.Outside[i]))
	}
	if a.Timed {
		add("identity", a.identity())
	}
	if skew := a.skew(); skew != "" {
		add("timing skew", skew)
	}
	if a.Buffered {
		b := &a.Blocks
		add("buffers", bufferSummary(b))
	}
	if p.Truncated {
		add("damage", "the input ends inside this plan: what is missing is not shown")
	}
	return rows
}

func (a *accounted) untimed() string {
	switch {
	case a.ReadPlan.Plan.HasExecution:
		return view.Span(a.ReadPlan.Plan.ExecutionTime)
	case a.FromLog && a.Duration > 0:
		return view.Span(a.Duration) + " as logged"
	}
	return ""
}

func (a *accounted) execution() string {
	root := "root " + view.Quantity(a.Root, "ms")
	if !a.HasExecution {
		return root + "; no execution time in the input"
	}
	text := view.Quantity(a.Execution, "ms")
	if !a.ReadPlan.Plan.HasExecution {
		text += " as logged"
	}
	return text + " = " + root + " + outside " + view.Quantity(a.Execution-a.Root, "ms")
}

func outsideText(o *ledger.Outside) string {
	text := view.Line(o.What) + " " + view.Quantity(o.Time, "ms")
	switch o.Kind {
	case ledger.OutsideCTE:
		text += ": writes and nobody reads it, ran after the tree"
	case ledger.OutsideTrigger:
		text += " in " + view.Counted(o.Calls, "call", "calls")
		if o.IsAssumed {
			text += "; taken to fire AFTER, EXPLAIN does not tell"
		}
	case ledger.OutsideRest:
		if o.Time < 0 {
			text += ": below 0, timing skew"
		}
	}
	return text
}

// identity says that the self times add up.
func (a *accounted) identity() string {
	whole := "root"
	if a.Whole != a.Root {
		whole = "root and what ran after it"
	}
	text := "self times add up to " + view.Quantity(a.Self, "ms") + ", " + whole + " " + view.Quantity(a.Whole, "ms")
	residual := "0 ms"
	if a.Residual > 0.0005 || a.Residual < -0.0005 {
		residual = view.Quantity(a.Residual, "ms")
	}
	return text + "; residual " + residual + ", printing error ±" + view.Quantity(a.Tolerance, "ms")
}

// skew names the nodes whose self time is negative beyond rounding. They are
// shown as 0.
func (a *accounted) skew() string {
	if a.Skew == 0 {
		return ""
	}
	const shown = 3
	var at []string
	for i := range a.Nodes {
		if o := &a.Nodes[i]; o.Self < -o.Tolerance {
			at = append(at, a.title(i))
		}
	}
	more := ""
	if len(at) > shown {
		more, at = " and "+strconv.Itoa(len(at)-shown)+" more", at[:shown]
	}
	text := view.Quantity(a.Skew, "ms")
	if a.Whole > 0 {
		text += " (" + view.Share(-a.Skew/a.Whole) + ")"
	}
	return text + ", shown as 0 at " + strings.Join(at, ", ") + more
}

func bufferSummary(b *record.Buffers) string {
	all := b.Shared() + b.LocalHit + b.LocalRead
	text := view.Count(all) + " (" + blockSize(all) + ")"
	for _, c := range [...]struct {
		what string
		n    int64
	}{
		{"read", b.SharedRead + b.LocalRead}, {"dirtied", b.SharedDirtied + b.LocalDirtied},
		{"written", b.SharedWritten + b.LocalWritten}, {"temp read", b.TempRead}, {"temp written", b.TempWritten},
	} {
		if c.n != 0 {
			text += ", " + c.what + " " + view.Count(c.n)
		}
	}
	return text
}

// planLosses says what of the input was not read, and with repairs how it was
// mended.
func planLosses(s *analysis.PlanSet, repairs bool) [][]string {
	var rows [][]string
	for i := range s.Files {
		for _, l := range s.Files[i].Losses {
			text := string(l.Kind) + ": " + l.Text
			if l.Count > 1 {
				text += " (" + view.Count(l.Count) + " times)"
			}
			rows = append(rows, []string{first(len(rows), "losses"), view.Line(l.Pos.String() + ": " + text)})
		}
	}
	if s.Capped > 0 {
		rows = append(rows, []string{first(len(rows), "losses"),
			view.Counted(s.Capped, "plan", "plans") + " not shown: more than " + view.Count(analysis.MaxPlanNodes) + " nodes; choose with --nth"})
	}
	if repairs {
		rows = append(rows, repairRows(s)...)
	}
	return rows
}

func repairRows(s *analysis.PlanSet) [][]string {
	var rows [][]string
	for i := range s.Files {
		for _, r := range s.Files[i].Repairs {
			rows = append(rows, []string{first(len(rows), "repairs"),
				view.Line(r.Pos.String() + ": " + r.Name + ", " + view.Counted(r.Count, "line", "lines"))})
		}
	}
	if len(rows) == 0 {
		return [][]string{{"repairs", "none"}}
	}
	return rows
}
