package main

import (
	"testing"
	"time"

	"github.com/pgassay/pgassay/analysis/dataset"
	"github.com/pgassay/pgassay/parser/record"
)

func TestMomentsAreOfTheLogsZoneOrTellTheirs(t *testing.T) {
	utc := func(hour, minute, second int) record.Time {
		return record.TimeOf(time.Date(2026, 11, 30, hour, minute, second, 0, time.UTC))
	}
	for text, want := range map[string]dataset.Moment{
		"":                              {},
		"2026-11-30":                    {Time: utc(0, 0, 0), Known: true, Floating: true},
		"2026-11-30 14:20":              {Time: utc(14, 20, 0), Known: true, Floating: true},
		"2026-11-30T14:20:31":           {Time: utc(14, 20, 31), Known: true, Floating: true},
		"2026-11-30 14:20:31.150":       {Time: utc(14, 20, 31).Add(150 * record.Millisecond), Known: true, Floating: true},
		"2026-11-30T14:20:31Z":          {Time: utc(14, 20, 31), Known: true},
		"2026-11-30 14:20 UTC":          {Time: utc(14, 20, 0), Known: true},
		"2026-11-30T14:20:31.15+01:00":  {Time: utc(13, 20, 31).Add(150 * record.Millisecond), Known: true},
		"2026-11-30 14:20 +0100":        {Time: utc(13, 20, 0), Known: true},
		"2026-11-30 14:20:31-05":        {Time: utc(19, 20, 31), Known: true},
		"2026-11-30 08:50:00 -05:30":    {Time: utc(14, 20, 0), Known: true},
		"2026-11-30 14:20:31.150000 +0": {}, "yesterday": {}, "14:20": {}, "2026-11-31": {}, "2026-11-30 25:00": {},
	} {
		got, err := moment(text)
		if got != want || (err == nil) != (want.Known || text == "") {
			t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
		}
	}
}

func TestSpans(t *testing.T) {
	const hour = 3600 * record.Second
	for text, want := range map[string]record.Duration{
		"": 0, "45s": 45 * record.Second, "90m": 90 * 60 * record.Second, "90min": 90 * 60 * record.Second, "2h": 2 * hour,
		"1d12h": 36 * hour, "1w": 7 * 24 * hour, "100000000000h": -1, "h": -1, "2": -1, "2 h": -1, "-2h": -1, "0h": -1,
		"1.5h": -1, "2x": -1, "5300w5300w": -1, "99999999999999999999s": -1,
	} {
		got, err := span(text)
		if (err != nil) != (want < 0) || err == nil && got != want {
			t.Errorf("%q: %d, %v, want %d", text, got, err, want)
		}
	}
}
