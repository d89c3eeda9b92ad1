package source

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pgassay/pgassay/parser/record"
)

// hashLog is a log whose entries begin with '#' at the start of a line.
func hashLog() *Detection {
	return &Detection{
		Begin: func(data []byte) int {
			if bytes.HasPrefix(data, []byte("#")) {
				return 0
			}
			if i := bytes.Index(data, []byte("\n#")); i >= 0 {
				return i + 1
			}
			return len(data)
		},
		Cut: func(data []byte) int { return bytes.LastIndex(data, []byte("\n#")) + 1 },
	}
}

// table is a snapshot whose first line is its header and whose lines are rows.
func table() *Detection {
	return &Detection{
		View: record.ViewTables,
		Begin: func(data []byte) int {
			if i := bytes.IndexByte(data, '\n'); i >= 0 {
				return i + 1
			}
			return len(data)
		},
		Cut: func(data []byte) int { return bytes.LastIndexByte(data, '\n') + 1 },
	}
}

// piece is a Block without its buffer.
type piece struct {
	data         string
	pos          record.Pos
	lines, bytes int64
	tail         bool
	losses       []record.Loss
}

func pieceOf(b *Block) piece {
	return piece{string(b.Data), b.Pos, b.Lines, b.Bytes, b.Tail, b.Losses}
}

// cut returns the orphan (if any) and the blocks of a text.
func cut(t testing.TB, c *Cutter, det *Detection, r io.Reader) (orphan *Block, all []piece) {
	t.Helper()
	err := from("x.log", r).Each(func(x *Text) error {
		blocks, err := c.Cut(x, det, 0)
		if err != nil {
			return err
		}
		defer blocks.Close()
		orphan = blocks.Orphan()
		for {
			b, err := blocks.Next()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			all = append(all, pieceOf(b))
			b.Release()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return orphan, all
}

// check verifies what holds for every cut of text: nothing is lost, places and
// counts agree, and every block begins at an entry.
func check(t *testing.T, text string, orphan *Block, all []piece) {
	t.Helper()
	var joined strings.Builder
	var lines, size int64
	if orphan != nil {
		all = append([]piece{pieceOf(orphan)}, all...)
	}
	for i, p := range all {
		if want := int64(1 + strings.Count(joined.String(), "\n")); p.pos.Line != want {
			t.Errorf("block %d is on line %d, want %d", i, p.pos.Line, want)
		}
		if p.pos.Offset != int64(joined.Len()) {
			t.Errorf("block %d is at %d, want %d", i, p.pos.Offset, joined.Len())
		}
		if (i > 0 || orphan == nil) && !strings.HasPrefix(p.data, "#") {
			t.Errorf("block %d does not begin at an entry: %.20q", i, p.data)
		}
		if p.tail != (i == len(all)-1 && (i > 0 || orphan == nil)) {
			t.Errorf("block %d of %d: tail %v", i, len(all), p.tail)
		}
		joined.WriteString(p.data)
		lines, size = lines+p.lines, size+p.bytes
	}
	if joined.String() != text {
		t.Errorf("blocks hold %.80q, want %.80q", joined.String(), text)
	}
	want := int64(strings.Count(text, "\n"))
	if text != "" && !strings.HasSuffix(text, "\n") {
		want++
	}
	if lines != want || size != int64(len(text)) {
		t.Errorf("%d lines and %d bytes, want %d and %d", lines, size, want, len(text))
	}
}

func TestBlocksHoldWholeEntriesAtAnyBlockSize(t *testing.T) {
	texts := map[string]string{
		"empty":            "",
		"one entry":        "#1\n",
		"no line end":      "#1\n\ta\n#2",
		"continuations":    "#1\n\ta\n\tb\n#2\n#3 long long long long\n\tc\n#4\n",
		"orphan":           "tail of another\n\tone\n#1\n#2\n",
		"only an orphan":   "\ta\n\tb",
		"carriage returns": "#1\r\n\ta\r\n#2\r\n",
		"empty lines":      "\n\n#1\n\n#2\n\n",
	}
	for name, text := range texts {
		for _, size := range []int{1, 2, 3, 5, 8, 13, 1 << 20} {
			t.Run(fmt.Sprint(name, " in ", size), func(t *testing.T) {
				orphan, all := cut(t, NewCutter(size, 0), hashLog(), strings.NewReader(text))
				check(t, text, orphan, all)
				slow, again := cut(t, NewCutter(size, 0), hashLog(), iotest.OneByteReader(strings.NewReader(text)))
				check(t, text, slow, again)
			})
		}
	}
}

func TestTailIsTheLastEntryAlone(t *testing.T) {
	for _, size := range []int{1, 4, 1 << 20} {
		_, all := cut(t, NewCutter(size, 0), hashLog(), strings.NewReader("#1\n#2\n#3\n\tend"))
		last := all[len(all)-1]
		if !last.tail || last.data != "#3\n\tend" || last.lines != 2 || last.pos.Line != 3 {
			t.Errorf("blocks of %d: last block %+v", size, last)
		}
	}
}

func TestHeaderIsPassedOverButCounted(t *testing.T) {
	for _, size := range []int{1, 1 << 20} {
		orphan, all := cut(t, NewCutter(size, 0), table(), strings.NewReader("relname,size\na,1\nb,2"))
		if orphan != nil {
			t.Errorf("the header became an orphan: %q", orphan.Data)
		}
		var data string
		var lines, total int64
		for _, p := range all {
			data, lines, total = data+p.data, lines+p.lines, total+p.bytes
			if p.tail {
				t.Error("the last row of a snapshot is held back")
			}
		}
		if data != "a,1\nb,2" || all[0].pos.Line != 2 || all[0].pos.Offset != 13 || lines != 3 || total != 20 {
			t.Errorf("got %q at %v, %d lines, %d bytes", data, all[0].pos, lines, total)
		}
	}
}

func TestPlacesCountTheByteOrderMark(t *testing.T) {
	_, all := cut(t, NewCutter(0, 0), hashLog(), strings.NewReader("\xef\xbb\xbf#1\n"))
	if all[0].pos.Offset != 3 {
		t.Errorf("first entry at %d, want 3", all[0].pos.Offset)
	}
}

func TestEntryOverTheCapIsCutAndTheNextOneFound(t *testing.T) {
	text := "#1\n#2 " + strings.Repeat("x", 100) + "\n" + strings.Repeat("\ty\n", 50) + "#3\n#4\n"
	for _, size := range []int{1, 7, 32} {
		_, all := cut(t, NewCutter(size, 32), hashLog(), strings.NewReader(text))
		var data string
		var lines, total int64
		var losses []record.Loss
		for _, p := range all {
			data, lines, total = data+p.data, lines+p.lines, total+p.bytes
			losses = append(losses, p.losses...)
		}
		if want := text[:3+32] + "#3\n#4\n"; data != want {
			t.Errorf("blocks of %d: got %q, want %q", size, data, want)
		}
		if lines != int64(strings.Count(text, "\n")) || total != int64(len(text)) {
			t.Errorf("blocks of %d: %d lines and %d bytes counted", size, lines, total)
		}
		if len(losses) != 1 || losses[0].Kind != record.LossCap || losses[0].Pos.Line != 2 {
			t.Errorf("blocks of %d: losses %+v", size, losses)
		}
	}
}

func TestLastLineOfACappedEntryCounts(t *testing.T) {
	for _, length := range []int{30, 31, 100} {
		text := "#1\n#" + strings.Repeat("x", length)
		_, all := cut(t, NewCutter(8, 32), hashLog(), strings.NewReader(text))
		var lines, total int64
		for _, p := range all {
			lines, total = lines+p.lines, total+p.bytes
		}
		if lines != 2 || total != int64(len(text)) {
			t.Errorf("entry of %d bytes: %d lines and %d bytes counted", length+1, lines, total)
		}
	}
}

func TestOrphanLongerThanTheHeadIsKept(t *testing.T) {
	orphan := strings.Repeat("\tx\n", HeadSize)
	got, all := cut(t, NewCutter(0, 0), hashLog(), strings.NewReader(orphan+"#1\n#2\n"))
	check(t, orphan+"#1\n#2\n", got, all)
	if got == nil || string(got.Data) != orphan {
		t.Error("the head was cut")
	}
}

func TestOrphanOverTheCapIsReported(t *testing.T) {
	text := strings.Repeat("\tx\n", HeadSize) + "#1\n"
	_, all := cut(t, NewCutter(0, 2*HeadSize), hashLog(), strings.NewReader(text))
	last := all[len(all)-1]
	if last.data != "#1\n" || last.pos.Line != HeadSize+1 || len(last.losses) != 1 {
		t.Errorf("got %q at %v with %v", last.data, last.pos, last.losses)
	}
}

func TestWholeFileIsOneBlock(t *testing.T) {
	c := NewCutter(4, 0)
	c.wholeCap = 3 * HeadSize
	text := strings.Repeat("plan line\n", HeadSize/5)
	_, all := cut(t, c, &Detection{Whole: true}, strings.NewReader(text))
	if len(all) != 1 || all[0].data != text || all[0].lines != HeadSize/5 || all[0].losses != nil {
		t.Errorf("got %d blocks", len(all))
	}
	_, all = cut(t, c, &Detection{Whole: true}, strings.NewReader(text+text))
	if len(all) != 1 || len(all[0].data) != c.wholeCap || len(all[0].losses) != 1 {
		t.Errorf("over the cap: %d blocks", len(all))
	}
	if _, all = cut(t, c, &Detection{Whole: true}, strings.NewReader("")); len(all) != 0 {
		t.Errorf("empty: %d blocks", len(all))
	}
}

func TestBlockOutlivesTheNextOne(t *testing.T) {
	err := from("x", strings.NewReader("#1\n#2\n#3\n")).Each(func(x *Text) error {
		blocks, err := NewCutter(4, 0).Cut(x, hashLog(), 0)
		if err != nil {
			return err
		}
		defer blocks.Close()
		first, err := blocks.Next()
		if err != nil {
			return err
		}
		kept := first.Detach()
		if _, err := blocks.Next(); err != nil {
			return err
		}
		if string(kept.Data) != "#1\n" {
			t.Errorf("detached block became %q", kept.Data)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestReadFailureTellsItsPlace(t *testing.T) {
	r := io.MultiReader(strings.NewReader(strings.Repeat("#1\n", HeadSize)), iotest.ErrReader(iotest.ErrTimeout))
	err := from("x.log", r).Each(func(x *Text) error {
		blocks, err := NewCutter(0, 0).Cut(x, hashLog(), 0)
		for err == nil {
			var b *Block
			if b, err = blocks.Next(); err == nil {
				b.Release()
			}
		}
		return err
	})
	if err == nil || !strings.HasPrefix(err.Error(), "x.log:1: ") {
		t.Errorf("got %v", err)
	}
}

func FuzzBlocks(f *testing.F) {
	f.Add("\ta\n#1\n\tb\n#2", uint8(3))
	f.Add("#1\n#2\n", uint8(0))
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		if !strings.HasPrefix(text, "#") || strings.Contains(text, "\x00") {
			t.Skip("byte order marks, compression, tar and UTF-16 change the text")
		}
		orphan, all := cut(t, NewCutter(int(size)+1, 0), hashLog(), strings.NewReader(text))
		check(t, text, orphan, all)
		cut(t, NewCutter(int(size)+1, 16), hashLog(), strings.NewReader(text))
	})
}
