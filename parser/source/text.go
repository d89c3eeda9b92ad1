package source

import (
	"fmt"
	"io"
	"slices"

	"github.com/pgassay/pgassay/parser/record"
)

// headStart is the first step in which a head grows: most snapshots are small.
const headStart = 8 << 10

// Text is the decompressed UTF-8 text of one input, or of one file in it.
type Text struct {
	Name string // as the user named it, and for a member its path in the archive
	Base string // Name without the suffixes of its compressions
	// Head is the first HeadSize bytes, or all if EOF; more after Grow.
	Head []byte
	EOF  bool // Head is the whole text
	// Start is the offset of Head[0]: the length of a UTF-8 byte order mark.
	Start int64

	o        *opening
	r        io.Reader
	nul      *nulReader // under r, nil if the text has been UTF-16
	kind     string     // of the innermost compression or archive, for messages
	lossKind record.LossKind
	damage   error
}

// Read reads on behind Head. It ends with io.EOF also where a compressed stream
// is damaged or a limit is hit.
func (t *Text) Read(p []byte) (int, error) {
	if t.r == nil {
		return 0, io.EOF
	}
	n, err := t.r.Read(p)
	if err == nil || err == io.EOF {
		return n, err
	}
	if err = t.end(err); err == nil {
		err = io.EOF
	}
	return n, err
}

// end keeps err if it is damage, and returns it if the file cannot be read.
func (t *Text) end(err error) error {
	if err == nil || t.o.raw.err != nil {
		return t.o.raw.err
	}
	t.lossKind, t.damage, err = t.o.damage(err)
	t.o.damaged = t.damage
	return err
}

// Damage says why the text ended before its time, or is empty: a compressed
// stream that is cut or damaged (LossTruncated), a limit of ours (LossCap), or a
// container that cannot be opened (LossFile). It is nil before the end was read
// and for a sound file.
func (t *Text) Damage() (record.LossKind, error) {
	if t.damage == nil || t.kind == "" {
		return t.lossKind, t.damage
	}
	return t.lossKind, fmt.Errorf("%s: %w", t.kind, t.damage)
}

// Grow reads on until Head has n bytes or is the whole text.
func (t *Text) Grow(n int) error {
	for !t.EOF && len(t.Head) < n {
		room := min(max(len(t.Head), headStart), n-len(t.Head))
		t.Head = slices.Grow(t.Head, room)
		got, err := io.ReadFull(t, t.Head[len(t.Head):len(t.Head)+room])
		t.Head = t.Head[:len(t.Head)+got]
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			t.EOF = true
		default:
			return err
		}
	}
	return nil
}
