package report

import (
	"encoding/json"
	"strings"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/signature"
	"github.com/pgassay/pgassay/report/view"
)

// As much of the SARIF 2.1.0 object model as is written.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	Results     []json.RawMessage `json:"results"`
	ColumnKind  string            `json:"columnKind"`
	Properties  map[string]any    `json:"properties"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID      string         `json:"id"`
	Name    string         `json:"name"`
	Short   sarifMessage   `json:"shortDescription"`
	Full    sarifMessage   `json:"fullDescription"`
	Help    sarifHelp      `json:"help"`
	Default sarifDefault   `json:"defaultConfiguration"`
	Extra   map[string]any `json:"properties"`
}

type sarifHelp struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown"`
}

type sarifDefault struct {
	Level string `json:"level"`
}

type sarifMessage struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type sarifInvocation struct {
	ExecutionSuccessful bool                `json:"executionSuccessful"`
	Notifications       []sarifNotification `json:"toolExecutionNotifications"`
}

type sarifNotification struct {
	Level     string              `json:"level"`
	Message   sarifMessage        `json:"message"`
	Rule      *sarifRuleReference `json:"associatedRule,omitempty"`
	Locations []sarifLocation     `json:"locations,omitempty"`
}

type sarifRuleReference struct {
	ID    string `json:"id"`
	Index int    `json:"index"`
}

type sarifResult struct {
	RuleID       string             `json:"ruleId"`
	RuleIndex    int                `json:"ruleIndex"`
	Level        string             `json:"level"`
	Baseline     string             `json:"baselineState,omitempty"`
	Message      sarifMessage       `json:"message"`
	Locations    []sarifLocation    `json:"locations"`
	Related      []sarifLocation    `json:"relatedLocations,omitempty"`
	Fingerprints map[string]string  `json:"partialFingerprints"`
	Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	Properties   map[string]any     `json:"properties"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Status        string `json:"status"`
	Justification string `json:"justification"`
}

type sarifLocation struct {
	ID       int           `json:"id,omitempty"`
	Physical sarifPhysical `json:"physicalLocation"`
	Message  *sarifMessage `json:"message,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine int64 `json:"startLine"`
}

// sarifRuleSet is the rules and where each stands.
type sarifRuleSet struct {
	list  []sarifRule
	index map[string]int
}

// sarifRules are the signatures, and a bare rule for every finding of a
// signature that this program does not have.
func sarifRules(v *view.View) *sarifRuleSet {
	set := &sarifRuleSet{index: map[string]int{}}
	for _, s := range signature.List {
		set.add(sarifRuleOf(s))
	}
	var all []*view.Finding
	for i := range v.Findings {
		all = append(all, &v.Findings[i])
	}
	for i := range v.Suppressed {
		all = append(all, &v.Suppressed[i].Finding)
	}
	for _, f := range all {
		if _, ok := set.index[f.ID]; !ok {
			name := view.Line(f.Raw.Name)
			set.add(sarifRule{
				ID: f.ID, Name: name, Short: sarifMessage{Text: name}, Full: sarifMessage{Text: name}, Help: sarifHelp{name, name},
				Default: sarifDefault{sarifLevel(f.Raw.Severity)}, Extra: sarifTags(f.ID),
			})
		}
	}
	return set
}

func (set *sarifRuleSet) add(r sarifRule) {
	set.index[r.ID] = len(set.list)
	set.list = append(set.list, r)
}

func sarifRuleOf(s *signature.Signature) sarifRule {
	var text, markdown strings.Builder
	for _, part := range []struct{ title, text string }{{"Why", s.Why}, {"Fix", s.Fix}, {"Verify", s.Verify}} {
		text.WriteString(part.title + ": " + part.text + "\n")
		markdown.WriteString("**" + part.title + "**: " + markdownText(part.text) + "\n\n")
	}
	if s.Max != finding.Info {
		text.WriteString("At most " + s.Max.String() + ".\n")
	}
	return sarifRule{
		ID: s.ID, Name: s.Name, Short: sarifMessage{Text: s.What}, Full: sarifMessage{Text: s.What + " " + s.Why},
		Help:    sarifHelp{strings.TrimSpace(text.String()), strings.TrimSpace(markdown.String())},
		Default: sarifDefault{sarifLevel(s.Max)}, Extra: sarifTags(s.ID),
	}
}

func sarifTags(id string) map[string]any {
	return map[string]any{"tags": []string{"postgresql", "performance", category(id)}}
}
