package plandiff

import (
	"fmt"
	"math"
	"testing"
)

// samplesOf are n executions of a statement around a figure of buffers.
func samplesOf(key string, n int, buffers float64) []Sample {
	var out []Sample
	for i := range n {
		out = append(out, Sample{Key: key, Text: "select " + key, Shape: 1, MS: 10 + float64(i%3)/10,
			Buffers: buffers + float64(i%5), Rows: 1, PerRow: math.NaN()})
	}
	return out
}

func TestAStatementThatReadsMoreIsWorse(t *testing.T) {
	old := append(samplesOf("a", 12, 100), samplesOf("b", 12, 100)...)
	new := append(samplesOf("a", 12, 300), samplesOf("b", 12, 100)...)
	new[0].Shape = 2
	list, tests := Statements(old, new)
	if len(list) != 2 || tests != 4 {
		t.Fatalf("%d statements, %d tests", len(list), tests)
	}
	a, b := &list[0], &list[1]
	if a.Key != "a" || a.Verdict != Worse || a.FreshShapes != 1 || a.Buffers.Effect != 1 || a.Buffers.Corrected > 0.001 {
		t.Errorf("%+v", a)
	}
	if b.Verdict != Same {
		t.Errorf("%+v", b)
	}
	if list, _ := Statements(new, old); list[0].Verdict != Better {
		t.Errorf("the other way round: %+v", list[0])
	}
}

func TestTooFewPlansAreNotTested(t *testing.T) {
	list, tests := Statements(samplesOf("a", 3, 100), samplesOf("a", 3, 300))
	if tests != 0 || list[0].Verdict != NotTested {
		t.Errorf("%d tests, %+v", tests, list[0])
	}
	if !canTell(4, 4) || canTell(3, 3) || canTell(1, 30) || !canTell(1, 39) || canTell(0, 100) {
		t.Error("the least p of Mann and Whitney's test is 2 ÷ (n+m over n)")
	}
}

func TestStatementsOfOneSetAreNewOrGone(t *testing.T) {
	list, _ := Statements(samplesOf("a", 2, 1), samplesOf("b", 2, 1))
	if list[0].Verdict != OnlyNew || list[0].Key != "b" || list[1].Verdict != OnlyOld {
		t.Errorf("%+v", list)
	}
}

func report(t *testing.T, findings, statements string) *Report {
	t.Helper()
	r, err := ReadReport([]byte(`{"schema_version": 1, "headline": "x", "findings": [` + findings + `], "statements": [` + statements + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFindingsAreNewWorseBetterSameOrGone(t *testing.T) {
	f := func(fingerprint, severity string, effect float64) string {
		return fmt.Sprintf(`{"id": "PGA101", "severity": %q, "fingerprint": %q, "effect": %g}`, severity, fingerprint, effect)
	}
	old := report(t, f("gone", "critical", 3)+","+f("worse", "warning", 3)+","+f("grown", "info", 2)+","+f("same", "info", 2), "")
	new := report(t, f("new", "warning", 3)+","+f("worse", "critical", 3)+","+f("grown", "info", 4)+","+f("same", "info", 2.1), "")
	want := map[string]Verdict{"gone": OnlyOld, "worse": Worse, "grown": Worse, "same": Same, "new": OnlyNew}
	c := CompareReports(old, new)
	for i := range c.Findings {
		key := c.Findings[i].Finding().Fingerprint
		if c.Findings[i].Verdict != want[key] {
			t.Errorf("%s: %s, want %s", key, c.Findings[i].Verdict, want[key])
		}
		delete(want, key)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
	if c.Findings[0].Finding().Fingerprint != "worse" {
		t.Error("the worst stands first")
	}
}

func TestStatementsOfReportsAreHeldAgainstFloors(t *testing.T) {
	s := func(mean, buffers string) string {
		return fmt.Sprintf(`{"fingerprint": "s", "calls": 5, "mean_ms": %s, "buffers_per_call": %s}`, mean, buffers)
	}
	for _, c := range []struct {
		old, new string
		want     Verdict
	}{
		{s("1", "100"), s("1", "130"), Worse},
		{s("1", "100"), s("9", "70"), Better}, // buffers first
		{s("1", "null"), s("2", "null"), Worse},
		{s("0.01", "1"), s("0.05", "4"), Same}, // below the floors
		{s("1", "100"), s("1.1", "110"), Same},
	} {
		if got := CompareReports(report(t, "", c.old), report(t, "", c.new)).Statements[0].Verdict; got != c.want {
			t.Errorf("%s, %s: %s, want %s", c.old, c.new, got, c.want)
		}
	}
}

func TestWhatIsNoReportIsRefused(t *testing.T) {
	for _, text := range []string{"", "{}", "[]", `{"schema_version": 2, "findings": []}`, `{"schema_version": 1}`, `{"schema_version": 1,`} {
		if _, err := ReadReport([]byte(text)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
	if IsReport([]byte(`[{"Plan": {}}]`)) || !IsReport([]byte("{\n \"schema_version\": 1,\n")) {
		t.Error("IsReport")
	}
}

func FuzzReadReport(f *testing.F) {
	f.Add([]byte(`{"schema_version": 1, "findings": [{"severity": "odd", "effect": 1e308, "fingerprint": "a"}], "statements": [{"mean_ms": -1}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ReadReport(data)
		if err != nil {
			return
		}
		c := CompareReports(r, r)
		for i := range c.Findings {
			if c.Findings[i].Verdict != Same {
				t.Fatalf("%+v", c.Findings[i])
			}
		}
	})
}
