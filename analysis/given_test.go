package analysis

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pgassay/pgassay/analysis/finding"
)

// runWithSeries analyzes a log of one statement a second beside a series of a
// latency that buckets make, up and down, and of users that do not.
func runWithSeries(t *testing.T, latency func(buckets float64, k int) float64) *Result {
	t.Helper()
	dir := t.TempDir()
	draw := rand.New(rand.NewPCG(7, 7))
	var log, app strings.Builder
	app.WriteString("time,latency_ms,buckets,users\n")
	start := time.Date(2026, 11, 30, 14, 0, 0, 0, time.UTC)
	for k := range 120 {
		at := start.Add(time.Duration(k) * time.Second)
		fmt.Fprintf(&log, "%s UTC [7] LOG:  duration: %.3f ms  statement: SELECT 1\n", at.Format("2006-01-02 15:04:05.000"), 1+draw.Float64())
		buckets := float64(50 + 100*((k/15)%4) + 150*(k/60))
		fmt.Fprintf(&app, "%s,%.3f,%g,%g\n", at.Format(time.RFC3339), latency(buckets, k)+draw.NormFloat64(), buckets, 20+10*draw.Float64())
	}
	for name, text := range map[string]string{"server.log": log.String(), "app.csv": app.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := DefaultOptions()
	o.Series = []string{filepath.Join(dir, "app.csv")}
	r, err := Run(context.Background(), []string{filepath.Join(dir, "server.log")}, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func givenNamed(t *testing.T, r *Result, name string) *Given {
	t.Helper()
	for i := range r.Given {
		if r.Given[i].Name == name {
			return &r.Given[i]
		}
	}
	t.Fatalf("no series %s in %+v", name, r.Given)
	return nil
}

func TestALatencyIsExplainedByTheAxisThatOnlyTheApplicationKnows(t *testing.T) {
	r := runWithSeries(t, func(buckets float64, _ int) float64 { return 4 + 1.45*buckets })
	g := givenNamed(t, r, "latency_ms")
	if len(g.Attribution) == 0 || g.Attribution[0].Candidate != "buckets" || g.Attribution[0].Verdict != finding.Explains {
		t.Fatalf("first candidate of %+v, want buckets", g.Attribution)
	}
	if s := g.Attribution[0].Slope; s.Interval[0] > 1.45 || s.Interval[1] < 1.45 {
		t.Errorf("slope %g %v, want 1.45 ms per bucket in it", s.Value, *s.Interval)
	}
	for _, a := range g.Attribution {
		if (a.Candidate == "users" || a.Candidate == "server time") && a.Verdict != finding.RuledOutVerdict {
			t.Errorf("%s is %s, want ruled out", a.Candidate, a.Verdict)
		}
	}
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "explained by buckets (1.45 ms each") {
		t.Errorf("notes %s", notes)
	}
	if axis := givenNamed(t, r, "buckets"); axis.Attribution != nil {
		t.Errorf("an axis is explained by %+v", axis.Attribution)
	}
}

func TestALatencyThatStandsStillIsNotExplained(t *testing.T) {
	r := runWithSeries(t, func(float64, int) float64 { return 100 })
	if g := givenNamed(t, r, "latency_ms"); g.Attribution != nil {
		t.Errorf("explained by %+v", g.Attribution)
	}
}

func TestALatencyThatNothingFollowsIsNotExplainedByAnAxis(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 3))
	r := runWithSeries(t, func(_ float64, k int) float64 { return 50 + 30*float64(k/40) + 20*draw.Float64() })
	for _, a := range givenNamed(t, r, "latency_ms").Attribution {
		if a.Verdict == finding.Explains && (a.Candidate == "users" || a.Candidate == "buckets") {
			t.Errorf("explained by %s", a.Candidate)
		}
	}
}
