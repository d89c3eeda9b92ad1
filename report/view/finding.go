package view

import (
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// Finding is one finding as text.
type Finding struct {
	Raw         *finding.Finding
	Told        bool   // its story opens the page
	Incident    int    // number in View.Incidents from 1 on; 0 if it belongs to none
	Story       string // of the incident that it leads; "" otherwise
	Account     string // Story without what to do, for pages that list the actions below
	SideOf      string // the finding that leads its incident, "PGA401 fan-out"; "" if none does
	Label       string // "CRITICAL"
	ID          string
	Line        string // "PGA101 linear-page-walk · confirmed · since 14:20:14"
	Since       string // "since 14:20:14", "14:20:14–14:31:02" or ""
	Event       string // what came before, with its time; "" if none
	Status      string // against the baseline; "" without one
	Felt        string // a sentence without a full stop; "" if not told
	Title       string
	Summary     string
	Subject     string // index, relation or statement, unshortened
	Kind        string // what the subject is: "index", "relation" …
	Confidence  string // with its reason
	Working     []Row
	Attribution []Row // candidate causes
	N           string
	Actions     []Action
	WillNotHelp string
	Verify      []string
	Places      []string // the first of a file in full, then ":98407 (first)"
	Series      []Series
	Notes       []string
}

// Row is one row of the working.
type Row struct {
	What, Figure, Says string
	Indent             bool
}

// Action is something to do; Do may have several lines if it is SQL.
type Action struct {
	Do   string
	SQL  bool
	Cost string
}

// Series is a chart as text; Raw has the points.
type Series struct {
	Raw            *finding.Series
	Title          string
	XTitle, YTitle string // with units
	Columns        []string
	Marks          []string
}

func (v *View) finding(f *finding.Finding) Finding {
	o := Finding{
		Raw: f, Label: label(f.Severity), Felt: Line(f.Felt), ID: Line(f.ID),
		Title: Line(f.Title), Summary: Line(f.Summary), N: Line(f.N),
		Subject: Line(f.Subject.String()), Kind: SubjectKind(f.Subject),
		Confidence:  f.Confidence.String(),
		WillNotHelp: joinLines(f.WillNotHelp), Verify: lines(f.Verify), Notes: lines(f.Notes),
		Places: places(f),
	}
	if why := Line(f.WhyConfidence); why != "" {
		o.Confidence += ": " + why
	}
	v.onset(f.Onset, &o)
	o.Line = o.ID + " " + Line(f.Name) + " · " + f.Confidence.String()
	if o.Since != "" {
		o.Line += " · " + o.Since
	}
	o.Working, o.Attribution = working(f), attribution(f)
	for _, a := range f.Actions {
		o.Actions = append(o.Actions, Action{Do: actionText(a), SQL: a.SQL, Cost: Line(a.Cost)})
	}
	for i := range f.Series {
		o.Series = append(o.Series, series(&f.Series[i]))
	}
	return o
}

func label(s finding.Severity) string { return strings.ToUpper(s.String()) }

func (v *View) onset(on *finding.Onset, o *Finding) {
	if on == nil {
		return
	}
	if Known(on.Time) {
		o.Since = "since " + v.Clock.At(on.Time)
		if Known(on.End) {
			o.Since = v.Clock.At(on.Time) + "–" + v.Clock.At(on.End)
		}
	}
	o.Event = Line(on.Event)
	if o.Event != "" && Known(on.EventTime) {
		o.Event = v.Clock.At(on.EventTime) + " " + o.Event
	}
}

func actionText(a finding.Action) string {
	if a.SQL {
		return Block(a.Do)
	}
	return Line(a.Do)
}

// working is the figures, the forecast, then the rivals.
func working(f *finding.Finding) []Row {
	var rows []Row
	for i := range f.Figures {
		rows = append(rows, figureRow(&f.Figures[i]))
	}
	for i := range f.Forecast {
		row := figureRow(&f.Forecast[i])
		if row.Says == "" {
			row.Says = "forecast"
		}
		rows = append(rows, row)
	}
	for i := range f.RuledOut {
		rows = append(rows, rivalRow(&f.RuledOut[i]))
	}
	return rows
}

func figureRow(g *finding.Figure) Row {
	r := Row{What: Line(g.What), Figure: FigureText(g), Says: Line(g.Says), Indent: g.Indent}
	if limit := Line(g.Limit); limit != "" {
		r.Says = join(r.Says, "("+limit+")")
	}
	return r
}

// FigureText is the figure's value as text, with unit, interval and p-value.
func FigureText(g *finding.Figure) string {
	text := Line(g.Text)
	switch {
	case text != "":
	case g.Interval != nil:
		text = QuantityInterval(g.Value, g.Interval[0], g.Interval[1], Line(g.Unit))
	default:
		text = Quantity(g.Value, Line(g.Unit))
	}
	if g.PValue != nil && finite(*g.PValue) {
		text += ", " + PValue(*g.PValue)
	}
	return text
}

func rivalRow(r *finding.RuledOut) Row {
	row := Row{What: Line(r.Rival), Figure: Line(r.Figure), Says: Line(string(r.Verdict))}
	if row.Figure == "" {
		row.Figure = correlations(r.Raw, r.Partial)
	}
	if why := Line(r.Why); why != "" {
		row.Says = row.Says + ": " + why
	}
	return row
}

func correlations(raw, partial *float64) string {
	switch {
	case partial != nil && raw != nil:
		return "partial r " + coefficient(*partial) + " (raw " + coefficient(*raw) + ")"
	case partial != nil:
		return "partial r " + coefficient(*partial)
	case raw != nil:
		return "raw r " + coefficient(*raw)
	}
	return ""
}

func coefficient(r float64) string {
	if !finite(r) {
		return Unknown
	}
	return fixed(r, 2)
}

// places lists the event and the evidence; of places in the same file only the
// first names it.
func places(f *finding.Finding) []string {
	var out []string
	file := ""
	add := func(p record.Pos, what string) {
		if p.IsZero() {
			return
		}
		s := Line(p.File)
		if p.Line > 0 {
			s += ":" + strconv.FormatInt(p.Line, 10)
			if p.File == file {
				s = ":" + strconv.FormatInt(p.Line, 10)
			}
		}
		file = p.File
		if what = Line(what); what != "" {
			s += " (" + what + ")"
		}
		out = append(out, s)
	}
	if f.Onset != nil && !shown(f.Evidence, f.Onset.EventPos) {
		add(f.Onset.EventPos, "event")
	}
	for i := range f.Evidence {
		add(f.Evidence[i].Pos, f.Evidence[i].What)
	}
	return out
}

func shown(evidence []finding.Evidence, p record.Pos) bool {
	for i := range evidence {
		if evidence[i].Pos == p {
			return true
		}
	}
	return false
}

// SubjectKind is "index", "relation", "statement", "session", "database" or
// "server".
func SubjectKind(s finding.Subject) string {
	switch {
	case s.Index != "":
		return "index"
	case s.Relation != "":
		return "relation"
	case s.Statement != "" || s.Fingerprint != "":
		return "statement"
	case s.Session != "":
		return "session"
	case s.Database != "":
		return "database"
	}
	return "server"
}

func series(s *finding.Series) Series {
	o := Series{Raw: s, Title: Line(s.Name), XTitle: withUnit(s.XLabel, s.XUnit), YTitle: Line(s.YLabel)}
	if s.Kind == finding.SeriesTime {
		o.XTitle = "time (UTC)"
	}
	for i := range s.Columns {
		o.Columns = append(o.Columns, withUnit(s.Columns[i].Name, s.Columns[i].Unit))
	}
	if o.YTitle == "" && len(o.Columns) > 0 {
		o.YTitle = o.Columns[0]
	}
	for _, m := range s.Marks {
		o.Marks = append(o.Marks, Line(m.Text))
	}
	return o
}

// withUnit is "name (unit)", or the name if it says its unit.
func withUnit(name, unit string) string {
	name, unit = Line(name), Line(unit)
	switch {
	case unit == "" || strings.Contains(name, unit):
		return name
	case name == "":
		return unit
	}
	return name + " (" + unit + ")"
}

func lines(in []string) []string {
	out := make([]string, 0, len(in))
	for _, s := range in {
		out = append(out, Line(s))
	}
	return out
}

// joinLines makes a list of phrases, or a text of sentences.
func joinLines(in []string) string {
	list := lines(in)
	for i := range list[:max(0, len(list)-1)] {
		if !strings.HasSuffix(list[i], ".") {
			list[i] += ","
		}
	}
	return strings.Join(list, " ")
}
