package analysis

import (
	"strings"
	"testing"
)

func TestLimitsAreReadWithTheirUnits(t *testing.T) {
	for text, want := range map[string]SLO{
		"p95=200ms":                   {Measure: "p95", Limit: 200},
		"max=1.5s":                    {Measure: "max", Limit: 1500},
		"mean=2min":                   {Measure: "mean", Limit: 120_000},
		"p50=800us":                   {Measure: "p50", Limit: 0.8},
		"buffers_per_row=5,000":       {Measure: "buffers_per_row", Limit: 5000},
		"p99[id = $1]=20ms":           {Measure: "p99", Of: "id = $1", Limit: 20},
		"buffers[insert into t]=5000": {Measure: "buffers", Of: "insert into t", Limit: 5000},
	} {
		want.Text = text
		if got, err := ParseSLO(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
}

func TestBadLimitsSayWhatIsExpected(t *testing.T) {
	for text, want := range map[string]string{
		"p95":                  "p95=200ms",
		"p42=1s":               "measures are p50",
		"p95=200":              "no time with a unit",
		"p95=-1ms":             "no time with a unit",
		"buffers_per_row=5ms":  "a number of buffers",
		"buffers_per_row=-5":   "a number of buffers",
		"":                     "MEASURE=LIMIT",
		"buffers_per_row=+Inf": "a number of buffers",
	} {
		if _, err := ParseSLO(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", text, err, want)
		}
	}
}
