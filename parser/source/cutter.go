package source

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/pgassay/pgassay/parser/record"
)

// Defaults of a Cutter, in bytes.
const (
	DefaultBlockSize = 1 << 20
	DefaultEntryCap  = 16 << 20 // of one entry of a stream
	DefaultWholeCap  = 64 << 20 // of a file that is read in one block
)

// Cutter cuts texts into blocks of whole entries. It holds the sizes and the
// pool of buffers of one run, and is safe for concurrent use.
type Cutter struct {
	blockSize, entryCap, wholeCap int
	pool                          sync.Pool
}

// NewCutter makes a Cutter for blocks of about blockSize bytes and entries of
// at most entryCap; zero or less is the default. Blocks are never larger than
// entryCap.
func NewCutter(blockSize, entryCap int) *Cutter {
	if entryCap <= 0 {
		entryCap = DefaultEntryCap
	}
	if blockSize <= 0 {
		blockSize = DefaultBlockSize
	}
	return &Cutter{
		blockSize: min(blockSize, entryCap),
		entryCap:  entryCap,
		wholeCap:  max(entryCap, DefaultWholeCap),
	}
}

// Block is a run of whole entries of one file.
type Block struct {
	Data []byte     // valid until Release
	Pos  record.Pos // of Data[0]
	// Lines and Bytes are what was read for the block: more than Data holds
	// where a header or the rest of a capped entry was passed over before it.
	Lines, Bytes int64
	// Tail marks the last entry of a file whose entries may go on in another
	// file (Detection.Continues).
	Tail bool
	// Losses are the caps that were hit.
	Losses []record.Loss

	buf    []byte
	cutter *Cutter
}

// Release gives the buffer back. Data must not be used after it.
func (b *Block) Release() {
	if b.cutter == nil || cap(b.buf) > 4*b.cutter.blockSize {
		return
	}
	c := b.cutter
	*b = Block{buf: b.buf[:0]}
	c.pool.Put(b)
}

// Detach releases the block and returns a copy that owns its Data.
func (b *Block) Detach() *Block {
	kept := *b
	kept.Data, kept.buf, kept.cutter = bytes.Clone(b.Data), nil, nil
	b.Release()
	return &kept
}

func (c *Cutter) block() *Block {
	b, ok := c.pool.Get().(*Block)
	if !ok {
		b = &Block{buf: make([]byte, 0, c.blockSize)}
	}
	b.cutter = c
	return b
}

// Blocks reads one text block by block.
type Blocks struct {
	c    *Cutter
	text *Text
	det  *Detection
	src  io.Reader
	cur  *Block     // being filled; begins at an entry unless lost
	pos  record.Pos // of cur.buf[0]
	// passed counts what was passed over since the last block.
	passedLines, passedBytes int64
	orphan                   *Block
	losses                   []record.Loss // for the next block
	eof                      bool
	lost                     bool // inside an entry that was capped
	unended                  bool // what was read so far ends inside a line
}

// Cut begins to read t, whose format is det. from is where in t.Head det was
// made, 0 unless Detect was shown a later part of the head.
func (c *Cutter) Cut(t *Text, det *Detection, from int) (*Blocks, error) {
	b := &Blocks{c: c, text: t, det: det, cur: c.block()}
	b.pos = record.Pos{File: t.Name, Line: 1, Offset: t.Start}
	begin, err := b.findBegin(from)
	if err != nil {
		return nil, err
	}
	head := t.Head[:begin]
	if begin > 0 && det.Continues() {
		b.orphan = &Block{Data: bytes.Clone(head), Pos: b.pos, Bytes: int64(begin)}
		b.orphan.Lines = b.advance(head)
		if begin == len(t.Head) && t.EOF {
			b.orphan.Lines += b.endLine()
		}
	} else {
		b.pass(head)
	}
	b.src = io.MultiReader(bytes.NewReader(t.Head[begin:]), t)
	return b, nil
}

// findBegin is the offset in the head of the first entry. The head grows up to
// the entry cap while none is whole in it.
func (b *Blocks) findBegin(from int) (int, error) {
	t := b.text
	if b.det.Whole || b.det.Begin == nil {
		return 0, nil
	}
	for {
		begin := from + b.det.Begin(t.Head[from:])
		if begin < len(t.Head) || t.EOF {
			return begin, nil
		}
		if len(t.Head) >= b.c.entryCap {
			b.lost = true
			b.capHit("entry", b.c.entryCap)
			return begin, nil
		}
		if err := t.Grow(min(2*len(t.Head), b.c.entryCap)); err != nil {
			return 0, b.failed(err)
		}
	}
}

// Orphan is what stands before the first entry of a file whose entries may
// begin in another file; nil if nothing does. It owns its Data.
func (b *Blocks) Orphan() *Block { return b.orphan }

// Close gives the buffer back. Blocks that were handed over stay valid.
func (b *Blocks) Close() { b.cur.Release() }

// End is the place behind what was read so far.
func (b *Blocks) End() record.Pos { return b.pos }

// Next returns the next block, or io.EOF; not to be called after either Close
// or an error. Whoever receives the block releases
// it. Other errors are of reading the file.
func (b *Blocks) Next() (*Block, error) {
	if b.det.Whole {
		return b.whole()
	}
	if b.lost {
		if err := b.resync(); err != nil {
			return nil, err
		}
	}
	want := max(b.c.blockSize, 2*len(b.cur.buf))
	for {
		want = min(want, b.c.entryCap)
		if err := b.fill(want); err != nil {
			return nil, err
		}
		if b.eof {
			return b.last()
		}
		if n := b.det.Cut(b.cur.buf); n > 0 {
			return b.emit(n), nil
		}
		if want == b.c.entryCap {
			b.lost = true
			b.capHit("entry", b.c.entryCap)
			return b.emit(len(b.cur.buf)), nil
		}
		want *= 2
	}
}

// whole hands over the file in one block.
func (b *Blocks) whole() (*Block, error) {
	if err := b.fill(b.c.wholeCap + 1); err != nil {
		return nil, err
	}
	n := len(b.cur.buf)
	if n > b.c.wholeCap {
		b.capHit("file", b.c.wholeCap)
		b.cur.buf = b.cur.buf[:b.c.wholeCap]
		b.eof = true
	}
	if n == 0 {
		return nil, io.EOF
	}
	blk := b.emit(len(b.cur.buf))
	blk.Lines += b.endLine()
	return blk, nil
}

// last hands over what is left at the end of the file, the last entry apart if
// it may go on in another file.
func (b *Blocks) last() (*Block, error) {
	n := len(b.cur.buf)
	if n == 0 && b.passedBytes == 0 && !b.unended {
		return nil, io.EOF
	}
	tail := false
	if n > 0 && b.det.Continues() {
		cut := b.det.Cut(b.cur.buf)
		if cut > 0 && cut < n {
			return b.emit(cut), nil
		}
		tail = cut == 0
	}
	blk := b.emit(n)
	blk.Lines += b.endLine()
	blk.Tail = tail
	return blk, nil
}

// emit hands over the first n bytes and keeps the others.
func (b *Blocks) emit(n int) *Block {
	blk, next := b.cur, b.c.block()
	next.buf = append(next.buf, blk.buf[n:]...)
	b.cur = next
	blk.Data, blk.Pos = blk.buf[:n], b.pos
	blk.Bytes = int64(n) + b.passedBytes
	blk.Lines = b.advance(blk.Data) + b.passedLines
	blk.Losses = b.losses
	b.passedLines, b.passedBytes, b.losses = 0, 0, nil
	return blk
}

// capHit notes that what stands at the present place was longer than limit.
func (b *Blocks) capHit(what string, limit int) {
	text := fmt.Sprintf("%s longer than %d bytes: the rest of it was left out", what, limit)
	b.losses = append(b.losses, record.Loss{Pos: b.pos, Kind: record.LossCap, Text: text, Count: 1})
}

// resync passes over the rest of a capped entry, up to the next one.
func (b *Blocks) resync() error {
	for {
		if err := b.fill(b.c.blockSize); err != nil {
			return err
		}
		buf := b.cur.buf
		n := b.det.Begin(buf)
		if n < len(buf) || b.eof {
			b.drop(n)
			b.lost = false
			return nil
		}
		if nl := bytes.LastIndexByte(buf, '\n') + 1; nl > 0 {
			n = nl
		}
		b.drop(n)
	}
}

func (b *Blocks) drop(n int) {
	b.pass(b.cur.buf[:n])
	b.cur.buf = append(b.cur.buf[:0], b.cur.buf[n:]...)
}

func (b *Blocks) pass(data []byte) {
	b.passedBytes += int64(len(data))
	b.passedLines += b.advance(data)
}

// advance moves the place behind data and counts its line ends.
func (b *Blocks) advance(data []byte) int64 {
	if len(data) == 0 {
		return 0
	}
	if n := b.text.nul; n != nil && n.placed < len(n.runs) {
		n.place(data, b.pos)
	}
	newlines := int64(bytes.Count(data, []byte{'\n'}))
	b.pos.Line += newlines
	b.pos.Offset += int64(len(data))
	b.unended = data[len(data)-1] != '\n'
	return newlines
}

// endLine is 1 at the end of a file whose last line has no line end, once.
func (b *Blocks) endLine() int64 {
	if !b.unended {
		return 0
	}
	b.unended = false
	return 1
}

// fill reads until the current buffer holds want bytes, or to the end.
func (b *Blocks) fill(want int) error {
	for !b.eof && len(b.cur.buf) < want {
		have := len(b.cur.buf)
		if have == cap(b.cur.buf) {
			b.cur.buf = slices.Grow(b.cur.buf, min(max(have, readSize), want-have))
		}
		n, err := b.src.Read(b.cur.buf[have:min(cap(b.cur.buf), want)])
		b.cur.buf = b.cur.buf[:have+n]
		if err == io.EOF {
			b.eof = true
		} else if err != nil {
			return b.failed(err)
		}
	}
	return nil
}

func (b *Blocks) failed(err error) error {
	return fmt.Errorf("%s:%d: %w", b.text.Name, b.pos.Line, err)
}
