package view

import (
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
)

// attribution is the candidate causes as rows.
func attribution(f *finding.Finding) []Row {
	var rows []Row
	for i := range f.Attribution {
		a := &f.Attribution[i]
		row := Row{What: Line(a.Candidate), Figure: causeText(a), Says: Line(string(a.Verdict))}
		if why := Line(a.Why); why != "" {
			row.Says += ": " + why
		}
		rows = append(rows, row)
	}
	return rows
}

// shareOfVariance rounds to whole percents where less says nothing.
func shareOfVariance(share float64) string {
	if share < 0.005 {
		return "0 % of the variance"
	}
	return Share(share) + " of the variance"
}

// causeText is slope, share, correlations and readings in one line.
func causeText(a *finding.Attribution) string {
	var parts []string
	if a.Slope != nil {
		parts = append(parts, FigureText(a.Slope))
	}
	if a.Share != nil {
		parts = append(parts, shareOfVariance(*a.Share))
	}
	if r := correlations(a.Raw, a.Partial); r != "" {
		parts = append(parts, r)
	}
	if a.N > 0 {
		parts = append(parts, "n "+Count(int64(a.N))+" worth "+fixed(a.EffectiveN, 0))
	}
	return strings.Join(parts, ", ")
}
