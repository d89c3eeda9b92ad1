package report

import (
	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/report/view"
)

func csvSuppressed(v *view.View, row func(...any)) {
	for i := range v.Suppressed {
		s, raw := &v.Suppressed[i], &v.Result.Suppressed[i]
		f := &s.Finding
		row(f.ID, raw.Finding.Fingerprint(), view.Line(raw.Finding.Name), raw.Finding.Severity.String(), f.Title, f.Kind, f.Subject,
			s.Reason, raw.Expires, view.Line(raw.Place.File), csvLine(raw.Place))
	}
}

// csvChanges has every finding of this run and those of the baseline that it
// does not have.
func csvChanges(v *view.View, row func(...any)) {
	c := v.Result.Comparison
	if c == nil {
		return
	}
	for _, list := range [][]analysis.FindingChange{c.Findings, c.Absent} {
		for i := range list {
			x := &list[i]
			row(string(x.Status), view.Line(x.ID), view.Line(x.Name), view.Line(x.Title), view.Line(x.Subject.String()), view.Line(x.Why))
		}
	}
}

func csvDearer(v *view.View, row func(...any)) {
	if v.Result.Comparison == nil {
		return
	}
	list := v.Result.Comparison.Regressions
	for i := range list {
		x := &list[i]
		row(view.Line(x.Fingerprint), view.Line(x.Unit), x.Was, x.Now, x.Ratio(), x.PerCall, x.CallsWas, x.Calls, view.Line(x.Text))
	}
}
