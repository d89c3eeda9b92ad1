package analysis

import (
	"math"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/analysis/signature"
	"github.com/pgassay/pgassay/parser/record"
)

func walkOn(index string, s finding.Severity, effect float64) finding.Finding {
	return finding.Finding{ID: "PGA101", Name: "linear-page-walk", Severity: s, Effect: effect, Subject: finding.Subject{Index: index}}
}

func remembered(f finding.Finding) BaselineFinding {
	return BaselineFinding{Fingerprint: f.Fingerprint(), ID: f.ID, Subject: f.Subject, Severity: f.Severity, Effect: f.Effect}
}

func TestFindingsAgainstTheBaseline(t *testing.T) {
	same, steeper, graver, fresh := walkOn("a", finding.Warning, 2), walkOn("b", finding.Warning, 3), walkOn("c", finding.Critical, 3), walkOn("d", finding.Warning, 2)
	gone, hidden := walkOn("e", finding.Warning, 2), walkOn("f", finding.Warning, 2)
	unseen := finding.Finding{ID: "PGA201", Subject: finding.Subject{Relation: "t"}}
	wasSame, wasSteeper, wasGraver := walkOn("a", finding.Warning, 1.7), walkOn("b", finding.Warning, 2), walkOn("c", finding.Warning, 3)
	old := &Baseline{Name: "old.json", Evaluated: []string{"PGA101", "PGA201"}, Findings: []BaselineFinding{
		remembered(wasSame), remembered(wasSteeper), remembered(wasGraver), remembered(gone), remembered(hidden), remembered(unseen),
	}}
	r := &Result{
		Findings: []finding.Finding{same, steeper, graver, fresh}, Suppressed: []Suppressed{{Finding: hidden}},
		Evaluated: []string{"PGA101"}, NotEvaluated: []NotEvaluated{{ID: "PGA201", Lacks: "no vacuums in input"}},
	}
	c := Compare(r, old, nil)
	for i, want := range []FindingChange{
		{Status: StatusSame}, {Status: StatusWorse, Why: "effect 3x, was 2x"}, {Status: StatusWorse, Why: "critical, was warning"}, {Status: StatusNew},
	} {
		if got := c.Findings[i]; got.Status != want.Status || got.Why != want.Why {
			t.Errorf("%s: %s (%s), want %s (%s)", r.Findings[i].Subject, got.Status, got.Why, want.Status, want.Why)
		}
	}
	if len(c.Absent) != 2 || c.Absent[0].Status != StatusGone || c.Absent[1].Status != StatusUnknown || c.Absent[1].Why != "no vacuums in input" {
		t.Errorf("absent: %+v", c.Absent)
	}
	if strict := Compare(r, old, signature.Thresholds{"baseline.effect_ratio": 1.1, "baseline.effect_floor": 0.1}); strict.Findings[0].Status != StatusWorse {
		t.Errorf("with a lower ratio: %+v", strict.Findings[0])
	}
}

func TestNewFindingOfASignatureThatCouldNotBeAskedBefore(t *testing.T) {
	r := &Result{Findings: []finding.Finding{walkOn("a", finding.Warning, 2)}}
	if c := Compare(r, &Baseline{}, nil); c.Findings[0].Status != StatusNew || c.Findings[0].Why == "" {
		t.Errorf("%+v", c.Findings[0])
	}
}

// TestRegressionNeedsRatioAndFloorAndCalls varies one of them at a time.
func TestRegressionNeedsRatioAndFloorAndCalls(t *testing.T) {
	nan := math.NaN()
	const ms = record.Millisecond
	for name, c := range map[string]struct {
		was  BaselineStatement
		now  StatementRow
		unit string // "" for no regression
	}{
		"buffers per row": {
			BaselineStatement{Calls: 100, Rows: 1, Buffers: 50, BuffersPerRow: 50, Mean: 1},
			StatementRow{Calls: 100, Rows: 10, Buffers: 1000, BuffersPerRow: 100, Mean: ms}, "buffers/row"},
		"more rows at the same cost of a row": {
			BaselineStatement{Calls: 100, Rows: 1, Buffers: 50, BuffersPerRow: 50, Mean: 1},
			StatementRow{Calls: 100, Rows: 10, Buffers: 500, BuffersPerRow: 50, Mean: 10 * ms}, ""},
		"below the floor": {
			BaselineStatement{Calls: 100, Rows: 1, Buffers: 3, BuffersPerRow: 3},
			StatementRow{Calls: 100, Rows: 1, Buffers: 9, BuffersPerRow: 9}, ""},
		"below the ratio": {
			BaselineStatement{Calls: 100, Rows: 1, Buffers: 1000, BuffersPerRow: 1000},
			StatementRow{Calls: 100, Rows: 1, Buffers: 1400, BuffersPerRow: 1400}, ""},
		"few calls": {
			BaselineStatement{Calls: 3, Rows: 1, Buffers: 50, BuffersPerRow: 50},
			StatementRow{Calls: 100, Rows: 1, Buffers: 500, BuffersPerRow: 500}, ""},
		"slower at the same buffers": {
			BaselineStatement{Calls: 100, Rows: 1, Buffers: 50, BuffersPerRow: 50, Mean: 1},
			StatementRow{Calls: 100, Rows: 1, Buffers: 50, BuffersPerRow: 50, Mean: 100 * ms}, ""},
		"no row returned": {
			BaselineStatement{Calls: 100, Rows: 0, Buffers: 50, BuffersPerRow: nan},
			StatementRow{Calls: 100, Rows: 0, Buffers: 500, BuffersPerRow: nan}, "buffers/call"},
		"times only": {
			BaselineStatement{Calls: 100, Rows: nan, Buffers: nan, BuffersPerRow: nan, Mean: 2, P50: 2},
			StatementRow{Calls: 100, Rows: nan, Buffers: nan, BuffersPerRow: nan, Mean: 8 * ms, P50: 7 * ms}, "ms/call"},
		"one slow execution": {
			BaselineStatement{Calls: 100, Rows: nan, Buffers: nan, BuffersPerRow: nan, Mean: 2, P50: 2},
			StatementRow{Calls: 100, Rows: nan, Buffers: nan, BuffersPerRow: nan, Mean: 8 * ms, P50: 2 * ms}, ""},
		"time of a row": {
			BaselineStatement{Calls: 100, Rows: 10, Buffers: nan, BuffersPerRow: nan, Mean: 10, P50: 10},
			StatementRow{Calls: 100, Rows: 100, Buffers: nan, BuffersPerRow: nan, Mean: 300 * ms, P50: 300 * ms}, "ms/row"},
		"another source": {
			BaselineStatement{From: "log", Calls: 100, Rows: 1, Buffers: 50, BuffersPerRow: 50},
			StatementRow{From: "pg_stat_statements", Calls: 100, Rows: 1, Buffers: 500, BuffersPerRow: 500}, ""},
	} {
		got := ""
		if found := Compare(&Result{Statements: []StatementRow{c.now}}, &Baseline{Statements: []BaselineStatement{c.was}}, nil).Regressions; len(found) > 0 {
			got = found[0].Unit
		}
		if got != c.unit {
			t.Errorf("%s: regression in %q, want %q", name, got, c.unit)
		}
	}
}
