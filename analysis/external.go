package analysis

import (
	"context"

	"github.com/pgassay/pgassay/parser"
	"github.com/pgassay/pgassay/parser/pgstat"
	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/sqltext"
)

// readAll reads the paths, then the series, which are no part of the formats
// that are detected. A series that cannot be used is a *parser.UsageError.
func readAll(ctx context.Context, paths []string, o Options, in *sqltext.Interner, fold func(*record.Batch) error) (*parser.Report, error) {
	po := parser.Options{
		Prefix: o.Prefix, Timezone: o.Timezone, Jobs: o.Jobs, Stdin: o.Stdin,
		Intern: in.Statement, OnProgress: o.Progress,
	}
	rep, err := parser.Stream(ctx, paths, po, fold)
	if err != nil || len(o.Series) == 0 {
		return rep, err
	}
	po.Formats = pgstat.Series
	series, err := parser.Stream(ctx, o.Series, po, fold)
	if err != nil {
		return nil, err
	}
	for i := range series.Files {
		f := &series.Files[i]
		if f.Samples == 0 {
			return nil, &parser.UsageError{Value: f.Name, Problem: whyNoSeries(f)}
		}
	}
	rep.Files = append(rep.Files, series.Files...)
	return rep, nil
}

// whyNoSeries says what is wrong with a file that gave no reading.
func whyNoSeries(f *parser.FileReport) string {
	const expected = "a series is CSV with a header, or JSON objects, with a time column (captured_at, time, ts or timestamp) and numbers"
	if len(f.Losses) > 0 {
		return f.Losses[0].Text + ": " + expected
	}
	return "holds no reading: " + expected
}
