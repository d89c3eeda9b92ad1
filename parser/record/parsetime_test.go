package record

import "testing"

func TestTimeFromNameFindsDateAndTimeOfDay(t *testing.T) {
	const second = Time(1e6)
	base, ok := ParseTime("2026-11-30 14:20:14+00")
	if !ok {
		t.Fatal("no base")
	}
	for name, want := range map[string]Time{
		"2026-11-30_14-20-14.csv":                 base,
		"snap-20261130T142014Z.ndjson":            base,
		"pg_stat_2026-11-30T14:20:14.csv":         base,
		"postgresql-2026-11-30_142014.log":        base,
		"2026-11-30T16:20:14+02:00.json":          base,
		"20261130142014":                          base,
		"20261130-142014.5.json":                  base + second/2,
		"day/2026-11-30/14-20-14.csv":             base,
		"2026-11-29_00-00-00/2026-11-30_1420.csv": base - 14*second,
	} {
		if got, ok := TimeFromName(name); !ok || got != want {
			t.Errorf("%s: got %v %v, want %v", name, got.Std(), ok, want.Std())
		}
	}
	for _, name := range []string{
		"", "postgresql.log", "postgresql-2026-11-30.log", "2026-13-30_14-20-14.csv",
		"plan-1234567890.json", "v12.4-20261130.txt",
	} {
		if got, ok := TimeFromName(name); ok {
			t.Errorf("%s: got %v, want none", name, got.Std())
		}
	}
}
