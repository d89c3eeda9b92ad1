package view

import (
	"strings"

	"github.com/pgassay/pgassay/analysis"
)

// Suppressed is a finding that somebody decided to live with.
type Suppressed struct {
	Finding Finding
	Line    string // "WARNING PGA208 index-bloat"
	Reason  string
	Until   string // "until 2027-01-31, .pgassay.yaml:7"
}

// Comparison is what changed against an earlier report.
type Comparison struct {
	Head        string // "Against last.json, of …: 1 new, 0 worse, 2 same, 1 gone"
	Changes     []Change
	Regressions []Regression
	Costs       string // how many statements were compared
}

// maxSubject is what a change shows of its subject, in columns.
const maxSubject = 120

// Change is one finding that is not the same.
type Change struct {
	Status, What, Why string
}

// Regression is one statement whose rows became dearer.
type Regression struct {
	Cost  string // "50 → 100 buffers/row (2x)"
	Calls string // "120, were 100"
	Text  string
}

func (v *View) suppressed() {
	for i := range v.Result.Suppressed {
		s := &v.Result.Suppressed[i]
		f := v.finding(&s.Finding)
		o := Suppressed{Finding: f, Line: f.Label + " " + f.ID + " " + Line(s.Finding.Name), Reason: Line(s.Reason)}
		if Known(s.Expires) {
			o.Until = "until " + s.Expires.Std().UTC().Format("2006-01-02")
		}
		if at := place(s.Place); at != "" {
			o.Until = strings.TrimPrefix(o.Until+", "+at, ", ")
		}
		v.Suppressed = append(v.Suppressed, o)
	}
}

func (v *View) compare() {
	c := v.Result.Comparison
	if c == nil {
		return
	}
	o := &Comparison{Head: "Against " + Line(c.Baseline)}
	if Known(c.From) && Known(c.To) {
		o.Head += " (" + NewClock(c.From, c.To).Span() + ")"
	}
	counts := map[analysis.Status]int64{}
	for i := range c.Findings {
		f := &c.Findings[i]
		counts[f.Status]++
		v.Findings[i].Status = string(f.Status)
		v.Findings[i].Line += " · " + string(f.Status)
		if f.Status != analysis.StatusSame {
			o.Changes = append(o.Changes, change(f))
		}
	}
	for i := range c.Absent {
		counts[c.Absent[i].Status]++
		o.Changes = append(o.Changes, change(&c.Absent[i]))
	}
	var parts []string
	for _, s := range analysis.Statuses() {
		if counts[s] > 0 || s != analysis.StatusUnknown {
			parts = append(parts, Count(counts[s])+" "+string(s))
		}
	}
	o.Head += ": " + strings.Join(parts, ", ")
	for i := range c.Regressions {
		o.Regressions = append(o.Regressions, regression(&c.Regressions[i]))
	}
	o.Costs = Counted(c.Compared, "statement", "statements") + " compared by the cost of a row, " +
		Count(int64(len(o.Regressions))) + " dearer"
	v.Comparison = o
}

func change(f *analysis.FindingChange) Change {
	what := join(Line(f.ID)+" "+Line(f.Name), Shorten(Line(f.Subject.String()), maxSubject))
	return Change{Status: string(f.Status), What: what, Why: Line(f.Why)}
}

func regression(c *analysis.CostChange) Regression {
	r := Regression{
		Cost:  Quantity(c.Was, "") + " → " + Quantity(c.Now, Line(c.Unit)) + " (" + Quantity(c.Ratio(), "x") + ")",
		Calls: Count(c.Calls) + ", were " + Count(c.CallsWas),
		Text:  Line(c.Text),
	}
	if r.Text == "" {
		r.Text = "statement " + Line(c.Fingerprint)
	}
	return r
}
