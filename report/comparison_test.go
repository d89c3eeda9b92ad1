package report

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis"
	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/report/internal/fixture"
	"github.com/pgassay/pgassay/report/view"
)

// compared is the incident with one finding suppressed, held against a report
// in which the first finding was less severe, another one stood, and a statement
// was cheaper. text is in everything that configuration or baseline told.
func compared(text string) *analysis.Result {
	r := fixture.Incident()
	last := len(r.Findings) - 1
	r.Suppressed = []analysis.Suppressed{{
		Finding: r.Findings[last], Reason: "rebuilt every Sunday " + text, Expires: record.Time(1800000000 * int64(record.Second)),
		Place: record.Pos{File: ".pgassay.yaml", Line: 7},
	}}
	r.Findings = r.Findings[:last]
	old := &analysis.Baseline{Name: "last.json" + text, From: r.From, To: r.To, Evaluated: r.Evaluated}
	first := &r.Findings[0]
	old.Findings = []analysis.BaselineFinding{
		{Fingerprint: first.Fingerprint(), ID: first.ID, Severity: finding.Warning},
		{Fingerprint: "0", ID: first.ID, Name: first.Name, Subject: finding.Subject{Index: "public.gone_idx" + text}},
	}
	s := &r.Statements[0]
	s.Calls, s.Rows, s.Buffers, s.BuffersPerRow = 4000, 1, 9000, 9000
	old.Statements = []analysis.BaselineStatement{{Fingerprint: s.Fingerprint, From: s.From, Calls: 4100, Rows: 1, Buffers: 2500, BuffersPerRow: 2500}}
	r.Comparison = analysis.Compare(r, old, nil)
	return r
}

func TestComparisonIsTold(t *testing.T) {
	v := view.Build(compared(""))
	for _, f := range []struct {
		name  string
		write func(*bytes.Buffer) error
	}{
		{"compared-80.txt", func(b *bytes.Buffer) error { return Terminal(b, v, DefaultOptions()) }},
		{"compared.md", func(b *bytes.Buffer) error { return Markdown(b, v, DefaultOptions()) }},
		{"", func(b *bytes.Buffer) error { return webPage(b, v, DefaultOptions()) }},
	} {
		var b bytes.Buffer
		if err := f.write(&b); err != nil {
			t.Fatal(err)
		}
		if f.name != "" {
			golden(t, f.name, b.Bytes())
		}
		for _, want := range []string{"1 worse", "1 gone", "public.gone_idx", "2,500 → 9,000 buffers/row", "rebuilt every Sunday", "until 2027-01-15", "1 suppressed · 1 statement dearer"} {
			if !strings.Contains(strings.ReplaceAll(strings.Join(strings.Fields(b.String()), " "), `\`, ""), want) {
				t.Errorf("%s: %q is missing", f.name, want)
			}
		}
	}
}

// TestWhatIsNoFailure has the formats of pipelines fail on what check fails on:
// neither on what is suppressed nor on what is the same as in the baseline.
func TestWhatIsNoFailure(t *testing.T) {
	r := compared("")
	old, err := ReadBaseline(bytes.NewReader(jsonBytes(t, r)), "last.json")
	if err != nil {
		t.Fatal(err)
	}
	same := *r
	same.Comparison = analysis.Compare(r, old, nil)
	for name, want := range map[string]struct{ worse, same []string }{
		"junit": {
			[]string{`failures="3" skipped="3"`, `<failure message="dearer: 2,500 → 9,000 buffers/row (3.6x)"`, `<skipped message="suppressed: rebuilt every Sunday`},
			[]string{`failures="0" skipped="3"`, "no statement became dearer"},
		},
		"github": {
			[]string{"::error file=", "::warning title=statement dearer::", "is suppressed: rebuilt every Sunday", "PGA101 linear-page-walk (worse)"},
			[]string{"PGA101 linear-page-walk (same)", "is suppressed: rebuilt every Sunday"},
		},
		"gitlab": {[]string{`"statement dearer"`}, nil},
		"sarif": {
			[]string{`"justification": "rebuilt every Sunday`, "Dearer than in the baseline: 2,500", `"baselineState": "updated"`},
			[]string{`"status": "accepted"`, `"baselineState": "unchanged"`},
		},
		"csv": {[]string{"dearer.csv", "2500,9000,3.6", "rebuilt every Sunday", `"worse"`, `"gone"`}, []string{`"same"`}},
	} {
		for _, side := range []struct {
			r    *analysis.Result
			want []string
		}{{r, want.worse}, {&same, want.same}} {
			got := unpacked(t, write(t, name, side.r, DefaultOptions()))
			for _, text := range side.want {
				if !strings.Contains(got, text) {
					t.Errorf("%s: %s is missing in\n%s", name, text, got)
				}
			}
			if side.r == &same && (strings.Contains(got, "::error") || strings.Contains(got, "::warning") || strings.Contains(got, "<failure")) {
				t.Errorf("%s fails on what is the same:\n%s", name, got)
			}
		}
	}
}

// TestBaselineIsTheReport reads back what JSON wrote.
func TestBaselineIsTheReport(t *testing.T) {
	r := compared("")
	b, err := ReadBaseline(bytes.NewReader(jsonBytes(t, r)), "last.json")
	if err != nil {
		t.Fatal(err)
	}
	if b.From != r.From || b.To != r.To || len(b.Findings) != len(r.Findings)+len(r.Suppressed) || len(b.Statements) != len(r.Statements) {
		t.Errorf("%d findings, %d statements, %v to %v", len(b.Findings), len(b.Statements), b.From, b.To)
	}
	for i := range r.Statements {
		was, now := &b.Statements[i], &r.Statements[i]
		if was.Calls != now.Calls || was.BuffersPerRow != now.BuffersPerRow && !math.IsNaN(now.BuffersPerRow) || math.IsNaN(was.BuffersPerRow) != math.IsNaN(now.BuffersPerRow) {
			t.Errorf("%+v was read as %+v", now, was)
		}
	}
	again := analysis.Compare(r, b, nil)
	for i := range again.Findings {
		if again.Findings[i].Status != analysis.StatusSame {
			t.Errorf("against itself: %+v", again.Findings[i])
		}
	}
	if len(again.Absent)+len(again.Regressions) > 0 {
		t.Errorf("against itself: %+v, %+v", again.Absent, again.Regressions)
	}
}

func jsonBytes(t *testing.T, r *analysis.Result) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := JSON(&b, view.Build(r), DefaultOptions()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWhatIsNoBaseline(t *testing.T) {
	anonymous := compared("")
	anonymous.Anonymized = true
	for text, want := range map[string]string{
		"":                        "no JSON report",
		"<html>":                  "no JSON report",
		"[]":                      "no JSON report",
		`{"findings": []}`:        "no schema_version",
		`{"schema_version": 99}`:  "schema_version 99, this pgassay reads 1",
		`{"schema_version": "1"}`: "no JSON report",
		`{"schema_version": 1, "findings": [{"severity": "fatal"}]}`: `severity "fatal"`,
		string(jsonBytes(t, anonymous)):                              "anonymized",
	} {
		_, err := ReadBaseline(strings.NewReader(text), "x.json")
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "x.json") {
			t.Errorf("%.60s: %v, want %s", text, err, want)
		}
	}
}

func TestComparedJSONIsAsItsSchemaSays(t *testing.T) {
	var root node
	d := json.NewDecoder(strings.NewReader(Schema()))
	d.UseNumber()
	if err := d.Decode(&root); err != nil {
		t.Fatal(err)
	}
	var v any
	d = json.NewDecoder(bytes.NewReader(jsonBytes(t, compared(""))))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	for _, e := range root.check(&root, "report", v) {
		t.Error(e)
	}
}

// TestHostileComparison has what configuration and baseline can tell in every
// format.
func TestHostileComparison(t *testing.T) {
	const text = "\x1b[31m\n::error ::x\u202e</script><img src=x>|`=cmd()"
	v := view.Build(compared(text))
	for _, name := range []string{"terminal", "markdown", "sarif", "junit", "github", "gitlab", "html", "csv"} {
		f, _ := ByName(name)
		var b bytes.Buffer
		if err := f.Write(&b, v, DefaultOptions()); err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"\x1b", "\n::error ::x", "\u202e"} {
			if strings.Contains(unpacked(t, b.Bytes()), bad) {
				t.Errorf("%s: %q", name, bad)
			}
		}
	}
}

func FuzzReadBaseline(f *testing.F) {
	f.Add([]byte(`{"schema_version": 1, "findings": [{"id": "PGA101", "severity": "info", "effect": null}], "statements": [{"calls": 1, "mean_ms": null}]}`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		b, err := ReadBaseline(bytes.NewReader(data), "x")
		if err == nil {
			analysis.Compare(fixture.Incident(), b, nil)
		}
	})
}
