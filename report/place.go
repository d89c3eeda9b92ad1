package report

import (
	"net/url"
	"path"
	"strings"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report/view"
)

// spot is a place for formats that show findings beside a file.
type spot struct {
	what string
	path string // relative, with slashes, printable
	line int64  // 0 if the file is meant as a whole
}

// noFile is the path of a finding when there was no input at all.
const noFile = "pgassay"

// spots are the places of a finding, first the one that says most: the event,
// else the first evidence, else the input. There is at least one.
func spots(v *view.View, f *view.Finding) []spot {
	var out []spot
	seen := map[record.Pos]bool{}
	add := func(what string, p record.Pos) {
		if !p.IsZero() && !seen[p] {
			seen[p] = true
			out = append(out, spot{view.Line(what), relative(p.File), max(p.Line, 0)})
		}
	}
	for i := range f.Raw.Evidence {
		if f.Raw.Onset != nil && f.Raw.Evidence[i].Pos == f.Raw.Onset.EventPos {
			add(f.Raw.Evidence[i].What, f.Raw.Evidence[i].Pos)
		}
	}
	if f.Raw.Onset != nil {
		add("event", f.Raw.Onset.EventPos)
	}
	for i := range f.Raw.Evidence {
		add(f.Raw.Evidence[i].What, f.Raw.Evidence[i].Pos)
	}
	if len(out) == 0 {
		out = append(out, spot{path: firstInput(v)})
	}
	return out
}

func firstInput(v *view.View) string {
	if len(v.Result.Inputs) == 0 {
		return noFile
	}
	return relative(v.Result.Inputs[0].Name)
}

// relative makes a path that no reader takes for one outside of its folder.
func relative(file string) string {
	file = strings.ReplaceAll(view.Line(file), `\`, "/")
	if len(file) > 1 && file[1] == ':' {
		file = file[2:]
	}
	file = strings.TrimPrefix(path.Clean("/"+file), "/")
	if file == "" {
		return noFile
	}
	return file
}

// uri is a relative path as a URI reference.
func uri(file string) string { return (&url.URL{Path: file}).String() }

// verdict is what a finding says in a few sentences, and what to do.
func verdict(f *view.Finding) string {
	s := paragraph(f)
	for _, a := range f.Actions {
		s += "\nDo: " + a.Do
	}
	return view.Shorten(s, maxText)
}

// paragraph is a finding in prose, the title first: the account of the incident that the
// finding leads, else its summary and whose side it is.
func paragraph(f *view.Finding) string {
	s := f.Title + "."
	switch {
	case f.Account != "" && strings.HasPrefix(f.Account, f.Title):
		s = f.Account
	case f.Account != "":
		s += " " + f.Account
	case f.Summary != "":
		s += " " + f.Summary
	}
	if f.SideOf != "" {
		s += " Another side of " + f.SideOf + "."
	}
	return s
}

// accepted reports whether a finding stood in the baseline and is no worse, so
// that check lets it pass.
func accepted(f *view.Finding) bool { return f.Status == string(analysis.StatusSame) }

// suppression is why a finding does not count: "suppressed: reason (until …)".
func suppression(s *view.Suppressed) string {
	return "suppressed: " + view.Shorten(reasonOf(s), maxCell)
}

// dearer is a statement that regressed, in two lines.
func dearer(r *view.Regression) string {
	return "Dearer than in the baseline: " + r.Cost + "; calls: " + r.Calls + ".\n" + view.Shorten(r.Text, maxText)
}

// lacking is a signature that was not evaluated, as a sentence.
func lacking(n view.NotEvaluated) string {
	s := n.ID + " " + n.Name + " was not evaluated: " + n.Lacks
	if n.Add != "" {
		s += "; " + n.Add
	}
	return s
}

// category is the group of the catalogue that a signature's ID belongs to.
func category(id string) string {
	names := [...]string{
		1: "growth", 2: "vacuum", 3: "plans", 4: "upstream", 5: "server", 6: "vectors",
	}
	if digits, ok := strings.CutPrefix(id, "PGA"); ok && len(digits) == 3 && digits[0] >= '1' && int(digits[0]-'0') < len(names) {
		return names[digits[0]-'0']
	}
	return "other"
}
