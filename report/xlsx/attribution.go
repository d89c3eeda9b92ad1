package xlsx

import "github.com/pgassay/pgassay/report/view"

// attribution is the candidate causes of every finding that has them.
func (b *book) attribution() *table {
	type at struct{ finding, row int }
	var rows []at
	for i := range b.view.Findings {
		for j := range b.view.Findings[i].Raw.Attribution {
			rows = append(rows, at{i, j})
		}
	}
	return &table{
		name: attributionSheet, optional: true, rows: len(rows),
		columns: []column{
			{"ID", 9, text}, {"Subject", 36, wrapped}, {"Candidate", 36, wrapped}, {"Verdict", 16, text}, {"Share of variance", 10, share},
			{"Slope", 14, real}, {"Unit", 20, text}, {"95 % low", 14, real}, {"95 % high", 14, real}, {"Limit", 16, wrapped},
			{"Raw r", 9, real}, {"Partial r", 9, real}, {"p (corrected)", 12, real}, {"Readings", 10, whole}, {"Worth", 10, real},
			{"Why", 60, wrapped},
		},
		row: func(i int) []any { return b.cause(rows[i].finding, rows[i].row) },
	}
}

func (b *book) cause(finding, row int) []any {
	f := &b.view.Findings[finding]
	a := &f.Raw.Attribution[row]
	var slope, unit, low, high, limit, p, n, worth any
	if s := a.Slope; s != nil {
		slope, unit, limit, p = s.Value, view.Line(s.Unit), view.Line(s.Limit), value(s.PValue)
		if s.Interval != nil {
			low, high = s.Interval[0], s.Interval[1]
		}
	}
	if a.N > 0 {
		n, worth = int64(a.N), a.EffectiveN
	}
	return []any{
		link{f.ID, cellAt(findingsSheet, finding)}, f.Subject, view.Line(a.Candidate), view.Line(string(a.Verdict)), value(a.Share),
		slope, unit, low, high, limit, value(a.Raw), value(a.Partial), p, n, worth, view.Line(a.Why),
	}
}

// value is the number, or nothing where there is none.
func value(v *float64) any {
	if v == nil {
		return nil
	}
	return *v
}
