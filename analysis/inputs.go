package analysis

import (
	"maps"
	"slices"

	"github.com/pgassay/pgassay/parser"
	"github.com/pgassay/pgassay/parser/record"
)

// inputs collects what the batches tell of each file's times.
type inputs struct {
	times map[string]*fileTimes
}

type fileTimes struct {
	first, last record.Time
	captures    map[record.Time]bool // of whole seconds
}

// maxCaptures bounds the capture times remembered of a file.
const maxCaptures = 100_000

func newInputs() *inputs { return &inputs{times: map[string]*fileTimes{}} }

func (in *inputs) see(b *record.Batch) {
	f := in.times[b.File.Name]
	if f == nil {
		f = &fileTimes{first: record.NoTime, last: record.NoTime, captures: map[record.Time]bool{}}
		in.times[b.File.Name] = f
	}
	for i := range b.Executions {
		f.see(b.Executions[i].LogTime)
	}
	for i := range b.Vacuums {
		f.see(b.Vacuums[i].LogTime)
	}
	for i := range b.Events {
		f.see(b.Events[i].LogTime)
	}
	for i := range b.Samples {
		t := b.Samples[i].CapturedAt
		f.see(t)
		if t.Known() && len(f.captures) < maxCaptures {
			f.captures[t-t%record.Time(record.Second)] = true
		}
	}
}

func (f *fileTimes) see(t record.Time) {
	if !t.Known() {
		return
	}
	if !f.first.Known() || t < f.first {
		f.first = t
	}
	if !f.last.Known() || t > f.last {
		f.last = t
	}
}

// of joins the parser's counts with the times.
func (in *inputs) of(rep *parser.Report) []Input {
	out := make([]Input, 0, len(rep.Files))
	for _, r := range rep.Files {
		x := Input{
			File: r.File, Bytes: r.Bytes, Lines: r.Lines, Entries: r.Entries, Understood: r.Understood,
			Executions: r.Executions, Plans: r.Plans, Vacuums: r.Vacuums, Samples: r.Samples,
			Kinds: r.Kinds, Losses: r.Losses, Unknown: r.Unknown, First: record.NoTime, Last: record.NoTime,
		}
		if f := in.times[r.Name]; f != nil {
			x.First, x.Last = f.first, f.last
			x.Captures, x.Interval = Captures(slices.Collect(maps.Keys(f.captures)))
			x.Snapshots = int64(len(x.Captures))
		}
		out = append(out, x)
	}
	return out
}

// Captures are the snapshots among capture times in whole seconds: each once,
// sorted, and their median distance, 0 below two. Rows of one capture may
// straddle a second: neighbours count as one.
func Captures(seconds []record.Time) ([]record.Time, record.Duration) {
	slices.Sort(seconds)
	var times []record.Time
	var gaps []record.Duration
	last := record.NoTime
	for _, t := range seconds {
		if last.Known() && t.Sub(last) <= record.Second {
			last = t
			continue
		}
		if last.Known() {
			gaps = append(gaps, t.Sub(last))
		}
		times = append(times, t)
		last = t
	}
	if len(gaps) == 0 {
		return times, 0
	}
	slices.Sort(gaps)
	return times, gaps[len(gaps)/2]
}
