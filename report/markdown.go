package report

import (
	"io"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/report/view"
)

// MarkdownLimit is what a job summary of GitHub Actions may have, in bytes; a
// larger one is refused.
const MarkdownLimit = 1 << 20

// What Markdown shows of one finding's lists.
const maxMarkdownRows = 200

// Markdown writes what the terminal page says, in GitHub's Markdown. All text
// of the input is escaped: it makes no markup, link, mention or workflow
// command. If the whole would be longer than MarkdownLimit, the least severe
// findings are left out and counted.
func Markdown(w io.Writer, v *view.View, _ Options) error {
	tail := markdownComparison(v) + markdownCoverage(v)
	var out strings.Builder
	out.WriteString(markdownHead(v))
	const reserve = 1 << 10 // for the line that counts what is left out
	info := 0
	for i := range v.Findings {
		f := &v.Findings[i]
		text := markdownFinding(f)
		if f.Raw.Severity == finding.Info {
			info++
		}
		if out.Len()+len(text)+len(tail)+reserve > MarkdownLimit || info > maxInfo {
			out.WriteString("*and " + view.Counted(int64(len(v.Findings)-i), "more finding", "more findings") +
				": in the json and xlsx reports*\n\n")
			break
		}
		out.WriteString(text)
	}
	out.WriteString(tail)
	_, err := io.WriteString(w, out.String())
	return err
}

func markdownHead(v *view.View) string {
	var m markdownPage
	m.heading(1, v.Headline)
	m.para(markdownText(v.Head))
	for i, s := range v.Stories() {
		text := markdownText(view.Shorten(s.Story, maxText))
		if len(v.Incidents) > 1 {
			text = "**" + strconv.Itoa(i+1) + "** " + text
		}
		m.para(text)
	}
	if v.Healthy == "" {
		return m.b.String()
	}
	m.para(markdownText(v.Healthy))
	if len(v.Statements) > 0 {
		m.heading(2, "Costliest statements")
		rows := [][]string{{"share", "total", "calls", "mean", "statement"}}
		for _, s := range v.Statements[:min(len(v.Statements), maxStatements)] {
			rows = append(rows, []string{s.Share, s.Total, s.Calls, s.Mean, s.Text})
		}
		m.table(rows)
	}
	return m.b.String()
}

func markdownFinding(f *view.Finding) string {
	var m markdownPage
	m.heading(2, f.Label+": "+view.Shorten(f.Title, maxCell))
	m.para("*" + markdownText(f.Line) + "*")
	if !f.Told {
		m.para(markdownText(view.Shorten(f.Summary, maxText)))
	}
	if f.Raw.Severity == finding.Info {
		m.actions(f)
		m.places(f)
		return m.b.String()
	}
	if f.Raw.Subject.Statement != "" {
		m.para("On:")
		m.code("sql", view.Shorten(view.Line(f.Raw.Subject.Statement), maxText))
	}
	m.working(f)
	m.actions(f)
	if f.WillNotHelp != "" {
		m.labelled("Will not help", f.WillNotHelp)
	}
	for _, t := range f.Verify[:min(len(f.Verify), maxMarkdownRows)] {
		m.labelled("Verify", t)
	}
	m.places(f)
	for _, n := range f.Notes[:min(len(f.Notes), maxMarkdownRows)] {
		m.labelled("Note", n)
	}
	return m.b.String()
}

func (m *markdownPage) working(f *view.Finding) {
	if len(f.Working) > 0 {
		rows := [][]string{{"what", "figure", "says"}}
		for _, r := range f.Working[:min(len(f.Working), maxMarkdownRows)] {
			what := r.What
			if r.Indent {
				what = "– " + what
			}
			rows = append(rows, []string{what, r.Figure, r.Says})
		}
		if n := len(f.Working) - maxMarkdownRows; n > 0 {
			rows = append(rows, []string{"and " + strconv.Itoa(n) + " more rows", "", ""})
		}
		m.table(rows)
	}
	m.attribution(f)
	if f.N != "" {
		m.para(markdownText(view.Shorten(nLine(f.N), maxCell)))
	}
	m.para(markdownText(view.Shorten(f.Confidence, maxCell)))
}

func (m *markdownPage) actions(f *view.Finding) {
	for _, a := range f.Actions[:min(len(f.Actions), maxMarkdownRows)] {
		if a.SQL {
			m.para("**Do:**")
			m.code("sql", view.Shorten(a.Do, maxText))
		} else {
			m.labelled("Do", a.Do)
		}
		if a.Cost != "" {
			m.para(markdownText(view.Shorten(a.Cost, maxText)))
		}
	}
}

func (m *markdownPage) places(f *view.Finding) {
	if len(f.Places) == 0 {
		return
	}
	text := view.Shorten(strings.Join(f.Places[:min(len(f.Places), maxPlaces)], ", "), maxText)
	if n := len(f.Places) - maxPlaces; n > 0 {
		text += " and " + strconv.Itoa(n) + " more"
	}
	m.labelled("Places", text)
}

// markdownCoverage has the rows of the terminal's coverage.
func markdownCoverage(v *view.View) string {
	var m markdownPage
	m.heading(2, "Coverage")
	rows := [][]string{{"input", "format", "read"}}
	for _, in := range v.Inputs[:min(len(v.Inputs), maxInputs)] {
		rows = append(rows, []string{in.Name, in.Format, strings.TrimSuffix(in.Read+"; "+in.Kinds, "; ")})
	}
	if n := len(v.Inputs) - maxInputs; n > 0 {
		rows = append(rows, []string{"and " + strconv.Itoa(n) + " more inputs", "", ""})
	}
	if len(v.Inputs) > 0 {
		m.table(rows)
	}
	p := page{width: maxCell}
	name := ""
	for _, row := range append(p.lossRows(v), evaluationRows(v)...) {
		if row[0] != "" {
			name = row[0]
		}
		m.item(name, row[1])
	}
	for _, n := range v.Notes[:min(len(v.Notes), maxMarkdownRows)] {
		m.item("note", n)
	}
	return m.b.String()
}
