package pglog

import (
	"fmt"
	"strings"
	"testing"
)

func TestOutputsOfTheAWSCLIAreDeclinedByName(t *testing.T) {
	const message = "2026-11-30 14:17:31 UTC:10.2.3.4(4401):app@shop:[991]:LOG:  duration: 1.000 ms  statement: select 1"
	var rows, events, results strings.Builder
	for i := range 9 {
		fmt.Fprintf(&rows, `%s[{"field": "@timestamp", "value": "2026-11-30"}, {"field": "@message", "value": "%s"}]`, strings.Repeat(", ", min(i, 1)), message)
		fmt.Fprintf(&events, "EVENTS\t38380000000000000000000%d\t1764512251150\tdb-1.0\t%s\t1764512251000\n", i, message)
		fmt.Fprintf(&results, "RESULTS\t@message\t%s\n", message)
	}
	for name, text := range map[string]string{
		"get-query-results":                      `{"results": [` + rows.String() + `], "status": "Complete"}`,
		"get-query-results, indented":            "{\n  \"queryLanguage\": \"CWLI\",\n  \"results\": [\n [\n" + rows.String()[1:] + "]}",
		"filter-log-events, text":                events.String(),
		"get-log-events, text, behind its pages": "b/3838/s\tf/3839/s\n" + events.String(),
		"get-query-results, text":                results.String(),
	} {
		d := CloudWatch.Detect(headOf([]byte(text)))
		if d == nil || !strings.Contains(d.Reason, "aws logs") {
			t.Errorf("%s: %+v", name, d)
		}
		if e := Stderr.Detect(headOf([]byte(text))); d != nil && e != nil && e.Score >= d.Score {
			t.Errorf("%s: the stderr format has score %d", name, e.Score)
		}
	}
	for name, text := range map[string]string{
		"a log":    message + "\n",
		"events":   `{"events": [{"timestamp": 1, "message": "` + message + `\n{\"results\": [[{\"field\": 1}]]}"}]}`,
		"log tail": "2026-11-30T14:17:31+00:00 db-1.0 " + message + "\n",
	} {
		if d := CloudWatch.Detect(headOf([]byte(text))); d != nil && d.Reason != "" {
			t.Errorf("%s is declined: %s", name, d.Reason)
		}
	}
}
