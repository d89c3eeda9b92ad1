package html

import "github.com/pgassay/pgassay/report/view"

// changes are the findings that are not as in the baseline.
func (w *writer) changes(v *view.View) table {
	t := table{ID: "changes", Title: "Changes since the baseline", Columns: []column{{"Status", words}, {"Finding", prose}, {"Why", prose}}}
	if v.Comparison == nil {
		return t
	}
	t.rows(len(v.Comparison.Changes), func(i int) []cell {
		c := &v.Comparison.Changes[i]
		return []cell{w.text(c.Status), w.text(c.What), w.text(c.Why)}
	})
	return t
}

// dearer are the statements whose rows cost more than in the baseline.
func (w *writer) dearer(v *view.View) table {
	t := table{ID: "dearer", Title: "Statements dearer than in the baseline", Columns: []column{{"Cost", words}, {"Calls", words}, {"Statement", prose}}}
	if v.Comparison == nil {
		return t
	}
	t.rows(len(v.Comparison.Regressions), func(i int) []cell {
		r := &v.Comparison.Regressions[i]
		return []cell{w.text(r.Cost), w.text(r.Calls), w.text(r.Text)}
	})
	return t
}

// suppressed are the findings that do not count.
func (w *writer) suppressed(v *view.View) table {
	t := table{ID: "suppressed", Title: "Suppressed", Columns: []column{
		{"Finding", words}, {"Title", prose}, {"Subject", words}, {"Reason", prose}, {"Until", words},
	}}
	t.rows(len(v.Suppressed), func(i int) []cell {
		s := &v.Suppressed[i]
		return []cell{w.text(s.Line), w.text(s.Finding.Title), w.text(s.Finding.Subject), w.text(s.Reason), w.text(s.Until)}
	})
	return t
}
