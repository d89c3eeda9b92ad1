package report

import (
	"io"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/report/view"
)

// What a page shows of long lists; the rest is counted on the page and stands
// whole in the other formats.
const (
	maxInfo       = 12
	maxPlaces     = 8
	maxLosses     = 20
	maxInputs     = 20
	maxStatements = 3
)

// body is the indentation of what belongs to a finding.
const body = "  "

// Terminal writes the report as text: verdict, working, places, coverage. No
// line is wider than o.Width. It contains no escape sequence unless o.Color is
// set, and then only its own.
func Terminal(w io.Writer, v *view.View, o Options) error {
	p := &page{width: max(o.Width, MinWidth), color: o.Color, clock: v.Clock}
	p.para("", plain, v.Head, plain)
	p.blank()
	p.para("", plain, v.Headline, bold)
	p.healthy(v)
	p.stories(v)
	p.findings(v)
	p.comparison(v)
	p.suppressed(v)
	p.blank()
	p.coverage(v)
	_, err := io.WriteString(w, p.b.String())
	return err
}

// stories tell each incident in a paragraph; the findings follow in their order.
func (p *page) stories(v *view.View) {
	for i, s := range v.Stories() {
		lead := ""
		if len(v.Incidents) > 1 {
			lead = pad(strconv.Itoa(i+1), len(body)+1)
		}
		p.blank()
		p.para(lead, severityStyle(v.Findings[s.Lead].Raw.Severity), s.Story, plain)
	}
	if n := len(v.Incidents) - len(v.Stories()); n > 0 {
		p.blank()
		p.para("", plain, "and "+view.Counted(int64(n), "incident", "incidents")+" more, told below", faint)
	}
}

func (p *page) findings(v *view.View) {
	info := 0
	for i := range v.Findings {
		f := &v.Findings[i]
		if f.Raw.Severity != finding.Info {
			p.blank()
			if f.SideOf != "" {
				p.side(f)
			} else {
				p.finding(f)
			}
			continue
		}
		if info++; info <= maxInfo {
			p.blank()
			p.info(f)
		}
	}
	if info > maxInfo {
		p.blank()
		p.para("", plain, "and "+strconv.Itoa(info-maxInfo)+" more info findings: they are in the json and xlsx reports", faint)
	}
}

func (p *page) finding(f *view.Finding) {
	p.title(f)
	if !f.Told {
		p.blank()
		p.para(body, plain, f.Summary, plain)
	}
	p.statement(f)
	p.sparks(f)
	p.working(f)
	p.advice(f)
	p.places(f)
	for _, n := range f.Notes {
		p.para(body+"note    ", faint, n, plain)
	}
}

// side is another side of the incident above: what it adds.
func (p *page) side(f *view.Finding) {
	p.title(f)
	p.blank()
	p.para(body, plain, f.Summary, plain)
	p.para(body, plain, "Another side of the incident above; its working stands in the other formats.", faint)
	p.advice(f)
	p.places(f)
}

// info is the short form: what, and what to do.
func (p *page) info(f *view.Finding) {
	p.title(f)
	if f.Summary != "" && !f.Told {
		p.para(body, plain, f.Summary, plain)
	}
	for _, a := range f.Actions {
		p.para(body+"do      ", faint, a.Do, plain)
	}
	p.places(f)
}

func (p *page) title(f *view.Finding) {
	lead := pad(f.Label, 10)
	p.para(lead, severityStyle(f.Raw.Severity), f.Title, bold)
	p.para(strings.Repeat(" ", len(lead)), plain, f.Line, faint)
}

func severityStyle(s finding.Severity) style {
	switch s {
	case finding.Critical:
		return red
	case finding.Warning:
		return yellow
	}
	return blue
}

// statement shows the statement's text where the finding is about one, on at
// most two lines, cut in the middle.
func (p *page) statement(f *view.Finding) {
	if f.Raw.Subject.Statement == "" {
		return
	}
	p.blank()
	lead := body + "on      "
	text := view.Shorten(view.Line(f.Raw.Subject.Statement), 2*(p.width-len(lead))-10)
	p.para(lead, faint, text, plain)
}

func (p *page) working(f *view.Finding) {
	if len(f.Working) > 0 {
		rows := [][]string{{"what", "figure", "says"}}
		for _, r := range f.Working {
			what := r.What
			if r.Indent {
				what = "  " + what
			}
			rows = append(rows, []string{what, r.Figure, r.Says})
		}
		p.blank()
		p.table(body, rows, 0)
	}
	p.attribution(f)
	if f.N != "" {
		p.para(body, plain, nLine(f.N), faint)
	}
	p.para(body, plain, f.Confidence, faint)
}

// nLine is "n = 48 snapshot intervals, …".
func nLine(n string) string {
	if strings.HasPrefix(n, "n = ") {
		return n
	}
	return "n = " + n
}

func (p *page) advice(f *view.Finding) {
	if len(f.Actions)+len(f.Verify) > 0 || f.WillNotHelp != "" {
		p.blank()
	}
	under := body + "        "
	for _, a := range f.Actions {
		p.para(body+"do      ", faint, a.Do, plain)
		if a.Cost != "" {
			p.para(under, plain, a.Cost, plain)
		}
	}
	if f.WillNotHelp != "" {
		p.para(under, plain, "Will not help: "+f.WillNotHelp, plain)
	}
	for _, t := range f.Verify {
		p.para(body+"verify  ", faint, t, plain)
	}
}

func (p *page) places(f *view.Finding) {
	if len(f.Places) == 0 {
		return
	}
	shown := f.Places
	more := ""
	if len(shown) > maxPlaces {
		more = " and " + strconv.Itoa(len(shown)-maxPlaces) + " more"
		shown = shown[:maxPlaces]
	}
	p.para(body+"places  ", faint, strings.Join(shown, ", ")+more, plain)
}
