package signature

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/explain"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

var updateGolden = flag.Bool("update", false, "rewrite golden files")

// planSignatures are PGA301 to PGA314.
func planSignatures() []*Signature {
	return []*Signature{rowMisestimate, filterDiscard, nestedLoopBlowUp, sortOrHashSpill, lossyBitmap, workersNotLaunched, jitOverhead,
		planningDominates, triggerTime, clientTime, coldRead, offsetOrCount, partitionsNotPruned, inconsistentPlan}
}

// planInput collects plans and snapshots for a model.
type planInput struct {
	t     testing.TB
	batch record.Batch
}

func (in *planInput) read(name string, data []byte) {
	in.t.Helper()
	h := &source.Head{Name: name, Data: data, EOF: true}
	format := explain.Text
	if text := strings.TrimSpace(string(data)); strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{") {
		format = explain.JSON
	}
	d := format.Detect(h)
	if d == nil || d.Reason != "" {
		in.t.Fatalf("%s: no plan recognised", name)
	}
	d.Parse(data, record.Pos{File: name, Line: 1}, &in.batch)
}

func (in *planInput) text(plan string) { in.read("plan.txt", []byte(plan)) }

func (in *planInput) model() *dataset.Model {
	d := dataset.New(dataset.DefaultLimits(), func([]byte) *record.Statement { return &record.Statement{} })
	d.Fold(&in.batch)
	return d.Build()
}

// asLog makes logged executions of the plans read so far, n times each, with
// the given duration of the whole.
func (in *planInput) asLog(n int, plan, whole record.Duration) {
	var out []record.Execution
	for _, e := range in.batch.Executions {
		for k := range n {
			e.Pos = record.Pos{File: "log", Line: int64(len(out) + 1), Offset: int64(len(out) + 1)}
			e.Session, e.LogTime = "1.a", second(float64(10*(k+1)))
			e.Kind, e.Duration, e.HasDuration = record.ExecPlan, plan, true
			out = append(out, e)
			line := e
			line.Kind, line.Duration, line.HasPlan, line.Plan = record.ExecStatement, whole, false, nil
			line.Pos = record.Pos{File: "log", Line: int64(len(out) + 1), Offset: int64(len(out) + 1)}
			out = append(out, line)
		}
	}
	in.batch.Executions = out
}

// findingLines are what a reviewer needs to sign: node, ID, severity, reason.
func findingLines(p *Pass) []string {
	var out []string
	for i := range p.Findings {
		f := &p.Findings[i]
		out = append(out, fmt.Sprintf("%s\t%s %s\t%s\t%s", excerptOf(f), f.ID, f.Name, f.Severity, f.Title))
	}
	sort.Strings(out)
	return out
}

func excerptOf(f *finding.Finding) string {
	if len(f.Evidence) == 0 {
		return "-"
	}
	return fmt.Sprintf("line %d\t%s", f.Evidence[0].Pos.Line, f.Evidence[0].Excerpt)
}

// TestFindingsOfRealPlans holds the findings on real plans against the list
// that was looked at one by one.
func TestFindingsOfRealPlans(t *testing.T) {
	files, err := filepath.Glob("testdata/plans/*/*")
	if err != nil || len(files) == 0 {
		t.Fatal("no plans", err)
	}
	var b strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		in := &planInput{t: t}
		name := strings.TrimPrefix(filepath.ToSlash(file), "testdata/plans/")
		in.read(name, data)
		for _, line := range findingLines(Run(in.model(), planSignatures(), nil)) {
			b.WriteString(name + "\t" + line + "\n")
		}
	}
	golden(t, "testdata/plans/findings.tsv", b.String())
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *updateGolden {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got:\n%s", path, got)
	}
}
