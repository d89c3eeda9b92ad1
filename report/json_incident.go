package report

import (
	"strings"

	"github.com/pgassay/pgassay/report/view"
)

// jsonIncident is one mechanism above info; findings are told by fingerprint,
// the one that names the mechanism first.
type jsonIncident struct {
	Severity string   `json:"severity"`
	Story    string   `json:"story"`
	Findings []string `json:"findings"`
}

func incidentsOf(v *view.View, list []view.Incident) []jsonIncident {
	out := make([]jsonIncident, 0, len(list))
	for _, x := range list {
		j := jsonIncident{Severity: strings.ToLower(x.Label), Story: x.Story, Findings: []string{v.Findings[x.Lead].Raw.Fingerprint()}}
		for _, i := range x.Sides {
			j.Findings = append(j.Findings, v.Findings[i].Raw.Fingerprint())
		}
		out = append(out, j)
	}
	return out
}
