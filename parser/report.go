package parser

import (
	"slices"

	"github.com/pgassay/pgassay/parser/record"
)

// FormatEmpty is the Format of an input without text. It is no loss: rotation
// leaves empty files behind.
const FormatEmpty = "empty"

// placesOf is how many places are kept of a kind of loss in a file: more of what
// could not be read at all, which somebody has to look at, and of what has one
// place for each text.
func placesOf(kind record.LossKind) int {
	switch kind {
	case record.LossLine, record.LossEntry, record.LossPrefix, record.LossLanguage:
		return 20
	}
	return 5
}

// Report is what was read, sorted by the files' names. It counts what the
// batches carry, losses included.
type Report struct {
	Files []FileReport
}

// FileReport is what one input yielded.
type FileReport struct {
	record.File
	Bytes, Lines        int64 // after decompression
	Entries, Understood int64
	Executions, Plans   int64
	Vacuums, Samples    int64
	Kinds               []KindCount // entries and rows that became records, by kind
	// Losses keep the first places of each kind, 20 of lines and entries that
	// could not be read and five of the others, in the order of the file; what
	// holds for the whole file, a prefix or a language, has one for each text.
	// The Count of the last includes what follows, so that the counts of a kind
	// add up.
	Losses []record.Loss
	// Unknown are the first places, at most 20, of entries that were not
	// understood: of a kind that is not known, which is no loss.
	Unknown []record.Pos
	// Repairs has one entry for each kind of repair.
	Repairs []record.Repair
}

// add counts a batch.
func (r *FileReport) add(b *record.Batch) {
	r.Bytes += b.Bytes
	r.Lines += b.Lines
	r.Entries += b.Entries
	r.Understood += b.Understood
	r.Executions += int64(len(b.Executions))
	r.Vacuums += int64(len(b.Vacuums))
	r.Samples += int64(len(b.Samples))
	for i := range b.Executions {
		if b.Executions[i].HasPlan {
			r.Plans++
		}
	}
	for _, l := range b.Losses {
		r.lose(l)
	}
	for _, p := range b.Unknown {
		r.unknown(p)
	}
	for _, p := range b.Repairs {
		r.repair(p)
	}
}

// maxUnknown is how many places of entries that were not understood are kept.
const maxUnknown = 20

// unknown keeps p if it is among the first places.
func (r *FileReport) unknown(p record.Pos) {
	at := len(r.Unknown)
	for at > 0 && r.Unknown[at-1].Offset > p.Offset {
		at--
	}
	if at < maxUnknown {
		r.Unknown = slices.Insert(r.Unknown, at, p)
		r.Unknown = r.Unknown[:min(len(r.Unknown), maxUnknown)]
	}
}

// repair counts p with what was repaired alike before.
func (r *FileReport) repair(p record.Repair) {
	i := slices.IndexFunc(r.Repairs, func(known record.Repair) bool { return known.Name == p.Name })
	if i < 0 {
		r.Repairs = append(r.Repairs, p)
		return
	}
	r.Repairs[i].Count += p.Count
}

// lose keeps l by its place, or its count if its kind has enough places.
func (r *FileReport) lose(l record.Loss) {
	if l.Kind == record.LossPrefix || l.Kind == record.LossLanguage {
		i := slices.IndexFunc(r.Losses, func(k record.Loss) bool { return k.Kind == l.Kind && k.Text == l.Text })
		if i >= 0 {
			l.Count += r.Losses[i].Count
			if r.Losses[i].Pos.Offset < l.Pos.Offset {
				l.Pos = r.Losses[i].Pos
			}
			r.Losses = slices.Delete(r.Losses, i, i+1)
		}
	}
	at, of, last := len(r.Losses), 0, -1
	for i := range r.Losses {
		if at == len(r.Losses) && r.Losses[i].Pos.Offset > l.Pos.Offset {
			at = i
		}
		if r.Losses[i].Kind == l.Kind {
			of, last = of+1, i
		}
	}
	switch {
	case of < placesOf(l.Kind):
		r.Losses = slices.Insert(r.Losses, at, l)
	case at > last:
		r.Losses[last].Count += l.Count
	default:
		surplus := r.Losses[last].Count
		r.Losses = slices.Delete(r.Losses, last, last+1)
		r.Losses = slices.Insert(r.Losses, at, l)
		r.lastOf(l.Kind).Count += surplus
	}
}

func (r *FileReport) lastOf(kind record.LossKind) *record.Loss {
	for i := len(r.Losses) - 1; i > 0; i-- {
		if r.Losses[i].Kind == kind {
			return &r.Losses[i]
		}
	}
	return &r.Losses[0]
}

// firstTime is the time of the record with the smallest place, NoTime if no
// record has one.
func firstTime(b *record.Batch) record.Time {
	first, at := record.NoTime, int64(0)
	see := func(t record.Time, p record.Pos) {
		if t.Known() && (!first.Known() || p.Offset < at) {
			first, at = t, p.Offset
		}
	}
	for i := range b.Executions {
		see(b.Executions[i].LogTime, b.Executions[i].Pos)
	}
	for i := range b.Vacuums {
		see(b.Vacuums[i].LogTime, b.Vacuums[i].Pos)
	}
	for i := range b.Events {
		see(b.Events[i].LogTime, b.Events[i].Pos)
	}
	return first
}

// lastVersion is the version that the last server start in b tells, or "".
func lastVersion(b *record.Batch) string {
	for i := len(b.Events) - 1; i >= 0; i-- {
		if e := &b.Events[i]; e.Kind == record.EventServerStart && e.Text != "" {
			return e.Text
		}
	}
	return ""
}
