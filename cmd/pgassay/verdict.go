package main

import (
	"fmt"
	"strings"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/parser"
	"github.com/pgassay/pgassay/report/view"
)

// understood is an exit if nothing of the input could be understood: an empty
// report is not a healthy one.
func understood(r *analysis.Result) error {
	for i := range r.Inputs {
		in := &r.Inputs[i]
		if in.Understood+in.Executions+in.Plans+in.Vacuums+in.Samples > 0 {
			return nil
		}
	}
	return &exit{exitUsage, "nothing understood: " + puzzle(r.Inputs) + hint("pgassay analyze")}
}

// puzzle says what the first of the inputs with a loss looked like.
func puzzle(inputs []analysis.Input) string {
	more := ""
	if n := len(inputs) - 1; n > 0 {
		more = " (and " + view.Counted(int64(n), "more file", "more files") + ")"
	}
	for i := range inputs {
		if in := &inputs[i]; len(in.Losses) > 0 {
			return in.Name + ": " + in.Losses[0].Text + more
		}
	}
	if len(inputs) > 0 && inputs[0].Format == parser.FormatEmpty {
		return inputs[0].Name + " is empty" + more
	}
	if len(inputs) > 0 {
		return inputs[0].Name + " holds no entry" + more
	}
	return "no input"
}

// incomplete is an exit if input was lost or a signature was not evaluated.
func incomplete(r *analysis.Result) error {
	var why []string
	if len(r.Losses) > 0 {
		n := int64(0)
		for _, l := range r.Losses {
			n += max(l.Count, 1)
		}
		why = append(why, fmt.Sprintf("%s, the first at %s: %s", view.Counted(n, "loss", "losses"), r.Losses[0].Pos, r.Losses[0].Kind))
	}
	if len(r.NotEvaluated) > 0 {
		var ids []string
		for _, n := range r.NotEvaluated {
			ids = append(ids, n.ID)
		}
		why = append(why, view.Counted(int64(len(ids)), "signature", "signatures")+" not evaluated: "+strings.Join(ids, ", "))
	}
	if len(why) == 0 {
		return nil
	}
	return &exit{exitStrict, "strict: " + strings.Join(why, "; ")}
}
