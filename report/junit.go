package report

import (
	"encoding/xml"
	"io"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/report/view"
)

type junitReport struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitMessage `xml:"failure"`
	Skipped *junitMessage `xml:"skipped"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// JUnit writes a test suite per category of signatures and one for the input.
// Each finding is a test case: failed from warning on, passed with its text as
// output below, and with a baseline where it is the same as there. A finding
// that is suppressed and a signature that was not evaluated are cases that were
// skipped, one that found nothing is a case that passed.
func JUnit(w io.Writer, v *view.View, _ Options) error {
	suites := map[string]*junitSuite{}
	add := func(suite string, c junitCase) {
		s := suites[suite]
		if s == nil {
			s = &junitSuite{Name: suite}
			suites[suite] = s
		}
		s.add(c)
	}
	found := map[string]bool{}
	for i := range v.Findings {
		f := &v.Findings[i]
		found[f.Raw.ID] = true
		add(category(f.ID), junitFinding(f))
	}
	for i := range v.Suppressed {
		s := &v.Suppressed[i]
		found[s.Finding.Raw.ID] = true
		add(category(s.Finding.ID), junitSuppressed(s))
	}
	for _, id := range v.Result.Evaluated {
		if !found[id] {
			id = view.Line(id)
			add(category(id), junitCase{Class: id, Name: "no finding"})
		}
	}
	for _, n := range v.NotEvaluated {
		add(category(n.ID), junitCase{Class: n.ID, Name: n.Name, Skipped: &junitMessage{Message: lacking(n)}})
	}
	for _, c := range junitCosts(v.Comparison) {
		add("baseline", c)
	}
	add("input", junitInput(v))
	r := &junitReport{Name: "pgassay"}
	for _, s := range suites {
		r.Suites = append(r.Suites, *s)
		r.Tests, r.Failures, r.Skipped = r.Tests+s.Tests, r.Failures+s.Failures, r.Skipped+s.Skipped
	}
	slices.SortFunc(r.Suites, func(a, b junitSuite) int { return strings.Compare(a.Name, b.Name) })
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(r); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *junitSuite) add(c junitCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Skipped != nil {
		s.Skipped++
	}
}

func junitFinding(f *view.Finding) junitCase {
	c, text := junitCaseOf(f), junitText(f)
	if f.Raw.Severity == finding.Info || accepted(f) {
		c.Output = text
		return c
	}
	c.Failure = &junitMessage{Message: f.Label + ": " + view.Shorten(f.Title, maxCell), Type: f.ID, Text: text}
	return c
}

func junitCaseOf(f *view.Finding) junitCase {
	return junitCase{Class: f.ID, Name: view.Line(f.Raw.Name) + ": " + view.Shorten(subjectOr(f, "server"), maxCell)}
}

func junitText(f *view.Finding) string {
	text := f.Line + "\n" + verdict(f)
	if len(f.Places) > 0 {
		text += "\nPlaces: " + strings.Join(f.Places[:min(len(f.Places), maxPlaces)], ", ")
	}
	return text
}

func junitSuppressed(s *view.Suppressed) junitCase {
	c := junitCaseOf(&s.Finding)
	c.Skipped = &junitMessage{Message: suppression(s), Type: s.Finding.ID, Text: junitText(&s.Finding)}
	return c
}

// junitCosts has a failed case for each statement that became dearer, or one
// that passed; none without a baseline.
func junitCosts(c *view.Comparison) []junitCase {
	if c == nil {
		return nil
	}
	if len(c.Regressions) == 0 {
		return []junitCase{{Class: "cost", Name: "no statement became dearer", Output: c.Head + "\n" + c.Costs}}
	}
	var out []junitCase
	for i := range c.Regressions {
		r := &c.Regressions[i]
		out = append(out, junitCase{Class: "cost", Name: view.Shorten(r.Text, maxCell), Failure: &junitMessage{
			Message: "dearer: " + r.Cost, Type: "cost", Text: dearer(r),
		}})
	}
	return out
}

// subjectOr is the subject of a finding, or what stands for the whole server.
func subjectOr(f *view.Finding, whole string) string {
	if f.Subject == "" {
		return whole
	}
	return f.Subject
}

// junitInput is skipped if something of the input was lost: then the other
// cases do not tell everything.
func junitInput(v *view.View) junitCase {
	c := junitCase{Class: "input", Name: "everything was understood", Output: v.Head}
	if len(v.Losses) == 0 {
		return c
	}
	var text []string
	for _, l := range v.Losses[:min(len(v.Losses), maxLosses)] {
		text = append(text, view.Shorten(l.Place, maxCell)+": "+view.Shorten(l.String(), maxCell))
	}
	c.Skipped = &junitMessage{
		Message: view.Counted(v.Unreadable, "piece", "pieces") + " not understood, " + view.Counted(v.Caps, "limit", "limits") + " reached",
		Text:    strings.Join(text, "\n"),
	}
	return c
}
