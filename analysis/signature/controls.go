package signature

import (
	"fmt"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/onset"
)

// controlFigures are the controls as rows of the working.
func controlFigures(list []onset.Control) []finding.Figure {
	var out []finding.Figure
	for _, c := range list {
		says := "control quiet"
		if !c.Quiet {
			says = "moved too"
		}
		out = append(out, finding.Figure{What: c.What, Value: c.Ratio, Unit: "x", Indent: true, Says: says,
			Text: fmt.Sprintf("%s %s before, %s since (n = %d, %d)", num(c.Before), c.Unit, num(c.After), c.N, c.M)})
	}
	return out
}

func quietControls(list []onset.Control) int {
	n := 0
	for _, c := range list {
		if c.Quiet {
			n++
		}
	}
	return n
}
