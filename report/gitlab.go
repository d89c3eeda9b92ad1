package report

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/report/view"
)

// gitlabIssue is one entry of a Code Quality report, with the keys that GitLab
// reads.
type gitlabIssue struct {
	Description string         `json:"description"`
	CheckName   string         `json:"check_name"`
	Fingerprint string         `json:"fingerprint"`
	Severity    string         `json:"severity"`
	Location    gitlabLocation `json:"location"`
}

type gitlabLocation struct {
	Path  string      `json:"path"`
	Lines gitlabLines `json:"lines"`
}

type gitlabLines struct {
	Begin int64 `json:"begin"`
}

// GitLab writes findings as a Code Quality report: critical as critical,
// warning as major, info as info. A signature that was not evaluated is an info
// entry, since it must not pass for a good result, and a statement that became
// dearer than in a baseline a major one. What is suppressed is left out. What
// is new, GitLab finds out itself, by the fingerprints.
func GitLab(w io.Writer, v *view.View, _ Options) error {
	issues := make([]gitlabIssue, 0, len(v.Findings)+len(v.NotEvaluated))
	for i := range v.Findings {
		f := &v.Findings[i]
		at := spots(v, f)[0]
		issues = append(issues, gitlabIssue{
			Description: verdict(f), CheckName: f.ID + " " + view.Line(f.Raw.Name), Fingerprint: f.Raw.Fingerprint(),
			Severity: gitlabSeverity(f.Raw.Severity), Location: gitlabLocation{at.path, gitlabLines{max(at.line, 1)}},
		})
	}
	for _, n := range v.NotEvaluated {
		issues = append(issues, gitlabIssue{
			Description: lacking(n), CheckName: n.ID + " " + n.Name, Fingerprint: hashed("not evaluated", n.ID),
			Severity: "info", Location: gitlabLocation{firstInput(v), gitlabLines{1}},
		})
	}
	if v.Result.Comparison != nil {
		for i := range v.Comparison.Regressions {
			issues = append(issues, gitlabIssue{
				Description: dearer(&v.Comparison.Regressions[i]), CheckName: "statement dearer",
				Fingerprint: hashed("dearer", v.Result.Comparison.Regressions[i].Fingerprint),
				Severity:    "major", Location: gitlabLocation{firstInput(v), gitlabLines{1}},
			})
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(issues)
}

func gitlabSeverity(s finding.Severity) string {
	switch s {
	case finding.Critical:
		return "critical"
	case finding.Warning:
		return "major"
	}
	return "info"
}

// hashed identifies over runs what is said of a signature or a statement.
func hashed(what, of string) string {
	h := fnv.New64a()
	h.Write([]byte(what + "\x00" + of))
	return fmt.Sprintf("%016x", h.Sum64())
}
