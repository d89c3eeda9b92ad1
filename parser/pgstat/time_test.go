package pgstat

import (
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

// TestShortWayAgreesWithTheLong: wherever isoTime answers, record.ParseTime
// gives the same instant.
func TestShortWayAgreesWithTheLong(t *testing.T) {
	for _, text := range []string{
		"2026-11-30 14:17:34.316518+00", "2026-11-30T14:17:34.3165+00:00", "2026-11-30 14:17:34Z", "2024-02-29 23:59:59+05:30",
		"2026-11-30 14:17:34.31-08", "2026-12-31 23:59:59.999999-12", "1999-01-01 00:00:00.123456789+00",
	} {
		got, ok := isoTime(text)
		want, wantOK := record.ParseTime(text)
		if !ok || !wantOK || got != want {
			t.Errorf("%s: %v %v, want %v %v", text, got, ok, want, wantOK)
		}
	}
	for _, text := range []string{
		"", "2026-11-30", "2026-11-30 14:17:34", "2026-02-29 00:00:00Z", "2026-13-01 00:00:00Z", "2026-11-31 00:00:00Z",
		"2026-11-30 24:00:00Z", "2026-11-30 14:17:60Z", "2026-11-30 14:17:34.+00", "2026-11-30 14:17:34+0530",
		"2026-11-30 14:17:34 UTC", "2026-11-30 14:17:34+5:30:0", "2026-11-30 14:17:34Zx", "1796040000000000000000",
	} {
		if got, ok := isoTime(text); ok {
			t.Errorf("%q is taken as %v", text, got)
		}
	}
}

func TestYearsWithoutServersAreNoTimes(t *testing.T) {
	for _, text := range []string{"0001-01-01 00:00:00+00", "1970-01-01T00:00:00Z", "9999-12-31 23:59:59+00", "9999-12-31 23:59:59.5", "0", "253402300799"} {
		if got, ok := parseTime(text); ok {
			t.Errorf("%q is taken as %v", text, got)
		}
	}
	if _, ok := parseTime("1999-12-31 23:59:59+00"); !ok {
		t.Error("1999 is not taken")
	}
}

func BenchmarkParseTime(b *testing.B) {
	const text = "2026-11-30 14:17:34.316518+00"
	for name, parse := range map[string]func(string) (record.Time, bool){"short": parseTime, "long": record.ParseTime} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				parse(text)
			}
		})
	}
}
