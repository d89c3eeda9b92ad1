package source

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/pgassay/pgassay/parser/record"
)

// peekSize is what is looked at to tell compressions, archives and encodings:
// a block of tar.
const peekSize = 512

// readSize is the size of reads below a decompressor. Plain text is read into
// the blocks themselves.
const readSize = 64 << 10

// regular is what a file offers to be read out of order.
type regular interface {
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// Each opens the input and calls visit with each text in it: one, or one for
// each file in an archive, named "archive.tar.gz!path/in/it". Compressions and
// archives may stand in each other. Of an archive, hidden files, README* and
// *.md are passed over, as in a folder, and so are links and devices; nothing
// is written, so that no path can lead out of it. The text is valid until visit
// returns.
//
// Each returns visit's error, and errors of opening and reading the file. What
// is damaged, encrypted, of an unknown kind or larger than the limits is no
// error: see Text.Damage. Where an archive itself is, or holds nothing to read,
// visit gets an empty text with the name of the archive.
func (in Input) Each(visit func(*Text) error) error {
	f, err := in.open()
	if err != nil {
		return err
	}
	defer f.Close()
	o := &opening{raw: newRawReader(f), visit: visit}
	o.budget = &budget{limits: in.limits, raw: o.raw}
	if in.limits == (limits{}) {
		o.budget.limits = defaultLimits()
	}
	return o.open(place{name: in.Name, base: in.Name}, o.raw)
}

// opening is one input on its way to its texts.
type opening struct {
	raw    *rawReader
	budget *budget
	visit  func(*Text) error
	// damaged is the last damage that a text ended with.
	damaged error
}

// place is one layer of an input: a compression, an archive, or the text.
type place struct {
	name, base string
	kind       string // of the layer around it, for messages
	depth      int    // layers around it
}

// open looks at the first bytes of r and goes one layer down, or visits the text.
func (o *opening) open(p place, r io.Reader) error {
	plain := bufio.NewReaderSize(r, peekSize)
	start, err := plain.Peek(peekSize)
	if err == io.EOF {
		err = nil
	}
	t := o.text(p)
	if err := t.end(err); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	if i := slices.IndexFunc(codecs, func(c codec) bool { return c.match(start) }); i >= 0 {
		return o.decompress(p, codecs[i], plain)
	}
	if i := slices.IndexFunc(archives, func(a archive) bool { return a.match(start) }); i >= 0 {
		return o.unpack(p, archives[i], plain)
	}
	for _, r := range refusals {
		if strings.HasPrefix(string(start), r.magic) {
			return o.nothing(p, record.LossFile, errors.New("a "+r.name+": unpack it first, or pack it as zip or tar"))
		}
	}
	t.decode(plain, start)
	if err := t.Grow(HeadSize); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	return o.visit(t)
}

func (o *opening) text(p place) *Text { return &Text{Name: p.name, Base: p.base, kind: p.kind, o: o} }

// nothing visits an empty text, to report why there is no other.
func (o *opening) nothing(p place, kind record.LossKind, why error) error {
	t := o.text(p)
	t.EOF, t.lossKind, t.damage = true, kind, why
	return o.visit(t)
}

// tooDeep is the error of a layer beyond the limit, nil up to there.
func (o *opening) tooDeep(p place) error {
	if p.depth < o.budget.depth {
		return nil
	}
	return capError("more than " + strconv.Itoa(o.budget.depth) + " compressions and archives inside each other")
}

func (o *opening) decompress(p place, c codec, r *bufio.Reader) error {
	if err := o.tooDeep(p); err != nil {
		return o.nothing(p, record.LossCap, err)
	}
	inner := place{name: p.name, base: strings.TrimSuffix(p.base, c.suffix), kind: c.name, depth: p.depth + 1}
	text, err := c.open(bufio.NewReaderSize(r, readSize))
	if err != nil {
		return o.broken(inner, err)
	}
	defer text.Close()
	return o.open(inner, &meter{r: text, b: o.budget})
}

// broken visits an empty text for a layer that cannot be read, or returns the
// error of the file.
func (o *opening) broken(p place, err error) error {
	kind, err, failure := o.damage(err)
	if failure != nil {
		return fmt.Errorf("%s: %w", p.name, failure)
	}
	return o.nothing(p, kind, err)
}

// damage tells damage from a failure to read: what a decoder complains about
// while the file itself can be read is damage, or a limit of ours.
func (o *opening) damage(err error) (kind record.LossKind, damage, failure error) {
	var limit capError
	switch {
	case o.raw.err != nil:
		return "", nil, o.raw.err
	case o.budget.hit() != nil:
		return record.LossCap, o.budget.hit(), nil
	case errors.As(err, &limit):
		return record.LossCap, err, nil
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return record.LossCap, fmt.Errorf("its window is larger than %s: %w", size(zstdWindow), err), nil
	}
	return record.LossTruncated, err, nil
}

// unpack goes into each file of an archive.
func (o *opening) unpack(p place, a archive, r *bufio.Reader) error {
	p.kind = a.name
	if err := o.tooDeep(p); err != nil {
		return o.nothing(p, record.LossCap, err)
	}
	list, err := a.open(o, p, r)
	if err != nil {
		return o.broken(p, err)
	}
	u := unpacking{opening: o, archive: p, names: map[string]int{}}
	for o.budget.spent == nil {
		o.budget.full = nil
		m, err := list.next()
		switch {
		case err == io.EOF:
			return u.end()
		case err != nil:
			return u.cut(err)
		}
		if err := u.member(m); err != nil || u.full {
			return err
		}
	}
	return nil
}
