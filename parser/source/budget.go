package source

import (
	"fmt"
	"io"
	"math"
)

// limits bound what one input may unpack to. They stop bombs: text never needs
// more than one block in memory, but time and the report have their limits too.
type limits struct {
	grace   int64 // unpacked bytes up to which no ratio is asked for
	ratio   int64 // unpacked bytes, of all layers, to one byte of the file
	member  int64 // unpacked bytes of one member, at each layer
	total   int64 // unpacked bytes of the input, of all layers
	members int   // files read of one archive
	depth   int   // compressions and archives inside each other
}

// defaultLimits leave room for every log: deflate cannot reach the ratio, and
// the logs that come closest to it are far below the grace.
func defaultLimits() limits {
	return limits{
		grace:   256 << 20,
		ratio:   1000,
		member:  256 << 30,
		total:   1 << 40,
		members: 100_000,
		depth:   8,
	}
}

// capError is a limit of ours that was hit.
type capError string

// Error implements error.
func (e capError) Error() string { return string(e) }

// budget is what one input has unpacked so far.
type budget struct {
	limits
	raw      *rawReader
	unpacked int64
	spent    error // the input's limits are hit: nothing more is unpacked
	full     error // the present member's limit is hit
}

// hit is the limit that was hit, nil if none.
func (b *budget) hit() error {
	if b.spent != nil {
		return b.spent
	}
	return b.full
}

// count adds n bytes, and says whether a limit is hit by it; layer is what the
// layer that unpacked them has given out by now.
func (b *budget) count(n int, layer int64) error {
	b.unpacked += int64(n)
	switch {
	case b.unpacked > b.total:
		b.spent = capError("unpacks to more than " + size(b.total) + ": the rest was left out")
	case b.unpacked > b.grace && b.unpacked/b.ratio > b.raw.n:
		b.spent = capError(fmt.Sprintf("unpacks to more than %d times its size, as no log does: the rest was left out", b.ratio))
	case layer > b.member:
		b.full = capError("unpacks to more than " + size(b.member) + ": the rest was left out")
	}
	return b.hit()
}

// size prints a limit, which is a whole number of its unit.
func size(n int64) string {
	for i, unit := range [...]string{"TiB", "GiB", "MiB", "KiB"} {
		if u := int64(1) << (40 - 10*i); n >= u && n%u == 0 {
			return fmt.Sprintf("%d %s", n/u, unit)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// meter counts what a decompressor or an archive gives out, and ends it with an
// error where a limit is hit.
type meter struct {
	r io.Reader
	b *budget
	n int64
}

// Read implements io.Reader.
func (m *meter) Read(p []byte) (int, error) {
	if m.b.spent != nil || m.n > m.b.member {
		return 0, m.b.count(0, m.n)
	}
	n, err := m.r.Read(p)
	m.n += int64(n)
	if capped := m.b.count(n, m.n); capped != nil {
		return n, capped
	}
	return n, err
}

// rawReader counts what is read of the file itself and remembers its error.
type rawReader struct {
	r    io.Reader
	at   io.ReaderAt // nil if the file cannot be read out of order
	size int64       // of the file; MaxInt64 if not known
	n    int64       // bytes read, at most size
	err  error
}

func newRawReader(f io.Reader) *rawReader {
	raw := &rawReader{r: f, size: math.MaxInt64}
	if f, ok := f.(regular); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			raw.at, raw.size = f, info.Size()
		}
	}
	return raw
}

// Read implements io.Reader.
func (r *rawReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	return r.seen(n, err)
}

// ReadAt implements io.ReaderAt, if r.at is not nil. An offset that no file has
// comes from a damaged archive.
func (r *rawReader) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := r.at.ReadAt(p, off)
	return r.seen(n, err)
}

func (r *rawReader) seen(n int, err error) (int, error) {
	r.n = min(r.n+int64(n), r.size)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}
