package source

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/ulikunitz/xz"
)

// xzDictionary is the largest dictionary accepted, in bytes: four times that of
// xz -9. The decoder allocates what the file asks for, up to 4 GiB.
const xzDictionary = 256 << 20

// xzCodec reads xz files, of several streams too.
var xzCodec = codec{
	name:   "xz",
	suffix: ".xz",
	match:  startsWith("\xfd7zXZ\x00"),
	open: func(r *bufio.Reader) (io.ReadCloser, error) {
		x, err := xz.NewReader(&xzGuard{r: r, next: (*xzGuard).stream})
		if err != nil {
			return nil, err
		}
		return io.NopCloser(x), nil
	},
}

// xzGuard hands an xz file through and looks at the header of each block before
// the decoder does, to stop at one that asks for too much memory. It follows
// the container (xz file format 1.2.0) and its LZMA2 chunks; where it cannot,
// it hands through a few bytes and lets the decoder complain.
type xzGuard struct {
	r       *bufio.Reader
	pass    int                    // bytes that may be handed through now
	next    func(g *xzGuard) error // sets pass, and what follows
	check   int                    // bytes of a block's check
	length  int                    // of the block or index so far, for its padding
	numbers uint64                 // left in the index
}

// Read implements io.Reader.
func (g *xzGuard) Read(p []byte) (int, error) {
	for g.pass == 0 {
		if err := g.next(g); err != nil {
			return 0, err
		}
	}
	n, err := g.r.Read(p[:min(len(p), g.pass)])
	g.pass -= n
	return n, unexpected(err)
}

// peek returns n bytes, fewer at the end of the file.
func (g *xzGuard) peek(n int) []byte {
	b, _ := g.r.Peek(n)
	return b
}

// lost hands the rest through byte by byte: the decoder finds what is wrong. It
// does not find that a file ends where a block might begin.
func (g *xzGuard) lost() error {
	if _, err := g.r.Peek(1); err != nil {
		return unexpected(err)
	}
	g.pass, g.next = 1, (*xzGuard).lost
	return nil
}

// stream is at a stream header, or at the padding between streams.
func (g *xzGuard) stream() error {
	b := g.peek(12)
	switch {
	case len(b) == 0:
		_, err := g.r.Peek(1)
		return err
	case len(b) >= 4 && binary.LittleEndian.Uint32(b) == 0:
		g.pass = 4
		return nil
	case len(b) < 12:
		return g.lost()
	}
	// None, CRC32, CRC64 and SHA-256 are checks 0, 1, 4 and 10.
	g.check = [...]int{0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64}[b[7]&15]
	g.pass, g.next = 12, (*xzGuard).block
	return nil
}

// block is at the header of a block, or at the index.
func (g *xzGuard) block() error {
	b := g.peek(1)
	if len(b) == 0 {
		return g.lost()
	}
	if b[0] == 0 {
		g.pass, g.length, g.next = 1, 1, (*xzGuard).indexSize
		return nil
	}
	size := (int(b[0]) + 1) * 4
	b = g.peek(size)
	dict, ok := xzBlockDictionary(b)
	if len(b) < size || !ok {
		return g.lost()
	}
	if dict > xzDictionary {
		return capError(fmt.Sprintf("its dictionary has %d MiB, more than %d MiB", dict>>20, xzDictionary>>20))
	}
	g.pass, g.length, g.next = size, 0, (*xzGuard).chunk
	return nil
}

// xzBlockDictionary is the size of the dictionary that a block header asks for;
// false if its only filter is not LZMA2.
func xzBlockDictionary(header []byte) (int64, bool) {
	if len(header) < 6 || header[1]&0x3f != 0 {
		return 0, false
	}
	rest := header[2:]
	for _, present := range [...]byte{header[1] & 0x40, header[1] & 0x80} {
		if present != 0 {
			_, n := binary.Uvarint(rest)
			if n <= 0 {
				return 0, false
			}
			rest = rest[n:]
		}
	}
	if len(rest) < 3 || rest[0] != 0x21 || rest[1] != 1 || rest[2] > 40 {
		return 0, false
	}
	return (2 | int64(rest[2]&1)) << (rest[2]/2 + 11), true
}

// chunk is at an LZMA2 chunk.
func (g *xzGuard) chunk() error {
	b := g.peek(6)
	size := 0
	switch {
	case len(b) == 0:
	case b[0] == 0:
		g.length++
		g.pass, g.next = 1+pad4(g.length)+g.check, (*xzGuard).block
		return nil
	case b[0] <= 2 && len(b) >= 3:
		size = 3 + int(binary.BigEndian.Uint16(b[1:])) + 1
	case b[0] >= 0x80 && len(b) >= 5:
		size = 5 + int(binary.BigEndian.Uint16(b[3:])) + 1
		if b[0] >= 0xc0 {
			size++ // the properties
		}
	}
	if size == 0 {
		return g.lost()
	}
	g.length += size
	g.pass = size
	return nil
}

var errIndexNumber = errors.New("xz: damaged index")

// indexSize is at the number of records of the index.
func (g *xzGuard) indexSize() error {
	n, size := binary.Uvarint(g.peek(binary.MaxVarintLen64))
	if size <= 0 || n > 1<<40 {
		return errIndexNumber
	}
	g.numbers = 2 * n
	g.length += size
	g.pass, g.next = size, (*xzGuard).indexNumber
	return nil
}

// indexNumber is at a number of a record, or behind the last.
func (g *xzGuard) indexNumber() error {
	if g.numbers == 0 {
		const checksum, footer = 4, 12
		g.pass, g.next = pad4(g.length)+checksum+footer, (*xzGuard).stream
		return nil
	}
	_, size := binary.Uvarint(g.peek(binary.MaxVarintLen64))
	if size <= 0 {
		return errIndexNumber
	}
	g.numbers--
	g.length += size
	g.pass = size
	return nil
}

// pad4 is what is missing to a multiple of four.
func pad4(n int) int { return -n & 3 }
