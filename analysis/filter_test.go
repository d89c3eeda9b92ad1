package analysis

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

const zonedLog = "2026-06-01 12:00:01.000 %Z [7] app@shop web LOG:  duration: 10.000 ms  statement: select count(*) from items\n" +
	"2026-06-01 12:00:02.000 %Z [7] app@shop web LOG:  duration: 10.000 ms  statement: delete from items where id = 1\n" +
	"2026-06-01 12:00:03.000 %Z [8] batch@shop job LOG:  duration: 10.000 ms  statement: select 1\n"

func filterRun(t *testing.T, zone string, o Options) *Result {
	t.Helper()
	r, err := Run(context.Background(), []string{writeLog(t, strings.ReplaceAll(zonedLog, "%Z", zone))}, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFloatingTimesAreThoseThatTheLogPrints asks each log for what it printed
// at 12:00:02 and after.
func TestFloatingTimesAreThoseThatTheLogPrints(t *testing.T) {
	since, known := record.ParseTime("2026-06-01 12:00:02")
	if !known {
		t.Fatal("no time")
	}
	for _, tt := range []struct{ zone, timezone, utc string }{
		{"UTC", "", "12:00:02"}, {"+02", "", "10:00:02"}, {"-0330", "", "15:30:02"}, {"CEST", "", "10:00:02"},
		{"IST", "Asia/Kolkata", "06:30:02"}, {"UTC", "Europe/Berlin", "12:00:02"},
	} {
		o := DefaultOptions()
		o.Timezone = tt.timezone
		o.Filter.Since = dataset.Moment{Time: since, Known: true, Floating: true}
		want := "since 2026-06-01 " + tt.utc + " UTC: 2 of 3 executions kept"
		if r := filterRun(t, tt.zone, o); !strings.HasPrefix(r.Filter, want) || r.Totals.Executions != 2 {
			t.Errorf("%s, --timezone %q: %q, want %q", tt.zone, tt.timezone, r.Filter, want)
		}
	}
}

func TestFilterSaysWhatItAskedForAndLeft(t *testing.T) {
	o := DefaultOptions()
	if r := filterRun(t, "UTC", o); r.Filter != "" {
		t.Errorf("without a filter: %q", r.Filter)
	}
	o.Filter.User = dataset.Names{Only: []string{"app", "nobody"}, Except: []string{"secret*"}}
	o.Filter.Host = dataset.Names{Only: []string{"10.0.0.1"}}
	o.Filter.Query.Except = []*regexp.Regexp{regexp.MustCompile("hidden_table")}
	want := "user app or nobody, not user secret*, host 10.0.0.1, not query /hidden_table/: 0 of 3 executions kept; " +
		"2 executions were left out since the log does not tell what was asked for"
	if r := filterRun(t, "UTC", o); r.Filter != want {
		t.Errorf("got  %q\nwant %q", r.Filter, want)
	}
	o.Anonymize = true
	if r := filterRun(t, "UTC", o); r.Filter == "" || regexp.MustCompile(`secret|hidden|nobody|10\.0\.0`).MatchString(r.Filter) {
		t.Errorf("anonymous: %q", r.Filter)
	}
}
