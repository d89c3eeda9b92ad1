package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/ledger"
	"github.com/pgassay/pgassay/analysis/plandiff"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report/view"
)

// plansDir holds real plans of PostgreSQL 12 to 18.
const plansDir = "../parser/explain/testdata/plans/"

// plansOf reads plans; a name without a folder is one of plansDir.
func plansOf(t testing.TB, names ...string) *analysis.PlanSet {
	t.Helper()
	for i, name := range names {
		if !strings.Contains(name, "/") {
			names[i] = plansDir + name
		}
	}
	s, err := analysis.ReadPlans(context.Background(), names, analysis.DefaultOptions(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func planPage(t testing.TB, format string, s *analysis.PlanSet, o PlanOptions) []byte {
	t.Helper()
	if o.Width == 0 {
		o.Width = DefaultOptions().Width
	}
	f, ok := PlanFormatByName(format)
	if !ok {
		t.Fatalf("no format %q", format)
	}
	var b bytes.Buffer
	if err := f.Write(&b, s, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// withFinding puts a finding at the node of a line, as signatures do.
func withFinding(s *analysis.PlanSet, line int64, excerpt string) *analysis.PlanSet {
	pos := s.Plans[0].Pos
	pos.Line = line
	s.Place([]finding.Finding{
		{ID: "PGA304", Severity: finding.Warning, Title: "The sort of public.t spills", Evidence: []finding.Evidence{{Pos: pos, Excerpt: excerpt}}},
		{ID: "PGA101", Severity: finding.Critical, Title: "About no plan"},
	})
	return s
}

func TestGoldenPlans(t *testing.T) {
	for _, c := range []struct {
		file, format string
		set          *analysis.PlanSet
		options      PlanOptions
	}{
		{"plan-modcte.txt", "terminal", plansOf(t, "pg18-modcte.txt"), PlanOptions{}},
		{"plan-triggers.txt", "terminal", plansOf(t, "pg15-triggers.json"), PlanOptions{}},
		{"plan-cte.txt", "terminal", plansOf(t, "pg18-cte.txt", "pg12-cte.json"), PlanOptions{}},
		{"plan-neverexec.txt", "terminal", plansOf(t, "pg18-neverexec.json"), PlanOptions{}},
		{"plan-psort.txt", "terminal", withFinding(plansOf(t, "pg12-psort.txt"), 4, "Sort"), PlanOptions{NodeTypes: true}},
		{"plan-psort-60.txt", "terminal", plansOf(t, "pg12-psort.json"), PlanOptions{Options: Options{Width: 60, Color: true}}},
		{"plan-psort-verbose.txt", "terminal", plansOf(t, "pg12-psort.json"), PlanOptions{Verbose: true}},
		{"plan-list.txt", "terminal", plansOf(t, "pg18-cte.json"), PlanOptions{Sort: ledger.OrderBuffers}},
		{"plan-quoted.md", "markdown", withFinding(plansOf(t, "pg18-quoted.txt"), 1, ""), PlanOptions{NodeTypes: true, Verbose: true}},
		{"plan-initplan.json", "json", withFinding(plansOf(t, "pg18-initplan.txt"), 4, "Aggregate"), PlanOptions{}},
	} {
		t.Run(c.file, func(t *testing.T) { golden(t, c.file, planPage(t, c.format, c.set, c.options)) })
	}
}

func TestTextGivesBackPostgreSQLsOwnLayout(t *testing.T) {
	for _, name := range []string{"pg18-cte.txt", "pg15-pbitmap.txt", "pg18-triggers.txt"} {
		want, err := os.ReadFile(plansDir + name)
		if err != nil {
			t.Fatal(err)
		}
		if got := planPage(t, "text", plansOf(t, name), PlanOptions{}); !bytes.Equal(got, want) {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

func TestStructuredFormatsAreReadBackAsTheSamePlans(t *testing.T) {
	names := []string{"pg18-cte.json", "pg12-psort.json", "pg18-initplan.txt"}
	want := plansOf(t, names...)
	for _, format := range []string{"json", "yaml", "xml", "text"} {
		path := t.TempDir() + "/plans"
		if err := os.WriteFile(path, planPage(t, format, want, PlanOptions{}), 0o600); err != nil {
			t.Fatal(err)
		}
		got := plansOf(t, path)
		if len(got.Plans) != len(want.Plans) {
			t.Errorf("%s: %d plans, want %d", format, len(got.Plans), len(want.Plans))
			continue
		}
		for i := range want.Plans {
			a, b := ledger.New(want.Plans[i].Plan, 0), ledger.New(got.Plans[i].Plan, 0)
			if c := plandiff.Compare(a, b); c.Differs() {
				t.Errorf("%s: plan %d differs", format, i)
			}
		}
	}
}

func TestJSONIsOneDocumentWithOurFigures(t *testing.T) {
	var out []struct {
		Plan struct {
			NodeType string `json:"Node Type"`
			Pgassay  struct {
				Self *float64 `json:"self_ms"`
			} `json:"pgassay"`
		}
		Pgassay struct {
			Number   int
			Residual *float64 `json:"residual_ms"`
		} `json:"pgassay"`
	}
	if err := json.Unmarshal(planPage(t, "json", plansOf(t, "pg18-cte.json", "pg12-psort.json"), PlanOptions{}), &out); err != nil {
		t.Fatal(err)
	}
	if len(out) != 2 || out[1].Pgassay.Number != 2 || out[0].Plan.Pgassay.Self == nil || out[0].Pgassay.Residual == nil || out[0].Plan.NodeType == "" {
		t.Errorf("%+v", out)
	}
}

// hostilePlan has names that try to take over the page.
func hostilePlan(depth int) *analysis.PlanSet {
	p := &record.Plan{QueryText: "select '\x1b[2J' -- \u202e\n::set-output x", HasExecution: true, ExecutionTime: 5}
	for i := range depth {
		p.Nodes = append(p.Nodes, record.Node{
			Parent: int32(i - 1), Depth: int32(i), NodeType: "Nested Loop\x1b]0;t\x07", Alias: "漢字|`<script>",
			Fields: record.HasActual | record.HasTiming | record.HasCosts | record.HasBuffers, ActualLoops: 3, PlanRows: 1e70,
			Extra: []record.KeyValue{{Key: "Filter", Value: "(a = '\u009b31m' OR " + strings.Repeat("x", 900) + ")"}},
		})
	}
	return &analysis.PlanSet{Found: 1, Plans: []analysis.ReadPlan{{
		Number: 1, PlanExample: analysis.PlanExample{Plan: p, Pos: record.Pos{File: "a\x1b\nb", Line: 1}},
	}}}
}

func TestPlansOfUntrustedInputStayOnThePage(t *testing.T) {
	for _, o := range []PlanOptions{{Verbose: true}, {Sort: ledger.OrderSelf, NodeTypes: true}} {
		page := string(planPage(t, "terminal", hostilePlan(200), o))
		for line := range strings.SplitSeq(page, "\n") {
			if view.Width(line) > 80 {
				t.Fatalf("%d columns: %q", view.Width(line), line)
			}
		}
		for _, r := range page + string(planPage(t, "markdown", hostilePlan(200), o)) {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Fatalf("%q does not print", r)
			}
		}
	}
}

func TestGoldenDiffs(t *testing.T) {
	pair := func(old, new string) *Diff {
		a, b := &plansOf(t, old).Plans[0], &plansOf(t, new).Plans[0]
		return &Diff{OldName: old, NewName: new, Plan: &PlanPair{Old: a, New: b,
			Comparison: plandiff.Compare(ledger.New(a.Plan, a.Logged()), ledger.New(b.Plan, b.Logged()))}}
	}
	for _, c := range []struct {
		file, format string
		diff         *Diff
		all          bool
	}{
		{"diff-psort.txt", "terminal", pair("pg12-psort.json", "pg18-psort.json"), false},
		{"diff-pbitmap.md", "markdown", pair("pg12-pbitmap.txt", "pg15-pbitmap.txt"), true},
		{"diff-cte.json", "json", pair("pg15-cte.json", "pg18-cte.json"), false},
		{"diff-sets.txt", "terminal", setsDiff(), false},
		{"diff-sets.md", "markdown", setsDiff(), true},
		{"diff-sets.json", "json", setsDiff(), false},
		{"diff-reports.txt", "terminal", reportsDiff(t), false},
		{"diff-reports.json", "json", reportsDiff(t), false},
	} {
		t.Run(c.file, func(t *testing.T) {
			for _, f := range DiffFormats {
				if f.Name != c.format {
					continue
				}
				var b bytes.Buffer
				if err := f.Write(&b, c.diff, DiffOptions{Options: DefaultOptions(), All: c.all}); err != nil {
					t.Fatal(err)
				}
				golden(t, c.file, b.Bytes())
			}
		})
	}
}

func setsDiff() *Diff {
	set := func(buffers float64, shape uint64) []plandiff.Sample {
		var out []plandiff.Sample
		for i := range 40 {
			out = append(out, plandiff.Sample{
				Key: fmt.Sprint("s", i%4), Text: fmt.Sprint("select * from t", i%4, " where id = $1"), Shape: shape,
				MS: 1 + float64(i%7)/10, Buffers: buffers*float64(1+i%2) + float64(i%5), Rows: 1, PerRow: buffers,
			})
		}
		return out
	}
	old, new := set(100, 1), append(set(300, 2), plandiff.Sample{Key: "n", Text: "delete from t\x1b", MS: 2, Buffers: 3, Rows: 4, PerRow: 5})
	list, tests := plandiff.Statements(old, new)
	return &Diff{OldName: "monday.log", NewName: "tuesday.log", Statements: &StatementSets{List: list, Tests: tests},
		Losses: []string{"tuesday.log:7: unreadable plan: cut off\x1b"}}
}

func reportsDiff(t *testing.T) *Diff {
	t.Helper()
	read := func(text string) *plandiff.Report {
		r, err := plandiff.ReadReport([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	return &Diff{OldName: "old.json", NewName: "new.json", Reports: plandiff.CompareReports(
		read(`{"schema_version": 1, "headline": "no incident", "period": {"from": "2026-11-29T00:00:00Z", "to": "2026-11-30T00:00:00Z"},
			"findings": [{"id": "PGA302", "severity": "info", "title": "A filter", "fingerprint": "1", "effect": 2, "share": 0.1},
				{"id": "PGA304", "severity": "warning", "title": "A spill", "fingerprint": "2", "effect": 2, "share": 0.1}],
			"statements": [{"fingerprint": "a", "text": "select 1", "calls": 10, "mean_ms": 1, "buffers_per_call": 100, "share": 0.5}]}`),
		read(`{"schema_version": 1, "headline": "1 incident",
			"findings": [{"id": "PGA302", "severity": "warning", "title": "A filter", "fingerprint": "1", "effect": 5, "share": 0.1},
				{"id": "PGA101", "severity": "critical", "title": "A walk", "fingerprint": "3", "effect": 4, "share": 0.7}],
			"statements": [{"fingerprint": "a", "text": "select 1", "calls": 12, "mean_ms": 1, "buffers_per_call": 400, "share": 0.4},
				{"fingerprint": "b", "text": "select 2", "calls": 1, "mean_ms": 1, "share": 0.6}]}`))}
}

func BenchmarkPlanTerminal10000Nodes(b *testing.B) {
	s := hostilePlan(1)
	p := s.Plans[0].Plan
	for i := range 10_000 {
		n := p.Nodes[0]
		n.Parent, n.Depth, n.Extra = int32(i/3), 1, nil
		p.Nodes = append(p.Nodes, n)
	}
	b.ReportAllocs()
	for b.Loop() {
		planPage(b, "terminal", s, PlanOptions{})
	}
}
