package parser

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// finish folds what was held back: the last entry of each log, together with
// the head of the log that continues it, and the heads that continue nothing.
func (s *stream) finish() error {
	tails := s.parseTails()
	s.joinOrphans(tails)
	for _, f := range s.files {
		if f.orphan != nil {
			if err := s.deliverOrphan(f); err != nil {
				return err
			}
		}
		if b := tails[f]; b != nil {
			if err := s.deliver(f, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// parseTails reads the held-back entries as they stand.
func (s *stream) parseTails() map[*file]*record.Batch {
	tails := make(map[*file]*record.Batch)
	for _, f := range s.files {
		if f.tail == nil {
			continue
		}
		b := s.newBatch(f)
		f.parse(f.tail, f.tail.Data, b)
		tails[f] = b
		if !f.first.Known() {
			f.first = firstTime(b)
		}
	}
	return tails
}

// joinOrphans reads each held-back entry again, together with the head of the
// log that continues it. A head that was joined gives up its data.
func (s *stream) joinOrphans(tails map[*file]*record.Batch) {
	logs := s.logsInSequence()
	s.joinWhole(logs, tails)
	for i := 1; i < len(logs); i++ {
		before, f := logs[i-1], logs[i]
		alone := tails[before]
		if f.orphan == nil || alone == nil || !sameSeries(before, f) || !continued(before, f.orphan, alone) {
			continue
		}
		s.recycle(alone)
		b := s.newBatch(before)
		before.parse(before.tail, slices.Concat(before.tail.Data, f.orphan.Data), b)
		tails[before] = b
		f.orphan.Data = nil
	}
}

// logsInSequence are the logs by series, and within a series by the time of
// their first entry. A log without a time stays behind the one before it by
// name.
func (s *stream) logsInSequence() []*file {
	var logs []*file
	for _, f := range s.files {
		if f.det == nil || !f.det.Continues() {
			continue
		}
		logs = append(logs, f)
	}
	slices.SortStableFunc(logs, bySeries)
	for i := 1; i < len(logs); i++ {
		if !logs[i].first.Known() && sameSeries(logs[i-1], logs[i]) {
			logs[i].first = logs[i-1].first
		}
	}
	slices.SortStableFunc(logs, func(a, b *file) int {
		if c := bySeries(a, b); c != 0 {
			return c
		}
		switch {
		case a.first < b.first:
			return -1
		case a.first > b.first:
			return 1
		}
		return 0
	})
	return logs
}

// bySeries orders by what tells one series of logs from another: the format and
// the folder. Logs of two servers that lie in two folders are never joined.
func bySeries(a, b *file) int {
	if c := strings.Compare(a.Format, b.Format); c != 0 {
		return c
	}
	return strings.Compare(source.Folder(a.Name), source.Folder(b.Name))
}

func sameSeries(a, b *file) bool { return bySeries(a, b) == 0 }

// continued reports whether orphan goes on where the tail of f ends. A log that
// merely begins with foreign lines (a container's start-up messages) must not
// spoil a whole entry, so something has to speak for it: the tail's last line is
// not ended, or could not be read as it stands, or the orphan begins as
// PostgreSQL continues a message, with a tab, or as the format knows.
func continued(f *file, orphan *source.Block, alone *record.Batch) bool {
	return !bytes.HasSuffix(f.tail.Data, []byte("\n")) || damages(alone.Losses) > damages(f.tail.Losses) ||
		orphan.Data[0] == '\t' || orphan.Data[0] == ' ' || f.det.GoesOn != nil && f.det.GoesOn(orphan.Data)
}

// damages counts the losses that a cut could have made: not those of the whole
// file's time zone or prefix.
func damages(losses []record.Loss) int {
	n := 0
	for _, l := range losses {
		if l.Kind != record.LossTime && l.Kind != record.LossPrefix {
			n++
		}
	}
	return n
}

// deliverOrphan accounts for the head of f, as a loss unless it was joined.
func (s *stream) deliverOrphan(f *file) error {
	b := s.newBatch(f)
	if f.strange != nil {
		b.Losses = append(b.Losses, *f.strange)
		return s.deliver(f, b)
	}
	b.Lines, b.Bytes = f.orphan.Lines, f.orphan.Bytes
	b.Losses = append(b.Losses, f.orphan.Losses...)
	if f.orphan.Data != nil {
		b.Losses = append(b.Losses, orphanLoss(f.orphan))
	}
	return s.deliver(f, b)
}

func orphanLoss(o *source.Block) record.Loss {
	return record.Loss{
		Pos:   o.Pos,
		Kind:  record.LossLine,
		Text:  "lines before the first entry, which continue no other input",
		Count: o.Lines,
	}
}
