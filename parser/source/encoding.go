package source

import (
	"bufio"
	"bytes"
	"io"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Byte order marks.
const (
	markUTF8    = "\xef\xbb\xbf"
	markUTF16LE = "\xff\xfe"
	markUTF16BE = "\xfe\xff"
)

// decode sets t.r to r without its byte order mark, as UTF-8. UTF-16 is what
// redirection in Windows PowerShell writes; without a mark it is told by its
// zero bytes.
func (t *Text) decode(r *bufio.Reader, start []byte) {
	t.r = r
	defer func() {
		if t.r == io.Reader(r) {
			t.nul = &nulReader{r: r, offset: t.Start}
			t.r = t.nul
		}
	}()
	switch {
	case bytes.HasPrefix(start, []byte(markUTF8)):
		t.skipMark(r, markUTF8)
		t.Start = int64(len(markUTF8))
	case bytes.HasPrefix(start, []byte(markUTF16LE)):
		t.skipMark(r, markUTF16LE)
		t.fromUTF16(r, unicode.LittleEndian)
	case bytes.HasPrefix(start, []byte(markUTF16BE)):
		t.skipMark(r, markUTF16BE)
		t.fromUTF16(r, unicode.BigEndian)
	case zeroBytes(start, 1):
		t.fromUTF16(r, unicode.LittleEndian)
	case zeroBytes(start, 0):
		t.fromUTF16(r, unicode.BigEndian)
	}
}

// zeroBytes reports whether start is UTF-16 whose high bytes are at odd (1) or
// even (0) offsets: of the characters of a log most are ASCII in any language,
// and no text has zero bytes where the low ones are.
func zeroBytes(start []byte, high int) bool {
	if len(start) < 4 {
		return false
	}
	zeros := [2]int{}
	for i, b := range start {
		if b == 0 {
			zeros[i&1]++
		}
	}
	return zeros[1-high] == 0 && 2*zeros[high] > len(start)/2
}

// skipMark cannot fail: the mark was peeked at.
func (t *Text) skipMark(r *bufio.Reader, mark string) { _, _ = r.Discard(len(mark)) }

func (t *Text) fromUTF16(r *bufio.Reader, e unicode.Endianness) {
	t.r = transform.NewReader(r, unicode.UTF16(e, unicode.IgnoreBOM).NewDecoder())
}
