package parser

import (
	"bytes"
	"context"
	"path"
	"slices"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// A log that was split at any byte may leave pieces in which no entry starts.
// No format fits them; what they are, the pieces around them tell.

// keepWhole holds back a text that no format fits, to see later whether it is
// such a piece. l is the loss that it is otherwise.
func (s *stream) keepWhole(ctx context.Context, f *file, t *source.Text, l record.Loss) error {
	b := &source.Block{Data: bytes.Clone(t.Head), Pos: l.Pos, Bytes: int64(len(t.Head))}
	b.Lines = int64(bytes.Count(b.Data, []byte{'\n'}))
	if !bytes.HasSuffix(b.Data, []byte{'\n'}) {
		b.Lines++
	}
	if !t.EOF || t.HasNULs() || len(b.Data) == 0 || !s.hold(b) {
		return s.lose(ctx, f, &source.Block{}, l)
	}
	f.orphan, f.strange = b, &l
	return nil
}

// joinWhole puts such pieces before the head of the log behind them, if they
// stand between two logs of one series, of which one goes on in the other, and
// the names are those of pieces.
func (s *stream) joinWhole(logs []*file, tails map[*file]*record.Batch) {
	for from := 1; from < len(s.files); from++ {
		if s.files[from].strange == nil {
			continue
		}
		to := from
		for to < len(s.files) && s.files[to].strange != nil {
			to++
		}
		if to == len(s.files) {
			return
		}
		before, after := s.files[from-1], s.files[to]
		if alone := tails[before]; alone != nil && follows(logs, before, after) &&
			pieces(s.files[from-1:to+1]) && continued(before, s.files[from].orphan, alone) {
			after.prepend(s.files[from:to])
		}
		from = to
	}
}

// follows reports whether after is the log behind before.
func follows(logs []*file, before, after *file) bool {
	i := slices.Index(logs, before)
	return i >= 0 && i+1 < len(logs) && logs[i+1] == after && sameSeries(before, after)
}

// prepend puts whole texts before the head of f.
func (f *file) prepend(whole []*file) {
	var data []byte
	for _, w := range whole {
		data = append(data, w.orphan.Data...)
		w.Format, w.strange, w.orphan.Data = f.Format, nil, nil
	}
	if f.orphan == nil {
		f.orphan = &source.Block{Pos: record.Pos{File: f.Name, Line: 1}}
	}
	f.orphan.Data = append(data, f.orphan.Data...)
}

// maxNumber is how many characters number a piece.
const maxNumber = 6

// pieces reports whether the names are those that split gives: they begin alike,
// in one folder, and each differs from the one before in a few letters or digits.
func pieces(files []*file) bool {
	for i := 1; i < len(files); i++ {
		a, b := files[i-1].Name, files[i].Name
		if len(a) != len(b) || path.Dir(a) != path.Dir(b) {
			return false
		}
		first, last := 0, len(a)
		for first < last && a[first] == b[first] {
			first++
		}
		for last > first && a[last-1] == b[last-1] {
			last--
		}
		if first == len(a)-len(path.Base(a)) || last-first > maxNumber || !isNumber(a[first:last]) || !isNumber(b[first:last]) {
			return false
		}
	}
	return true
}

func isNumber(s string) bool {
	for i := range len(s) {
		if s[i]-'0' >= 10 && s[i]|0x20-'a' >= 26 {
			return false
		}
	}
	return true
}
