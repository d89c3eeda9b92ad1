package view

import (
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/finding"
)

// View is what a writer lays out. Result holds the raw values; everything else
// is text made from them, in the order in which it is to be read.
type View struct {
	Result *analysis.Result
	Clock  Clock
	// Head is the line above all: what was read, and its span.
	Head string
	// Headline is the verdict in one line: "1 incident: 1 critical, …".
	Headline string
	// Evaluation says how many signatures could be evaluated.
	Evaluation string
	Counts     Counts
	Findings   []Finding  // in Result's order
	Incidents  []Incident // what the page opens with, in the order of Findings
	Suppressed []Suppressed
	Comparison *Comparison // nil without a baseline
	// Healthy is the verdict when nothing stands above info; "" otherwise.
	Healthy      string
	Inputs       []Input // folded; Result.Inputs has each file
	NotEvaluated []NotEvaluated
	Losses       []Loss
	Caps         int64 // how often a limit of ours was hit
	Unreadable   int64 // lines, entries, rows and files that could not be read
	Statements   []Statement
	Notes        []string
}

// Counts are the findings by severity.
type Counts struct {
	Critical, Warning, Info int
}

// NotEvaluated is a signature that the input could not decide.
type NotEvaluated struct {
	ID, Name, Lacks, Add string
}

// Statement is a row of the overview.
type Statement struct {
	Share, Calls, Total, Mean, Text string
}

// Build makes the view of r. It keeps r, which may not change afterwards.
func Build(r *analysis.Result) *View {
	v := &View{Result: r, Clock: NewClock(r.From, r.To)}
	for i := range r.Findings {
		f := &r.Findings[i]
		v.Findings = append(v.Findings, v.finding(f))
		v.count(f.Severity)
	}
	v.incidents()
	for _, n := range r.NotEvaluated {
		v.NotEvaluated = append(v.NotEvaluated, NotEvaluated{Line(n.ID), Line(n.Name), Line(n.Lacks), Line(n.Add)})
	}
	for i := range r.Statements {
		v.Statements = append(v.Statements, statement(&r.Statements[i]))
	}
	for _, n := range r.Notes {
		v.Notes = append(v.Notes, Line(n))
	}
	v.Inputs = foldInputs(r, v.Clock)
	v.losses()
	v.suppressed()
	v.compare()
	v.headlines()
	return v
}

func (v *View) count(s finding.Severity) {
	switch s {
	case finding.Critical:
		v.Counts.Critical++
	case finding.Warning:
		v.Counts.Warning++
	default:
		v.Counts.Info++
	}
}

func (v *View) headlines() {
	v.Head = "pgassay · " + v.read() + " · " + v.Clock.Span()
	if s := Server(v.Result.Server); s != "" {
		v.Head += " · " + s
	}
	if f := Line(v.Result.Filter); f != "" {
		v.Head += " · filter: " + f
	}
	v.Evaluation = Counted(int64(len(v.Result.Evaluated)), "signature", "signatures") + " evaluated, " +
		strconv.Itoa(len(v.NotEvaluated)) + " not"
	c := v.Counts
	first := "no incident"
	if n := len(v.Incidents); n > 0 {
		first = Counted(int64(n), "incident", "incidents")
	}
	v.Headline = first + ": " + strconv.Itoa(c.Critical) + " critical, " +
		Counted(int64(c.Warning), "warning", "warnings") + ", " + strconv.Itoa(c.Info) + " info · " + v.Evaluation
	if n := len(v.Suppressed); n > 0 {
		v.Headline += " · " + strconv.Itoa(n) + " suppressed"
	}
	if c := v.Comparison; c != nil && len(c.Regressions) > 0 {
		v.Headline += " · " + Counted(int64(len(c.Regressions)), "statement", "statements") + " dearer"
	}
	v.Healthy = v.healthy()
}

// read says how much of what was read.
func (v *View) read() string {
	t := v.Result.Totals
	parts := []string{Counted(t.Files, "file", "files"), Quantity(float64(t.Bytes), "bytes")}
	for _, c := range []struct {
		n                int64
		singular, plural string
	}{
		{t.Lines, "line", "lines"},
		{t.Executions, "execution", "executions"},
		{t.Plans, "plan", "plans"},
		{t.Vacuums, "vacuum", "vacuums"},
		{t.Snapshots, "snapshot", "snapshots"},
	} {
		if c.n > 0 {
			parts = append(parts, Counted(c.n, c.singular, c.plural))
		}
	}
	return strings.Join(parts, ", ")
}

func (v *View) healthy() string {
	switch {
	case len(v.Incidents) > 0:
		return ""
	case len(v.Result.Evaluated) == 0:
		return "Nothing could be evaluated: this is no sign of health. What each signature lacks stands below."
	}
	s := "No finding above info. Looked at " + v.read() + ", over " + v.Clock.Span() + "; " + v.Evaluation + "."
	if len(v.NotEvaluated) > 0 {
		s += " What could not be evaluated may still be wrong; what it lacks stands below."
	}
	return s
}

// Server is the version as a person says it: "PostgreSQL 15".
func Server(version string) string {
	version = Line(version)
	if version == "" || version[0] < '0' || version[0] > '9' {
		return version
	}
	return "PostgreSQL " + version
}

func statement(s *analysis.StatementRow) Statement {
	row := Statement{
		Share: Share(s.Share), Calls: Count(s.Calls), Total: Span(s.Total), Mean: Span(s.Mean), Text: Line(s.Text),
	}
	if row.Text == "" {
		row.Text = "statement " + Line(s.Fingerprint)
	}
	return row
}
