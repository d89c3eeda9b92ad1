package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

// filterFlags are the flags that choose a part of the input.
type filterFlags struct {
	since, until, last       string
	names                    dataset.Filter // its Names only
	queries, excludedQueries []string
}

func (in *filterFlags) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&in.since, "since", "", "only what was logged from `TIME` on: a date, or a date and time, in the log's zone or with an offset")
	f.StringVar(&in.until, "until", "", "only what was logged before `TIME`; a date is its first instant")
	f.StringVar(&in.last, "last", "", "only the last `SPAN` before the last entry of the input, as in 90m, 2h, 1d12h, 1w")
	for _, n := range []struct {
		flag, what string
		names      *dataset.Names
	}{
		{"db", "database", &in.names.Database},
		{"user", "user", &in.names.User},
		{"app", "application", &in.names.Application},
		{"host", "client host (without its port)", &in.names.Host},
		{"session", "session or process id", &in.names.Session},
	} {
		f.StringArrayVar(&n.names.Only, n.flag, nil, "only this "+n.what+" `NAME`; * stands for any characters; repeatable")
		f.StringArrayVar(&n.names.Except, "exclude-"+n.flag, nil, "not this "+n.what+" `NAME`")
	}
	f.StringArrayVar(&in.queries, "query", nil, "only statements whose normalized text or fingerprint matches `REGEX`; repeatable")
	f.StringArrayVar(&in.excludedQueries, "exclude-query", nil, "not statements that match `REGEX`")
}

// filter reads the flags.
func (in *filterFlags) filter(command string) (dataset.Filter, error) {
	f := in.names
	var err error
	if f.Since, err = moment(in.since); err != nil {
		return f, usage(command, "--since %q: %s", in.since, err)
	}
	if f.Until, err = moment(in.until); err != nil {
		return f, usage(command, "--until %q: %s", in.until, err)
	}
	if f.Last, err = span(in.last); err != nil {
		return f, usage(command, "--last %q: %s", in.last, err)
	}
	if s, u := f.Since, f.Until; s.Known && u.Known && s.Floating == u.Floating && s.Time >= u.Time {
		return f, usage(command, "--since %q is not before --until %q", in.since, in.until)
	}
	if f.Query.Only, err = patterns(in.queries); err != nil {
		return f, usage(command, "--query: %s", err)
	}
	if f.Query.Except, err = patterns(in.excludedQueries); err != nil {
		return f, usage(command, "--exclude-query: %s", err)
	}
	return f, nil
}

func patterns(texts []string) ([]*regexp.Regexp, error) {
	var out []*regexp.Regexp
	for _, t := range texts {
		p, err := regexp.Compile(t)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// moment reads a date, or a date and a time of day, with an offset or without;
// "" is none.
func moment(text string) (dataset.Moment, error) {
	if text == "" {
		return dataset.Moment{}, nil
	}
	s := strings.TrimSpace(text)
	if len(s) > 10 && s[10] == 'T' {
		s = s[:10] + " " + s[11:]
	}
	for _, zone := range []string{" UTC", " GMT", " Z"} {
		if rest, ok := strings.CutSuffix(s, zone); ok {
			s = rest + "Z"
		}
	}
	s = strings.NewReplacer(" +", "+", " -", "-").Replace(s)
	for _, layout := range []string{"2006-01-02", "2006-01-02 15:04", "2006-01-02 15:04:05"} {
		for _, zone := range []string{"", "Z07:00", "Z0700", "Z07"} {
			if t, err := time.Parse(layout+zone, s); err == nil {
				return dataset.Moment{Time: record.TimeOf(t), Known: true, Floating: zone == ""}, nil
			}
		}
	}
	return dataset.Moment{}, fmt.Errorf("not a time such as 2026-11-30, 2026-11-30 14:20 or 2026-11-30T14:20:31+01:00")
}

// maxSpan keeps sums of times within their range.
const maxSpan = 100 * 366 * 24 * 3600 * record.Second

// span reads numbers with units, as in 1d12h; "" is none.
func span(text string) (record.Duration, error) {
	units := map[string]record.Duration{
		"w": 7 * 24 * 3600 * record.Second, "d": 24 * 3600 * record.Second, "h": 3600 * record.Second,
		"m": 60 * record.Second, "min": 60 * record.Second, "s": record.Second,
	}
	const digits = "0123456789"
	var sum record.Duration
	for rest := text; rest != ""; {
		unit := strings.TrimLeft(rest, digits)
		n, err := strconv.ParseUint(rest[:len(rest)-len(unit)], 10, 32)
		end := strings.IndexAny(unit, digits)
		if end < 0 {
			end = len(unit)
		}
		d, known := units[unit[:end]]
		if err != nil || !known || record.Duration(n) > maxSpan/d || sum+record.Duration(n)*d > maxSpan {
			return 0, fmt.Errorf("not a span such as 90m, 2h, 1d12h or 1w")
		}
		sum += record.Duration(n) * d
		rest = unit[end:]
	}
	if sum == 0 && text != "" {
		return 0, fmt.Errorf("longer than 0")
	}
	return sum, nil
}
