package report

import (
	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/report/view"
)

// jsonSuppressed is a finding that does not count.
type jsonSuppressed struct {
	Reason  string      `json:"reason"`
	Expires *string     `json:"expires"`
	Place   *jsonPlace  `json:"place"`
	Finding jsonFinding `json:"finding"`
}

type jsonComparison struct {
	Baseline    string           `json:"baseline"`
	From        *string          `json:"from"`
	To          *string          `json:"to"`
	Findings    []jsonChange     `json:"findings"`
	Absent      []jsonChange     `json:"absent"`
	Compared    int64            `json:"statements_compared"`
	Regressions []jsonRegression `json:"regressions"`
}

type jsonChange struct {
	Status  string      `json:"status"`
	ID      string      `json:"id"`
	Name    string      `json:"name"`
	Title   string      `json:"title"`
	Subject jsonSubject `json:"subject"`
	Why     string      `json:"why"`
}

type jsonRegression struct {
	Fingerprint string `json:"fingerprint"`
	Text        string `json:"text"`
	Unit        string `json:"unit"`
	Was         number `json:"was"`
	Now         number `json:"now"`
	Ratio       number `json:"ratio"`
	PerCall     number `json:"more_per_call"`
	CallsWas    int64  `json:"calls_were"`
	Calls       int64  `json:"calls"`
}

func suppressedOf(v *view.View) []jsonSuppressed {
	out := make([]jsonSuppressed, 0, len(v.Suppressed))
	for i := range v.Suppressed {
		s := &v.Result.Suppressed[i]
		out = append(out, jsonSuppressed{utf8Of(s.Reason), optional(s.Expires), placeOf(s.Place), findingOf(&v.Suppressed[i].Finding)})
	}
	return out
}

// comparisonOf is nil without a baseline.
func comparisonOf(c *analysis.Comparison) *jsonComparison {
	if c == nil {
		return nil
	}
	out := &jsonComparison{
		Baseline: utf8Of(c.Baseline), From: optional(c.From), To: optional(c.To),
		Findings: changesOf(c.Findings), Absent: changesOf(c.Absent), Compared: c.Compared,
		Regressions: make([]jsonRegression, 0, len(c.Regressions)),
	}
	for i := range c.Regressions {
		r := &c.Regressions[i]
		out.Regressions = append(out.Regressions, jsonRegression{
			utf8Of(r.Fingerprint), utf8Of(r.Text), r.Unit, number(r.Was), number(r.Now), number(r.Ratio()), number(r.PerCall), r.CallsWas, r.Calls,
		})
	}
	return out
}

func changesOf(list []analysis.FindingChange) []jsonChange {
	out := make([]jsonChange, 0, len(list))
	for i := range list {
		c := &list[i]
		out = append(out, jsonChange{string(c.Status), utf8Of(c.ID), utf8Of(c.Name), utf8Of(c.Title), subjectOf(c.Subject), utf8Of(c.Why)})
	}
	return out
}
