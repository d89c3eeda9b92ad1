package report

import (
	"fmt"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/autovacuum"
	"github.com/pgassay/pgassay/report/view"
)

// tuneVisibility sets what was measured just before the vacuums beside what the
// writes explain.
func tuneVisibility(t *analysis.Tuning) section {
	s := section{title: "Not all-visible just before a vacuum"}
	if len(t.Decays) > 0 {
		s.rows = [][]string{{"measured by", "cycles", "measured", "expected between", "inside"}}
		s.kept = 1
	}
	for _, d := range t.Decays {
		s.rows = append(s.rows, []string{d.What, fmt.Sprint(d.Cycles), view.Share(d.Lost), view.Share(d.Low) + " and " + view.Share(d.High),
			fmt.Sprintf("%d of %d", d.Between, d.Cycles)})
	}
	w := t.Workload
	if w.Pages >= 1 {
		s.texts = append(s.texts, fmt.Sprintf("Expected: 1 − %s·(1 − 1/%s)^k, where k is at least the rows updated and deleted (%s a second) and at most those and the rows put into space that others left (%s).",
			view.Quantity(w.Visible, ""), view.Quantity(w.Pages, ""), view.Quantity(w.Low, ""), view.Quantity(w.High, "")))
	}
	if w.Window > 0 {
		s.texts = append(s.texts, fmt.Sprintf("The query reads about the newest %s: what counts is how many of them were inserted since the vacuum.", view.Quantity(w.Window, "rows")))
	}
	if w.Skew > 1 {
		s.texts = append(s.texts, fmt.Sprintf("Queries lose more than that: they prefer the pages that are written. The upper bound is taken %s.", view.Quantity(w.Skew, "x")))
	}
	switch x := t.Scan; {
	case x == nil:
		s.texts = append(s.texts, fmt.Sprintf("No index-only scans of %d rows or more on this table in the input: the share of pages stands for the share of rows.", autovacuum.MinScanRows))
	default:
		s.texts = append(s.texts, fmt.Sprintf("Heap fetches are those of %s of this statement, %s each: %s", view.Counted(int64(len(x.Readings)), "execution", "executions"),
			view.Quantity(x.Rows(), "rows"), view.Shorten(view.Line(x.Statement.Normalized), 200)))
	}
	return s
}

// maxTunedVacuums bounds the vacuums that are listed, the last ones.
const maxTunedVacuums = 25

func tuneVacuums(t *analysis.Tuning) section {
	s := section{title: "Vacuums in the input and what started them"}
	list := t.Passes
	if len(list) == 0 {
		s.texts = []string{"None."}
		return s
	}
	if n := len(list) - maxTunedVacuums; n > 0 {
		s.texts = []string{fmt.Sprintf("%d earlier ones are not listed; --format json has them all.", n)}
		list = list[n:]
	}
	clock := view.NewClock(t.From, t.To)
	s.rows = [][]string{{"ended", "started by", "dead of limit", "inserted of limit", "took"}}
	s.kept = 1
	for i := range list {
		x := &list[i]
		took := view.Unknown
		if x.Vacuum.HasElapsed {
			took = view.Span(x.Vacuum.Elapsed)
		}
		cause := string(x.Cause)
		if x.Cause == autovacuum.ByUnknown {
			cause += ": " + x.Why
		}
		s.rows = append(s.rows, []string{clock.At(x.Vacuum.End), cause, ofText(x.Dead, x.DeadLimit), ofText(x.Inserted, x.InsertedLimit), took})
	}
	return s
}

func ofText(n, limit float64) string {
	return amountText(n, "") + " of " + amountText(limit, "")
}
