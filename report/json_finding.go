package report

import (
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report/view"
)

type jsonFinding struct {
	ID            string         `json:"id"`
	Name          string         `json:"name"`
	Severity      string         `json:"severity"`
	Confidence    string         `json:"confidence"`
	WhyConfidence string         `json:"why_confidence"`
	Felt          string         `json:"felt"`
	Title         string         `json:"title"`
	Summary       string         `json:"summary"`
	Subject       jsonSubject    `json:"subject"`
	Fingerprint   string         `json:"fingerprint"`
	Onset         *jsonOnset     `json:"onset"`
	Figures       []jsonFigure   `json:"figures"`
	RuledOut      []jsonRival    `json:"ruled_out"`
	Evidence      []jsonEvidence `json:"evidence"`
	Actions       []jsonAction   `json:"actions"`
	WillNotHelp   []string       `json:"will_not_help"`
	Verify        []string       `json:"verify"`
	Forecast      []jsonFigure   `json:"forecast"`
	Series        []jsonSeries   `json:"series"`
	N             string         `json:"n"`
	Effect        *number        `json:"effect"`
	Share         number         `json:"share"`
	Notes         []string       `json:"notes"`
	Cause         *string        `json:"cause"`
	Attribution   []jsonCause    `json:"attribution"`
	Status        *string        `json:"status"`
}

type jsonSubject struct {
	Kind        string `json:"kind"`
	Name        string `json:"name"`
	Database    string `json:"database"`
	Relation    string `json:"relation"`
	Index       string `json:"index"`
	Fingerprint string `json:"statement_fingerprint"`
	Statement   string `json:"statement"`
	Parent      string `json:"parent_fingerprint"`
	Session     string `json:"session"`
	Server      string `json:"server,omitempty"`
	Event       string `json:"event,omitempty"`
}

type jsonPlace struct {
	File   string `json:"file"`
	Line   int64  `json:"line"`
	Offset int64  `json:"offset"`
}

type jsonOnset struct {
	Time       *string    `json:"time"`
	Event      string     `json:"event"`
	EventTime  *string    `json:"event_time"`
	Lag        float64    `json:"lag_s"`
	Transition float64    `json:"transition_s"`
	End        *string    `json:"end"`
	Place      *jsonPlace `json:"place"`
}

type jsonFigure struct {
	What     string   `json:"what"`
	Value    *number  `json:"value"`
	Unit     string   `json:"unit"`
	Interval []number `json:"interval"`
	Limit    string   `json:"limit"`
	Says     string   `json:"says"`
	Text     string   `json:"text"`
	PValue   *number  `json:"p_value"`
}

type jsonRival struct {
	Rival   string  `json:"rival"`
	Verdict string  `json:"verdict"`
	Figure  string  `json:"figure"`
	Raw     *number `json:"raw"`
	Partial *number `json:"partial"`
	Why     string  `json:"why"`
}

type jsonEvidence struct {
	What    string  `json:"what"`
	File    string  `json:"file"`
	Line    int64   `json:"line"`
	Offset  int64   `json:"offset"`
	Time    *string `json:"time"`
	Value   number  `json:"value"`
	Unit    string  `json:"unit"`
	Limit   string  `json:"limit"`
	Excerpt string  `json:"excerpt"`
}

type jsonAction struct {
	Do   string `json:"do"`
	SQL  bool   `json:"sql"`
	Cost string `json:"cost"`
}

type jsonSeries struct {
	Name    string       `json:"name"`
	Kind    string       `json:"kind"`
	XLabel  string       `json:"x_label"`
	XUnit   string       `json:"x_unit"`
	YLabel  string       `json:"y_label"`
	Columns []jsonColumn `json:"columns"`
	Marks   []jsonMark   `json:"marks"`
	Fit     *jsonFit     `json:"fit"`
}

// jsonColumn has its points as two lists of equal length; x is times in a
// series over time, else numbers.
type jsonColumn struct {
	Name      string   `json:"name"`
	Unit      string   `json:"unit"`
	Secondary bool     `json:"secondary"`
	X         []any    `json:"x"`
	Y         []number `json:"y"`
}

type jsonMark struct {
	Time *string `json:"time"`
	Text string  `json:"text"`
}

type jsonFit struct {
	Intercept number `json:"intercept"`
	Slope     number `json:"slope"`
	From      number `json:"from"`
	To        number `json:"to"`
}

func findingOf(v *view.Finding) jsonFinding {
	f := v.Raw
	out := jsonFinding{
		ID: utf8Of(f.ID), Name: utf8Of(f.Name), Severity: f.Severity.String(), Confidence: f.Confidence.String(),
		WhyConfidence: utf8Of(f.WhyConfidence), Felt: utf8Of(f.Felt), Title: utf8Of(f.Title), Summary: utf8Of(f.Summary),
		Subject: subjectOf(f.Subject), Fingerprint: f.Fingerprint(), Onset: onsetOf(f.Onset),
		Figures: figuresOf(f.Figures), Forecast: figuresOf(f.Forecast),
		RuledOut:    make([]jsonRival, 0, len(f.RuledOut)),
		Evidence:    make([]jsonEvidence, 0, len(f.Evidence)),
		Actions:     make([]jsonAction, 0, len(f.Actions)),
		Series:      make([]jsonSeries, 0, len(f.Series)),
		WillNotHelp: utf8List(f.WillNotHelp), Verify: utf8List(f.Verify), Notes: utf8List(f.Notes),
		N: utf8Of(f.N), Share: number(f.Share), Cause: optionalText(f.Cause), Status: optionalText(v.Status),
	}
	if f.Effect != 0 {
		out.Effect = numberOf(&f.Effect)
	}
	for i := range f.RuledOut {
		r := &f.RuledOut[i]
		out.RuledOut = append(out.RuledOut, jsonRival{
			utf8Of(r.Rival), utf8Of(string(r.Verdict)), utf8Of(r.Figure), numberOf(r.Raw), numberOf(r.Partial), utf8Of(r.Why),
		})
	}
	out.Attribution = attributionOf(f.Attribution)
	for i := range f.Evidence {
		e := &f.Evidence[i]
		out.Evidence = append(out.Evidence, jsonEvidence{
			utf8Of(e.What), utf8Of(e.Pos.File), e.Pos.Line, e.Pos.Offset, optional(e.Time),
			number(e.Value), utf8Of(e.Unit), utf8Of(e.Limit), utf8Of(e.Excerpt),
		})
	}
	for _, a := range f.Actions {
		out.Actions = append(out.Actions, jsonAction{utf8Of(a.Do), a.SQL, utf8Of(a.Cost)})
	}
	for i := range f.Series {
		out.Series = append(out.Series, seriesOf(&f.Series[i]))
	}
	return out
}

func subjectOf(s finding.Subject) jsonSubject {
	return jsonSubject{
		view.SubjectKind(s), utf8Of(s.String()), utf8Of(s.Database), utf8Of(s.Relation), utf8Of(s.Index),
		utf8Of(s.Fingerprint), utf8Of(s.Statement), utf8Of(s.Parent), utf8Of(s.Session), utf8Of(s.Server), utf8Of(s.Event),
	}
}

func onsetOf(o *finding.Onset) *jsonOnset {
	if o == nil {
		return nil
	}
	return &jsonOnset{
		optional(o.Time), utf8Of(o.Event), optional(o.EventTime), o.Lag.Seconds(), o.Transition.Seconds(),
		optional(o.End), placeOf(o.EventPos),
	}
}

func placeOf(p record.Pos) *jsonPlace {
	if p.IsZero() {
		return nil
	}
	return &jsonPlace{utf8Of(p.File), p.Line, p.Offset}
}

// figuresOf keeps the formatted text beside the number; value is null where
// the figure is a text only.
func figuresOf(in []finding.Figure) []jsonFigure {
	out := make([]jsonFigure, 0, len(in))
	for i := range in {
		g := &in[i]
		j := jsonFigure{
			What: utf8Of(g.What), Unit: utf8Of(g.Unit), Limit: utf8Of(g.Limit), Says: utf8Of(g.Says),
			Text: view.FigureText(g), PValue: numberOf(g.PValue),
		}
		if g.Text == "" || g.Value != 0 {
			j.Value = numberOf(&g.Value)
		}
		if g.Interval != nil {
			j.Interval = []number{number(g.Interval[0]), number(g.Interval[1])}
		}
		out = append(out, j)
	}
	return out
}

func numberOf(v *float64) *number {
	if v == nil {
		return nil
	}
	n := number(*v)
	return &n
}

func seriesOf(s *finding.Series) jsonSeries {
	out := jsonSeries{
		Name: utf8Of(s.Name), Kind: "time", XLabel: utf8Of(s.XLabel), XUnit: utf8Of(s.XUnit), YLabel: utf8Of(s.YLabel),
		Columns: make([]jsonColumn, 0, len(s.Columns)), Marks: make([]jsonMark, 0, len(s.Marks)),
	}
	if s.Kind == finding.SeriesScatter {
		out.Kind = "scatter"
	}
	for i := range s.Columns {
		out.Columns = append(out.Columns, columnOf(&s.Columns[i], s.Kind))
	}
	for _, m := range s.Marks {
		out.Marks = append(out.Marks, jsonMark{optional(m.Time), utf8Of(m.Text)})
	}
	if f := s.Fit; f != nil {
		out.Fit = &jsonFit{number(f.Intercept), number(f.Slope), number(f.From), number(f.To)}
	}
	return out
}

func columnOf(c *finding.Column, kind finding.SeriesKind) jsonColumn {
	out := jsonColumn{
		Name: utf8Of(c.Name), Unit: utf8Of(c.Unit), Secondary: c.Secondary,
		X: make([]any, 0, len(c.Points)), Y: make([]number, 0, len(c.Points)),
	}
	for _, p := range c.Points {
		out.X = append(out.X, abscissa(p.X, kind))
		out.Y = append(out.Y, number(p.Y))
	}
	return out
}

// abscissa is a number, or a time where the axis is one.
func abscissa(x float64, kind finding.SeriesKind) any {
	if kind == finding.SeriesTime && finite(x) {
		return optional(record.Time(x))
	}
	return number(x)
}

// optionalText is null for "".
func optionalText(s string) *string {
	if s == "" {
		return nil
	}
	s = utf8Of(s)
	return &s
}
