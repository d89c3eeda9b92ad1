package analysis

import (
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

func TestOffsetOfTheLogsZone(t *testing.T) {
	const july, january = record.Time(1784000000e6), record.Time(1768000000e6)
	unknown := record.Count{}
	for _, c := range []struct {
		zone, given string
		at          record.Time
		want        record.Count
	}{
		{"UTC", "", july, record.Some(0)},
		{"CEST", "", july, record.Some(7200)},
		{"-0330", "", july, record.Some(-12600)},
		{"CST", "", july, unknown}, // America, China or Cuba
		{"", "", july, unknown},
		{"CST", "Asia/Shanghai", july, record.Some(28800)},
		{"", "Europe/Berlin", july, record.Some(7200)},
		{"", "Europe/Berlin", january, record.Some(3600)},
		{"UTC", "Europe/Berlin", july, record.Some(0)}, // the text decides
		{"CST", "Nowhere/Town", july, unknown},
		{"CST", "Asia/Shanghai", record.NoTime, unknown},
	} {
		if got := zoneOffset(c.zone, c.given, c.at); got != c.want {
			t.Errorf("%q, given %q: %v, want %v", c.zone, c.given, got, c.want)
		}
	}
}
