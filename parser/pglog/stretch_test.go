package pglog

import (
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

// Entries of any kind count, also those that are not understood.
func TestStretchesOfALog(t *testing.T) {
	b := parseText(t, Stderr, `2026-03-02 08:00:00.000 UTC [5] LOG:  listening on port 5
2026-03-02 08:00:59.000 UTC [5] LOG:  what nobody knows
2026-03-02 08:00:58.500 UTC [6] LOG:  what nobody knows
2026-03-02 08:10:00.000 UTC [5] LOG:  duration: 1.000 ms
2026-03-02 07:10:00.000 UTC [5] LOG:  duration: 1.000 ms
`)
	if len(b.Stretches) != 3 {
		t.Fatalf("%+v", b.Stretches)
	}
	first, second, third := b.Stretches[0], b.Stretches[1], b.Stretches[2]
	if first.Entries != 3 || first.First.Line != 1 || first.Last.Line != 2 || first.To.Sub(first.From) != 59*record.Second {
		t.Errorf("%+v", first)
	}
	if second.First.Line != 4 || second.Back != 0 || third.First.Line != 5 || third.Back != 3600*record.Second {
		t.Errorf("%+v %+v", second, third)
	}
}
