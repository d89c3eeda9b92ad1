package record

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var timeLayouts = []string{
	"2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02 15:04:05.999999999Z0700",
	"2006-01-02 15:04:05.999999999Z07",
	"2006-01-02 15:04:05.999999999 MST",
	"2006-01-02 15:04:05.999999999 Z0700",
	"2006-01-02 15:04:05.999999999",
	"2006-01-02",
}

// ParseTime reads a timestamp as PostgreSQL prints it (ISO date style, zone as
// +00, +05:30, +0530, Z or UTC), as RFC 3339, or as Unix seconds,
// milliseconds, microseconds or nanoseconds (told apart by size). A timestamp
// without a zone is taken as UTC; named zones other than UTC and GMT are
// refused, since only a log's own rules can resolve them.
func ParseTime(text string) (Time, bool) {
	text = strings.TrimSpace(text)
	if len(text) > 10 && text[10] == 'T' {
		text = text[:10] + " " + text[11:]
	}
	if t, ok := parseUnix(text); ok {
		return t, true
	}
	for _, layout := range timeLayouts {
		t, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		if name, off := t.Zone(); off == 0 && name != "UTC" && name != "GMT" && name != "" {
			return NoTime, false
		}
		return TimeOf(t), true
	}
	return NoTime, false
}

func parseUnix(text string) (Time, bool) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f < 1e8 {
		return NoTime, false
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		switch {
		case n < 1e11:
			return Time(n * 1e6), true
		case n < 1e14:
			return Time(n * 1e3), true
		case n < 1e17:
			return Time(n), true
		default:
			return Time(n / 1e3), true
		}
	}
	if f < 1e11 {
		return Time(f*1e6 + 0.5), true
	}
	return NoTime, false
}

// nameTime is a date and a time as file names spell them: 2026-11-30_14-20-14,
// 20261130T142014Z, postgresql-2026-11-30_142014.log, 2026-11-30/1420.
var nameTime = regexp.MustCompile(`(?:^|\D)((\d{4})[-_.]?(\d\d)[-_.]?(\d\d)[T_ ./-]?` +
	`(\d\d)[-_:.h]?(\d\d)(?:[-_:.m]?(\d\d))?(?:[.,](\d{1,6}))?(Z|[+-]\d\d:?\d\d)?)(?:\D|$)`)

// TimeFromName finds a date with a time of day in a file's name, the last one
// if there are several. A name without a zone is taken as UTC; a date alone is
// no time.
func TimeFromName(name string) (Time, bool) {
	found, known := NoTime, false
	for {
		m := nameTime.FindStringSubmatchIndex(name)
		if m == nil {
			return found, known
		}
		if t, ok := timeOfMatch(name, m); ok {
			found, known = t, true
		}
		name = name[m[3]:]
	}
}

// timeOfMatch reads a match of nameTime; m is its submatch indexes.
func timeOfMatch(name string, m []int) (Time, bool) {
	part := func(i int, absent string) string {
		if m[2*i] < 0 {
			return absent
		}
		return name[m[2*i]:m[2*i+1]]
	}
	year := part(2, "")
	if year < "1990" || year > "2199" {
		return NoTime, false
	}
	return ParseTime(year + "-" + part(3, "") + "-" + part(4, "") + " " +
		part(5, "") + ":" + part(6, "") + ":" + part(7, "00") + "." + part(8, "0") + part(9, "Z"))
}
