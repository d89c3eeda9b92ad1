package sqltext

import "testing"

func TestStringEnd(t *testing.T) {
	for s, want := range map[string]int{"a' or": 2, "it''s', 1": 6, "'": 1, "open": 4, "open''": 6, "": 0} {
		if got := StringEnd(s); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}
