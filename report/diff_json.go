package report

import (
	"encoding/json"
	"io"

	"github.com/pgassay/pgassay/analysis/plandiff"
)

// diffJSON writes everything of a comparison, also what is the same.
func diffJSON(w io.Writer, d *Diff, _ DiffOptions) error {
	out := jsonDiff{SchemaVersion: SchemaVersion, Old: utf8Of(d.OldName), New: utf8Of(d.NewName), Losses: utf8List(d.Losses)}
	switch {
	case d.Plan != nil:
		out.Kind, out.Plan = "plans", planDiffOf(d.Plan)
	case d.Statements != nil:
		out.Kind, out.Tests = "plan sets", &d.Statements.Tests
		out.Statements = make([]jsonStatementDiff, 0, len(d.Statements.List))
		for i := range d.Statements.List {
			out.Statements = append(out.Statements, statementDiffOf(&d.Statements.List[i]))
		}
	case d.Reports != nil:
		out.Kind, out.Reports = "reports", reportDiffOf(d.Reports)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(out)
}

type jsonDiff struct {
	SchemaVersion int                 `json:"schema_version"`
	Kind          string              `json:"kind"` // "plans", "plan sets" or "reports"
	Old           string              `json:"old"`
	New           string              `json:"new"`
	Plan          *jsonPlanDiff       `json:"plan,omitempty"`
	Tests         *int                `json:"tests,omitempty"`
	Statements    []jsonStatementDiff `json:"statements,omitempty"`
	Reports       *jsonReportDiff     `json:"reports,omitempty"`
	Losses        []string            `json:"losses"`
}

type jsonDelta struct {
	Old     number `json:"old"`
	New     number `json:"new"`
	Noise   number `json:"noise"`
	Differs bool   `json:"differs"`
}

type jsonPlanDiff struct {
	SameShape bool           `json:"same_shape"`
	Differs   bool           `json:"differs"`
	Execution jsonDelta      `json:"execution_ms"`
	Planning  jsonDelta      `json:"planning_ms"`
	Buffers   jsonDelta      `json:"buffers"`
	Rows      jsonDelta      `json:"rows"`
	Nodes     []jsonNodeDiff `json:"nodes"`
}

// jsonNodeDiff names nodes by their number in depth-first order from 0, null
// where a plan lacks it.
type jsonNodeDiff struct {
	Old     *int      `json:"old"`
	New     *int      `json:"new"`
	Title   string    `json:"title"`
	Changes []string  `json:"changes"`
	Self    jsonDelta `json:"self_ms"`
	Rows    jsonDelta `json:"rows"`
	Buffers jsonDelta `json:"self_buffers"`
	PerRow  jsonDelta `json:"buffers_per_row"`
}

func deltaOf(d plandiff.Delta) jsonDelta {
	return jsonDelta{number(d.Old), number(d.New), number(d.Noise), d.Differs()}
}

func planDiffOf(c *PlanPair) *jsonPlanDiff {
	out := &jsonPlanDiff{
		SameShape: c.SameShape, Differs: c.Differs(), Execution: deltaOf(c.Execution), Planning: deltaOf(c.Planning),
		Buffers: deltaOf(c.Buffers), Rows: deltaOf(c.Rows), Nodes: make([]jsonNodeDiff, 0, len(c.Nodes)),
	}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		out.Nodes = append(out.Nodes, jsonNodeDiff{
			nodeNumber(n.Old), nodeNumber(n.New), utf8Of(n.Title), utf8List(n.Changes),
			deltaOf(n.Self), deltaOf(n.Rows), deltaOf(n.Buffers), deltaOf(n.PerRow),
		})
	}
	return out
}

func nodeNumber(i int) *int {
	if i < 0 {
		return nil
	}
	return &i
}

type jsonMeasure struct {
	Old     number `json:"old_median"`
	New     number `json:"new_median"`
	NOld    int    `json:"n_old"`
	NNew    int    `json:"n_new"`
	P       number `json:"p"`
	Correct number `json:"p_corrected"`
	Effect  number `json:"cliffs_delta"`
	Verdict string `json:"verdict"`
}

type jsonStatementDiff struct {
	Key         string      `json:"key"`
	Text        string      `json:"text"`
	Verdict     string      `json:"verdict"`
	NOld        int         `json:"n_old"`
	NNew        int         `json:"n_new"`
	ShapesOld   int         `json:"shapes_old"`
	ShapesNew   int         `json:"shapes_new"`
	FreshShapes int         `json:"shapes_only_new"`
	Buffers     jsonMeasure `json:"buffers"`
	PerRow      jsonMeasure `json:"buffers_per_row"`
	Rows        jsonMeasure `json:"rows"`
	MS          jsonMeasure `json:"execution_ms"`
}

func measureOf(m *plandiff.Measure) jsonMeasure {
	return jsonMeasure{
		number(m.Old), number(m.New), m.NOld, m.NNew, number(m.P), number(m.Corrected), number(m.Effect), string(m.Verdict),
	}
}

func statementDiffOf(s *plandiff.Statement) jsonStatementDiff {
	return jsonStatementDiff{
		utf8Of(s.Key), utf8Of(s.Text), string(s.Verdict), s.NOld, s.NNew, s.ShapesOld, s.ShapesNew, s.FreshShapes,
		measureOf(&s.Buffers), measureOf(&s.PerRow), measureOf(&s.Rows), measureOf(&s.MS),
	}
}

type jsonReportDiff struct {
	Findings   []jsonFindingChange   `json:"findings"`
	Statements []jsonStatementChange `json:"statements"`
}

type jsonFindingChange struct {
	Verdict string                  `json:"verdict"`
	Old     *plandiff.ReportFinding `json:"old"`
	New     *plandiff.ReportFinding `json:"new"`
}

type jsonStatementChange struct {
	Verdict string                    `json:"verdict"`
	Old     *plandiff.ReportStatement `json:"old"`
	New     *plandiff.ReportStatement `json:"new"`
}

func reportDiffOf(c *plandiff.ReportChange) *jsonReportDiff {
	out := &jsonReportDiff{
		Findings: make([]jsonFindingChange, 0, len(c.Findings)), Statements: make([]jsonStatementChange, 0, len(c.Statements)),
	}
	for _, f := range c.Findings {
		out.Findings = append(out.Findings, jsonFindingChange{string(f.Verdict), f.Old, f.New})
	}
	for _, s := range c.Statements {
		out.Statements = append(out.Statements, jsonStatementChange{string(s.Verdict), s.Old, s.New})
	}
	return out
}
