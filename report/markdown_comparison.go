package report

import (
	"github.com/pgassay/pgassay/report/view"
)

// markdownComparison has the rows of the terminal's comparison and of what is
// suppressed; "" if there are none.
func markdownComparison(v *view.View) string {
	var m markdownPage
	if c := v.Comparison; c != nil {
		m.heading(2, view.Shorten(c.Head, maxCell))
		if rows := changeRows(c); len(rows) > 0 {
			m.table(append([][]string{{"status", "finding"}}, rows...))
		}
		m.para(markdownText(c.Costs))
		if rows := regressionRows(c, maxCell); len(rows) > 0 {
			m.table(rows)
		}
	}
	if len(v.Suppressed) > 0 {
		m.heading(2, "Suppressed")
		rows := [][]string{{"finding", "reason"}}
		for i := range v.Suppressed[:min(len(v.Suppressed), maxMarkdownRows)] {
			s := &v.Suppressed[i]
			rows = append(rows, []string{s.Line + ": " + s.Finding.Title, reasonOf(s)})
		}
		if n := len(v.Suppressed) - maxMarkdownRows; n > 0 {
			rows = append(rows, []string{"and " + view.Count(int64(n)) + " more", ""})
		}
		m.table(rows)
	}
	return m.b.String()
}
