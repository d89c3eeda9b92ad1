package report

import (
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/report/view"
)

// maxChanges is what a page shows of each list of a comparison.
const maxChanges = 20

// comparison says what changed against the baseline.
func (p *page) comparison(v *view.View) {
	c := v.Comparison
	if c == nil {
		return
	}
	p.blank()
	p.para("", plain, c.Head, bold)
	if rows := changeRows(c); len(rows) > 0 {
		p.table(body, rows, 1)
	}
	p.para(body, plain, c.Costs, plain)
	if rows := regressionRows(c, 2*(p.width-50)); len(rows) > 0 {
		p.table(body, rows, 0)
	}
}

func changeRows(c *view.Comparison) [][]string {
	var rows [][]string
	for _, x := range c.Changes[:min(len(c.Changes), maxChanges)] {
		rows = append(rows, []string{x.Status, strings.TrimSuffix(x.What+": "+x.Why, ": ")})
	}
	if n := len(c.Changes) - maxChanges; n > 0 {
		rows = append(rows, []string{"", "and " + strconv.Itoa(n) + " more: they are in the json report"})
	}
	return rows
}

// regressionRows has a head, or is empty; statements are cut to width columns.
func regressionRows(c *view.Comparison, width int) [][]string {
	if len(c.Regressions) == 0 {
		return nil
	}
	rows := [][]string{{"cost", "calls", "statement"}}
	for _, r := range c.Regressions[:min(len(c.Regressions), maxChanges)] {
		rows = append(rows, []string{r.Cost, r.Calls, view.Shorten(r.Text, width)})
	}
	if n := len(c.Regressions) - maxChanges; n > 0 {
		rows = append(rows, []string{"and " + strconv.Itoa(n) + " more", "", "they are in the json report"})
	}
	return rows
}

// suppressed lists the findings that do not count, with the reason.
func (p *page) suppressed(v *view.View) {
	if len(v.Suppressed) == 0 {
		return
	}
	p.blank()
	p.para("", plain, "Suppressed", bold)
	for i := range v.Suppressed {
		if i == maxChanges {
			p.para(body, plain, "and "+strconv.Itoa(len(v.Suppressed)-i)+" more: they are in the json report", faint)
			return
		}
		s := &v.Suppressed[i]
		p.para(body, plain, s.Line+": "+s.Finding.Title, plain)
		p.para(body+"reason  ", faint, reasonOf(s), plain)
	}
}

// reasonOf is the reason with its end and place.
func reasonOf(s *view.Suppressed) string {
	if s.Until == "" {
		return s.Reason
	}
	return s.Reason + " (" + s.Until + ")"
}
