package pgstat

import (
	"time"

	"github.com/pgassay/pgassay/parser/record"
)

// parseTime is record.ParseTime with a short way for what PostgreSQL prints by
// default: it takes an eighth of the time, and each row has one
// (BenchmarkParseTime). A year in which no server ran is damage, which would
// stretch the time that the input covers to thousands of years.
func parseTime(text string) (record.Time, bool) {
	t, ok := isoTime(text)
	if !ok {
		t, ok = record.ParseTime(text)
	}
	if !ok || t < earliest || t >= latest {
		return record.NoTime, false
	}
	return t, true
}

// The years in which a capture can have been made: PostgreSQL has its name since
// 1996.
var (
	earliest = record.TimeOf(time.Date(1996, 1, 1, 0, 0, 0, 0, time.UTC))
	latest   = record.TimeOf(time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC))
)

// isoTime reads 2026-11-30 14:17:34.316518+00, also with T, without the
// fraction, and with the offset as Z, +05 or +05:30.
func isoTime(s string) (record.Time, bool) {
	if len(s) < len("2026-11-30 14:17:34Z") || s[4] != '-' || s[7] != '-' || s[10] != ' ' && s[10] != 'T' || s[13] != ':' || s[16] != ':' {
		return record.NoTime, false
	}
	year, month, day := number(s[:4]), number(s[5:7]), number(s[8:10])
	hour, minute, second := number(s[11:13]), number(s[14:16]), number(s[17:19])
	if year < 0 || month < 1 || month > 12 || day < 1 || day > 28 && day > daysIn(year, month) ||
		hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 {
		return record.NoTime, false
	}
	micros, rest, ok := fraction(s[19:])
	offset, zoned := zoneOffset(rest)
	if !ok || !zoned {
		return record.NoTime, false
	}
	at := time.Date(year, time.Month(month), day, hour, minute, second-offset, 0, time.UTC)
	return record.TimeOf(at) + record.Time(micros), true
}

// number reads digits; -1 if there is anything else.
func number(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return -1
		}
		n = n*10 + int(s[i]-'0')
	}
	return n
}

func daysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// fraction reads the microseconds after a point, if there is one.
func fraction(s string) (micros int, rest string, ok bool) {
	if s == "" || s[0] != '.' {
		return 0, s, true
	}
	n, unit := 1, 100_000
	for ; n < len(s) && s[n] >= '0' && s[n] <= '9'; n++ {
		micros += int(s[n]-'0') * unit
		unit /= 10
	}
	return micros, s[n:], n > 1
}

// zoneOffset is the seconds east of UTC of Z, +05 or +05:30.
func zoneOffset(s string) (seconds int, ok bool) {
	if s == "Z" {
		return 0, true
	}
	if len(s) != 3 && (len(s) != 6 || s[3] != ':') || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	hours, minutes := number(s[1:3]), 0
	if len(s) == 6 {
		minutes = number(s[4:])
	}
	if hours < 0 || hours > 15 || minutes < 0 || minutes > 59 {
		return 0, false
	}
	seconds = hours*3600 + minutes*60
	if s[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}
