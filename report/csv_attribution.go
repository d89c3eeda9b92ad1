package report

import "github.com/pgassay/pgassay/report/view"

// csvAttribution is one row for each candidate cause of a finding.
func csvAttribution(v *view.View, row func(...any)) {
	for i := range v.Findings {
		f := &v.Findings[i]
		for j := range f.Raw.Attribution {
			a := &f.Raw.Attribution[j]
			var slope, unit, low, high, limit, p, n, effective any
			if s := a.Slope; s != nil {
				slope, unit, limit = s.Value, view.Line(s.Unit), view.Line(s.Limit)
				if s.Interval != nil {
					low, high = s.Interval[0], s.Interval[1]
				}
				if s.PValue != nil {
					p = *s.PValue
				}
			}
			if a.N > 0 {
				n, effective = int64(a.N), a.EffectiveN
			}
			row(f.ID, f.Raw.Fingerprint(), view.Line(a.Candidate), view.Line(string(a.Verdict)), a.Share, slope, unit, low, high,
				limit, p, a.Raw, a.Partial, n, effective, view.Line(a.Why))
		}
	}
}
