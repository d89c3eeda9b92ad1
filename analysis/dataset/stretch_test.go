package dataset

import (
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

// Blocks and files in any order make the same runs.
func TestStretchesOfBlocksAndFiles(t *testing.T) {
	at := func(s int64) record.Time { return record.Time(s) * record.Time(record.Second) }
	stretch := func(file string, from, to int64) record.Stretch {
		return record.Stretch{First: record.Pos{File: file, Line: from}, Last: record.Pos{File: file, Line: to}, From: at(from), To: at(to), Entries: 10}
	}
	parts := []record.Stretch{stretch("b", 250, 300), stretch("a", 0, 100), stretch("a", 110, 150), stretch("b", 120, 130)}
	parts[0].Back = record.Second
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}} {
		d := New(DefaultLimits(), func([]byte) *record.Statement { return nil })
		for _, i := range order {
			d.Fold(&record.Batch{Stretches: parts[i : i+1]})
		}
		m := d.Build()
		if len(m.Stretches) != 2 || len(m.ClockSteps) != 1 || m.ClockSteps[0].First.File != "b" {
			t.Fatalf("%+v %+v", m.Stretches, m.ClockSteps)
		}
		if s := m.Stretches[0]; s.Entries != 30 || s.To != at(150) || s.Last.Line != 150 {
			t.Errorf("%+v", s)
		}
	}
}
