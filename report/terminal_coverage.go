package report

import (
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/report/view"
)

// healthy is the page when nothing stands above info: what was looked at and
// what cost most, so that it is never empty.
func (p *page) healthy(v *view.View) {
	if v.Healthy == "" {
		return
	}
	p.blank()
	p.para("", plain, v.Healthy, plain)
	if len(v.Statements) == 0 {
		return
	}
	p.blank()
	p.para("", plain, "Costliest statements", bold)
	rows := [][]string{{"share", "total", "calls", "mean", "statement"}}
	for _, s := range v.Statements[:min(len(v.Statements), maxStatements)] {
		rows = append(rows, []string{s.Share, s.Total, s.Calls, s.Mean, view.Shorten(s.Text, 2*(p.width-46))})
	}
	p.table(body, rows, len(rows[0])-1)
}

// coverage says what was read, what was not understood and what could not be
// decided.
func (p *page) coverage(v *view.View) {
	p.para("", plain, "Coverage", bold)
	var rows [][]string
	for _, in := range v.Inputs[:min(len(v.Inputs), maxInputs)] {
		name := view.Shorten(in.Name, p.width/3)
		rows = append(rows, []string{name, in.Format}, []string{"", in.Read})
		if in.Kinds != "" {
			rows = append(rows, []string{"", in.Kinds})
		}
	}
	if n := len(v.Inputs) - maxInputs; n > 0 {
		rows = append(rows, []string{"", "and " + strconv.Itoa(n) + " more inputs: they are in the json and xlsx reports"})
	}
	rows = append(rows, p.lossRows(v)...)
	rows = append(rows, p.unknownRows(v)...)
	rows = append(rows, evaluationRows(v)...)
	for i, n := range v.Notes {
		rows = append(rows, []string{first(i, "notes"), n})
	}
	p.table(body, rows, 1)
}

// unknownRows are the first lines of each input whose entries were read but not
// understood: messages of extensions, say. They are no loss.
func (p *page) unknownRows(v *view.View) [][]string {
	var rows [][]string
	for i := range v.Result.Inputs {
		in := &v.Result.Inputs[i]
		if len(in.Unknown) == 0 || len(rows) == maxLosses {
			continue
		}
		lines := make([]string, len(in.Unknown))
		for k, pos := range in.Unknown {
			lines[k] = strconv.FormatInt(pos.Line, 10)
		}
		rows = append(rows, []string{first(len(rows), "not understood"),
			view.Shorten(view.Line(in.Name), p.width-24) + ", line " + strings.Join(lines, ", ")})
	}
	return rows
}

func (p *page) lossRows(v *view.View) [][]string {
	if len(v.Losses) == 0 {
		return [][]string{{"losses", "none, no cap hit"}}
	}
	var rows [][]string
	for i, l := range v.Losses[:min(len(v.Losses), maxLosses)] {
		rows = append(rows, []string{first(i, "losses"), view.Shorten(l.Place, p.width-24) + ": " + l.String()})
	}
	if n := len(v.Losses) - maxLosses; n > 0 {
		rows = append(rows, []string{"", "and " + strconv.Itoa(n) + " more places: they are in the json and xlsx reports"})
	}
	caps := "none"
	if v.Caps > 0 {
		caps = view.Counted(v.Caps, "time: the figures are not complete", "times: the figures are not complete")
	}
	return append(rows, []string{"caps hit", caps})
}

func evaluationRows(v *view.View) [][]string {
	if len(v.NotEvaluated) == 0 {
		text := "none"
		if len(v.Result.Evaluated) == 0 {
			text = "no signature was asked"
		}
		return [][]string{{"not evaluated", text}}
	}
	var rows [][]string
	for i, l := range lacksOf(v.NotEvaluated) {
		text := l.who + ": " + l.Lacks
		if l.Add != "" {
			text += "; " + l.Add
		}
		rows = append(rows, []string{first(i, "not evaluated"), text})
	}
	return rows
}

// lack is one thing missing and the signatures that miss it.
type lack struct {
	view.NotEvaluated
	who string
}

// lacksOf puts signatures that lack the same on one line, in the order of the
// first of each.
func lacksOf(list []view.NotEvaluated) []lack {
	var out []lack
	at := map[[2]string]int{}
	for _, n := range list {
		key := [2]string{n.Lacks, n.Add}
		if i, ok := at[key]; ok {
			out[i].who = out[i].who + ", " + n.ID
			continue
		}
		at[key] = len(out)
		out = append(out, lack{NotEvaluated: n, who: n.ID + " " + n.Name})
	}
	for i := range out {
		// Several are named by their IDs alone.
		if _, more, ok := strings.Cut(out[i].who, ", "); ok {
			out[i].who = out[i].ID + ", " + more
		}
	}
	return out
}

// first is name in the first row of several and nothing below it.
func first(i int, name string) string {
	if i == 0 {
		return name
	}
	return ""
}
