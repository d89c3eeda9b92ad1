package dataset

import (
	"sort"

	"github.com/pgassay/pgassay/parser/record"
)

// recoveries says when the server was a standby, by its rows in ViewServer.
type recoveries []recovery

type recovery struct {
	time    record.Time
	standby bool
}

func (b *builder) recoveries() recoveries {
	var out recoveries
	rows := b.d.samples[record.ViewServer]
	for i := range rows {
		if v, ok := inRecovery(&rows[i]); ok {
			out = append(out, recovery{rows[i].CapturedAt, v})
		}
	}
	return out
}

// at reports whether the row was read from a standby: by its own column, else
// by the row about the server of its capture, else by the last one before it.
func (rs recoveries) at(s *record.Sample) bool {
	if v, ok := inRecovery(s); ok {
		return v
	}
	if len(rs) == 0 {
		return false
	}
	i := sort.Search(len(rs), func(i int) bool { return !rs[i].time.Known() || rs[i].time > s.CapturedAt.Add(SameCapture) })
	return rs[max(0, i-1)].standby
}
