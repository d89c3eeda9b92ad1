package pgstat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// Series are the formats of what only the application knows, given with
// --series: CSV with a header, or JSON objects, with a column for the time and
// columns of numbers (latency of requests, number of tenants) or of texts
// (deploys, names of instances). Any file with a time column would match, so
// that they are no part of the formats that are detected.
var Series = []source.Format{
	{
		Name:   "series-csv",
		Doc:    "a time column and numbers as CSV with a header",
		Detect: func(h *source.Head) *source.Detection { return detectCSV(h, seriesLayout, noSeries) },
	},
	{
		Name:   "series-ndjson",
		Doc:    "a time and numbers as JSON objects, a line each or in a list",
		Detect: func(h *source.Head) *source.Detection { return detectNDJSON(h, seriesLayout, noSeries) },
	},
}

// seriesTimes name the time column beside those of snapshots.
var seriesTimes = []string{"date", "datetime", "t", "at", "minute", "hour", "day", "bucket", "window_start", "start_time", "@timestamp", "epoch"}

// seriesLayout is nil without a time column or without any other.
func seriesLayout(names []string) *layout {
	lower := make([]string, len(names))
	for i, n := range names {
		lower[i] = strings.ToLower(strings.TrimSpace(n))
	}
	at := timeColumn(lower)
	for i := 0; at < 0 && i < len(seriesTimes); i++ {
		at = slices.Index(lower, seriesTimes[i])
	}
	if at < 0 || len(lower) < 2 {
		return nil
	}
	lower[at] = record.SeriesTime
	return &layout{view: record.ViewSeries, columns: record.NewColumns(lower), time: at, relkind: -1, names: names}
}

func noSeries(what string, names []string) string {
	return fmt.Sprintf("%s hold no time beside other columns: (%s); name the time captured_at, time, ts or timestamp", what, shown(names))
}
