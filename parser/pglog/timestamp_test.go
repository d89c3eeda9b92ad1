package pglog

import (
	"testing"
	"time"

	"github.com/pgassay/pgassay/parser/record"
)

func TestTimesAndZones(t *testing.T) {
	tests := []struct {
		text, want string
		res        record.Duration
	}{
		{"2026-03-02 08:00:01.100 UTC", "2026-03-02T08:00:01.1Z", record.Millisecond},
		{"2026-03-02 08:00:01 GMT", "2026-03-02T08:00:01Z", record.Second},
		{"2026-03-02 08:00:01.100 -03", "2026-03-02T11:00:01.1Z", record.Millisecond},
		{"2026-03-02 08:00:01.100 +0530", "2026-03-02T02:30:01.1Z", record.Millisecond},
		{"2026-03-02 08:00:01.100 +0545", "2026-03-02T02:15:01.1Z", record.Millisecond},
		{"2026-03-02 08:00:01.123456+05:30", "2026-03-02T02:30:01.123456Z", record.Millisecond},
		{"2026-03-02 08:00:01.100 CET", "2026-03-02T07:00:01.1Z", record.Millisecond},
		{"2026-07-02 08:00:01.100 CEST", "2026-07-02T06:00:01.1Z", record.Millisecond},
		{"2026-03-02 08:00:01.100 EST", "2026-03-02T13:00:01.1Z", record.Millisecond},
		{"2026-03-01 00:30:00.000 +01", "2026-02-28T23:30:00Z", record.Millisecond},
	}
	c := clock{base: record.NoTime}
	for _, test := range tests {
		got, res, ok := c.Time([]byte(test.text))
		if !ok || got.Std().Format(time.RFC3339Nano) != test.want || res != test.res || c.Note != "" {
			t.Errorf("%s: %s, want %s; %q", test.text, got.Std().Format(time.RFC3339Nano), test.want, c.Note)
		}
	}
}

func TestTimesThatAreNone(t *testing.T) {
	c := clock{base: record.NoTime}
	for _, text := range []string{
		"", "2026-03-02", "2026-13-02 08:00:01 UTC", "2026-03-32 08:00:01 UTC", "2026-03-02 24:00:01 UTC",
		"2026-03-02 08:61:01 UTC", "2026-03-02 08:00:01 UTC x", "2026-03-02T08:00:01Z", "2026/03/02 08:00:01 UTC",
	} {
		if got, _, ok := c.Time([]byte(text)); ok {
			t.Errorf("%q: %v", text, got.Std())
		}
	}
}

func TestAmbiguousZoneIsNoted(t *testing.T) {
	kolkata, err := time.LoadLocation("Asia/Kolkata")
	if err != nil {
		t.Skip(err)
	}
	const text = "2026-03-02 08:00:01.100 IST"
	c := clock{base: record.NoTime}
	if got, _, ok := c.Time([]byte(text)); !ok || c.Note == "" || got.Std().Hour() != 8 {
		t.Errorf("%v %q", got.Std(), c.Note)
	}
	c = clock{base: record.NoTime, location: kolkata}
	if got, _, ok := c.Time([]byte(text)); !ok || c.Note != "" || got.Std().Format("15:04") != "02:30" {
		t.Errorf("%v %q", got.Std(), c.Note)
	}
}

// In autumn an hour occurs twice; the abbreviation tells which it is.
func TestHourThatOccursTwice(t *testing.T) {
	dublin, err := time.LoadLocation("Europe/Dublin")
	if err != nil {
		t.Skip(err)
	}
	c := clock{base: record.NoTime, location: dublin}
	summer, _, _ := c.Time([]byte("2026-10-25 01:30:00 IST"))
	winter, _, _ := c.Time([]byte("2026-10-25 01:30:00 GMT"))
	if winter.Sub(summer) != 3600*record.Second || c.Note != "" {
		t.Errorf("%v %v", summer.Std(), winter.Std())
	}
}

func TestOneLossPerZoneAndBlock(t *testing.T) {
	text := "2026-03-02 08:00:01.100 IST [21] LOG:  duration: 3.000 ms\n"
	b := parseText(t, Stderr, text+text)
	if len(b.Losses) != 1 || b.Losses[0].Kind != record.LossTime || b.Losses[0].Count != 2 {
		t.Errorf("%+v", b.Losses)
	}
	h := headOf([]byte(text))
	h.Timezone = "Nowhere/Nothing"
	b = parse(t, Stderr, h, []byte(text))
	if lossCount(b, record.LossTime) != 2 {
		t.Errorf("%+v", b.Losses)
	}
}

func TestEpochTime(t *testing.T) {
	if got, ok := epochTime([]byte("1796046818.496")); !ok || got != 1796046818496000 {
		t.Error(got, ok)
	}
	for _, text := range []string{"", ".5", "x.1", "99999999999999999999.1"} {
		if _, ok := epochTime([]byte(text)); ok {
			t.Error(text)
		}
	}
}
