package dataset

import (
	"slices"

	"github.com/pgassay/pgassay/parser/record"
)

// stretches joins those of all blocks and files to runs without a silence. What
// the blocks were does not show.
func (b *builder) stretches() {
	all := slices.Clone(b.d.stretches)
	sortBy(all, func(x, y *record.Stretch) bool {
		if x.From != y.From {
			return x.From < y.From
		}
		return posLess(x.First, y.First)
	})
	m := b.m
	for _, s := range all {
		if s.Back > 0 {
			m.ClockSteps = append(m.ClockSteps, s)
			s.Back = 0
		}
		n := len(m.Stretches)
		if n == 0 || s.From.Sub(m.Stretches[n-1].To) >= record.Silence {
			m.Stretches = append(m.Stretches, s)
			continue
		}
		run := &m.Stretches[n-1]
		run.Entries += s.Entries
		if s.To > run.To {
			run.To, run.Last = s.To, s.Last
		}
	}
}
